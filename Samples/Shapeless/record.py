"""Records Sequential models that were never given an input shape, beside this script, by its Keras.

    <python with that Keras> record.py

Writes <version>/<case>.* with what that version computes: in the inputs file in0, in the outputs file out0.
See README.md for the writers and cases.
"""
import os
import zlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2"

import numpy as np

try:
    import keras
except ImportError:
    from tensorflow import keras
layers = keras.layers
VERSION = keras.__version__
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), VERSION)

CASES = {
    "dense": ((2, 3), lambda: [layers.Dense(4, activation="tanh"), layers.Dense(2)]),
    "dense_sequence": ((2, 5, 3), lambda: [layers.Dense(4, activation="tanh"), layers.GRU(2, reset_after=True)]),
    "conv_flatten": ((2, 8, 6, 2), lambda: [
        layers.Conv2D(4, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(), layers.Dense(3)]),
    "conv_pool": ((2, 7, 6, 2), lambda: [
        layers.ZeroPadding2D(1), layers.Dropout(0.5), layers.BatchNormalization(), layers.Conv2D(3, 3, strides=2),
        layers.GlobalAveragePooling2D(), layers.Dense(2)]),
    "lstm": ((2, 5, 4), lambda: [layers.Bidirectional(layers.LSTM(3)), layers.Dense(2)]),
    "embedding": ((2, 6), lambda: [layers.Embedding(9, 4), layers.Dropout(0.1), layers.LSTM(3)]),
    "nested": ((2, 5, 2), lambda: [
        keras.Sequential([layers.Conv1D(3, 2, name="inner_conv"), layers.Flatten(name="inner_flatten")], name="inner"),
        layers.Dense(2)]),
}


def record(name, shape, make):
    random = np.random.RandomState(zlib.crc32(name.encode()) & 0x7FFFFFFF)
    keras.backend.clear_session()
    model = keras.Sequential(make())
    text = model.to_json()
    integers = name == "embedding"
    inputs = random.randint(0, 9, shape).astype("int32") if integers else random.normal(size=shape).astype("float32")
    model(inputs)
    model.set_weights([random.uniform(0.2, 1.0, weight.shape) * (-1) ** index
                       if "variance" not in variable.name else random.uniform(0.5, 1.5, weight.shape)
                       for index, (variable, weight) in enumerate(zip(model.weights, model.get_weights()))])
    path = os.path.join(FOLDER, name)
    np.savez(path + ".inputs.npz", in0=inputs)
    np.savez(path + ".outputs.npz", out0=np.asarray(model(inputs)))
    if VERSION.endswith("-tf"):
        model.save(path + ".h5", include_optimizer=False)
        return
    with open(path + ".json", "w") as file:
        file.write(text)
    model.save_weights(path + (".h5" if VERSION.startswith("2") else ".weights.h5"))
    if name == "conv_flatten":
        # Layers that are built one by one leave the model without a shape, and state their own.
        other = keras.Sequential(make())
        size = (None,) + shape[1:]
        for layer in other.layers:
            layer.build(size)
            size = layer.compute_output_shape(size)
        for layer, original in zip(other.layers, model.layers):
            layer.set_weights(original.get_weights())
        other.save(path + ".keras")


os.makedirs(FOLDER, exist_ok=True)
for name, (shape, make) in sorted(CASES.items()):
    record(name, shape, make)
