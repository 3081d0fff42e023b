"""Attacks on the container: the file, the groups, the attributes, the weights."""

import h5py
import numpy as np

from writing import PLAIN, dense, layer, model, numbers, plain_weights, save, x


def empty(path):
    """A file without a byte."""
    open(path, "wb").close()


def text(path):
    """A text file that is called .h5."""
    with open(path, "w") as file:
        file.write("This is not a model.\n")


def zeros(path):
    """A page of zeros."""
    with open(path, "wb") as file:
        file.write(bytes(4096))


def _cut(path, size):
    save(path)
    with open(path, "r+b") as file:
        file.truncate(size if size > 0 else file.seek(0, 2) + size)


def truncated(path):
    """The last byte is missing, as after a broken download."""
    _cut(path, -1)


def truncated_half(path):
    """Only the first 3,000 bytes are there."""
    _cut(path, 3000)


def truncated_signature(path):
    """Only the signature is there."""
    _cut(path, 8)


def not_keras(path):
    """HDF5, but nothing of Keras in it."""
    with h5py.File(path, "w") as file:
        file["measurements"] = numbers(3, 4)


def weights_only(path):
    """Weights without an architecture, as save_weights writes them."""
    save(path, config=None)


def keras_4(path):
    """A model that says it was written by Keras 4, whose layers may mean other things."""
    save(path, version="4.0.0")


def version_nonsense(path):
    """The version is no version."""
    save(path, version="latest")


def _set(name, value):
    def change(file, _):
        del file.attrs[name]
        file.attrs[name] = value

    return change


def config_number(path):
    """The architecture is a number instead of a text."""
    save(path, change=_set("model_config", 7))


def config_not_utf8(path):
    """The architecture is not UTF-8."""
    save(path, change=_set("model_config", np.bytes_(b'{"class_name": "\xff\xfe"}')))


def config_empty(path):
    """The architecture is an empty text."""
    save(path, config="")


def no_weights_group(path):
    """The group with the weights is not there."""
    save(path, change=lambda file, root: file.__delitem__("model_weights"))


def layer_group_missing(path):
    """A layer that layer_names lists has no group."""
    save(path, change=lambda file, root: root.__delitem__("b"))


def weight_dataset_missing(path):
    """A weight that weight_names lists has no dataset."""
    weights = plain_weights()
    weights["b"]["b/bias:0"] = None
    save(path, weights=weights)


def weight_missing(path):
    """A layer lists one weight less than it needs."""
    weights = plain_weights()
    del weights["b"]["b/bias:0"]
    save(path, weights=weights)


def weight_surplus(path):
    """A layer lists one weight more than it takes."""
    weights = plain_weights()
    weights["b"]["b/extra:0"] = numbers(2)
    save(path, weights=weights)


def weight_unlisted(path):
    """A dataset that nobody lists lies among the weights."""
    save(path, change=lambda file, root: root.create_dataset("b/b/forgotten", data=numbers(2)))


def weight_owner_unknown(path):
    """The weights of a layer that the architecture does not have."""
    save(path, weights={**plain_weights(), "c": {"c/kernel:0": numbers(2, 2)}})


def weight_shape(path):
    """A kernel with its axes the other way round."""
    weights = plain_weights()
    weights["a"]["a/kernel:0"] = numbers(3, 4)
    save(path, weights=weights)


def weight_rank(path):
    """A kernel as one row of numbers: as many as are needed."""
    weights = plain_weights()
    weights["a"]["a/kernel:0"] = numbers(12)
    save(path, weights=weights)


def weight_text(path):
    """A kernel of texts."""
    weights = plain_weights()
    weights["a"]["a/kernel:0"] = np.full((4, 3), b"number")
    save(path, weights=weights)


def weight_integers(path):
    """A kernel of whole numbers, which no layer of Keras has."""
    weights = plain_weights()
    weights["a"]["a/kernel:0"] = np.ones((4, 3), np.int32)
    save(path, weights=weights)


def weight_double(path):
    """A kernel of float64 in a layer of float32, which casts it: no attack."""
    weights = plain_weights()
    weights["a"]["a/kernel:0"] = np.ones((4, 3), np.float64)
    save(path, weights=weights)


def plain(path):
    """No attack: what the others are made from, and the proof that it is they that are refused."""
    save(path)


def _replaced(path, make):
    def change(_, root):
        del root["a/a/kernel:0"]
        make(root["a/a"])

    save(path, change=change)


def weight_huge(path):
    """A kernel of 2^60 elements, none of which was ever written: 300 bytes that ask for an exabyte."""
    _replaced(
        path, lambda group: group.create_dataset("kernel:0", (2**40, 2**20), "f4", chunks=(1024, 1024)))


def weight_bomb(path):
    """A compressed kernel of 1 GiB of zeros in a few kilobytes, never written out either."""
    _replaced(
        path,
        lambda group: group.create_dataset(
            "kernel:0", (16384, 16384), "f4", chunks=(16384, 16384), compression="gzip", fillvalue=0))


def weight_external_link(path):
    """A kernel that lies in another file."""
    _replaced(path, lambda group: group.__setitem__("kernel:0", h5py.ExternalLink("/etc/passwd", "/")))


def weight_external_storage(path):
    """A kernel whose bytes are those of another file."""
    _replaced(
        path,
        lambda group: group.create_dataset("kernel:0", (4, 3), "f4", external=[("/etc/passwd", 0, 48)]))


def weight_link_cycle(path):
    """A kernel that is a link to itself."""
    _replaced(path, lambda group: group.__setitem__("kernel:0", h5py.SoftLink("/model_weights/a/a/kernel:0")))


def weight_name_upwards(path):
    """A weight's name that leads out of its layer."""
    weights = plain_weights()
    weights["a"]["../b/b/kernel:0"] = None
    save(path, weights=weights)


def group_cycle(path):
    """A group that contains itself: a walk that follows it has no end. Converted like `plain.h5`."""
    save(path, change=lambda file, root: root["a"].__setitem__("again", root))


def nan_weights(path):
    """Two NaN and an infinity among the weights: converted with a warning, and verify fails."""
    weights = plain_weights()
    weights["a"]["a/kernel:0"][0] = np.array([np.nan, np.inf, np.nan])
    save(path, config=PLAIN, weights=weights)


def _named(layer, names):
    def change(_, root):
        del root[layer].attrs["weight_names"]
        if names is not None:
            root[layer].attrs["weight_names"] = [name.encode() for name in names]

    return change


def weight_names_twice(path):
    """A weight_names that lists one weight twice, so that a layer would get it in two places."""
    save(path, change=_named("a", ["a/kernel:0", "a/kernel:0"]))


def weight_names_empty(path):
    """A weight_names that lists nothing, although there are weights."""
    save(path, change=_named("a", []))


def weight_names_missing(path):
    """A layer without the attribute weight_names."""
    save(path, change=_named("a", None))


def layer_names_twice(path):
    """A layer_names that lists a layer twice."""
    save(path, change=lambda _, root: root.attrs.__setitem__("layer_names", [b"x", b"a", b"a", b"b"]))


def _nested(path, weights, **config):
    """A model of two layers of one shape inside one of two models inside the model, of which the file does not say
    whether it is frozen."""
    inner = model(x(3), dense("a", "x", 3, trainable=False), dense("b", "a", 3))
    inner["config"]["name"] = inner["name"] = "inner"
    inner["inbound_nodes"] = [[["x", 0, 0, {}]]]
    outer = model(x(3), inner, layer("Dense", "c", [["inner", 1, 0, {}]], units=3, activation="linear", use_bias=True))
    outer["config"]["name"] = outer["name"] = "outer"
    outer["inbound_nodes"] = [[["x", 0, 0, {}]]]
    outer["config"].update(config)
    whole = model(x(3), outer)
    whole["config"]["output_layers"] = [["outer", 1, 0]]
    save(path, whole, {"x": {}, "outer": weights})


def nested_undecided(path):
    """Weights of a nested model whose names say nothing, and it is unknown which models are frozen."""
    _nested(path, {f"param_{n}": numbers(*([3, 3] if n % 2 == 0 else [3])) for n in range(6)})


def nested_names_of_others(path):
    """Weights of a nested model whose names are those of its layers, in numbers that do not fit them."""
    _nested(path, {f"{name}:0": numbers(*([3, 3] if "kernel" in name else [3])) for name in (
        "a/kernel", "a/bias", "a/kernel_2", "a/bias_2", "c/kernel", "c/bias")})
