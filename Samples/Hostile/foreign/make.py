"""Makes files that their owners take for models, and README.md; writes beside itself.

Each part needs one framework (requirements.txt) and is named on the command line:

    python make.py plain        # Python only, and the README
    python make.py torch
    python make.py sklearn
    python make.py tensorflow   # Keras 2, TensorFlow Lite
    python make.py hdf5
"""

import gzip
import io
import json
import math
import os
import pathlib
import struct
import sys
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent
SAMPLES = HERE.parent.parent

STORIES = {
    "apple_double.h5": "What macOS writes beside a file on foreign disks and into zip archives (`._model.h5`).",
    "archive.tar": "A model in a tar archive.",
    "checkpoint": "The file of TensorFlow that names the newest checkpoint.",
    "data_set.h5": "Images and labels in HDF5, as `h5py` writes a data set.",
    "document.pdf": "A document.",
    "download.h5": "A web page that was saved in place of a model: a login was needed.",
    "empty.weights": "A file without a byte: a download that never began.",
    "image.jpg": "A photo given in place of the model.",
    "image.png": "Likewise.",
    "joblib.h5": "A scikit-learn classifier, saved with joblib under another name.",
    "keras_model.zip": "What Teachable Machine gives: a zip archive with `keras_model.h5` and `labels.txt`.",
    "latin1.h5": "An `.h5` file whose bytes were taken for Latin-1 and written as UTF-8.",
    "lfs.h5": "A pointer of Git LFS: the repository was cloned without `git lfs`.",
    "line_ends.h5": "An `.h5` file whose line feeds became CR LF: a transfer as text with FTP.",
    "mangled.h5": "An `.h5` file that went through a program for text: what is no UTF-8 became EF BF BD.",
    "mangled.keras": "A `.keras` archive, likewise; its signature is ASCII and survives.",
    "mangled.weights": "The weights of darknet, likewise.",
    "matlab.h5": "A MATLAB file (7.3), which is HDF5 behind 512 bytes of its own.",
    "notebook.ipynb": "The notebook that trains the model.",
    "pandas.h5": "A table that pandas writes (`to_hdf`): PyTables in HDF5.",
    "pickle.pkl": "A pickle of arrays.",
    "pickle_text.pkl": "A pickle of protocol 0, which is text.",
    "server_error.xml": "The answer of a storage server that denies access.",
    "single.npy": "One array of NumPy.",
    "sklearn.pkl": "A scikit-learn classifier in a pickle.",
    "symlink.weights": "A symbolic link of a repository, checked out on a system without them.",
    "text.cfg": "A text that is no `.cfg`.",
    "tflite.zip": "A model of TensorFlow Lite in a zip archive.",
    "torchscript.pt": "PyTorch's `torch.jit.save`.",
    "weights.h5.gz": "A model behind gzip.",
}


def write(name, data):
    (HERE / name).write_bytes(data.encode() if isinstance(data, str) else data)


def archive(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


def mangled(data):
    return data.decode("utf-8", errors="replace").encode()


def plain():
    model = (SAMPLES / "Hostile/keras/plain.h5").read_bytes()
    keras = (SAMPLES / "Models/number-types/float16_cnn.k3.keras").read_bytes()
    weights = struct.pack("<3iq", 0, 2, 5, 32013312) + b"".join(
        struct.pack("<f", math.sin(number)) for number in range(100))
    write("apple_double.h5", bytes.fromhex("0005160700020000") + b"Mac OS X        " + bytes(96))
    write("checkpoint", 'model_checkpoint_path: "model-1"\nall_model_checkpoint_paths: "model-1"\n')
    write("document.pdf", "%PDF-1.4\n%\u00e2\u00e3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n")
    write("download.h5", "\n<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>\n")
    write("empty.weights", b"")
    write("keras_model.zip", archive({"keras_model.h5": model, "labels.txt": "0 cat\n1 dog\n"}))
    write("latin1.h5", model[:600].decode("latin-1").encode())
    write("lfs.h5", "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0123456789abcdef" * 4
          + "\nsize 94765736\n")
    write("line_ends.h5", model[:600].replace(b"\n", b"\r\n"))
    write("mangled.h5", mangled(model))
    write("mangled.keras", mangled(keras))
    write("mangled.weights", mangled(weights))
    write("notebook.ipynb", json.dumps({
        "cells": [{"cell_type": "code", "source": ["model.save('model.h5')"], "outputs": [],
                   "metadata": {}, "execution_count": None}],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1))
    write("server_error.xml", '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied'
          "</Code><Message>Access Denied</Message></Error>")
    write("symlink.weights", "../../weights/yolov3-tiny.weights")
    write("text.cfg", "This is not a model.\n")
    write("weights.h5.gz", gzip.compress(model, mtime=0))
    with tarfile.open(HERE / "archive.tar", "w") as file:
        info = tarfile.TarInfo("model.h5")
        info.size = 600
        file.addfile(info, io.BytesIO(model))
    readme()


def torch_files():
    import torch

    torch.manual_seed(1)
    layer = torch.nn.Linear(2, 3)
    torch.jit.save(torch.jit.script(layer), str(HERE / "torchscript.pt"))


def sklearn_files():
    import pickle

    import joblib
    import numpy
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression().fit(numpy.array([[0.0], [1.0]]), [0, 1])
    joblib.dump(model, HERE / "joblib.h5")
    write("sklearn.pkl", pickle.dumps(model))
    write("pickle.pkl", pickle.dumps({"w": numpy.zeros(3)}))
    write("pickle_text.pkl", pickle.dumps({"w": [0.5, 1.5]}, protocol=0))
    numpy.save(HERE / "single.npy", numpy.zeros((2, 3), numpy.float32))


def tensorflow_files():
    import tensorflow as tf

    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), name="dense")])
    content = tf.lite.TFLiteConverter.from_keras_model(model).convert()
    write("tflite.zip", archive({"model_unquant.tflite": content, "labels.txt": "0 cat\n"}))

    with tempfile.TemporaryDirectory() as folder:
        tf.train.Checkpoint(v=tf.Variable(1.0)).write(os.path.join(folder, "c"))
        write("../tensorflow/alone.index", (pathlib.Path(folder) / "c.index").read_bytes())
    write("image.jpg", tf.io.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8)).numpy())
    write("image.png", tf.io.encode_png(tf.zeros([8, 8, 3], tf.uint8)).numpy())


def hdf5_files():
    import h5py
    import numpy

    with h5py.File(HERE / "data_set.h5", "w") as file:
        file["images"] = numpy.zeros((4, 8, 8, 3), numpy.uint8)
        file["labels"] = numpy.arange(4)
    with h5py.File(HERE / "matlab.h5", "w", userblock_size=512) as file:
        file["x"] = numpy.zeros((2, 2))
        file["x"].attrs["MATLAB_class"] = numpy.bytes_("double")
    with open(HERE / "matlab.h5", "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + bytes([0, 2]) + b"IM")
    with h5py.File(HERE / "pandas.h5", "w") as file:
        for key, value in {"CLASS": "GROUP", "PYTABLES_FORMAT_VERSION": "2.1", "TITLE": "",
                           "VERSION": "1.0"}.items():
            file.attrs[key] = numpy.bytes_(value)
        table = file.create_group("table")
        table.attrs["pandas_type"] = numpy.bytes_("frame")
        table["block0_values"] = numpy.zeros((2, 2))


def readme():
    rows = "".join(f"| `{name}` | {story} |\n" for name, story in sorted(STORIES.items()))
    write("README.md", f"""# Files that are something else

Files and folders that their owners take for models: one of each kind that public repositories have. Each
must be named for what it is, with what to do about it, wherever a model, an architecture or weights are
read. `make.py` makes them (and this text); `requirements.txt` pins what it needs.
`Tests/Conversion/ConversionTests/ConversionCore/ForeignFileTests.swift` says what the program must answer.

| file | what it is |
|---|---|
{rows}""")


if __name__ == "__main__":
    {"plain": plain, "torch": torch_files, "sklearn": sklearn_files,
     "tensorflow": tensorflow_files, "hdf5": hdf5_files}[sys.argv[1]]()
