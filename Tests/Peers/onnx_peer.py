"""Exports every recorded model to ONNX, checks the files with ONNX' own checker, runs them in
onnxruntime and compares with what the original framework made of the same inputs.

usage: onnx_peer.py PROGRAM [--fixtures FOLDER] [--opset N] [--layout nchw] [--precision float16]
                    [--fold-batch-norm] [--only TEXT] [--verbose]

PROGRAM is `weighbridge`. Models: everything in Samples, and what the folder of fixtures has, where
there is one. A case passes when its file passes the checker with full shape inference and
max|actual - expected| <= 1e-4 max(1, max|expected|) for each output, and when PROGRAM reads the file back and
computes the same.
"""

import subprocess
import sys

import numpy
import onnx
import onnxruntime

from cases import TOLERANCES, arrays, compare, matched, parser, run, turned

# Shares of the cases of a group that must pass.
FLOORS = {"zoo k2": 0.95, "zoo k3": 0.95, "darknet/small": 0.90}


def tolerance(model):
    """The tolerance for the coarsest floating-point type among weights and casts."""
    types = {weight.data_type for weight in model.graph.initializer}
    types |= {port.type.tensor_type.elem_type for port in model.graph.input}
    for node in model.graph.node:
        if node.op_type == "Cast":
            types.add(node.attribute[0].i)
    for name in ("bfloat16", "float16"):
        if onnx.TensorProto.DataType.Value(name.upper()) in types:
            return TOLERANCES[name]
    return TOLERANCES["float32"]


def check(case, target):
    """Checks and runs a file, and returns how far its outputs may be off."""
    model = onnx.load(target)
    onnx.checker.check_model(model, full_check=True)
    bound = tolerance(model)
    if bound == TOLERANCES["bfloat16"]:
        return bound  # onnxruntime has next to no operators for it on a processor
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(target), options, providers=["CPUExecutionProvider"])
    inputs = session.get_inputs()
    feed = {}
    for port, array in zip(inputs, matched([port.name for port in inputs], arrays(case.inputs))):
        array = turned(array, port.shape)
        feed[port.name] = array.astype(numpy_type(port.type))
    results = session.run(None, feed)
    names = [port.name for port in session.get_outputs()]
    wanted = matched(names, arrays(case.outputs))
    for name, got, want in zip(names, results, wanted):
        want = turned(numpy.asarray(want), got.shape)
        compare(name, got, want, bound, case.noise)
    return bound


def read_back(program, case, target, bound):
    """Runs a file in the program that wrote it."""
    results = target.with_name("outputs.npz")
    done = subprocess.run(
        [program, "run", str(target), "--inputs", str(case.inputs), "--outputs", str(results)],
        capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"read back: {' '.join(done.stderr.split())}")
    got = arrays(results)
    wanted = matched(list(got), arrays(case.outputs))
    for (name, array), want in zip(got.items(), wanted):
        compare(f"read back: {name}", array, turned(numpy.asarray(want), array.shape), bound,
                case.noise)


def numpy_type(text):
    """The NumPy type of onnxruntime's `tensor(float)`."""
    name = text.removeprefix("tensor(").removesuffix(")")
    return numpy.dtype({"float": "float32", "double": "float64"}.get(name, name))


def main():
    options = parser()
    options.add_argument("--opset")
    options.add_argument("--layout")
    options.add_argument("--precision")
    options.add_argument("--fold-batch-norm", action="store_true")
    arguments = options.parse_args()
    given = [f"--opset={arguments.opset}"] if arguments.opset else []
    given += [f"--layout={arguments.layout}"] if arguments.layout else []
    given += [f"--precision={arguments.precision}"] if arguments.precision else []
    given += ["--fold-batch-norm"] if arguments.fold_batch_norm else []

    def check_both(case, target):
        bound = check(case, target)
        if arguments.layout != "nchw":
            read_back(arguments.program, case, target, bound)

    sys.exit(run(arguments, "model.onnx", given, check_both, FLOORS))


if __name__ == "__main__":
    main()
