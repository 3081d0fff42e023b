"""Records a file of weights and beside it the architecture, as users keep them, with the Keras that runs this.

    <python with keras> record.py            # keras
    <python with tensorflow> record.py tf    # tensorflow.keras

Writes, into a folder beside this script called like the version, the weights, the architecture (YAML where that
Keras writes it, else JSON), inputs and what the model computes. Weights and inputs are drawn from a seeded generator.
"""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np

if sys.argv[1:] == ["tf"]:
    import tensorflow
    keras = tensorflow.keras
else:
    import keras

VERSION = keras.__version__
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), VERSION)
layers = keras.layers


def build():
    """Two branches over pictures; the tuples of its settings, numbers with exponents and nulls are what YAML has
    forms of its own for."""
    picture = layers.Input(shape=(6, 5, 2), name="picture")
    if VERSION.startswith("1."):
        x = layers.Convolution2D(3, 3, 2, border_mode="same", subsample=(2, 1), name="conv")(picture)
    else:
        x = layers.Conv2D(3, (3, 2), padding="same", strides=(2, 1), name="conv")(picture)
    x = layers.BatchNormalization(epsilon=1e-7, name="norm")(x)
    x = layers.LeakyReLU(0.2, name="leaky")(x)
    x = layers.Flatten(name="flat")(x)
    x = layers.Dense(4, activation="softmax", name="classes")(x)
    # In Keras 1 a graph's class is `Model` as well; a list that occurs twice becomes an alias in YAML.
    return keras.models.Model(picture, x, name="yes")


model = build()
rng = np.random.RandomState(5)
model.set_weights([
    rng.uniform(0.3, 1.5, w.shape) if w.ndim == 1 else rng.normal(0, 0.4, w.shape) for w in model.get_weights()])
picture = rng.normal(0, 1, (2, 6, 5, 2)).astype("float32")
os.path.isdir(FOLDER) or os.makedirs(FOLDER)
path = os.path.join(FOLDER, "net")
weights = path + (".weights.h5" if VERSION.startswith("3.") else "_weights.h5")
model.save_weights(weights)
try:
    text, ending = model.to_yaml(), "yaml"
except (AttributeError, RuntimeError):  # gone since TensorFlow 2.6
    text, ending = model.to_json(), "json"
with open(path + "_architecture." + ending if ending == "yaml" else path + ".json", "w") as file:
    file.write(text)
np.savez(path + ".inputs.npz", picture=picture)
np.savez(path + ".outputs.npz", classes=model.predict(picture))
print(VERSION, os.listdir(FOLDER))
