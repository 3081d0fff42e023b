"""Records the cases of Keras 3.15, or of an older Keras 3 what that computes otherwise (see README.md)."""

import os
import sys
from pathlib import Path

os.environ.update(KERAS_BACKEND="tensorflow", TF_ENABLE_ONEDNN_OPTS="0", TF_CPP_MIN_LOG_LEVEL="3",
                  CUDA_VISIBLE_DEVICES="-1")

import keras

import rare_cases
from recording import record

IS_NEW = keras.__version__.startswith("3.15.")
FOLDER = Path(__file__).resolve().parent / ("keras3" if IS_NEW else "keras" + keras.__version__.replace(".", "_"))

if __name__ == "__main__":
    if IS_NEW:
        import keras3_cases
    for case in keras3_cases.CASES if IS_NEW else rare_cases.CASES_OF_VERSIONS:
        if not sys.argv[1:] or case.name in sys.argv[1:]:
            record(keras, FOLDER, case)
