"""Draws photos and makes small Keras models, some of them broken, for the tests and the benchmark.

    python material.py models FOLDER COUNT
    python material.py photos FOLDER COUNT
"""

import json
import pathlib
import sys

import h5py
import numpy
from PIL import Image, ImageDraw

#: One model in so many is broken.
BROKEN_EVERY = 50


def dense(name, units, activation, inputs=None):
    shape = {} if inputs is None else {"batch_input_shape": [None, inputs]}
    return {
        "class_name": "Dense",
        "config": {"name": name, "units": units, "activation": activation, "use_bias": True,
                   "trainable": True, "dtype": "float32", **shape},
    }


def write_model(path, number):
    """A network of two dense layers, with sizes and weights of its own."""
    random = numpy.random.default_rng(number)
    inputs, hidden, outputs = (int(size) for size in random.integers(4, 40, 3))
    layers = [dense("first", hidden, "relu", inputs), dense("second", outputs, "softmax")]
    weights = {"first": (inputs, hidden), "second": (hidden, outputs)}
    with h5py.File(path, "w") as file:
        file.attrs["keras_version"] = "2.1.5"
        file.attrs["backend"] = "tensorflow"
        file.attrs["model_config"] = json.dumps({"class_name": "Sequential", "config": layers})
        group = file.create_group("model_weights")
        group.attrs["layer_names"] = numpy.array(list(weights), "S")
        for name, shape in weights.items():
            layer = group.create_group(name)
            layer.attrs["weight_names"] = numpy.array([f"{name}/kernel:0", f"{name}/bias:0"], "S")
            layer[f"{name}/kernel:0"] = random.standard_normal(shape).astype("float32")
            layer[f"{name}/bias:0"] = random.standard_normal(shape[1:]).astype("float32")


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path):
    path.write_bytes(b"")


def replace(path):
    path.write_text("<html><body>404 Not Found</body></html>")


def lose_a_weight(path):
    with h5py.File(path, "r+") as file:
        del file["model_weights/second/second/bias:0"]


def change_a_shape(path):
    with h5py.File(path, "r+") as file:
        group = file["model_weights/first/first"]
        del group["bias:0"]
        group["bias:0"] = numpy.zeros(3, "float32")


#: What breaks a model, in turn.
BREAKING = [cut, empty, replace, lose_a_weight, change_a_shape]


def is_broken(number):
    return number % BROKEN_EVERY == BROKEN_EVERY // 2


def write_models(folder, count):
    for number in range(count):
        path = folder / f"{number % 10}" / f"model-{number:05}.h5"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_model(path, number)
        if is_broken(number):
            BREAKING[number // BROKEN_EVERY % len(BREAKING)](path)


def write_photos(folder, count, size=(160, 120)):
    """Pictures of ellipses, rectangles and triangles, every second one a JPEG; one in a hundred is cut off."""
    for number in range(count):
        random = numpy.random.default_rng(number)
        picture = Image.new("RGB", size, tuple(int(part) for part in random.integers(160, 256, 3)))
        draw = ImageDraw.Draw(picture)
        for _ in range(random.integers(1, 5)):
            x, y = (random.random(2) * size).tolist()
            width, height = (random.random(2) * 50 + 10).tolist()
            colour = tuple(int(part) for part in random.integers(0, 160, 3))
            kind = random.integers(3)
            if kind == 0:
                draw.ellipse([x, y, x + width, y + height], colour)
            elif kind == 1:
                draw.rectangle([x, y, x + width, y + height], colour)
            else:
                draw.polygon([(x, y + height), (x + width, y + height), (x + width / 2, y)], colour)
        path = folder / f"{number % 10}" / f"photo-{number:05}.{('png', 'jpg')[number % 2]}"
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.save(path)
        if number % 100 == 50:
            cut(path)


if __name__ == "__main__":
    {"models": write_models, "photos": write_photos}[sys.argv[1]](pathlib.Path(sys.argv[2]), int(sys.argv[3]))
