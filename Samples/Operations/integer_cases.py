"""Cases of Keras 3.15 about integers, booleans and narrow types: what overflows, and the types of the results."""

import keras
import numpy as np
from keras import layers, ops

from integer_layer_cases import integers_inside, learned_lookups, types_inside
from recording import Case, Input

MATRIX = Input((3, 4))
SIGNED = Input((3, 4), -128, 127, "int8")
SHORT = Input((3, 4), -30000, 30000, "int16")
BYTES = Input((3, 4), 0, 255, "uint8")
LONG = Input((3, 4), -2**31, 2**31 - 1, "int32")
WIDE = Input((3, 4), -2**62, 2**62, "int64")
UNSIGNED = Input((3, 4), 0, 2**63 - 2, "uint64")
TRUTH = Input((3, 4), type="bool")
PICTURE = Input((6, 6, 3), 0, 255, "uint8")


def overflows(signed, short, byte, long, wide):
    """Sums, products and powers that wrap around, or that Keras widens."""
    result = []
    for x in (signed, short, byte, long, wide):
        result += [x + x, x * x, x - x * 3, ops.square(x), ops.power(x, 3), ops.sum(x, axis=1), ops.prod(x, axis=1),
                   ops.cumsum(x, axis=1), ops.cumprod(x, axis=2), ops.cumsum(x, axis=1, dtype="int16"), x // 3, x % 3]
    result += [ops.abs(signed), ops.negative(signed), -short, ops.cast(long, "int8"), ops.cast(long, "uint8"),
               ops.cast(wide, "int32"), ops.cast(short, "uint16"), ops.sum(long), ops.fmod(signed, 3), signed + 300]
    return result


def wide_integers(wide, unsigned):
    """Integers that no floating-point type has: of neighbours, the right one is chosen."""
    near = ops.concatenate([wide, wide + 1, wide - 1], axis=1)
    return [
        layers.MaxPooling1D(2)(near), layers.MaxPooling1D(3, 2, padding="same")(near), layers.GlobalMaxPooling1D()(near),
        layers.UpSampling1D(2)(near), layers.Masking(2)(near), layers.ReLU()(near), ops.relu(near), ops.max_pool(near, 2),
        ops.threshold(near, 3, 5), ops.max(near, axis=1), ops.min(near, axis=1), ops.maximum(wide, wide + 1),
        ops.minimum(wide, wide - 1), wide + 1 > wide, wide < wide - 1, ops.equal(wide, wide + 1), ops.not_equal(wide, wide - 1),
        ops.sort(near, axis=1), ops.argsort(near, axis=1), ops.top_k(ops.transpose(near, (0, 2, 1)), 2)[0],
        ops.argmax(near, axis=1), ops.argmin(near, axis=1), ops.where(wide > 7, wide, wide + 1), wide // 3, wide % 10,
        ops.take_along_axis(near, ops.argsort(near, axis=1), axis=1), ops.pad(wide, [[0, 0], [1, 1], [0, 1]]),
        ops.cast(near, "float32"), ops.cast(near, "float64"), ops.cast(near, "bool"), ops.clip(wide, 5, 7), ops.sign(wide),
        ops.abs(wide), ops.sort(unsigned, axis=1), ops.max(unsigned, axis=1), ops.cast(unsigned, "float32"), unsigned // 2,
        ops.cast(unsigned, "int64"), ops.cast(wide, "uint64"), ops.argmax(unsigned, axis=1), ops.roll(unsigned, 1, axis=1),
        unsigned + unsigned, unsigned * 3, ops.maximum(unsigned, 7), unsigned - wide, ops.concatenate([unsigned, unsigned], axis=1),
        ops.cbrt(wide), ops.deg2rad(wide), ops.rad2deg(wide), ops.heaviside(wide, wide), ops.hypot(wide, wide),
    ]


def bits(signed, byte, long, unsigned):
    """Functions of the bits of integers; the types mixed."""
    result = [ops.bitwise_and(byte, long), ops.bitwise_or(signed, long), ops.bitwise_xor(unsigned, unsigned // 3)]
    for x in (signed, byte, long):
        result += [ops.bitwise_and(x, ops.flip(x, 1)), ops.bitwise_or(x, x // 3), ops.bitwise_xor(x, ops.roll(x, 1, axis=2)),
                   ops.bitwise_not(x), ops.bitwise_invert(x), ops.left_shift(x, x % 5), ops.bitwise_right_shift(x, x % 7)]
    return result


def shifts_beyond(signed, short, byte, long, wide):
    """Shifts by numbers below zero, by all bits, and by more."""
    result = [ops.left_shift(byte, 1), ops.left_shift(long, -3), ops.right_shift(long, 40)]
    for x in (signed, short, byte, long, wide):
        for count in (ops.roll(x, 1, axis=2), x % 9, ops.flip(x, 1) // 2):
            result += [ops.left_shift(x, count), ops.bitwise_right_shift(x, count)]
    return result


def result_types(signed, byte, long, truth):
    """The types of functions of integers and booleans, with numbers of Python, and mixed."""
    turned = ops.transpose(truth, (0, 2, 1))
    return [
        ops.max(truth, axis=1), ops.min(truth, axis=1), ops.sum(truth, axis=1), ops.cumsum(truth, axis=1),
        ops.matmul(truth, turned), ops.matmul(signed, ops.transpose(signed, (0, 2, 1))), ops.square(truth),
        ops.matmul(byte // 64, ops.transpose(byte // 128, (0, 2, 1))), ops.matmul(truth, ops.transpose(signed // 16, (0, 2, 1))),
        ops.trunc(signed), ops.trunc(long), ops.round(long), ops.floor(long), ops.sign(byte), ops.abs(truth),
        signed % 3, byte % 3, byte % 2.5, ops.mod(truth, True), ops.logical_and(byte, signed), ops.logaddexp(signed, 2),
        ops.hypot(signed, byte), ops.arctan2(ops.cast(signed, "int16"), byte), ops.maximum(signed, byte), ops.where(truth, signed, 2.5),
        ops.einsum("bij,bkj->bik", signed, signed), ops.einsum("bij->bj", byte // 64), ops.mean(byte, axis=1),
    ]


def compared(signed, byte):
    """Numbers of Python that a narrow type does not hold, or that JAX lets adopt it."""
    return [
        ops.equal(signed, 300), ops.less(byte, 300), signed > -200, ops.not_equal(byte, -1), byte % 7, ops.fmod(signed, 5),
        ops.greater_equal(signed, [[[1, 2, 3, 400]]]), ops.fabs(signed), ops.fabs(byte),
    ]


def truths(truth, unsigned):
    """Orders of booleans, and what becomes of uint64 in sums and products."""
    return [
        ops.sort(truth, axis=1), ops.argsort(truth, axis=1), ops.argmax(truth, axis=1), ops.argmin(truth, axis=2),
        ops.argmax(truth, axis=-1, keepdims=True), ops.argmin(truth), ops.prod(unsigned, axis=1), ops.sum(unsigned, axis=1),
        ops.cumprod(unsigned, axis=1), ops.cumsum(unsigned, axis=1),
    ]


def heads_of_integers(long, byte, truth):
    """Attention of integers and booleans, which the dense layers inside of it multiply in their own type."""
    attend = layers.MultiHeadAttention
    return [
        attend(2, 3)(long, long), attend(1, 2, value_dim=3)(byte, long), attend(2, 2, dtype="float64")(truth, byte),
        layers.GroupQueryAttention(2, 4, 2)(long, byte), attend(2, 3)(long, long, use_causal_mask=True),
    ]


def cast_at_the_end(x, long, byte, truth):
    """Layers that cast their result to their own type, inside of TimeDistributed; products of integers; layers that leave
    integers as they are."""
    each = layers.TimeDistributed
    steps = ops.expand_dims(x, 1)
    result = [
        each(make(dtype=kind), **outer)(steps)
        for make in (layers.BatchNormalization, layers.LayerNormalization, lambda dtype: layers.GroupNormalization(2, dtype=dtype))
        for kind, outer in [("float64", {}), ("float16", {}), ("mixed_float16", {}), ("float32", {"dtype": "float64"})]
    ]
    wide = ops.concatenate([long * 1000, long], axis=1)
    result += [layers.Dot(axes)([y, y]) for y in (wide, byte, truth) for axes in (1, 2, (2, 2))]
    return result + [layers.MaxNumBoundingBoxes(3)(each) // 2 for each in (steps[..., None][:, 0], ops.expand_dims(byte, -1))]


def pictures_of_bytes(x):
    """Images of integers: resized, cropped, and layers that do nothing at inference."""
    double = ops.cast(x, "float64") / 7
    return [
        ops.image.resize(x, (4, 9)), ops.image.resize(x, (9, 4), interpolation="bicubic"),
        ops.image.resize(x, (3, 3), interpolation="nearest"), ops.image.resize(double, (4, 4)),
        layers.Resizing(4, 4)(x), layers.Resizing(9, 5, interpolation="nearest")(x), layers.Resizing(4, 9, dtype="float64")(double),
        layers.CenterCrop(4, 4)(x), layers.CenterCrop(8, 7)(x), layers.CenterCrop(8, 7, dtype="float64")(double),
        layers.RandomBrightness(0.2)(x), layers.RandomContrast(0.2)(x), layers.RandomGrayscale()(x) // 2, layers.RandomFlip()(x),
        layers.RandomHue(0.2)(x), layers.RandomRotation(0.2)(x), layers.RandomCrop(8, 8)(x),
    ]


def types_of_layers(x, long):
    """Layers of float64 whose settings are numbers, and normalizations of other types than their own."""
    half = ops.cast(x, "float16")
    return [
        layers.LeakyReLU(0.3, dtype="float64")(x), layers.Rescaling(0.1, 0.7, dtype="float64")(x),
        layers.Normalization(mean=[0.1, 0.2, 0.3, 0.4], variance=[0.5, 0.6, 0.7, 0.8], dtype="float64")(x),
        ops.leaky_relu(ops.cast(x, "float64"), 0.1),
        layers.LayerNormalization()(half), layers.LayerNormalization()(long), layers.GroupNormalization(2)(half),
        layers.GroupNormalization(2)(long),
    ]


def wide_normalizations(x, large):
    """Normalizations of float32 in layers of a narrower type, which cast the result alone."""
    half = dict(dtype="mixed_float16")
    results = [
        layers.LayerNormalization(**half)(x), layers.LayerNormalization(**half)(large),
        layers.GroupNormalization(2, **half)(x), layers.GroupNormalization(2, **half)(large),
    ]
    # The last place of 16 bits depends on that of 32.
    return [ops.round(3.0 * result) for result in results]


def wide_batches(signed, long, truth):
    """Batch normalizations of integers, which Keras computes in float32, in layers of other types: what float32 does not hold
    is 0, and the last place of 16 bits depends on that of 32."""
    result = []
    for x in (signed, long, truth):
        for training in (None, True):
            wide, half = (layers.BatchNormalization(dtype=kind)(x, training=training) for kind in ("float64", "mixed_float16"))
            result += [wide, 1e9 * (wide - ops.cast(ops.cast(wide, "float32"), "float64")), ops.round(3.0 * half)]
    return result


def rounded_constants(x, long):
    """Numbers that TensorFlow converts to float32 first in a computation of float64."""
    double = ops.cast(x, "float64")
    heads = ops.reshape(double, (-1, 3, 2, 2))
    return [
        layers.MultiHeadAttention(1, 3, dtype="float64")(long, long), layers.MultiHeadAttention(2, 3, dtype="float64")(double, double),
        layers.GroupQueryAttention(3, 2, 1, dtype="float64")(double, double),
        ops.dot_product_attention(heads, heads, heads), ops.dot_product_attention(heads, heads, heads, scale=0.3),
        layers.Dense(3, activation="leaky_relu", dtype="float64")(double), layers.LSTM(2, activation="leaky_relu", dtype="float64")(double),
        ops.leaky_relu(double, 0.1), ops.logaddexp2(double, 2.0),
    ]


def thresholds(x):
    """Rectifiers with a threshold, of infinities and NaN too."""
    odd = ops.concatenate([x, x / 0.0, ops.log(x)], axis=1)
    return [layers.ReLU(threshold=0.5)(odd), layers.ReLU(1.5, threshold=0.5)(odd), layers.ReLU(1.5, 0.25, 0.5)(odd),
            layers.ReLU(negative_slope=0.25, threshold=0.125)(odd), layers.ReLU(2.0)(odd), layers.LeakyReLU(0.2)(odd)]


def layers_of_integers(signed, long, truth):
    """Layers that Keras computes of integers and booleans."""
    result = []
    for x in (signed, long, truth):
        result += [layers.TimeDistributed(layers.Dense(2))(x), layers.EinsumDense("abc,cd->abd", (None, 2), bias_axes="d")(x)]
    return result + [layers.ReLU(threshold=1.5)(signed), layers.ReLU(threshold=3)(long), layers.ReLU(threshold=0.5)(long),
                     layers.RMSNormalization()(signed), layers.RMSNormalization(axis=[1, 2])(long), layers.RMSNormalization()(truth),
                     layers.TimeDistributed(layers.RMSNormalization())(signed)]


def contrasts(x):
    """Contrasts of pictures with infinities and NaN, which Keras leaves as they are."""
    first = x[..., :1]
    odd = ops.concatenate([x, first / 0.0, ops.log(first), 1 / ops.relu(first), -1 / ops.relu(first), 0 * first], axis=-1)
    return [layers.AutoContrast()(odd), layers.AutoContrast(value_range=(-1, 1))(odd)]


def scores(tokens, query):
    """A softmax of attention weights, which carry the mask of the scores."""
    embedded = layers.Embedding(6, 4, mask_zero=True)(tokens)
    attend = layers.MultiHeadAttention
    weights = attend(2, 2)(embedded, embedded, return_attention_scores=True)[1]
    causal = attend(2, 2)(query, query, return_attention_scores=True, use_causal_mask=True)[1]
    both = attend(2, 2)(embedded, embedded, return_attention_scores=True, use_causal_mask=True)[1]
    grouped = layers.GroupQueryAttention(2, 2, 1)(query, query, return_attention_scores=True, use_causal_mask=True)[1]
    return [layers.Softmax()(weights), layers.Softmax()(causal), layers.Softmax()(layers.Dropout(0.1)(both)),
            layers.Softmax()(grouped), layers.Softmax()(2.0 * causal)]


def shrunk_integers(signed, short, long):
    """Integers that are brought to 0 by an integer."""
    return [function(x, threshold) for x in (signed, short, long) for function, threshold in [
        (ops.soft_shrink, 2), (ops.soft_shrink, 0), (ops.hard_shrink, 3)]] + [ops.threshold(signed, 1, -7)]


def masked_means(tokens, truth, numbers):
    """Means of the steps that a mask leaves, of integers and booleans."""
    mask = ops.not_equal(tokens, 0)
    mean = layers.GlobalAveragePooling1D
    return [mean()(truth, mask=mask), mean()(numbers, mask=mask), mean(keepdims=True)(truth, mask=mask), mean()(truth)]


def outer_numbers(signed, short):
    """Products of all pairs of integers and a number, which has a type of its own."""
    return [ops.outer(signed, -1), ops.outer(2, short), ops.outer(signed, 0.5), ops.outer(signed, short)]


def wrapped_pictures(x, whole):
    """Layers of images with an integer type inside of TimeDistributed, which cast their input themselves."""
    each = layers.TimeDistributed
    return [each(kind(dtype="int32"))(y) for y in (x, whole) for kind in (layers.AugMix, layers.RandomErasing, layers.Solarization)]


def mixed_categories(x):
    """Encodings in layers of a mixed policy."""
    mixed = {"output_mode": "multi_hot", "dtype": "mixed_float16"}
    return [layers.CategoryEncoding(8, **mixed)(x), layers.Hashing(4, **mixed)(x)]


def hashed_fractions(x, n):
    """Hashes of fractions with a mask, which Keras compares before it truncates, and of whole numbers as fractions."""
    whole = ops.cast(n, "float32")
    return [layers.Hashing(7, mask_value=0, dtype="int64")(x), layers.Hashing(7, mask_value=-1)(whole),
            layers.Hashing(5, mask_value=1, output_mode="count", dtype="float32")(x / 2), layers.Hashing(1, mask_value=1)(x)]


def numbers_beyond(x, y, z):
    """Python's numbers that the type of an integer tensor does not hold: as float32, or modulo 2^bits."""
    widths = [[0, 0], [1, 1]]
    return [x / 300, -1 / y, y / 256, y / -1, z / 70000, -300 / z, y / np.array([-1, 300, 2, 4], "int32"), ops.divide(y, -2), ops.divide_no_nan(y, -2),
            ops.true_divide(300, x), ops.logaddexp2(y, 300), ops.logaddexp(y, -1), ops.average(y, axis=1, weights=np.array([-1, 300, 2, 4])),
            ops.arctan2(y, -1), x + 300, y - 300, y * -3, -1 - z, ops.maximum(y, -1),
            y % 300, x // 300, y > -1, ops.equal(y, 300), ops.where(y > 3, y, -1), ops.pad(y, widths, constant_values=-1),
            ops.pad(x, widths, constant_values=300), ops.full_like(y, -2), ops.full_like(x, 300), ops.full_like(y, -2.5), ops.full_like(y > 3, True),
            ops.pad(y > 3, widths, constant_values=True), ops.ldexp(y, np.array([300, 300, -300, 2], "int32")),
            layers.Add()([x, y]), layers.Multiply()([y, y / 2]), layers.Average()([x, z]), layers.Maximum()([y > 3, x]), layers.Dot(1)([x, y / 2])]


def cells_of_integers(x, y):
    """Cells and layers of another type than the layer around them, which leaves integers to them."""
    def cell(**options):
        return layers.SimpleRNNCell(3, activation="linear", **options)

    half = {"dtype": "float16"}
    return [layers.RNN(cell(), **half)(x), layers.RNN([cell(), cell()], **half)(x), layers.RNN(layers.GRUCell(3), **half)(y),
            layers.Bidirectional(layers.SimpleRNN(2, activation="linear"), **half)(x), layers.RNN(layers.LSTMCell(2), **half)(y > 0)]


def fractions_among(x, y):
    """What JAX alone takes: fractions put among integers, limited ones, and exponents of more than six bits."""
    widths = [[0, 0], [1, 1]]
    return [ops.hard_shrink(x), ops.soft_shrink(y, 3), ops.threshold(y, 3, 0.5), ops.threshold(x, 3, 300), ops.full_like(y, -2.5),
            ops.pad(y, widths, constant_values=300.5), ops.power(x, y), ops.power(y, y), ops.power(3, y), ops.power(y, 3), ops.power(y, 300), y / 300,
            ops.isclose(x * 0 + 127, y), ops.isclose(ops.cast(y, "int32") + 1000000, 1000050), ops.isclose(1 / (y * 0.0), np.inf)]


def signals_of_integers(x, y):
    """Spectra of integers and booleans, which have the layer's type."""
    options = {"num_mel_bins": 6, "fft_length": 32, "sequence_stride": 16}
    return [layers.MelSpectrogram(**options)(x), layers.MelSpectrogram(power_to_db=False, **options)(y)]


def narrow_results(x, byte, short):
    """Casts of fractions that a narrow type does not hold, and products of matrices that wrap around."""
    result = [ops.cast(x, kind) for kind in ("uint8", "int8", "uint16", "int16", "bool")]
    for each in (byte, short // 32):  # Keras multiplies them in float32, which holds these sums.
        result += [ops.matmul(each, ops.transpose(each, (0, 2, 1))), ops.dot(each, ops.transpose(each[0], (1, 0)))]
    return result


def normalized_types(x, half):
    """Normalizations by statistics that are settings, in layers of every floating-point type."""
    settings = {"mean": [0.5, -0.25, 0.75, 1.0], "variance": [0.25, 4.0, 1.0, 16.0]}  # which are rounded once
    types = ("float16", "mixed_float16", "bfloat16", "mixed_bfloat16", "float32", "float64")
    made = [layers.Normalization(dtype=kind, **options, **settings)(each) for kind in types for each in (x, half)
            for options in ({}, {"invert": True})]
    # NumPy has no bfloat16.
    return [ops.cast(each, "float32") if each.dtype == "bfloat16" else each for each in made]


CASES_OF_JAX = [Case("fractions_among", [Input((4,), -9, 99, "int8"), Input((4,), 0, 99, "uint8")], fractions_among, containers=("h5",))]
CASES = [
    Case("signals_of_integers", [Input((64,), -99, 99, "int16"), Input((64,), type="bool")], signals_of_integers),
    Case("cells_of_integers", [Input((1, 2), -70000, 70000, "int32"), Input((3, 2), -4, 4, "int16")], cells_of_integers),
    Case("numbers_beyond", [Input((4,), -9, 99, "int8"), Input((4,), 0, 99, "uint8"), Input((4,), 1, 999, "uint16")], numbers_beyond),
    Case("hashed_fractions", [Input((6,), -3, 3), Input((6,), -3, 3, "int32")], hashed_fractions),
    Case("narrow_results", [Input((3, 4), -700, 700), BYTES, SHORT], narrow_results),
    Case("normalized_types", [MATRIX, Input((3, 4), type="float16")], normalized_types),
    Case("overflows", [SIGNED, SHORT, BYTES, LONG, WIDE], overflows),
    Case("wide_integers", [WIDE, UNSIGNED], wide_integers, containers=("keras",)),
    Case("result_types", [SIGNED, BYTES, LONG, TRUTH], result_types),
    Case("bits", [SIGNED, BYTES, LONG, UNSIGNED], bits),
    Case("masked_means", [Input((3,), -1, 3, "int32"), TRUTH, Input((3, 4), -9, 9, "int8")], masked_means),
    Case("outer_numbers", [SIGNED, SHORT], outer_numbers),
    Case("wrapped_pictures", [Input((3, 4, 5, 3), 0, 255), Input((3, 4, 5, 3), 0, 255, "uint8")], wrapped_pictures,
         containers=("keras",)),
    Case("mixed_categories", [Input((3,), 0, 7, "int64")], mixed_categories, containers=("keras",)),
    Case("shrunk_integers", [SIGNED, SHORT, LONG], shrunk_integers),
    Case("shifts_beyond", [SIGNED, SHORT, BYTES, LONG, WIDE], shifts_beyond),
    Case("compared", [SIGNED, BYTES], compared),
    Case("truths", [TRUTH, UNSIGNED], truths),
    Case("cast_at_the_end", [Input((3, 4)), Input((3, 4), -99, 99, "int32"), Input((3, 4), 0, 7, "uint8"), TRUTH], cast_at_the_end),
    Case("heads_of_integers", [Input((3, 4), -9, 9, "int32"), Input((3, 4), 0, 9, "uint8"), TRUTH], heads_of_integers),
    Case("pictures_of_bytes", [PICTURE], pictures_of_bytes, containers=("keras",)),
    Case("rounded_constants", [Input((3, 4)), Input((3, 4), -9, 9, "int32")], rounded_constants),
    Case("types_of_layers", [Input((3, 4)), Input((3, 4), -9, 9, "int32")], types_of_layers),
    Case("wide_normalizations", [Input((3, 4), 100, 104), Input((3, 4), -3e5, 3e5)],
         wide_normalizations, containers=("keras",)),
    Case("layers_of_integers", [SIGNED, Input((3, 4), -9, 9, "int64"), TRUTH], layers_of_integers, containers=("keras",)),
    Case("contrasts", [Input((3, 4, 2))], contrasts, containers=("keras",)),
    Case("wide_batches", [SIGNED, Input((3, 4), -9000, 9000, "int32"), TRUTH], wide_batches, containers=("keras",)),
    Case("thresholds", [Input((3, 4))], thresholds),
    Case("scores", [Input((4,), 0, 5, "int32"), Input((4, 3))], scores),
    types_inside(keras), integers_inside(keras),
    learned_lookups(keras),
]
