"""Cases for Keras 1, by name."""
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
    for group in [convolutions, pools, activations, dense, normalizations, reshapes, merges, nests, recurrent]:
        table.update(group(parts, backend))
    return table


def convolutions(version, backend):
    table = {
        "conv1d_even_same_stride2": lambda: one(
            Convolution1D(3, 4, border_mode="same", subsample_length=2, input_shape=(9, 2))),
        "conv1d_valid_relu": lambda: one(Convolution1D(3, 3, activation="relu", input_shape=(9, 2))),
        "conv2d_th_same": lambda: one(Convolution2D(
            3, 3, 2, border_mode="same", subsample=(2, 1), dim_ordering="th", input_shape=(2, 7, 6))),
        "conv2d_tf_same": lambda: one(Convolution2D(
            3, 2, 3, border_mode="same", subsample=(1, 2), dim_ordering="tf", input_shape=(7, 6, 2))),
        "conv2d_th_flatten_dense": lambda: one([
            Convolution2D(3, 3, 3, dim_ordering="th", input_shape=(2, 6, 5)), Flatten(), Dense(4)]),
    }
    if version >= (1, 2):
        table.update({
            "atrous1d": lambda: one(AtrousConvolution1D(
                3, 3, atrous_rate=2, border_mode="same", input_shape=(11, 2))),
            "atrous2d_th": lambda: one(AtrousConvolution2D(
                3, 3, 2, atrous_rate=(2, 2), border_mode="valid", dim_ordering="th", input_shape=(2, 9, 8))),
            "conv3d_th": lambda: one(Convolution3D(
                2, 3, 1, 3, border_mode="same", dim_ordering="th", input_shape=(2, 4, 3, 5))),
            "deconv2d_th_same": lambda: one(Deconvolution2D(
                3, 3, 3, (2, 3, 8, 10), subsample=(2, 2), border_mode="same", dim_ordering="th",
                batch_input_shape=(2, 2, 4, 5))),
            "deconv2d_tf_valid": lambda: one(Deconvolution2D(
                3, 3, 2, (2, 10, 9, 3), subsample=(2, 2), border_mode="valid", dim_ordering="tf",
                batch_input_shape=(2, 4, 4, 2))),
            "local1d": lambda: one(LocallyConnected1D(3, 3, subsample_length=2, input_shape=(9, 2))),
            "local2d_th": lambda: one(LocallyConnected2D(2, 2, 3, dim_ordering="th", input_shape=(2, 5, 4))),
            "local2d_tf": lambda: one(LocallyConnected2D(2, 3, 2, dim_ordering="tf", input_shape=(5, 4, 2))),
        })
        if backend == "tensorflow":
            table["separable2d_th"] = lambda: one(SeparableConvolution2D(
                3, 3, 2, depth_multiplier=2, border_mode="same", dim_ordering="th", input_shape=(2, 6, 5)))
            table["separable2d_tf"] = lambda: one(SeparableConvolution2D(
                3, 3, 2, depth_multiplier=2, subsample=(2, 2), dim_ordering="tf", input_shape=(6, 5, 2)))
    return table


def pools(version, backend):
    table = {
        "max2d_th_same": lambda: one(MaxPooling2D(
            (3, 2), strides=(2, 1), border_mode="same", dim_ordering="th", input_shape=(2, 8, 5))),
        "average2d_tf_same": lambda: one(AveragePooling2D(
            (2, 3), strides=(1, 2), border_mode="same", dim_ordering="tf", input_shape=(5, 8, 2))),
        "max1d_stride": lambda: one(MaxPooling1D(3, stride=2, input_shape=(9, 2))),
        "average1d": lambda: one(AveragePooling1D(2, input_shape=(9, 2))),
    }
    if version >= (1, 2):
        table["max3d_th_valid"] = lambda: one(MaxPooling3D((2, 1, 2), dim_ordering="th", input_shape=(2, 4, 3, 5)))
        table["global_max2d_th"] = lambda: one(GlobalMaxPooling2D(dim_ordering="th", input_shape=(2, 4, 3)))
        table["global_average1d"] = lambda: one(GlobalAveragePooling1D(input_shape=(4, 3)))
    return table


def activations(version, backend):
    table = {
        "prelu": lambda: one(PReLU(input_shape=(3, 4))),
        "parametric_softplus": lambda: one(ParametricSoftplus(input_shape=(3, 4))),
        "srelu": lambda: one(SReLU(input_shape=(3, 4))),
        "activations": lambda: one([
            Dense(6, input_dim=5, activation="hard_sigmoid"), ELU(0.7), Dense(6, activation="softsign"),
            LeakyReLU(0.2), Dense(6, activation="softplus"), ThresholdedReLU(0.3), Activation("softmax")]),
    }
    if version >= (1, 2):
        table["srelu_shared"] = lambda: one(SReLU(shared_axes=[1, 2], input_shape=(3, 4, 2)))
        table["prelu_shared"] = lambda: one(PReLU(shared_axes=[1], input_shape=(3, 4, 2)))
        table["parametric_softplus_shared"] = lambda: one(ParametricSoftplus(shared_axes=[2], input_shape=(3, 4)))
    return table


def dense(version, backend):
    table = {
        "highway": lambda: one(Highway(activation="tanh", input_dim=5)),
        "maxout": lambda: one(MaxoutDense(3, nb_feature=2, input_dim=5)),
        "time_distributed_dense": lambda: one(TimeDistributedDense(3, input_shape=(4, 5))),
        "training_only": lambda: one([
            GaussianNoise(0.3, input_shape=(3, 4)), GaussianDropout(0.3), Dropout(0.4),
            ActivityRegularization(l2=0.1), Dense(3) if version >= (2,) else Permute((2, 1))]),
        "weights_dense": lambda: one([Dense(4, input_dim=5, name="first"), Dense(3, name="second")]),
    }
    if version >= (1, 0, 3):
        table["highway_no_bias"] = lambda: one(Highway(bias=False, input_dim=5))
        table["maxout_no_bias"] = lambda: one(MaxoutDense(3, bias=False, input_dim=5))
    if version >= (1, 2):
        table["embedding"] = lambda: one(Embedding(5, 3, input_length=4, dropout=0.2))
    return table


def normalizations(version, backend):
    table = {
        "bn_axis1": lambda: one(BatchNormalization(axis=1, epsilon=0.01, input_shape=(3, 4, 5))),
        "bn_mode1": lambda: one(BatchNormalization(mode=1, epsilon=0.01, input_shape=(6,))),
    }
    table["weights_bn"] = lambda: one([Dense(4, input_dim=3), BatchNormalization()])
    if version >= (1, 0, 5):
        table["bn_mode2"] = lambda: one(BatchNormalization(mode=2, epsilon=0.01, input_shape=(6,)))
        table["bn_mode2_axis1"] = lambda: one(BatchNormalization(mode=2, axis=1, input_shape=(3, 4, 2)))
    return table


def reshapes(version, backend):
    def without_ordering():
        return one([
            Convolution2D(2, 1, 1, dim_ordering="th", input_shape=(2, 4, 3)),
            ZeroPadding2D((1, 2), dim_ordering="th"), UpSampling2D((2, 1), dim_ordering="th")])
    table = {
        "without_ordering_th": without_ordering,
        "pad1d_up1d": lambda: one([ZeroPadding1D(2, input_shape=(3, 4)), UpSampling1D(3)]),
        "reshape_repeat": lambda: one([
            Dense(6, input_dim=4), RepeatVector(2), Reshape((3, 4)), Permute((2, 1)), Flatten()]),
    }
    if version >= (1, 2):
        table["pad1d_dict"] = lambda: one(ZeroPadding1D({"left_pad": 2}, input_shape=(3, 4)))
        table["pad2d_dict"] = lambda: one(ZeroPadding2D(
            {"top_pad": 1, "right_pad": 2, "left_pad": 3}, dim_ordering="tf", input_shape=(3, 4, 2)))
        table["pad3d_crop3d"] = lambda: one([
            ZeroPadding3D((1, 2, 3), dim_ordering="tf", input_shape=(3, 2, 2, 2)),
            Cropping3D(((1, 1), (2, 1), (1, 3)), dim_ordering="tf"), UpSampling3D((2, 1, 1), dim_ordering="tf")])
        table["crop1d"] = lambda: one(Cropping1D((1, 2), input_shape=(6, 2)))
    return table


def merges(version, backend):
    def branch(units, **settings):
        return one([Dense(units, **settings), Activation("tanh")])

    def of_branches(mode, **settings):
        return one([Merge([branch(3, input_dim=4), branch(3, input_dim=5)], mode=mode, **settings), Dense(2)])

    def nested_branches():
        left = of_branches("concat")
        right = Input((3,))
        right = Model(input=right, output=Dense(2)(right))
        return one([Merge([left, right], mode="sum"), Activation("relu")])

    def functional(mode, shapes, **settings):
        inputs = [Input(shape) for shape in shapes]
        return Model(input=inputs, output=merge(inputs, mode=mode, **settings))

    return {
        "merge_branches_concat": lambda: of_branches("concat"),
        "merge_branches_mul": lambda: of_branches("mul"),
        "merge_branches_dot": lambda: of_branches("dot", dot_axes=1),
        "merge_branches_nested": nested_branches,
        "merge_ave": lambda: functional("ave", [(3, 4)] * 3),
        "merge_max": lambda: functional("max", [(3, 4)] * 2),
        "merge_concat": lambda: functional("concat", [(3, 4), (2, 4)], concat_axis=1),
        "merge_dot_3d": lambda: functional("dot", [(3, 4), (5, 4)], dot_axes=[2, 2]),
        "merge_dot_default": lambda: functional("dot", [(3, 4), (4, 5)], dot_axes=[2, 1]),
        "merge_cos": lambda: functional("cos", [(4,), (4,)], dot_axes=1),
    }


def nests(version, backend):
    def inner():
        return one([Dense(4, input_dim=3), BatchNormalization() if version >= (1, 0, 6) else Dense(4),
                    Activation("relu")])

    def nested_sequential():
        return one([inner(), Dense(2)])

    def shared():
        first, second = Input((3,)), Input((3,))
        model = inner()
        return Model(input=[first, second], output=merge([model(first), model(second)], mode="sum"))

    def shared_layer():
        first, second = Input((3,)), Input((3,))
        layer = Dense(2)
        return Model(input=[first, second], output=[layer(first), layer(second)])

    def recurrent_inside():
        inside = one([LSTM(3, input_shape=(4, 2), return_sequences=True), GRU(2), Dense(3)])
        return one([inside, Dense(2)])

    return {"nested_sequential": nested_sequential, "nested_shared": shared, "shared_layer": shared_layer,
            "nested_recurrent": recurrent_inside}


def masked(layer):
    embedding = Embedding(5, 3, mask_zero=True, input_length=9)
    return one([embedding, layer, LSTM(4, return_sequences=True)])


def recurrent(version, backend):
    shape = {"input_shape": (5, 3)}
    table = {
        "lstm_cpu": lambda: one(LSTM(4, **shape)),
        "lstm_mem_sequences": lambda: one(LSTM(4, consume_less="mem", return_sequences=True, **shape)),
        "gru_mem_backwards": lambda: one(GRU(4, consume_less="mem", go_backwards=True, **shape)),
        "simple_rnn_relu": lambda: one(SimpleRNN(4, activation="relu", **shape)),
        "time_distributed_dense_wrapped": lambda: one(TimeDistributed(Dense(3), input_shape=(4, 5))),
    }
    if version >= (1, 0, 3):
        table["lstm_gpu"] = lambda: one(LSTM(4, consume_less="gpu", **shape))
        table["gru_gpu"] = lambda: one(GRU(4, consume_less="gpu", return_sequences=True, **shape))
    if version >= (1, 2):
        table.update({
            "bidirectional_gru_sum": lambda: one(Bidirectional(
                GRU(3, return_sequences=True), merge_mode="sum", **shape)),
            "bidirectional_lstm_gpu": lambda: one(Bidirectional(
                LSTM(3, consume_less="gpu"), merge_mode="concat", **shape)),
            "embedding_mask_lstm": lambda: one([Embedding(5, 3, mask_zero=True, input_length=6), LSTM(4)]),
            "mask_srelu": lambda: masked(SReLU()),
            "mask_prelu": lambda: masked(PReLU()),
            "mask_parametric_softplus": lambda: masked(ParametricSoftplus()),
            "mask_bn_mode2": lambda: masked(BatchNormalization(mode=2)),
            "masking_gru": lambda: one([Masking(0.0, input_shape=(5, 3)), GRU(4)]),
            "time_distributed_conv": lambda: one(TimeDistributed(
                Convolution2D(2, 3, 2, dim_ordering="th"), input_shape=(3, 2, 5, 4))),
            "conv_lstm_tf": lambda: one(ConvLSTM2D(
                2, 3, 3, border_mode="same", dim_ordering="tf", input_shape=(3, 4, 5, 2))),
            "conv_lstm_th": lambda: one(ConvLSTM2D(
                2, 3, 3, border_mode="same", dim_ordering="th", return_sequences=True,
                input_shape=(3, 2, 4, 5))),
        })
    return table
