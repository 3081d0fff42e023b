"""Records small models with the Keras inside older versions of TensorFlow: what each wrote, and what it computed.

    <python with that TensorFlow> record_tensorflow.py            # all cases of that writer
    <python with that TensorFlow> record_tensorflow.py attention  # those whose names begin so

Writes, beside this script, <version of Keras>-tensorflow<version>/<case>.h5, .inputs.npz and .outputs.npz.
"""
from __future__ import print_function

import os
import sys
import warnings
import zlib

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", TF_ENABLE_ONEDNN_OPTS="0")
warnings.filterwarnings("ignore")

import numpy as np
import tensorflow as tf

keras = tf.keras
layers = keras.layers
VERSION = tuple(int(part) for part in tf.__version__.split(".")[:2])
KERAS_VERSION = tuple(int(part) for part in keras.__version__.split(".")[:2])
FOLDER = "%s-tensorflow%s" % (keras.__version__.split("-")[0], ".".join(tf.__version__.split(".")[:2]))


def unstored():
    """Layers with a setting that the version does not write; it has its default."""
    if VERSION < (2, 0):
        yield "upsampling", [((3, 4, 2), "float32")], lambda x: [layers.UpSampling2D((2, 3))(x)]
    if VERSION == (1, 14):
        yield "attention", [((3, 4), "float32"), ((5, 4), "float32")], lambda q, v: [
            layers.Attention()([q, v]), layers.AdditiveAttention(use_scale=False)([q, v]),
            layers.Attention(use_scale=True)([q, v]), layers.AdditiveAttention()([q, v])]
    if VERSION >= (2, 10) and VERSION < (2, 13):
        yield "normalization", [((3, 4), "float32")], lambda x: [
            layers.Normalization(mean=[1.0, 2.0, 3.0, 4.0], variance=[1.0, 4.0, 0.25, 2.0])(x)]
    if (3, 11) <= KERAS_VERSION < (3, 15):
        yield "transposed_convolutions", [((5, 3), "float32"), ((4, 5, 3), "float32")], lambda line, picture: [
            layers.Conv1DTranspose(2, 3, strides=2)(line),
            layers.Conv2DTranspose(2, (3, 2), strides=(2, 3), padding="same")(picture)]


def weightless():
    """Layers without weights, which before TensorFlow 2 leave the type of their input as it is."""
    if VERSION < (2, 0):
        yield "doubles", [((4, 6), "float64")], lambda x: moving(x) + computing(x)
        yield "halves", [((4, 6), "float16")], lambda x: moving(x) + computing(x)
        yield "integers", [((4, 6), "int32")], moving


def nested():
    """Models in models of which layers are frozen: their weights stand in an order that depends on the flags."""

    def chain(*parts):
        inputs = value = keras.Input((4,))
        for part in parts:
            value = part(value)
        return keras.Model(inputs, value)

    def frozen(model, *trained):
        model.trainable = False
        for index in trained:
            model.layers[index].trainable = True
        return model

    def build(x, steps):
        dense = lambda: layers.Dense(4)
        inner = frozen(chain(dense(), dense(), layers.BatchNormalization(), dense()), 2)
        middle = chain(dense(), inner, layers.BatchNormalization(), dense())
        middle.layers[4].trainable = False
        each = chain(frozen(chain(dense(), dense()), 2), dense())
        return [dense()(chain(dense(), middle, dense())(x)), layers.TimeDistributed(each)(steps)]

    if VERSION < (2, 2):
        yield "nested_frozen", [((4,), "float32"), ((3, 4), "float32")], build


def moving(x):
    """Layers that only move elements."""
    return [layers.Flatten()(x), layers.Reshape((6, 4))(x), layers.Permute((2, 1))(x), layers.Concatenate()([x, x]),
            layers.RepeatVector(2)(layers.Flatten()(x)), layers.Cropping1D(1)(x), layers.ZeroPadding1D(1)(x), layers.Add()([x, x])]


def computing(x):
    return [layers.Activation("tanh")(x), layers.ReLU(2.0)(x), layers.MaxPooling1D()(x), layers.GlobalAveragePooling1D()(x),
            layers.Dropout(0.5)(x)]


def record(name, inputs, build):
    rng = np.random.RandomState(zlib.crc32(name.encode()) & 0x7FFFFFFF)
    keras.backend.clear_session()
    tensors = [keras.Input(shape, dtype=dtype, name="in%d" % index) for index, (shape, dtype) in enumerate(inputs)]
    model = keras.Model(tensors, build(*tensors))
    model.set_weights([rng.uniform(0.1, 1.0, weight.shape) for weight in model.get_weights()])
    arrays = [(rng.normal(0.0, 1.0, (2,) + shape) * (9 if "int" in dtype else 1)).astype(dtype) for shape, dtype in inputs]
    outputs = model.predict(arrays if len(arrays) > 1 else arrays[0])
    outputs = outputs if isinstance(outputs, list) else [outputs]
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), FOLDER)
    os.makedirs(folder) if not os.path.isdir(folder) else None
    path = os.path.join(folder, name)
    np.savez(path + ".inputs.npz", **{"in%d" % index: array for index, array in enumerate(arrays)})
    np.savez(path + ".outputs.npz", **{"out%d" % index: array for index, array in enumerate(outputs)})
    model.save(path + ".h5", include_optimizer=False)
    print(FOLDER, name, [(array.shape, array.dtype.name) for array in outputs])


for case in list(unstored()) + list(weightless()) + list(nested()):
    if len(sys.argv) == 1 or case[0].startswith(tuple(sys.argv[1:])):
        record(*case)
