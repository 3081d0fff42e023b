"""Records small models with old versions of Keras: what each wrote, and what it computed.

    KERAS_BACKEND=theano <python with that Keras> record.py            # all cases of that writer
    KERAS_BACKEND=theano <python with that Keras> record.py conv1d bn  # those whose name begins so

Writes, beside this script, <version>-<backend>/<case>.h5, .inputs.npz and .outputs.npz; of cases called
weights_*, and of versions that cannot save whole models, also .json, the architecture, and in the .h5 the
weights only; of weights_apart_* the architecture is that of another session. See README.md for the writers.
"""
from __future__ import print_function

import functools
import os
import sys
import warnings
import zlib

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ.setdefault("THEANO_FLAGS", "optimizer=fast_run,floatX=float32,cxx=/usr/bin/g++")
warnings.filterwarnings("ignore")

import keras
import numpy as np

VERSION = keras.__version__
BACKEND = os.environ["KERAS_BACKEND"]
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "%s-%s" % (VERSION, BACKEND))


def draw(rng, name, shape):
    """A weight of some name."""
    last = name.split("/")[-1].split(":")[0]
    if "running_std" in last or "variance" in last:
        return rng.uniform(0.3, 2.0, shape)
    if "gamma" in last:
        return rng.uniform(0.5, 1.5, shape)
    if last.endswith(("_betas", "_alphas", "_a_left", "_a_right")):
        return rng.uniform(0.1, 1.5, shape)
    inputs = max(1, int(np.prod(shape[:-1])))
    return rng.normal(0.0, max(0.3, inputs ** -0.5), shape)


def record(name, make, only_weights=False):
    rng = np.random.RandomState(zlib.crc32(name.encode()) & 0x7FFFFFFF)
    clear = getattr(keras.backend, "clear_session", lambda: None)
    architecture = None
    if name.startswith("weights_apart_"):
        clear()
        architecture = make(is_saved=False).to_json()
        make = functools.partial(make, is_saved=True)
    clear()
    model = make()
    for variable in getattr(model, "weights", None) or model.trainable_weights + model.non_trainable_weights:
        shape = keras.backend.get_value(variable).shape
        keras.backend.set_value(variable, draw(rng, variable.name, shape).astype("float32"))
    inputs = model.inputs if isinstance(model.inputs, list) else [model.inputs]
    arrays = []
    for tensor in inputs:
        shape = [extent or (2 if axis == 0 else 7) for axis, extent in enumerate(tensor._keras_shape)]
        if "int" in str(tensor.dtype) or "index" in tensor.name:
            arrays.append(rng.randint(0, 5, shape).astype("int32"))
            if "padded" in tensor.name:  # the first sequence in front, the second one behind
                arrays[-1][0, :3] = arrays[-1][1, -2:] = 0
            if "empty" in tensor.name:
                arrays[-1][0] = 0
        else:
            wide = "float64" in str(tensor.dtype)
            arrays.append(rng.normal(0.0, 1.0, shape).astype("float64" if wide else "float32"))
    batch = arrays[0].shape[0]
    outputs = model.predict(arrays if len(arrays) > 1 else arrays[0], batch_size=batch)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    path = os.path.join(FOLDER, name)
    np.savez(path + ".inputs.npz", **{"in%d" % i: a for i, a in enumerate(arrays)})
    np.savez(path + ".outputs.npz", **{"out%d" % i: a for i, a in enumerate(outputs)})
    if only_weights or not hasattr(model, "save"):
        model.save_weights(path + ".h5", overwrite=True)
        with open(path + ".json", "w") as file:
            file.write(architecture or model.to_json())
    else:
        model.save(path + ".h5", overwrite=True)
    print(name, [a.shape for a in arrays], [o.shape for o in outputs])


def main():
    module = __import__("keras1_cases" if VERSION.startswith("1.") else "keras2_cases")
    os.makedirs(FOLDER) if not os.path.isdir(FOLDER) else None
    for name, make in sorted(module.cases(VERSION, BACKEND).items()):
        if len(sys.argv) == 1 or any(name.startswith(start) for start in sys.argv[1:]):
            record(name, make, only_weights=name.startswith("weights_"))


if __name__ == "__main__":
    main()
