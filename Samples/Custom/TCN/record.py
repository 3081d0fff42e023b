"""Records a model with keras-tcn's TCN, as the version of keras-tcn that is installed computes and writes it.

    pip install --no-deps --target /tmp/tcn keras-tcn==3.5.4
    PYTHONPATH=/tmp/tcn <environment with TensorFlow>/bin/python record.py 3.5.4

Versions 2.9.3 and 3.1.0 were run with TensorFlow 2.3, 3.5.4 with 2.15, and 3.5.6 with Keras 3. Each file is
<version>.h5 (.keras by Keras 3), .inputs.npz and .outputs.npz, with an output for each case.
"""

import os
import sys

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np
import tensorflow as tf
from tcn import TCN

VERSION = sys.argv[1]
IS_KERAS_3 = int(tf.__version__.split(".")[1]) >= 16
IS_2 = VERSION.startswith("2")


def cases():
    """The settings of each layer. Version 2.9 cannot write normalizations to a file."""
    made = {
        "plain": dict(nb_filters=4, kernel_size=2, dilations=[1, 2]),
        "same": dict(nb_filters=3, kernel_size=3, dilations=[1, 2], padding="same", return_sequences=True),
        "stacks": dict(nb_filters=3, nb_stacks=2, kernel_size=2, dilations=[1, 2], use_skip_connections=False),
        "tanh": dict(nb_filters=2, kernel_size=2, dilations=[1, 2], activation="tanh"),
    }
    if not IS_2:
        made["norm"] = dict(nb_filters=2, kernel_size=2, dilations=[1, 2], use_batch_norm=True)
        made["layer_norm"] = dict(nb_filters=4, kernel_size=2, dilations=[4], use_layer_norm=True, return_sequences=True)
        made["middle"] = dict(nb_filters=2, kernel_size=3, dilations=[1], padding="same")
    if VERSION >= "3.5":
        made["list"] = dict(nb_filters=[3, 4], kernel_size=2, use_skip_connections=False, dilations=[1, 2])
        made["backwards"] = dict(nb_filters=3, kernel_size=2, dilations=[1], go_backwards=True, return_sequences=True)
    if IS_KERAS_3:  # its files are large
        return {name: made[name] for name in ("norm", "layer_norm", "tanh", "list")}
    return made


def main():
    rng = np.random.RandomState(7)
    x = tf.keras.layers.Input((7, 3), name="in0")
    made = [TCN(name=name, **settings)(x) for name, settings in cases().items()]
    model = tf.keras.models.Model(x, made)
    model.set_weights([rng.uniform(0.3, 1.0, w.shape) if "variance" in v.name or "gamma" in v.name
                       else rng.uniform(-0.6, 0.6, w.shape)
                       for v, w in zip(model.weights, model.get_weights())])
    given = rng.uniform(-1, 1, (2, 7, 3)).astype("float32")
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), VERSION)
    if IS_KERAS_3:
        model.save(path + ".keras")
    else:
        model.save(path + ".h5", include_optimizer=False)
    np.savez(path + ".inputs.npz", in0=given)
    np.savez(path + ".outputs.npz", **dict(zip(cases(), model.predict(given))))


if __name__ == "__main__":
    main()
