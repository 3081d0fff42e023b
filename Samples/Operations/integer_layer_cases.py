"""Layers of integers and booleans, for the Keras of every version: what they select keeps the type, what they compute
becomes floating-point numbers."""

import numpy as np

from recording import Case, Input

PICTURE = Input((6, 6, 3), -300, 300, "int32")
BYTES = Input((6, 6, 3), 0, 255, "uint8")
SHORT = Input((6, 6, 3), -300, 300, "int16")
TRUTH = Input((6, 3), type="bool")


def integer_layer_cases(keras):
    """The cases."""
    layers, is_new = keras.layers, keras.__version__.startswith("3")

    def integer_layers(picture, byte, truth):
        """Pooling, enlarging, rectifying, averaging."""
        result = [layers.UpSampling1D(2)(truth)]
        for x in (picture, byte):
            row = layers.Flatten()(x)
            result += [
                layers.MaxPooling2D()(x), layers.MaxPooling2D(3, 2, padding="same")(x), layers.GlobalMaxPooling2D()(x),
                layers.GlobalAveragePooling2D()(x), layers.UpSampling2D()(x), layers.UpSampling2D(interpolation="bilinear")(x),
                layers.ReLU()(x), layers.ReLU(6)(x), layers.ReLU(negative_slope=0.5)(x), layers.LeakyReLU()(x),
                layers.Activation("relu")(x), layers.Average()([row, row, row]), layers.Dense(2)(row),
            ]
            if hasattr(layers, "UnitNormalization"):
                result += [layers.UnitNormalization()(layers.Flatten()(x))] if not is_new else []
            if is_new:
                sequence = layers.Reshape((18, 6))(x)
                result += [
                    layers.LSTM(2)(sequence), layers.GRU(2)(sequence), layers.Masking()(sequence), keras.ops.relu(x),
                    layers.Bidirectional(layers.SimpleRNN(2))(sequence), keras.ops.tanh(x), keras.ops.max_pool(x, 2),
                    keras.ops.threshold(x, 9, 2), keras.ops.leaky_relu(x), layers.Activation("tanh")(x),
                ]
        return result

    def limited(picture, short):
        """Rectifiers with a slope and a limit."""
        options = [dict(max_value=6, negative_slope=0.3), dict(max_value=100, negative_slope=1.0), dict(max_value=5.5, negative_slope=0.9)]
        return [layers.ReLU(**each)(x) for x in (picture, short) for each in options]

    # Keras 3 does not rectify integers with a slope.
    older = [] if is_new else [Case("limited_integers", [PICTURE, SHORT], limited)]
    return [Case("integer_layers", [PICTURE, BYTES, TRUTH], integer_layers)] + older


def integer_types(keras):
    """Layers whose own type is an integer one: images that are cast to it, also where they are resized."""
    layers, is_new = keras.layers, keras.__version__.startswith("3")

    def build(x, byte):
        result = []
        for y, dtype in ((x, "int32"), (byte, "uint8"), (byte, "int32")):
            made = [
                layers.RandomFlip(dtype=dtype), layers.RandomContrast(0.2, dtype=dtype), layers.RandomZoom(0.2, dtype=dtype),
                layers.RandomRotation(0.2, dtype=dtype), layers.CenterCrop(3, 2, dtype=dtype), layers.CenterCrop(3, 9, dtype=dtype),
                layers.Resizing(4, 7, "nearest", dtype=dtype), layers.Dropout(0.2, dtype=dtype), layers.Flatten(dtype=dtype)]
            if is_new:  # Before, an interpolation was not rounded, so that its last place decided.
                made += [layers.Resizing(4, 7, dtype=dtype), layers.RandomCrop(3, 3, dtype=dtype)]
                made += [layers.RandomErasing(dtype=dtype), layers.AugMix(dtype=dtype), layers.RandomHue(0.2, dtype=dtype)]
            result += [layer(y) for layer in made]
        return result

    return Case("integer_types", [Input((6, 5, 3), -9, 300), Input((6, 5, 3), 0, 255, "uint8")], build)


def integers_inside(keras):
    """Wrappers of dense layers of other types, which read integers, in Keras 3."""
    layers = keras.layers

    def build(number, byte):
        types = ("float32", "float16", "mixed_float16")
        return [layers.TimeDistributed(layers.Dense(2, dtype=each))(x) for each in types for x in (number, byte)]

    def halve(model):
        """Makes the weights halves, of which 16 bits hold the sums."""
        model.set_weights([np.round(2 * weight) / 2 for weight in model.get_weights()])

    return Case("integers_inside", [Input((4, 3), -9, 9, "int32"), Input((4, 3), 0, 255, "uint8")], build, halve)


def types_inside(keras):
    """Wrappers of layers and cells that compute in another type, and layers whose type is an integer one, in Keras 3."""
    layers = keras.layers

    def build(x, number):
        row = layers.Flatten()(x)
        state = layers.Dense(3, dtype="float64")(row)
        each = layers.TimeDistributed
        return [
            layers.Bidirectional(layers.GRU(3, dtype="float64", return_sequences=True))(x),
            layers.Bidirectional(layers.LSTM(3, dtype="float64"), merge_mode="sum")(x),
            *layers.RNN(layers.GRUCell(3, dtype="float64"), return_state=True)(x),
            layers.RNN([layers.GRUCell(3, dtype="float64"), layers.LSTMCell(2)], return_sequences=True)(x),
            layers.GRU(3)(x, initial_state=state), each(layers.Flatten(dtype="float16"))(x),
            each(layers.Dense(3, activation="relu", dtype="mixed_float16"))(x), each(layers.LeakyReLU(dtype="float64"))(x),
            layers.Flatten(dtype="int32")(number), layers.Flatten(dtype="int32")(x), layers.MaxPooling1D(dtype="int32")(x),
            layers.Add(dtype="int32")([number, number]), layers.LeakyReLU(dtype="int32")(x),
            layers.Softmax(axis=0)(row), layers.Softmax(axis=[0, 2])(x),
        ]

    return Case("types_inside", [Input((5, 4), -9, 9), Input((5, 4), -9, 9, "int32")], build)


def learned_lookups(keras):
    """Vocabularies that layers learned, which Keras 3 keeps in files of the archive: side by side, and in a nested model."""
    layers = keras.layers

    def learned(**options):
        layer = layers.IntegerLookup(**options)
        layer.adapt([[12, 1138, 42], [42, 1000, 36], [12, 12, 42]])
        return layer

    def build(number):
        indices = learned()(number)
        nested = keras.Sequential([keras.Input((3,), dtype="int64"), learned(mask_token=36), layers.Embedding(9, 2)], name="nested")
        return [
            indices, learned(num_oov_indices=2)(number), learned(output_mode="multi_hot")(number), learned(max_tokens=3)(number),
            learned(output_mode="tf_idf")(number), learned(invert=True)(indices), nested(number),
        ]

    return Case("learned_lookups", [Input((3,), 35, 44, "int64")], build, containers=("keras",))
