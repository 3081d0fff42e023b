"""Exports every recorded model to Core ML, loads the files with coremltools, checks interface and
layers, computes them with NumPy (coreml_interpreter.py) and in the program that wrote them, and
compares with what the original framework made of the same inputs.

usage: coreml_peer.py PROGRAM [--fixtures FOLDER] [--only TEXT] [--verbose] [OPTION...]

PROGRAM is `weighbridge`; options that are not known here are given to its `export`. A case passes
when max|actual - expected| <= 1e-4 max(1, max|expected|) for each output.
"""

import subprocess
import sys

import coremltools
import numpy

import coreml_interpreter
from cases import Refused, arrays, compare, matched, parser, ports, run

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


def feeds(model, case):
    """The recorded inputs by name, as many pictures at a time as the file takes, with its axes."""
    features = model.description.input
    names = [feature.name for feature in features]
    given = matched(names, arrays(case.inputs))
    exact = getattr(model, model.WhichOneof("Type")).arrayInputShapeMapping == 1
    sizes = [next(iter(feature.type.multiArrayType.shape), 1) if exact else 1 for feature in features]
    is_whole = [exact and array.shape[:1] == (size,) for array, size in zip(given, sizes)]
    batches = [(len(array), size) for array, size, whole in zip(given, sizes, is_whole) if not whole]
    count, step = batches[0] if batches else (1, 1)
    for position in range(0, count, step):
        feed = {}
        for feature, array, whole in zip(features, given, is_whole):
            part = turned(case, feature.name, array if whole else array[position:position + step])
            feed[feature.name] = part if exact else part[0]
        yield feed


def read_back(program, target, model, feed):
    """What the program that wrote a file makes of it. Pictures have no batch outside of a network."""
    pictures = {
        feature.name for feature in model.description.input
        if feature.type.WhichOneof("Type") == "imageType"}
    return computed(
        program, target, {
            name: array[0] if name in pictures and array.ndim == 4 else array
            for name, array in feed.items()})


def computed(program, target, feed):
    """What the program that wrote a file makes of arrays, by the names that the model has."""
    paths = {"inputs": target.with_name("in.npz"), "outputs": target.with_name("out.npz")}
    numpy.savez(paths["inputs"], **feed)
    command = [program, "run", str(target)]
    for name, path in paths.items():
        command += [f"--{name}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"read back: {' '.join(done.stderr.split())}")
    return arrays(paths["outputs"])


def compare_all(model, parts, case, label, limit):
    """Compares outputs, one picture behind the other, with the recorded ones."""
    features = outputs(model)
    names = [feature.name for feature in features]
    for feature, want in zip(features, matched(names, arrays(case.outputs))):
        want = numpy.asarray(want)
        want = turned(case, feature.name, want)
        got = numpy.concatenate([part[feature.name].reshape(1, -1) for part in parts])
        if got.size == want.size * len(parts):
            got = got[:1]  # without a batch: of the first example alone
        got = got.reshape(want.shape)
        compare(f"{label}{feature.name}", got, want, limit, case.noise)


def turned(case, name, array):
    """An array with its channels first, where the program says that the file has it so."""
    says = f"note: {name} has its channels first\n"
    return numpy.moveaxis(array, -1, 1) if says in case.notes else array


def check(program, case, target, limit=None):
    """Checks a file and computes it, here and in the program that wrote it; without a limit, the one for the
    coarsest type in the model holds."""
    limit = limit or ports(program, case)[2]
    model = coremltools.utils.load_spec(str(target))
    check_interface(model)
    inputs = list(feeds(model, case))
    try:
        own = [coreml_interpreter.run(model, feed) for feed in inputs]
    except coreml_interpreter.Unknown as error:
        raise Refused(f"coreml_interpreter.py: {error}") from error
    compare_all(model, own, case, "", limit)
    other = [read_back(program, target, model, feed) for feed in inputs]
    compare_all(model, other, case, "read back: ", limit)


def main():
    arguments, options = parser().parse_known_args()
    sys.exit(
        run(arguments, "model.mlmodel", ["--without-nms", *options],
            lambda case, target: check(arguments.program, case, target), FLOORS))


if __name__ == "__main__":
    main()
