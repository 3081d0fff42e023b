"""Records the usual Lambda layers of Keras models, as the Keras that runs this writes and computes them.

    <environment with keras==2.2.5 and tensorflow==1.15>/bin/python usual.py     # and so on with other versions
    <environment with keras==2.15.0>/bin/python usual.py
    <environment with keras==3.15>/bin/python usual.py

A group of functions is one model, with a Lambda for each: <version>/<group>.h5 (.keras by Keras 3), .inputs.npz and
.outputs.npz. Of the functions in `refused` no mapping may be proposed.
"""

import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

IS_KERAS_3 = keras.__version__.startswith("3")
IS_TF_1 = tf.__version__.startswith("1")
if IS_KERAS_3:
    from keras import ops
else:
    from keras import backend as K

OFFSET = 0.25  # a name whose value no file has


# Pairs of vectors: [batch, 6] twice.


def euclidean(vects):
    x, y = vects
    sum_square = K.sum(K.square(x - y), axis=1, keepdims=True)
    return K.sqrt(K.maximum(sum_square, K.epsilon()))


def cosine(vests):
    x, y = vests
    x = K.l2_normalize(x, axis=-1)
    y = K.l2_normalize(y, axis=-1)
    return K.sum(x * y, axis=-1, keepdims=True)


def manhattan(a):
    return K.exp(-K.sum(K.abs(a[0] - a[1]), axis=1, keepdims=True))


def cosine_tf(v):
    """The same in TensorFlow's words."""
    a, b = v[0], v[1]
    a = tf.nn.l2_normalize(a, 1)
    b = tf.nn.l2_normalize(b, 1)
    return 1 - tf.reduce_sum(tf.multiply(a, b), 1)


def swapped(v):
    x, y = v
    x, y = y, x
    z = x - y
    z /= 2.0
    return [z, x * y]


PAIRS = [
    (lambda t: K.abs(t[0] - t[1]), (6,)),
    (euclidean, (1,)),
    (cosine, (1,)),
    (manhattan, (1,)),
    (cosine_tf, ()),
    (lambda x: K.batch_dot(x[0], x[1], axes=1), (1,)),
    (lambda a: a[0] + (a[1] - K.mean(a[1], axis=1, keepdims=True)), (6,)),
    (lambda v: K.concatenate([v[0], v[1], v[0] * v[1]], axis=-1), (18,)),
    (lambda v: K.concatenate(v), (12,)),
    (lambda v: tf.concat([v[1], tf.square(v[0])], 1), (12,)),
    (lambda v: K.stack(v, axis=1), (2, 6)),
    (lambda v: tf.where(v[0] > v[1], v[0], v[1]), (6,)),
    (lambda v: K.switch(K.greater(v[0], 0.5), v[1], K.zeros_like(v[1])), (6,)),
    (lambda v: K.maximum(v[0], v[1]) - K.minimum(v[0], 0.3), (6,)),
    (lambda v: v[0] * 0.3 + v[1] * (1 - 0.3), (6,)),
    (lambda v: tf.norm(v[0] - v[1], axis=1, keepdims=True), (1,)),
    (lambda v: tf.add_n(v) / len(v), (6,)),
    (lambda v: tf.cast(v[0] <= v[1], tf.float32) * v[0], (6,)),
    (lambda v: K.softmax(v[0]) * K.tanh(v[1]), (6,)),
]


# Sequences: [batch, 4, 5] twice.


def attend(v):
    query, values = v
    scores = tf.matmul(query, values, transpose_b=True)
    weights = tf.nn.softmax(scores / tf.sqrt(5.0), axis=-1)
    return tf.matmul(weights, values)


def matches(v):
    left, right = v
    products = K.batch_dot(left, right, axes=(2, 2))
    return K.max(products, axis=-1)


SEQUENCES = [
    (attend, (4, 5)),
    (matches, (4,)),
    (lambda v: K.batch_dot(v[0], K.permute_dimensions(v[1], (0, 2, 1))), (4, 4)),
    (lambda v: K.sum(v[0] * K.expand_dims(v[1][:, 0], 1), axis=1), (5,)),
    (lambda v: K.batch_dot(v[0], v[1][:, :, 0], axes=[1, 1]), (5,)),
    (lambda v: tf.reduce_sum(tf.expand_dims(v[0], 2) - tf.expand_dims(v[1], 1), -1), (4, 4)),
    (lambda v: K.expand_dims(v[0], 1) * K.ones_like(K.expand_dims(v[1], 2)), (4, 4, 5)),
    (lambda v: tf.gather(v[0], [3, 0, 1], axis=1) + v[1][:, 1:], (3, 5)),
]


# Images: [batch, 4, 6, 4].


def halves(x):
    a, b = tf.split(x, 2, axis=-1)
    return a * K.sigmoid(b)


def standardized(x):
    mean = K.mean(x, axis=[1, 2], keepdims=True)
    deviation = K.std(x, axis=[1, 2], keepdims=True)
    return (x - mean) / (deviation + 1e-5)


def scaled(x, factor=3.0, bias=0.5):
    return x * factor + bias


def threshold_of(limit, weights):
    return lambda x: K.clip(x, -limit, limit) * weights


def preprocess(x):
    x = x[..., :3]
    x = x[..., ::-1]
    mean = tf.constant([103.939, 116.779, 123.68])
    return x - mean


def flattened(x):
    shape = K.int_shape(x)
    return K.reshape(x, (-1, shape[1] * shape[2], shape[3]))


def dynamic(x):
    shape = tf.shape(x)
    return tf.reshape(x, [shape[0], shape[1], shape[2] * shape[3]])


def squash(z):
    norm = K.sum(K.square(z), -1, keepdims=True)
    scale = norm / (1 + norm) / K.sqrt(norm + K.epsilon())
    return scale * z


IMAGES = [
    (lambda x: K.mean(x, axis=1), (6, 4)),
    (lambda x: x ** 2, (4, 6, 4)),
    (lambda z: tf.sqrt(tf.reduce_sum(tf.square(z), axis=2)), (4, 4)),
    (lambda x: K.permute_dimensions(x, (0, 2, 1, 3)), (6, 4, 4)),
    (halves, (4, 6, 2)),
    (standardized, (4, 6, 4)),
    (scaled, (4, 6, 4)),
    (threshold_of(0.75, [1.0, 2.0, 3.0, 4.0]), (4, 6, 4)),
    (preprocess, (4, 6, 3)),
    (flattened, (24, 4)),
    (dynamic, (4, 24)),
    (squash, (4, 6, 4)),
    (lambda x: tf.pad(x, [[0, 0], [1, 2], [3, 0], [0, 0]]), (7, 9, 4)),
    (lambda x: tf.pad(x, [[0, 0], [1, 1], [2, 2], [0, 0]], "REFLECT"), (6, 10, 4)),
    (lambda x: K.tile(x, [1, 2, 1, 1]), (8, 6, 4)),
    (lambda x: K.repeat_elements(x, 3, axis=1), (12, 6, 4)),
    (lambda x: tf.nn.local_response_normalization(x, 2, 1.0, 1e-4, 0.75), (4, 6, 4)),
    (lambda x: K.batch_flatten(x), (96,)),
    (lambda x: x[:, ::2, 1:, -1], (2, 5)),
    (lambda x: K.log(K.abs(x) + 1) - K.exp(-x), (4, 6, 4)),
]

MORE_IMAGES = [
    (lambda x: K.max(x, axis=-1, keepdims=True), (4, 6, 1)),
    (lambda x: tf.reduce_max(x, [1, 2]), (4,)),
    (lambda x: K.min(x, axis=(1, 2)) + K.prod(x, axis=[1, 2]), (4,)),
    (lambda x: K.pow(K.abs(x), 0.5), (4, 6, 4)),
    (lambda x: K.relu(x, alpha=0.1, max_value=1.5), (4, 6, 4)),
    (lambda x: x * K.sigmoid(x), (4, 6, 4)),
    (lambda x: x * tf.nn.relu6(x + 3) / 6, (4, 6, 4)),
    (lambda x: x * tf.tanh(tf.nn.softplus(x)), (4, 6, 4)),
    (lambda x: 0.5 * x * (1.0 + tf.tanh(0.7978845608 * (x + 0.044715 * tf.pow(x, 3)))), (4, 6, 4)),
    (lambda x: K.one_hot(K.argmax(x, axis=-1), 4), (4, 6, 4)),
    (lambda x: K.cast(K.argmax(x), "float32"), (4, 6)),
    (lambda x: K.reverse(x, axes=1) + K.squeeze(K.expand_dims(x, -1), 4), (4, 6, 4)),
    (lambda x: K.resize_images(x, 2, 3, "channels_last"), (8, 18, 4)),
    (lambda x: K.spatial_2d_padding(x, ((1, 0), (2, 1))), (5, 9, 4)),
    (lambda x: K.hard_sigmoid(x) - K.elu(x), (4, 6, 4)),
    (lambda x: 1.0 / (2.0 + x * x), (4, 6, 4)),
    (lambda x: K.var(x, axis=3) // 0.25, (4, 6)),
    (lambda x: tf.unstack(x, num=4, axis=3)[2], (4, 6)),
    (lambda x: K.cumsum(x, axis=1) % 1.5, (4, 6, 4)),
    (lambda x: tf.clip_by_value(x, -0.5, 0.5), (4, 6, 4)),
]

BLOCKS = [
    (lambda x: tf.nn.depth_to_space(x, block_size=2), (8, 12, 1)),
    (lambda x: tf.nn.space_to_depth(x, 2), (2, 3, 16)),
    (lambda x: tf.transpose(tf.reshape(x, (-1, 4, 6, 2, 2)), [0, 1, 2, 4, 3]), (4, 6, 2, 2)),
    (lambda x: [x[:, :, :, :1], x[:, :, :, 1:]], None),
    (lambda x: x / np.sqrt(2.0), (4, 6, 4)),
    (lambda x: x - np.array([1.0, 2, 3, 4]), (4, 6, 4)),
    (lambda x: K.dot(x, K.constant([[1.0, 2.0], [0.0, 1.0], [3.0, 0.5], [1, 1]])), (4, 6, 2)),
    (lambda x: tf.tile(x[:, :, :1], [1, 1, 3, 1]), (4, 3, 4)),
    (lambda x: tf.reverse(x, [1]) * tf.sign(x), (4, 6, 4)),
    (lambda x: tf.math.squared_difference(x, 1.0), (4, 6, 4)),
]


def keras_3_pairs():
    return [
        (lambda t: ops.abs(t[0] - t[1]), (6,)),
        (lambda v: ops.sqrt(ops.sum(ops.square(v[0] - v[1]), axis=1, keepdims=True)), (1,)),
        (lambda v: ops.concatenate([v[0], v[1]], axis=-1), (12,)),
        (lambda v: ops.concatenate([v[0][:, None], v[1][:, None]], 1), (2, 6)),
        (lambda v: ops.where(v[0] > v[1], v[0], 0.0), (6,)),
        (lambda v: ops.stack(v, axis=-1), (6, 2)),
        (lambda v: ops.maximum(v[0], 0.0) + ops.minimum(v[1], 0.0), (6,)),
        (lambda v: ops.norm(v[0] - v[1], axis=-1), ()),
        (lambda v: tf.add_n(v) / len(v), (6,)),
        (lambda v: [v[0] - v[1], v[0] * v[1]], None),
    ]


def keras_3_images():
    """Keras 3 stores only the code of functions without a name."""
    limit, weights = 0.75, [1.0, 2.0, 3.0, 4.0]
    return [
        (lambda x: ops.mean(x, axis=1), (6, 4)),
        (lambda x: x ** 2, (4, 6, 4)),
        (lambda x: ops.transpose(x, (0, 2, 1, 3)), (6, 4, 4)),
        (lambda x, factor=3.0, bias=0.5: x * factor + bias, (4, 6, 4)),
        (lambda x: ops.clip(x, -limit, limit) * weights, (4, 6, 4)),
        (lambda x: ops.reshape(x, (-1, 24, 4)), (24, 4)),
        (lambda x: ops.split(x, 2, axis=-1)[1], (4, 6, 2)),
        (lambda x: ops.pad(x, [[0, 0], [1, 1], [2, 0], [0, 0]]), (6, 8, 4)),
        (lambda x: ops.tile(x, [1, 2, 1, 1]), (8, 6, 4)),
        (lambda x: ops.softmax(x, axis=-1) * ops.sigmoid(x), (4, 6, 4)),
        (lambda x: ops.one_hot(ops.argmax(x, axis=-1), 4), (4, 6, 4)),
        (lambda x: ops.max(x, axis=(1, 2), keepdims=True) - ops.min(x), (1, 1, 4)),
        (lambda x: ops.take(x, [0, 2], axis=3), (4, 6, 2)),
        (lambda x: ops.squeeze(x[:, :1], 1) + ops.log1p(ops.abs(x[:, 1])), (6, 4)),
        (lambda x: tf.nn.depth_to_space(x, 2), (8, 12, 1)),
        (lambda x: tf.image.resize(x, (6, 9), method="nearest"), (6, 9, 4)),
        (lambda x: ops.flip(x, 1) / (1 + ops.exp(-x)), (4, 6, 4)),
        (lambda x: ops.repeat(x, 2, axis=2), (4, 12, 4)),
        (lambda x: ops.cast(x > 0, "float32") * x, (4, 6, 4)),
        (lambda x: ops.leaky_relu(x, 0.3) + ops.power(x, 2), (4, 6, 4)),
    ]


def branching(x):
    if K.ndim(x) > 3:
        return x * 2
    return x


def appended(x):
    parts = [x]
    parts.append(x * 2)
    return K.concatenate(parts, -1)


def refused():
    """Functions of which no mapping may be proposed."""
    return [
        lambda x: x * OFFSET,
        branching,
        appended,
        lambda x: x + K.random_normal(K.shape(x)),
        lambda x: tf.stack([x[:, i] for i in range(4)], 1),
        lambda x: other(x),
    ]


def other(x):
    return -x


def recorded(name, inputs, functions):
    """A model with a Lambda for each function, its inputs and what it makes of them."""
    outputs = []
    given = inputs if len(inputs) > 1 else inputs[0]
    for index, (function, shape) in enumerate(functions):
        # Keras 2.2 does not look at what a function makes.
        settings = {"output_shape": shape} if IS_TF_1 or IS_KERAS_3 else {}
        if shape is None or shape == ():
            settings = {}
        made = layers.Lambda(function, name="%s_%d" % (name, index), **settings)(given)
        outputs += made if isinstance(made, list) else [made]
    return keras.models.Model(inputs, outputs)


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), keras.__version__)
    os.makedirs(folder, exist_ok=True)
    pair = lambda: [layers.Input((6,), name="in0"), layers.Input((6,), name="in1")]
    sequences = lambda: [layers.Input((4, 5), name="in0"), layers.Input((4, 5), name="in1")]
    image = lambda: [layers.Input((4, 6, 4), name="in0")]
    if IS_KERAS_3:
        groups = [("pairs", pair, keras_3_pairs()), ("images", image, keras_3_images())]
    else:
        # Keras 2.2 takes the shape of several outputs from what it is told, and of a function of
        # two tensors it is told one.
        one = lambda functions: [entry for entry in functions if not IS_TF_1 or entry[1]]
        pairs = PAIRS + ([] if IS_TF_1 else [(swapped, None)])
        groups = [
            ("pairs", pair, one(pairs)), ("sequences", sequences, one(SEQUENCES)),
            ("images", image, one(IMAGES)), ("images_2", image, one(MORE_IMAGES)),
            ("blocks", image, one(BLOCKS)),
        ]
        groups += [("refused", image, [(function, (4, 6, 4)) for function in refused()])]
    for name, inputs, functions in groups:
        model = recorded(name, inputs(), functions)
        rng = np.random.RandomState(len(name))
        given = {t.name.split(":")[0]: rng.uniform(-2, 2, (2,) + tuple(t.shape[1:])).astype("float32") for t in model.inputs}
        made = model.predict([given[key] for key in sorted(given)], verbose=0)
        made = made if isinstance(made, list) else [made]
        path = os.path.join(folder, name)
        model.save(path + (".keras" if IS_KERAS_3 else ".h5"), **(
            {} if IS_KERAS_3 else {"include_optimizer": False}))
        if name != "refused":
            np.savez(path + ".inputs.npz", **given)
            np.savez(path + ".outputs.npz", **{"out%03d" % i: np.asarray(a) for i, a in enumerate(made)})
        print(keras.__version__, name, len(functions))


if __name__ == "__main__":
    main()
