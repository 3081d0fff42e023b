"""Records the cases of Keras 2.15 (see README.md)."""

import os
import sys
from pathlib import Path

os.environ.update(TF_ENABLE_ONEDNN_OPTS="0", TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")

import keras

import keras2_cases
from recording import record

FOLDER = Path(__file__).resolve().parent / "keras2"
REFUSED = FOLDER.parent / "keras2_refused"

if __name__ == "__main__":
    for folder, cases in ((FOLDER, keras2_cases.CASES), (REFUSED, keras2_cases.REFUSED)):
        for case in cases:
            if not sys.argv[1:] or case.name in sys.argv[1:]:
                record(keras, folder, case, save_format="h5", include_optimizer=False)
