"""Records golden recurrent layers with other versions of Keras, where these differ from 2.15.

    pip install keras==2.2.4 tensorflow==1.12.3 'h5py<3' 'numpy<1.17'    # Python 3.6
    pip install keras==3.15.1 tensorflow-cpu                            # Python 3.11, its own environment
    python record_versions.py

Writes <kind>/<case>_keras<version>.h5, .inputs.npz and .outputs.npz, for the version that runs it.
"""

import os
import zlib
from pathlib import Path

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
from keras import layers as kl

FOLDER = Path(__file__).resolve().parent
IS_KERAS_3 = keras.__version__.startswith("3.")
STEPS = (5, 3)
STATE = (4,)


def padded(rng, shape):
    """Random numbers; of sequences, steps at the beginning, in the middle and at the end are zero."""
    values = rng.normal(0.0, 1.5, shape).astype(np.float32)
    if len(shape) == 3:
        values[0, :2] = 0.0
        values[0, 3] = 0.0
        values[1, -2:] = 0.0
    return values


def masked_states(x, h, c):
    """Before 2.3, the first steps that are left out give the state; Keras 3 hands no mask over beside states."""
    x = kl.Masking()(x)
    options = [{}, {"unroll": True}, {"go_backwards": True}]
    outputs = [kl.LSTM(4, return_sequences=True, **each)(x, initial_state=[h, c]) for each in options]
    return outputs if IS_KERAS_3 else outputs + [kl.GRU(4)(outputs[0])]


def masked_bidirectional(x):
    """Before TensorFlow's Keras, steps that are left out repeat the output before them in both directions."""
    x = kl.Masking()(x)
    return [
        kl.Bidirectional(kl.LSTM(4, return_sequences=True))(x),
        kl.Bidirectional(kl.GRU(4, return_sequences=True), merge_mode="ave")(x),
    ]


def hard_sigmoid(x):
    """Its slope is another in Keras 3."""
    return [
        kl.LSTM(4, recurrent_activation="hard_sigmoid", return_sequences=True)(x),
        kl.GRU(4, recurrent_activation="hard_sigmoid")(x),
    ]


def default_gates(x):
    """The default activation of the gates is another in Keras 3."""
    return [kl.ConvLSTM2D(2, (2, 3), return_sequences=True)(x), kl.ConvLSTM2D(2, 2, go_backwards=True)(x)]


def bidirectional_states(x, *states):
    outputs = kl.Bidirectional(kl.LSTM(4, return_state=True))(x, initial_state=list(states))
    return [*outputs, kl.Bidirectional(kl.GRU(4))(x, initial_state=list(states[:2]))]


CASES = [
    ("lstm", "lstm_hard_sigmoid", hard_sigmoid, [STEPS]),
    ("lstm", "lstm_bidirectional_states", bidirectional_states, [STEPS] + [STATE] * 4),
    ("lstm", "lstm_masked_states", masked_states, [STEPS, STATE, STATE]),
    ("conv_lstm", "conv_lstm2d_default_gates", default_gates, [(3, 4, 5, 2)]),
]
if not IS_KERAS_3:
    CASES.append(("lstm", "lstm_bidirectional_masked", masked_bidirectional, [STEPS]))


def output_name(tensor):
    """As Weighbridge names outputs: the layer, and the number of its output behind the first."""
    layer, _, index = tensor._keras_history
    return layer.name if hasattr(layer, "name") and index == 0 else "%s.%d" % (layer.name, index)


def draw(rng, shape):
    return rng.normal(0.0, 0.5, shape)


def record(kind, name, compose, shapes):
    """Writes the three files of a case."""
    (keras.utils.clear_session if IS_KERAS_3 else keras.backend.clear_session)()
    name += "_keras" + keras.__version__.replace(".", "_")
    rng = np.random.RandomState(zlib.crc32(name.encode()) % 2**31)
    inputs = [kl.Input(shape, name="input_%d" % number) for number, shape in enumerate(shapes)]
    model = keras.models.Model(inputs, compose(*inputs))
    model.set_weights([draw(rng, weight.shape) for weight in model.get_weights()])
    arrays = [padded(rng, (2,) + shape) for shape in shapes]
    outputs = model.predict(arrays if len(arrays) > 1 else arrays[0], **({"verbose": 0} if IS_KERAS_3 else {}))
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    (FOLDER / kind).mkdir(exist_ok=True)
    stem = str(FOLDER / kind / name)
    model.save(stem + ".h5", include_optimizer=False)
    np.savez(stem + ".inputs.npz", **{tensor.name.split(":")[0]: array for tensor, array in zip(inputs, arrays)})
    np.savez(stem + ".outputs.npz", **{output_name(tensor): array for tensor, array in zip(model.outputs, outputs)})
    print(name)


if __name__ == "__main__":
    for case in CASES:
        record(*case)
