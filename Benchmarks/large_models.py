"""Writes models of many small layers with the installed Keras, to measure the cost of a layer.

    python large_models.py FOLDER [NAME...]
"""

import os
import sys
import threading

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")

import keras

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


def main():
    folder, names = sys.argv[1], sys.argv[2:] or list(MODELS)
    for name in names:
        model = MODELS[name]()
        for suffix in ("h5", "keras"):
            model.save(f"{folder}/{name}_k{VERSION}.{suffix}")


if __name__ == "__main__":
    sys.setrecursionlimit(1_000_000)  # Keras recurses once per layer of a chain
    threading.stack_size(1 << 29)
    thread = threading.Thread(target=main)
    thread.start()
    thread.join()
