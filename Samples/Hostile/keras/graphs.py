"""Attacks on the architecture as a graph and as a text."""

import json

from writing import PLAIN, dense, layer, model, numbers, save, x


def unknown_layers(path):
    """Three layers of classes that nobody knows: one message names all of them."""
    save(
        path,
        model(
            x(4),
            layer("Hologram", "first", ["x"]),
            dense("a", "first", 3),
            layer("TimeMachine", "second", ["a"], years=-3),
            layer("Lambda", "third", ["second"], function=["not", "run"]),
        ),
    )


def cycle(path):
    """Two layers that need each other."""
    save(path, model(x(4), dense("a", "b", 3), dense("b", "a", 2)))


def self_reference(path):
    """A layer that takes its own output."""
    save(path, model(x(4), layer("Add", "a", ["x", "a"]), dense("b", "a", 2)))


def same_name(path):
    """Two layers of one name."""
    save(path, model(x(4), dense("a", "x", 3), dense("a", "x", 3), dense("b", "a", 2)))


def inbound_missing(path):
    """A layer that takes the output of one that is not there."""
    save(path, model(x(4), dense("a", "ghost", 3), dense("b", "a", 2)))


def inbound_call(path):
    """A layer that takes the seventh call of one that was called once."""
    save(path, model(x(4), dense("a", "x", 3), dense("b", ["a", 6, 0, {}], 2)))


def inbound_tensor(path):
    """A layer that takes the second output of one that has one."""
    save(path, model(x(4), dense("a", "x", 3), dense("b", ["a", 0, 1, {}], 2)))


def inbound_negative(path):
    """References with negative numbers."""
    save(path, model(x(4), dense("a", "x", 3), dense("b", ["a", -1, 0, {}], 2)))


def _tensor(name, *shape):
    """The first call's output of a layer, as Keras 3 writes it."""
    history = {"shape": [None, *shape], "dtype": "float32", "keras_history": [name, 0, 0]}
    return {"class_name": "__keras_tensor__", "config": history}


def calls_lost(path):
    """A layer that is called twice, while every reader names its first call, as Keras 3.2.1 wrote it."""
    shared, total = dense("a", "x", 3), layer("Add", "s", [])
    shared["inbound_nodes"] = [{"args": [_tensor(name, 4)], "kwargs": {}} for name in ("x", "y")]
    total["inbound_nodes"] = [{"args": [[_tensor("a", 3), _tensor("a", 3)]], "kwargs": {}}]
    weights = {"x": {}, "y": {}, "s": {}, "a": {"a/kernel:0": numbers(4, 3), "a/bias:0": numbers(3)}}
    parts = [{**part, "module": "keras.layers", "registered_name": None} for part in (x(4), x(4, name="y"), shared, total)]
    save(path, model(*parts, inputs=("x", "y")), weights, version="3.2.1")


def inbound_nothing(path):
    """A layer that takes nothing and is no input."""
    save(path, model(x(4), dense("a", "x", 3), layer("Dense", "b", [], units=2)))


def constant_text(path):
    """A text in place of a constant among a layer's inputs."""
    save(path, model(x(4), layer("Add", "y", ["x", ["_CONSTANT_VALUE", -1, "three", {}]])), {"x": {}, "y": {}})


def constant_object(path):
    """An object in place of a constant."""
    save(path, model(x(4), layer("Add", "y", ["x", ["_CONSTANT_VALUE", -1, {"three": 3}, {}]])), {"x": {}, "y": {}})


def constant_ragged(path):
    """A constant whose rows have different lengths."""
    save(path, model(x(4), layer("Add", "y", ["x", ["_CONSTANT_VALUE", -1, [[1.0], [2.0, 3.0]], {}]])), {"x": {}, "y": {}})


def constant_shape(path):
    """A constant that does not fit the other input."""
    save(path, model(x(4), layer("Add", "y", ["x", ["_CONSTANT_VALUE", -1, [[1.0, 2.0, 3.0]], {}]])), {"x": {}, "y": {}})


def _with_array(path, values, dtype):
    """An addition of an array as Keras 3 writes it."""
    array = {"class_name": "__numpy__", "config": {"value": values, "dtype": dtype}}
    total = {**layer("Add", "y", []), "module": "keras.src.ops.numpy", "registered_name": "Add"}
    total["inbound_nodes"] = [{"args": [_tensor("x", 3), array], "kwargs": {}}]
    parts = [{**x(3), "module": "keras.layers", "registered_name": None}, total]
    save(path, model(*parts), {"x": {}, "y": {}}, version="3.15.0")


def constant_fraction(path):
    """An array of int32 with a fraction."""
    _with_array(path, [1.5, 2, 3], "int32")


def constant_beyond(path):
    """An array of uint8 with a number that uint8 does not have."""
    _with_array(path, [300, 2, 1], "uint8")


def constant_type(path):
    """An array of a type that nobody knows."""
    _with_array(path, [1, 2, 3], "float99")


def constant_state(path):
    """Numbers in place of the state in which a recurrent layer begins."""
    call = ["x", 0, 0, {"initial_state": [[1.0, 2.0, 3.0]]}]
    weights = {"x": {}, "y": {"y/kernel:0": numbers(4, 3), "y/recurrent_kernel:0": numbers(3, 3), "y/bias:0": numbers(3)}}
    save(path, model(x(5, 4), layer("SimpleRNN", "y", [call], units=3)), weights)


def input_unread(path):
    """An input that no output depends on. Converted, and said."""
    weights = {"x": {}, "z": {}, "a": {"a/kernel:0": numbers(4, 3), "a/bias:0": numbers(3)}}
    save(path, model(x(4), x(4, name="z"), dense("a", "x", 3), inputs=("x", "z")), weights)


def cast_unknown(path):
    """A layer of float64 with an input of float32, of a version that TensorFlow 1, which does not cast it, shares with 2.0, which does."""
    save(path, model(x(4, 3), layer("Flatten", "y", ["x"], dtype="float64")), {"x": {}, "y": {}}, version="2.2.4-tf")


def dropout_in_training(path):
    """A dropout that draws random numbers whenever the model runs."""
    call = ["x", 0, 0, {"training": True}]
    save(path, model(x(4), layer("Dropout", "y", [call], rate=0.5)), {"x": {}, "y": {}})


def output_missing(path):
    """The model's output is a layer that is not there."""
    save(path, model(x(4), dense("a", "x", 3), dense("b", "a", 2), outputs=["ghost"]))


def output_none(path):
    """A model without outputs."""
    config = model(x(4), dense("a", "x", 3), dense("b", "a", 2))
    config["config"]["output_layers"] = []
    save(path, config)


def layers_none(path):
    """A model without layers."""
    save(path, {"class_name": "Functional", "config": {"name": "net", "layers": []}})


def layers_not_a_list(path):
    """The layers are a number."""
    save(path, {"class_name": "Functional", "config": {"name": "net", "layers": 3}})


def two_inputs_for_one(path):
    """A layer of one input that gets two."""
    save(path, model(x(4), layer("Dense", "a", ["x", "x"], units=3), dense("b", "a", 2)))


def merge_shapes(path):
    """A sum of tensors whose shapes do not fit."""
    save(path, model(x(4), dense("a", "x", 3), layer("Add", "s", ["x", "a"]), dense("b", "s", 2)))


def deep_json(path):
    """Lists nested 10,000 deep, which a recursive reader does not survive."""
    save(path, '{"class_name": ' + "[" * 10_000 + "]" * 10_000 + "}")


def json_cut(path):
    """The architecture's text ends in the middle."""
    save(path, json.dumps(PLAIN)[:-20])


def json_key_twice(path):
    """A key that occurs twice, of which readers take the one or the other."""
    save(path, json.dumps(PLAIN).replace('"units": 3', '"units": 3, "units": 4'))


def json_trailing(path):
    """A second text behind the first."""
    save(path, json.dumps(PLAIN) + "{}")


def custom_object(path):
    """A layer of a class that Keras has, registered by somebody else."""
    config = model(x(4), dense("a", "x", 3), dense("b", "a", 2))
    config["config"]["layers"][1]["registered_name"] = "evil>Dense"
    config["config"]["layers"][1]["module"] = "evil"
    save(path, config)
