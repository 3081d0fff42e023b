#!/usr/bin/env python3
"""Measures what is left of a compacted model in the formats to which it is exported: its size and its error.

usage: targets.py PROGRAM MODELS [MODEL]...

MODELS is the output of prepare.py. Each model is compacted with encodings of a fixed width and with a budget, calibrated
on inputs of its kind, and exported. The table has the bytes of each file as multiples of the .wbm's, and the largest
relative error of the outputs over 16 inputs that played no part, as multiples of the error that the .wbm states. ONNX
files run in onnxruntime, TFLite files in LiteRT; Core ML files, which no other tool runs on this system, are read back.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import onnxruntime
from ai_edge_litert.interpreter import Interpreter

ENCODINGS = (["--encoding", "int8"], ["--encoding", "palette6"], ["--max-error", "0.03"])
TARGETS = {
    "onnx": ["--opset", "21"], "tflite": [], "mlmodel": ["--precision", "float32"],
    "mlpackage": ["--precision", "float32", "--deployment", "ios18"]}
COUNT = 16


def call(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{arguments}: {done.stderr}")
    return done


def turned(array, notes):
    """Returns an input with its channels where a file has them."""
    place = re.search(r"note: .+ has its channels (first|last)", notes)
    if not place or array.ndim < 3:
        return array
    return numpy.ascontiguousarray(numpy.moveaxis(array, *((1, -1) if place[1] == "last" else (-1, 1))))


def run(program, file, array, folder, notes=""):
    """Returns the outputs of a file for an input, in its own tool, sorted by their numbers of elements."""
    array = turned(array, notes)
    if file.suffix == ".onnx":
        session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        outputs = session.run(None, {session.get_inputs()[0].name: array})
    elif file.suffix == ".tflite":
        network = Interpreter(model_path=str(file))
        (port,) = network.get_input_details()
        network.resize_tensor_input(port["index"], array.shape)
        network.allocate_tensors()
        network.set_tensor(port["index"], array)
        network.invoke()
        outputs = [network.get_tensor(each["index"]) for each in network.get_output_details()]
    else:
        shape = json.loads(call(program, "inspect", file, "--json").stdout)["inputs"][0]["type"]["shape"]
        numpy.save(folder / "input.npy", array[0] if len(shape) < array.ndim else array)
        call(program, "run", file, "--inputs", folder / "input.npy", "--outputs", folder / "outputs.npz")
        with numpy.load(folder / "outputs.npz") as archive:
            outputs = [archive[name] for name in archive.files]
    return sorted(outputs, key=lambda x: x.size)


def error(got, wanted):
    """Returns the largest relative error of an output; heads of images may have their channels elsewhere."""
    return max(
        min(numpy.linalg.norm((numpy.moveaxis(x, -1, 1) if x.ndim > 2 and is_last else x).ravel() - y.ravel())
            for is_last in (False, True)) / max(numpy.linalg.norm(y), 1e-30)
        for x, y in zip(got, wanted))


def size(path):
    return path.stat().st_size if path.is_file() else sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def main():
    program, models, *names = sys.argv[1:]
    for name in names or sorted(path.parent.name for path in pathlib.Path(models).glob("*/model.wbm")):
        source = pathlib.Path(models) / name
        given = sorted((source / "unseen").glob("*.npy")) or sorted((source / "stated").glob("*.npy"))
        inputs = [numpy.load(file) for file in given[:COUNT]]
        for encoding in ENCODINGS:
            with tempfile.TemporaryDirectory() as work:
                folder = pathlib.Path(work)
                call(program, "export", source / "model.wbm", "-o", folder / "whole.onnx")
                small = folder / "small.wbm"
                learned = sorted((source / "learned").glob("*.npy"))
                record = json.loads(call(
                    program, "compact", source / "model.wbm", "-o", small, "--json", "--no-proof", *encoding,
                    *(["--calibration", *learned] if learned else [])).stdout)
                stated = max(each.get("bound", each["worst"]) for each in record["compaction"]["outputs"])
                wanted = [run(program, folder / "whole.onnx", array, folder) for array in inputs]
                row = []
                for target, options in TARGETS.items():
                    file = folder / f"small.{target}"
                    notes = call(program, "export", small, "-o", file, *options).stderr
                    errors = [error(run(program, file, x, folder, notes), y) for x, y in zip(inputs, wanted)]
                    row.append(f"{size(file) / size(small):.3f}, {max(errors) / stated:.2f}")
                print(f"| {name} | {encoding[1]} | {size(small):,} | {stated:.4f} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
