"""Records what coremltools 0.8 makes of Tiny YOLO: its interface, its layers and their numbers.

    python2.7 tinyyolo_coremltools.py <fixtures>/keras/seeds/tinyyolo/tinyyolo_voc2007_modelweights.h5

(coremltools 0.8, Keras 2.1.5, TensorFlow 1.8.0, h5py 2.10.0.) Writes tinyyolo_coremltools.json and
tinyyolo_coremltools.npz. Of a weight the first has the number of elements and a checksum, the sum of
(i + 1) times the bits of element i as float32, modulo 2^64. Of a batch normalization, whose statistics
coremltools makes part of gamma and beta, the second has what it multiplies by and adds.
"""

import json
import sys

import coremltools
import numpy

AUTHOR = "Joshua Newnham"
SUMMARY = "Keras port of YOLOTiny VOC2007 by Joseph Redmon and Ali Farhadi"
INPUT = "416x416 RGB Image"
OUTPUT = "13x13 Grid made up of: [cx, cy, w, h, confidence, 20 x classes] * 5 bounding boxes"


def convert(path):
    model = coremltools.converters.keras.convert(
        path, input_names="image", image_input_names="image", output_names="output",
        image_scale=1 / 255.0)
    model.author, model.license, model.short_description = AUTHOR, "BSD", SUMMARY
    model.input_description["image"] = INPUT
    model.output_description["output"] = OUTPUT
    return model.get_spec()


def numbers(weights):
    return numpy.array(weights.floatValue, numpy.float32)


def checksum(values):
    places = numpy.arange(1, len(values) + 1, dtype=numpy.uint64)
    return "%016x" % int((values.view(numpy.uint32).astype(numpy.uint64) * places).sum())


def described(message, prefix=""):
    """The fields that are set, by their paths, and the weights by theirs."""
    settings, weights = {}, {}
    for field, value in message.ListFields():
        path = prefix + field.name
        if field.enum_type is not None:
            settings[path] = field.enum_type.values_by_number[value].name
        elif field.message_type is None:
            settings[path] = list(value) if field.label == field.LABEL_REPEATED else value
        elif field.message_type.name == "WeightParams":
            weights[path] = [len(value.floatValue), checksum(numbers(value))]
        else:
            several = field.label == field.LABEL_REPEATED
            for position, part in enumerate(value if several else [value]):
                settings[path] = len(value) if several else 1
                below = described(part, "%s.%s" % (path, "%d." % position if several else ""))
                settings.update(below[0])
                weights.update(below[1])
    return settings, weights


def main(path):
    spec = convert(path)
    layers, arrays = [], {}
    for layer in spec.neuralNetwork.layers:
        kind = layer.WhichOneof("layer")
        part = getattr(layer, kind)
        settings, weights = described(part)
        if kind == "batchnorm":
            scale = numbers(part.gamma) / numpy.sqrt(numbers(part.variance) + part.epsilon)
            arrays[layer.name + ".scale"] = scale
            arrays[layer.name + ".offset"] = numbers(part.beta) - numbers(part.mean) * scale
            settings, weights = {"channels": part.channels}, {}
        layers.append({
            "name": layer.name, "kind": kind, "inputs": list(layer.input),
            "outputs": list(layer.output), "settings": settings, "weights": weights})
    del spec.neuralNetwork.layers[:]
    interface = spec.SerializeToString()
    record = {"layers": layers, "interface": interface.encode("hex")}
    with open("tinyyolo_coremltools.json", "w") as file:
        json.dump(record, file, indent=1, sort_keys=True, separators=(",", ": "))
    numpy.savez("tinyyolo_coremltools.npz", **arrays)


if __name__ == "__main__":
    main(*sys.argv[1:])
