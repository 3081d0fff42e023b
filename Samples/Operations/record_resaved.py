"""Records cases of TensorFlow 2.3 as Keras 2.15 saves them again, and what that computes (see README.md)."""

import os
import sys
from pathlib import Path

os.environ.update(TF_ENABLE_ONEDNN_OPTS="0", TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")

import keras
import numpy as np

from recording import port_names

HERE = Path(__file__).resolve().parent
WRITTEN, FOLDER = HERE / "tensorflow23", HERE / "tensorflow23_resaved"
CASES = ["axes", "colors_and_bits", "elements", "in_training", "integers", "pictures", "windows"]


def record(name):
    """Loads the model, saves it in both formats, and computes its outputs of the same inputs."""
    model = keras.models.load_model(WRITTEN / f"{name}.h5", compile=False)
    for container in ["h5", "keras"]:
        model.save(FOLDER / f"{name}.{container}")
    arrays = dict(np.load(WRITTEN / f"{name}.inputs.npz"))
    np.savez(FOLDER / f"{name}.inputs.npz", **arrays)
    arrays = list(arrays.values())
    outputs = model(arrays if len(arrays) > 1 else arrays[0], training=False)
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    outputs = {port: np.asarray(output) for port, output in zip(port_names(model), outputs)}
    np.savez(FOLDER / f"{name}.outputs.npz", **outputs)
    print(f"{name}: {len(outputs)} outputs")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for case in sys.argv[1:] or CASES:
        record(case)
