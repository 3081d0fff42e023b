"""Records what TensorFlow writes of Keras models, and what they compute.

    <python with a TensorFlow 2> record.py MODELS CASE...

MODELS has a folder for each case, with the model as an .h5 file and its inputs (inputs.npz: in0, in1, ...).
Writes, beside this script, <version of TensorFlow>/<case>: saved_model/, the checkpoint weights.* with
architecture.json, model.h5, inputs.npz and outputs.npz. A case with a name that ends in ":weights" gets no SavedModel.

    <python with TensorFlow 2.15> record.py tables

writes the SavedModel tables/, whose layers learned what they look up.
"""
import os
import shutil
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", TF_ENABLE_ONEDNN_OPTS="0")

import numpy as np
import tensorflow as tf

ROOT = os.path.dirname(os.path.abspath(__file__))


def record(source, folder, is_whole):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    tf.keras.backend.clear_session()
    path = [os.path.join(source, name) for name in ("k2.h5", "model.h5") if os.path.exists(os.path.join(source, name))][0]
    model = tf.keras.models.load_model(path, compile=False)
    if is_whole:
        model.save(folder + "/saved_model", save_format="tf")
    model.save_weights(folder + "/weights", save_format="tf")
    for name in ("checkpoint", "saved_model/fingerprint.pb"):  # which nothing reads
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    model.save(folder + "/model.h5", save_format="h5")
    with open(folder + "/architecture.json", "w") as file:
        file.write(model.to_json())
    archive = np.load(source + "/inputs.npz")
    inputs = [archive[name] for name in sorted(archive.files, key=lambda name: (len(name), name))]
    outputs = tf.nest.flatten(model(inputs if len(inputs) > 1 else inputs[0], training=False))
    np.savez_compressed(folder + "/inputs.npz", **{"in%d" % index: array for index, array in enumerate(inputs)})
    np.savez_compressed(folder + "/outputs.npz", **{"out%d" % index: np.asarray(array) for index, array in enumerate(outputs)})


def record_tables(folder):
    """A model whose layers learn their tables, which only a SavedModel has."""
    shutil.rmtree(folder, ignore_errors=True)
    layers = tf.keras.layers
    indices, inverse, counts = (
        layers.IntegerLookup(), layers.IntegerLookup(num_oov_indices=2, mask_token=0), layers.IntegerLookup(output_mode="count"))
    for layer in (indices, inverse, counts):
        layer.adapt(np.array([5, 7, 7, 9, 9, 9, 12, 12, 12, 12]))
    x = tf.keras.Input((3,), dtype="int64")
    model = tf.keras.Model(x, [indices(x), inverse(x), counts(x)])
    model.save(folder + "/saved_model", save_format="tf")
    inputs = np.array([[5, 7, 9], [12, 0, 3], [9, 9, 4]])
    outputs = model(inputs, training=False)
    np.savez_compressed(folder + "/inputs.npz", in0=inputs)
    np.savez_compressed(folder + "/outputs.npz", **{"out%d" % index: np.asarray(array) for index, array in enumerate(outputs)})


if __name__ == "__main__":
    if sys.argv[1:] == ["tables"]:
        record_tables(os.path.join(ROOT, "tables"))
        sys.exit()
    for case in sys.argv[2:]:
        name, _, parts = case.partition(":")
        version = ".".join(tf.__version__.split(".")[:2])
        record(os.path.join(sys.argv[1], name), os.path.join(ROOT, version, name), parts != "weights")
        print(version, name)
