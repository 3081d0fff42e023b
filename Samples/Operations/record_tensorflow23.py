"""Records the cases of TensorFlow 2.3 (see README.md)."""

import os
import sys
from pathlib import Path

os.environ.update(TF_ENABLE_ONEDNN_OPTS="0", TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")

from tensorflow import keras

import tensorflow23_cases
from recording import record

FOLDER = Path(__file__).resolve().parent / "tensorflow23"

if __name__ == "__main__":
    for case in tensorflow23_cases.CASES:
        if not sys.argv[1:] or case.name in sys.argv[1:]:
            record(keras, FOLDER, case, save_format="h5", include_optimizer=False)
