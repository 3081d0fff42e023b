"""Writes models of many small layers with the installed Keras, to measure the cost of a layer, and
files that Keras would take hours or too much memory to write.

    python large_models.py FOLDER [NAME...]
"""

import json
import os
import sys
import threading

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")

import h5py
import keras
import numpy as np

VERSION = keras.__version__.split(".")[0]


@keras.utils.register_keras_serializable("my")
class Same(keras.layers.Layer):
    """A user-defined class."""

    def call(self, x):
        return x


def chain(layers, width=4):
    x = first = keras.Input((width,))
    for layer in layers:
        x = layer(x)
    return keras.Model(first, x)


def operations():
    x = first = keras.Input((4,))
    for index in range(10_000):
        x = x * 1.5 if index % 2 else x + first
    return keras.Model(first, x)


def pictures():
    pairs = [(keras.layers.Conv2D(2, 1), keras.layers.BatchNormalization()) for _ in range(1000)]
    return keras.Sequential([keras.Input((4, 4, 2))] + [layer for pair in pairs for layer in pair])


MODELS = {
    "dense2000": lambda: keras.Sequential([keras.Input((4,))] + [keras.layers.Dense(4) for _ in range(2000)]),
    "pictures2000": pictures,
    "layers10000": lambda: chain(keras.layers.ReLU() for _ in range(10_000)),
    "operations10000": operations,
    "custom10000": lambda: chain(Same(name=f"same_{index}") for index in range(10_000)),
    "dense10000": lambda: chain((keras.layers.Dense(2) for _ in range(10_000)), width=2),
}


def keras2_file(path, layers, units, fill):
    """Writes a file of Dense layers as Keras 2 lays it out; `fill` sets the elements of a weight."""
    names = [f"dense_{index}" for index in range(layers)]
    configs = [{"class_name": "InputLayer", "config": {"batch_input_shape": [None, units], "name": "input_1"}}] + [
        {"class_name": "Dense", "config": {"name": name, "units": units}} for name in names
    ]
    with h5py.File(path, "w") as file:
        file.attrs.update(keras_version="2.15.0", backend="tensorflow")
        config = {"class_name": "Sequential", "config": {"name": "sequential", "layers": configs}}
        file.attrs["model_config"] = json.dumps(config)
        root = file.create_group("model_weights")
        # An attribute has at most 64 KiB; Keras splits longer lists likewise.
        for part, some in enumerate(np.array_split(np.array(names, "S"), -(-layers // 4000))):
            root.attrs[f"layer_names{part}"] = some
        for name in names:
            group = root.create_group(name)
            group.attrs["weight_names"] = [f"{name}/kernel:0".encode(), f"{name}/bias:0".encode()]
            fill(group.create_dataset(f"{name}/kernel:0", (units, units), "float32"))
            fill(group.create_dataset(f"{name}/bias:0", (units,), "float32"))


def ramp(dataset):
    dataset[...] = np.linspace(-1, 1, dataset.size, dtype="float32").reshape(dataset.shape)


def last_element(dataset):
    """Leaves all elements but the last one out of the file, which is then sparse."""
    dataset[(-1,) * dataset.ndim] = 1


FILES = {
    "datasets20000": lambda path: keras2_file(path, 10_000, 2, ramp),
    "datasets100000": lambda path: keras2_file(path, 50_000, 2, ramp),
    "gigabytes10": lambda path: keras2_file(path, 10, 16_000, last_element),
}


def main():
    folder, names = sys.argv[1], sys.argv[2:] or [*MODELS, *FILES]
    for name in names:
        if name in FILES:
            FILES[name](f"{folder}/{name}.h5")
            continue
        model = MODELS[name]()
        for suffix in ("h5", "keras"):
            model.save(f"{folder}/{name}_k{VERSION}.{suffix}")


if __name__ == "__main__":
    sys.setrecursionlimit(1_000_000)  # Keras recurses once per layer of a chain
    threading.stack_size(1 << 29)
    thread = threading.Thread(target=main)
    thread.start()
    thread.join()
