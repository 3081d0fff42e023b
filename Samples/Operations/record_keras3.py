"""Records the cases of Keras 3.15, or of an older Keras 3 or of JAX what these compute otherwise (see README.md)."""

import os
import sys
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.update(TF_ENABLE_ONEDNN_OPTS="0", TF_CPP_MIN_LOG_LEVEL="3",
                  CUDA_VISIBLE_DEVICES="-1")

import keras

import index_cases
import rare_cases
from recording import record

IS_NEW = keras.__version__.startswith("3.15.")
IS_JAX = os.environ["KERAS_BACKEND"] == "jax"
NAME = "keras3" if IS_NEW else "keras" + keras.__version__.replace(".", "_")
FOLDER = Path(__file__).resolve().parent / (NAME + "_jax" if IS_JAX else NAME)


def all_cases():
    """The cases of the version and the backend. Of the two containers, only .h5 says the backend."""
    if not IS_NEW:
        return rare_cases.CASES_OF_VERSIONS + index_cases.CASES_OF_VERSIONS
    import keras3_cases
    if not IS_JAX:
        return keras3_cases.CASES
    shared = [replace(case, containers=("h5",)) for case in keras3_cases.CASES if case.name in keras3_cases.ON_JAX]
    return shared + keras3_cases.integer_cases.CASES_OF_JAX


if __name__ == "__main__":
    for case in all_cases():
        if not sys.argv[1:] or case.name in sys.argv[1:]:
            record(keras, FOLDER, case)
