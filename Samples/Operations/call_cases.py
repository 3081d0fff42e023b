"""Cases of layers called in rarer ways, for both Keras 2 and Keras 3: in training mode, with constants, with more axes."""

import keras
import numpy as np
from keras import layers

from recording import Case, Input

IS_KERAS3 = keras.__version__.startswith("3")
ROW = np.array([[0.5, 1.5, -2.5, 3.5]], "float32")


def batch_statistics(x, picture, mask):
    """Batch normalization in training mode, by the statistics of the batch, and other layers that then do the same as ever."""
    normalize = layers.BatchNormalization
    outputs = [
        normalize()(x, training=True), normalize(epsilon=0.1, center=False)(x, training=True),
        normalize(scale=False)(picture, training=True),
        normalize(axis=1)(picture, training=True),
        normalize(axis=[1, 3])(picture, training=True) if not IS_KERAS3 else normalize(axis=2)(picture, training=True),
        normalize(trainable=False)(x, training=True),
        layers.LayerNormalization()(x, training=True) if IS_KERAS3 else layers.LayerNormalization()(x),
        layers.Dropout(0.0)(x, training=True),
        layers.GaussianNoise(0.0)(x, training=True), layers.SpatialDropout1D(0.0)(picture[:, :, 0], training=True),
        layers.GRU(3)(picture[:, :, 0], training=True),
        layers.LSTM(3, dropout=0.0)(picture[:, :, 0], training=True),
        layers.MultiHeadAttention(2, 3)(picture[:, 0], picture[:, 0], training=True),
        normalize()(picture, training=False),
        layers.Attention()([picture[:, 0], picture[:, 1]], training=True),
        layers.Bidirectional(layers.GRU(2))(picture[:, 0], training=True),
    ]
    if IS_KERAS3:
        outputs += [normalize()(picture[:, :, 0], mask=mask, training=True), normalize()(picture[:, :, 0], mask=mask)]
    return outputs


def nested_in_training(x):
    """Models in the model that are called in training mode, and not."""

    def normalized(name, **mode):
        inner = keras.Input((4,))
        y = layers.BatchNormalization()(layers.Dense(4)(inner), **mode)
        return keras.Model(inner, layers.Dense(4)(y), name=name)

    plain = normalized("plain")
    return [normalized("inner")(x, training=True), normalized("fixed", training=True)(x), plain(x, training=False),
            plain(x)]


def constants(x, n, y):
    """Constants among the inputs of layers; Keras 3 takes them after a tensor only."""
    batch, cube = np.concatenate([ROW, 2 * ROW]), np.linspace(-1, 1, 40, dtype="float32").reshape(2, 5, 4)
    mask = np.tril(np.ones((1, 3, 3), "bool"))
    outputs = [
        layers.Add()([x, ROW]), layers.Multiply()([x, batch]), layers.Subtract()([x, ROW]),
        layers.Average()([x, ROW, 2 * ROW]), layers.Maximum()([x, batch]), layers.Dot(1)([x, batch]),
        layers.Multiply()([y, np.ones((1, 3, 4), "float32") * 1.5]),
        layers.Concatenate(axis=-1)([y, np.full((2, 3, 1), 2.5, "float32")]), layers.Attention()([y, cube]),
        layers.MultiHeadAttention(2, 3)(y, y, attention_mask=mask), layers.MultiHeadAttention(2, 3)(y, cube),
        layers.Softmax()(y, mask=np.ones((1, 3, 4), "bool")),
    ]
    if IS_KERAS3:
        return outputs
    return outputs + [layers.Add()([ROW, x]), layers.Minimum()([ROW, x]), layers.Concatenate(axis=0)([ROW, x]), layers.Add()([n, np.array([[1, 2], [3, 4]], "int32")]),
                      layers.Add(dtype="float64")([x, np.array([[0.1, 0.2, 0.3, 0.4]])])]


def more_axes(x, volume, lines):
    """Convolutions and pooling of one and two axes with more axes before them."""
    same = dict(padding="same")
    return [
        layers.Conv1D(2, 3)(x), layers.Conv1D(2, 2, strides=2, **same)(x),
        layers.Conv1D(2, 2, padding="causal", dilation_rate=2)(x),
        layers.Conv1D(4, 2, groups=2, activation="relu")(x),
        layers.Conv1D(2, 2)(volume), layers.Conv2D(2, (2, 3))(volume),
        layers.Conv2D(3, 2, strides=(1, 2), use_bias=False, **same)(volume), layers.Conv1D(2, 2)(lines),
    ]


def rank_4(query, value, mask, value_mask, first, second):
    """Attention with axes between the batch and the positions."""
    attend = layers.Attention
    heads = layers.MultiHeadAttention
    outputs = [
        attend()([query, value]), attend(use_scale=True)([query, value], use_causal_mask=True),
        *attend()([query, value, value], return_attention_scores=True),
        heads(2, 3)(query, query), heads(2, 3, attention_axes=2)(query, value),
        heads(2, 3, attention_axes=(2,))(query, value, attention_mask=mask),
    ]
    return outputs + [heads(2, 3, attention_axes=1)(query, query), heads(2, 3, attention_axes=(1, 2))(query, value)]


def scaled_sum(x, y):
    """The residual connection of InceptionResNetV2."""
    from importlib import import_module
    scaled = import_module("keras.src.applications.inception_resnet_v2").CustomScaleLayer
    return [scaled(0.17)([x, y]), layers.Activation("relu")(scaled(0.2)([y, layers.Conv2D(2, 1)(x)]))]


def plain_layers(x):
    """The base class of all layers, which changes nothing."""
    return [layers.Layer()(x), layers.Dense(2)(layers.Layer(dtype="float32")(x))]


MATRIX = Input((3, 4))
CASES = [
    Case("calls_batch_statistics", [Input((4,)), Input((4, 3, 4)), Input((4,), type="bool")], batch_statistics),
    Case("calls_nested_in_training", [Input((4,))], nested_in_training, containers=("h5", "keras")),
    Case("calls_constants", [Input((4,)), Input((2,), 0, 5, "int32"), MATRIX], constants, containers=("h5", "keras")),
    Case("calls_scaled_sum", [Input((4, 4, 2)), Input((4, 4, 2))], scaled_sum, containers=("h5", "keras")),
    Case("calls_rank_4",
         [Input((3, 5, 4)), Input((3, 6, 4)), Input((3, 5, 6), type="bool"), Input((3, 6), type="bool"), MATRIX, MATRIX],
         rank_4),
] + ([] if IS_KERAS3 else [
    Case("calls_plain_layers", [Input((4,))], plain_layers),
    Case("calls_more_axes", [Input((3, 6, 4)), Input((2, 4, 5, 3)), Input((2, None, 3))], more_axes),
])
