"""Records graphs of TensorFlow's operators without a description by Keras, and what they compute.

    <python with a TensorFlow> record.py [CASE...]

Writes, beside this script, <version of TensorFlow>/<case>: saved_model/ (tf.saved_model.save, or model.export() where
Keras has it), inputs.npz and outputs.npz under the names of the signature. TensorFlow 1 and 2.15 also write graph.pb,
the same with constants in place of variables, whose arrays are in0, out0 and so on; with tensorflowjs there is tfjs/.
"""
import os
import pathlib
import shutil
import sys
import types
import zlib

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", TF_ENABLE_ONEDNN_OPTS="0")

import numpy as np
import tensorflow as tf

VERSION = ".".join(tf.__version__.split(".")[:2])
FOLDER = pathlib.Path(__file__).resolve().parent / VERSION
FLOAT = np.float32


def variable(random, *shape):
    return tf.Variable(random.uniform(-0.6, 0.7, shape).astype(FLOAT))


class Images(tf.Module):
    """Convolutions, batch normalization, pooling, dense layers."""

    shapes = [(None, 9, 8, 3)]

    def __init__(self, random):
        super().__init__()
        self.kernels = [
            variable(random, 3, 3, 3, 4), variable(random, 3, 2, 4, 2), variable(random, 2, 3, 8, 5)]
        self.statistics = [variable(random, 4), variable(random, 4), variable(random, 4), tf.Variable(
            random.uniform(0.5, 1.5, 4).astype(FLOAT))]
        self.dense = [variable(random, 5, 7), variable(random, 7)]
        self.bias = variable(random, 5)

    def __call__(self, x):
        x = tf.nn.conv2d(x, self.kernels[0], [1, 2, 1, 1], "SAME")
        scale, offset, mean, variance = self.statistics
        x = tf.compat.v1.nn.fused_batch_norm(x, scale, offset, mean, variance, epsilon=1e-3, is_training=False)[0]
        x = tf.nn.relu6(x)
        x = tf.nn.depthwise_conv2d(x, self.kernels[1], [1, 1, 1, 1], "SAME")
        y = tf.nn.max_pool2d(x, 3, 2, "SAME")
        x = tf.nn.avg_pool2d(x, [2, 3], [2, 2], "SAME")
        x = tf.nn.bias_add(tf.nn.conv2d(x + y, self.kernels[2], 1, "VALID", dilations=1), self.bias)
        x = tf.nn.elu(tf.pad(x, [[0, 0], [1, 1], [2, 0], [0, 0]]))
        x = tf.reduce_mean(tf.nn.leaky_relu(x, 0.1), [1, 2])
        return {"scores": tf.nn.softmax(tf.matmul(x, self.dense[0]) + self.dense[1])}


class Enlarged(tf.Module):
    """Transposed convolutions, resizing and blocks."""

    shapes = [(2, 4, 5, 3)]

    def __init__(self, random):
        super().__init__()
        self.kernels = [variable(random, 3, 3, 4, 3), variable(random, 2, 3, 2, 4), variable(random, 3, 3, 2, 2)]

    def __call__(self, x):
        x = tf.nn.conv2d_transpose(x, self.kernels[0], [2, 8, 10, 4], [2, 2], "SAME")
        x = tf.nn.conv2d_transpose(tf.tanh(x), self.kernels[1], [2, 9, 12, 2], 1, "VALID")
        y = tf.compat.v1.image.resize_bilinear(x, [7, 20])
        z = tf.compat.v1.image.resize_bilinear(x, [7, 20], align_corners=True)
        w = tf.image.resize(x, [7, 20], "nearest")
        v = tf.nn.conv2d(y, self.kernels[2], 1, "SAME", dilations=[2, 3])
        u = tf.nn.depth_to_space(tf.nn.space_to_depth(x[:, :8], 4), 2)
        s = tf.batch_to_space(tf.space_to_batch(x, [3, 2], [[0, 0], [1, 1]]) * 2.0, [3, 2], [[0, 0], [1, 1]])
        return {"a": y, "b": z, "c": w, "d": v, "e": u, "f": s, "g": tf.image.resize(x, [18, 30])}


class Shapes(tf.Module):
    """Reshaping with computed shapes, slices, joins and indices."""

    shapes = [(None, 6, 4), (None, 3)]
    types = [tf.float32, tf.int32]

    def __init__(self, random):
        super().__init__()
        self.table = variable(random, 9, 5)

    def __call__(self, x, i):
        batch = tf.shape(x)[0]
        flat = tf.reshape(x, [batch, 24])
        back = tf.transpose(tf.reshape(flat, tf.stack([batch, 4, 6])), [0, 2, 1])
        parts = tf.split(x, [1, 2, 3], 1)
        halves = tf.split(x, 2, 2)
        joined = tf.concat([parts[2], parts[0]], 1)
        stacked = tf.stack(tf.unstack(x, axis=1)[1:3], axis=2)
        rows = tf.gather(self.table, i)
        columns = tf.gather(x, [2, 0, 2], axis=2)
        first = x[:, ::-2, tf.newaxis, 1:-1]
        last = x[..., -1]
        ones = tf.fill([batch, 2], 1.5)
        padded = tf.pad(x, [[0, 0], [1, 2], [0, 1]], "REFLECT") + tf.pad(x, [[0, 0], [1, 2], [1, 0]], "SYMMETRIC")
        return {
            "back": back, "joined": joined, "halves": halves[1] - halves[0], "stacked": stacked, "rows": rows,
            "columns": columns, "first": first, "last": last, "ones": ones, "padded": padded,
            "hot": tf.one_hot(i, 6, 2.0, -1.0, axis=1), "tiled": tf.tile(x, [1, 2, 1]),
            "reversed": tf.reverse(x, [1]), "squeezed": tf.squeeze(tf.expand_dims(last, 1), 1)}


class Numbers(tf.Module):
    """Arithmetic, reductions and choices."""

    shapes = [(None, 5), (5,)]

    def __init__(self, random):
        super().__init__()
        self.matrix = variable(random, 3, 5)

    def __call__(self, x, y):
        positive = tf.abs(x) + 0.5
        sums = tf.add_n([tf.sqrt(positive), tf.math.rsqrt(positive), tf.math.log1p(positive), tf.exp(-positive)])
        parts = [
            tf.math.squared_difference(x, y), tf.pow(positive, 1.5), x / positive, tf.math.floormod(x, positive),
            tf.math.erf(x) * tf.sin(y), tf.sign(x) - tf.floor(y), tf.nn.softplus(x) + tf.nn.softsign(y),
            tf.nn.selu(x), tf.clip_by_value(x, -0.5, 0.6), tf.where(x > y, x, y * 2.0), tf.maximum(x, y),
            tf.math.cumsum(x, 1, exclusive=True, reverse=True), tf.nn.log_softmax(x)]
        product = tf.matmul(x, self.matrix, transpose_b=True)
        batches = tf.matmul(tf.reshape(x, [-1, 1, 5]), tf.reshape(x, [-1, 5, 1]))
        return {
            "sums": sums, "parts": tf.concat(parts, 1), "product": product, "batches": batches,
            "mean": tf.reduce_mean(x, 0, keepdims=True), "largest": tf.argmax(x, 1), "smallest": tf.reduce_min(x, -1),
            "best": tf.math.top_k(x, 3)[0], "places": tf.math.top_k(x, 3)[1], "whole": tf.cast(x * 3.0, tf.int32),
            "any": tf.reduce_any(tf.logical_and(x > 0.0, tf.logical_not(x > y)), 1)}


class Einsums(tf.Module):
    """Sums of products by an equation, of constants and of values, with unknown sizes."""

    shapes = [(None, None, 6), (None, 5, 2, 4), (None, None, 2, 4)]

    def __init__(self, random):
        super().__init__()
        self.kernels = [variable(random, 6, 2, 4), variable(random, 2, 4, 3)]

    def __call__(self, x, y, z):
        scores = tf.einsum("aecd,abcd->acbe", z, y)
        return {
            "heads": tf.einsum("abc,cde->abde", x, self.kernels[0]), "scores": scores,
            "joined": tf.einsum("acbe,aecd->abcd", scores, z), "dense": tf.einsum("...cd,cdf->...f", y, self.kernels[1]),
            "turned": tf.einsum("abc->cab", x), "sums": tf.einsum("abcd->ad", y)}


class Pyramid(tf.Module):
    """Images of any size, enlarged by whole factors, and resized by cubic convolution."""

    shapes = [(None, None, None, 3), (None, 6, 5, 2)]

    def __init__(self, random):
        super().__init__()
        self.kernel = variable(random, 3, 3, 3, 2)

    def __call__(self, x, y):
        x = tf.nn.conv2d(x, self.kernel, 1, "SAME")
        sizes = tf.shape(x)[1:3]
        raw = tf.raw_ops
        return {
            "near": raw.ResizeNearestNeighbor(images=x, size=sizes * [2, 3], half_pixel_centers=True),
            "older": raw.ResizeNearestNeighbor(images=x, size=sizes * 4),
            "linear": raw.ResizeBilinear(images=x, size=sizes * [3, 2], half_pixel_centers=True),
            "first": raw.ResizeBilinear(images=x, size=sizes * 2),
            "cubic": raw.ResizeBicubic(images=y, size=[9, 4], half_pixel_centers=True)}


class Perceptron(tf.Module):
    """Dense layers, which TensorFlow.js joins with what follows."""

    shapes = [(None, 7)]

    def __init__(self, random):
        super().__init__()
        self.weights = [variable(random, *shape) for shape in [(7, 5), (5,), (5, 3), (3,)]]

    def __call__(self, x):
        x = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, self.weights[0]), self.weights[1]))
        return {"scores": tf.nn.softmax(tf.nn.bias_add(tf.matmul(x, self.weights[2]), self.weights[3]))}


CASES = {
    "images": Images, "enlarged": Enlarged, "shapes": Shapes, "numbers": Numbers, "einsums": Einsums, "pyramid": Pyramid,
    "perceptron": Perceptron}


def arrays(module, random):
    """Inputs of two images, rows or ids."""
    sample = []
    for shape, kind in zip(module.shapes, getattr(module, "types", [tf.float32] * 9)):
        sizes = [2 if axis == 0 else 3 + axis if size is None else size for axis, size in enumerate(shape)]
        values = random.normal(size=sizes) if kind == tf.float32 else random.randint(0, 6, sizes)
        sample.append(values.astype(kind.as_numpy_dtype))
    return sample


def save(path, **contents):
    np.savez_compressed(path, **{name: np.asarray(array) for name, array in contents.items()})


def record(name, kind):
    random = np.random.RandomState(zlib.crc32(name.encode()) & 0x7FFFFFFF)
    module = kind(random)
    sample = arrays(module, random)
    types_ = getattr(module, "types", [tf.float32] * 9)
    names = ["x", "y", "z"][:len(sample)]
    specs = [tf.TensorSpec(shape, type_, name) for shape, type_, name in zip(module.shapes, types_, names)]
    module.function = tf.function(module.__call__, input_signature=specs)
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    tf.saved_model.save(module, str(folder / "saved_model"), signatures=module.function)
    tidy(folder)
    loaded = tf.saved_model.load(str(folder / "saved_model"))  # which keeps the variables
    outputs = loaded.signatures["serving_default"](**{name: tf.constant(a) for name, a in zip(names, sample)})
    outputs = {name: outputs[name] for name in sorted(outputs)}  # the order in graph.pb and tfjs
    save(folder / "inputs.npz", **dict(zip(names, sample)))
    save(folder / "outputs.npz", **outputs)
    if VERSION == "2.15":
        freeze(folder, module, specs)
        if name in ("images", "shapes", "perceptron"):  # TensorFlow.js lacks operators of the others
            convert(folder)


def tidy(folder):
    """Removes what is not read."""
    for part in ("assets", "fingerprint.pb"):
        path = folder / "saved_model" / part
        if path.is_dir():
            path.rmdir()
        elif path.exists():
            path.unlink()


def freeze(folder, module, specs):
    """Writes the graph with constants in place of variables. Its outputs are sorted by name."""
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    def results(*values):
        outputs = module(*values)
        return [outputs[name] for name in sorted(outputs)]

    frozen = convert_variables_to_constants_v2(tf.function(results).get_concrete_function(*specs))
    (folder / "graph.pb").write_bytes(frozen.graph.as_graph_def().SerializeToString(deterministic=True))


def convert(folder):
    """Writes a graph model of TensorFlow.js."""
    for name in ("tensorflow_hub", "tensorflow_decision_forests"):  # which only other conversions need
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules["tf_keras"] = tf.keras
    jax = sys.modules["tensorflowjs.converters.jax_conversion"] = types.ModuleType("jax_conversion")
    jax.convert_jax = None
    from tensorflowjs.converters import tf_saved_model_conversion_v2
    tf_saved_model_conversion_v2.convert_tf_saved_model(str(folder / "saved_model"), str(folder / "tfjs"))


def record_keras():
    """A model that Keras 3 exports, which has its own description nowhere in the file."""
    import keras
    layers = keras.layers
    keras.utils.set_random_seed(3)
    x = image = keras.Input((8, 6, 3), name="image")
    x = layers.Conv2D(4, 3, padding="same", activation="relu")(x)
    x = layers.BatchNormalization()(x)
    x = layers.Conv2DTranspose(3, 3, strides=2, padding="same")(layers.DepthwiseConv2D(3)(x))
    x = layers.Dropout(0.5)(layers.MaxPooling2D()(x))
    y = layers.GlobalAveragePooling2D()(x)
    x = layers.LayerNormalization()(layers.Dense(5, activation="gelu")(layers.Flatten()(x)))
    model = keras.Model(image, [layers.Dense(4, activation="softmax")(x), layers.UnitNormalization()(y)])
    random = np.random.RandomState(7)
    model.set_weights([random.uniform(0.1, 0.9, array.shape) for array in model.get_weights()])
    folder = FOLDER / "keras"
    shutil.rmtree(folder, ignore_errors=True)
    model.export(str(folder / "saved_model"), verbose=False)
    tidy(folder)
    sample = random.normal(size=(2, 8, 6, 3)).astype(FLOAT)
    outputs = tf.saved_model.load(str(folder / "saved_model")).signatures["serving_default"](image=tf.constant(sample))
    save(folder / "inputs.npz", image=sample)
    save(folder / "outputs.npz", **outputs)


def record_trained():
    """A trained model of Keras 3 saved by TensorFlow, which restores copies of its variables."""
    import keras
    keras.utils.set_random_seed(4)
    layers = keras.layers
    model = keras.Sequential([keras.Input((5,), name="x"), layers.Dense(4, "tanh"), layers.Dense(2)])
    model.compile("adam", "mse")
    random = np.random.RandomState(8)
    sample = random.normal(size=(3, 5)).astype(FLOAT)
    model.fit(sample, random.normal(size=(3, 2)).astype(FLOAT), verbose=0)
    folder = FOLDER / "trained"
    shutil.rmtree(folder, ignore_errors=True)
    tf.saved_model.save(model, str(folder / "saved_model"))
    tidy(folder)
    save(folder / "inputs.npz", x=sample)
    save(folder / "outputs.npz", y=model(sample))


def record_session():
    """A SavedModel and a frozen graph of TensorFlow 1, whose variables have names only."""
    tf1 = tf.compat.v1
    random = np.random.RandomState(5)
    folder = FOLDER / "session"
    shutil.rmtree(folder, ignore_errors=True)
    x = tf1.placeholder(tf.float32, (None, 6, 6, 2), "image")
    kernel = tf1.get_variable("first/kernel", initializer=random.normal(size=(3, 3, 2, 4)).astype(FLOAT))
    weights = tf1.get_variable(
        "second/kernel", initializer=random.normal(size=(36, 3)).astype(FLOAT), use_resource=True)
    y = tf.nn.relu(tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME"))
    y = tf.identity(tf.nn.softmax(tf.matmul(tf.reshape(y, [-1, 36]), weights)), "scores")
    sample = random.normal(size=(2, 6, 6, 2)).astype(FLOAT)
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        tf1.saved_model.simple_save(session, str(folder / "saved_model"), {"x": x}, {"y": y})
        expected = session.run(y, {x: sample})
        frozen = tf1.graph_util.convert_variables_to_constants(session, session.graph_def, ["scores"])
    (folder / "graph.pb").write_bytes(frozen.SerializeToString(deterministic=True))
    save(folder / "inputs.npz", x=sample)
    save(folder / "outputs.npz", y=expected)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    wanted = sys.argv[1:]
    if VERSION.startswith("1."):
        record_session()
        sys.exit()
    for case, kind in CASES.items():
        if not wanted or case in wanted:
            record(case, kind)
    if int(VERSION.split(".")[1]) >= 16:
        for function in (record_keras, record_trained):
            if not wanted or function.__name__.removeprefix("record_") in wanted:
                function()
