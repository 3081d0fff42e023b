"""Cases of `keras.ops` of Keras 3.15 that are plain formulas: normalization, attention, images, statistics."""

import numpy as np
from keras import ops

from recording import Case, Input

ROW = np.array([0.5, 1.5, -2.5, 3.5], "float32")


def normalizations(x, n, half, gamma):
    """Normalizations by functions, with and without weights, along several axes."""
    mean, variance = np.array([0.1, -0.2, 0.3, 0.4], "float32"), np.array([0.5, 1.5, 2.5, 0.01], "float32")
    table = np.linspace(0.5, 2, 12, dtype="float32").reshape(3, 4)
    return [
        ops.layer_normalization(x), ops.layer_normalization(x, gamma=ROW, beta=mean, epsilon=0.1),
        ops.layer_normalization(x, gamma=table, axis=(1, 2)), ops.layer_normalization(x, beta=table, axis=[-1, -2]),
        ops.layer_normalization(x, gamma=gamma[0], axis=-1), ops.layer_normalization(x, axis=1),
        ops.layer_normalization(x, rms_scaling=True, gamma=ROW), ops.layer_normalization(n),
        ops.layer_normalization(half, gamma=ROW.astype("float16")), ops.layer_normalization(half, gamma=ROW),
        ops.rms_normalization(x), ops.rms_normalization(x, scale=ROW, epsilon=0.1), ops.rms_normalization(x, axis=1),
        ops.rms_normalization(x, scale=table, axis=(1, 2)), ops.rms_normalization(half),
        ops.rms_normalization(half, scale=ROW),
        ops.rms_normalization(n),
        ops.batch_normalization(x, mean, variance, -1),
        ops.batch_normalization(x, mean, variance, 2, offset=ROW, scale=variance, epsilon=0.1),
        ops.batch_normalization(x, mean[:3], variance[:3], axis=1, scale=ROW[:3]),
        ops.batch_normalization(x, gamma[0], ops.square(gamma[0]), axis=-1),
        ops.batch_normalization(half, mean, variance, -1),
        ops.batch_normalization(n, mean, variance, -1),
    ]


def attentions(query, key, value, mask, bias):
    """Attention of heads by the function."""
    attend = ops.dot_product_attention
    return [
        attend(query, key, value), attend(query, key, value, scale=0.3), attend(query, key, value, mask=mask),
        attend(query, key, value, bias=bias), attend(query, key, value, bias=bias, mask=mask, scale=2.0),
        attend(query, key, value, is_causal=True), attend(query, key, value, mask=mask, is_causal=True),
        attend(query, key, value, mask=np.array([[[[1, 0, 1, 1, 0]]]], bool)),
        attend(query, key, value, flash_attention=False), attend(query, query, query, is_causal=True),
    ]


def open_sizes(x, sequence):
    """Functions of tensors whose sizes are open."""
    return [
        ops.layer_normalization(x), ops.rms_normalization(x, axis=(1, 2)),
        ops.dot_product_attention(sequence, sequence, sequence),
        ops.dot_product_attention(sequence, sequence, sequence, is_causal=True), ops.flip(x, axis=1),
        ops.average(x, axis=1),
        ops.count_nonzero(x, axis=[1, 2]), ops.einsum("...ij,jk->...ik", x, np.ones((4, 2), "float32")), ops.size(x),
        ops.image.resize(x[..., None], (5, 7), interpolation="bicubic"),
        ops.median(x, axis=-1), ops.ptp(x, axis=1),
        ops.nan_to_num(x),
        ops.full_like(x, 2.5), ops.outer(x[:, 0], ROW),
        ops.trace(ops.matmul(ops.transpose(x, (0, 2, 1)), x), axis1=1, axis2=2),
    ]


def clipping(n, small, unsigned, flags):
    """Clips of integers."""
    return [ops.clip(n, 1, 5), ops.clip(small, -10, 20), ops.clip(unsigned, 3, 200), ops.clip(flags, 0, 1),
            ops.minimum(n, 4), ops.maximum(small, unsigned)]


def statistics(x, y, n, flags):
    """Averages, counts and other numbers of many."""
    weights = np.array([1.0, 2.0, 0.5], "float32")
    return [
        ops.average(x), ops.average(x, axis=1), ops.average(x, axis=1, weights=weights),
        ops.average(x, axis=-1, weights=ROW),
        ops.average(x, weights=y), ops.average(x, axis=2, weights=y), ops.average(n, axis=1),
        ops.count_nonzero(x, axis=1), ops.count_nonzero(n), ops.count_nonzero(flags, axis=[-1]),
        ops.median(x, axis=1), ops.median(x, axis=2, keepdims=True),
        ops.median(n, axis=1), ops.ptp(x, axis=1), ops.ptp(n, axis=1, keepdims=True), ops.ptp(x),
        ops.quantile(x, 0.3, axis=1), ops.quantile(x, [0.25, 0.5, 0.9], axis=2),
        ops.quantile(x, 0.4, axis=1, keepdims=True),
        ops.trace(x, axis1=1, axis2=2), ops.trace(x, offset=1, axis1=-2, axis2=-1), ops.diagonal(x, axis1=1, axis2=2),
        ops.diagonal(x, offset=-1, axis1=1, axis2=2), ops.diagonal(x, offset=2, axis1=2, axis2=1), ops.diag(x[0, 0]),
        ops.diagflat(x[0, 0]),
        ops.size(x), ops.nansum(ops.sqrt(x), axis=1), ops.nanmax(ops.log(x), axis=-1),
        ops.nanmin(ops.sqrt(x), axis=1), ops.nanmean(ops.sqrt(x), axis=2),
        ops.nanmean(ops.sqrt(x), axis=(1, 2), keepdims=True), ops.nanprod(ops.sqrt(x), axis=2),
    ]


def elements(x, y, n, k):
    """Functions of each element."""
    special = ops.concatenate([ops.sqrt(x), y / ops.relu(x), -y / ops.relu(x)], axis=-1)
    return [
        ops.deg2rad(x), ops.rad2deg(x), ops.cbrt(x), ops.fmax(x, y), ops.fmin(x, ops.sqrt(x)),
        ops.fmax(ops.sqrt(x), x), ops.heaviside(ops.round(x), y),
        ops.sinc(x), ops.logaddexp2(x, y), ops.isclose(x, y, atol=0.5),
        ops.isclose(ops.sqrt(x), ops.sqrt(x), equal_nan=True),
        ops.nan_to_num(special), ops.nan_to_num(special, nan=1.5, posinf=7.0, neginf=-3.0), ops.nan_to_num(n),
        ops.isposinf(special), ops.isneginf(special),
        ops.nan_to_num(ops.cast(special, "float16")), ops.saturate_cast(300 * x, "uint8"),
        ops.saturate_cast(n * 100, "int8"),
        ops.floor_divide(n, 3), ops.mod(n, 3), ops.floor_divide(n, k), ops.mod(n, k), ops.floor_divide(x, y),
        ops.ldexp(x[:, 0, :3], k),
        ops.real(x), ops.imag(x), ops.conj(x),
    ]


def products(x, y, vector, other):
    """Products of vectors and matrices, and sums in Einstein's notation of any number of tensors."""
    kernel = np.linspace(-1, 1, 20, dtype="float32").reshape(4, 5)
    cube = np.linspace(-1, 1, 24, dtype="float32").reshape(3, 4, 2)
    return [
        ops.outer(x[0, 0], y[0, 1]), ops.outer(x, ROW), ops.inner(x, ROW), ops.inner(x, y[0]), ops.vdot(x, y),
        ops.cross(vector, other),
        ops.cross(vector, np.array([1.0, 2.0, 3.0], "float32")), ops.dot(x, y[0, 0]),
        ops.matmul(vector[0], vector[1]),
        ops.dot(x, cube[:, :, 0].T @ np.eye(3, dtype="float32")), ops.tensordot(x, kernel, axes=1),
        ops.tensordot(x, cube, axes=2), ops.tensordot(x, cube, axes=[[1, 2], [0, 1]]),
        ops.tensordot(x, kernel, axes=[[2], [0]]), ops.tensordot(x, y, axes=[[1], [1]]),
        ops.tensordot(x[0], y[0], axes=0), ops.tensordot(x, kernel, axes=((-1,), (0,))),
        ops.einsum("...ij,jk->...ik", x, kernel), ops.einsum("...i,...i->...", x, y),
        ops.einsum("bij,jk,bik->bi", x, kernel, ops.matmul(y, kernel)),
        ops.einsum("bi,bj,bk->bijk", x[:, 0], y[:, 0], vector), ops.einsum("i...->...", x),
        ops.einsum("bij,bkj,bkl->bil", x, y, x), ops.einsum("bii->bi", x[:, :, :3]), ops.einsum("bii", x[:, :, 1:]),
        ops.einsum("bii->b", x[:, :, :3]), ops.einsum("...ii->...i", x[:, :, :3]),
        ops.einsum("ij,jk", x[0], kernel), ops.einsum("ba...,b...->ba...", x, y[:, 0]),
        ops.einsum("a,b,c,d->abcd", ROW, x[0, 0], y[0, 0], ROW),
    ]


def integer_sums(n, k):
    """Sums in Einstein's notation, and products, of integers."""
    return [ops.einsum("bi,bi->b", n, k), ops.einsum("bi,bj->bij", n, k), ops.einsum("bi->b", n)]


def pictures(x, rgb, wide):
    """Functions of pictures."""
    image = ops.image
    return [
        image.extract_patches(x, (2, 3)), image.extract_patches(x, 2, strides=(1, 2)),
        image.extract_patches(x, (2, 2), strides=1, dilation_rate=2),
        image.extract_patches(x, (3, 2), strides=(2, 2), padding="same"), image.extract_patches(x[0], 2), 
        image.crop_images(x, 1, 2, target_height=3, target_width=2),
        image.crop_images(x, top_cropping=1, bottom_cropping=1, left_cropping=0, right_cropping=2),
        image.pad_images(x, 1, 2, target_height=9, target_width=10),
        image.pad_images(x, top_padding=1, bottom_padding=0, left_padding=3, right_padding=2),
        image.rgb_to_hsv(rgb), image.hsv_to_rgb(rgb), image.rgb_to_grayscale(rgb), image.sobel_edges(x),
        ops.flip(x, 1), ops.rot90(x, axes=(1, 2)), ops.rot90(x, k=-1, axes=(1, 2)),
        image.resize(x, (5, 9), interpolation="bicubic"),
        image.resize(x, (7, 3), interpolation="lanczos3", antialias=True),
        image.resize(x, (7, 3), pad_to_aspect_ratio=True),
        image.resize(wide, (4, 3), data_format="channels_first"),
    ]


def parts(x, y, n):
    """Tensors taken apart and put together."""
    return [
        *ops.array_split(x, 2, axis=1), *ops.hsplit(x, 3), *ops.dsplit(x, 2), ops.dstack([x, y]), ops.vstack([x, y]),
        ops.fliplr(x), ops.flipud(x),
        ops.append(x, y), ops.repeat(x, [1, 0, 2], axis=1), ops.diff(x, n=2, axis=1),
        ops.roll(x, (1, 2), axis=(1, 2)),
        ops.pad(x, ((0, 0), (1, 0), (0, 2)), mode="constant", constant_values=-1.5),
        ops.slice_update(x, (0, 1, 0), y[:, :2, :3]),
        ops.take(x, [[0, 2], [1, 1]], axis=2), ops.take(x, n, axis=1), ops.one_hot(n, 5, axis=1), ops.multi_hot(n, 6),
        ops.multi_hot(n[:, :, None], 6),
        ops.stack([x], axis=0),
        ops.split(x, 3, axis=-2)[1], ops.squeeze(x[:, :1], axis=1), ops.split(y, [1, 3], axis=-1)[1],
        ops.linspace(x[:, 0], y[:, 0], 5), ops.linspace(x[:, 0], y[:, 0], 4, endpoint=False, axis=1), ops.tril(x, -1),
        ops.moveaxis(x, (1, 2), (2, 1)),
        ops.meshgrid(x[0, 0], y[0, 1])[1],
    ]


def losses(target, logits, one_hot):
    """Losses that a model computes itself."""
    p = ops.softmax(logits)
    return [
        ops.binary_crossentropy(target, ops.sigmoid(logits)),
        ops.binary_crossentropy(target, logits, from_logits=True),
        ops.categorical_crossentropy(one_hot, p), ops.categorical_crossentropy(one_hot, logits, from_logits=True),
    ]


def operation_layers(x, y, query):
    """Operations that are called as objects."""
    from keras.src.ops import nn, numpy
    return [numpy.Average(axis=1)(x), nn.RMSNorm(axis=-1)(x, ROW), nn.LayerNorm(axis=-1)(x, gamma=ROW, beta=ROW),
            nn.LayerNorm(axis=-1, epsilon=0.1)(x, ROW, None),
            nn.BatchNorm(-1, 1e-3)(x, ROW, ROW * ROW, None, ROW), nn.DotProductAttention()(query, query, query),
            numpy.Add()(x, y), numpy.Clip(-0.5, 0.5)(x), nn.Relu()(x)]


MATRIX = Input((3, 4))
POSITIVE = Input((3, 4), 0.2, 3.0)
HEADS = Input((5, 2, 4))
CASES = [
    Case("functions_normalizations",
         [MATRIX, Input((3, 4), -9, 9, "int32"), Input((3, 4), type="float16"), Input((4,))], normalizations),
    Case("functions_attentions", [HEADS, HEADS, Input((5, 2, 4)), Input((2, 5, 5), type="bool"), Input((2, 5, 5))],
         attentions),
    Case("functions_open_sizes", [Input((None, 4)), Input((None, 2, 3))], open_sizes),
    Case("functions_clipping",
         [Input((3,), -9, 9, "int32"), Input((3,), -99, 99, "int8"), Input((3,), 0, 255, "uint8"), Input((3,), type="bool")],
         clipping),
    Case("functions_statistics", [MATRIX, POSITIVE, Input((3,), -3, 3, "int32"), Input((3,), type="bool")],
         statistics),
    Case("functions_elements", [MATRIX, POSITIVE, Input((3,), -9, 9, "int32"), Input((3,), 1, 4, "int32")], elements),
    Case("functions_products", [MATRIX, MATRIX, Input((3,)), Input((3,))], products),
    Case("functions_integer_sums", [Input((3,), -9, 9, "int32"), Input((3,), -9, 9, "int32")], integer_sums),
    Case("functions_pictures", [Input((6, 7, 2)), Input((4, 5, 3), 0.0, 1.0), Input((2, 5, 6))], pictures),
    Case("functions_parts", [MATRIX, MATRIX, Input((2,), 0, 3, "int32")], parts),
    Case("functions_losses", [Input((4,), 0.0, 1.0), Input((4,)), Input((4,), 0.0, 1.0)], losses),
    Case("functions_as_layers", [MATRIX, MATRIX, HEADS], operation_layers),
]
