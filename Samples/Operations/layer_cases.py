"""Cases of further layers, for both Keras 2 and Keras 3."""

import keras
from keras import layers

from integer_layer_cases import integer_layer_cases, integer_types
from recording import Case, Input

IS_KERAS3 = keras.__version__.startswith("3")
NUMBERS = [12, 36, 1138, 42]


def normalization(x):
    """Normalisation over odd axes."""
    both = [
        layers.LayerNormalization(axis=[3, 1])(x),
        layers.LayerNormalization(axis=[-1, -2], scale=False)(x),
        layers.GroupNormalization(groups=-1)(x),
        layers.GroupNormalization(groups=2, axis=2, epsilon=0.1)(x),
        layers.UnitNormalization(axis=[-1, 1])(x),
    ]
    if not IS_KERAS3:
        return both + [layers.BatchNormalization(renorm=True)(x)]
    return both + [
        layers.RMSNormalization()(x),
        layers.RMSNormalization(axis=[2, 3], epsilon=0.1)(x),
        layers.LayerNormalization(rms_scaling=True)(x),
        layers.LayerNormalization(axis=[1, 2], rms_scaling=True, scale=False, center=False, epsilon=0.2)(x),
    ]


def spectral(x, indices):
    """Spectral normalisation of every kind of layer."""
    wrapped = [layers.Dense(4), layers.Conv2D(4, 2), layers.Conv2DTranspose(4, 3, strides=2)]
    wrapped += [layers.DepthwiseConv2D(3, depth_multiplier=2)] if IS_KERAS3 else [layers.LocallyConnected2D(3, 2)]
    wrapped += [layers.EinsumDense("abcd,def->abcef", output_shape=(None, None, 2, 3), bias_axes="ef")]
    frozen = layers.SpectralNormalization(layers.Conv2D(3, 2))
    outputs = [layers.SpectralNormalization(layer)(x) for layer in wrapped] + [frozen(x)]
    frozen.trainable = False
    return outputs + [layers.SpectralNormalization(layers.Embedding(9, 4))(indices)]


def indices(x, bucket, number, single, weights):
    """Layers between numbers and indices."""
    lookups = [dict(), dict(mask_token=0), dict(num_oov_indices=3), dict(oov_token=-7, mask_token=5)]
    outputs = [layers.IntegerLookup(vocabulary=NUMBERS, **options)(number) for options in lookups]
    outputs += [layers.IntegerLookup(vocabulary=NUMBERS, output_mode=mode, mask_token=0)(number)
                for mode in ("multi_hot", "count")]
    outputs += [layers.IntegerLookup(vocabulary=NUMBERS, output_mode="one_hot")(single),
                layers.CategoryEncoding(5, output_mode="count")(bucket, count_weights=weights),
                layers.Discretization([-0.5, 0.0, 0.7])(x)]
    if IS_KERAS3:
        outputs += [layers.CategoryEncoding(5, output_mode="one_hot")(bucket)]
    return outputs


def resizing(small, large):
    """Every way of resizing."""
    names = ["bilinear", "nearest", "bicubic", "lanczos3", "lanczos5", "area"]
    names += [] if IS_KERAS3 else ["gaussian", "mitchellcubic"]
    ways = [dict(), dict(crop_to_aspect_ratio=True)]
    ways += [dict(antialias=True), dict(pad_to_aspect_ratio=True, fill_value=2.5)] if IS_KERAS3 else []
    return [layers.Resizing(*size, interpolation=name, **way)(x)
            for name in names for way in ways for x, size in ((small, (4, 7)), (large, (3, 2)))]


def changes_in_training(x):
    """Layers that leave pictures alone when the model runs."""
    names = ["RandomContrast", "RandomTranslation", "RandomZoom"]
    if IS_KERAS3:
        names += ["RandomHue", "RandomInvert", "RandomErasing"]
    options = dict.fromkeys(["RandomTranslation", "RandomZoom"], dict(height_factor=0.2, width_factor=0.2))
    return [getattr(layers, name)(**options.get(name, dict(factor=0.3)))(x) for name in names]


def connected(line, lines, image, images):
    """Convolutions with a kernel of their own at each position."""
    outputs = []
    for implementation in (1, 2, 3):
        for layout, one, two in (("channels_last", line, image), ("channels_first", lines, images)):
            options = dict(implementation=implementation, data_format=layout)
            outputs += [layers.LocallyConnected1D(4, 3, strides=2, **options)(one),
                        layers.LocallyConnected2D(3, (3, 2), strides=(2, 1), activation="relu", **options)(two)]
            if implementation > 1:
                outputs += [layers.LocallyConnected2D(2, (2, 3), padding="same", **options)(two)]
    return outputs


def adaptive_pooling(line, image, images, volume):
    """Pooling to given extents."""
    return [
        pool(kind, rank, size)(x, layout)
        for kind in ("Average", "Max")
        for rank, size, x, layout in [
            (1, 3, line, "channels_last"), (1, 4, line, "channels_last"), (2, (3, 4), image, "channels_last"),
            (2, (2, 3), images, "channels_first"), (2, 1, image, "channels_last"),
            (3, (2, 3, 1), volume, "channels_last")]
    ]


def pool(kind, rank, size):
    return lambda x, layout: getattr(layers, f"Adaptive{kind}Pooling{rank}D")(size, data_format=layout)(x)


def embedding(indices, features):
    """Embeddings that also run the other way."""
    plain, untied = layers.ReversibleEmbedding(9, 4), layers.ReversibleEmbedding(9, 4, tie_weights=False)
    capped = layers.ReversibleEmbedding(9, 4, logit_soft_cap=2.0)
    return [layer(value, reverse=reverse) for layer in (plain, untied, capped)
            for value, reverse in ((indices, False), (features, True))]


def dictionaries(x, y):
    """Models in the model that are called with dictionaries: the order of the keys is not that of the inputs."""
    b, a = keras.Input((4,), name="b"), keras.Input((4,), name="a")
    listed = keras.Model([b, a], layers.Subtract()([b, a]), name="listed")
    first, second = keras.Input((4,), name="first"), keras.Input((4,), name="second")
    keyed = keras.Model({"z": first, "c": second}, layers.Subtract()([first, second]), name="keyed")
    return [listed({"a": x, "b": y}), listed([x, y]), keyed({"z": x, "c": y})]


def partly_frozen(x):
    """Wrappers of frozen layers, whose weights come last: in the model, and in a model in it."""
    gru = layers.GRU(4, go_backwards=True, return_sequences=True, trainable=False, name="last")
    frozen_backward = layers.Bidirectional(layers.GRU(4, return_sequences=True), backward_layer=gru)
    outputs = [frozen_backward(x), layers.RNN(stack())(x)]
    frozen_forward = layers.Bidirectional(layers.LSTM(4), name="frozen_forward")
    outputs += [frozen_forward(x)]
    if IS_KERAS3:  # Keras 2 cannot save it.
        outputs += [layers.SpectralNormalization(layers.Dense(4, trainable=False))(x)]
    frozen_forward.forward_layer.trainable = False
    inner = keras.Input((5, 4))
    y = layers.TimeDistributed(layers.Dense(4, trainable=False))(inner)
    y = layers.RNN(stack(), return_sequences=True)(layers.Dense(4)(y))
    return outputs + [keras.Model(inner, y, name="inner")(x)]


def nested_models(x, y):
    """Models in a model: called with masks of some inputs, and one that is applied to each step."""
    first, second = keras.Input((5, 4)), keras.Input((3, 4))
    both = keras.Model([first, second], [layers.LSTM(3)(first), layers.GRU(3)(second)], name="both")
    masked = [layers.Masking(0.0)(layers.ReLU(threshold=1.7)(value)) for value in (x, y)]
    step = keras.Input((4,))
    hidden = layers.BatchNormalization()(layers.Dense(4, trainable=False)(step))
    each = keras.Model(step, layers.Dense(4)(hidden), name="each")
    steps = keras.Input((5, 4))
    every = keras.Model(steps, layers.TimeDistributed(each)(steps), name="every")
    return [*both([masked[0], y]), *both([x, masked[1]]), *both(masked), every(x)]


def stack():
    """Three cells, of which the first is frozen."""
    return [layers.SimpleRNNCell(4, trainable=False), layers.SimpleRNNCell(4), layers.SimpleRNNCell(4)]


def unrolled(x):
    """Unrolled layers that go backwards, with a mask."""
    x = layers.Masking(0.0)(layers.ReLU(threshold=0.9)(x))
    options = dict(unroll=True, return_sequences=True)
    backwards = dict(options, go_backwards=True)
    outputs = [layers.Bidirectional(layers.LSTM(3, **options))(x), layers.LSTM(3, **backwards)(x),
               layers.GRU(3, zero_output_for_mask=True, **backwards)(x)]
    if IS_KERAS3:  # Keras 2 fails without return_sequences.
        outputs += [layers.GRU(3, zero_output_for_mask=True, go_backwards=True, unroll=True)(x)]
    cells = [layers.SimpleRNNCell(3), layers.SimpleRNNCell(2)]
    return outputs + [layers.RNN(cells, zero_output_for_mask=True, **backwards)(x)]


PICTURE = Input((5, 4, 3))
CASES = [
    Case("dictionaries", [Input((4,)), Input((4,))], dictionaries),
    Case("partly_frozen", [Input((5, 4))], partly_frozen, containers=("h5", "keras")),
    Case("nested_models", [Input((5, 4)), Input((3, 4))], nested_models, containers=("h5", "keras")),
    Case("unrolled", [Input((6, 2))], unrolled),
    Case("normalization", [Input((3, 4, 6))], normalization),
    Case("spectral_normalization", [PICTURE, Input((5,), 0, 9, "int32")], spectral),
    Case("indices", [Input((4,)), Input((4,), 0, 5, "int32"), Input((6,), -3, 45, "int64"),
                     Input((1,), 34, 44, "int64"), Input((4,))], indices),
    Case("resizing", [Input((3, 5, 2)), Input((9, 7, 1))], resizing),
    Case("changes_in_training", [Input((5, 4, 3), 0, 255)], changes_in_training),
] + ([
    Case("adaptive_pooling", [Input((7, 2)), Input((7, 6, 2)), Input((2, 5, 6)), Input((3, 4, 2, 2))], adaptive_pooling),
    Case("reversible_embedding", [Input((5,), 0, 9, "int32"), Input((3, 4))], embedding),
] if IS_KERAS3 else [
    Case("locally_connected", [Input((7, 3)), Input((3, 7)), Input((6, 5, 2)), Input((2, 6, 5))], connected),
]) + integer_layer_cases(keras) + [integer_types(keras)]
