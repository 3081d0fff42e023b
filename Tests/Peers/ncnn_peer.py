"""Exports every recorded model to ncnn, runs the files in ncnn and compares with what the original
framework made of the same inputs.

usage: ncnn_peer.py PROGRAM [--fixtures FOLDER] [--precision float16] [--only TEXT] [--verbose]

Boxes of YOLO heads are compared with what the recorded heads say.

PROGRAM is `weighbridge`. Models: everything in Samples, and what the folder of fixtures has, where
there is one. A case passes when max|actual - expected| <= 1e-4 max(1, max|expected|) for each output, 2e-3 for
float16. ncnn takes one example at a time, so each example of a batch is run by itself.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import ncnn
import numpy

from cases import TOLERANCES, Refused, apart, arrays, compare, matched, parser, run

# Shares of the cases of a group that must pass.
FLOAT16 = 2e-3
FLOORS = {"zoo k2": 0.9, "zoo k3": 0.9, "darknet/small": 0.97}
# What ncnn itself computes in another way.
EXCLUDED = {"keras3/logic.h5": "ncnn divides by 0 to NaN where it computes in vectors"}
SUFFIXES = (" has its channels first", " takes whole numbers of 32 bits")


class Network:
    """A file in ncnn, computed in float32."""

    def __init__(self, target):
        self.net = ncnn.Net()
        options = self.net.opt
        options.num_threads = 1
        for name in dir(options):
            if name.startswith(("use_fp16", "use_bf16")):
                setattr(options, name, False)
        # Lines of ncnn's own go to standard error; what it returns says whether it could load.
        if self.net.load_param(str(target)) or self.net.load_model(str(target.with_suffix(".bin"))):
            raise AssertionError("ncnn does not load the files")
        

    def run(self, feed, names):
        """The outputs for one example."""
        extractor = self.net.create_extractor()
        # A Mat neither keeps the array alive that it was made of nor aligns its channels; a clone does.
        arrays_of = {name: numpy.ascontiguousarray(array) for name, array in feed.items()}
        mats = {name: ncnn.Mat(array).clone() for name, array in arrays_of.items()}
        for name, mat in mats.items():
            if extractor.input(name, mat):
                raise AssertionError(f"ncnn does not take {name}")
        results = []
        for name in names:
            status, result = extractor.extract(name)
            if status:
                raise AssertionError(f"ncnn does not compute {name}: {status}")
            results.append(numpy.array(result))
        return results


def ports(program, case, bound):
    """The names of the model's inputs and outputs in its order, as the file has them, and the
    tolerance for the model's types."""
    done = subprocess.run(
        [program, "inspect", "--json", str(case.model), *case.options], capture_output=True,
        text=True, check=True)
    model = json.loads(done.stdout)
    for name in ("float16", "bfloat16"):  # of the source, which ncnn computes in float32
        if f'"{name}"' in done.stdout:
            bound = max(bound, TOLERANCES[name])
    others = dict(re.findall(r"(\S+) is called (\S+)", case.notes))
    names = [
        [others.get(port["name"], port["name"]) for port in model[key]]
        for key in ("inputs", "outputs")]
    return *names, bound


def said(case, number):
    """The names of which the program says one of SUFFIXES."""
    suffix = SUFFIXES[number]
    lines = [line.strip().removeprefix("lost: ") for line in case.notes.splitlines()]
    return {
        line.removesuffix(suffix).split(": ")[-1].removeprefix("- ")
        for line in lines if line.endswith(suffix)}


def first_channels(array, is_turned):
    """An array with its channels first, after the batch."""
    return numpy.moveaxis(array, -1, 1) if is_turned else array


def check(program, case, target, bound):
    """Runs the files example by example."""
    network = Network(target)
    turned, indices = said(case, 0), said(case, 1)
    inputs, outputs, bound = ports(program, case, bound)
    feed = {}
    for name, array in zip(inputs, matched(inputs, arrays(case.inputs))):
        array = first_channels(array, name in turned)
        feed[name] = array.astype(numpy.int32 if name in indices else numpy.float32)
    wanted = [
        first_channels(numpy.asarray(array), name in turned)
        for name, array in zip(outputs, matched(outputs, arrays(case.outputs)))]
    for example in range(next(iter(feed.values())).shape[0]):
        parts = {name: squeezed(array[example]) for name, array in feed.items()}
        for name, got, want in zip(outputs, network.run(parts, outputs), wanted):
            want = want[example] if want.ndim else want
            compare(name, got.reshape(want.shape) if got.size == want.size else got, want, bound,
                    case.noise)


def check_apart(program, case, *arguments):
    """Runs `check` in a process of its own, unless ncnn is known to differ."""
    if case.name in EXCLUDED:
        raise Refused(EXCLUDED[case.name])
    apart("ncnn", check, program, case, *arguments)


def squeezed(array):
    """An example as ncnn's Mat takes it: one axis at least."""
    return array.reshape(1) if array.ndim == 0 else array


def check_boxes(program, fixtures):
    """The boxes of recorded YOLO heads, as ncnn's own layer reads them."""
    folder = fixtures / "darknet/small/yolo_two_heads"
    if not folder.is_dir():
        return
    with tempfile.TemporaryDirectory() as temporary:
        target = pathlib.Path(temporary) / "model.param"
        subprocess.run(
            [program, "export", str(folder / "case.cfg"), "-o", str(target), "--with-nms", "--quiet"],
            check=True)
        picture = arrays(folder / "inputs.npz")["data"][0]
        got = Network(target).run({"data": picture.astype(numpy.float32)}, ["detections"])[0]
        words = target.read_text().split("Yolov3DetectionOutput")[-1].split()
    settings = dict(word.split("=") for word in words if "=" in word)
    lists = [[float(x) for x in settings[f"-2330{i}"].split(",")[1:]] for i in (4, 5)]
    anchors, masks = numpy.reshape(lists[0], (-1, 2)), numpy.reshape(lists[1], (2, -1)).astype(int)
    recorded = arrays(folder / "outputs.npz")
    heads = [recorded[name][0] for name in recorded if name.endswith("yolo")]
    height, width = picture.shape[1:]
    boxes = []
    for head, mask in zip(heads, masks):
        rows, columns = head.shape[1:]
        for anchor, box in zip(anchors[mask], head.reshape(len(mask), -1, rows, columns)):
            classes = box[5:].max(axis=0)
            confidence = 1 / (1 + (1 / box[4] - 1) / classes)
            for y, x in numpy.argwhere(confidence >= float(settings["2"])):
                centre = numpy.array([(x + box[0, y, x]) / columns, (y + box[1, y, x]) / rows])
                half = numpy.exp(box[2:4, y, x]) * anchor / (width, height) / 2
                label = 1 + box[5:, y, x].argmax()
                boxes.append([label, confidence[y, x], *(centre - half), *(centre + half)])
    kept = []
    for box in sorted(boxes, key=lambda box: -box[1]):
        if all(overlap(box, other) <= float(settings["3"]) for other in kept):
            kept.append(box)
    compare("detections", got, numpy.array(kept), 1e-4, 0)
    print(f"Yolov3DetectionOutput: {len(kept)} of {len(boxes)} boxes")


def overlap(box, other):
    """Intersection over union."""
    low, high = numpy.maximum(box[2:4], other[2:4]), numpy.minimum(box[4:], other[4:])
    shared = numpy.prod(numpy.maximum(high - low, 0))
    areas = [numpy.prod(numpy.subtract(each[4:], each[2:4])) for each in (box, other)]
    return shared / (sum(areas) - shared)


def main():
    options = parser()
    options.add_argument("--precision")
    arguments = options.parse_args()
    given = [f"--precision={arguments.precision}"] if arguments.precision else []
    bound = FLOAT16 if arguments.precision == "float16" else 1e-4
    check_boxes(arguments.program, arguments.fixtures)
    sys.exit(
        run(arguments, "model.param", given, 
            lambda case, target: check_apart(arguments.program, case, target, bound),
            FLOORS))


if __name__ == "__main__":
    main()
