"""Cases of Keras 3.15: activations by name and as layers, and operations on Keras' tensors."""

import numpy as np
import keras
from keras import layers, ops

import attention_cases
import call_cases
import index_cases
import integer_cases
import keras3_functions
import layer_cases
import rare_cases
import statistics_cases
from recording import Case, Input

MATRIX = Input((3, 4))
POSITIVE = Input((3, 4), 0.2, 3.0)
PICTURE = Input((4, 6, 4))

# All that `activation=` can name, but `threshold`, which lacks its settings then.
FUNCTIONS = [
    "celu", "elu", "exponential", "gelu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu", "hard_tanh", "leaky_relu",
    "linear", "log_sigmoid", "log_softmax", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "soft_shrink", "softmax",
    "softplus", "softsign", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus", "tanh", "tanh_shrink",
]


def activation_functions(x, y):
    """Each function on numbers around zero and on large ones."""
    return [layers.Activation(name, name=f"{name}{suffix}")(value)
            for name in FUNCTIONS for value, suffix in [(x, ""), (y, "_large")]]


def activation_layers(x):
    """Dense layers whose `activation` is a layer."""
    activations = [layers.LeakyReLU(0.1), layers.ReLU(1.5, 0.25, 0.5), layers.ELU(0.7), layers.Softmax(),
                   layers.PReLU()]
    return [layers.Dense(3, activation=activation)(x) for activation in activations]


def arithmetic(x, y, z, n):
    """Operators of Python and functions of two tensors, with constants on either side."""
    row = np.array([0.5, 1.5, 2.5, 3.5], "float32")
    return [
        x + 1.0, 1 - x, x - y, x * y, 2 * x, 1 / y, x / y, x / 3, -x, y ** 2, ops.power(y, x), x % 2, x // 0.7, x + row,
        ops.subtract(row[None], x), ops.multiply(ops.convert_to_tensor([[1.0], [2.0], [3.0]]), x), ops.maximum(x, 0.25), ops.minimum(0.5, x),
        x + z, ops.arctan2(x, y), ops.clip(x, -0.5, 1.0), ops.add(x, z), n + 1, n * 2.5, n + x[:, 0, :3], n / 2, n // 2,
        n % 3, x + ops.arange(4), ops.divide_no_nan(x, ops.relu(x)), ops.logaddexp(x, y), ops.hypot(x, y),
        ops.fmod(x, 0.7), ops.subtract(x1=x, x2=2),
    ]


def unary(x, y, n):
    """Functions of each element."""
    everywhere = [ops.abs, ops.negative, ops.sign, ops.square, ops.exp, ops.expm1, ops.sin, ops.cos, ops.tan, ops.arctan,
                  ops.sinh, ops.cosh, ops.arcsinh, ops.floor, ops.ceil, ops.round, ops.erf, ops.zeros_like,
                  ops.ones_like, ops.trunc, ops.exp2]
    positive = [ops.sqrt, ops.rsqrt, ops.log, ops.log1p, ops.reciprocal, ops.log2, ops.log10]
    inside = [ops.arcsin, ops.arccos, ops.arctanh]
    return ([f(x) for f in everywhere] + [f(y) for f in positive] + [f(y / 4) for f in inside]
            + [ops.arccosh(y + 1), ops.full_like(x, 0.5), ops.sqrt(n), ops.abs(n - 2), ops.stop_gradient(x)])


def activations(x):
    """Activation functions."""
    return [ops.relu(x), ops.relu6(3 * x), ops.leaky_relu(x), ops.leaky_relu(x, 0.1), ops.elu(x), ops.elu(x, 0.5),
            ops.selu(x), ops.sigmoid(x), ops.softplus(x), ops.softsign(x), ops.tanh(x), ops.silu(x), ops.gelu(x),
            ops.gelu(x, approximate=False), ops.softmax(x), ops.softmax(x, axis=1), ops.log_softmax(x), ops.celu(x, 0.5),
            ops.log_sigmoid(x), ops.glu(x), ops.hard_sigmoid(x), ops.hard_silu(x), ops.hard_tanh(x), ops.hard_shrink(x, 1.0),
            ops.soft_shrink(x, 0.25), ops.squareplus(x, 2), ops.threshold(x, 0.5, -1.0), ops.sparsemax(x), ops.sparse_plus(x),
            ops.sparse_sigmoid(x), ops.tanh_shrink(x)]


def logic(x, y):
    """Comparisons, truth values, and what is chosen by them."""
    middle = ops.logical_and(x > -0.5, x <= 1)
    return [x > y, x >= 0, x < 0.5, ops.equal(ops.round(x), 1), ops.not_equal(ops.round(x), 1), middle, ~middle,
            ops.logical_or(x > 1, y < 1), ops.logical_xor(x > 0, y > 1), ops.cast(middle, "float32"), ops.where(x > 0, x, y),
            ops.where(x[:, :1] > 0, x, 0.0), ops.where(middle, 1.0, x), ops.cast(3 * x, "int32"), ops.isnan(x),
            ops.isfinite(x), ops.isinf(1 / ops.relu(x)), ops.any(x > 1, axis=-1), ops.all(x > -1, axis=1, keepdims=True),
            ops.logical_and(ops.round(x), y > 1), ops.sum(x > 0, axis=-1), middle * 2.0]


def reductions(x, n):
    """One element of many."""
    return [ops.mean(x, axis=[1, 2], keepdims=True), ops.mean(x, axis=-1), ops.sum(x, axis=1), ops.max(x, axis=(-2, -1)),
            ops.min(x, axis=2, keepdims=True), ops.prod(x, axis=1), ops.var(x, axis=1), ops.std(x, axis=2),
            ops.logsumexp(x, axis=-1), ops.norm(x, axis=-1), ops.norm(x, ord=1, axis=1), ops.argmax(x, axis=-1),
            ops.argmin(x, axis=1), ops.cumsum(x, axis=1), ops.cumprod(x, axis=1), ops.normalize(x, axis=-1),
            ops.mean(x), ops.mean(n, axis=1), ops.sum(n, axis=1), ops.amax(x, axis=1), ops.argmax(x, axis=1, keepdims=True)]


def shapes(x):
    """The same elements under other axes."""
    return [ops.reshape(x, (-1, 12)), ops.reshape(x, (-1, 4)),
            ops.reshape(x, (-1, 2, 6)), ops.ravel(x), ops.expand_dims(x, 1), ops.expand_dims(x, (1, -1)),
            ops.squeeze(ops.expand_dims(x, 2), 2), ops.squeeze(x[:, :1]), ops.transpose(x, (0, 2, 1)), ops.transpose(x),
            ops.swapaxes(x, 1, 2), ops.moveaxis(x, 1, -1), ops.broadcast_to(x[:1, :, :1], (2, 3, 4))]


def structure(x, y):
    """Tensors put together and taken apart."""
    return [ops.concatenate([x, y], axis=-1), ops.concatenate([x, y, x], axis=1),
            ops.concatenate([x, np.ones((2, 3, 1), "float32")], 2), ops.stack([x, y], axis=1), ops.stack([x, 2 * y], axis=-1),
            *ops.unstack(x, axis=1), *ops.split(x, 2, axis=2), *ops.split(y, [1, 3], axis=2), ops.tile(x, [1, 2, 3]),
            ops.tile(x, 2), ops.repeat(x, 2, axis=1), ops.flip(x, axis=1), ops.roll(x, 1, axis=1), ops.roll(x, -1, axis=2),
            ops.pad(x, [[0, 0], [1, 2], [0, 1]]), ops.pad(x, [[0, 0], [1, 1], [3, 2]], "reflect"),
            ops.pad(x, [[0, 0], [2, 0], [0, 4]], "symmetric"), ops.pad(x, [[0, 0], [1, 0], [0, 0]], constant_values=0.5),
            ops.append(x, y, axis=1), ops.hstack([x, y]), ops.diff(x, axis=1)]


def indexing(x, indices):
    """Parts of a tensor."""
    values, places = ops.top_k(x, k=2)
    return [x[:, 0], x[:, -1], x[..., 1:3], x[:, ::-1], x[:, 1:, ::2], x[:, None, :, 0], x[..., None], x[:, -2:], x[:, :-1],
            x[:, 2:0:-1], x[0], ops.take(x, [0, 2, 1], axis=1), ops.take(x, -1, axis=1),
            ops.take(np.arange(12.0, dtype="float32").reshape(4, 3), indices, axis=0), ops.one_hot(indices, 4), values,
            places, ops.sort(x, axis=1), ops.argsort(x), ops.take_along_axis(x, ops.argsort(x, axis=1), axis=1),
            ops.slice(x, (0, 1, 0), (2, 2, 3)), ops.tril(x), ops.triu(x, 1)]


def matrices(x, y):
    """Products of matrices."""
    kernel = np.linspace(-1, 1, 20, dtype="float32").reshape(4, 5)
    return [x @ y, ops.matmul(x, kernel), ops.dot(x, kernel), ops.tensordot(x, kernel, axes=1),
            ops.matmul(x, np.array([1.0, 2.0, 3.0, 4.0], "float32"))]


def pictures(x):
    """Functions of pictures."""
    return [ops.image.resize(x, (8, 5)), ops.image.resize(x, (3, 9), interpolation="nearest"), ops.space_to_depth(x, 2),
            ops.depth_to_space(x, 2)]


def windows(x, sequence):
    """Convolutions by constants, and pooling."""
    kernel = np.linspace(-1, 1, 48, dtype="float32").reshape(2, 3, 4, 2)
    each, mixing = np.linspace(-1, 1, 24, dtype="float32").reshape(3, 1, 4, 2), np.linspace(1, 2, 16, dtype="float32").reshape(1, 1, 8, 2)
    row = np.linspace(-1, 1, 18, dtype="float32").reshape(3, 3, 2)
    return [ops.conv(x, kernel), ops.conv(x, kernel, strides=(2, 1), padding="same"), ops.conv(x, kernel, dilation_rate=(1, 2)),
            ops.conv(sequence, row, 2, "same"),
            ops.depthwise_conv(x, each, padding="same"), ops.depthwise_conv(x, each, dilation_rate=(1, 2)),
            ops.separable_conv(x, each, mixing, strides=2, padding="same"),
            ops.max_pool(x, 2), ops.max_pool(x, (3, 2), strides=(2, 1), padding="same"), ops.average_pool(x, 2, padding="same"),
            ops.average_pool(x, 3, strides=1, padding="same"), ops.max_pool(sequence, 2), ops.average_pool(sequence, 3, 1),
            ops.adaptive_average_pool(x, (2, 2)), ops.adaptive_max_pool(x, (3, 4))]


def summations(x, y, heads, keys):
    """Sums in Einstein's notation."""
    kernel = np.linspace(-1, 1, 24, dtype="float32").reshape(4, 2, 3)
    return [ops.einsum("bij,bkj->bik", x, y), ops.einsum("bqhd,bkhd->bhqk", heads, keys), ops.einsum("bij->bji", x),
            ops.einsum("bij->bi", x), ops.einsum("bij->", x), ops.einsum("bij,bij->b", x, y), ops.einsum("bij,bkj", x, y),
            ops.einsum("bij,bij->bij", x, y), ops.einsum("bij,jhd->bhid", x, kernel), ops.einsum("bij,bkl->bil", x, y),
            ops.einsum("bij,j->bi", x, kernel[:, 0, 0]), ops.einsum("bi,bj->bij", x[:, 0], y[:, 1]),
            ops.einsum("jhd,bij->bihd", kernel, x), ops.einsum("bhqk,bkhd->bqhd", ops.einsum("bqhd,bkhd->bhqk", heads, keys), keys),
            *ops.moments(x, axes=[1]), *ops.moments(x, axes=[-1, 1], keepdims=True), ops.image.rgb_to_grayscale(heads[:, :2, :, :3])]


def keywords(x, y, state):
    """Layers that are called with keywords only."""
    heads = layers.MultiHeadAttention(2, 4)
    return [heads(query=x, value=y, key=y), layers.Dense(3)(inputs=x), layers.LSTM(3)(sequences=x),
            layers.GRU(3)(sequences=x, initial_state=state), layers.Attention()(inputs=[x, y])]


def arrays_in_settings(x):
    """Layers with NumPy arrays among their settings."""
    return [layers.Rescaling(np.array([0.5, 1.5, 2.5, 3.5]), offset=np.array([1.0, 2.0, 3.0, 4.0], "float32"))(x),
            layers.Normalization(mean=np.array([1.0, 2.0, 3.0, 4.0]), variance=np.array([1.0, 4.0, 9.0, 16.0]))(x)]


def low_rank(x, picture, tokens):
    """Layers that are adapted by products of small matrices."""
    return [layers.Dense(5)(x), layers.Dense(3, use_bias=False)(x), layers.Conv2D(4, 3)(picture),
            layers.EinsumDense("abc,cd->abd", (None, 6), bias_axes="d")(x), layers.Embedding(9, 4)(tokens)]


def low_rank_inside(x, tokens):
    """Such layers in models in models, next to others and shared."""
    innermost = keras.Sequential([keras.Input((5,)), layers.Dense(4)], name="innermost")
    inner = keras.Sequential([keras.Input((4,)), layers.Dense(5), innermost, layers.Dense(3, use_bias=False)], name="inner")
    texts = keras.Sequential([keras.Input((3,), dtype="int32"), layers.Embedding(9, 4), layers.Flatten(), layers.Dense(2)], name="texts")
    return [inner(x), texts(tokens), inner(2.0 * x)]


def low_rank_of_a_name(x):
    """Such a layer in a model in a model, in which another layer has its name."""
    innermost = keras.Sequential([keras.Input((4,)), layers.Dense(4, lora_rank=1, name="same")], name="innermost")
    inner = keras.Sequential([keras.Input((4,)), layers.Dense(4, name="same"), innermost], name="inner")
    return [inner(x)]


def adapt(model):
    """Adds the matrices to each layer, and changes what they add from 0."""
    for inner in model.layers:
        if isinstance(inner, keras.Model):
            adapt(inner)
    for index, layer in enumerate(each for each in model.layers if hasattr(each, "enable_lora")):
        layer.enable_lora(2, **({"lora_alpha": 3} if index % 2 else {}))
        for weight in layer.trainable_weights:
            if "lora" in weight.path:
                weight.assign(np.linspace(-1, 1, int(np.prod(weight.shape))).reshape(weight.shape))


def spectral_low_rank(x):
    """Such layers whose kernel is normalized, which is then a sum and no variable of the wrapper's."""
    wrapped = [layers.Dense(5, lora_rank=2), layers.Dense(3, use_bias=False, lora_rank=1),
               layers.EinsumDense("abc,cd->abd", (None, 6), bias_axes="d", lora_rank=2)]
    frozen = layers.SpectralNormalization(layers.Dense(4, lora_rank=1))
    outputs = [layers.SpectralNormalization(layer)(x) for layer in wrapped] + [frozen(x)]
    frozen.trainable = False
    return outputs


def adapt_wrapped(model):
    for wrapper in model.layers[1:]:
        for weight in wrapper.layer.weights:
            if "lora" in weight.path:
                weight.assign(np.linspace(-1, 1, int(np.prod(weight.shape))).reshape(weight.shape))


def shrunk(x):
    """Functions that choose 0 where a comparison with NaN is false."""
    roots = ops.sqrt(x)  # NaN of negative numbers
    return [ops.hard_shrink(roots), ops.soft_shrink(roots, 0.3), ops.hard_shrink(x, 1.0), layers.Activation("soft_shrink")(roots)]


def moved_biases(x, cube, picture):
    """Sums with one axis longer than 1, which TensorFlow takes for biases of the last axis or the second."""
    first = dict(data_format="channels_first")
    column = np.arange(4, dtype="float32")[:, None]
    return [
        ops.add(x, column), x + column, ops.add(column, x), x - column,
        ops.add(cube, np.arange(4, dtype="float32")[:, None, None]), ops.add(cube, column[:3]),
        layers.SeparableConv2D(5, 2, **first)(picture), layers.SeparableConv2D(4, 2, activation="relu", **first)(picture),
        layers.DepthwiseConv1D(1, **first)(x), layers.SeparableConv1D(3, 2, **first)(x), layers.DepthwiseConv2D((2, 4), **first)(picture),
        layers.EinsumDense("abc,cd->abd", (4, 4), bias_axes="b")(x), layers.EinsumDense("abc,cd->abd", (4, 3), bias_axes="b")(x),
        layers.MultiHeadAttention(4, 1)(x, x), layers.MultiHeadAttention(2, 1)(x, x), layers.MultiHeadAttention(3, 2)(x, x)]


def strided_and_dilated(picture, line):
    """Depthwise convolutions with strides and a dilation, which TensorFlow itself computes at other positions."""
    kernel = np.linspace(-1, 1, 18, dtype="float32").reshape(3, 3, 2, 1)
    return [
        layers.DepthwiseConv2D(3, strides=3, dilation_rate=2)(picture), layers.DepthwiseConv1D(3, strides=2, dilation_rate=2)(line),
        layers.SeparableConv2D(3, (3, 2), strides=2, dilation_rate=2, padding="same")(picture),
        layers.SeparableConv1D(3, 2, strides=3, dilation_rate=2)(line),
        ops.depthwise_conv(picture, kernel, strides=3, dilation_rate=2)]


# Those that JAX, which has no numbers of 64 bits here and converts otherwise, computes differently.
ON_JAX = [
    "compared", "embedded", "functions_integer_sums", "layers_of_integers", "moved_biases", "numbers", "open_axes",
    "overflows", "pooled_integers", "quantiles", "quantiles_of_numbers", "result_types", "shifts_beyond", "taken", "truths",
    "types_of_layers",
]

CASES = [
    Case("low_rank", [MATRIX, PICTURE, Input((3,), 0, 9, "int32")], low_rank, adapt, ("h5", "keras")),
    Case("low_rank_inside", [Input((4,)), Input((3,), 0, 9, "int32")], low_rank_inside, adapt, ("h5", "keras")),
    Case("low_rank_of_a_name", [Input((4,))], low_rank_of_a_name, containers=("h5", "keras")),
    Case("spectral_low_rank", [MATRIX], spectral_low_rank, adapt_wrapped, ("h5", "keras")),
    Case("shrunk", [MATRIX], shrunk),
    Case("arrays_in_settings", [MATRIX], arrays_in_settings),
    Case("keywords", [MATRIX, Input((5, 4)), Input((3,))], keywords),
    Case("activation_functions", [MATRIX, Input((6,), -50, 50)], activation_functions),
    Case("activation_layers", [Input((4,))], activation_layers),
    Case("arithmetic", [MATRIX, POSITIVE, Input((1, 4)), Input((3,), 0, 9, "int32")], arithmetic),
    Case("unary", [MATRIX, POSITIVE, Input((3,), 0, 9, "int32")], unary),
    Case("activations", [MATRIX], activations),
    Case("logic", [MATRIX, POSITIVE], logic),
    Case("reductions", [MATRIX, Input((3,), 0, 9, "int32")], reductions),
    Case("shapes", [MATRIX], shapes),
    Case("structure", [MATRIX, MATRIX], structure),
    Case("indexing", [MATRIX, Input((2,), 0, 3, "int32")], indexing),
    Case("matrices", [MATRIX, Input((4, 2))], matrices),
    Case("pictures", [PICTURE], pictures),
    Case("summations", [MATRIX, MATRIX, Input((3, 2, 4)), Input((5, 2, 4))], summations),
    Case("windows", [PICTURE, Input((7, 3))], windows),
    Case("moved_biases", [Input((4, 4)), Input((4, 3, 4)), Input((3, 5, 6))], moved_biases),
    Case("strided_and_dilated", [Input((9, 11, 2)), Input((9, 2))], strided_and_dilated),
] + (attention_cases.CASES + integer_cases.CASES + layer_cases.CASES + rare_cases.CASES + keras3_functions.CASES
     + call_cases.CASES + statistics_cases.CASES + index_cases.CASES)
