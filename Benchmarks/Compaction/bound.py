#!/usr/bin/env python3
"""Measures how many inputs that played no part lose more than a compacted model states.

usage: bound.py PROGRAM MODELS PHOTOS OUT.json [MODEL]...

MODELS is the output of prepare.py, PHOTOS a folder of at least 20 photos of different sources, none of which is dog.jpg
or horses.jpg of the fixtures. Each model is compacted with several budgets and four kinds of calibrating examples: none,
crops of one photo, crops of two, and inputs of the kind that it was trained for. Then both models run in onnxruntime on
200 other inputs: crops of the photos, and inputs of its kind. The table has the stated error, the share of these inputs
that exceeds it, their errors as multiples of it, and the bytes of all weights.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnxruntime

import prepare

BUDGETS = (0.03, 0.01, 0.002)
UNSEEN = 200


def arrays(folder):
    return [numpy.load(file) for file in sorted(folder.glob("*.npy"))]


def adapter(name):
    """Returns the size of a model's image input, and what makes it from pixels `[size, size, 3]`."""
    if name.startswith("yolov3-tiny"):
        return 416, lambda pixels: pixels.transpose(2, 0, 1)[None] / 255
    if name == "van-gogh":
        return 320, lambda pixels: pixels.transpose(2, 0, 1)
    if name == "sketch-classifier":
        return 64, outlines
    return 64, prepare.faces


def outlines(pixels):
    """Returns the outlines in a photo, white on black, as the sketch classifier takes them."""
    gray = pixels.mean(axis=2)
    slope = numpy.hypot(*numpy.gradient(gray))
    return numpy.float32(slope > numpy.quantile(slope, 0.92))[None, :, :, None]


def unseen(folder, photos):
    """Returns 200 inputs: as many of the model's own kind as there are, up to half, and crops of photos."""
    if folder.name == "lstm":
        return arrays(folder / "stated") + arrays(folder / "unseen") + code(folder)
    own = [] if folder.name.startswith(("yolov3-tiny", "van-gogh")) else (
        arrays(folder / "stated") + arrays(folder / "unseen"))[:UNSEEN // 2]
    size, adapted = adapter(folder.name)
    crops, round = [], 0
    while len(own) + len(crops) < UNSEEN:
        for number, photo in enumerate(photos[:UNSEEN - len(own) - len(crops)]):
            crops += prepare.crops(photo, 1, size, 1000 * round + number)
        round += 1
    return own + [numpy.ascontiguousarray(adapted(pixels), "f4") for pixels in crops]


def code(folder):
    """Returns pieces of Python code, which is not the prose that the LSTM was trained on."""
    letters = "".join(file.read_text() for file in sorted(pathlib.Path(prepare.__file__).parent.glob("*.py")))
    text = numpy.clip(numpy.frombuffer(letters.encode("ascii", "replace"), "u1").astype(int) - 31, 0, 95)
    starts = numpy.random.default_rng(7).integers(0, len(text) - 64, UNSEEN - 64)
    return [numpy.eye(96, dtype="f4")[text[start:start + 64]][None] for start in starts]


def calibrations(folder, photos):
    """Returns the kinds of calibrating examples as lists of arrays; empty for generated ones."""
    kinds = {"none": []}
    if folder.name == "lstm":
        return {**kinds, "its kind": arrays(folder / "learned"), "8 of its kind": arrays(folder / "learned")[:8]}
    size, adapted = adapter(folder.name)
    kinds["one photo"] = [adapted(pixels) for pixels in prepare.crops(photos[0], 8, size, 1)]
    kinds["two photos"] = [adapted(pixels) for photo in photos[:2] for pixels in prepare.crops(photo, 32, size, 2)]
    if not folder.name.startswith(("yolov3-tiny", "van-gogh")):
        kinds["its kind"] = arrays(folder / "learned")
    return kinds


class Measurement:
    def __init__(self, program, folder, work, inputs):
        self.program, self.model, self.work, self.inputs = program, folder / "model.wbm", pathlib.Path(work), inputs
        self.wanted = self.outputs(self.model)

    def call(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)

    def outputs(self, path):
        """Returns the outputs of a model for the unseen inputs, computed by onnxruntime."""
        exported = self.work / "model.onnx"
        self.call("export", path, "-o", exported, "--quiet").check_returncode()
        session = onnxruntime.InferenceSession(str(exported), providers=["CPUExecutionProvider"])
        name = session.get_inputs()[0].name
        return [session.run(None, {name: array}) for array in self.inputs]

    def measured(self, budget, examples):
        """Returns what a compaction states, and what it is on the unseen inputs."""
        given = []
        for number, array in enumerate(examples):
            given.append(self.work / f"example{number}.npy")
            numpy.save(given[-1], numpy.ascontiguousarray(array, "f4"))
        small = self.work / "small.wbm"
        fold = ["--fold-batch-norm"] if self.model.parent.name == "yolov3-tiny" else []
        done = self.call("compact", self.model, "-o", small, "--json", "--no-proof", "--max-error", budget, *fold,
                         *(["--calibration", *given] if given else []))
        if done.returncode != 0:
            return {"refused": done.stderr.strip()}
        record = json.loads(done.stdout)
        losses = record["compaction"]["outputs"]
        stated = max(loss.get("bound", loss["worst"]) for loss in losses)
        errors = numpy.array([max(numpy.linalg.norm(got - want) / max(numpy.linalg.norm(want), 1e-30)
                                  for got, want in zip(*pair)) for pair in zip(self.outputs(small), self.wanted)])
        return {"stated": stated, "beyond": float((errors > stated).mean()),
                "median": float(numpy.median(errors) / stated), "q95": float(numpy.quantile(errors, 0.95) / stated),
                "worst": float(errors.max() / stated), "inputs": record["compaction"]["inputs"],
                "bytes": sum(entry["bytes"] for entry in record["encodings"])}


def main():
    program, models, photos, target, *names = sys.argv[1:]
    photos = sorted(pathlib.Path(photos).iterdir(), key=lambda file: (file.stem not in ("dog", "horses"), file.name))
    results = json.loads(pathlib.Path(target).read_text()) if pathlib.Path(target).exists() else {}
    for path in sorted(pathlib.Path(models).glob("*/model.wbm")):
        folder = path.parent
        if names and folder.name not in names or folder.name.endswith("-folded"):
            continue
        rows = results.setdefault(folder.name, {})
        with tempfile.TemporaryDirectory() as work:
            measurement = Measurement(program, folder, work, unseen(folder, photos[2:]))
            for kind, examples in calibrations(folder, photos).items():
                for budget in BUDGETS:
                    row = rows[f"{kind}, {budget}"] = measurement.measured(budget, examples)
                    print(f"{folder.name}, {kind}, {budget}: " + ", ".join(
                        f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}"
                        for key, value in row.items()), flush=True)
                    pathlib.Path(target).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
