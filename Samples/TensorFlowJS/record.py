"""Records small layers models of TensorFlow.js: what tensorflowjs made of models of Keras, and what these computed.

    <python with TensorFlow 2.15 and tensorflowjs 4.22> record.py

Writes, beside this script, CASE/model.json with its weights, CASE.inputs.npz and CASE.outputs.npz, and CASE.h5, the
model that was converted. With quantized weights the outputs are those of Keras with the weights that tensorflowjs reads
back; these models have no .h5. teachable.cjs records a model that TensorFlow.js wrote itself.
"""

import json
import os
import pathlib
import sys
import types
import warnings
import zlib

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", TF_ENABLE_ONEDNN_OPTS="0")
warnings.filterwarnings("ignore")

import numpy
import tensorflow

for name in ("tensorflow_hub", "tensorflow_decision_forests"):  # which only other conversions need
    sys.modules[name] = types.ModuleType(name)
sys.modules["tf_keras"] = tensorflow.keras
jax = sys.modules["tensorflowjs.converters.jax_conversion"] = types.ModuleType("jax_conversion")
jax.convert_jax = None

from tensorflowjs import read_weights
from tensorflowjs.converters import keras_h5_conversion

keras = tensorflow.keras
layers = keras.layers
FOLDER = pathlib.Path(__file__).resolve().parent


def convolutions():
    x = image = keras.Input((6, 5, 3), name="image")
    x = layers.Conv2D(4, 3, padding="same", activation="relu", name="first")(x)
    x = layers.BatchNormalization(name="norm")(x)
    x = layers.SeparableConv2D(5, 3, name="second")(x)
    x = layers.GlobalAveragePooling2D(name="mean")(x)
    return keras.Model(image, layers.Dense(3, activation="softmax", name="scores")(x), name="convolutions")


def nested():
    inner = keras.Sequential([
        keras.Input((4,)), layers.Dense(4, activation="tanh", name="dense"), layers.BatchNormalization(name="norm"),
        layers.Dense(4, name="dense_1")], name="inner")
    inner.layers[0].trainable = False
    outer = keras.Input((4,), name="x")
    return keras.Model(outer, layers.Dense(2, name="dense_2")(inner(layers.Dense(4, name="before")(outer))), name="nested")


def recurrent():
    ids = keras.Input((6,), dtype="int32", name="ids")
    x = layers.Embedding(9, 4, name="words")(ids)
    x = layers.Bidirectional(layers.LSTM(3, return_sequences=True, name="lstm"), name="both")(x)
    return keras.Model(ids, layers.GRU(2, name="gru")(x), name="recurrent")


def record(name, build, quantization=None, shard_size=1 << 22):
    random = numpy.random.RandomState(zlib.crc32(name.encode()) & 0x7FFFFFFF)
    keras.backend.clear_session()
    model = build()
    model.set_weights([random.uniform(0.1, 1.0, weight.shape) - (weight.ndim > 1) * 0.5 for weight in model.get_weights()])
    path = FOLDER / f"{name}.h5"
    model.save(path, include_optimizer=False)
    topology, groups = keras_h5_conversion.h5_merged_saved_model_to_tfjs_format(str(path))
    (FOLDER / name).mkdir(exist_ok=True)
    keras_h5_conversion.write_artifacts(
        topology, groups, str(FOLDER / name), quantization and {quantization: "*"}, shard_size)
    if quantization:
        path.unlink()
        manifest = json.loads((FOLDER / name / "model.json").read_text())["weightsManifest"]
        read = read_weights.read_weights(manifest, str(FOLDER / name), flatten=True)
        arrays = {entry["name"]: entry["data"] for entry in read}
        model.set_weights([arrays[weight.name.removesuffix(":0")] for weight in model.weights])
    shapes = [(2, *tensor.shape[1:]) for tensor in model.inputs]
    inputs = [
        random.randint(0, 9, shape).astype("int32") if tensor.dtype == "int32" else
        random.normal(size=shape).astype("float32") for shape, tensor in zip(shapes, model.inputs)]
    outputs = model.predict(inputs, verbose=0)
    numpy.savez(FOLDER / f"{name}.inputs.npz", **{f"in{index}": array for index, array in enumerate(inputs)})
    numpy.savez(FOLDER / f"{name}.outputs.npz", out0=outputs)
    print(name, outputs.shape)


for case in (convolutions, nested, recurrent):
    record(case.__name__, case)
record("sharded", convolutions, shard_size=300)
for kind in ("float16", "uint8", "uint16"):
    record(kind, convolutions, quantization=kind)
