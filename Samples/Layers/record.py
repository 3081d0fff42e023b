"""Records golden inputs and outputs of single layers with Keras 2.15 on TensorFlow 2.15.

    python3.11 -m venv /tmp/keras && /tmp/keras/bin/pip install -r requirements.txt
    /tmp/keras/bin/python record.py                # all cases
    /tmp/keras/bin/python record.py dense reshape  # the cases of these kinds

Writes, beside this script, <kind>/<case>.h5, <kind>/<case>.inputs.npz and <kind>/<case>.outputs.npz.
"""

import os
import sys
import warnings
import zlib
from pathlib import Path

# TensorFlow reads these when it is imported. Without oneDNN its sums do not depend on the machine's threads.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
import tensorflow as tf

import activation_cases
import convolution_cases
import encoding_cases
import merging_cases
import normalization_cases
import pooling_cases
import recurrent_cases
import shape_cases
from case import BATCH_SIZE

FOLDER = Path(__file__).resolve().parent
CASE_MODULES = [convolution_cases, pooling_cases, normalization_cases, activation_cases, merging_cases, shape_cases,
                encoding_cases, recurrent_cases]


def scaled_kernel(rng, shape):
    """A kernel that keeps the spread of its input: variance 1 / (inputs per output)."""
    inputs_per_output = max(1, int(np.prod(shape[:-1])))
    return rng.normal(0.0, inputs_per_output ** -0.5, shape)


# Kinds that were renamed after they were recorded keep their seeds.
SEED_NAMES = {"flatten_time": "fold_time"}

# How each kind of weight is drawn, by the last part of the name that Keras gives it.
WEIGHT_DRAWS = {
    "kernel": scaled_kernel,
    "depthwise_kernel": scaled_kernel,
    "recurrent_kernel": scaled_kernel,
    "pointwise_kernel": scaled_kernel,
    "bias": lambda rng, shape: rng.normal(0.0, 0.5, shape),
    "gamma": lambda rng, shape: rng.uniform(0.5, 1.5, shape),
    "beta": lambda rng, shape: rng.normal(0.0, 0.5, shape),
    "moving_mean": lambda rng, shape: rng.normal(0.0, 0.5, shape),
    "moving_variance": lambda rng, shape: rng.uniform(0.2, 2.0, shape),
    "mean": lambda rng, shape: rng.normal(0.0, 0.5, shape),
    "variance": lambda rng, shape: rng.uniform(0.2, 2.0, shape),
    "count": lambda rng, shape: rng.integers(1, 100, shape),
    "embeddings": lambda rng, shape: rng.normal(0.0, 1.0, shape),
    "scale": lambda rng, shape: rng.uniform(0.5, 1.5, shape),
    "vector_u": lambda rng, shape: rng.normal(0.0, 1.0, shape),
    "concat_score_weight": lambda rng, shape: rng.uniform(0.5, 1.5, shape),
    "alpha": lambda rng, shape: rng.uniform(0.05, 0.4, shape),
}


def all_cases():
    """All cases by kind."""
    return {kind: cases for module in CASE_MODULES for kind, cases in module.CASES.items()}


def build_model(case, compose):
    """The Keras model of a case, with layer names that do not depend on other cases."""
    keras.backend.clear_session()
    inputs = [keras.Input(shape, dtype=case.input_type) for shape in case.input_shapes]
    if compose:
        outputs = tf.nest.flatten(compose(*inputs))
    else:
        outputs = [settings.build()(inputs if len(inputs) > 1 else inputs[0]) for settings in case.layers]
    return keras.Model(inputs, outputs, name=case.name)


def draw_weights(model, rng):
    """Replaces all weights of `model` by random ones; a weight of unknown name is an error."""
    for weight in model.weights:
        role = weight.name.split("/")[-1].split(":")[0]
        weight.assign(np.asarray(WEIGHT_DRAWS[role](rng, tuple(weight.shape)), weight.dtype.as_numpy_dtype))
    for layer in model.layers:
        if hasattr(layer, "finalize_state"):
            layer.finalize_state()  # Normalization keeps copies of its weights


def run(model, arrays):
    """The outputs of `model` at inference, by output layer."""
    outputs = model([tf.constant(array) for array in arrays], training=False)
    outputs = tf.nest.flatten(outputs)
    names = [history.layer.name + (f".{history.tensor_index}" if history.tensor_index else "")
             for history in (output._keras_history for output in model.outputs)]
    return dict(zip(names, (output.numpy() for output in outputs), strict=True))


def record(kind, case):
    """Writes the three files of a case."""
    seed = f"{SEED_NAMES.get(kind, kind)}/{case.name}"
    rng = np.random.default_rng(zlib.crc32(seed.encode()))
    model = build_model(case, case.compose)
    draw_weights(model, rng)
    arrays = [case.draw(rng, (BATCH_SIZE, *shape)).astype(case.input_type) for shape in case.data_shapes]
    (FOLDER / kind).mkdir(exist_ok=True)
    stem = str(FOLDER / kind / case.name)
    model.save(stem + ".h5", save_format="h5", include_optimizer=False)
    if case.stand_in:
        model = build_model(case, case.stand_in)
        model.load_weights(stem + ".h5")
    outputs = run(model, arrays)
    if not all(np.isfinite(output).all() for output in outputs.values()):
        raise ValueError(f"{kind}/{case.name}: an output is not finite")
    np.savez(stem + ".inputs.npz", **dict(zip(model.input_names, arrays)))
    np.savez(stem + ".outputs.npz", **outputs)


def main(kinds):
    tf.get_logger().setLevel("ERROR")
    warnings.filterwarnings("ignore", message="You are saving your model as an HDF5 file")
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    cases_by_kind = all_cases()
    for kind in kinds or cases_by_kind:
        for case in cases_by_kind[kind]:
            record(kind, case)
        print(f"{kind}: {len(cases_by_kind[kind])} cases")


if __name__ == "__main__":
    main(sys.argv[1:])
