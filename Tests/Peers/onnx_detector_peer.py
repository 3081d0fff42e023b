"""Exports detectors to ONNX and looks at their boxes and grids in onnxruntime and OpenCV.

usage: onnx_detector_peer.py PROGRAM [--fixtures FOLDER]

- with `--with-nms`, onnxruntime finds what `PROGRAM detect` finds, also at other thresholds, and what
  `PROGRAM run` makes of the file
- OpenCV DNN computes the same grids as the original framework

Detectors: the sample, and from the fixtures Tiny YOLO, which was never trained, and yolov3-tiny, when
YOLOV3_TINY_WEIGHTS names its weights.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy
import onnx
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "Samples/Models/shape-detector"
ANCHORS = {
    "sample": "2.85,2.46,2.96,4.61,4.96,4.19",
    "tinyyolo": "1.08,1.19,3.42,4.41,6.63,11.38,9.42,5.11,16.62,10.52",
}


class Detector:
    """A detector with the input of its network, the grids that its framework made of it, and a
    picture that became this input, where there is one."""

    def __init__(self, name, source, options, arrays, grids, picture=None):
        self.name, self.source, self.options = name, source, options
        self.input, self.grids, self.picture = arrays, grids, picture


def first(path):
    """The first array of a file."""
    loaded = numpy.load(path)
    return loaded if isinstance(loaded, numpy.ndarray) else loaded[loaded.files[0]]


def all_of(path):
    """All arrays of a file by their names."""
    loaded = numpy.load(path)
    return {name: loaded[name] for name in loaded.files}


def detectors(fixtures):
    """What there is."""
    keras = ["--image-scale", "1/255", "--detector", "region"]
    yield Detector(
        "sample", SAMPLE / "shape-detector.h5",
        keras + ["--image-input", "input_1", "--anchors", ANCHORS["sample"],
                 "--labels", str(SAMPLE / "labels.names")],
        first(SAMPLE / "input.npy"), all_of(SAMPLE / "outputs.npz"), SAMPLE / "picture.png")
    folder = fixtures / "keras/seeds/tinyyolo"
    if folder.is_dir():
        yield Detector(
            "tinyyolo", folder / "tinyyolo_voc2007_modelweights.h5",
            keras + ["--image-input", "input_1", "--anchors", ANCHORS["tinyyolo"]],
            first(folder / "input.npy"), all_of(folder / "outputs.npz"))
    weights = os.environ.get("YOLOV3_TINY_WEIGHTS")
    folder = fixtures / "darknet/yolov3-tiny"
    if weights and folder.is_dir():
        recorded = folder / "dog_alexey_resize"
        yield Detector(
            "yolov3-tiny", folder / "yolov3-tiny.cfg",
            ["--weights", weights, "--darknet", "alexeyab"], first(recorded / "inputs.npz"),
            all_of(recorded / "outputs.npz"), fixtures / "images/dog.jpg")


def run(*command):
    """What a command prints."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{command[1]}: {done.stderr.strip()}")
    return done.stdout


def session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def corners(box):
    """The edges of a box as `detect` prints it."""
    return [box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]]


def same_boxes(name, found, wanted):
    """Raises when two lists of boxes differ."""
    boxes, labels, scores = found
    if len(wanted) != len(scores):
        raise AssertionError(f"{name}: {len(scores)} boxes, not {len(wanted)}")
    if not wanted:
        return
    if not (numpy.diff(scores) <= 0).all():
        raise AssertionError(f"{name}: not the most confident first")
    for box, label, score in zip(boxes, labels, scores):
        near = [
            max(abs(box - corners(one["box"]))) < 2e-3 and abs(score - one["confidence"]) < 1e-2
            for one in wanted if one["class"] == label]
        if not any(near):
            raise AssertionError(f"{name}: no {label} of {score} at {box}")


def read_back(program, target, name, array):
    """What the program makes of a file with boxes: confidences by classes, and centres and extents."""
    inputs, outputs = target.with_name("in.npz"), target.with_name("out.npz")
    numpy.savez(inputs, **{name: array})
    run(program, "run", target, "--inputs", inputs, "--outputs", outputs)
    return all_of(outputs)


def same_rows(name, found, rows):
    """Raises when boxes differ from the rows that the program gives for all of them."""
    boxes, labels, scores = found
    confidence, coordinates = rows["confidence"], rows["coordinates"]
    if len(scores) != numpy.count_nonzero(confidence):
        raise AssertionError(f"{name}, read back: {numpy.count_nonzero(confidence)} boxes")
    edges = numpy.concatenate(
        [coordinates[:, :2] - coordinates[:, 2:] / 2, coordinates[:, :2] + coordinates[:, 2:] / 2], 1)
    bounds = 1e-4 * numpy.maximum(1, coordinates[:, 2:].max(1))
    for box, label, score in zip(boxes, labels, scores):
        near = (abs(edges - box).max(1) < bounds) & (abs(confidence[:, label] - score) < 1e-4)
        if not near.any():
            raise AssertionError(f"{name}, read back: no {label} of {score} at {box}")


def check_boxes(program, detector, model, folder):
    """Compares the boxes in onnxruntime with those of the program."""
    target = folder / "boxes.onnx"
    run(program, "export", model, "-o", target, "--with-nms")
    onnx.checker.check_model(onnx.load(target), full_check=True)
    runner = session(target)
    name = runner.get_inputs()[0].name
    names = [port.name for port in runner.get_outputs()]
    assert names == ["boxes", "labels", "scores"], names
    for threshold, overlap in ((None, None), (0.05, 0.2), (0.999, 0.45)):
        feed = {name: detector.input}
        options = []
        if threshold is not None:
            feed["score_threshold"] = numpy.array([threshold], numpy.float32)
            feed["iou_threshold"] = numpy.array([overlap], numpy.float32)
            options = ["--threshold", threshold, "--nms", overlap]
        found = runner.run(None, feed)
        if threshold is None:
            same_rows(detector.name, found, read_back(program, target, name, detector.input))
        if detector.picture:
            text = run(program, "detect", model, detector.picture, "--json", *options)
            same_boxes(detector.name, found, json.loads(text)[0]["detections"])


def check_grids(program, detector, model, folder):
    """Compares the grids that OpenCV computes with the recorded ones."""
    target = folder / "grids.onnx"
    run(program, "export", model, "-o", target, "--layout", "nchw", "--without-nms")
    network = cv2.dnn.readNetFromONNX(str(target))
    array = detector.input
    if array.shape[-1] == 3:
        array = numpy.moveaxis(array, -1, 1)
    network.setInput(numpy.ascontiguousarray(array))
    names = [port.name for port in onnx.load(target).graph.output]
    results = [numpy.asarray(one) for one in network.forward(names)]
    grids = detector.grids
    wanted = [grids[name] for name in names] if len(names) > 1 else list(grids.values())
    for name, got, want in zip(names, results, wanted):
        if want.ndim == 4 and want.shape != got.shape:
            want = numpy.moveaxis(want, -1, 1)
        error = numpy.abs(got.reshape(-1) - want.reshape(-1)).max() / max(1, numpy.abs(want).max())
        if error > 1e-4:
            raise AssertionError(f"{detector.name}: {name} differs by {error:.2g} in OpenCV")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--fixtures", type=pathlib.Path, default=ROOT / "../shared/fixtures")
    arguments = parser.parse_args()
    failed = False
    for detector in detectors(arguments.fixtures):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            model = folder / "model.wbm"
            try:
                run(arguments.program, "convert", detector.source, "-o", model, *detector.options)
                check_boxes(arguments.program, detector, model, folder)
                check_grids(arguments.program, detector, model, folder)
                print(f"{detector.name}: boxes in onnxruntime and grids in OpenCV are right")
            except (AssertionError, cv2.error, RuntimeError) as error:
                print(f"{detector.name}: FAILED: {error}")
                failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
