"""Writes small files in the form in which Keras 2 writes its models."""

import json

import h5py
import numpy as np


def layer(class_name, name, inputs, **config):
    """A layer of a functional model; `inputs` are names, or whole references."""
    references = [[i, 0, 0, {}] if isinstance(i, str) else i for i in inputs]
    return {
        "class_name": class_name,
        "config": {"name": name, **config},
        "name": name,
        "inbound_nodes": [references] if references else [],
    }


def model(*layers, inputs=("x",), outputs=None):
    """The model of some layers; its output is the last one."""
    outputs = outputs or [layers[-1]["name"]]
    return {
        "class_name": "Functional",
        "config": {
            "name": "net",
            "layers": list(layers),
            "input_layers": [[name, 0, 0] for name in inputs],
            "output_layers": [[name, 0, 0] for name in outputs],
        },
    }


def x(*shape, name="x"):
    """An input."""
    return layer("InputLayer", name, [], batch_input_shape=[None, *shape], dtype="float32")


def dense(name, source, units, **config):
    return layer("Dense", name, [source], **{"units": units, "activation": "linear", "use_bias": True, **config})


def conv(**config):
    defaults = {"filters": 2, "kernel_size": [3, 3], "strides": [1, 1], "padding": "valid", "use_bias": False}
    return layer("Conv2D", "y", ["x"], **{**defaults, **config})


def numbers(*shape):
    """Weights that are not all equal."""
    return (np.arange(np.prod(shape), dtype=np.float32).reshape(shape) - 3) / 8


# The model most files are: 4 numbers, two dense layers, 2 numbers.
PLAIN = model(x(4), dense("a", "x", 3), dense("b", "a", 2))
PLAIN_WEIGHTS = {
    "x": {},
    "a": {"a/kernel:0": numbers(4, 3), "a/bias:0": numbers(3)},
    "b": {"b/kernel:0": numbers(3, 2), "b/bias:0": numbers(2)},
}


def plain_weights():
    return {layer: {name: array.copy() for name, array in arrays.items()} for layer, arrays in PLAIN_WEIGHTS.items()}


def save(path, config=PLAIN, weights=None, version="2.15.0", change=None):
    """Writes a file. `config` may be a text, for what `json` would not write; `None` leaves it out.
    `change` is called with the file and the group of the weights, and may damage them."""
    weights = plain_weights() if weights is None else weights
    text = config if isinstance(config, (str, bytes, type(None))) else json.dumps(config)
    with h5py.File(path, "w") as file:
        root = file
        if text is not None:
            file.attrs["model_config"] = text
            root = file.create_group("model_weights")
        if version:
            file.attrs["keras_version"] = version
        file.attrs["backend"] = "tensorflow"
        root.attrs["layer_names"] = [name.encode() for name in weights]
        for name, arrays in weights.items():
            group = root.create_group(name)
            group.attrs["weight_names"] = [array.encode() for array in arrays]
            for array, values in arrays.items():
                if values is not None:
                    group[array] = values
        if change:
            change(file, root)
