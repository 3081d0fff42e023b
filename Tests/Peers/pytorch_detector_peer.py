"""Exports detectors to PyTorch, and compares the boxes that the modules decode with those that the program detects.

usage: pytorch_detector_peer.py PROGRAM [--verbose]

PROGRAM is `weighbridge`. Detectors: the samples, and a network of one layer with random weights for each head of
darknet's that Samples/Detection records. The picture is noise of the network's size. A case passes when the boxes
of `decode` whose confidence is above the threshold are those of `PROGRAM detect` without suppression, within 1e-4,
also where nothing is said of the input.
"""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy
import torch

from cases import ROOT, apart, parser
from pytorch_peer import module

THRESHOLD = 0.02
BOUND = 1e-4
IMAGE = ["--image-input", "input_1", "--image-scale", "1/255"]
REGION = ["--detector", "region"]
ANCHORS = ["--anchors", "2.85,2.46,2.96,4.61,4.96,4.19"]


def command(program, *words):
    """What the program prints."""
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{words[0]}: {' '.join(done.stderr.split())[-300:]}")
    return done.stdout


def with_a_layer(text):
    """A head as a network that takes pictures, by a layer in front of it."""
    channels = re.search(r"channels=(\d+)\n", text)
    size = int(channels[1])
    text = text.replace(channels[0], "channels=3\n")
    activation = "logistic" if "new_coords" in text else "linear"  # such a head takes probabilities
    layer = f"[convolutional]\nfilters={size}\nsize=1\nactivation={activation}\n"
    if "[detection]" in text:
        side = int(re.search(r"side=(\d+)", text)[1])
        layer = f"[connected]\noutput={size * side * side}\nactivation=logistic\n"
    return re.sub(r"\n\[(?!net)", f"\n{layer}\n[", text, count=1)


def detectors(folder):
    """Names, models and options."""
    for name in ("shape-detector", "scene-detector"):
        place = ROOT / "Samples/Models" / name
        labels = ["--labels", ROOT / "Samples/Models/shape-detector/labels.names"]
        yield name, place / f"{name}.h5", IMAGE + REGION + ANCHORS + labels
    for path in sorted(ROOT.glob("Samples/Detection/*/net.cfg")):
        name = path.parent.name
        target = folder / f"{name}.cfg"
        target.write_text(with_a_layer(path.read_text()))
        labels = target.with_suffix(".names")
        classes = int(re.search(r"classes=(\d+)", target.read_text())[1])
        labels.write_text("".join(f"class {number}\n" for number in range(classes)))
        fork = "pjreddie" if name.endswith("_pjreddie") else "alexeyab"
        yield name, target, ["--darknet", fork, "--random-weights", "0", "--labels", labels]


def picture(path, height, width):
    """Writes a PNG file of noise, and returns it as numbers in [height, width, channels]."""
    array = numpy.random.default_rng(0).integers(0, 256, (height, width, 3), numpy.uint8)
    rows = zlib.compress(b"".join(b"\0" + row.tobytes() for row in array))
    parts = (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", rows), (b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts))
    return array


def decoded(net, array):
    """The candidates of a module: (class, confidence, left, top, width, height)."""
    tensor = torch.from_numpy(numpy.moveaxis(array, -1, 0)[None] / numpy.float32(255))
    with torch.no_grad():
        outputs = net(tensor)
        outputs = [outputs] if isinstance(outputs, torch.Tensor) else outputs
        confidences, boxes = (result.numpy() for result in net.decode(*outputs))
    for index, label in zip(*numpy.nonzero(confidences > THRESHOLD - BOUND)):
        x, y, width, height = boxes[index]
        yield label, confidences[index, label], x - width / 2, y - height / 2, width, height


def lacking(entries, others):
    """The entries, surely above the threshold, that are not among the others."""
    others = numpy.array(others, numpy.float64).reshape(-1, 6)
    for entry in entries:
        bounds = BOUND * numpy.maximum(1, numpy.abs(entry))
        if entry[1] > THRESHOLD + BOUND and not (numpy.abs(others - entry) <= bounds).all(1).any():
            yield entry


def check(program, model, options, folder):
    """Compares both ways; what the module lacks as well as what it has too much."""
    file, image = folder / "model.wbm", folder / "picture.png"
    command(program, "convert", model, "-o", file, *options)
    shape = json.loads(command(program, "inspect", "--json", file))["inputs"][0]["type"]["shape"][1:]
    array = picture(image, *(shape[1:] if shape[0] == 3 else shape[:2]))
    command(program, "export", file, "-o", folder / "net.py")
    if options[:len(IMAGE)] == IMAGE:
        text = (folder / "net.py").read_text()
        command(program, "convert", model, "-o", folder / "plain.wbm", *options[len(IMAGE):])
        command(program, "export", folder / "plain.wbm", "-o", folder / "net.py")
        if (folder / "net.py").read_text() != text:
            raise AssertionError("the module is another one where nothing is said of the input")
    text = command(program, "detect", file, image, "--json", "--threshold", THRESHOLD, "--nms", 1)
    detected = [
        (one["class"], one["confidence"], *(one["box"][key] for key in ("x", "y", "width", "height")))
        for one in json.loads(text)[0]["detections"]]
    candidates = list(decoded(module(folder / "net.py"), array))
    if not detected:
        raise AssertionError("nothing is detected")
    for what, wrong in (
            ("detected only", list(lacking(detected, candidates))),
            ("decoded only", list(lacking(candidates, detected)))):
        if wrong:
            raise AssertionError(
                f"{what}: {len(wrong)} of {len(detected)} boxes, such as {[float(n) for n in wrong[0]]}")


def main():
    arguments = parser().parse_args()
    counts = {"as detected": 0, "wrong": 0}
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        for name, model, options in detectors(folder):
            if arguments.only not in name:
                continue
            outcome = "as detected"
            try:
                apart("PyTorch", check, arguments.program, model, options, folder)
            except AssertionError as error:
                outcome = "wrong"
                print(f"{name}: {error}")
            counts[outcome] += 1
    print(", ".join(f"{number} {outcome}" for outcome, number in counts.items()))
    return 1 if counts["wrong"] or not counts["as detected"] else 0


if __name__ == "__main__":
    sys.exit(main())
