"""Records weights alone of models of which parts are frozen, and beside them the architecture, with the Keras that runs
this: 2.15 or 3.15.

    <python with keras> record_frozen.py

Writes, into a folder beside this script called like the version, for each case the weights, `<case>.json`, inputs and
what the model computes. Weights and inputs are drawn from a generator seeded with the case's name.
"""
import os
import zlib

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", TF_ENABLE_ONEDNN_OPTS="0")

import keras
import numpy as np
from keras import layers

IS_KERAS3 = keras.__version__.startswith("3")
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), keras.__version__)


def chain(name, size, *parts):
    inputs = value = keras.Input(size)
    for part in parts:
        value = part(value)
    return keras.Model(inputs, value, name=name)


def frozen(model, *trained):
    model.trainable = False
    for index in trained:
        model.layers[index].trainable = True
    return model


def steps():
    """Models for each step that are frozen but for one layer, in wrappers that are not."""
    plain = frozen(chain("plain", (4,), layers.Dense(4), layers.Dense(4)), 2)
    normal = frozen(chain("normal", (4,), layers.Dense(4), layers.BatchNormalization(), layers.Dense(4)), 3)
    parts = [keras.Input((4,)), layers.Dense(4), layers.Dense(4)]
    sequence = keras.Sequential(parts, name="sequence")
    sequence.trainable = False
    sequence.layers[-1].trainable = True
    each = layers.TimeDistributed
    return chain("model", (3, 4), each(plain, name="of_plain"), each(normal, name="of_normal"), each(sequence, name="of_sequence"))


def features():
    """Two layers of one shape before a third, and their normalizations."""
    parts = [layers.Dense(4, use_bias=False, name="first"), layers.BatchNormalization(name="first_normal"),
             layers.Dense(4, use_bias=False, name="second"), layers.BatchNormalization(name="second_normal"),
             layers.Dense(4, use_bias=False, name="third")]
    return chain("model", (4,), chain("features", (4,), *parts), layers.Dense(2, name="last"))


def unfrozen():
    """Weights that were saved while layers were frozen, and the architecture from before."""
    model = features()
    text = model.to_json()
    frozen(model.layers[1], 3, 5)
    return model, text


def refrozen():
    """Weights from before layers were frozen, and the architecture with the frozen layers."""
    model = features()
    other = features()
    frozen(other.layers[1], 3, 5)
    return model, other.to_json()


def record(name, model, text, ending):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    model.set_weights([rng.uniform(0.1, 1.0, weight.shape) for weight in model.get_weights()])
    inputs = rng.normal(0.0, 1.0, (2, *model.inputs[0].shape[1:])).astype("float32")
    path = os.path.join(FOLDER, name)
    model.save_weights(path + ending)
    with open(path + ".json", "w") as file:
        file.write(text)
    np.savez(path + ".inputs.npz", **{model.inputs[0].name.split(":")[0]: inputs})
    np.savez(path + ".outputs.npz", out=np.asarray(model(inputs, training=False)))
    print(keras.__version__, name)


os.makedirs(FOLDER, exist_ok=True)
model = steps()
record("steps", model, model.to_json(), ".weights.h5")
if not IS_KERAS3:  # Of layers in models Keras 3 keeps the weights apart.
    record("unfrozen", *unfrozen(), "_weights.h5")
    record("refrozen", *refrozen(), "_weights.h5")
