"""Exports every recorded model to Core ML, loads the files with coremltools, checks interface and
layers, computes them with NumPy (coreml_interpreter.py) and in the program that wrote them, and
compares with what the original framework made of the same inputs.

usage: coreml_peer.py PROGRAM [--fixtures FOLDER] [--only TEXT] [--verbose] [OPTION...]

PROGRAM is `weighbridge`; options that are not known here are given to its `export`. A case passes
when max|got - want| <= 1e-4 max(1, max|want|) for each output.
"""

import subprocess
import sys

import coremltools
import numpy

import coreml_interpreter
from cases import TOLERANCES, Refused, arrays, compare, matched, parser, run, turned

# Shares of the cases of a group that must pass.
FLOORS = {"zoo k2": 0.85, "zoo k3": 0.85}


def check_interface(model):
    """What every reader relies on."""
    network = getattr(model, model.WhichOneof("Type"))
    made = {feature.name for feature in model.description.input}
    for layer in network.layers:
        assert all(name in made for name in layer.input), f"{layer.name} reads what is not made"
        assert not any(name in made for name in layer.output), f"{layer.name} makes a value anew"
        made.update(layer.output)
    for feature in outputs(model):
        assert feature.name in made, f"{feature.name} is not made"
    assert 1 <= model.specificationVersion <= 5
    assert (network.arrayInputShapeMapping == 1) == (model.specificationVersion >= 4)


def outputs(model):
    """The outputs that layers make."""
    return [
        feature for feature in model.description.output
        if feature.type.WhichOneof("Type") != "stringType"]


def shape(feature, array):
    """The axes of a feature, with a batch of one in front."""
    kind = feature.type.WhichOneof("Type")
    if kind == "imageType":
        image = feature.type.imageType
        return (1, 1 if image.colorSpace == 10 else 3, image.height, image.width)
    if kind == "multiArrayType":
        kind = feature.type.multiArrayType
        axes = tuple(kind.shape)
        if kind.WhichOneof("ShapeFlexibility") == "shapeRange":  # open extents may be anything
            axes = tuple(
                size.lowerBound if size.lowerBound == size.upperBound else None
                for size in kind.shapeRange.sizeRanges)
        return axes if len(axes) == array.ndim else (1, *axes)
    return array.shape


def feeds(model, case):
    """The recorded inputs by name, as many pictures at a time as the file takes, with its axes."""
    features = model.description.input
    names = [feature.name for feature in features]
    given = matched(names, arrays(case.inputs))
    exact = getattr(model, model.WhichOneof("Type")).arrayInputShapeMapping == 1
    axes = features[0].type.multiArrayType.shape
    step = axes[0] if exact and len(axes) > 1 else 1
    for position in range(0, given[0].shape[0], step):
        feed = {}
        for feature, array in zip(features, given):
            part = array[position:position + step]
            part = turned(part, shape(feature, part))
            feed[feature.name] = part if exact else part[0]
        yield feed


def read_back(program, target, model, feed):
    """What the program that wrote a file makes of it. Pictures have no batch outside of a network."""
    pictures = {
        feature.name for feature in model.description.input
        if feature.type.WhichOneof("Type") == "imageType"}
    feed = {
        name: array[0] if name in pictures and array.ndim == 4 else array
        for name, array in feed.items()}
    paths = {"inputs": target.with_name("in.npz"), "outputs": target.with_name("out.npz")}
    numpy.savez(paths["inputs"], **feed)
    command = [program, "run", str(target)]
    for name, path in paths.items():
        command += [f"--{name}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"read back: {' '.join(done.stderr.split())}")
    return arrays(paths["outputs"])


def compare_all(model, parts, case, label):
    """Compares outputs, one picture behind the other, with the recorded ones."""
    features = outputs(model)
    names = [feature.name for feature in features]
    for feature, want in zip(features, matched(names, arrays(case.outputs))):
        want = numpy.asarray(want)
        axes = shape(feature, want)
        step = want.shape[0] if axes[:1] == (want.shape[0],) else 1  # a batch of a fixed size
        want = numpy.concatenate(
            [turned(want[i:i + step], axes) for i in range(0, want.shape[0], step)])
        got = numpy.concatenate([part[feature.name].reshape(1, -1) for part in parts])
        bound = TOLERANCES["float16" if want.dtype == numpy.float16 else "float32"]
        compare(f"{label}{feature.name}", got.reshape(want.shape), want, bound, case.noise)


def check(program, case, target):
    """Checks a file and computes it, here and in the program that wrote it."""
    model = coremltools.utils.load_spec(str(target))
    check_interface(model)
    inputs = list(feeds(model, case))
    try:
        own = [coreml_interpreter.run(model, feed) for feed in inputs]
    except coreml_interpreter.Unknown as error:
        raise Refused(f"coreml_interpreter.py: {error}") from error
    compare_all(model, own, case, "")
    other = [read_back(program, target, model, feed) for feed in inputs]
    compare_all(model, other, case, "read back: ")


def main():
    arguments, options = parser().parse_known_args()
    sys.exit(
        run(arguments, "model.mlmodel", ["--without-nms", *options],
            lambda case, target: check(arguments.program, case, target), FLOORS))


if __name__ == "__main__":
    main()
