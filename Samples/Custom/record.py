"""Records models with layers of others, as Keras 2.15 runs and writes them.

    python3.11 -m venv /tmp/keras2 && /tmp/keras2/bin/pip install -r ../Layers/requirements.txt
    /tmp/keras2/bin/pip install --no-deps tensorflow-addons==0.23.0 typeguard==2.13.3
    /tmp/keras2/bin/python record.py        # all cases; or the names of some

TensorFlow Addons is the genuine one. The other classes are written anew here, with the settings, the weights and
the formula of the ones they are named after.
"""

import os
import sys
from pathlib import Path

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import tensorflow as tf
import tensorflow_addons as tfa

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "Operations"))

from recording import Case, Input, record


class Settings(keras.layers.Layer):
    """A layer that keeps what it is made with as its settings."""

    def __init__(self, name=None, trainable=True, dtype=None, **settings):
        super().__init__(name=name, trainable=trainable, dtype=dtype)
        self.settings = settings

    def get_config(self):
        return {**super().get_config(), **self.settings}

    def variable(self, role, count):
        return self.add_weight(name=f"{self.name}_{role}", shape=(count,))


class L2Normalization(Settings):
    """ssd_keras: unit length along the channels, then a gamma."""

    def build(self, shape):
        self.gamma = self.variable("gamma", shape[-1])

    def call(self, x):
        return keras.backend.l2_normalize(x, 3) * self.gamma


class Scale(Settings):
    """The ported ResNets: gamma x + beta for each channel."""

    def build(self, shape):
        self.gamma = self.variable("gamma", shape[self.settings["axis"]])
        self.beta = self.variable("beta", shape[self.settings["axis"]])

    def call(self, x):
        shape = [1] * 4
        shape[self.settings["axis"]] = -1
        return x * tf.reshape(self.gamma, shape) + tf.reshape(self.beta, shape)


class FixedDropout(keras.layers.Dropout):
    """efficientnet: another default for the shape of the noise."""


class InstanceNormalization(Settings):
    """keras-contrib: epsilon is added to the deviation, not to the variance."""

    def build(self, shape):
        axis = self.settings["axis"]
        count = 1 if axis is None else shape[axis]
        self.gamma = self.variable("gamma", count) if self.settings["scale"] else None
        self.beta = self.variable("beta", count) if self.settings["center"] else None

    def call(self, x):
        axis = self.settings["axis"]
        kept = [] if axis is None else [axis % 4]
        axes = [a for a in range(1, 4) if a not in kept]
        mean = tf.reduce_mean(x, axes, keepdims=True)
        deviation = keras.backend.std(x, axes, keepdims=True) + self.settings["epsilon"]
        y = (x - mean) / deviation
        shape = [1] * 4
        for a in kept:
            shape[a] = -1
        if self.gamma is not None:
            y = y * tf.reshape(self.gamma, shape)
        return y if self.beta is None else y + tf.reshape(self.beta, shape)


class ReflectionPadding2D(Settings):
    """Mirrors at the borders."""

    def call(self, x):
        above, beside = self.settings["padding"]
        return tf.pad(x, [[0, 0], [above, above], [beside, beside], [0, 0]], "REFLECT")


def Mish(x):
    return x * tf.tanh(tf.nn.softplus(x))


def Swish(x):
    return x * tf.sigmoid(x)


def space_to_depth_x2(x):
    return tf.nn.space_to_depth(x, 2)


def space_to_depth_x2_output_shape(shape):
    return (shape[0], shape[1] // 2, shape[2] // 2, 4 * shape[3])


def well_known(x):
    return [
        L2Normalization(gamma_init=20, name="l2_normalization")(x),
        Scale(axis=-1, momentum=0.9, name="scale")(x),
        Scale(axis=1, momentum=0.9, name="scale_rows")(x),
        FixedDropout(0.5, name="fixed_dropout")(x),
        tfa.layers.GroupNormalization(groups=2, name="group")(x),
        tfa.layers.InstanceNormalization(axis=-1, epsilon=0.01, name="instance")(x),
        tfa.layers.InstanceNormalization(axis=3, center=False, scale=False, name="instance_plain")(x),
        keras.layers.Dense(3, activation=tfa.activations.mish, name="addons_mish")(x),
        keras.layers.Activation(Mish, name="mish")(x),
        keras.layers.Activation(Swish, name="swish")(x),
    ]


def operators(x):
    return [
        keras.layers.Lambda(space_to_depth_x2, space_to_depth_x2_output_shape, name="space_to_depth_x2")(x),
        ReflectionPadding2D(padding=[2, 2], name="reflection")(x),
        InstanceNormalization(axis=-1, epsilon=0.1, center=True, scale=True, name="instance")(x),
        InstanceNormalization(axis=None, epsilon=0.1, center=True, scale=True, name="instance_whole")(x),
        InstanceNormalization(axis=1, epsilon=0.1, center=False, scale=True, name="instance_rows")(x),
        InstanceNormalization(axis=3, epsilon=0.1, center=False, scale=False, name="instance_plain")(x),
    ]


def addons(x):
    dense, convolution = keras.layers.Dense(5, activation="relu"), keras.layers.Conv1D(4, 2, use_bias=False)
    return [
        tfa.layers.GELU(name="gelu")(x),
        tfa.layers.GELU(approximate=False, name="gelu_exact")(x),
        tfa.layers.WeightNormalization(dense, name="weights")(x),
        tfa.layers.WeightNormalization(convolution, data_init=False, name="weights_plain")(x),
    ]


def addons_activations(x):
    functions = [getattr(tfa.activations, name) for name in ("hardshrink", "lisht", "mish", "softshrink", "tanhshrink")]
    return [keras.layers.Dense(4, activation=each, name=f"addons_{each.__name__}")(x) for each in functions] + [
        keras.layers.SimpleRNN(3, activation=tfa.activations.lisht, name="addons_cell")(x)
    ]


CASES = [
    Case("well_known", [Input((4, 6, 4))], well_known),
    Case("operators", [Input((4, 6, 3))], operators),
    Case("addons", [Input((6, 3))], addons),
    Case("addons_activations", [Input((6, 3))], addons_activations),
]


def main(names):
    tf.get_logger().setLevel("ERROR")
    for case in CASES:
        if not names or case.name in names:
            record(keras, FOLDER, case, save_format="h5", include_optimizer=False)


if __name__ == "__main__":
    main(sys.argv[1:])
