"""Exports models of pictures of open sizes with a choice of sizes, and compares the interface with what
coremltools makes of the same model when it is told the sizes.

usage: coreml_sizes_peer.py PROGRAM
"""

import pathlib
import subprocess
import sys
import tempfile

import coremltools
from coremltools.models.neural_network import flexible_shape_utils

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = [(12, 8), (20, 16), (16, 16)]  # width, height
MODEL = ROOT / "Samples/Layers/convolution/conv2d_unknown_size.h5"


def exported(program, model, target, *options):
    """The specification of a file that the program writes."""
    subprocess.run(
        [program, "export", str(model), "-o", str(target), "--quiet", *options], check=True)
    return coremltools.utils.load_spec(str(target))


def fixed(feature, size):
    """A feature made one of a single size, without any other."""
    width, height = size
    if feature.type.WhichOneof("Type") == "imageType":
        image = feature.type.imageType
        image.ClearField("SizeFlexibility")
        image.width, image.height = width, height
    else:
        array = feature.type.multiArrayType
        array.ClearField("ShapeFlexibility")
        array.shape[1:] = [height, width]


def check(program, folder, picture):
    """Compares the input of a file with the one that coremltools makes."""
    options = ["--image-input", "input_1"] if picture else []
    model = folder / "model.wbm"
    subprocess.run(
        [program, "convert", str(MODEL), "-o", str(model), "--quiet", *options], check=True)
    sizes = ",".join(f"{width}x{height}" for width, height in SIZES)
    own = exported(program, model, folder / "own.mlmodel", "--sizes", sizes)
    other = exported(program, model, folder / "other.mlmodel")
    name = other.description.input[0].name
    fixed(other.description.input[0], SIZES[0])
    if picture:
        choice = [flexible_shape_utils.NeuralNetworkImageSize(height, width) for width, height in SIZES]
        flexible_shape_utils.add_enumerated_image_sizes(other, name, choice)
    else:
        channels = other.description.input[0].type.multiArrayType.shape[0]
        choice = [(channels, height, width) for width, height in SIZES]
        flexible_shape_utils.add_multiarray_ndshape_enumeration(other, name, choice)
    assert own.specificationVersion == 3
    assert own.description.input[0] == other.description.input[0], (
        f"{own.description.input[0]}\nand coremltools\n{other.description.input[0]}")


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        for picture in (False, True):
            check(program, pathlib.Path(folder), picture)
    print("sizes: equal to coremltools', of arrays and of pictures")


if __name__ == "__main__":
    main(*sys.argv[1:])
