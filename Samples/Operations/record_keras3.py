"""Records the cases of Keras 3.15 (see README.md)."""

import os
import sys
from pathlib import Path

os.environ.update(KERAS_BACKEND="tensorflow", TF_ENABLE_ONEDNN_OPTS="0", TF_CPP_MIN_LOG_LEVEL="3",
                  CUDA_VISIBLE_DEVICES="-1")

import keras

import keras3_cases
from recording import record

FOLDER = Path(__file__).resolve().parent / "keras3"

if __name__ == "__main__":
    for case in keras3_cases.CASES:
        if not sys.argv[1:] or case.name in sys.argv[1:]:
            record(keras, FOLDER, case)
