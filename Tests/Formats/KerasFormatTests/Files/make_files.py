"""Writes the Keras files of these tests, next to itself. Needs h5py and numpy.

They follow keras/saving/legacy/hdf5_format.py by hand, so that each can be wrong in one way.
"""

import json
import os
import warnings
import zipfile

import h5py
import numpy as np

folder = os.path.dirname(os.path.abspath(__file__))

MODEL = {
    "class_name": "Functional",
    "config": {
        "name": "net",
        "trainable": True,
        "layers": [
            {"class_name": "InputLayer", "config": {"name": "x"}, "name": "x", "inbound_nodes": []},
            {"class_name": "Dense", "config": {"name": "fc", "units": 2}, "name": "fc",
             "inbound_nodes": [[["x", 0, 0, {}]]]},
        ],
        "input_layers": [["x", 0, 0]],
        "output_layers": [["fc", 0, 0]],
    },
}
NAMES = ["fc/kernel:0", "fc/bias:0"]


def old(names):
    """Names as Keras up to 2.2 writes them; later ones are of variable length."""
    return np.array([name.encode() for name in names])


def new(name, model=MODEL, version="2.15.0"):
    file = h5py.File(os.path.join(folder, name), "w", libver=("earliest", "v110"))
    file.attrs["keras_version"] = version
    file.attrs["backend"] = "tensorflow"
    if model is not None:
        file.attrs["model_config"] = model if isinstance(model, str) else json.dumps(model)
        return file, file.create_group("model_weights")
    return file, file


def layer(root, name, names=NAMES, listed=None):
    group = root.create_group(name)
    for index, weight in enumerate(names):
        shape = (3, 2) if "kernel" in weight else (2,)
        data = np.arange(np.prod(shape), dtype="<f4").reshape(shape) + 10 * index
        group.create_dataset(weight, data=data)
    group.attrs["weight_names"] = names if listed is None else listed
    return group


def usual(root, **options):
    root.attrs["layer_names"] = ["x", "fc"]
    layer(root, "x", [])
    return layer(root, "fc", **options)


file, root = new("whole.h5")
usual(root)
layer(root, "top_level_model_weights", [])
file.attrs["training_config"] = "{not JSON"
file.create_group("optimizer_weights").create_dataset("Adam/m:0", data=np.zeros(6, "<f4"))

file, root = new("weights_only.h5", None, "2.1.5")
root.attrs["layer_names"] = old(["x", "fc"])
layer(root, "x", []).attrs["weight_names"] = np.array([], "S1")
layer(root, "fc", listed=old(NAMES))

file, root = new("split.h5")
for part, names in enumerate([["x"], ["fc", "last"]]):
    root.attrs[f"layer_names{part}"] = old(names)
layer(root, "x", [])
group = layer(root, "fc")
del group.attrs["weight_names"]
group.attrs["weight_names0"] = old(NAMES[:1])
group.attrs["weight_names1"] = old(NAMES[1:])
layer(root, "last", [])

file, root = new("top_level_weights.h5")
usual(root)
layer(root, "top_level_model_weights", ["scale:0"])

file, root = new("unlisted_weight.h5")
usual(root, listed=NAMES[:1])
file, root = new("unlisted_layer.h5")
usual(root)
layer(root, "stray", ["stray/kernel:0", "stray/bias:0"])
file, root = new("unlisted_link.h5")
usual(root)["alias"] = h5py.SoftLink("/model_weights/fc/fc/bias:0")
file, root = new("missing_weight.h5")
usual(root, listed=NAMES + ["fc/scale:0"])
file, root = new("missing_layer.h5")
usual(root)
root.attrs["layer_names"] = ["x", "fc", "gone"]
file, root = new("layer_twice.h5")
usual(root)
root.attrs["layer_names"] = ["x", "fc", "fc"]
file, root = new("weight_twice.h5")
usual(root, listed=NAMES + NAMES[:1])
# HDF5 reads `//` as `/`, and a name that begins with `/` from the root.
file, root = new("slashes.h5")
usual(root, listed=["fc//kernel:0", "/model_weights/fc/./fc/bias:0"])
file, root = new("weight_twice_slashes.h5")
usual(root, listed=NAMES + ["fc//kernel:0"])
file, root = new("no_weight_names.h5")
del usual(root).attrs["weight_names"]
file, root = new("number_names.h5")
usual(root, listed=[1, 2])
file, root = new("no_layer_names.h5")
usual(root)
del root.attrs["layer_names"]
file, root = new("no_weights.h5")
del file["model_weights"]
file, root = new("bad_json.h5", '{"class_name": "Model", ')
usual(root)
file, root = new("bad_version.h5", version="new")
usual(root)
file, root = new("keras4_model.h5", version="4.0.0")
usual(root)

file, root = new("not_keras.h5", None)
file.create_dataset("images", data=np.zeros(2, "<f4"))
file.create_group("labels")

NAMELESS = [{"class_name": "Dense", "config": {"name": "fc"}}]
file, root = new(
    "nameless.h5", {"class_name": "Sequential", "config": [
        {"class_name": "Sequential", "config": NAMELESS},
        {"class_name": "Dense", "config": {"name": "last"}}]}, "2.1.5")
root.attrs["layer_names"] = old(["tower", "last"])
layer(root, "tower")
layer(root, "last", [])

texts = {
    "model.json": json.dumps(MODEL | {"keras_version": "2.2.4-tf", "backend": "tensorflow"}),
    "keras4.json": json.dumps(MODEL | {"keras_version": "4.0.0"}),
    "model.yaml": "backend: tensorflow\nclass_name: Model\n",
    "model.txt": "Layer (type)    Output Shape\n",
    "empty.json": "",
    "list.json": "[]",
    "broken.json": '{"class_name": }',
    "string.json": json.dumps(json.dumps(MODEL | {"keras_version": "2.2.4-tf", "backend": "tensorflow"})),
    "string_list.json": '"[]"',
    "string_twice.json": json.dumps(json.dumps(json.dumps(MODEL))),
    "string_text.json": '"model"',
    "string_empty.json": '""',
    "string_cut.json": '"{}',
    "cut_off.keras": "PK\x03\x04 and so on",
}
for name, text in texts.items():
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def objects(name, layers="layers", groups=("dense",), separator="/"):
    """Weights in the layout of .weights.h5; returns the bytes too."""
    path = os.path.join(folder, name)
    with h5py.File(path, "w", libver=("earliest", "v110")) as file:
        for index, group in enumerate(groups):
            variables = file.create_group(f"{layers}{separator}{group}/vars")
            for number, shape in enumerate([(3, 2), (2,)]):
                data = np.arange(np.prod(shape), dtype="<f4").reshape(shape)
                variables.create_dataset(str(number), data=data + 10 * number + 100 * index)
        file.create_group("optimizer/vars").create_dataset("0", data=np.zeros(2, "<f4"))
    with open(path, "rb") as file:
        return file.read()


WEIGHTS = objects("objects.weights.h5")
objects("objects_older.weights.h5", "_layer_checkpoint_dependencies", ["dense", "dense_2"])
objects("objects_surplus.weights.h5", groups=["dense", "dense_1"])
# As Keras 2 on Windows joins the names of objects.
objects("objects_windows.weights.h5", separator="\\")
objects("objects_windows_older.weights.h5", "_layer_checkpoint_dependencies", ["dense", "dense_2"], "\\")
objects("objects_windows_surplus.weights.h5", groups=["dense", "dense_1"], separator="\\")
objects("objects_two_ways.weights.h5", groups=["dense"])
with h5py.File(os.path.join(folder, "objects_two_ways.weights.h5"), "a") as file:
    file["layers"].create_dataset("dense\\vars\\0", data=np.zeros((3, 2), "<f4"))
objects("objects_deep.weights.h5", "layers" + 120 * "\\a", separator="\\")
METADATA = json.dumps({"keras_version": "3.15.1", "date_saved": "2026-01-01@00:00:00"})


def archive(name, changes={}, more=(), method=zipfile.ZIP_STORED):
    """A .keras archive; a change to None leaves the member out."""
    members = {"metadata.json": METADATA, "config.json": json.dumps(MODEL),
               "model.weights.h5": WEIGHTS} | changes
    path = os.path.join(folder, name)
    with zipfile.ZipFile(path, "w") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for key, data in [*members.items(), *more]:
            if data is not None:
                file.writestr(zipfile.ZipInfo(key), data, method)
    return path


archive("stored.keras")
archive("deflated.keras", method=zipfile.ZIP_DEFLATED)
archive("no_config.keras", {"config.json": None})
archive("no_metadata.keras", {"metadata.json": None})
archive("no_weights.keras", {"model.weights.h5": None})
archive("twice.keras", more=[("config.json", "{}")])
archive("traversing.keras", more=[("../config.json", "{}")])
archive("absolute.keras", more=[("/etc/config.json", "{}")])
archive("more.keras", more=[("notes.txt", "Hello")])
archive("assets.keras", more=[("assets/layers/lookup/vocabulary.txt", "one")])
for offset in [512, 2048]:
    # Stored weights that begin where an HDF5 file may begin behind a user block.
    info = zipfile.ZipInfo("model.weights.h5")
    padding = offset - 30 - len(info.filename) - 4
    info.extra = b"\xff\xff" + padding.to_bytes(2, "little") + bytes(padding)
    with zipfile.ZipFile(os.path.join(folder, f"weights_at_{offset}.keras"), "w") as file:
        file.writestr(info, WEIGHTS)
        file.writestr(zipfile.ZipInfo("metadata.json"), METADATA)
        file.writestr(zipfile.ZipInfo("config.json"), json.dumps(MODEL))
archive("table.keras", more=[("assets/layers/table/rows.bin", "one")])
archive("folder.keras", more=[("assets/", "")])
archive("bad_json.keras", {"config.json": '{"class_name": '})
archive("bad_version.keras", {"metadata.json": '{"keras_version": "new"}'})
archive("no_version.keras", {"metadata.json": "{}"})
archive("keras4.keras", {"metadata.json": '{"keras_version": "4.0.0"}'})
archive("no_hdf5.keras", {"model.weights.h5": b"weights"})
archive("texts_cut.keras", more=[("weighbridge.json", '{"author": ')])
archive("texts_list.keras", more=[("weighbridge.json", '["author"]')])
archive("texts_number.keras", more=[("weighbridge.json", '{"author": 7}')])

# One byte of the weights is another than the checksum says.
path = archive("damaged.keras")
with open(path, "r+b") as file:
    data = file.read()
    file.seek(data.index(WEIGHTS) + len(WEIGHTS) - 1)
    file.write(bytes([WEIGHTS[-1] ^ 1]))
# The directory claims far more than a few bytes can unpack to.
path = archive("bomb.keras", method=zipfile.ZIP_DEFLATED)
with open(path, "r+b") as file:
    data = file.read()
    entry = data.rindex(b"model.weights.h5") - 46
    file.seek(entry + 24)
    file.write((1 << 30).to_bytes(4, "little"))
