"""Writes one small network as genuine versions of Keras save it, next to itself.

Run it once with each of these, in a virtual environment of its own:
    tensorflow-cpu==2.12.1   (Keras 2.12.0)
    tensorflow-cpu==2.13.1   (Keras 2.13.1)
    tensorflow==2.15.1       (Keras 2.15.0)
    keras==3.15.1 tensorflow-cpu
The weights are the same in all of them, so each file is compared with 2.15.0.h5. Archives of
Keras 2 are packed again with deflate, to keep them small; Keras itself stores their members.
"""

import ntpath
import os
import zipfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np
import keras
from keras import layers

folder = os.path.dirname(os.path.abspath(__file__))
keras.utils.set_random_seed(7)

# A model inside the model, with weights that are not trained and one layer that is frozen.
inner_input = keras.Input((3,))
inner = layers.Dense(3, name="inner_first", trainable=False)(inner_input)
inner = layers.BatchNormalization(name="inner_norm")(inner)
inner = layers.Dense(2, name="inner_last")(inner)
inner = keras.Model(inner_input, inner, name="inner")

# Layers without weights and layers of one class come between each other, since groups are numbered.
x = keras.Input((4, 5), name="x")
y = layers.Bidirectional(layers.LSTM(2, return_sequences=True), name="both_ways")(x)
y = layers.Dense(4, name="first")(y)
y = layers.BatchNormalization(name="norm", scale=False)(y)
y = layers.Activation("tanh", name="tanh")(y)
y = layers.TimeDistributed(layers.Dense(3), name="each_step")(y)
y = layers.RNN(layers.StackedRNNCells([layers.GRUCell(2), layers.GRUCell(3)]), name="stack")(y)
z = inner(y)
y = layers.Dense(2, name="second")(y)
y = layers.Add(name="sum")([y, z])
y = layers.Dense(2, name="third", use_bias=False)(y)
model = keras.Model(x, y, name="net")

random = np.random.default_rng(7)
for layer in [layer for layer in model.layers if layer.name != "inner"] + model.get_layer("inner").layers:
    layer.set_weights([random.uniform(0.5, 1.5, weight.shape) for weight in layer.get_weights()])

small = [np.arange(6.0).reshape(3, 2), np.array([10.0, 11.0])]

version = keras.__version__
path = os.path.join(folder, version)
# Keras 2.12 takes .keras for one more ending of HDF5 files, unless it is told otherwise.
model.save(f"{path}.keras", **({"save_format": "keras_v3"} if version == "2.12.0" else {}))
if version == "2.15.0":
    from keras.src.saving import saving_lib

    model.save(f"{path}.h5")
    model.save_weights(f"{path}.weights.h5")
    # A name that HDF5 shortens: it reads `//` as `/`.
    x = keras.Input((3,), name="x")
    slashes = keras.Model(x, layers.Dense(2, name="res_net//fc")(x), name="slashes")
    slashes.get_layer("res_net//fc").set_weights(small)
    slashes.save(f"{path}-slashes.h5")
    # As on Windows: Keras joins the objects' paths with what TensorFlow joins files' paths with,
    # which there is `ntpath.join`.
    saving_lib.tf.io.gfile.join, here = ntpath.join, saving_lib.tf.io.gfile.join
    model.save(f"{path}-windows.keras")
    saving_lib.tf.io.gfile.join = here
if version.startswith("3"):
    # Keras stores the members; a name of the right length lets the weights begin at 2048, where
    # HDF5 looks for a file behind a user block.
    def first_byte_of_weights(path):
        with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
            header = archive.getinfo("model.weights.h5").header_offset
            file.seek(header + 26)
            lengths = np.frombuffer(file.read(4), "<u2")
            return header + 30 + int(lengths.sum())

    shifted = f"{path}-at-2048.keras"
    x = keras.Input((3,), name="x")
    y = layers.Dense(2, name="fc")(x)
    keras.Model(x, y, name="n").save(shifted)
    missing = 2048 - first_byte_of_weights(shifted)
    model = keras.Model(x, y, name="n" * (1 + missing))
    model.get_layer("fc").set_weights(small)
    model.save(shifted)
    assert first_byte_of_weights(shifted) == 2048
for path in [f"{path}{form}.keras" for form in ["", "-windows"] if version.startswith("2")]:
    if not os.path.exists(path):
        continue
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
