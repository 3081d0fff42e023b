"""Exports every recorded model for Keras, loads the files with the Keras that is here (3.15: .keras,
2.15: .h5), runs them and compares with what the original framework made of the same inputs.

usage: keras_peer.py PROGRAM [--fixtures FOLDER] [--to keras|keras-h5] [--only TEXT] [--verbose]

PROGRAM is `weighbridge`. A case passes when Keras loads the file and
max|actual - expected| <= 1e-4 max(1, max|expected|) for each output.
"""

import concurrent.futures
import multiprocessing
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
# TensorFlow's oneDNN dies of AVX-512 and AMX on some virtual machines, and now and then without.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX2")

import keras  # pylint: disable=wrong-import-position
import numpy  # pylint: disable=wrong-import-position

from cases import TOLERANCES, arrays, compare, matched, parser, run, turned

# Shares of the cases of a group that must pass.
FLOORS = {
    "zoo k2": 0.9, "zoo k3": 0.9, "old zoo 2.2.4": 0.9, "old zoo 1.2.2": 0.8,
    "darknet/small": 0.7,
}


def tolerance(model):
    """The tolerance for the coarsest floating-point type that a layer computes in."""
    types = {getattr(layer, "compute_dtype", "float32") for layer in model.layers}
    types |= {str(getattr(weight, "dtype", "")) for weight in model.weights}
    for name in ("bfloat16", "float16"):
        if any(name in str(kind) for kind in types):
            return TOLERANCES[name]
    return TOLERANCES["float32"]


def check(case, target):
    """Loads and runs a file."""
    keras.backend.clear_session()
    model = keras.models.load_model(target, compile=False)
    names = [tensor.name.split(":")[0] for tensor in model.inputs]
    given = matched(names, arrays(case.inputs))
    feed = []
    for tensor, array in zip(model.inputs, given):
        array = turned(array, tensor.shape)
        feed.append(array.astype(str(getattr(tensor.dtype, "name", tensor.dtype))))
    results = model(feed if len(feed) > 1 else feed[0], training=False)
    results = results if isinstance(results, (list, tuple)) else [results]
    results = [numpy.asarray(result) for result in results]
    wanted = matched(list(model.output_names), arrays(case.outputs))
    for name, got, want in zip(model.output_names, results, wanted):
        want = turned(numpy.asarray(want), got.shape)
        compare(name, got.astype("float64"), want, tolerance(model), case.noise)


class Workers:
    """Processes that run Keras: one as TensorFlow is by default, and for the files that its oneDNN
    cannot run or dies of, one without it."""

    def __init__(self):
        self.pools = {}

    def pool(self, has_onednn):
        """The process, which is started when there is none."""
        if has_onednn not in self.pools:
            os.environ["TF_ENABLE_ONEDNN_OPTS"] = str(int(has_onednn))
            self.pools[has_onednn] = concurrent.futures.ProcessPoolExecutor(
                1, multiprocessing.get_context("spawn"))
        return self.pools[has_onednn]

    def check(self, case, target):
        """Loads and runs a file in one of the processes."""
        for has_onednn in (True, False):
            try:
                return self.pool(has_onednn).submit(check, case, target).result()
            except AssertionError:
                raise
            except concurrent.futures.process.BrokenProcessPool:
                del self.pools[has_onednn]
            except Exception:  # pylint: disable=broad-except
                if not has_onednn:
                    raise
        raise AssertionError("TensorFlow died of it, with oneDNN and without")


def main():
    options = parser()
    options.add_argument("--to", default="keras" if keras.__version__ >= "3" else "keras-h5")
    arguments = options.parse_args()
    name = "model.keras" if arguments.to == "keras" else "model.h5"
    sys.exit(run(arguments, name, ["--to", arguments.to], Workers().check, FLOORS))


if __name__ == "__main__":
    main()
