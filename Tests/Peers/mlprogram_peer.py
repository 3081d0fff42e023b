"""Exports every recorded model to a Core ML package, has coremltools load the program and infer all
types anew, checks each operation's inputs against coremltools' definitions for the deployment,
computes the program with NumPy (mil_interpreter.py), and compares with what the original framework
made of the same inputs.

usage: mlprogram_peer.py PROGRAM [--fixtures FOLDER] [--only TEXT] [--verbose] [--read-back]
       [OPTION...]

PROGRAM is `weighbridge`; options that are not known here are given to its `export`. A case passes
when max|actual - expected| <= 1e-4 max(1, max|expected|) for each output, more where the model has
narrower types (cases.py), 1e-2 where the program computes in float16. With --read-back, the program that wrote the package computes it, too.
"""

import contextlib
import io
import json
import logging
import re
import sys

with contextlib.redirect_stderr(io.StringIO()):
    import coremltools
import numpy
from coremltools.converters.mil import mil
from coremltools.converters.mil.frontend.milproto import load as milproto

import mil_interpreter
from cases import apart, arrays, compare, matched, parser, ports, run
from coreml_peer import computed, turned

# Shares of the cases of a group that must pass.
FLOORS = {"zoo k2": 0.93, "zoo k3": 0.93, "darknet/small": 0.9}
# Inputs of which another one takes the place.
OPTIONAL = {"split": {"num_splits"}}
FLOAT16 = 1e-2


def check_arguments(program, block):
    """Each operation has the inputs that its definition knows, all that have a default included."""
    loaded = {op.outputs[0].name: op for op in program.functions["main"].operations}
    for operation in block.operations:
        if operation.type == "const":
            continue
        definition = loaded[operation.outputs[0].name]
        known = set(definition.input_spec.input_types)
        given = set(operation.inputs)
        assert given <= known, f"{operation.type} takes {given - known}"
        defaults = definition.default_inputs()
        named = {name for name, value in defaults.items() if value is not None} - {"name"}
        missing = named - given - OPTIONAL.get(operation.type, set())
        assert not missing, f"{operation.type} lacks {missing}"


def names_are_valid(block):
    for operation in block.operations:
        for output in operation.outputs:
            assert re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", output.name), output.name


def own(model, name):
    """The name in the model of a feature, which the package keeps where Core ML does not allow it."""
    return model.description.metadata.userDefined.get(f"name.{name}", name)


def pixels(model, name, array):
    """What a program that scales pixels takes for an input that is recorded as scaled."""
    record = model.description.metadata.userDefined.get(f"image.{own(model, name)}")
    feature = next(feature for feature in model.description.input if feature.name == name)
    if not record or feature.type.WhichOneof("Type") != "imageType":
        return array
    image = json.loads(record)
    bias = numpy.reshape(image.get("bias", [0]), [1, -1, 1, 1])
    return ((array - bias) / image.get("scale", 1)).astype(array.dtype)


def feeds(model, case, scaled=pixels):
    """The recorded inputs by name, one example at a time where the program takes one."""
    features = list(model.description.input)
    names = [feature.name for feature in features]
    given = matched([own(model, name) for name in names], arrays(case.inputs))
    function = model.mlProgram.functions["main"]
    axes = mil_interpreter.shape(function.inputs[0].type.tensorType)
    count = given[0].shape[0] if axes and given[0].ndim else 1
    step = axes[0] or 1 if axes else 1
    for position in range(0, count, step):
        feed = {}
        for name, array in zip(names, given):
            array = scaled(model, name, turned(case, own(model, name), array))
            part = array[position:position + step] if array.ndim and len(array) == count else array
            feed[name] = part
        yield feed


def compare_all(model, parts, case, label, limit):
    """Compares outputs, which have the names of the model, with the recorded ones."""
    names = [own(model, feature.name) for feature in model.description.output]
    for name, want in zip(names, matched(names, arrays(case.outputs))):
        want = turned(case, name, numpy.asarray(want))
        got = numpy.concatenate([numpy.asarray(part[name]).reshape(1, -1) for part in parts])
        if got.size == want.size * len(parts):
            got = got[:1]  # without a batch: of the first example alone
        got = got.reshape(want.shape)
        compare(f"{label}{name}", got, want, limit, case.noise)


def check(arguments, case, target, limit):
    """Checks a package and computes it, here and in the program that wrote it."""
    model = coremltools.utils.load_spec(str(target))
    limit = max(limit, ports(arguments.program, case)[2])
    folder = target / "Data/com.apple.CoreML"
    function = model.mlProgram.functions["main"]
    block = function.block_specializations[function.opset]
    names_are_valid(block)
    program = milproto.load(model, model.specificationVersion, str(folder / "weights"))
    assert isinstance(program, mil.Program)
    check_arguments(program, block)
    def named(arrays):
        return {own(model, name): array for name, array in arrays.items()}
    results = [
        named(mil_interpreter.run(model.mlProgram, folder, feed)) for feed in feeds(model, case)]
    compare_all(model, results, case, "", limit)
    if arguments.read_back:
        other = [
            computed(arguments.program, target, named(feed))
            for feed in feeds(model, case, lambda model, name, array: array)]
        compare_all(model, other, case, "read back: ", limit)


def main():
    logging.disable(logging.WARNING)
    options = parser()
    options.add_argument("--read-back", action="store_true")
    options.add_argument("--precision", default="float32")
    arguments, rest = options.parse_known_args()
    limit = FLOAT16 if arguments.precision == "float16" else 0
    given = ["--without-nms", f"--precision={arguments.precision}", *rest]
    sys.exit(
        run(arguments, "model.mlpackage", given,
            # What coremltools could not load would stay on its stack of blocks.
            lambda case, target: apart("coremltools", check, arguments, case, target, limit),
            FLOORS))


if __name__ == "__main__":
    main()
