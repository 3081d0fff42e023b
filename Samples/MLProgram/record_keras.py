"""Makes the packages `keras_*` of this folder with coremltools 7.2 of models of Keras 2.12.

TensorFlow computed the outputs beside them. Recurrent layers become loops over lists there.

    pip install coremltools==7.2 tensorflow-cpu==2.12.0
    python record_keras.py [NAME...]
"""

import pathlib
import shutil
import sys

import coremltools as ct
import numpy as np
import tensorflow as tf

from settle import settled

HERE = pathlib.Path(__file__).parent
L = tf.keras.layers


def collected(x):
    """What a loop collects in as many steps as the numbers of the input say."""
    count = tf.cast(tf.reduce_max(tf.abs(x)) * 4, tf.int32)
    array = tf.TensorArray(tf.float32, 50, element_shape=(3,))
    step = lambda i, v, values: (i + 1, tf.tanh(v + 0.5), values.write(i, tf.reduce_sum(v, 0)))
    steps, _, values = tf.while_loop(lambda i, v, values: i < count, step, [0, x, array])
    return values.gather(tf.range(steps))


def sequence(shape, *layers):
    return lambda: tf.keras.Sequential([L.InputLayer(shape, batch_size=1)] + [make() for make in layers])


def function(compute, *shapes):
    def build():
        inputs = [tf.keras.Input(shape, batch_size=1) for shape in shapes]
        values = inputs if len(inputs) > 1 else inputs[0]
        return tf.keras.Model(inputs, L.Lambda(compute)(values))
    return build


IMAGE = (7, 6, 3)
MODELS = {
    "lstm": sequence((6, 4), lambda: L.LSTM(5)),
    "lstm_sequence": sequence((6, 4), lambda: L.LSTM(5, return_sequences=True)),
    "lstm_backwards": sequence((6, 4), lambda: L.LSTM(5, go_backwards=True)),
    "lstm_both": sequence((6, 4), lambda: L.Bidirectional(L.LSTM(5, return_sequences=True))),
    "lstm_unrolled": sequence((6, 4), lambda: L.LSTM(5, unroll=True)),
    "gru": sequence((6, 4), lambda: L.GRU(5)),
    "rnn": sequence((6, 4), lambda: L.SimpleRNN(5)),
    "conv_lstm": sequence((3, 6, 5, 2), lambda: L.ConvLSTM2D(4, 3, padding="same")),
    "conv_same": sequence((12, 10, 3), lambda: L.Conv2D(4, 3, strides=2, padding="same")),
    "conv_dilated": sequence(IMAGE, lambda: L.Conv2D(4, 3, dilation_rate=2, padding="same")),
    "conv_causal": sequence((9, 3), lambda: L.Conv1D(4, 3, padding="causal", dilation_rate=2)),
    "conv_depthwise": sequence(IMAGE, lambda: L.DepthwiseConv2D(3, depth_multiplier=2, padding="same")),
    "conv_separable": sequence(IMAGE, lambda: L.SeparableConv2D(4, 3, padding="same")),
    "conv_transpose": sequence((5, 6, 3), lambda: L.Conv2DTranspose(4, 3, strides=2, padding="same")),
    "conv_transpose_even": sequence((5, 6, 3), lambda: L.Conv2DTranspose(4, 4, strides=2, padding="same")),
    "conv_transpose_wide": sequence((5, 6, 3), lambda: L.Conv2DTranspose(4, 2, strides=3, padding="same")),
    "conv_transpose_1d": sequence((5, 3), lambda: L.Conv1DTranspose(4, 3, strides=2, padding="same")),
    "conv_transpose_3d": sequence((3, 4, 3, 2), lambda: L.Conv3DTranspose(4, 3, strides=2, padding="same")),
    "max_pool_same": sequence((12, 9, 3), lambda: L.MaxPooling2D(3, 2, padding="same")),
    "average_pool_same": sequence((12, 9, 3), lambda: L.AveragePooling2D(3, 2, padding="same")),
    "batch_norm": sequence(IMAGE, lambda: L.Conv2D(4, 3, use_bias=False), L.BatchNormalization, L.ReLU),
    "dense": sequence((5,), lambda: L.Dense(4, "tanh"), lambda: L.Dense(3, "softmax")),
    "attention": lambda: (lambda x: tf.keras.Model(x, L.MultiHeadAttention(2, 4)(x, x)))(
        tf.keras.Input((5, 8), batch_size=1)),
    "resized": function(lambda x: tf.image.resize(x, (20, 9)), IMAGE),
    "space_to_batch": function(lambda x: tf.space_to_batch(x, [2, 2], [[0, 0], [1, 1]]), (4, 6, 3)),
    "batch_to_space": function(
        lambda x: tf.batch_to_space(tf.tile(x, (4, 1, 1, 1)), [2, 2], [[0, 0], [1, 0]]), (4, 6, 3)),
    "band": function(lambda x: tf.linalg.band_part(x, 1, 2), (5, 4)),
    "reversed_sequence": function(lambda x: tf.reverse_sequence(x, [3], 1, 0), (5, 4)),
    "gathered": function(lambda x: tf.gather_nd(x, [[0, 2], [0, 1]]), (5, 4)),
    "scattered": function(lambda x: tf.scatter_nd([[4], [3], [1]], x[0], [6, 4]), (3, 4)),
    "branch": function(
        lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2, lambda: x - 1), (5,)),
    "collected": function(collected, (3,)),
    "decided": function(
        lambda x: tf.while_loop(
            lambda i, v: tf.reduce_sum(tf.abs(v)) > 1, lambda i, v: (i + 1, v * 0.7), [0, x])[1], (5,)),
    "loop": function(
        lambda x: tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2 + 1), [0, x])[1], (5,)),
}


def weights(model, generator):
    """Weights that leave nothing at its initial value."""
    for weight, variable in zip(model.get_weights(), model.weights):
        noise = generator.normal(size=weight.shape).astype(weight.dtype) * 0.1
        yield np.abs(weight + noise) + 0.5 if "variance" in variable.name else weight + noise


def record(name, build):
    tf.keras.backend.clear_session()
    tf.random.set_seed(7)
    generator = np.random.default_rng(11)
    model = build()
    model.set_weights(list(weights(model, generator)))
    inputs = [generator.normal(size=input.shape).astype(np.float32) for input in model.inputs]
    output = model(inputs if len(inputs) > 1 else inputs[0], training=False)
    package = ct.convert(
        model, convert_to="mlprogram", skip_model_load=True,
        compute_precision=ct.precision.FLOAT32, minimum_deployment_target=ct.target.iOS16)
    folder = HERE / f"keras_{name}.mlpackage"
    shutil.rmtree(folder, ignore_errors=True)
    package.save(str(folder))
    settled(folder)
    description = package.get_spec().description
    names = [input.name for input in model.inputs]
    assert sorted(names) == sorted(input.name for input in description.input)
    np.savez(HERE / f"keras_{name}.inputs.npz", **dict(zip(names, inputs)))
    np.savez(HERE / f"keras_{name}.outputs.npz", **{description.output[0].name: output.numpy()})


if __name__ == "__main__":
    for name in sys.argv[1:] or MODELS:
        record(name, MODELS[name])
