"""Exports the weights of every recorded model as safetensors and as .npz, reads both with the real
libraries, and compares them with each other.

usage: safetensors_peer.py PROGRAM [--fixtures FOLDER] [--only TEXT] [--verbose]
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
    other = target.with_suffix(".npz")
    subprocess.run([PROGRAM, "export", str(case.model), "-o", str(other), *case.options],
                   check=True, capture_output=True)
    arrays = numpy.load(other)
    if set(arrays.files) != set(tensors):
        raise AssertionError("other names in the .npz")
    for name, tensor in tensors.items():
        if tensor.dtype != arrays[name].dtype or not numpy.array_equal(
                tensor, arrays[name], equal_nan=tensor.dtype.kind == "f"):
            raise AssertionError(f"{name} differs in the .npz")


def main():
    global PROGRAM  # pylint: disable=global-variable-undefined
    arguments = parser().parse_args()
    PROGRAM = arguments.program
    sys.exit(run(arguments, "model.safetensors", [], check, {}))


if __name__ == "__main__":
    main()
