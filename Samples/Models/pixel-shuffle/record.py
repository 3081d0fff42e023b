"""Records a small network of Keras 3 that turns channels into blocks of pixels and back with layers
that cut and permute six axes: model.keras, inputs.npz and outputs.npz, beside this script.

Needs Keras 3.
"""

import os
from pathlib import Path

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np

FOLDER = Path(__file__).resolve().parent
layers = keras.layers


def model():
    x = inputs = keras.Input((4, 5, 3), name="picture")
    x = layers.Conv2D(8, 3, padding="same", activation="relu")(x)
    # By row, column and channel, as tf.nn.depth_to_space.
    x = layers.Reshape((4, 5, 2, 2, 2))(x)
    x = layers.Permute((1, 3, 2, 4, 5))(x)
    x = layers.Reshape((8, 10, 2))(x)
    x = layers.Conv2D(8, 3, padding="same", activation="relu")(x)
    # By channel, row and column, as torch.nn.PixelShuffle.
    x = layers.Reshape((8, 10, 2, 2, 2))(x)
    x = layers.Permute((1, 4, 2, 5, 3))(x)
    x = layers.Reshape((16, 20, 2))(x)
    # And back.
    x = layers.Reshape((4, 4, 5, 4, 2))(x)
    x = layers.Permute((1, 3, 2, 4, 5))(x)
    x = layers.Reshape((4, 5, 32))(x)
    return keras.Model(inputs, layers.Conv2D(2, 1, name="answer")(x))


def main():
    keras.utils.set_random_seed(7)
    network = model()
    network.save(FOLDER / "model.keras")
    x = np.random.default_rng(7).normal(size=(1, 4, 5, 3)).astype(np.float32)
    np.savez(FOLDER / "inputs.npz", picture=x)
    np.savez(FOLDER / "outputs.npz", answer=network.predict(x, verbose=0))


if __name__ == "__main__":
    main()
