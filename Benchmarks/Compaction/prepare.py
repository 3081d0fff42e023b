#!/usr/bin/env python3
"""Makes the models and inputs for comparing compact with other tools.

usage: prepare.py PROGRAM FIXTURES WEIGHTS OUT

FIXTURES is the folder of fixtures, WEIGHTS the trained yolov3-tiny.weights. OUT gets a folder for each model:
`model.wbm`, which returns the model's raw outputs (before a softmax or YOLO's sigmoids), and the folders `calibration`
and `evaluation` of `.npy` files, and `learned`, `stated` and `unseen` to test whether a stated error holds for other
inputs. Images are crops of photos, and faces for that test; no two folders of a comparison share a photo. Sketches and
text are ones that were not used in training. A model whose files do not exist is left out with a message.
OUT/lstm/model.h5 and OUT/lstm/texts are made by train_lstm.py.
"""

import importlib.util
import itertools
import pathlib
import subprocess
import sys

import numpy
import onnx
from PIL import Image

SAMPLES = pathlib.Path(__file__).parents[2] / "Samples"
STYLE = pathlib.Path(__file__).parents[1] / "style.json"


def crops(photo, count, size, seed):
    """Returns random square crops of a photo, 0.4 to 1 of its height, randomly flipped, `[size, size, 3]` from 0 to
    255."""
    random = numpy.random.default_rng(seed)
    image = Image.open(photo).convert("RGB")
    result = []
    for _ in range(count):
        side = int(min(image.size) * random.uniform(0.4, 1))
        left, top = (int(random.integers(0, length - side + 1)) for length in image.size)
        part = image.crop((left, top, left + side, top + side)).resize((size, size), Image.BICUBIC)
        pixels = numpy.asarray(part, "f4")
        result.append(pixels[:, ::-1] if random.random() < 0.5 else pixels)
    return result


def faces(pixels):
    """Returns a grayscale image from -1 to 1, the input of the mini-XCEPTION networks."""
    gray = pixels @ numpy.float32([0.299, 0.587, 0.114])
    return (gray / 255 * 2 - 1)[None, :, :, None]


def data(package):
    """Returns the folder of a package's data, without running its code."""
    return pathlib.Path(importlib.util.find_spec(package).submodule_search_locations[0])


def photo_inputs(fixtures, size, adapted):
    ours, theirs = fixtures / "images", data("skimage") / "data"
    more = data("sklearn") / "datasets/images"
    parts = {"calibration": [(ours / "dog.jpg", 32), (ours / "horses.jpg", 32)],
             "evaluation": [(ours / "person.jpg", 8)],
             "learned": [(photo, 16) for photo in (
                 ours / "dog.jpg", theirs / "astronaut.png", theirs / "motorcycle_left.png", more / "flower.jpg")],
             "stated": [(photo, 16) for photo in (ours / "horses.jpg", theirs / "coffee.png", more / "china.jpg")],
             "unseen": [(photo, 16) for photo in (ours / "person.jpg", theirs / "chelsea.png", theirs / "rocket.jpg")]}
    seeds = itertools.count(1)
    return {name: [adapted(pixels) for photo, count in all_of for pixels in crops(photo, count, size, next(seeds))]
            for name, all_of in parts.items()}


def face_inputs(fixtures):
    """Returns crops of photos and, for the test of stated errors, 100 faces of Labeled Faces in the Wild, each once."""
    small = numpy.load(data("skimage") / "data/lfw_subset.npy")[:100]
    order = numpy.random.default_rng(1).permutation(len(small))
    images = [numpy.asarray(Image.fromarray(numpy.uint8(255 * small[number])).resize((64, 64), Image.BICUBIC), "f4")
              for number in order]
    inputs = [(image / 255 * 2 - 1)[None, :, :, None] for image in images]
    return {**photo_inputs(fixtures, 64, faces), "learned": inputs[:40], "stated": inputs[40:70], "unseen": inputs[70:]}


def sketches():
    files = sorted((SAMPLES / "Models/sketch-classifier/sketches").iterdir())
    arrays = [numpy.asarray(Image.open(file).convert("L"), "f4")[None, :, :, None] / 255 for file in files]
    return {"calibration": arrays[:64], "evaluation": arrays[64:80],
            "learned": arrays[:64], "stated": arrays[64:132], "unseen": arrays[132:]}


def texts(folder):
    arrays = [numpy.load(folder / f"{number}.npy") for number in range(144)]
    return {"calibration": arrays[:64], "evaluation": arrays[64:80],
            "learned": arrays[:64], "stated": arrays[80:112], "unseen": arrays[112:144]}


def without_softmax(program, folder):
    """Makes the whole model without the softmax after its last layer, by way of ONNX."""
    path = folder / "whole.onnx"
    subprocess.run([program, "export", folder / "whole.wbm", "-o", path, "--quiet"], check=True)
    model = onnx.load(path)
    last = model.graph.node[-1]
    assert last.op_type == "Softmax"
    model.graph.output[0].name = last.input[0]
    model.graph.node.remove(last)
    onnx.save(model, path)
    subprocess.run([program, "convert", path, "-o", folder / "model.wbm", "--quiet"], check=True)


def folded(program, folder):
    """Makes a copy of a model with its batch normalizations folded, next to the original; by way of ONNX."""
    other = folder.with_name(f"{folder.name}-folded")
    other.mkdir(exist_ok=True)
    path = other / "whole.onnx"
    subprocess.run([program, "export", folder / "model.wbm", "-o", path, "--layout", "nchw", "--fold-batch-norm",
                    "--quiet"], check=True)
    subprocess.run([program, "convert", path, "-o", other / "model.wbm", "--quiet"], check=True)
    for inputs in folder.iterdir():
        if inputs.is_dir() and not (other / inputs.name).exists():
            (other / inputs.name).symlink_to(inputs.resolve())


def main():
    program, fixtures, weights, out = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    real = fixtures / "keras/real"
    out.mkdir(parents=True, exist_ok=True)
    yolo = fixtures / "darknet/yolov3-tiny/yolov3-tiny.cfg"
    models = {
        "yolov3-tiny": ([yolo, "--weights", weights], ["15_convolutional", "22_convolutional"],
                        lambda: photo_inputs(fixtures, 416, lambda pixels: pixels.transpose(2, 0, 1)[None] / 255)),
        "van-gogh": ([real / "van-gogh/FastStyleTransferVanGoghStarryNight.mlmodel", "--custom-layers",
                      STYLE], [], lambda: photo_inputs(fixtures, 320, lambda pixels: pixels.transpose(2, 0, 1))),
        "sketch-classifier": ([SAMPLES / "Models/sketch-classifier/sketch-classifier.h5"], None, sketches),
        "lstm": ([out / "lstm/model.h5"], [], lambda: texts(out / "lstm/texts")),
    }
    for name in ("emotion_model", "fer2013_big_XCEPTION", "tiny_XCEPTION_KDEF"):
        models[name] = ([real / name / f"{name}.hdf5"], ["global_average_pooling2d_1"],
                        lambda: face_inputs(fixtures))
    for name, (source, ends, inputs) in models.items():
        missing = [str(file) for file in source if isinstance(file, pathlib.Path) and not file.exists()]
        if missing:
            print(f"{name}: left out, since {missing[0]} is not there", flush=True)
            continue
        folder = out / name
        folder.mkdir(exist_ok=True)
        subprocess.run([program, "convert", *source, "-o", folder / "whole.wbm", "--quiet"], check=True)
        if ends is None:
            without_softmax(program, folder)
        elif ends:
            cut = [argument for end in ends for argument in ("--output", end)]
            subprocess.run([program, "cut", folder / "whole.wbm", *cut, "-o", folder / "model.wbm", "--quiet"],
                           check=True)
        else:
            (folder / "whole.wbm").rename(folder / "model.wbm")
        for kind, arrays in inputs().items():
            (folder / kind).mkdir(exist_ok=True)
            for number, array in enumerate(arrays):
                numpy.save(folder / kind / f"{number:03}.npy", numpy.ascontiguousarray(array, "f4"))
        if name == "yolov3-tiny":
            folded(program, folder)
        print(f"{name}: ready", flush=True)


if __name__ == "__main__":
    main()
