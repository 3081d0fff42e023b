"""Exports the weights of every recorded model as safetensors and as .npz, reads both with the real
libraries, and compares them with each other.

usage: safetensors_peer.py PROGRAM [--fixtures FOLDER] [--only TEXT] [--compact ENCODING [--keep-integers]] [--verbose]

With --keep-integers the arrays also have to stand for the numbers of a file that has these.
"""

import subprocess
import sys

import numpy
import safetensors
import safetensors.numpy

from cases import parser, run


def check(case, target):
    """Reads a file with both libraries."""
    try:
        tensors = safetensors.numpy.load_file(target)
    except TypeError as error:  # NumPy alone has no bfloat16
        if "bfloat16" not in str(error):
            raise
        return
    with safetensors.safe_open(target, "numpy") as file:
        metadata = file.metadata()
    if metadata["format"] != "pt" or "inputs" not in metadata:
        raise AssertionError(f"metadata {metadata}")
    arrays = load_npz(case, target.with_suffix(".npz"), *OPTIONS)
    if set(arrays.files) != set(tensors):
        raise AssertionError("other names in the .npz")
    for name, tensor in tensors.items():
        if tensor.dtype != arrays[name].dtype or not numpy.array_equal(
                tensor, arrays[name], equal_nan=tensor.dtype.kind == "f"):
            raise AssertionError(f"{name} differs in the .npz")
    if OPTIONS:
        wanted = load_npz(case, target.with_name("decoded.npz"))
        got = numbers(arrays)
        if not any("/quantized" in name or "/codes" in name or array.dtype == "f2" for name, array in arrays.items()):
            raise AssertionError("no integers")
        if set(got) != set(wanted.files) or not all(numpy.array_equal(got[name], wanted[name]) for name in got):
            raise AssertionError("the integers stand for other numbers")


def load_npz(case, path, *options):
    subprocess.run([PROGRAM, "export", str(case.model), "-o", str(path), *case.options, *options],
                   check=True, capture_output=True)
    return numpy.load(path)


def numbers(arrays):
    """The weights that arrays stand for."""
    result = {}
    for key, array in arrays.items():
        name, _, part = key.rpartition("/")
        if part == "codes":
            result[name] = arrays[f"{name}/table"][array]
        elif part == "quantized":
            def each(part, shape=array.shape):
                """A number for each integer."""
                given = arrays[f"{name}/{part}"]
                blocks = arrays[f"{name}/block_shape"] if f"{name}/block_shape" in arrays else shape
                for axis, (size, block) in enumerate(zip(shape, blocks)):
                    if given.shape[axis] not in (1, size):
                        given = numpy.repeat(given, block, axis).take(range(size), axis)
                return given
            integers = array.astype("i4") - (each("zero_point") if f"{name}/zero_point" in arrays else 0)
            result[name] = integers.astype("f4") * each("scale")
            if f"{name}/offset" in arrays:
                result[name] += each("offset")
        elif part not in ("table", "scale", "zero_point", "offset", "block_shape"):
            result[key] = array.astype("f4") if array.dtype == "f2" else array
    return result


def main():
    global PROGRAM, OPTIONS  # pylint: disable=global-variable-undefined
    options = parser()
    options.add_argument("--keep-integers", action="store_true")
    arguments = options.parse_args()
    PROGRAM = arguments.program
    OPTIONS = ["--keep-integers"] if arguments.keep_integers else []
    sys.exit(run(arguments, "model.safetensors", OPTIONS, check, {}))


if __name__ == "__main__":
    main()
