"""Decodes boxes by the formulas of Schemas/wbm.md alone, from a converted file's description, and compares
them with what darknet detected (Samples/Detection).

usage: wbm_detector_peer.py PROGRAM [--verbose]
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy

from cases import ROOT, parser

sys.path.insert(0, str(ROOT / "Schemas"))
import reader  # pylint: disable=import-error,wrong-import-position


def sigmoid(number):
    return 1 / (1 + math.exp(-number))


def softmax(numbers):
    powers = [math.exp(number - max(numbers)) for number in numbers]
    return [power / sum(powers) for power in powers]


class Boxes:
    """The boxes of one detector: (center x, center y, width, height), objectness, {class: confidence}."""

    def __init__(self, detector, width, height, threshold):
        self.detector, self.size, self.threshold = detector, (width, height), threshold
        self.activated = set(detector["activated"])
        self.kind = detector["kind"].removeprefix("DETECTOR_KIND_")
        self.tree = detector["class_tree"]

    def value(self, number, part):
        return number if f"DETECTOR_PART_{part}" in self.activated else sigmoid(number)

    def grid(self, head, output):
        """The boxes of a head with a grid."""
        detector, step = self.detector, 2 if self.kind == "GAUSSIAN_YOLO" else 1
        first = 4 * step + detector["has_objectness"]
        count = first + detector["has_background"] + detector["class_count"]
        boxes = len(head["mask"])
        order = detector["order"]
        if order == "HEAD_ORDER_CHANNELS_LAST":
            grid = output[0]
        elif order == "HEAD_ORDER_CELLS_FIRST":
            grid = output.reshape(output.shape[2], output.shape[3], boxes * count)
        else:  # these models take channels-first images
            grid = numpy.moveaxis(output[0], 0, -1)
        for row, column in numpy.ndindex(grid.shape[:2]):
            for position, anchor in enumerate(head["mask"]):
                entries = [float(n) for n in grid[row, column, position * count:][:count]]
                objectness = 1.0
                if detector["has_objectness"]:
                    objectness = self.value(entries[4 * step], "OBJECTNESS")
                if objectness <= self.threshold and (self.kind != "REGION" or self.tree):
                    continue
                scores = self.scores(entries[first:], objectness)
                if self.kind == "GAUSSIAN_YOLO":
                    deviations = [self.value(entries[2 * i + 1], "OBJECTNESS") for i in range(4)]
                    scores = {c: s * (1 - sum(deviations) / 4) for c, s in scores.items()}
                place = self.place(
                    entries[:4 * step:step], head, detector["anchors"][anchor], column, row,
                    grid.shape[1], grid.shape[0])
                yield place, objectness, scores

    def place(self, entries, head, anchor, column, row, columns, rows):
        """Center and size of a box in the unit square of the input."""
        s, sizes = head["scale_x_y"], []
        centers = "DETECTOR_PART_CENTERS" in self.activated
        x, y = [n if centers else s * sigmoid(n) - (s - 1) / 2 for n in entries[:2]]
        x, y = (column + x) / columns, (row + y) / rows
        unit = self.size
        if self.detector["anchor_unit"] == "ANCHOR_UNIT_GRID_CELLS":
            unit = columns, rows
        for number, extent, one in zip(entries[2:], (anchor["width"], anchor["height"]), unit):
            if self.detector["box_encoding"] == "BOX_ENCODING_SQUARED":
                factor = (2 * (number if centers else sigmoid(number))) ** 2
            else:
                factor = math.exp(number)
            sizes.append(factor * extent / one)
        point = {"LEFT_TOP": 0.5, "RIGHT_BOTTOM": -0.5}.get(
            head["box_point"].removeprefix("BOX_POINT_"), 0)
        return x + point * sizes[0], y + point * sizes[1], *sizes

    def scores(self, numbers, objectness):
        """The confidences of the classes."""
        background = self.detector["has_background"]
        if self.tree:
            runs = self.runs()
            if "DETECTOR_PART_CLASSES" not in self.activated:
                numbers = [n for run in runs for n in softmax([numbers[c] for c in run])]
            for child, parent in enumerate(self.tree["parents"]):
                numbers[child] *= numbers[parent - 1] if parent else 1
            if self.tree["choice"] == "TREE_CHOICE_LAST":
                above = [c for c, n in enumerate(numbers) if n > self.tree["threshold"]]
                return {above[-1]: numbers[above[-1]]} if above else {}
            return {self.walk(numbers, runs): objectness}
        if self.kind == "REGION" and "DETECTOR_PART_CLASSES" not in self.activated:
            numbers = softmax(numbers)
        else:
            numbers = [self.value(number, "CLASSES") for number in numbers]
        return {c: objectness * n for c, n in enumerate(numbers[background:])}

    def runs(self):
        """The runs of neighbouring classes with one parent."""
        runs, parents = [], self.tree["parents"]
        for child, parent in enumerate(parents):
            if child and parent == parents[child - 1]:
                runs[-1].append(child)
            else:
                runs.append([child])
        return runs

    def walk(self, numbers, runs):
        run, product = runs[0], 1
        while True:
            best = max(run, key=lambda c: numbers[c])
            if product * numbers[best] <= self.tree["threshold"]:
                return best if run is runs[0] else self.tree["parents"][run[0]] - 1
            product *= numbers[best]
            below = [other for other in runs if self.tree["parents"][other[0]] == best + 1]
            if not below:
                return best
            run = below[-1]

    def row(self, output):
        """The boxes of YOLO version 1."""
        detector, numbers = self.detector, [float(n) for n in output.reshape(-1)]
        side, count, classes = (
            detector[key] for key in ("side", "boxes_per_cell", "class_count"))
        cells = side * side
        for position in range(cells * count):
            cell = position // count
            objectness = numbers[cells * classes + position]
            x, y, w, h = numbers[cells * (classes + count) + 4 * position:][:4]
            if detector["box_encoding"] == "BOX_ENCODING_SQUARE_ROOT":
                w, h = w * w, h * h
            place = (cell % side + x) / side, (cell // side + y) / side, w, h
            yield place, objectness, {
                c: objectness * numbers[cell * classes + c] for c in range(classes)}

    def all(self, outputs):
        """All boxes that have a candidate, with their candidates."""
        for head in self.detector["heads"]:
            output = outputs[head["output"]]
            found = self.row(output) if self.kind == "DETECTION" else self.grid(head, output)
            for place, objectness, scores in found:
                scores = {c: s for c, s in scores.items() if s > self.threshold}
                if scores:
                    yield place, objectness, scores


def placed(box, picture, size, is_letterboxed):
    """A box in the unit square of the image."""
    if not is_letterboxed:
        return box
    (w, h), (width, height) = picture, size
    if width / w < height / h:
        scaled = width, max(1, h * width // w)
    else:
        scaled = max(1, w * height // h), height
    b, d = scaled[0] / width, scaled[1] / height
    return (box[0] - (1 - b) / 2) / b, (box[1] - (1 - d) / 2) / d, box[2] / b, box[3] / d


def overlap(first, second, exponent=None):
    """IoU, or with an exponent DIoU."""
    edges = [((a - c / 2, a + c / 2), (b - d / 2, b + d / 2)) for a, b, c, d in (
        (first[i], second[i], first[i + 2], second[i + 2]) for i in (0, 1))]
    shared = math.prod(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a, b in edges)
    union = first[2] * first[3] + second[2] * second[3] - shared
    result = shared / union if shared > 0 and union > 0 else 0
    if exponent is not None:
        diagonal = sum((max(a[1], b[1]) - min(a[0], b[0])) ** 2 for a, b in edges)
        distance = sum((first[i] - second[i]) ** 2 for i in (0, 1))
        result -= (distance / diagonal) ** exponent if diagonal > 0 else 0
    return result


def strongest(entries, kind, threshold, exponent):
    """Of (confidence, box, rest) those that stay."""
    kept = []
    for entry in sorted(entries, key=lambda entry: -entry[0]):
        if kind == "NONE" or not any(
                overlap(other[1], entry[1], exponent) > threshold for other in kept):
            kept.append(entry)
    return kept


def suppressed(boxes, detector, record):
    """The candidates that stay, as (class, confidence, box)."""
    kind = detector["suppression"].removeprefix("SUPPRESSION_KIND_")
    exponent = detector["diou_exponent"] if detector["diou_exponent"] is not None else 0.6
    if record["agnostic"]:
        kept = strongest([(o, box, scores) for box, o, scores in boxes], kind, record["overlap"], None)
        return [(c, s, box) for _, box, scores in kept for c, s in scores.items()]
    result = []
    for index in range(detector["class_count"]):
        entries = [(scores[index], box, None) for box, _, scores in boxes if index in scores]
        result += [(index, s, box) for s, box, _ in strongest(
            entries, kind, record["overlap"], exponent if kind == "DIOU" else None)]
    return result


def compare(found, wanted, what):
    """Raises when detections are not those that darknet made, in any order."""
    if len(found) != len(wanted) or not wanted:
        raise AssertionError(f"{len(found)} {what}, not {len(wanted)}")
    rest = list(found)
    for entry in wanted:
        box = [*entry["center"], *entry["extent"]]
        for candidate in rest:
            near = all(abs(a - b) <= 1e-5 * max(1, *box[2:]) for a, b in zip(candidate[2], box))
            if (candidate[0] == entry["class"] and near
                    and abs(candidate[1] - entry["confidence"]) <= 1e-6):
                rest.remove(candidate)
                break
        else:
            raise AssertionError(f"{what}: {entry} is missing")


def check(program, case, folder):
    """Decodes what a model makes of its input."""
    record = json.loads((case / "detections.json").read_text())
    path, results = folder / "model.wbm", folder / "outputs.npz"
    subprocess.run(
        [program, "convert", case / "net.cfg", "-o", path, "--darknet", record["fork"],
         "--random-weights", "0"], check=True, capture_output=True)
    subprocess.run(
        [program, "run", path, "--inputs", case / "input.npy", "--outputs", results], check=True,
        capture_output=True)
    header = reader.open_file(path).header
    value = header["graph"]["values"][0]
    height, width = [size["fixed"] for size in value["dimensions"][2:]]
    detector = header["description"]["detector"]
    boxes = [
        (placed(box, record["picture"].values(), (width, height), record["letterbox"]), o, scores)
        for box, o, scores in Boxes(detector, width, height, record["threshold"]).all(
            numpy.load(results))]
    before = [(c, s, box) for box, _, scores in boxes for c, s in scores.items()]
    compare(before, record["before"], "candidates")
    compare(suppressed(boxes, detector, record), record["after"], "detections")


def main():
    arguments = parser().parse_args()
    cases = sorted(path.parent for path in ROOT.glob("Samples/Detection/*/detections.json"))
    failures = 0 if cases else 1
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            try:
                check(arguments.program, case, pathlib.Path(folder))
            except AssertionError as error:
                failures += 1
                print(f"FAILED: {case.name}: {error}")
    print(f"{len(cases) - failures} of {len(cases)} recordings of darknet decoded by wbm.md")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
