"""Records small models of several number types with the real Keras, once with 2.15 and once with 3.15.

    python record.py                     # every case, with the Keras that is installed; see README.md
    python record.py float16_cnn         # these cases only

Writes, beside this script, <case>.k2.h5 or <case>.k3.keras, <case>.inputs.npz (the same for both) and
<case>.k2.outputs.npz or <case>.k3.outputs.npz.
"""

import os
import sys
import zlib
from pathlib import Path

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np

GENERATION = int(keras.__version__.split(".")[0])
FOLDER = Path(__file__).resolve().parent
layers = keras.layers


def normal(rng, shape):
    return rng.normal(0.0, 1.0, shape)


def mixed_float16_cnn():
    """Convolutions, batch normalisation and a dense layer in float16, with a softmax in float32 behind them."""
    keras.mixed_precision.set_global_policy("mixed_float16")
    x = inputs = keras.Input((8, 8, 3))
    x = layers.Conv2D(4, 3, activation="relu")(x)
    x = layers.BatchNormalization()(x)
    x = layers.SeparableConv2D(6, 3, strides=2, padding="same", activation="elu")(x)
    x = layers.MaxPooling2D(2, strides=1)(x)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.BatchNormalization()(x)
    x = layers.Dense(5)(x)
    return keras.Model(inputs, layers.Activation("softmax", dtype="float32")(x)), [(normal, (8, 8, 3), "float32")]


def mixed_bfloat16_mlp():
    """Dense layers and batch normalisation in bfloat16, whose weights are float32."""
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    x = inputs = keras.Input((6,))
    x = layers.Dense(8, activation="tanh")(x)
    x = layers.Dense(7, activation="gelu")(x)
    x = layers.BatchNormalization()(x)
    return keras.Model(inputs, layers.Dense(3)(x)), [(normal, (6,), "float32")]


def bfloat16_dense():
    """All in bfloat16, the weights too."""
    keras.mixed_precision.set_global_policy("bfloat16")
    x = inputs = keras.Input((6,))
    x = layers.Dense(5, activation="relu")(x)
    return keras.Model(inputs, layers.Dense(2)(x)), [(normal, (6,), "bfloat16")]


def float16_cnn():
    """All in float16, the weights too (but those of the batch normalisation in Keras 2)."""
    keras.mixed_precision.set_global_policy("float16")
    x = inputs = keras.Input((6, 6, 2))
    x = layers.Conv2D(3, 3, padding="same")(x)
    x = layers.BatchNormalization()(x)
    x = layers.PReLU(shared_axes=[1, 2])(x)
    x = layers.Flatten()(x)
    return keras.Model(inputs, layers.Dense(4, activation="sigmoid")(x)), [(normal, (6, 6, 2), "float16")]


def float64_recurrent():
    """A recurrent network in float64."""
    keras.mixed_precision.set_global_policy("float64")
    x = inputs = keras.Input((5, 3))
    x = layers.LSTM(4, return_sequences=True)(x)
    x = layers.GRU(3)(x)
    return keras.Model(inputs, layers.Dense(2)(x)), [(normal, (5, 3), "float64")]


def mixed_float16_embedding():
    """Indices, which stay whole numbers, and a table that is read in float16."""
    keras.mixed_precision.set_global_policy("mixed_float16")
    x = inputs = keras.Input((5,), dtype="int32")
    x = layers.Embedding(10, 4)(x)
    x = layers.Flatten()(x)
    return keras.Model(inputs, layers.Dense(2)(x)), [(lambda rng, shape: rng.integers(0, 10, shape), (5,), "int32")]


def uint8_picture():
    """A picture of bytes, brought to the range of 0 to 1 in the model."""
    x = inputs = keras.Input((6, 6, 3), dtype="uint8")
    x = layers.Rescaling(1 / 255)(x)
    x = layers.Conv2D(2, 3)(x)
    return keras.Model(inputs, x), [(lambda rng, shape: rng.integers(0, 256, shape), (6, 6, 3), "uint8")]


def several_types():
    """Layers of several types that meet: each takes its inputs in its own."""
    inputs = keras.Input((6,))
    half = layers.Dense(4, dtype="float16")(inputs)
    mixed = layers.Dense(4, dtype="mixed_bfloat16")(half)
    double = layers.Dense(4, dtype="float64")(inputs)
    added = layers.Add(dtype="float32")([half, mixed, double])
    joined = layers.Concatenate(dtype="float16")([added, double])
    return keras.Model(inputs, [added, joined]), [(normal, (6,), "float32")]


def nested_float64():
    """A model that takes float64 inside one that gives it float32, once with an integer besides."""
    inner_input = keras.Input((4,), dtype="float64")
    inner = keras.Model(inner_input, layers.Dense(3, dtype="float64")(inner_input))
    inputs = keras.Input((4,))
    x = inner(layers.Dense(4)(inputs))
    return keras.Model(inputs, layers.Dense(2)(x)), [(normal, (4,), "float32")]


CASES = [
    mixed_float16_cnn, mixed_bfloat16_mlp, bfloat16_dense, float16_cnn, float64_recurrent, mixed_float16_embedding,
    uint8_picture, several_types, nested_float64,
]


def numbers(tensor):
    """A tensor as an array; bfloat16, which NumPy files do not have, as float32."""
    array = np.asarray(tensor)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def draw_weights(model, rng):
    drawn = []
    for weight in model.get_weights():
        scale = max(1, int(np.prod(weight.shape[:-1]))) ** -0.5
        array = rng.normal(0.0, scale, weight.shape)
        drawn.append(np.asarray(array, np.float32).astype(weight.dtype))
    model.set_weights(drawn)
    for layer in model.layers:
        if isinstance(layer, layers.BatchNormalization):
            shape = layer.get_weights()[0].shape
            arrays = [rng.uniform(0.5, 1.5, shape), rng.normal(0, 0.5, shape), rng.normal(0, 0.5, shape),
                      rng.uniform(0.2, 2.0, shape)]
            layer.set_weights([array.astype(old.dtype) for array, old in zip(arrays, layer.get_weights())])


def record(build):
    name = build.__name__
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    keras.backend.clear_session()
    keras.mixed_precision.set_global_policy("float32")
    model, draws = build()
    keras.mixed_precision.set_global_policy("float32")
    arrays = []
    for draw, shape, dtype in draws:
        array = draw(rng, (2, *shape))
        arrays.append(numbers(keras.ops.cast(array, dtype)) if dtype == "bfloat16" and GENERATION > 2 else
                      array.astype("float32" if dtype == "bfloat16" else dtype))
    draw_weights(model, rng)
    outputs = model(arrays if len(arrays) > 1 else arrays[0], training=False)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    for output in outputs:
        assert np.isfinite(numbers(output)).all(), name
    stem = str(FOLDER / name)
    generation = f"k{GENERATION}"
    if GENERATION > 2:
        model.save(f"{stem}.{generation}.keras")
    else:
        model.save(f"{stem}.{generation}.h5", save_format="h5", include_optimizer=False)
    np.savez(f"{stem}.inputs.npz", **{f"in{index}": array for index, array in enumerate(arrays)})
    np.savez(f"{stem}.{generation}.outputs.npz", **{f"out{index}": numbers(o) for index, o in enumerate(outputs)})
    print(name, [str(output.dtype) for output in outputs])


if __name__ == "__main__":
    for case in CASES:
        if not sys.argv[1:] or case.__name__ in sys.argv[1:]:
            record(case)
