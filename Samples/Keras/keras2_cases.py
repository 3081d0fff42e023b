"""Cases for Keras 2 before its move into TensorFlow, by name: what depends on the backend and on old versions."""
from keras import backend as K
from keras.layers import *
from keras.models import Model, Sequential


def one(layer):
    """A Sequential of one layer, or of several."""
    layers = layer if isinstance(layer, list) else [layer]
    model = Sequential()
    for layer in layers:
        model.add(layer)
    return model


def cases(version, backend):
    parts = tuple(int(part) for part in version.split("."))
    table = {}
    for group in [convolutions, pools, others, translators, nested]:
        table.update(group(parts, backend))
    return table


def convolutions(version, backend):
    first, last = "channels_first", "channels_last"
    table = {
        "conv1d_even_same_stride2": lambda: one(Conv1D(3, 4, padding="same", strides=2, input_shape=(9, 2))),
        "conv1d_causal_dilated": lambda: one(Conv1D(3, 2, padding="causal", dilation_rate=2, input_shape=(9, 2))),
        "conv2d_last_same": lambda: one(Conv2D(3, (3, 2), padding="same", strides=(2, 1), input_shape=(7, 6, 2))),
        "conv2d_last_dilated": lambda: one(Conv2D(
            3, (2, 3), padding="same", dilation_rate=(2, 2), data_format=last, input_shape=(7, 6, 2))),
        "conv3d_last": lambda: one(Conv3D(2, (3, 1, 2), padding="valid", data_format=last, input_shape=(4, 3, 5, 2))),
        "transposed2d_valid": lambda: one(Conv2DTranspose(
            3, (3, 2), strides=(2, 2), padding="valid", data_format=last, input_shape=(4, 3, 2))),
        "transposed2d_same": lambda: one(Conv2DTranspose(
            3, (3, 3), strides=(2, 2), padding="same", data_format=last, input_shape=(4, 3, 2))),
        "time_distributed_conv": lambda: one(TimeDistributed(Conv2D(2, (3, 2)), input_shape=(3, 5, 4, 2))),
        "local2d": lambda: one(LocallyConnected2D(2, (3, 2), input_shape=(5, 4, 2))),
        "conv_lstm": lambda: one(ConvLSTM2D(2, (3, 3), padding="same", input_shape=(3, 4, 5, 2))),
    }
    if backend == "theano":
        table["conv2d_first_flatten_dense"] = lambda: one([
            Conv2D(3, (3, 2), padding="same", data_format=first, input_shape=(2, 6, 5)), Flatten(), Dense(4)])
        table["conv3d_first_same"] = lambda: one(Conv3D(
            2, (3, 3, 1), padding="same", strides=(1, 2, 1), data_format=first, input_shape=(2, 4, 3, 5)))
        table["transposed2d_first"] = lambda: one(Conv2DTranspose(
            3, (3, 3), strides=(1, 2), padding="same", data_format=first, input_shape=(2, 4, 3)))
    if backend == "tensorflow" or version >= (2, 2):
        table["separable2d"] = lambda: one(SeparableConv2D(
            3, (3, 3), depth_multiplier=2, padding="same", input_shape=(6, 5, 2)))
        table["separable2d_dilated"] = lambda: one(SeparableConv2D(
            3, (3, 2), dilation_rate=2, padding="same", input_shape=(6, 5, 2)))
        table["separable2d_valid"] = lambda: one(SeparableConv2D(3, (2, 3), padding="valid", input_shape=(6, 5, 2)))
    if version >= (2, 2):
        table["depthwise2d"] = lambda: one(DepthwiseConv2D((3, 3), padding="same", input_shape=(6, 5, 2)))
        table["depthwise2d_even"] = lambda: one(DepthwiseConv2D((2, 2), padding="same", input_shape=(6, 5, 2)))
        table["separable1d"] = lambda: one(SeparableConv1D(3, 3, padding="same", input_shape=(6, 2)))
    if backend == "cntk":
        for name in ["conv1d_causal_dilated", "conv2d_last_dilated"]:
            del table[name]  # which CNTK does not do on a CPU
        table["transposed2d_even"] = lambda: one(Conv2DTranspose(
            3, (2, 4), strides=(1, 2), padding="same", data_format=last, input_shape=(4, 5, 2)))
    return table


def pools(version, backend):
    table = {
        "max2d_same": lambda: one(MaxPooling2D((3, 2), strides=(2, 1), padding="same", input_shape=(8, 5, 2))),
        "average2d_same": lambda: one(AveragePooling2D((2, 3), strides=(1, 2), padding="same", input_shape=(5, 8, 2))),
        "max1d_same": lambda: one(MaxPooling1D(4, strides=3, padding="same", input_shape=(11, 2))),
        "average3d_same": lambda: one(AveragePooling3D((2, 3, 2), padding="same", input_shape=(4, 3, 5, 2))),
    }
    if backend == "cntk":
        del table["max1d_same"]  # whose stride is 3
        table["max1d_same_stride2"] = lambda: one(MaxPooling1D(4, strides=2, padding="same", input_shape=(11, 2)))
    if backend == "theano":
        table["max2d_first"] = lambda: one(MaxPooling2D(
            (2, 2), padding="same", data_format="channels_first", input_shape=(2, 5, 5)))
    return table


def nested_double():
    """Models in models without inputs of their own, the innermost of which says the type."""
    K.set_floatx("float64")
    try:
        return Sequential([Sequential([Sequential([Dense(3, input_dim=4)])])])
    finally:
        K.set_floatx("float32")


def uncast():
    """Layers that leave the type of their inputs, whatever their own is."""
    x, y = Input((4, 3), dtype="float64"), Input((4, 3), dtype="float64")
    mean = Average()([x, y])
    return Model([x, y], [mean, Permute((2, 1))(x), AveragePooling1D(2, dtype="float32")(x), Flatten(dtype="float32")(y),
                          Activation("tanh", dtype="float32")(mean)])


def others(version, backend):
    def nested():
        inside = one([Conv1D(3, 3, input_shape=(7, 2)), BatchNormalization(), Flatten(), Dense(4, activation="elu")])
        return one([inside, Dense(2)])
    table = {
        "nested": nested,
        "activations": lambda: one([
            Dense(6, input_dim=5, activation="hard_sigmoid"), Dense(6, activation="selu"), LeakyReLU(0.2),
            Dense(6, activation="softplus"), ThresholdedReLU(0.3), Activation("softmax")]),
        "bn_axis1": lambda: one(BatchNormalization(axis=1, input_shape=(3, 4, 5))),
        "gru_lstm": lambda: one([GRU(3, return_sequences=True, input_shape=(5, 2)), LSTM(4)]),
        "upsampling": lambda: one(UpSampling2D((2, 3), input_shape=(3, 4, 2))),
        "weights_conv": lambda: one([Conv1D(3, 3, input_shape=(7, 2), name="c"), Flatten(), Dense(2, name="d")]),
    }
    if backend == "cntk":
        table["gru_simple"] = lambda: one([GRU(3, return_sequences=True, input_shape=(5, 2)), SimpleRNN(4)])
        table["gru_masked"] = lambda: one([Masking(0.0, input_shape=(5, 2)), GRU(3, return_sequences=True)])
        table["lstm_unrolled"] = lambda: one(LSTM(4, unroll=True, input_shape=(5, 2)))
    if version >= (2, 2, 3):
        if backend == "tensorflow":
            table["upsampling_bilinear"] = lambda: one(UpSampling2D(
                (2, 3), interpolation="bilinear", input_shape=(3, 4, 2)))
            table["types_of_inputs"] = uncast
            table["nested_double"] = nested_double
            table["softmax_masked"] = lambda: one([
                ZeroPadding1D(1, input_shape=(1, 3)), Masking(0.0), Softmax()])
        table["relu_settings"] = lambda: one(ReLU(max_value=2.0, negative_slope=0.1, threshold=0.5, input_shape=(3, 4)))
    return table


def translators(version, backend):
    """Sequences into sequences, with masks and the states that an encoder ends with."""
    if backend != "tensorflow":
        return {}

    def translator(layer, units, backwards=False, sequences=True):
        source = Input((6,), name="index_padded")
        target = Input((5,), name="index_padded_target" if sequences else "index_empty_target")
        encoded = layer(units, return_state=True)(Embedding(5, 3, mask_zero=True)(source))
        steps = Embedding(5, 4, mask_zero=True)(target)
        decoder = layer(units, return_sequences=sequences, return_state=True, go_backwards=backwards)
        return Model([source, target], decoder(steps, initial_state=encoded[1:]))

    return {
        "translator_lstm": lambda: translator(LSTM, 4),
        "translator_gru_backwards": lambda: translator(GRU, 3, backwards=True),
        "translator_simple_last": lambda: translator(SimpleRNN, 3, sequences=False),
    }


def nested(version, backend):
    """Models inside models of which some are frozen, and wrappers around a layer that states its input's shape."""
    if backend != "tensorflow":
        return {}

    def chain(shape, *parts):
        inputs = value = Input(shape)
        for part in parts:
            value = part(value)
        return Model(inputs, value)

    def frozen(model, *layers):
        model.trainable = False  # which leaves the layers' own flags
        for index in layers:
            model.layers[index].trainable = False
        return model

    def levels():
        inner = frozen(chain((4,), Dense(4), Dense(4), BatchNormalization(), Dense(4)), 1)
        middle = frozen(chain((4,), Dense(4), inner, BatchNormalization(), Dense(4)), 4)
        return chain((4,), chain((4,), Dense(4), middle, Dense(4)), Dense(2))

    def equal_names():
        inner = chain((4,), Dense(4, name="same"))
        return chain((4,), chain((4,), inner, Dense(4, name="same")), Dense(2))

    def steps():
        inner = frozen(chain((4,), Dense(4), Dense(4)), 2)
        return chain((3, 4), TimeDistributed(chain((4,), inner, Dense(4))), Dense(2))

    def directions():
        both = Bidirectional(LSTM(2, return_sequences=True))
        model = chain((3, 4), chain((3, 4), both, Dense(4)), Dense(2))
        both.forward_layer.trainable = False
        return model

    def apart(others, *layers):
        def make(is_saved):
            for _ in range(others if is_saved else 0):
                Dense(1)
            inner = chain((4,), Dense(4), Dense(4), Dense(4))
            inner.name = "inner"
            for index in layers if is_saved else ():
                inner.layers[index].trainable = False
            return chain((4,), inner, Dense(2, name="last"))

        return make

    return {
        "nested_equal_names": equal_names,
        "nested_frozen_levels": levels,
        "nested_frozen_steps": steps,
        "nested_frozen_directions": directions,
        "weights_nested_frozen": levels,
        "weights_nested_cells": lambda: chain((3, 4), chain((3, 4), RNN([LSTMCell(4), LSTMCell(4)], return_sequences=True)), Dense(2)),
        "weights_apart_overlapping": apart(1),
        "weights_apart_overlapping_frozen": apart(1, 1),
        "weights_apart_frozen": apart(3, 2),
        "wrapped_with_shape_steps": lambda: chain((3, 4), TimeDistributed(Dense(3, input_shape=(4,)))),
        "wrapped_with_shape_directions": lambda: one([Bidirectional(LSTM(2, input_shape=(3, 4)), input_shape=(3, 4)), Dense(2)]),
    }
