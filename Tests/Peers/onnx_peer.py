"""Exports every recorded model to ONNX, checks the files with ONNX' own checker, runs them in
onnxruntime and compares with what the original framework made of the same inputs.

usage: onnx_peer.py PROGRAM [--fixtures FOLDER] [--opset N] [--layout nchw] [--precision float16]
                    [--fold-batch-norm] [--only TEXT] [--verbose]

PROGRAM is `weighbridge`. Models: everything in Samples, and what the folder of fixtures has, where
there is one. A case passes when its file passes the checker with full shape inference and
max|actual - expected| <= 1e-4 max(1, max|expected|) for each output, and when PROGRAM reads the file back and
computes the same. What onnxruntime has no kernels for, onnx.reference computes; a case that it cannot run either is
"not run". onnx_otherwise.txt lists the outputs that one of the two computes otherwise, and why.
"""

import collections
import pathlib
import subprocess
import sys

import numpy
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator
from onnxruntime.capi.onnxruntime_pybind11_state import NotImplemented as WithoutKernel

from cases import TOLERANCES, NotRun, arrays, compare, lines_of, matched, parser, run, turned

TABLE = pathlib.Path(__file__).with_name("onnx_otherwise.txt")
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


def otherwise():
    """The outputs that each tool computes otherwise, by the model and the tool: none where it refuses the file."""
    result = collections.defaultdict(set)
    for line in lines_of(TABLE):
        model, tool, outputs, _ = line.split(": ", 3)
        result[model, tool] |= set(outputs.split())
    return result


def computed(model, target, feed):
    """The tool that runs the file, and its outputs. onnxruntime gives no arrays of bfloat16."""
    types = [port.type.tensor_type.elem_type for port in [*model.graph.input, *model.graph.output]]
    if onnx.TensorProto.BFLOAT16 in types:
        return "onnx.reference", by_reference(model, feed)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(str(target), options, providers=["CPUExecutionProvider"])
    except WithoutKernel:
        return "onnx.reference", by_reference(model, feed)
    return "onnxruntime", session.run(None, feed)


def by_reference(model, feed):
    """The outputs as onnx itself defines them."""
    try:
        return ReferenceEvaluator(model).run(None, feed)
    except Exception as error:  # its operators raise what NumPy does
        text = " ".join(str(error).split())[:120]
        raise NotRun(f"onnxruntime does not compute it, and onnx.reference says: {text}") from error


def fed(case, model):
    """The arrays that a file takes."""
    ports = {port.name: port.type.tensor_type for port in model.graph.input}
    return {
        name: turned(array, [axis.dim_value or axis.dim_param for axis in port.shape.dim]).astype(
            onnx.helper.tensor_dtype_to_np_dtype(port.elem_type))
        for (name, port), array in zip(ports.items(), matched(list(ports), arrays(case.inputs)))}


def check(case, target, known):
    """Checks and runs a file, and returns how far its outputs may be off."""
    model = onnx.load(target)
    onnx.checker.check_model(model, full_check=True)
    bound = tolerance(model)
    feed = fed(case, model)
    names = [port.name for port in model.graph.output]
    (tool, results) = computed(model, target, feed)
    model_name = f"{case.group}/{case.name}"
    if tool == "onnxruntime" and known[model_name, tool]:
        others = by_reference(model, feed)
        results = [
            other if name in known[model_name, tool] else result
            for name, result, other in zip(names, results, others)]
    for name, got, want in zip(names, results, matched(names, arrays(case.outputs))):
        if tool == "onnx.reference" and name in known[model_name, tool]:
            continue
        want = turned(numpy.asarray(want), got.shape)
        compare(f"{name} of {tool}", got, want, bound, case.noise)
    return bound


def read_back(program, case, target, bound, excluded):
    """Runs a file in the program that wrote it, and compares all outputs but those excluded."""
    results = target.with_name("outputs.npz")
    done = subprocess.run(
        [program, "run", str(target), "--inputs", str(case.inputs), "--outputs", str(results)],
        capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"read back: {' '.join(done.stderr.split())}")
    got = arrays(results)
    wanted = matched(list(got), arrays(case.outputs))
    for (name, array), want in zip(got.items(), wanted):
        if name not in excluded:
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

    known = otherwise()

    def check_both(case, target):
        bound = check(case, target, known)
        excluded = known.get((f"{case.group}/{case.name}", "weighbridge"))
        if arguments.layout != "nchw" and excluded != set():
            read_back(arguments.program, case, target, bound, excluded or set())

    sys.exit(run(arguments, "model.onnx", given, check_both, FLOORS))


if __name__ == "__main__":
    main()
