"""Cases of Keras 2.15: activations that are layers, and TensorFlow's functions on Keras' tensors."""

import keras
import numpy as np
import tensorflow as tf
from keras import backend, layers

import attention_cases
import call_cases
import keras2_functions
import layer_cases
import rare_cases
from recording import Case, Input, small_variances

MATRIX = Input((3, 4))
POSITIVE = Input((3, 4), 0.2, 3.0)
PICTURE = Input((4, 6, 4))


def activation_layers(x):
    """Dense layers whose `activation` is a layer."""
    activations = [layers.LeakyReLU(0.1), layers.ReLU(1.5, 0.25, 0.5), layers.ELU(0.7), layers.Softmax(),
                   layers.ThresholdedReLU(0.4), layers.PReLU()]
    return [layers.Dense(3, activation=activation)(x) for activation in activations]


def shared_integers(long, short):
    """A layer of integers on inputs of two lengths, and a rectifier without a slope."""
    mean, leaky = layers.GlobalAveragePooling1D(), layers.LeakyReLU(0.0)
    return [mean(long), mean(short), mean(long[:, :2]), leaky(long), leaky(short)]


def arithmetic(x, y, z):
    """Operators of Python and functions of two tensors, with constants on either side."""
    row = np.array([0.5, 1.5, 2.5, 3.5], "float32")
    return [
        x + 1.0, 1 - x, x - y, x * y, 2 * x, 1 / y, x / y, x / 3, -x, y ** 2, y ** x, x % 2, x // 0.7,
        x + row, row[None] - x, tf.constant([[1.0], [2.0], [3.0]]) * x, tf.maximum(x, 0.25), tf.minimum(0.5, x),
        x + z[:, tf.newaxis], tf.math.squared_difference(x, y), tf.math.divide_no_nan(x, tf.nn.relu(x)),
        tf.atan2(x, y), tf.add_n([x, y, x]), tf.nn.bias_add(x, row), tf.clip_by_value(x, -0.5, 1.0), tf.add(x, y),
        x[:, 0] + 2 * z[:, 1:2],
    ]


def unary(x, y):
    """Functions of each element."""
    everywhere = [tf.abs, tf.negative, tf.sign, tf.square, tf.exp, tf.math.expm1, tf.sin, tf.cos, tf.tan, tf.atan,
                  tf.sinh, tf.cosh, tf.asinh, tf.floor, tf.math.ceil, tf.round, tf.math.erf, tf.math.erfc, tf.identity,
                  tf.stop_gradient, tf.zeros_like, tf.ones_like]
    positive = [tf.sqrt, tf.math.rsqrt, tf.math.log, tf.math.log1p, tf.math.reciprocal]
    inside = [tf.asin, tf.acos, tf.atanh]
    return [f(x) for f in everywhere] + [f(y) for f in positive] + [f(y / 4) for f in inside] + [tf.acosh(y + 1)]


def activations(x):
    """Activation functions."""
    return [tf.nn.relu(x), tf.nn.relu6(3 * x), tf.nn.leaky_relu(x), tf.nn.leaky_relu(x, alpha=0.1), tf.nn.elu(x),
            tf.nn.selu(x), tf.sigmoid(x), tf.nn.softplus(x), tf.nn.softsign(x), tf.tanh(x), tf.nn.silu(x),
            tf.nn.gelu(x), tf.nn.gelu(x, approximate=True), tf.nn.softmax(x), tf.nn.softmax(x, axis=1),
            tf.nn.log_softmax(x), tf.math.log_sigmoid(x), x * tf.nn.relu6(x + 3) / 6, backend.hard_sigmoid(x)]


def logic(x, y):
    """Comparisons, truth values, and what is chosen by them."""
    middle = tf.logical_and(x > -0.5, x <= 1)
    return [x > y, x >= 0, x < 0.5, tf.equal(tf.round(x), 1), tf.not_equal(tf.round(x), 1), middle, ~middle,
            tf.logical_or(x > 1, y < 1), tf.math.logical_xor(x > 0, y > 1), tf.cast(middle, tf.float32), tf.where(x > 0, x, y),
            tf.where(x[:, :1] > 0, x, 0.0), tf.where(middle, 1.0, x), tf.cast(3 * x, "int32"), tf.math.is_nan(x),
            tf.math.is_finite(x), tf.math.is_inf(1 / tf.nn.relu(x)), tf.reduce_any(x > 1, axis=-1),
            tf.reduce_all(x > -1, axis=1, keepdims=True), tf.cast(x, "int32") + 2, tf.cast(x, "int32") // 2]


def reductions(x):
    """One element of many."""
    return [tf.reduce_mean(x, axis=[1, 2], keepdims=True), tf.reduce_mean(x, axis=-1), tf.reduce_sum(x, axis=1),
            tf.reduce_max(x, axis=[-2, -1]), tf.reduce_min(x, axis=2, keepdims=True), tf.reduce_prod(x, axis=1),
            tf.math.reduce_variance(x, axis=1), tf.math.reduce_std(x, axis=2), tf.reduce_logsumexp(x, axis=-1),
            tf.norm(x, axis=-1), tf.norm(x, ord=1, axis=1), tf.argmax(x, axis=-1), tf.argmin(x, axis=1, output_type=tf.int32),
            tf.cumsum(x, axis=1), tf.cumsum(x, axis=2, exclusive=True, reverse=True), tf.math.cumprod(x, axis=1),
            tf.math.l2_normalize(x, axis=-1), tf.math.l2_normalize(x, axis=[1, 2], epsilon=0.5), backend.mean(x, axis=1),
            backend.sum(x, axis=-1, keepdims=True), tf.nn.moments(x, axes=[1])[1], tf.reduce_mean(x),
            tf.math.reduce_euclidean_norm(x, axis=1)]


def shapes(x, y):
    """The same elements under other axes."""
    length = tf.shape(x)
    return [tf.reshape(x, [-1, 12]), tf.reshape(x, [length[0], 12]), tf.reshape(x, [-1, 4]),
            tf.reshape(x, [tf.shape(x)[0], 2, -1]), tf.reshape(x, tf.stack([length[0], length[1] * length[2]])),
            tf.reshape(x, tf.concat([tf.shape(x)[:1], [6, 2]], axis=0)), tf.reshape(x, tf.shape(y)),
            tf.reshape(x, [-1]), tf.expand_dims(x, 1), tf.expand_dims(x, -1), tf.squeeze(tf.expand_dims(x, 2), 2),
            tf.squeeze(x[:, :1]), tf.transpose(x, [0, 2, 1]), tf.transpose(x), backend.batch_flatten(x),
            backend.permute_dimensions(x, (0, 2, 1)), tf.broadcast_to(x[:1, :, :1], [2, 3, 4]), length,
            tf.cast(length[1], tf.float32) * x]


def structure(x, y):
    """Tensors put together and taken apart."""
    return [tf.concat([x, y], axis=-1), tf.concat([x, y, x], axis=1), tf.concat([x, np.ones((2, 3, 1), "float32")], 2),
            tf.stack([x, y], axis=1), tf.stack([x, 2 * y], axis=-1), *tf.unstack(x, axis=1), *tf.split(x, 2, axis=2),
            *tf.split(y, [1, -1], axis=1), tf.tile(x, [1, 2, 3]), tf.repeat(x, 2, axis=1), tf.reverse(x, [1]),
            tf.roll(x, 1, axis=1), tf.roll(x, [-1, 2], axis=[1, 2]), tf.pad(x, [[0, 0], [1, 2], [0, 1]]),
            tf.pad(x, [[0, 0], [1, 1], [3, 2]], "REFLECT"), tf.pad(x, [[0, 0], [2, 0], [0, 4]], "SYMMETRIC"),
            tf.pad(x, [[0, 0], [1, 0], [0, 0]], constant_values=0.5), backend.concatenate([x, y], axis=1)]


def indexing(x, indices):
    """Parts of a tensor."""
    values, places = tf.math.top_k(x, k=2)
    return [x[:, 0], x[:, -1], x[..., 1:3], x[:, ::-1], x[:, 1:, ::2], x[:, tf.newaxis, :, 0], x[..., tf.newaxis],
            x[:, -2:], x[:, :-1], x[:, 2:0:-1], x[1:], x[:, 5:], tf.gather(x, [0, 2, 1], axis=1),
            tf.gather(x, indices, axis=1, batch_dims=1), tf.gather(tf.constant(np.arange(12.0, dtype="float32").reshape(4, 3)), indices),
            tf.one_hot(indices, 4), tf.one_hot(indices, 3, on_value=2.0, off_value=-1.0, axis=1), values, places,
            tf.sort(x, axis=1), tf.sort(x, direction="DESCENDING"), tf.argsort(x), tf.slice(x, [0, 1, 0], [-1, 2, 3])]


def matrices(x, y):
    """Products of matrices."""
    kernel = np.linspace(-1, 1, 20, dtype="float32").reshape(4, 5)
    return [x @ y, tf.matmul(x, x, transpose_b=True), tf.matmul(y, y, transpose_a=True), tf.matmul(x, kernel[None]),
            tf.matmul(tf.expand_dims(x, 1), tf.expand_dims(y, 2)[:, :, 0][:, None]), tf.linalg.band_part(x, 0, 1),
            tf.tensordot(x, kernel, axes=1)]


def pictures(x):
    """Functions of pictures."""
    return [tf.image.resize(x, (8, 5)), tf.image.resize(x, (3, 9), method="nearest"), tf.nn.space_to_depth(x, 2),
            tf.nn.depth_to_space(x, 2)]


def windows(x, sequence):
    """Convolutions by constants, and pooling."""
    kernel = np.linspace(-1, 1, 48, dtype="float32").reshape(2, 3, 4, 2)
    each, mixing = np.linspace(-1, 1, 24, dtype="float32").reshape(3, 1, 4, 2), np.linspace(1, 2, 16, dtype="float32").reshape(1, 1, 8, 2)
    row = np.linspace(-1, 1, 18, dtype="float32").reshape(3, 3, 2)
    back = np.linspace(-1, 1, 72, dtype="float32").reshape(3, 3, 2, 4)
    v1 = tf.compat.v1.nn
    return [tf.nn.conv2d(x, kernel, 1, "SAME"), tf.nn.conv2d(x, kernel, [1, 2, 1, 1], "VALID", dilations=[1, 1, 2, 1]),
            tf.nn.conv2d(x, kernel[:, :, :2], [1, 2], "SAME"), v1.conv2d(x, kernel, [1, 1, 1, 1], "SAME"),
            tf.nn.conv2d(x, kernel, 2, [[0, 0], [1, 0], [2, 1], [0, 0]]), tf.nn.conv1d(sequence, row, 2, "SAME"),
            tf.nn.convolution(x, kernel), backend.conv2d(x, tf.constant(kernel), padding="same"),
            tf.nn.conv3d(x[:, None], kernel[None], [1, 1, 2, 2, 1], "SAME"),
            tf.nn.depthwise_conv2d(x, each, [1, 1, 1, 1], "SAME"), tf.nn.depthwise_conv2d(x, each, [1, 1, 1, 1], "VALID", dilations=[1, 2]),
            tf.nn.separable_conv2d(x, each, mixing, [1, 2, 2, 1], "SAME"),
            tf.nn.conv2d_transpose(x, back, [2, 8, 12, 2], 2), tf.nn.conv2d_transpose(x, back, [2, 6, 8, 2], 1, "VALID"),
            tf.nn.conv2d_transpose(x, back, tf.stack([tf.shape(x)[0], 7, 12, 2]), 2),
            tf.nn.max_pool2d(x, 2, 2, "VALID"), tf.nn.max_pool(x, [3, 2], [1, 2, 1, 1], "SAME"), tf.nn.avg_pool2d(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
            tf.nn.avg_pool(x, 3, 1, "SAME"), tf.nn.max_pool1d(sequence, 2, 2, "VALID"), tf.nn.avg_pool1d(sequence, 2, 1, "SAME"),
            tf.nn.max_pool3d(x[:, None], [1, 2, 2], 1, "VALID"), tf.nn.avg_pool3d(x[:, None], [1, 2, 2], 1, "SAME"),
            backend.pool2d(x, (2, 2)), backend.pool2d(x, (3, 3), padding="same", pool_mode="avg"), tf.nn.pool(x, [2, 2], "MAX"),
            tf.nn.pool(x, [3, 2], "AVG", strides=[2, 1], padding="SAME"), v1.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")]


def cropped_pictures(x):
    """Parts and mirror images of pictures."""
    image = tf.image
    return [image.flip_left_right(x), image.flip_up_down(x), image.transpose(x), image.crop_to_bounding_box(x, 1, 2, 3, 4),
            image.central_crop(x, 0.5), image.central_crop(x, 0.3), image.central_crop(x, 0.8), image.rgb_to_grayscale(x),
            tf.linalg.matrix_transpose(x), image.flip_up_down(x[0])]


def creation(x):
    """Tensors made of extents that are known."""
    length = tf.shape(x)
    return [tf.range(length[1]) + tf.cast(x[:, 0, :3], tf.int32), tf.range(1, length[2], 2) + tf.cast(x[:, 0, :2], tf.int32), x + tf.ones(length[1:]),
            x * tf.zeros([length[1], 1]), x + tf.fill([length[1], 4], 2.5), x + tf.range(length[2], dtype=tf.float32),
            tf.gather(x, tf.range(length[1] - 1, -1, -1), axis=1)]


def shared_layer(x):
    """A layer that a model shares with a model inside it."""
    shared = layers.Dense(4)
    inner = keras.Input((4,))
    nested = keras.Model(inner, layers.Dense(4)(shared(inner)), name="nested")
    return [nested(x), shared(x)]


def add_loss(model):
    """A loss and a metric of the model's own become layers of it."""
    difference = tf.reduce_mean(tf.square(model.inputs[0] - model.outputs[0]))
    model.add_loss(difference)
    model.add_metric(difference, name="difference")


def add_odd_losses(model):
    """Losses of functions that no layer of a model uses: they feed no output."""
    mean = model.get_layer("mean").output
    truth = tf.stop_gradient(model.inputs[0])
    model.add_loss(tf.reduce_mean(tf.math.xlogy(tf.abs(truth), tf.abs(model.outputs[0]) + 1.0)))
    model.add_loss(-0.5 * tf.reduce_mean(1.0 + mean - tf.math.bessel_i0(mean), axis=-1))


def add_usual_losses(model):
    """The losses of autoencoders, whose functions feed no output, and a metric."""
    truth, made = model.inputs[0], model.outputs[0]
    model.add_loss(tf.reduce_mean(4 * keras.losses.binary_crossentropy(truth, made)))
    model.add_loss(tf.reduce_mean(keras.losses.kl_divergence(truth, made)))
    model.add_loss(tf.reduce_mean(4 * keras.losses.mse(truth, made)))
    model.add_metric(tf.reduce_mean(abs(truth - made)), name="mae")


def constant_masks(x):
    """Recurrent layers whose mask is a constant."""
    mask = np.array([[True, True, True, False, False], [True, False, True, True, False]])
    return [layers.GRU(4)(x, mask=mask), layers.LSTM(3, return_sequences=True)(x, mask=mask), layers.SimpleRNN(2)(x, mask=mask)]


def constant_states(x):
    """Recurrent layers that begin with a constant state."""
    state = tf.constant(np.linspace(-1, 1, 8, dtype="float32").reshape(2, 4))
    return [layers.LSTM(4, return_sequences=True)(x, initial_state=[state, state / 2]), layers.GRU(4)(x, initial_state=state)]


def synchronized(x):
    """Batch normalizations that are not fused, so that their epsilon is that of the file."""
    return [tf.keras.layers.experimental.SyncBatchNormalization(epsilon=1e-6)(x),
            layers.BatchNormalization(epsilon=1e-6)(x)]


def standardized_pictures(x):
    """Normalizations of pictures."""
    return [tf.image.per_image_standardization(x), tf.image.per_image_standardization(1e-3 * x),
            tf.image.per_image_standardization(tf.cast(9 * x, "int32")), tf.nn.local_response_normalization(x),
            tf.nn.local_response_normalization(x, depth_radius=1, bias=2.0, alpha=0.5, beta=0.75)]


def older_functions(x):
    """Functions of TensorFlow 1, with the names that their arguments had."""
    return [tf.compat.v1.squeeze(x[:, :1, :, :1], squeeze_dims=[1]), tf.compat.v1.squeeze(x[:, :1, :, :1], [3]),
            tf.compat.v1.reduce_sum(x, reduction_indices=[1], keep_dims=True),
            tf.compat.v1.expand_dims(x, dim=2), tf.compat.v1.argmax(x, dimension=1),
            tf.compat.v1.nn.softmax(x, dim=1), tf.compat.v1.image.resize_images(x, (7, 5)),
            tf.compat.v1.image.resize_images(x, (8, 12), method=1), tf.compat.v1.image.resize_images(x, (2, 3), "area"),
            tf.compat.v1.image.resize_bilinear(x, (5, 9), align_corners=True),
            tf.compat.v1.image.resize_nearest_neighbor(x, (3, 7), half_pixel_centers=True),
            tf.compat.v1.image.resize_bicubic(x, (5, 8), half_pixel_centers=True)]


def stacked_tensor(x):
    """A tensor in place of the list that is stacked: its parts along the first axis."""
    return [tf.stack(x), backend.stack(x)]


def aside_in_training(x):
    """A model with a part in training mode that only its loss needs, and a layer after it that has both modes."""
    inner = keras.Input((4,))
    noisy = keras.Input((4,))
    noise = keras.Model(noisy, layers.Dropout(0.5)(layers.BatchNormalization()(noisy)), name="noise")
    model = keras.Model(inner, layers.Dense(4)(inner), name="with_loss")
    model.add_loss(tf.reduce_mean(noise(inner, training=True)))
    return [layers.BatchNormalization()(model(x))]


def items(x, n):
    """Items that are chosen by indices of several axes, which are inputs."""
    return [tf.gather_nd(x, n, batch_dims=1), tf.gather_nd(x[0], n), tf.gather_nd(x, n[:, :, :1], batch_dims=1)]


def two_types(x):
    """Layers of one type in a Bidirectional of another."""
    both = layers.Bidirectional
    return [
        both(layers.GRU(3, dtype="float64", return_sequences=True))(x), both(layers.LSTM(3, dtype="float64"), merge_mode="sum")(x),
        both(layers.LSTM(3), dtype="float64")(x), both(layers.SimpleRNN(3), dtype="float64", merge_mode="ave")(x),
        *both(layers.LSTM(2, dtype="float64", return_state=True))(x), both(layers.GRU(3))(layers.Masking()(x)),
    ]


CASES = [
    Case("two_types", [Input((5, 4))], two_types),
    Case("items", [MATRIX, Input((5, 2), 0, 3, "int32")], items),
    Case("aside_in_training", [Input((4,))], aside_in_training),
    Case("stacked_tensor", [MATRIX], stacked_tensor),
    Case("standardized_pictures", [PICTURE], standardized_pictures),
    Case("older_functions", [PICTURE], older_functions),
    Case("shared_layer", [Input((4,))], shared_layer),
    Case("own_loss", [Input((4,))], lambda x: [layers.Dense(4)(x)], add_loss),
    Case("odd_losses", [Input((4,))], lambda x: [layers.Dense(4)(layers.Dense(4, name="mean")(x))], add_odd_losses),
    Case("usual_losses", [Input((4,), 0.0, 1.0)],
         lambda x: [layers.Dense(4, activation="sigmoid")(layers.Dense(3, activation="relu")(x))], add_usual_losses),
    Case("constant_masks", [Input((5, 3))], constant_masks),
    Case("synchronized", [PICTURE], synchronized, small_variances),
    Case("activation_layers", [Input((4,))], activation_layers),
    Case("arithmetic", [MATRIX, POSITIVE, Input((4,))], arithmetic),
    Case("unary", [MATRIX, POSITIVE], unary),
    Case("activations", [MATRIX], activations),
    Case("logic", [MATRIX, POSITIVE], logic),
    Case("reductions", [MATRIX], reductions),
    Case("shapes", [MATRIX, Input((2, 6))], shapes),
    Case("structure", [MATRIX, MATRIX], structure),
    Case("indexing", [MATRIX, Input((2,), 0, 3, "int32")], indexing),
    Case("shared_integers", [Input((6, 3), -9, 9, "int32"), Input((1, 3), -9, 9, "int32")], shared_integers),
    Case("matrices", [MATRIX, Input((4, 2))], matrices),
    Case("pictures", [PICTURE], pictures),
    Case("creation", [MATRIX], creation),
    Case("cropped_pictures", [Input((6, 7, 3))], cropped_pictures),
    Case("windows", [PICTURE, Input((7, 3))], windows),
] + attention_cases.CASES + layer_cases.CASES + rare_cases.CASES + keras2_functions.CASES + call_cases.CASES

# Those that are refused.
REFUSED = [Case("constant_states", [Input((5, 3))], constant_states)]
