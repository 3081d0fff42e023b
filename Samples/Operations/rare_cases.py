"""Cases of layers in rarer forms, for both Keras 2 and Keras 3: several axes, masks, layers in place of functions."""

import inspect

import keras
import numpy as np
from keras import layers

from arising_cases import arising_cases
from frozen_cases import frozen_cases
from recording import Case, Input

IS_KERAS3 = keras.__version__.startswith("3")


def several_axes(x, cube):
    """Normalisation with statistics along several axes, or along others than the last."""
    if not IS_KERAS3:
        options = [dict(axis=[1, 2]), dict(axis=[1, 3], scale=False), dict(axis=[-1, 1], center=False, epsilon=0.1),
                   dict(axis=[1, 2, 3], scale=False, center=False), dict(axis=[2, 3], dtype="mixed_float16")]
        return [layers.BatchNormalization(**each)(x) for each in options] + [layers.BatchNormalization(axis=[1])(cube)]
    return [
        layers.RMSNormalization(axis=[1, 2, 3])(x),
        layers.RMSNormalization(axis=1)(x),
        layers.RMSNormalization(axis=[3, 2], epsilon=0.1)(cube),
        layers.RMSNormalization(axis=[1, -1])(cube),
        layers.LayerNormalization(axis=[1, 3])(x),
        layers.BatchNormalization(axis=1)(x),
    ]


def masked_merging(first, second, third):
    """Merged sequences of which steps are left out."""
    a, b, c = [layers.Embedding(3, 4, mask_zero=True)(each) for each in (first, second, third)]
    plain = layers.Embedding(3, 4)(second)
    pairs = [[a, b], [a, plain], [plain, b], [a, a]]
    outputs = []
    for merge in (layers.Maximum, layers.Minimum, layers.Multiply, layers.Add, layers.Average):
        outputs += [merge()(each) for each in pairs + [[a, b, c], [a, plain, c]]]
        outputs += [layers.GlobalAveragePooling1D()(merge()(each)) for each in ([a, b], [a, plain], [a, b, c])]
    difference = layers.Subtract()([a, b])
    return outputs + [difference, layers.GlobalAveragePooling1D()(difference)]


def masked_softmax(x, mask, few):
    """A softmax of some elements, of which there may be none."""
    return [
        layers.Softmax()(x, mask=mask),
        layers.Softmax(axis=[1, 2])(x, mask=mask),
        layers.Softmax()(x, mask=few),
        layers.Softmax(axis=1)(layers.Rescaling(20.0)(x), mask=few),
    ]


def cell_activations(x, images):
    """Cells whose activations are layers."""
    leaky = layers.LeakyReLU(0.1)
    return [
        layers.LSTM(3, activation=leaky, recurrent_activation=layers.ReLU(max_value=1.0), return_sequences=True)(x),
        layers.GRU(3, activation=layers.Softmax(), recurrent_activation=layers.Activation("hard_sigmoid"))(x),
        layers.SimpleRNN(3, activation=layers.ELU(0.5))(x),
        layers.Bidirectional(layers.RNN([layers.GRUCell(3, activation=leaky), layers.LSTMCell(2)]))(x),
        layers.ConvLSTM2D(2, 2, activation=leaky)(images),
    ]


def nested_time(x, indices):
    """Each step of each step, through a layer or a model."""
    inside = keras.Input((6,))
    model = keras.Model(inside, layers.Dense(3, activation="tanh")(layers.BatchNormalization()(inside)))
    tokens = keras.Input((4,), dtype="int32")
    reader = keras.Model(tokens, layers.LSTM(3)(layers.Embedding(3, 4, mask_zero=True)(tokens)))
    each = layers.TimeDistributed
    return [
        each(each(layers.Dense(3)))(x),
        each(each(each(layers.Dense(2))))(layers.Reshape((5, 2, 2, 6))(x)),
        each(each(model))(x),
        each(layers.Bidirectional(layers.LSTM(3)))(x),
        each(each(reader))(layers.Reshape((2, 3, 4))(indices)),
    ]


def nested_calls(x, y):
    """Calls of a model that are outputs, go to other layers, or both."""
    def inner():
        inside = keras.Input((4,))
        return keras.Model(inside, layers.Dense(4, activation="tanh")(inside))
    crossed, both, chained = inner(), inner(), inner()
    parts = keras.Input((4,))
    pair = keras.Model(parts, [layers.Dense(3)(parts), layers.Dense(2)(layers.Activation("tanh")(parts))])
    steps = [chained(x)]
    for _ in range(3):
        steps.append(chained(steps[-1]))
    return [crossed(x), layers.Dense(2)(crossed(y)), layers.Dense(2)(both(x)), both(y), steps[1],
            layers.Dense(2)(steps[3]), *pair(x), pair(y)[0]]


def trained_activations(x, images):
    """Layers in place of activation functions, with weights."""
    return [
        layers.Dense(3, activation=layers.PReLU(), use_bias=False)(x),
        layers.TimeDistributed(layers.Dense(2, activation=layers.PReLU()))(x),
        layers.Conv1D(3, 2, activation=layers.PReLU(shared_axes=[1]))(x),
        layers.SeparableConv2D(3, 2, activation=layers.PReLU())(images),
        layers.EinsumDense("abc,cd->abd", output_shape=(None, 2), bias_axes="d", activation=layers.PReLU())(x),
        layers.BatchNormalization()(layers.Conv2DTranspose(2, 2, activation=layers.PReLU(shared_axes=[1, 2]))(images)),
    ]


def masks_through_wrappers(indices):
    """A mask that the layer inside a wrapper lets through."""
    x = layers.Embedding(3, 4, mask_zero=True)(indices)
    wrapped = [layers.Dense(4), layers.Conv1D(4, 2, padding="same"), layers.Dense(3, activation="relu")]
    return [layers.LSTM(3)(layers.SpectralNormalization(layer)(x)) for layer in wrapped]


def attention_in_float64(query, value):
    """Attention in another type than what it is given."""
    attend = layers.MultiHeadAttention
    return [attend(2, 3, dtype="float64")(query, value), attend(2, 3, dtype="float64")(query, query, value[:, :4])]


def causal_scores(query, value):
    """Attention to what came before, with its weights."""
    attend = layers.MultiHeadAttention
    return [*attend(2, 3)(query, value, use_causal_mask=True, return_attention_scores=True),
            attend(2, 3, dropout=0.2)(query, query, use_causal_mask=True)]


def padded_lines(x):
    """Zeros at the ends of sequences."""
    return [layers.ZeroPadding1D((1, 2))(x), layers.ZeroPadding1D((1, 2), data_format="channels_first")(x),
            layers.ZeroPadding1D(3, data_format="channels_first")(layers.Dense(2)(x))]


def quantizable(x, sequence, indices):
    """The layers that Keras can quantize."""
    inside = keras.Input((4,))
    model = keras.Model(inside, layers.Dense(2)(layers.BatchNormalization()(layers.Dense(3)(inside))))
    images = layers.Reshape((5, 2, 2))(sequence)
    return [
        layers.Dense(3, activation="relu")(x),
        layers.Dense(2, use_bias=False)(sequence),
        layers.Embedding(7, 3, mask_zero=True)(indices),
        layers.EinsumDense("abc,cd->abd", output_shape=(None, 5), bias_axes="d", activation="tanh")(sequence),
        layers.EinsumDense("abc,bde->adec", output_shape=(2, 3, 4), bias_axes="e")(sequence),
        layers.EinsumDense("abcd,cde->abe", output_shape=(None, 3))(images),
        layers.Activation("tanh")(model(x)),
    ]


def to_int8(model):
    model.quantize("int8")


def exact_quotients(numbers):
    """Quotients that are whole numbers only once they are rounded, and their remainders."""
    if IS_KERAS3:
        from keras import ops
        types = ["float32", "float16", "bfloat16", "float64"]
        columns = [ops.cast(numbers, each) for each in types]
        parts = [ops.floor_divide(x, y) for x in columns for y in (0.3, 0.1, -0.7)]
        return [ops.cast(each, "float32") for each in parts] + [ops.mod(columns[0], y) for y in (0.3, -0.1)]
    import tensorflow as tf
    columns = [tf.cast(numbers, each) for each in (tf.float32, tf.float16, tf.float64)]
    parts = [x // tf.cast(y, x.dtype) for x in columns for y in (0.3, 0.1, -0.7)]
    return [tf.cast(each, tf.float32) for each in parts] + [tf.math.floormod(columns[0], y) for y in (0.3, -0.1)]


def partly_unfrozen(x, steps):
    """Frozen models and layers of which a part is trained, as in fine-tuning."""
    def base(name):
        inner = keras.Input((4,))
        model = keras.Model(inner, layers.Dense(4)(layers.Dense(4)(inner)), name=name)
        model.trainable = False
        model.layers[-1].trainable = True
        return model

    wrapper = layers.TimeDistributed(base("wrapped"))
    outputs = [layers.Dense(2)(base("base")(x)), wrapper(steps)]
    wrapper.trainable = False
    wrapper.layer.layers[-1].trainable = True
    return outputs


def other_type_in_steps(steps):
    """Wrapped layers that compute in another type than the wrapper."""
    return [layers.TimeDistributed(layers.Dense(3, dtype="float32"), dtype="mixed_float16")(steps)]


def rms_scaling(x):
    """Up to Keras 3.3 the setting is not in the file, and there is a gamma whatever the other settings are."""
    options = [dict(), dict(scale=False, center=False), dict(epsilon=0.1)]
    return [layers.LayerNormalization(rms_scaling=True, **each)(x) for each in options]


def called_with_dictionaries(x, y):
    """A model called twice with a dictionary; one call feeds a layer, the other is an output."""
    first, second = keras.Input((4,), name="first"), keras.Input((4,), name="second")
    difference = layers.Subtract()([layers.Dense(3)(first), layers.Dense(3)(second)])
    inner = keras.Model({"first": first, "second": second}, difference, name="inner")
    return [layers.Dense(2)(inner({"first": x, "second": y})), inner({"first": y, "second": x})]


def to_int4(model):
    model.quantize("int4", config=keras.quantizers.Int4QuantizationConfig(block_size=2))


def to_int4_of_rows(model):
    model.quantize("int4", config=keras.quantizers.Int4QuantizationConfig(block_size=-1))


def to_int4_with_input(model):
    quantizer = keras.quantizers.AbsMaxQuantizer()
    model.quantize("int4", config=keras.quantizers.Int4QuantizationConfig(
        block_size=-1, activation_quantizer=quantizer))


def adapted(x, images, indices):
    """The layers to which factors of low rank can be added."""
    return [
        layers.Dense(3)(x),
        layers.Embedding(7, 3)(indices),
        layers.EinsumDense("abcd,def->abcef", output_shape=(None, None, 2, 3))(images),
        layers.Conv2D(3, 2)(images),
    ]


def add_factors(model):
    for layer in model.layers:
        if hasattr(layer, "enable_lora"):
            layer.enable_lora(2)
            for weight in layer.trainable_weights:
                if "lora" in weight.name:
                    weight.assign(np.linspace(-0.5, 0.5, weight.numpy().size).reshape(weight.shape))


def weights_to_int8(model):
    model.quantize("int8", config=keras.quantizers.Int8QuantizationConfig(activation_quantizer=None))


def weightless_first(x, picture):
    """Nested models in which one layer has weights, and others before and after it have none."""
    flat = keras.Sequential([keras.Input((4, 4, 2)), layers.Flatten(), layers.Dense(3), layers.LeakyReLU()])
    steps = keras.Sequential([keras.Input((4,)), layers.Reshape((2, 2)), layers.Flatten(), layers.Dense(2)])
    return [layers.ELU()(flat(picture)), layers.TimeDistributed(steps)(x)]


def models_in_steps(x):
    """Models for each step, around which the wrapper computes in another type."""
    def inner():
        return keras.Sequential([keras.Input((4,)), layers.Dense(2)])
    return [layers.TimeDistributed(inner(), dtype="float16")(x), layers.TimeDistributed(inner(), dtype="mixed_float16")(x),
            layers.TimeDistributed(inner())(x)]


CASES = [
    Case("weightless_first", [Input((3, 4)), Input((4, 4, 2))], weightless_first, containers=("h5", "keras")),
    Case("models_in_steps", [Input((3, 4), -9, 9)], models_in_steps),
    Case("several_axes", [Input((4, 3, 4)), Input((3, 3, 3))], several_axes),
    Case("masked_merging", [Input((5,), 0, 3, "int32")] * 3, masked_merging),
    Case("masked_softmax", [Input((4, 5)), Input((4, 5), type="bool"), Input((4, 1), type="bool")], masked_softmax),
    Case("cell_activations", [Input((5, 4)), Input((3, 4, 4, 1))], cell_activations),
    Case("nested_time", [Input((5, 4, 6)), Input((24,), 0, 3, "int32")], nested_time),
    Case("nested_calls", [Input((4,)), Input((4,))], nested_calls, containers=("h5", "keras")),
    Case("trained_activations", [Input((5, 4)), Input((4, 3, 2))], trained_activations, containers=("h5", "keras")),
    Case("masks_through_wrappers", [Input((5,), 0, 3, "int32")], masks_through_wrappers),
    Case("attention_in_float64", [Input((4, 3)), Input((5, 3))], attention_in_float64),
    Case("causal_scores", [Input((4, 3)), Input((5, 3))], causal_scores),
    Case("partly_unfrozen", [Input((4,)), Input((3, 4))], partly_unfrozen, containers=("h5", "keras")),
    Case("called_with_dictionaries", [Input((4,)), Input((4,))], called_with_dictionaries, containers=("h5", "keras")),
    *([] if IS_KERAS3 else [
        Case("other_type_in_steps", [Input((3, 4))], other_type_in_steps, containers=("h5", "keras"))]),
    Case("exact_quotients", [Input((30,), -40, 40, "int32")], exact_quotients),
] + [Case(name, [Input((4,)), Input((3, 4))], build, containers=("h5", "keras"))
     for name, build in frozen_cases(keras).items()] + arising_cases(keras)


def spectra(line, lines):
    """Spectra of signals."""
    options = [dict(), dict(mode="magnitude", padding="same", frame_step=3), dict(mode="psd", scaling="spectrum"),
               dict(mode="real", window="hamming"), dict(mode="imag", fft_length=16), dict(mode="angle"),
               dict(mode="stft", expand_dims=True), dict(mode="stft"), dict(expand_dims=True, frame_step=None)]
    outputs = [layers.STFTSpectrogram(**{"frame_length": 8, "frame_step": 4, **each})(lines) for each in options]
    settings = [dict(), dict(sequence_length=12, window="hamming", power_to_db=False),
                dict(window=None, mag_exp=1.0, min_freq=100.0, max_freq=6000.0, top_db=20.0, ref_power=3.0)]
    return outputs + [layers.MelSpectrogram(**{"fft_length": 16, "sequence_stride": 5, "num_mel_bins": 4, **each})(line)
                      for each in settings]


def pipelines(pictures):
    """Layers in a row that are one layer."""
    return [
        layers.Pipeline([layers.Rescaling(0.5), layers.RandomFlip(), layers.CenterCrop(3, 2)])(pictures),
        layers.Pipeline([layers.BatchNormalization(), layers.Dense(2), layers.Conv2D(3, 2)])(pictures),
    ]


def upsampling_filters(pictures):
    """Pictures enlarged by filters."""
    names = ["bicubic", "lanczos3", "lanczos5"] + ([] if IS_KERAS3 else ["area", "gaussian", "mitchellcubic"])
    return [layers.UpSampling2D((2, 3), interpolation=name)(pictures) for name in names]


def hashes(number, single, other):
    """Buckets of whole numbers."""
    modes = [dict(output_mode=mode) for mode in ("multi_hot", "count")]
    options = [dict(), dict(mask_value=3), dict(dtype="int32"), *modes, dict(mask_value=-1, output_mode="count")]
    outputs = [layers.Hashing(7, **each)(number) for each in options] + [layers.Hashing(2 ** 40)(number)]
    outputs += [layers.Hashing(5, output_mode="one_hot")(single), layers.Hashing(1, mask_value=3)(number)]
    crossed = [dict(num_bins=9), dict(num_bins=2 ** 40), dict(num_bins=5, output_mode="one_hot")]
    outputs += [layers.HashedCrossing(**each)([single, other]) for each in crossed]
    return outputs if IS_KERAS3 else outputs + [layers.HashedCrossing(1000)([other, single, other])]


def lookups(number, index):
    """Vocabularies of numbers the other way, and with weights."""
    words = [12, 36, 1138, 42]
    options = [dict(), dict(mask_token=7), dict(num_oov_indices=2, oov_token=-5), dict(num_oov_indices=0)]
    weighted = [dict(), dict(num_oov_indices=2, mask_token=0), dict(pad_to_max_tokens=True, max_tokens=9)]
    return [layers.IntegerLookup(vocabulary=words, invert=True, **each)(index) for each in options] + [
        layers.IntegerLookup(vocabulary=words, output_mode="tf_idf", idf_weights=[0.5, 1.5, 0.25, 2.0], **each)(number)
        for each in weighted]


def equalization(pictures, shares, first):
    """Pictures whose tiles are equalized."""
    equalize = layers.ContrastLimitedAdaptiveHistogramEqualization
    return [
        equalize(tile_grid_size=(3, 2))(pictures),
        equalize(clip_limit=0.0, tile_grid_size=(1, 1))(pictures),
        equalize(clip_limit=1.5, tile_grid_size=(4, 5))(pictures),
        equalize(value_range=(0, 1), tile_grid_size=(2, 3))(shares),
        equalize(value_range=(-2, 2), tile_grid_size=(2, 2), data_format="channels_first")(first),
    ]


QUANTIZABLE = [Input((4,)), Input((5, 4)), Input((3,), 0, 7, "int32")]
LARGE = Input((1,), -10**15, 10**15, "int64")
CASES += [
    Case("upsampling_filters", [Input((4, 3, 2))], upsampling_filters),
    Case("hashes", [Input((5,), -5, 5, "int64"), LARGE, LARGE], hashes),
    Case("lookups", [Input((6,), 35, 44, "int64"), Input((8,), -1, 7, "int64")], lookups,
         containers=("h5", "keras") if IS_KERAS3 else ("h5",)),
]
CASES += [
    Case("equalization", [Input((9, 10, 3), 0, 256), Input((8, 7, 2), 0, 1), Input((2, 6, 5))], equalization),
    Case("spectra", [Input((40,)), Input((30, 2))], spectra),
    Case("pipelines", [Input((5, 4, 3))], pipelines, containers=("h5", "keras")),
    Case("padded_lines", [Input((4, 3))], padded_lines),
    Case("quantized", QUANTIZABLE, quantizable, to_int8, ("h5", "keras")),
    Case("quantized_weights", QUANTIZABLE, quantizable, weights_to_int8, ("keras",)),
    Case("quantized_to_int4", QUANTIZABLE, quantizable, to_int4, ("h5", "keras")),
    Case("quantized_to_int4_of_rows", QUANTIZABLE, quantizable, to_int4_of_rows, ("keras",)),
    Case("quantized_to_int4_with_input", QUANTIZABLE, quantizable, to_int4_with_input, ("keras",)),
    Case("adapted", [Input((4,)), Input((4, 3, 2)), Input((3,), 0, 7, "int32")], adapted, add_factors, ("keras",)),
] if IS_KERAS3 else []

def short_vectors(x, y, z):
    """Vectors that are shorter than the least length by which they are divided, which depends on the version."""
    unit, cosine = layers.UnitNormalization(), layers.Dot(1, normalize=True)
    if IS_KERAS3:
        functions = [keras.ops.normalize(x), keras.ops.normalize(y)]
        if "epsilon" in inspect.signature(keras.ops.normalize).parameters:
            functions += [keras.ops.normalize(y, epsilon=1e-15), keras.ops.normalize(x, order=1), keras.ops.normalize(y, 0, 3)]
    else:
        import tensorflow as tf
        functions = [tf.math.l2_normalize(x, 1), tf.math.l2_normalize(y, 1), tf.math.l2_normalize(y, 1, epsilon=1e-20)]
    return [unit(x), unit(y), unit(z), cosine([x, y]), cosine([y, x]), cosine([z, x])] + functions


SHORT_VECTORS = Case("short_vectors", [Input((3,), -2e-8, 2e-8), Input((3,), -1e-10, 1e-10), Input((3,), -1e-13, 1e-13)],
                     short_vectors)
CASES += [SHORT_VECTORS]


def largest_numbers(x, y, byte, n):
    """Numbers whose squares no type holds, and the least integers, whose magnitude is negative."""
    shrink = keras.ops.hard_shrink
    return [keras.ops.hypot(x, y), shrink(byte, threshold=2), shrink(n, threshold=0)]


if IS_KERAS3:
    CASES += [Case("largest_numbers", [Input((3,), -1e200, 1e200, "float64"), Input((3,), -1e200, 1e200, "float64"),
                                       Input((9,), -128, -124, "int8"), Input((9,), -2**31, -2**31 + 2, "int32")], largest_numbers)]


def rectified_integers(least, byte, n):
    """Integers that are limited, with limits and thresholds between them and beyond them, and with slopes."""
    settings = [dict(max_value=4.7), dict(threshold=2.7), dict(max_value=4.7, threshold=2.7), dict(max_value=300.0),
                dict(threshold=300.0), dict(max_value=200.0)]
    if IS_KERAS3:
        settings += [dict(max_value=4.5, negative_slope=3), dict(negative_slope=1.5)]
    else:
        settings += [dict(max_value=6.0, negative_slope=1.5), dict(max_value=4.5, negative_slope=3.0),
                     dict(threshold=2.7, negative_slope=1.9), dict(max_value=6.0, threshold=2.0, negative_slope=2.0)]
    return [layers.ReLU(**setting)(x) for setting in settings for x in (least, byte, n)]


CASES += [Case("rectified_integers", [Input((6,), -128, -126, "int8"), Input((9,), -9, 127, "int8"), Input((5,), -9, 9, "int32")],
               rectified_integers)]


def masked_beyond(byte, n):
    """Masks whose value the type of the input does not hold: Keras 2 wraps it to -6 and 250."""
    return [layers.Masking(value)(x) for value in (250, -6) for x in (byte, n)]


CASES += [Case("masked_beyond", [Input((8, 1), -8, -5, "int8"), Input((8, 1), 249, 252, "uint8")], masked_beyond)]


def thresholds_beyond(byte, n):
    """Thresholds that the type of the input does not hold, nor their negatives."""
    shrink = keras.ops.soft_shrink
    return [keras.ops.threshold(byte, 300, 5), keras.ops.threshold(n, -300, 5), keras.ops.hard_shrink(byte, threshold=300),
            shrink(byte, threshold=200), shrink(n, threshold=1), shrink(n, threshold=200)]


if IS_KERAS3:
    CASES += [Case("thresholds_beyond", [Input((40,), -128, 127, "int8"), Input((40,), 0, 255, "uint8")], thresholds_beyond)]


def turned_hues(x):
    """Hues of pixels with an infinite number, which have the other two as they are."""
    import tensorflow as tf
    bright = layers.Concatenate()([x[..., :1], x[..., 1:2] + 1e308, x[..., 2:]])
    return [tf.image.adjust_hue(y, delta) for y in (x, bright) for delta in (0.3, -0.1)]


if not IS_KERAS3:
    CASES += [Case("turned_hues", [Input((3, 4, 3))], turned_hues)]


def saturated_casts(x, n, byte, truth):
    """Casts that leave nothing beyond the type, nor an infinity."""
    ops = keras.ops
    large = x * 3e38 * 3e38
    pairs = [(large, "float32"), (large, "float16"), (large, "float64"), (ops.cast(x, "float64") * 3e9, "int32"), (x, "bool"),
             (ops.cast(large, "float16"), "int32"), (n * 1000, "float16"), (n * 1000, "uint32"), (byte, "float32"), (truth, "uint8"),
             (truth, "int32"), (ops.cast(n, "int64") * 2**30, "int32")]
    return [ops.saturate_cast(value, dtype) for value, dtype in pairs]


def real_numbers(x, n, byte, truth):
    """Functions for complex numbers of real ones, and a test of all elements."""
    ops = keras.ops
    infinite = x / (x * 0)
    outputs = [ops.isreal(each) for each in (x, n, truth)] + [ops.angle(each) for each in (x, infinite, n, byte, truth, ops.cast(x, "float16"))]
    pairs = [(x, x + 1e-9), (x, x + 1), (infinite, infinite), (infinite, x), (x, infinite), (infinite, -infinite), (n, n), (n, n + 1)]
    return outputs + [ops.allclose(*pair) for pair in pairs] + [ops.allclose(infinite, infinite, equal_nan=True), ops.allclose(x, x + 1, atol=2)]


def images_of_integers(byte, n, truth, x):
    """Contrasts and equalizations of images of integers, and of another floating-point type."""
    contrast, equalize = layers.AutoContrast, layers.ContrastLimitedAdaptiveHistogramEqualization
    half = keras.ops.cast(x, "float16")
    outputs = [contrast()(byte), contrast()(n), contrast()(truth), contrast(value_range=(0, 1))(byte), contrast(dtype="float64")(n)]
    outputs += [equalize(tile_grid_size=(2, 2))(each) for each in (byte, truth)]
    return outputs + [equalize(tile_grid_size=(2, 2), dtype="float16")(half), equalize((0, 1), tile_grid_size=(2, 3))(byte)]


if IS_KERAS3:
    kinds = [Input((7,)), Input((7,), -300, 300, "int32"), Input((7,), 0, 255, "uint8"), Input((7,), 0, 1, "bool")]
    CASES += [Case("saturated_casts", kinds, saturated_casts), Case("real_numbers", kinds, real_numbers)]
    shape = (8, 9, 3)
    images = [Input(shape, 0, 255, "uint8"), Input(shape, -300, 300, "int32"), Input(shape, 0, 1, "bool"), Input(shape, 0, 255)]
    CASES += [Case("images_of_integers", images, images_of_integers)]


def places_of_zeros(x, truth):
    """Places of the largest and smallest of zeros of both signs; since 3.9, -0 is below 0."""
    ops, zeros = keras.ops, x * 0
    places = [ops.argmax, ops.argmin, ops.nanargmax, ops.nanargmin]
    both = [zeros, ops.where(truth, zeros, float("nan")), ops.where(truth, zeros, -1e-30)]
    outputs = [place(each, axis=-1) for place in places for each in both[::2]] + [place(both[1], axis=-1) for place in places[2:]]
    outputs += [place(ops.cast(zeros, dtype), axis=1) for place in places for dtype in ("float16", "bfloat16", "float64")]
    return outputs + [ops.argmax(zeros), ops.argmin(zeros, axis=1, keepdims=True), ops.argmax(ops.softmax(x), axis=-1), ops.argmax(ops.cast(x * 5, "int8"), axis=-1)]


def distances(x, y, single):
    """Distances between the vectors of two lists, and tensors made of tensors."""
    ops = keras.ops
    doubles = [ops.cast(each, "float64") for each in (x, y)]
    return [ops.cdist(x, y), ops.cdist(y, y), ops.cdist(x, single), ops.cdist(*doubles), ops.array(x), ops.array(x * 9, dtype="int32")]


def rolled_elements(x, n):
    """Elements that move from the end of a tensor to its beginning, across all axes."""
    return [keras.ops.roll(x, shift) for shift in (2, -3, 12, 0)] + [keras.ops.roll(n, 5), keras.ops.roll(x, 1, axis=1)]


def mixed_steps(x):
    """Layers of float32 for each step, whose weights are cast to the type around."""
    inner = [layers.Dense(3, use_bias=False, dtype="float32"), layers.Activation("relu", dtype="float32")]
    return [layers.TimeDistributed(each, dtype="mixed_float16")(x) for each in inner]


def spectra_of_channels(x, deep, half):
    """Spectra of several channels."""
    options = dict(fft_length=16, sequence_stride=5, num_mel_bins=4)
    return [layers.MelSpectrogram(**options)(each) for each in (x, deep)] + [
        layers.MelSpectrogram(power_to_db=False, dtype="float64", **options)(x), layers.MelSpectrogram(dtype="float16", **options)(half)]


def salted_hashes(n, wide, single):
    """Buckets by hashes with a key."""
    outputs = [layers.Hashing(bins, salt=salt)(each) for each in (n, wide) for bins in (7, 2**40) for salt in (133, [5, 2**62])]
    return outputs + [layers.Hashing(9, salt=1, mask_value=3)(n), layers.Hashing(5, salt=2, output_mode="one_hot")(single)]


def further_sizes(x, deep):
    """Sizes beyond those that an equation names, which Keras ignores."""
    return [layers.EinsumDense("ab,bc->ac", (5, 9))(x), layers.EinsumDense("abc,cd->abd", (3, 5, 8), bias_axes="d")(deep)]


SALTED = [Input((5,), -2000, 2000, "int32"), Input((2, 3), -10**12, 10**12, "int64"), Input((1,), -9, 9, "int32")]
CASES += [Case("salted_hashes", SALTED, salted_hashes), Case("further_sizes", [Input((4,)), Input((3, 4))], further_sizes)]
if IS_KERAS3:
    CASES += [
        Case("places_of_zeros", [Input((5, 7)), Input((5, 7), 0, 1, "bool")], places_of_zeros),
        Case("distances", [Input((3, 4)), Input((5, 4)), Input((1, 4))], distances),
        Case("mixed_steps", [Input((3, 1))], mixed_steps, containers=("h5", "keras")),
        Case("rolled_elements", [Input((3, 4)), Input((2, 5), -9, 9, "int32")], rolled_elements),
        Case("spectra_of_channels", [Input((2, 40)), Input((2, 3, 40)), Input((2, 40), type="float16")], spectra_of_channels),
    ]


def crossed_channels(x, states):
    """Recurrent convolutions whose activations work along the channels."""
    layer = layers.ConvLSTM2D
    return [
        layer(3, 2, activation="softmax")(x), layer(3, (2, 3), padding="same", recurrent_activation="softmax", return_sequences=True)(x),
        layer(2, 3, padding="same", activation="softmax", recurrent_activation="softmax")(x, initial_state=[states, states]),
    ]


CASES += [Case("crossed_channels", [Input((3, 4, 5, 2)), Input((4, 5, 2))], crossed_channels)]


def further_functions(x, y, n, byte, truth):
    """Products, memberships, signs, coordinates, bits and integrals."""
    ops = keras.ops
    zeros, places = x * 0, [0.0, 0.5, 2.0, 3.0]
    outputs = [ops.kron(x, y[0]), ops.kron(y[1], n), ops.kron(n, n[0]), ops.kron(x[0], truth[0, 0])]
    outputs += [ops.isin(n, byte), ops.isin(n, [1, 2, 250], invert=True), ops.isin(x, zeros), ops.isin(byte, n[:, 0], assume_unique=True)]
    outputs += [ops.signbit(each) for each in (x, zeros, n, byte, truth, ops.cast(zeros, "float16"), 1 / zeros)]
    outputs += [*ops.unravel_index(byte[:, 0, 0], (7, 3, 5)), *ops.unravel_index(n, (2, 3)), *ops.unravel_index(byte, (9,))]
    outputs += [ops.view(x, "int32"), ops.view(n, "float32"), ops.view(byte, "int8"), ops.view(x), ops.view_as_real(x), ops.view_as_real(n)]
    outputs += [ops.trapezoid(x), ops.trapezoid(x, dx=0.25, axis=1), ops.trapezoid(n), ops.trapezoid(x, x=places)]
    return outputs + [ops.trapezoid(ops.cast(x, "float16"), x=[[[0.0], [0.5], [2.0]]], axis=1)]


def frames(x, n):
    """Sequences cut out of signals, and their spectra."""
    ops = keras.ops
    outputs = [ops.extract_sequences(x, 5, 3), ops.extract_sequences(n, 24, 1), ops.extract_sequences(x[0, 0], 7, 9)]
    outputs += [part for window in ("hann", "hamming", None) for part in ops.stft(x, 8, 3, 10, window=window)]
    return outputs + [*ops.stft(ops.cast(x, "float64"), 16, 5, 16, center=False), *ops.stft(x, 7, 4, 9, window=None)]


if IS_KERAS3:
    CASES += [
        Case("further_functions", [Input((3, 4)), Input((2, 2)), Input((3, 2), -9, 9, "int32"), Input((2, 2), 0, 255, "uint8"), Input((2, 3), 0, 1, "bool")],
             further_functions),
        Case("frames", [Input((2, 24)), Input((24,), -9, 9, "int32")], frames),
    ]


def orders_and_shifts(x, n, byte):
    """Whether elements ascend, spectra with their middle in front, and a tensor that is printed."""
    import tensorflow as tf
    slopes = [tf.cast(tf.reshape(tf.range(24), (2, 3, 4)), "float32"), tf.zeros((2, 3, 4))]
    values = [x, n, byte] + [x * 0 + slope for slope in slopes] + [slopes[0] / (x * 0), x[:1, :1, :1]]
    outputs = [test(each) for test in (tf.math.is_non_decreasing, tf.math.is_strictly_increasing) for each in values]
    shifts = [tf.signal.fftshift, tf.signal.ifftshift]
    outputs += [shift(x, axes=axes) for shift in shifts for axes in (1, (1, 2), [-1])]
    outputs += [tf.linalg.diag(x, k=k) for k in (1, -2)] + [tf.linalg.diag_part(tf.transpose(x, (2, 1, 0)), k=k) for k in (0, 1, -1)]
    return outputs + [keras.backend.print_tensor(x, message="x"), keras.backend.print_tensor(n)]


def functions_of_real_numbers(x, n):
    """Functions for complex numbers of real ones, and a cast to the default type."""
    import tensorflow as tf
    infinite = x / (x * 0)
    return [tf.math.imag(x), tf.math.angle(x), tf.math.angle(infinite), keras.backend.cast_to_floatx(n)]


if not IS_KERAS3:
    CASES += [Case("real_numbers", [Input((7,)), Input((7,), -9, 9, "int32")], functions_of_real_numbers)]
    CASES += [Case("orders_and_shifts", [Input((3, 4)), Input((3, 4), -9, 9, "int32"), Input((3, 4), 0, 255, "uint8")], orders_and_shifts)]


def discretized(x, n):
    """Intervals, which have the layer's type before Keras 3.12 and int32 since."""
    make = keras.layers.Discretization
    return [make([-1, 0.5])(x), make([-1, 0.5], dtype="float32")(x), make([0, 3], dtype="int32")(n), make([0, 3], dtype="float16")(n)]


def images_of_versions(x, byte, n, truth):
    """Images of integers, what happens to images that are too small, and a mask of booleans."""
    return [layers.RandomBrightness(0.2)(byte), layers.RandomContrast(0.2)(n), layers.CenterCrop(8, 3)(x), layers.CenterCrop(8, 3)(byte),
            layers.CenterCrop(8, 3, dtype="float64")(x), layers.RandomCrop(8, 3)(n), layers.RandomCrop(3, 2)(x),
            layers.RandomCrop(3, 2, dtype="float64")(byte), layers.Resizing(4, 9)(byte), layers.Resizing(4, 9)(n),
            layers.UpSampling2D(2, interpolation="bilinear")(n), layers.Masking()(truth)]


def copies(n, truth, half):
    """Copies, which are float32 in Keras 3.7 to 3.10 unless they are asked to have another type."""
    copy = keras.ops.convert_to_tensor
    return [copy(n), copy(truth), copy(half), copy(n, dtype="int64"), copy(half, dtype="float64")]


def shared_calls(x, y):
    """A layer and a model that are called twice; Keras 3.2.0 and 3.2.1 write that all read the first call."""
    inner = keras.Input((4,))
    shared, model = layers.Dense(3), keras.Model(inner, layers.Dense(3, activation="tanh")(inner), name="model")
    return [layers.Concatenate()([shared(x), shared(y)]), layers.Dense(2)(layers.Subtract()([model(x), model(y)]))]


def cosines(truth, n):
    """Cosines of integers, which Keras computes up to 3.5."""
    return [layers.Dot(1, normalize=True)([x, x]) for x in (truth, n)]


# What depends on the version of Keras 3.
CASES_OF_VERSIONS = [SHORT_VECTORS] + [case for case in CASES if case.name.startswith("masked_")] + [
    Case("images_of_versions", [Input((6, 6, 2)), Input((6, 6, 2), 0, 255, "uint8"), Input((6, 6, 2), -99, 99, "int32"),
                                Input((3, 2), type="bool")], images_of_versions, containers=("keras",)),
    Case("discretized", [Input((3, 4)), Input((4,), -9, 9, "int32")], discretized),
    Case("rms_scaling", [Input((4,))], rms_scaling, containers=("h5", "keras")),
    Case("shared_calls", [Input((4,)), Input((4,))], shared_calls, containers=("h5", "keras"))]
if keras.__version__.startswith("3.3."):
    CASES_OF_VERSIONS += [Case("cosines", [Input((4, 3), type="bool"), Input((4, 3), -9, 9, "int32")], cosines)]
if keras.__version__.startswith("3.9."):
    CASES_OF_VERSIONS += [Case("copies", [Input((3,), -9, 9, "int32"), Input((2,), type="bool"), Input((3,), type="float16")],
                               copies, containers=("h5", "keras"))]
