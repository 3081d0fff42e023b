"""Records Lambda layers with one function each, as people write them: which of them get a mapping proposed is counted.

    <environment with keras==2.15.0>/bin/python single.py
    <environment with keras==3.15>/bin/python single.py

A group of functions is one model, with a Lambda for each that is named after the function: <version>/single_<group>.h5
(.keras by Keras 3), .inputs.npz, and .outputs.npz, which has the layers' names.
`sampled` draws random numbers, so that it has no output there.
"""

import os

os.environ.update(TF_ENABLE_ONEDNN_OPTS="0", TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")

import zlib

import keras
import numpy as np
import tensorflow as tf
from keras import layers

IS_KERAS_3 = keras.__version__.startswith("3")
if IS_KERAS_3:
    from keras import ops
else:
    from keras import backend as K

TEMPERATURE = 2.5
LISTED = 20  # functions are proposed at once


# Of two vectors: [batch, 6] twice.


def euclidean_distance(vectors):
    u, v = vectors
    total = K.sum(K.square(u - v), axis=1, keepdims=True)
    return K.sqrt(K.maximum(total, K.epsilon()))


def cosine_similarity(vectors):
    u, v = vectors
    u = K.l2_normalize(u, axis=-1)
    v = K.l2_normalize(v, axis=-1)
    return K.sum(u * v, axis=-1, keepdims=True)


def manhattan_similarity(pair):
    left, right = pair[0], pair[1]
    return K.exp(-K.sum(K.abs(left - right), axis=1, keepdims=True))


def hinge(pair, margin=1.0):
    return K.maximum(margin - pair[0] * pair[1], 0.0)


def blended(share):
    return lambda pair: share * pair[0] + (1.0 - share) * pair[1]


def dueling(streams):
    value, advantage = streams
    return K.expand_dims(value[:, 0], -1) + (advantage - K.mean(advantage, axis=1, keepdims=True))


def sampled(distribution):
    mean, log_variance = distribution
    noise = K.random_normal(shape=K.shape(mean))
    return mean + K.exp(0.5 * log_variance) * noise


def pair_functions():
    return {
        "absolute_difference": lambda t: K.abs(t[0] - t[1]),
        "euclidean_distance": euclidean_distance,
        "cosine_similarity": cosine_similarity,
        "cosine_distance": lambda v: 1.0 - tf.reduce_sum(tf.nn.l2_normalize(v[0], 1) * tf.nn.l2_normalize(v[1], 1), 1, keepdims=True),
        "manhattan_similarity": manhattan_similarity,
        "squared_difference": lambda v: tf.math.squared_difference(v[0], v[1]),
        "dot_product": lambda v: K.sum(v[0] * v[1], axis=-1, keepdims=True),
        "batch_dot_product": lambda v: K.batch_dot(v[0], v[1], axes=1),
        "dueling": dueling,
        "mean_of_two": lambda v: (v[0] + v[1]) / 2.0,
        "gated": lambda v: v[0] * K.sigmoid(v[1]),
        "interactions": lambda v: K.concatenate([K.abs(v[0] - v[1]), v[0] * v[1]], axis=-1),
        "hinge": hinge,
        "blended": blended(0.3),
        "sampled": sampled,
    }


# Of images: [batch, 4, 6, 4].


def unit_length(x, axis=-1, epsilon=1e-6):
    return x / tf.maximum(tf.norm(x, axis=axis, keepdims=True), epsilon)


def flattened_space(x):
    height, width, channels = K.int_shape(x)[1:]
    return K.reshape(x, (-1, height * width, channels))


def reflected(size):
    return lambda x: tf.pad(x, [[0, 0], [size, size], [size, size], [0, 0]], "REFLECT")


def enlarged(scale):
    return lambda x: tf.nn.depth_to_space(x, scale)


def maxout(x):
    first, second = tf.split(x, 2, axis=-1)
    return tf.maximum(first, second)


def shuffled_channels(x, groups=2):
    height, width, channels = K.int_shape(x)[1:]
    x = K.reshape(x, [-1, height, width, groups, channels // groups])
    x = K.permute_dimensions(x, (0, 1, 2, 4, 3))
    return K.reshape(x, [-1, height, width, channels])


def gram_matrix(x):
    features = tf.reshape(x, (-1, 24, 4))
    return tf.matmul(features, features, transpose_a=True) / 24.0


def instance_normalized(x):
    mean, variance = tf.nn.moments(x, [1, 2], keepdims=True)
    return (x - mean) / tf.sqrt(variance + 1e-5)


def pixel_normalized(x):
    return x * tf.math.rsqrt(tf.reduce_mean(tf.square(x), axis=-1, keepdims=True) + 1e-8)


def gelu(x):
    return 0.5 * x * (1.0 + tf.tanh(tf.sqrt(2.0 / np.pi) * (x + 0.044715 * tf.pow(x, 3))))


def caffe_colors(x):
    x = x[..., :3]
    return x[..., ::-1] - [103.939, 116.779, 123.68]


def focal(x):
    p = K.clip(K.sigmoid(x), K.epsilon(), 1.0 - K.epsilon())
    return -K.pow(1.0 - p, 2.0) * K.log(p)


def by_format(x):
    axis = 1 if K.image_data_format() == "channels_first" else -1
    return K.mean(x, axis=axis)


def doubled(x):
    return 2.0 * x


def by_parts(x):
    parts = []
    for part in tf.unstack(x, axis=1):
        parts.append(part * 2.0)
    return tf.stack(parts, 1)


def image_functions():
    return {
        "clipped": lambda x: K.clip(x, 0.0, 1.0),
        "clipped_by_value": lambda x: tf.clip_by_value(x, -0.5, 0.5),
        "mean_of_space": lambda x: K.mean(x, axis=[1, 2]),
        "sum_of_channels": lambda x: K.sum(x, axis=-1),
        "largest_of_rows": lambda x: K.max(x, axis=1, keepdims=True),
        "largest_of_space": lambda x: tf.reduce_max(x, axis=[1, 2]),
        "squared": lambda x: K.square(x),
        "rooted": lambda x: tf.sqrt(tf.abs(x)),
        "decayed": lambda x: K.exp(-x),
        "logarithm": lambda x: K.log(K.maximum(x, 1e-3)),
        "logarithm_of_more": lambda x: tf.math.log1p(tf.nn.relu(x)),
        "length": lambda x: tf.norm(x, axis=-1, keepdims=True),
        "normalized": lambda x: tf.math.l2_normalize(x, axis=-1),
        "unit_length": unit_length,
        "channels_in_front": lambda x: tf.transpose(x, [0, 3, 1, 2]),
        "turned": lambda x: K.permute_dimensions(x, (0, 2, 1, 3)),
        "reshaped": lambda x: K.reshape(x, (-1, 24, 4)),
        "flattened": lambda x: tf.reshape(x, [tf.shape(x)[0], -1]),
        "flattened_space": flattened_space,
        "reflected": reflected(1),
        "padded": lambda x: tf.pad(x, [[0, 0], [1, 0], [0, 2], [0, 0]]),
        "tiled": lambda x: K.tile(x, [1, 1, 2, 1]),
        "first_half": lambda x: tf.split(x, 2, axis=-1)[0],
        "maxout": maxout,
        "enlarged": enlarged(2),
        "in_blocks": lambda x: tf.nn.space_to_depth(x, 2),
        "local_response": lambda x: tf.nn.local_response_normalization(x, depth_radius=2, alpha=1e-4, beta=0.75),
        "lrn": lambda x: tf.nn.lrn(x, 1, 2.0, 0.5, 0.5),
        "shuffled_channels": shuffled_channels,
        "gram_matrix": gram_matrix,
        "instance_normalized": instance_normalized,
        "pixel_normalized": pixel_normalized,
        "resized": lambda x: tf.image.resize(x, (8, 9)),
        "resized_images": lambda x: K.resize_images(x, 2, 2, "channels_last", interpolation="bilinear"),
        "cropped": lambda x: x[:, 1:-1, 2:-2],
        "caffe_colors": caffe_colors,
        "scaled": lambda x: x / 127.5 - 1.0,
        "swish": lambda x: x * K.sigmoid(x),
        "mish": lambda x: x * K.tanh(K.softplus(x)),
        "hard_swish": lambda x: x * K.relu(x + 3.0, max_value=6.0) / 6.0,
        "gelu": gelu,
        "focal": focal,
        "place_of_largest": lambda x: K.argmax(x, axis=-1),
        "classes": lambda x: K.one_hot(K.argmax(x, axis=-1), 4),
        "deviation": lambda x: K.std(x, axis=[1, 2]),
        "leaky": lambda x: tf.where(x > 0, x, 0.1 * x),
        "one_axis_less": lambda x: K.squeeze(x[:, :1], axis=1),
        "gray": lambda x: tf.image.rgb_to_grayscale(x[..., :3]),
        "cooled": lambda x: K.softmax(x / TEMPERATURE),
        "by_format": by_format,
        "by_another": lambda x: doubled(x),
        "by_parts": by_parts,
        "mapped": lambda x: K.map_fn(lambda each: each * 2.0, x),
    }


def functions_of_keras_3():
    limit = 0.75
    return {
        "absolute_difference": lambda t: ops.abs(t[0] - t[1]),
        "euclidean_distance": lambda v: ops.sqrt(ops.sum(ops.square(v[0] - v[1]), axis=-1, keepdims=True)),
        "cosine_similarity": lambda v: ops.sum(ops.normalize(v[0], axis=-1) * ops.normalize(v[1], axis=-1), axis=-1),
        "interactions": lambda v: ops.concatenate([ops.abs(v[0] - v[1]), v[0] * v[1]], axis=-1),
        "product": lambda v: ops.matmul(v[0], ops.transpose(v[1], (0, 1, 3, 2))),
    }, {
        "clipped": lambda x: ops.clip(x, -limit, limit),
        "mean_of_space": lambda x: ops.mean(x, axis=[1, 2]),
        "largest": lambda x: ops.max(x, axis=1),
        "turned": lambda x: ops.transpose(x, (0, 2, 1, 3)),
        "reshaped": lambda x: ops.reshape(x, (-1, 24, 4)),
        "padded": lambda x: ops.pad(x, [[0, 0], [1, 1], [0, 2], [0, 0]], mode="reflect"),
        "first_half": lambda x: ops.split(x, 2, axis=-1)[0],
        "enlarged": lambda x: tf.nn.depth_to_space(x, 2),
        "local_response": lambda x: tf.nn.local_response_normalization(x, 2, 1.0, 1e-4, 0.75),
        "gelu": lambda x: 0.5 * x * (1.0 + ops.tanh(0.7978845608 * (x + 0.044715 * ops.power(x, 3)))),
        "deviation": lambda x: ops.std(x, axis=-1, keepdims=True),
        "cooled": lambda x: ops.softmax(x / TEMPERATURE),
    }


def record(folder, name, shapes, functions):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    inputs = [keras.Input(shape, name="in%d" % index) for index, shape in enumerate(shapes)]
    given = inputs if len(inputs) > 1 else inputs[0]
    model = keras.Model(inputs, [layers.Lambda(function, name=key)(given) for key, function in functions.items()])
    arrays = [rng.uniform(-2, 2, (2, *shape)).astype("float32") for shape in shapes]
    made = model(arrays if len(arrays) > 1 else arrays[0], training=False)
    path = os.path.join(folder, "single_" + name)
    model.save(path + (".keras" if IS_KERAS_3 else ".h5"), **({} if IS_KERAS_3 else {"include_optimizer": False}))
    np.savez(path + ".inputs.npz", **{"in%d" % index: array for index, array in enumerate(arrays)})
    kept = {key: np.asarray(array) for key, array in zip(functions, made) if key != "sampled"}
    np.savez(path + ".outputs.npz", **kept)
    print(keras.__version__, name, len(functions))


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), keras.__version__)
    os.makedirs(folder, exist_ok=True)
    image = (4, 6, 4)
    if IS_KERAS_3:
        pairs, images = functions_of_keras_3()
        record(folder, "pairs", [image, image], pairs)
    else:
        pairs, images = pair_functions(), image_functions()
        record(folder, "pairs", [(6,), (6,)], pairs)
    for start in range(0, len(images), LISTED):
        part = dict(list(images.items())[start:start + LISTED])
        record(folder, "images_%d" % (1 + start // LISTED), [image], part)


if __name__ == "__main__":
    main()
