"""Cases of TensorFlow's functions on tensors of Keras 2.15 that are plain formulas."""

import numpy as np
import tensorflow as tf
from keras import backend, layers

from recording import Case, Input

ROW = np.array([0.5, 1.5, -2.5, 3.5], "float32")
KERNEL = np.linspace(-1, 1, 20, dtype="float32").reshape(4, 5)


def dynamic(x, picture, n):
    """Tensors made of sizes that are not known before the model runs."""
    size, lines = tf.shape(picture), tf.shape(x)
    batch, height, width = size[0], size[1], size[2]
    rows = tf.cast(tf.range(height), tf.float32)
    return [
        tf.zeros([batch, 3]), tf.ones((batch, height, 2)), tf.zeros(tf.shape(x)), tf.ones(lines[:2]),
        tf.fill([batch, 4], 2.5), tf.fill(tf.stack([batch, 1]), 7),
        tf.zeros_like(picture), tf.range(height), tf.range(0, width, dtype=tf.int64), tf.range(1, height + 1),
        tf.range(lines[1]), tf.range(height, delta=1, dtype=tf.float32),
        tf.tile(tf.constant([[1.0, 2.0]]), [batch, 1]), tf.tile(x[:, :1], [1, height, 1]),
        tf.tile(tf.range(width)[tf.newaxis], [height, 1]), tf.tile(x, [1, 2, 1]),
        tf.tile(tf.expand_dims(tf.expand_dims(rows, 0), -1), tf.stack([batch, 1, width])),
        tf.concat([x, tf.zeros([batch, 1, 4])], axis=1), tf.concat([tf.ones([batch, lines[1], 1]), x], -1),
        tf.broadcast_to(tf.constant(ROW), [batch, 4]), tf.broadcast_to(x[:, :1], tf.shape(x)),
        tf.broadcast_to(x[:, :1], [batch, 5, 4]), tf.reshape(picture, [batch, height * width, 2]),
        picture + tf.zeros([1, height, 1, 1]), tf.one_hot(tf.range(height), 4),
        x + tf.cast(tf.range(lines[1]), tf.float32)[:, tf.newaxis],
        tf.ones([batch, 1], tf.int32) * n[:, :1], tf.ones((batch, height), dtype=tf.bool),
        tf.zeros((batch, 2), tf.float16), backend.arange(0, height), tf.range(height - 1, -1, -1), tf.size(picture),
        tf.rank(x),
        tf.sequence_mask(n[:, 0], 5), tf.sequence_mask(n, maxlen=lines[1]),
        tf.sequence_mask(n[:, 0], 4, dtype=tf.float32), x + tf.eye(4)[0], tf.eye(3, batch_shape=[batch]),
        tf.linspace(0.0, 1.0, 5) + x[:, 0, :1],
        tf.repeat(x[:, :1], repeats=height, axis=1),
    ]


def dynamic_pictures(x):
    """Pictures of open sizes that are resized."""
    image, size = tf.image, tf.shape(x)
    return [
        image.resize(x, (5, 7), method="bicubic"), image.resize(x, (5, 7), method="lanczos3"),
        image.resize(x, (3, 4), "lanczos5", antialias=True), image.resize(x, (5, 8), "bicubic", antialias=True),
        image.resize(x, (5, 7), "area"), image.resize(x, (5, 7), "gaussian"),
        image.resize(x, (5, 7), "mitchellcubic"), image.resize(x, (5, 7)), layers.Resizing(4, 9, "bicubic")(x),
        layers.Resizing(4, 9, "lanczos3")(x),
        layers.UpSampling2D(2, interpolation="bicubic")(x), layers.UpSampling2D((2, 4), interpolation="lanczos5")(x),
        layers.UpSampling2D((3, 5), interpolation="bicubic")(x), layers.UpSampling2D(2)(x),
        layers.UpSampling2D(2, interpolation="bilinear")(x),
        image.resize(x, (5, 7), "nearest"),
        image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"), image.flip_left_right(x),
        image.rgb_to_grayscale(tf.concat([x, x[..., :1]], -1)),
    ]


def integers(n, k, small, unsigned):
    """Quotients and remainders of integers."""
    return [n // 3, n // k, n % 3, n % k, tf.math.floordiv(n, k), tf.truncatediv(n, k), tf.math.floormod(n, k),
            tf.truncatemod(n, k), small // 3, small % 3, unsigned // 7, unsigned % 7, tf.truncatediv(unsigned, 7),
            n / k, n / 2, tf.divide(n, 2), tf.math.truediv(n, k), tf.truncatediv(small, -3), tf.truncatediv(n / 3, 1.5), 7 // k, 7 % k,
            tf.clip_by_value(n, -2, 3), tf.clip_by_value(n, k, 4), tf.clip_by_value(small, -5, 20),
            tf.clip_by_value(n, -9, k), abs(n), -n, n ** 2,
            tf.math.minimum(n, 2), tf.math.squared_difference(n, k),
            tf.math.multiply_no_nan(tf.cast(n, tf.float32), tf.cast(k, tf.float32)),
            tf.saturate_cast(n * 100, tf.int8), tf.realdiv(tf.cast(n, tf.float32), 3.0),
            tf.math.count_nonzero(n, axis=1),
            tf.math.count_nonzero(n), tf.scalar_mul(2, n), tf.square(n), tf.sign(n), tf.reduce_sum(n, 1),
            tf.reduce_max(n, 1), tf.floor(tf.cast(n, tf.float32) / 3)]


def overflows(signed, short, byte, long, x):
    """Sums, products and casts that wrap around, as TensorFlow computes them in the type of the integers."""
    result = [tf.cast(x, kind) for kind in ("uint8", "int8", "uint16", "int16")]
    for n in (signed, short, byte, long):
        result += [n + n, n * n, tf.square(n), tf.cumsum(n, axis=1), tf.math.cumprod(n, axis=2)]
    return result + [-signed, abs(signed), tf.cast(long, "int8"), tf.cast(long, "uint8"), tf.cast(short, "uint16"),
                     tf.reduce_sum(long, axis=1), tf.reduce_prod(long, axis=1)]


def narrow_sums(signed, short, byte):
    """Sums and products of integers of 8 and 16 bits, which keep their type and wrap around."""
    result = [backend.sum(signed, axis=1)]
    for n in (signed, short, byte):
        result += [tf.reduce_sum(n, axis=1), tf.reduce_sum(n, axis=[1, 2], keepdims=True), tf.reduce_prod(n, axis=2)]
    return result


def normalizations(x, y, picture):
    """Normalizations by functions."""
    mean, variance = tf.constant([0.1, -0.2, 0.3, 0.4]), tf.constant([0.5, 1.5, 2.5, 0.01])
    moments = tf.nn.moments(x, axes=[1], keepdims=True)
    return [tf.nn.batch_normalization(x, mean, variance, ROW, variance, 1e-3),
            tf.nn.batch_normalization(x, mean, variance, None, None, 0.1),
            tf.nn.batch_normalization(x, *moments, offset=ROW, scale=None, variance_epsilon=1e-5),
            *moments, *tf.nn.moments(picture, [0, 1, 2]), tf.linalg.normalize(x, axis=-1)[0],
            tf.linalg.normalize(x, axis=1)[1], tf.linalg.normalize(x, ord=1, axis=2)[0], tf.clip_by_norm(x, 1.5),
            tf.clip_by_norm(x, 1.5, axes=[2]),
            tf.nn.l2_loss(x), tf.math.zero_fraction(tf.nn.relu(x)), tf.nn.crelu(x), tf.nn.crelu(x, axis=1),
            backend.l2_normalize(x, axis=-1), tf.math.reduce_std(x, axis=[1, 2], keepdims=True),
            tf.nn.silu(x, beta=0.7), tf.nn.elu(x), tf.nn.local_response_normalization(picture)]


def elements(x, y, index):
    """Functions of each element, and losses."""
    p, one_hot = tf.nn.softmax(x), tf.one_hot(index, 4)
    return [tf.math.xlogy(tf.nn.relu(x), y), tf.math.xdivy(tf.nn.relu(x), tf.nn.relu(x - 0.5)),
            tf.math.xlog1py(tf.nn.relu(x), y), tf.math.multiply_no_nan(x, tf.nn.relu(x)),
            tf.math.multiply_no_nan(tf.math.log(x), tf.nn.relu(x)), tf.math.reciprocal_no_nan(tf.nn.relu(x)),
            tf.math.accumulate_n([x, y, x]), tf.math.polyval([1.0, x, 2.0], y), tf.scalar_mul(2.5, x),
            tf.nn.sigmoid_cross_entropy_with_logits(p, x), tf.nn.softmax_cross_entropy_with_logits(one_hot, x),
            tf.nn.softmax_cross_entropy_with_logits(labels=p, logits=y),
            tf.nn.sparse_softmax_cross_entropy_with_logits(index, x), backend.binary_crossentropy(p, tf.sigmoid(x)),
            backend.categorical_crossentropy(one_hot, p),
            backend.clip(x, -1, 1), backend.relu(x, 0.1, 2.0, 0.2), backend.softmax(x, axis=1), backend.elu(x, 0.5),
            backend.square(x), backend.pow(x, 2), tf.math.rint(x), tf.math.log(y), tf.math.exp(x),
            tf.math.is_inf(1 / tf.nn.relu(x)), tf.math.equal(x, y), tf.where(x > 0, tf.zeros_like(x), 1.0),
            tf.nn.relu(tf.math.top_k(x, 2)[0]), tf.nn.embedding_lookup(tf.constant(KERNEL), index),
            tf.nn.embedding_lookup(KERNEL, index)]


def products(x, y, vector, other):
    """Products of vectors, matrices and tensors."""
    cube = np.linspace(-1, 1, 24, dtype="float32").reshape(3, 4, 2)
    return [tf.linalg.matvec(x, ROW[None]), tf.linalg.matvec(x, y[:, 0]),
            tf.linalg.matvec(x, vector, transpose_a=True), tf.linalg.adjoint(x), tf.linalg.cross(vector, other),
            tf.linalg.diag(x), tf.linalg.diag_part(x), tf.linalg.trace(x),
            tf.tensordot(x, cube, 2), tf.tensordot(x, cube, [[1, 2], [0, 1]]), tf.tensordot(x, y, [[1], [1]]),
            tf.tensordot(x, KERNEL, [[2], [0]]), tf.tensordot(x, KERNEL, [2, 0]),
            tf.tensordot(x, tf.constant(ROW), 1), backend.dot(x, tf.constant(KERNEL)),
            backend.batch_dot(x, y, axes=[2, 2]), backend.batch_dot(x, y, axes=1),
            tf.matmul(x, KERNEL), tf.matmul(x, y, transpose_b=True), tf.linalg.band_part(x, -1, 0),
            tf.linalg.matmul(vector[:, None], x), tf.reduce_sum(x[:, :, None] * y[:, None], -1),
            tf.norm(x, axis=[1, 2]), tf.norm(x, ord=np.inf, axis=-1), tf.norm(x, ord=3, axis=1), tf.norm(x)]


def adjusted_pictures(x):
    """Changes of pictures with negative numbers, and of float64."""
    image = tf.image
    return [
        change for each in (x, tf.cast(x, tf.float64)) for change in (
            image.adjust_brightness(each, 0.3), image.adjust_contrast(each, 1.7), image.adjust_gamma(abs(each), 0.7, 0.5),
            image.adjust_saturation(each, 0.4), image.adjust_saturation(each, 3.0), image.adjust_hue(each, 0.2),
            image.adjust_hue(each, -0.7), image.rgb_to_grayscale(each))]


def pictures(x, rgb):
    """Functions of pictures."""
    image = tf.image
    return [
        image.extract_patches(x, [1, 2, 3, 1], [1, 2, 3, 1], [1, 1, 1, 1], "VALID"),
        image.extract_patches(x, [1, 3, 3, 1], [1, 2, 1, 1], [1, 1, 2, 1], "SAME"),
        image.extract_patches(images=x, sizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1, 2, 2, 1], padding="VALID"),
        image.adjust_brightness(x, 0.3), image.adjust_contrast(x, 1.7), image.adjust_gamma(rgb, 2.0, 0.5),
        image.adjust_saturation(rgb, 0.4), image.adjust_hue(rgb, 0.2), image.grayscale_to_rgb(x[..., :1]),
        image.rgb_to_grayscale(rgb), image.rgb_to_hsv(rgb), image.hsv_to_rgb(rgb), image.rgb_to_yuv(rgb),
        image.yuv_to_rgb(rgb),
        image.rgb_to_yiq(rgb), image.yiq_to_rgb(rgb), image.pad_to_bounding_box(x, 1, 2, 9, 10),
        image.resize_with_crop_or_pad(x, 4, 9), image.resize_with_pad(x, 8, 8),
        image.resize_with_pad(x, 4, 9, "nearest"), image.rot90(x), image.rot90(x, 3), image.total_variation(x),
        *image.image_gradients(x),
        image.convert_image_dtype(rgb, tf.uint8), image.convert_image_dtype(tf.cast(100 * rgb, tf.uint8), tf.float32),
        image.per_image_standardization(x), image.central_crop(x, 0.5), image.crop_to_bounding_box(x, 1, 1, 2, 2),
        tf.nn.conv_transpose(x, np.ones((2, 2, 3, 2), "float32"), [2, 12, 14, 3], 2),
        tf.nn.depth_to_space(tf.concat([x, x], -1), 2), tf.nn.avg_pool2d(x, 2, 2, "VALID"),
        backend.resize_images(x, 2, 2, "channels_last"),
        backend.resize_images(x, 2, 3, "channels_last", interpolation="bilinear"),
        backend.spatial_2d_padding(x, ((1, 0), (2, 1))), backend.temporal_padding(x[:, 0], (1, 2)),
    ]


def types_of_pictures(half, double, byte):
    """Images of other types than float32: what functions return, and layers that leave images as they are."""
    image, result = tf.image, []
    for x in (half, double, byte):
        result += [image.per_image_standardization(x), image.resize(x, (4, 4)), image.resize(x, (4, 9), "nearest"),
                   image.resize(x, (7, 5), "bicubic")]
    made = [layers.RandomHeight(0.2), layers.RandomWidth(0.2), layers.RandomFlip(), layers.RandomRotation(0.2),
            layers.RandomTranslation(0.2, 0.1), layers.RandomZoom(0.2), layers.RandomContrast(0.2), layers.RandomBrightness(0.2),
            layers.CenterCrop(4, 4), layers.CenterCrop(8, 7), layers.Resizing(4, 4, "nearest")]
    return result + [layer(byte) for layer in made]


def parts(x, y, n, index):
    """Tensors taken apart and put together."""
    return [tf.gather_nd(x, [[0, 1], [1, 2]]), tf.gather_nd(x, index, batch_dims=1),
            tf.gather_nd(x, n[:, :, None], batch_dims=1), tf.gather(x, n, axis=-1, batch_dims=1),
            tf.gather(x, [1, 0], axis=-1),
            tf.repeat(x, [1, 0, 2], axis=1), tf.roll(x, 2, 1), tf.unstack(x, axis=-1)[2],
            tf.split(x, [1, 3], axis=-1)[1], tf.split(x, [-1, 2], axis=2)[0], tf.split(x, [2, -1, 1], axis=2)[1],
            tf.stack([x, y], -2), tf.concat([x, y], -2),
            backend.repeat(x[:, 0], 3), backend.repeat_elements(x, 2, 1), backend.stack([x, y], 1),
            backend.permute_dimensions(x, (0, 2, 1)), backend.reverse(x, 1), backend.flatten(x),
            backend.expand_dims(x, 1), backend.squeeze(x[:, :1], 1), backend.tile(x, (1, 2, 1)),
            backend.concatenate([x, y]), backend.one_hot(n, 4),
            tf.signal.frame(x, 2, 1, axis=1), tf.signal.frame(x[:, 0], 2, 2), tf.argsort(x, direction="DESCENDING"),
            tf.argsort(n, axis=1, stable=True), tf.math.top_k(x, 2, sorted=True)[1], tf.math.argmax(n, 1),
            tf.pad(x, tf.constant([[0, 0], [1, 1], [0, 2]]), constant_values=-1.0)]


def classes(n):
    """Vectors of classes, which have the type of the numbers that are given."""
    return [tf.one_hot(n, 4, off_value=2), tf.one_hot(n, 4, 3), tf.one_hot(n, 4, True, False), tf.one_hot(n, 4, off_value=0.5),
            tf.one_hot(n, 4, off_value=-1, dtype="uint8"), tf.one_hot(n, 4, 2, -1, axis=1, dtype="float16")]


MATRIX = Input((3, 4))
POSITIVE = Input((3, 4), 0.2, 3.0)
CASES = [
    Case("functions_dynamic", [Input((None, 4)), Input((None, None, 2)), Input((2,), 0, 5, "int32")], dynamic),
    Case("functions_dynamic_pictures", [Input((None, None, 2))], dynamic_pictures),
    Case("functions_integers",
         [Input((6,), -9, 9, "int32"), Input((6,), 1, 4, "int32"), Input((6,), -99, 99, "int8"), Input((6,), 0, 255, "uint8")],
         integers),
    Case("overflows", [Input((3, 4), -128, 127, "int8"), Input((3, 4), -30000, 30000, "int16"), Input((3, 4), 0, 255, "uint8"),
                       Input((3, 4), -2**31, 2**31 - 1, "int32"), Input((3, 4), -700, 700)], overflows),
    Case("narrow_sums", [Input((3, 4), -128, 127, "int8"), Input((3, 4), -30000, 30000, "int16"), Input((3, 4), 0, 255, "uint8")],
         narrow_sums),
    Case("types_of_pictures", [Input((6, 6, 3), type="float16"), Input((6, 6, 3), type="float64"), Input((6, 6, 3), 0, 255, "uint8")],
         types_of_pictures),
    Case("functions_normalizations", [MATRIX, POSITIVE, Input((4, 6, 4))], normalizations),
    Case("functions_elements", [MATRIX, POSITIVE, Input((3,), 0, 4, "int32")], elements),
    Case("functions_products", [MATRIX, MATRIX, Input((3,)), Input((3,))], products),
    Case("functions_pictures", [Input((6, 7, 2)), Input((4, 5, 3), 0.0, 1.0)], pictures),
    Case("functions_adjusted_pictures", [Input((4, 5, 3))], adjusted_pictures),
    Case("functions_classes", [Input((3,), 0, 4, "int32")], classes),
    Case("functions_parts", [MATRIX, MATRIX, Input((2,), 0, 3, "int32"), Input((1, 2), 0, 3, "int32")], parts),
]
