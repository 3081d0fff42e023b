"""Records small models that amplify rounding with the real Keras, 2.15 and 3.15, in float32 and in float64.

    python record.py                     # with the Keras that is installed; see README.md

Writes, beside this script, <case>.k3.keras (and chaotic_lstm.k2.h5), <case>.inputs.npy (the same for both) and
<case>.k2.outputs.npy or <case>.k3.outputs.npy; Keras 3 also <case>.float64.npy, what the same network makes in float64.
"""

import os
from pathlib import Path

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np

GENERATION = int(keras.__version__.split(".")[0])
FOLDER = Path(__file__).resolve().parent
layers = keras.layers


def chaotic_lstm(dtype):
    """Large recurrent weights over many steps: what differs a little at the first step differs much at the last."""
    return (34, 2), [layers.LSTM(16, dtype=dtype, name="lstm"), layers.Dense(2, dtype=dtype, name="dense")], 10


def wild_lstm(dtype):
    """The same over more steps, where float32 has no digit right."""
    return (100, 2), [layers.LSTM(16, dtype=dtype, name="lstm"), layers.Dense(2, dtype=dtype, name="dense")], 10


def deep_tanh(dtype):
    """Many layers with large weights."""
    hidden = [layers.Dense(16, activation="tanh", dtype=dtype, name=f"dense_{number}") for number in range(8)]
    return (6,), [*hidden, layers.Dense(2, dtype=dtype, name="last")], 14


def build(case, dtype):
    shape, stack, gain = case(dtype)
    inputs = x = keras.Input(shape, dtype=dtype)
    for layer in stack:
        x = layer(x)
    return keras.Model(inputs, x, name=case.__name__), gain


def draw(weight, name, gain, rng):
    """Large where a layer's results come back or go on, plain elsewhere."""
    large = len(weight.shape) == 2 and (weight.shape[1] == 4 * weight.shape[0] or "tanh" in name)
    return (rng.normal(0, 1, weight.shape) * (gain / weight.shape[0] ** 0.5 if large else 1)).astype(np.float32)


def record(case):
    keras.backend.clear_session()
    name = case.__name__
    rng = np.random.default_rng(SEEDS[case])
    model, gain = build(case, "float32")
    model.set_weights([draw(weight, name, gain, rng) for weight in model.get_weights()])
    inputs = rng.normal(0, 1, (2, *model.input_shape[1:])).astype(np.float32)
    outputs = np.asarray(model(inputs, training=False))
    exact, _ = build(case, "float64")
    exact.set_weights([weight.astype(np.float64) for weight in model.get_weights()])
    truth = np.asarray(exact(inputs.astype(np.float64), training=False))
    stem, generation = str(FOLDER / name), f"k{GENERATION}"
    if GENERATION > 2:
        model.save(f"{stem}.{generation}.keras")
        np.save(f"{stem}.float64.npy", truth)
    else:
        model.save(f"{stem}.{generation}.h5", save_format="h5", include_optimizer=False)
    np.save(f"{stem}.inputs.npy", inputs)
    np.save(f"{stem}.{generation}.outputs.npy", outputs)
    print(f"{name}: Keras in float32 is {np.abs(outputs - truth).max():.1e} from float64, "
          f"of {np.abs(truth).max():.2f}")


SEEDS = {chaotic_lstm: 3, wild_lstm: 2, deep_tanh: 1}

if __name__ == "__main__":
    for case in SEEDS if GENERATION > 2 else [chaotic_lstm]:
        record(case)
