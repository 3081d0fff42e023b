"""Runs the tests that the onnx package has for backends, and compares the outcomes with onnx_nodes.txt.

usage: onnx_nodes_peer.py PROGRAM [--only TEXT] [--verbose] [--record]

PROGRAM is `weighbridge`. A test is a model with inputs and outputs: one node each (made anew by the package), and the
folders simple, pytorch-operator, pytorch-converted and light of the package. A model that cannot be read as it is, is
tried with all inputs but the first as constants, since many node tests give as an input what files have as a constant.

Outcomes are "right", "constants" (right with constants), "decided" (the test is not what ONNX says), "refused", and
"wrong", which fails the run. onnx_nodes.txt lists what is not right, with the reason; an outcome that differs from it
fails the run, and --record writes it anew.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import numpy_helper
from onnx.backend.test import loader

from cases import arrays

TABLE = pathlib.Path(__file__).with_name("onnx_nodes.txt")
DATA = pathlib.Path(loader.__file__).resolve().parents[1] / "data"
FOLDERS = ("simple", "pytorch-operator", "pytorch-converted")
# Outputs that are random, or whose test gives no numbers.
NARROW = {onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16}
# Tests whose numbers are not what ONNX says.
DECIDED = dict.fromkeys(
    ("test_resize_downsample_scales_linear_align_corners", "test_resize_downsample_scales_cubic_align_corners"),
    "the test aligns the corners of 2.4 elements; the specification those of the 2 that there are, as onnxruntime")
RANDOM = re.compile("bernoulli|random|training_dropout|multinomial")


class Test:
    """A model with inputs and outputs."""

    def __init__(self, kind, name, model, inputs, outputs):
        self.kind, self.name, self.model = kind, name, model
        self.inputs, self.outputs = inputs, outputs


def read_tensors(folder, stem, ports):
    """The arrays of files STEM_0.pb, STEM_1.pb, ...; None where one is no tensor."""
    found = []
    for position, port in enumerate(ports):
        file = folder / f"{stem}_{position}.pb"
        if not file.exists() or port.type.WhichOneof("value") != "tensor_type":
            return None
        found.append(numpy_helper.to_array(onnx.load_tensor(file)))
    return found


def folder_tests():
    """The tests of the package that are files."""
    for kind in FOLDERS:
        for folder in sorted((DATA / kind).glob("*")):
            model = onnx.load(folder / "model.onnx")
            stored = {tensor.name for tensor in model.graph.initializer}
            ports = [port for port in model.graph.input if port.name not in stored]
            first = folder / "test_data_set_0"
            yield Test(
                kind, folder.name, model, read_tensors(first, "input", ports),
                read_tensors(first, "output", model.graph.output))


def light_tests():
    """Nine classic networks, whose one input is all ones."""
    for file in sorted((DATA / "light").glob("*.onnx")):
        model = onnx.load(file)
        stored = {tensor.name for tensor in model.graph.initializer}
        ports = [port for port in model.graph.input if port.name not in stored]
        sizes = [[axis.dim_value or 1 for axis in port.type.tensor_type.shape.dim] for port in ports]
        output = numpy_helper.to_array(onnx.load_tensor(str(file)[:-5] + "_output_0.pb"))
        yield Test("light", file.stem, model, [numpy.ones(size, "f4") for size in sizes], [output])


def node_tests():
    """The tests of one node each."""
    for case in loader.load_node_model_tests() if hasattr(loader, "load_node_model_tests") else []:
        inputs, outputs = case.data_sets[0]
        yield Test("node", case.name, case.model, list(map(plain, inputs)), list(map(plain, outputs)))


def plain(value):
    """A tensor as an array of one of NumPy's own types: those of a few bits are held in wider ones."""
    if not isinstance(value, onnx.TensorProto):
        return value
    array = numpy_helper.to_array(value)
    kind = onnx.TensorProto.DataType.Name(value.data_type)
    if kind.startswith(("FLOAT8", "FLOAT4")):
        return array.astype("f4")
    if kind in ("INT4", "INT2"):
        return array.astype("i1")
    return array.astype("u1") if kind in ("UINT4", "UINT2") else array


def is_numeric(values):
    """Whether values are arrays of numbers."""
    return values is not None and all(
        isinstance(value, (numpy.ndarray, numpy.generic)) and value.dtype.kind not in "OUS" for value in values)


def with_constants(test):
    """The model of a test with all inputs but the first as constants; None if there is only one."""
    model = onnx.ModelProto.FromString(test.model.SerializeToString())
    ports = list(model.graph.input)
    if len(ports) < 2 or model.graph.initializer:
        return None
    for port, value in list(zip(ports, test.inputs))[1:]:
        kind = port.type.tensor_type.elem_type
        model.graph.initializer.append(
            onnx.helper.make_tensor(port.name, kind, value.shape, value.tobytes(), raw=True)
            if value.dtype.itemsize * value.size and kind < 16
            else onnx.helper.make_tensor(port.name, kind, value.shape, value.ravel()))
        model.graph.input.remove(port)
    return model


def run(program, model, ports, inputs, folder):
    """What the program computes, or the reason why it does not."""
    path = folder / "model.onnx"
    onnx.save(model, path)
    given = folder / "inputs.npz"
    numpy.savez(given, **{port.name: value for port, value in zip(ports, inputs)})
    results = folder / "outputs.npz"
    results.unlink(missing_ok=True)
    done = subprocess.run(
        [program, "run", str(path), "--inputs", str(given), "--outputs", str(results)],
        capture_output=True, text=True, timeout=120, check=False)
    if done.returncode < 0:
        raise AssertionError(f"ended by signal {-done.returncode}")
    if done.returncode:
        reason = " ".join(done.stderr.split()).replace(str(folder) + "/", "")
        return None, reason.removeprefix("weighbridge: error: ")
    return arrays(results), ""


def differs(test, got):
    """How the outputs differ from the recorded ones; empty if they do not."""
    for port, want in zip(test.model.graph.output, test.outputs):
        if not port.name:
            continue
        have = got.get(port.name)
        if have is None:
            return f"no output {port.name}"
        want = numpy.asarray(want)
        if have.shape != want.shape:
            return f"{port.name} has the shape {have.shape}, expected {want.shape}"
        if want.dtype.kind in "fV":
            want, have = want.astype("f8"), have.astype("f8")
            kinds = {each.type.tensor_type.elem_type for each in test.model.graph.input}
            bound = 2e-2 if kinds & NARROW else 1e-3
            if not numpy.allclose(have, want, bound, bound / 100, equal_nan=True):
                return f"{port.name} differs by {numpy.nanmax(numpy.abs(have - want)):.3g}"
        elif have.dtype != want.dtype or not (have == want).all():
            return f"{port.name}: {have.dtype} or its elements differ from {want.dtype}"
    return ""


def judged(test, difference, right):
    """The outcome of a test that ran."""
    if not difference:
        return right
    return ("decided", DECIDED[test.name]) if test.name in DECIDED else ("wrong", difference)


def outcome(program, test):
    """The outcome of a test and its reason."""
    if RANDOM.search(test.name):
        return "refused", "random numbers, which are not compared"
    if not is_numeric(test.inputs) or not is_numeric(test.outputs):
        return "refused", "inputs or outputs that are no tensors of numbers"
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        stored = {tensor.name for tensor in test.model.graph.initializer}
        ports = [port for port in test.model.graph.input if port.name not in stored]
        try:
            got, reason = run(program, test.model, ports, test.inputs, folder)
            if got is not None:
                difference = differs(test, got)
                return judged(test, difference, ("right", ""))
            model = with_constants(test)
            if model is not None:
                got, second = run(program, model, ports[:1], test.inputs[:1], folder)
                if got is not None:
                    difference = differs(test, got)
                    return judged(test, difference, ("constants", reason))
                reason = second if "known only when" in reason else reason
            return "refused", reason
        except (AssertionError, subprocess.TimeoutExpired) as error:
            return "wrong", str(error)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program")
    options.add_argument("--only", default="")
    options.add_argument("--verbose", action="store_true")
    options.add_argument("--record", action="store_true")
    arguments = options.parse_args()
    tests = [
        test for make in (node_tests, folder_tests, light_tests) for test in make()
        if arguments.only in f"{test.kind}/{test.name}"]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda test: outcome(arguments.program, test), tests))
    counts = collections.defaultdict(collections.Counter)
    lines = []
    for test, (kind, reason) in zip(tests, outcomes):
        counts[test.kind][kind] += 1
        if kind != "right":
            lines.append(f"{test.kind}/{test.name}: {kind}: {reason}".rstrip(": ")[:300])
    for kind, count in counts.items():
        print(f"{kind}: " + ", ".join(f"{number} {name}" for name, number in sorted(count.items())))
    if arguments.verbose:
        print("\n".join(lines))
    wrong = [line for line in lines if ": wrong" in line]
    print("\n".join(wrong))
    if arguments.record:
        TABLE.write_text("\n".join(lines) + "\n")
    elif not arguments.only and lines != TABLE.read_text().splitlines():
        known = set(TABLE.read_text().splitlines())
        print("differs from onnx_nodes.txt:", *sorted(set(lines) ^ known)[:20], sep="\n")
        sys.exit(1)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
