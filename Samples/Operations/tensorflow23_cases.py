"""Cases of TensorFlow 2.3, which keeps each function as a node of its graph (`TensorFlowOpLayer`)."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

from arising_cases import arising_cases
from frozen_cases import frozen_cases
from integer_layer_cases import integer_layer_cases
from recording import Case, Input, small_variances

MATRIX = Input((3, 4))
POSITIVE = Input((3, 4), 0.2, 3.0)


def elements(x, y):
    """Functions of each element, of one tensor or two."""
    return [x + 1.0, 1 - x, x * y, 1 / y, -x, y ** 2, x % 2, x // 0.7, tf.maximum(x, 0.25), tf.abs(x), tf.exp(x),
            tf.sqrt(y), tf.nn.relu(x), tf.nn.relu6(3 * x) / 6, tf.nn.leaky_relu(x, 0.1), tf.tanh(x), tf.sigmoid(x),
            tf.nn.softmax(x), tf.clip_by_value(x, -0.5, 1.0), tf.where(x > 0, x, y), tf.cast(x > 0.5, tf.float32),
            tf.add_n([x, y, x])]


def axes(x, y):
    """Functions that change shapes."""
    parts = tf.split(x, 2, axis=2)
    return [tf.reduce_mean(x, axis=[1, 2], keepdims=True), tf.reduce_sum(x, axis=-1), tf.reduce_max(x, axis=1),
            tf.argmax(x, axis=-1), x[:, 0], x[:, 0, 1:3], x[..., ::-1], x[:, tf.newaxis], x[:, -1:],
            tf.concat([x, y], axis=-1), tf.stack([x, y], axis=1), tf.reshape(x, [-1, 12]),
            tf.reshape(x, [tf.shape(x)[0], 6, 2]), tf.expand_dims(x, 1), tf.squeeze(tf.expand_dims(x, 2), 2),
            tf.transpose(x, [0, 2, 1]), parts[0], parts[1], tf.tile(x, [1, 2, 1]), tf.pad(x, [[0, 0], [1, 2], [0, 1]]),
            tf.pad(x, [[0, 0], [1, 1], [2, 0]], "REFLECT"), tf.gather(x, [0, 2], axis=1), tf.matmul(x, y, transpose_b=True),
            tf.reverse(x, [1]), tf.cumsum(x, axis=1), tf.unstack(x, axis=1)[2]]


def windows(x):
    """Convolutions by constants, and pooling."""
    kernel = np.linspace(-1, 1, 24, dtype="float32").reshape(2, 3, 2, 2)
    return [tf.nn.conv2d(x, kernel, [1, 2, 1, 1], "SAME"), tf.nn.max_pool2d(x, 2, 2, "VALID"), tf.nn.avg_pool2d(x, 3, 1, "SAME"),
            tf.nn.depthwise_conv2d(x, kernel, [1, 1, 1, 1], "VALID")]


def pictures(x, volume):
    """Functions of pictures and volumes."""
    return [tf.image.resize(x, [7, 3]), tf.image.resize(x, [2, 9], "nearest"), tf.image.resize(x, [5, 8], "bicubic"),
            tf.nn.local_response_normalization(x, 1, 2.0, 0.5, 0.75), tf.nn.max_pool3d(volume, 2, 2, "VALID"),
            tf.nn.avg_pool3d(volume, 2, 1, "SAME"), x + tf.broadcast_to(tf.reduce_mean(x[:1], axis=0), [4, 5, 2])]


def fused(x, y, line, volume):
    """Batch normalizations with an epsilon below that of the fused kernel."""
    normalize = keras.layers.BatchNormalization
    return [normalize(epsilon=1e-6)(x), normalize(epsilon=1e-5)(y), normalize(epsilon=1e-3)(x),
            normalize(epsilon=1e-6, renorm=True)(x), normalize(epsilon=1e-6)(line), normalize(epsilon=1e-6)(volume),
            keras.layers.TimeDistributed(normalize(epsilon=1e-6))(volume)]


def integers(n, k):
    """Quotients of integers, one-hot vectors, and constants."""
    return [n // 3, n // k, n % 3, n % k, n / k, tf.truncatediv(n, k), tf.truncatemod(n, k), tf.one_hot(k, 5), tf.one_hot(k, 3, 2.0, -1.0, axis=1),
            tf.cast(n, tf.float32) / 2, tf.clip_by_value(n, -2, 4), tf.gather_nd(n, [[0, 1], [1, 0]]), tf.slice(n, [0, 1], [-1, 2])]


def dynamic(x, picture):
    """Tensors made of sizes that are not known before the model runs, and rarer nodes."""
    size = tf.shape(picture)
    batch, height, width = size[0], size[1], size[2]
    return [tf.zeros([batch, 3]), tf.fill([batch, 4], 2.5), tf.ones((batch, height, 2)), tf.range(height), tf.tile(x[:, :1], [1, height, 1]), tf.concat([x, tf.zeros([batch, 1, 4])], 1),
            tf.slice(x, [0, 1, 0], [-1, 2, 3]), tf.reshape(picture, [batch, height * width, 2]), tf.image.extract_patches(picture, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"), tf.einsum("bij,bkj->bik", x, x),
            tf.einsum("...ij,bjk->...ik", x, tf.transpose(x, [0, 2, 1])), tf.linalg.band_part(x, -1, 0), tf.roll(x, 1, 1), tf.math.cumprod(x, 1), tf.size(picture), tf.math.xlogy(tf.nn.relu(x), 2.0), tf.nn.l2_loss(x), tf.linalg.diag_part(x), tf.linalg.diag(x[:, 0]),
            tf.math.erfc(x), tf.broadcast_to(x[:, :1], [batch, 5, 4]), tf.nn.conv2d_transpose(x[:, :, :, None], np.linspace(-1, 1, 18, dtype="float32").reshape(3, 3, 2, 1), tf.stack([batch, 6, 8, 2]), 2)]


def in_training(x, picture):
    """Batch normalization by the statistics of the batch, and constants among inputs."""
    normalize = keras.layers.BatchNormalization
    return [normalize()(x, training=True), normalize(epsilon=1e-6)(picture, training=True), normalize(trainable=False)(x, training=True), keras.layers.Dropout(0.0)(x, training=True),
            keras.layers.Conv1D(2, 3)(picture), keras.layers.Layer()(x), keras.layers.Add()([x, np.array([[0.5, 1.5, -2.5, 3.5]], "float32")])]


def images_of_integers(x, byte, fraction):
    """Layers of images, which before Keras 2.8 leave integers as they are, and interpolate in float32."""
    made = keras.layers.experimental.preprocessing
    result = []
    for y in (x, byte):
        result += [
            made.RandomFlip()(y), made.RandomRotation(0.2)(y), made.RandomTranslation(0.2, 0.1)(y), made.RandomZoom(0.2)(y),
            made.RandomContrast(0.2)(y), made.RandomHeight(0.2)(y), made.RandomWidth(0.2)(y), made.CenterCrop(2, 3)(y),
            made.Resizing(3, 5)(y), made.Resizing(3, 5, "nearest")(y), made.Resizing(4, 6)(y), made.Rescaling(0.5)(y)]
    return result + [
        made.Resizing(3, 5, dtype="float64")(fraction), made.Resizing(7, 5, "nearest", dtype="float64")(fraction),
        made.Resizing(3, 5, dtype="float16")(fraction), made.RandomFlip(dtype="float16")(fraction), made.CenterCrop(2, 3, dtype="float64")(fraction)]


def intervals(x, n, double):
    """The intervals between boundaries in which numbers are."""
    sort = keras.layers.experimental.preprocessing.Discretization
    return [sort([-1.0, 0.1, 1.5])(x), sort([-2.0, 3.0])(n), sort([0.0])(double), sort([0.1, 0.7], dtype="float64")(double)]


def normalizations(x, half, double, n):
    """Normalizations by stored statistics, which are computed in float32 whatever the layer's type is."""
    normalize = keras.layers.experimental.preprocessing.Normalization
    return [
        normalize(dtype=type)(each) for type in ("float32", "float16", "float64") for each in (x, half, double, n)
    ] + [normalize(axis=1, dtype="float16")(x), normalize(axis=None, dtype="float64")(x)]


def hashes(n, wide):
    """Hashes without a salt, for which TensorFlow 2.3 to 2.5 write one."""
    make = keras.layers.experimental.preprocessing.Hashing
    return [make(7)(n), make(1)(n), make(1000)(wide)]


def colors_and_bits(x, n, row):
    """Operations of colors, of bits and of vectors, and quotients."""
    image, bits, fraction = tf.image, tf.bitwise, tf.sigmoid(x)
    return [
        image.adjust_contrast(x, 1.7), image.adjust_hue(x, 0.2), image.adjust_hue(fraction, -0.3), image.adjust_saturation(x, 0.4),
        image.rgb_to_hsv(fraction), image.hsv_to_rgb(fraction), image.adjust_contrast(tf.cast(x, tf.float64), 0.3),
        tf.realdiv(n, 4), tf.realdiv(x, 3.0), bits.bitwise_and(n, 5), bits.bitwise_or(n, 2), bits.bitwise_xor(n, 3), bits.invert(n), bits.left_shift(n, 2), bits.right_shift(n, 1),
        tf.linalg.cross(x, fraction), tf.math.reduce_euclidean_norm(x, [1, 2]), tf.guarantee_const(x),
        tf.matmul(row, np.linspace(-1, 1, 12, dtype="float32").reshape(4, 3), a_is_sparse=True)]


def thresholds(least, byte, n):
    """Integers above thresholds between them and beyond their type."""
    return [keras.layers.ThresholdedReLU(theta)(x) for theta in (2.7, 300.0, 200.0) for x in (least, byte, n)]


def cropped_centers(tall, wide):
    """Images that are resized until one side fits, and cropped along the other."""
    crop = keras.layers.experimental.preprocessing.RandomCrop
    return [crop(*size)(image) for image in (tall, wide) for size in ((3, 2), (4, 4), (9, 12), (2, 7))]


def salted_hashes(n):
    """Hashes with a key."""
    make = keras.layers.experimental.preprocessing.Hashing
    return [make(7, salt=133)(n), make(2**40, salt=[5, 6])(n)]


CASES = [
    Case("cropped_centers", [Input((8, 5, 2)), Input((6, 9, 3))], cropped_centers),
    Case("salted_hashes", [Input((9,), -2000, 2000, "int32")], salted_hashes),
    Case("thresholds", [Input((6,), -128, 127, "int8"), Input((9,), 0, 255, "uint8"), Input((5,), 0, 400, "int32")], thresholds),
    Case("colors_and_bits", [Input((4, 5, 3)), Input((6,), -9, 9, "int32"), Input((4,))], colors_and_bits),
    Case("intervals", [MATRIX, Input((5,), -5, 5, "int32"), Input((4,), type="float64")], intervals),
    Case("images_of_integers", [Input((4, 6, 3), -300, 300, "int32"), Input((4, 6, 3), 0, 255, "uint8"), Input((4, 6, 3))], images_of_integers),
    Case(
        "normalizations",
        [MATRIX, Input((3, 4), type="float16"), Input((3, 4), type="float64"), Input((3, 4), -5000, 5000, "int32")],
        normalizations),
    Case("hashes", [Input((3,), -9, 9, "int32"), Input((2, 5), -10**12, 10**12, "int64")], hashes),
    Case("integers", [Input((3,), -9, 9, "int32"), Input((3,), 1, 4, "int32")], integers),
    Case("dynamic", [MATRIX, Input((None, None, 2))], dynamic),
    Case("in_training", [Input((4,)), Input((4, 5, 2))], in_training),
    Case("pictures", [Input((4, 5, 2)), Input((3, 4, 5, 2))], pictures),
    Case("fused", [Input((4, 5, 2)), Input((4, 5, 2)), Input((4, 2)), Input((3, 4, 5, 2))], fused, small_variances),
    Case("elements", [MATRIX, POSITIVE], elements),
    Case("axes", [MATRIX, MATRIX], axes),
    Case("windows", [Input((4, 5, 2))], windows),
] + [Case(name, [Input((4,)), Input((3, 4))], build) for name, build in frozen_cases(keras).items()] + integer_layer_cases(keras) + arising_cases(keras)
