"""Exports classifiers and detectors to TFLite with a description, and has Google's own parser of
TFLite Metadata and its task library, which Android's apps use, read the files.

usage: tflite_metadata_peer.py PROGRAM

PROGRAM is `weighbridge`. Needs tflite-support 0.4.4 (PyPI, Python 3.11 at most).
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
from tflite_runtime import interpreter as litert
from tflite_support import metadata
from tflite_support.task import core, processor, vision

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLASSIFIER = ROOT / "Samples/Models/sketch-classifier/sketch-classifier.h5"
CARD = {
    "name": "sketches", "author": "A. N. Other", "license": "MIT", "version": "1.2",
    "description": "Recognizes sketches"}


def run(program, *words):
    """Runs the program and returns its output."""
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{words}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def exported(program, folder, model, card):
    """The model as TFLite, with a description."""
    (folder / "card.json").write_text(json.dumps(card))
    run(program, "convert", model, "--metadata", folder / "card.json", "-o", folder / "m.wbm")
    run(program, "export", folder / "m.wbm", "-o", folder / "m.tflite")
    return folder / "m.tflite"


def parsed(file):
    """The metadata and the associated files, as Google's parser reads them."""
    shown = metadata.MetadataDisplayer.with_model_file(str(file))
    files = {
        name: shown.get_associated_file_buffer(name).decode()
        for name in shown.get_packed_associated_file_list()}
    return json.loads(shown.get_metadata_json()), files


def expect(found, wanted, what):
    """Raises when something is not what it should be."""
    if found != wanted:
        raise AssertionError(f"{what} is {found!r}, not {wanted!r}")


def classifier(program, folder):
    """A classifier of images with three channels: all fields, and the task library's answers."""
    description = json.loads(run(program, "inspect", "--json", CLASSIFIER))
    port = description["inputs"][0]["name"]
    labels = [f"class {index}" for index in range(8)]
    card = {
        **CARD, "labels": labels,
        "inputs": [{
            "name": port, "description": "a sketch",
            "image": {"scale": 1 / 127.5, "bias": [-1]}}]}
    file = exported(program, folder, CLASSIFIER, card)
    found, files = parsed(file)
    for name, text in CARD.items():
        expect(found[name], text, name)
    expect(files, {"labels.txt": "".join(f"{label}\n" for label in labels)}, "the files")
    graph = found["subgraph_metadata"][0]
    source = graph["input_tensor_metadata"][0]
    expect(source["name"], port, "the input's name")
    expect(source["description"], "a sketch", "the input's description")
    expect(source["content"]["content_properties"]["color_space"], "GRAYSCALE", "the colors")
    expect(
        source["process_units"][0]["options"], {"mean": [127.5], "std": [127.5]},
        "the normalization")
    files = graph["output_tensor_metadata"][0]["associated_files"]
    expect(files[0]["type"], "TENSOR_AXIS_LABELS", "the kind of labels")
    print("classifier: parsed")


NETWORK = """
[net]
width=32
height=32
channels=3
[convolutional]
filters=8
size=3
stride=2
pad=1
activation=leaky
[convolutional]
filters=5
size=1
stride=1
activation=linear
[avgpool]
[softmax]
"""


def darknet(program, folder):
    """A darknet classifier, which the task library must classify as the interpreter does."""
    (folder / "net.cfg").write_text(NETWORK)
    labels = [f"class {index}" for index in range(5)]
    card = {**CARD, "labels": labels, "inputs": [{"name": "image", "image": {"scale": 1 / 255}}]}
    (folder / "card.json").write_text(json.dumps(card))
    run(
        program, "convert", folder / "net.cfg", "--random-weights", 7, "--metadata",
        folder / "card.json", "-o", folder / "net.wbm")
    file = folder / "net.tflite"
    run(program, "export", folder / "net.wbm", "-o", file)
    network = litert.Interpreter(str(file))
    network.allocate_tensors()
    pixels = numpy.random.default_rng(3).integers(0, 256, (32, 32, 3), numpy.uint8)
    network.set_tensor(
        network.get_input_details()[0]["index"], pixels[None].astype(numpy.float32) / 255)
    network.invoke()
    scores = network.get_tensor(network.get_output_details()[0]["index"]).reshape(-1)
    options = vision.ImageClassifierOptions(
        core.BaseOptions(file_name=str(file)), processor.ClassificationOptions(max_results=5))
    classes = vision.ImageClassifier.create_from_options(options).classify(
        vision.TensorImage.create_from_array(pixels)).classifications[0].categories
    found = {one.category_name: one.score for one in classes}
    expect(set(found), set(labels), "the classes")
    for label, score in zip(labels, scores):
        if abs(found[label] - score) > 1e-5:
            raise AssertionError(f"{label}: {found[label]}, not {score}")
    print("darknet: classified")


def detector(program, folder, *options):
    """A detector, whose boxes the task library must find where the program does."""
    sample = ROOT / "Samples/Models/shape-detector"
    run(
        program, "convert", sample / "shape-detector.h5", "-o", folder / "shapes.wbm",
        "--image-input", "input_1", "--image-scale", "1/255", "--detector", "region", "--anchors",
        (sample / "anchors.txt").read_text().strip(), "--labels", sample / "labels.names")
    file = folder / "shapes.tflite"
    run(program, "export", folder / "shapes.wbm", "-o", file, "--with-nms", *options)
    picture = sample / "picture.png"
    wanted = json.loads(
        run(program, "detect", "--json", "--resize", "stretch", folder / "shapes.wbm", picture))[0]
    settings = vision.ObjectDetectorOptions(core.BaseOptions(file_name=str(file)))
    found = vision.ObjectDetector.create_from_options(settings).detect(
        vision.TensorImage.create_from_file(str(picture))).detections
    found = [one for one in found if one.categories[0].score > 0.25]
    expect(
        [one.categories[0].category_name for one in found],
        [one["label"] for one in wanted["detections"]], "the labels")
    for one, other in zip(found, wanted["detections"]):
        (box, edges) = (one.bounding_box, other["box"])
        error = abs(one.categories[0].score - other["confidence"])
        pixels = [
            abs(box.origin_x - edges["x"] * wanted["width"]),
            abs(box.origin_y - edges["y"] * wanted["height"]),
            abs(box.width - edges["width"] * wanted["width"]),
            abs(box.height - edges["height"] * wanted["height"])]
        if error > 1e-4 or max(pixels) > 1:
            raise AssertionError(f"{one} is not {other}")
    print(f"detector {' '.join(options)}: {len(found)} detections")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        classifier(program, pathlib.Path(folder))
        darknet(program, pathlib.Path(folder))
        detector(program, pathlib.Path(folder))
        detector(program, pathlib.Path(folder), "--detection-postprocess")
    return 0


if __name__ == "__main__":
    sys.exit(main())
