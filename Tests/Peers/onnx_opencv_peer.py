"""Exports every recorded model to ONNX, runs the files in OpenCV's DNN module, and compares the outcomes with
onnx_opencv.txt.

usage: onnx_opencv_peer.py PROGRAM [--fixtures FOLDER] [--only TEXT] [--verbose] [--record]

A case is right when OpenCV computes what onnxruntime computes with the same file, within 1e-4 of the largest number;
onnx_peer.py compares that with what the original framework computed. onnx_opencv.txt lists what OpenCV does not run, with
its own message, and what it computes otherwise. An outcome that differs from the table fails the run; --record writes it
anew.
"""

import collections
import pathlib
import re
import sys
import tempfile

import cv2
import numpy
import onnx
import onnxruntime

from cases import (
    TOLERANCES, Refused, all_cases, apart, arrays, compare, export, matched, parser, turned)
from onnx_peer import numpy_type, tolerance

TABLE = pathlib.Path(__file__).with_name("onnx_opencv.txt")
# Shares of the cases of a group that OpenCV must run.
FLOORS = {"zoo k2": 0.80, "zoo k3": 0.80, "darknet/small": 0.95}


class Lacking(Exception):
    """OpenCV does not run the file."""


def fed(case, target):
    """The inputs as onnxruntime describes them, and its outputs."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(target), options, providers=["CPUExecutionProvider"])
    ports = session.get_inputs()
    feed = {}
    for port, array in zip(ports, matched([port.name for port in ports], arrays(case.inputs))):
        feed[port.name] = numpy.ascontiguousarray(
            turned(array, port.shape).astype(numpy_type(port.type)))
    return feed, [port.name for port in session.get_outputs()], session.run(None, feed)


def message(error):
    """What OpenCV says in the end, without places in its source and names of the file."""
    text = " ".join(str(error).split()).rsplit("error: ", 1)[-1]
    text = re.sub(r"\bin function .*|>? *'?0x[0-9a-f]+'?", "", text)
    node = re.search(r"Node \[(\w+)@", str(error))
    return (f"{node[1]}: " if node else "") + text.strip()[:150]


def check(case, target):
    """Runs a file in OpenCV, and raises what it lacks or computes otherwise."""
    bound = tolerance(onnx.load(target))
    if bound == TOLERANCES["bfloat16"]:
        raise Lacking("OpenCV says: nothing, since NumPy has no bfloat16 to ask it with")
    feed, names, results = fed(case, target)
    try:
        network = cv2.dnn.readNetFromONNX(str(target))
        for name, array in feed.items():
            network.setInput(array, name)
        given = network.forward(names)
    except Exception as error:  # pylint: disable=broad-except
        raise Lacking(f"OpenCV says: {message(error)}") from error
    for name, got, run in zip(names, given, results):
        got = numpy.asarray(got)
        if got.size == run.size:  # OpenCV's arrays of one axis and of none have two and one
            got = got.reshape(run.shape)
        compare(name, got, run, bound, case.noise)


def outcome(case, program, target):
    """The outcome of a case, with the reason where it is not "right"."""
    try:
        export(program, case, target, [])
        apart("OpenCV", check, case, target)
    except Refused:
        return "not written", ""
    except AssertionError as error:
        text = " ".join(str(error).split())
        if text.startswith("OpenCV "):
            return "lacking", text
        if "NOT_IMPLEMENTED" in text:
            return "lacking", "onnxruntime has no kernel to compare with"
        # Where OpenCV reads beyond an array, what it finds is finite or not from run to run.
        return "otherwise", re.sub(r" (differs by .*|is not finite at other places)", " differs", text)
    return "right", ""


def main():
    options = parser()
    options.add_argument("--record", action="store_true")
    arguments = options.parse_args()
    counts = collections.defaultdict(collections.Counter)
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder) / "model.onnx"
        for case in all_cases(arguments.fixtures):
            if arguments.only not in f"{case.group}/{case.name}":
                continue
            target.unlink(missing_ok=True)
            kind, reason = outcome(case, arguments.program, target)
            counts[case.group][kind] += 1
            line = f"{case.group}/{case.name}: {kind}: {reason}"
            if kind not in ("right", "not written"):
                lines.append(line)
            if arguments.verbose:
                print(line, flush=True)
    sys.exit(report(arguments, counts, lines))


def report(arguments, counts, lines):
    """Prints the counts; 1 when an outcome is not as in the table, or OpenCV runs too few files of a group."""
    failed = []
    for group, count in counts.items():
        written = sum(count.values()) - count["not written"]
        print(f"{group}: " + ", ".join(f"{number} {kind}" for kind, number in sorted(count.items())))
        if count["right"] < FLOORS.get(group, 0) * written:
            failed.append(f"{group}: OpenCV runs {count['right']} of {written}")
    if arguments.record:
        TABLE.write_text("\n".join(lines) + "\n")
    elif not arguments.only:
        known = [
            line for line in TABLE.read_text().splitlines()
            if any(line.startswith(f"{group}/") for group in counts)]
        if known != lines:
            failed += ["differs from onnx_opencv.txt:", *sorted(set(known) ^ set(lines))[:20]]
    print(*failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    main()
