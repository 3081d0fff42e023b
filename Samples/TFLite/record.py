"""Makes small Keras networks, converts them with the TensorFlow that runs this, and records what its
own interpreter computes: VERSION/NAME.tflite, VERSION/NAME.inputs.npz, VERSION/NAME.outputs.npz.

    python record.py [NAME...]

Records the networks of the given names, or all that this version of TensorFlow converts: 1.15, 2.3,
2.15 or 2.21 (Python 3.7 for the first). Writes beside itself. The reference kernels compute where the
version has a choice; arrays have the names of the signature, or else those of the tensors.
"""

import os
import pathlib
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy
import tensorflow as tf

HERE = pathlib.Path(__file__).parent
VERSION = ".".join(tf.__version__.split(".")[:2])
IS_OLD = VERSION.startswith("1.")
keras = tf.keras
layers = keras.layers
CASES = {}


def case(*versions, form="float", fill=None):
    """Registers a network for some versions of TensorFlow and one form of its weights, which are
    random unless a number is given."""

    def register(function):
        for version in versions:
            CASES.setdefault(version, {})[function.__name__] = (function, form, fill)
        return function

    return register


def image(height=8, width=8, channels=3, batch=None):
    return layers.Input((height, width, channels), batch_size=batch)


def apply(function, *values):
    """A function of TensorFlow as a layer."""
    if len(values) == 1:
        return layers.Lambda(function)(values[0])
    return layers.Lambda(lambda inputs: function(*inputs))(list(values))


# Floating-point networks.

@case("2.3", "2.15", "2.21")
def convolutions():
    x = image(9, 8, 4)
    y = layers.Conv2D(6, 3, strides=2, padding="same", activation="relu")(x)
    y = layers.Conv2D(5, (2, 3), padding="valid", activation=tf.nn.relu6)(y)
    z = layers.Conv2D(4, 3, dilation_rate=2, padding="same", use_bias=False)(x)
    return x, [y, z]


@case("1.15", "2.3", "2.15", "2.21")
def depthwise():
    x = image()
    y = layers.DepthwiseConv2D(3, strides=2, padding="same", depth_multiplier=2)(x)
    y = layers.BatchNormalization()(y)
    y = layers.ReLU(6.0)(y)
    z = layers.SeparableConv2D(4, 3, padding="valid", activation="tanh")(x)
    return x, [y, z]


@case("1.15", "2.3", "2.15", "2.21")
def transposed():
    x = image(4, 5, 3, batch=1)
    y = layers.Conv2DTranspose(4, 3, strides=2, padding="same")(x)
    z = layers.Conv2DTranspose(2, (2, 3), strides=(1, 2), padding="valid", activation="relu")(x)
    return x, [y, z]


@case("1.15", "2.3", "2.15")
def pooling():
    x = image(7, 8, 3)
    y = layers.MaxPooling2D(2)(x)
    z = layers.AveragePooling2D(3, strides=2, padding="same")(x)
    w = layers.MaxPooling2D(3, strides=1, padding="same")(x)
    return x, [y, z, w, layers.GlobalAveragePooling2D()(x), layers.GlobalMaxPooling2D()(x)]


@case("1.15", "2.3", "2.15", "2.21")
def classifier():
    x = image()
    y = layers.Conv2D(6, 3, padding="same")(x)
    y = layers.BatchNormalization()(y)
    y = layers.LeakyReLU(0.1)(y)
    y = layers.MaxPooling2D(2)(y)
    y = layers.Flatten()(y)
    y = layers.Dense(10, activation="relu")(y)
    return x, [layers.Dense(4, activation="softmax")(y)]


@case("2.3", "2.15")
def activations():
    x = layers.Input((6, 5))
    names = ["relu", "elu", "sigmoid", "tanh", "softplus", "softmax", "hard_sigmoid",
             "exponential"]
    outputs = [layers.Activation(name)(x) for name in names]
    outputs.append(layers.PReLU(alpha_initializer="uniform")(x))
    outputs.append(layers.ReLU(max_value=2.0, negative_slope=0.2, threshold=0.5)(x))
    return x, outputs


@case("1.15", "2.3", "2.15")
def arithmetic():
    x, y = layers.Input((4, 5)), layers.Input((4, 5))
    merged = [layers.Add()([x, y]), layers.Subtract()([x, y]), layers.Multiply()([x, y]),
              layers.Maximum()([x, y]), layers.Minimum()([x, y]), layers.Average()([x, y]),
              layers.Concatenate(axis=1)([x, y]), layers.Dot(axes=2)([x, y])]
    quotient = apply(lambda a, b: tf.math.divide(a, tf.abs(b) + 1.0), x, y)
    power = apply(lambda a, b: tf.pow(tf.abs(a) + 0.1, b), x, y)
    distance = apply(lambda a, b: tf.math.squared_difference(a, b), x, y)
    return [x, y], merged + [quotient, power, distance]


@case("1.15", "2.3", "2.15")
def functions():
    x = layers.Input((3, 4))
    names = ["abs", "exp", "floor", "negative", "sin", "cos", "square"]
    outputs = [apply(getattr(tf.math, name), x) for name in names]
    positive = apply(lambda a: tf.abs(a) + 0.5, x)
    outputs += [apply(getattr(tf.math, name), positive) for name in ["log", "sqrt", "rsqrt"]]
    outputs += [apply(lambda a: tf.math.ceil(a), x), apply(lambda a: tf.round(a * 4), x),
                apply(lambda a: tf.nn.log_softmax(a), x)]
    return x, outputs


@case("1.15", "2.3", "2.15")
def reductions():
    x = layers.Input((3, 4, 5), batch_size=2)
    outputs = [
        apply(lambda a: tf.reduce_mean(a, [1, 2]), x),
        apply(lambda a: tf.reduce_sum(a, -1, keepdims=True), x),
        apply(lambda a: tf.reduce_max(a, 2), x), apply(lambda a: tf.reduce_min(a, [1, 3]), x),
        apply(lambda a: tf.reduce_prod(a, 1), x),
        apply(lambda a: tf.cast(tf.argmax(a, -1), tf.int32), x),
        apply(lambda a: tf.argmin(a, 1, output_type=tf.int32), x),
        apply(lambda a: tf.math.top_k(a, 2)[0], x),
        apply(lambda a: tf.math.l2_normalize(a, -1), x),
    ]
    return x, outputs


@case("2.3", "2.15")
def slicing():
    x = layers.Input((6, 5, 4), batch_size=2)
    parts = [
        apply(lambda a: a[:, 1:5:2, ::-1, -1], x), apply(lambda a: a[:, 2], x),
        apply(lambda a: a[..., tf.newaxis, 1:3], x), apply(lambda a: a[:, -3:, :2], x),
        apply(lambda a: tf.slice(a, [0, 1, 2, 0], [-1, 3, 2, -1]), x),
        apply(lambda a: tf.split(a, 3, axis=1)[1], x),
        apply(lambda a: tf.split(a, [2, 1, 2], axis=2)[2], x),
        apply(lambda a: tf.stack(tf.unstack(a, axis=3)[1:3], axis=1), x),
        apply(lambda a: tf.reverse(a, [2]), x), apply(lambda a: tf.tile(a, [1, 2, 1, 1]), x),
    ]
    return x, parts


@case("1.15", "2.3", "2.15", "2.21")
def reshaping():
    x = layers.Input((6, 4))
    y = layers.Permute((2, 1))(layers.Reshape((3, 8))(x))
    z = layers.RepeatVector(3)(layers.Flatten()(x))
    return x, [y, z, layers.Reshape((2, 3, -1))(x)]


@case("1.15", "2.3", "2.15")
def borders():
    x = image(5, 6, 2)
    y = layers.Cropping2D(((1, 0), (2, 1)))(layers.ZeroPadding2D(((2, 1), (0, 3)))(x))
    reflected = apply(lambda a: tf.pad(a, [[0, 0], [2, 1], [1, 2], [0, 0]], "REFLECT"), x)
    mirrored = apply(lambda a: tf.pad(a, [[0, 0], [2, 1], [1, 2], [0, 0]], "SYMMETRIC"), x)
    filled = apply(
        lambda a: tf.pad(a, [[0, 0], [1, 1], [0, 0], [0, 0]], constant_values=3.0), x)
    return x, [y, reflected, mirrored, filled]


@case("1.15", "2.3", "2.15")
def resizing():
    x = image(4, 6, 2, batch=1)
    outputs = [layers.UpSampling2D(2)(x), layers.UpSampling2D((2, 3), interpolation="bilinear")(x)]
    for name in ["resize_bilinear", "resize_nearest_neighbor"]:
        resize = getattr(tf.compat.v1.image, name)
        outputs.append(apply(lambda a, resize=resize: resize(a, (7, 5)), x))
        outputs.append(apply(lambda a, resize=resize: resize(a, (7, 9), align_corners=True), x))
        if not IS_OLD:
            outputs.append(
                apply(lambda a, resize=resize: resize(a, (3, 8), half_pixel_centers=True), x))
    return x, outputs


@case("2.3", "2.15")
def blocks():
    x = image(4, 6, 8)
    outputs = [
        apply(lambda a: tf.nn.depth_to_space(a, 2), x),
        apply(lambda a: tf.nn.space_to_depth(a, 2), x),
        apply(lambda a: tf.nn.local_response_normalization(a, 2, 1.5, 0.3, 0.6), x),
        apply(lambda a: tf.space_to_batch(a, [2, 3], [[1, 1], [0, 0]]), x),
    ]
    return x, outputs


@case("1.15", "2.3", "2.15", "2.21")
def sequences():
    x = layers.Input((12, 3))
    y = layers.Conv1D(4, 3, padding="same", activation="relu")(x)
    y = layers.MaxPooling1D(2)(y)
    z = layers.Conv1D(5, 3, dilation_rate=2)(x)
    return x, [layers.GlobalAveragePooling1D()(y), layers.Dense(3)(z)]


@case("2.15", "2.21")
def volumes():
    x = layers.Input((5, 6, 7, 2), batch_size=1)
    y = layers.Conv3D(3, 3, strides=2, padding="same", activation="relu")(x)
    return x, [y, layers.Conv3DTranspose(2, 2, strides=2)(y)]


@case("1.15", "2.3", "2.15")
def embedding():
    x = layers.Input((5,), dtype="int32")
    y = layers.Embedding(11, 4)(x)
    z = apply(lambda a: tf.one_hot(a, 6, on_value=2.0, off_value=-1.0), x)
    return x, [layers.Dense(2)(layers.Flatten()(y)), z]


@case("2.3", "2.15")
def lstm():
    x = layers.Input((6, 4), batch_size=1)
    y = layers.LSTM(5, return_sequences=True)(x)
    return x, [layers.LSTM(3)(y), y]


@case("2.15", fill=1.0)
def long_lstm():
    """Its cell states reach the bounds that the converter adds, -10 and 10."""
    x = layers.Input((16, 2), batch_size=1)
    return x, [layers.LSTM(3, return_sequences=True)(x)]


@case("2.15")
def bidirectional():
    x = layers.Input((6, 4), batch_size=1)
    return x, [layers.Bidirectional(layers.LSTM(3, return_sequences=True))(x)]


@case("2.3", "2.15", "2.21")
def gru():
    x = layers.Input((4, 3), batch_size=1)
    y = layers.GRU(4, return_sequences=True)(x)
    return x, [layers.GRU(3, reset_after=False)(y)]


@case("2.3", "2.15")
def any_length():
    """Loops whose number of steps is the length of the sequence."""
    x = layers.Input((None, 3), batch_size=1)
    y = layers.GRU(4, return_sequences=True)(x)
    return x, [layers.GRU(3, reset_after=False)(y), layers.SimpleRNN(3, return_sequences=True)(y)]


@case("2.15")
def any_length_lstm():
    x = layers.Input((None, 3), batch_size=1)
    y = layers.LSTM(4, return_sequences=True, activation="relu")(x)
    return x, [y, layers.GRU(3, recurrent_activation="hard_sigmoid")(y)]


@case("2.15")
def simple_rnn():
    x = layers.Input((4, 3), batch_size=1)
    return x, [layers.SimpleRNN(4)(x)]


@case("2.15", "2.21")
def attention():
    x = layers.Input((5, 8))
    y = layers.MultiHeadAttention(2, 4)(x, x)
    y = layers.LayerNormalization()(layers.Add()([x, y]))
    return x, [layers.Dense(3, activation="gelu")(y)]


@case("2.15")
def selection():
    x, y = layers.Input((4, 5)), layers.Input((4, 5))
    outputs = [
        apply(lambda a, b: tf.where(tf.greater(a, b), a, b * 2.0), x, y),
        apply(lambda a, b: tf.cast(tf.logical_and(a > 0, tf.less_equal(b, a)), tf.float32), x, y),
        apply(lambda a: tf.cast(a * 3.0, tf.int32) // 2, x),
        apply(lambda a: tf.math.floormod(a, 0.7), x),
        apply(lambda a: tf.gather(a, [3, 0, 3], axis=1), x),
        apply(lambda a: tf.cumsum(a, axis=1, exclusive=True, reverse=True), x),
        apply(lambda a: tf.math.sign(a), x),
        apply(lambda a, b: tf.atan2(a, b), x, y),
    ]
    return [x, y], outputs


@case("2.15")
def decided():
    """Loops and branches that only the numbers of the input decide, and a state that grows."""
    x = layers.Input((3, 4), batch_size=1)

    def halved(a):
        return tf.while_loop(
            lambda step, b: tf.reduce_sum(tf.abs(b)) > 0.7, lambda step, b: [step + 1, b * 0.6],
            [tf.constant(0), a])

    def grown(a):
        steps = tf.cast(tf.reduce_max(a) * 3.0, tf.int32)
        return tf.while_loop(
            lambda step, b: step < steps,
            lambda step, b: [step + 1, tf.concat([b, a[:, :1] * tf.cast(step, tf.float32)], 1)],
            [tf.constant(0), a], [tf.TensorShape([]), tf.TensorShape([1, None, 4])])[1]

    def nested(a):
        def changed(step, b):
            c = tf.while_loop(
                lambda place, c: place <= step, lambda place, c: [place + 1, tf.tanh(c * 1.5)],
                [tf.constant(0), b])[1]
            return [step + 1, tf.cond(tf.reduce_sum(c) > 0, lambda: c - 0.3, lambda: c + 0.5)]

        return tf.while_loop(
            lambda step, b: step < tf.cast(tf.reduce_sum(tf.abs(a)), tf.int32) // 3, changed,
            [tf.constant(0), a])[1]

    def branched(a, sign):
        return tf.cond(
            tf.reduce_sum(a) * sign > 0, lambda: a[:, 1:] * 2.0, lambda: tf.concat([a, a + 1], 1))

    outputs = [
        *apply(halved, x), apply(grown, x), apply(nested, x),
        apply(lambda a: branched(a, 1.0), x), apply(lambda a: branched(a, -1.0), x),
    ]
    return x, outputs


# Weights of 16 bits.

@case("1.15", "2.3", "2.15", "2.21", form="float16")
def half_classifier():
    return classifier()


@case("2.15", form="float16")
def half_depthwise():
    return depthwise()


# Weights of 8 bits.

@case("1.15", "2.15", "2.21", form="dynamic")
def dynamic_classifier():
    x = image(8, 8, 4)
    y = layers.Conv2D(32, 3, padding="same", activation="relu")(x)
    y = layers.GlobalAveragePooling2D()(y)
    y = layers.Dense(40, activation="relu")(y)
    return x, [layers.Dense(4)(y)]


# Integers.

def quantized_classifier():
    x = image(8, 8, 3, batch=1)
    y = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")(x)
    y = layers.DepthwiseConv2D(3, padding="same")(y)
    y = layers.ReLU(6.0)(y)
    y = layers.AveragePooling2D(2)(y)
    y = layers.Flatten()(y)
    return x, [layers.Dense(5, activation="softmax")(y)]


@case("1.15", "2.3", "2.15", "2.21", form="int8")
def int8_classifier():
    return quantized_classifier()


@case("2.3", "2.15", form="int8-float")
def int8_inside():
    return quantized_classifier()


@case("2.3", "2.15", form="uint8")
def uint8_ends():
    return quantized_classifier()


@case("2.3", "2.15", "2.21", form="int8")
def int8_residual():
    x = image(8, 8, 4, batch=1)
    y = layers.Conv2D(4, 3, padding="same")(x)
    z = layers.Conv2D(4, 1, padding="same", activation="relu")(x)
    y = layers.Add()([y, z])
    y = layers.Concatenate()([y, layers.Multiply()([z, x])])
    y = layers.MaxPooling2D(2)(y)
    return x, [y, layers.GlobalAveragePooling2D()(y), layers.Subtract()([z, x])]


@case("2.15", form="int8")
def int8_activations():
    x = layers.Input((6, 5), batch_size=1)
    return x, [layers.Activation("sigmoid")(x), layers.Activation("tanh")(x),
               layers.LeakyReLU(0.2)(x), layers.Activation("softmax")(x), layers.ReLU()(x),
               layers.Activation("elu")(x)]


@case("2.15", form="int8")
def int8_moving():
    x = image(6, 6, 3, batch=1)
    y = layers.ZeroPadding2D(1)(x)
    z = layers.UpSampling2D(2)(x)
    w = layers.UpSampling2D(2, interpolation="bilinear")(x)
    v = apply(lambda a: tf.transpose(a[:, 1:5, ::2], [0, 3, 1, 2]), x)
    return x, [y, z, w, v, layers.Conv2DTranspose(2, 3, strides=2, padding="same")(x)]


@case("2.15", "2.21", form="int16")
def int16_classifier():
    return quantized_classifier()


def network(function, fill):
    """The network with weights from one generator, so that no bias is 0, or all of one number."""
    inputs, outputs = function()
    model = keras.Model(inputs, outputs)
    random = numpy.random.RandomState(sum(function.__name__.encode()))
    weights = []
    for variable in model.get_weights():
        scale = 0.8 / numpy.sqrt(max(1, numpy.prod(variable.shape[:-1])))
        weight = random.normal(0, scale if variable.ndim > 1 else 0.3, variable.shape)
        if fill is not None:
            weight = numpy.full(variable.shape, fill)
        weights.append(numpy.abs(weight) + 0.2 if is_variance(variable) else weight)
    model.set_weights(weights)
    return model, random


def is_variance(variable):
    return variable.ndim == 1 and variable.size > 0 and bool((variable == 1).all())


def examples(model, random, count=1):
    for _ in range(count):
        arrays = []
        for tensor in model.inputs:
            shape = [
                (1 if axis == 0 else 7) if size is None else int(size)
                for axis, size in enumerate(tensor.shape)]
            dtype = tf.as_dtype(tensor.dtype).as_numpy_dtype
            arrays.append(
                random.randint(0, 6, shape).astype(dtype) if numpy.issubdtype(dtype, numpy.integer)
                else random.normal(0, 1, shape).astype(dtype))
        yield arrays


def converter(model):
    if IS_OLD:
        session = keras.backend.get_session()
        return tf.lite.TFLiteConverter.from_session(session, model.inputs, model.outputs)
    if VERSION == "2.21":
        folder = tempfile.mkdtemp()
        model.export(folder, verbose=False)
        return tf.lite.TFLiteConverter.from_saved_model(folder)
    return tf.lite.TFLiteConverter.from_keras_model(model)


def convert(model, random, form):
    result = converter(model)
    if form == "float":
        return result.convert()
    result.optimizations = [tf.lite.Optimize.DEFAULT]
    if form == "float16":
        result.target_spec.supported_types = [tf.float16]
    elif form != "dynamic":
        result.representative_dataset = lambda: examples(model, random, 8)
        sets = tf.lite.OpsSet
        result.target_spec.supported_ops = [
            sets.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
            if form == "int16" else sets.TFLITE_BUILTINS_INT8]
        ends = {"int8": tf.int8, "uint8": tf.uint8}.get(form, tf.float32)
        result.inference_input_type = result.inference_output_type = ends
    return result.convert()


def interpreter(content):
    """The interpreter with the reference kernels, where the version has them."""
    if VERSION in ("1.15", "2.3"):
        result = tf.lite.Interpreter(model_content=content)
        result.allocate_tensors()
        return result
    types = tf.lite.experimental.OpResolverType
    for resolver in (types.BUILTIN_REF, types.BUILTIN_WITHOUT_DEFAULT_DELEGATES):
        try:
            result = tf.lite.Interpreter(
                model_content=content, experimental_op_resolver_type=resolver)
            result.allocate_tensors()
            return result
        except ValueError:  # the reference kernels lack an operator
            continue
    raise ValueError("no interpreter for this file")


def names(reader):
    """The names of the tensors that are inputs and outputs, by their numbers."""
    result = {entry["index"]: entry["name"]
              for entry in reader.get_input_details() + reader.get_output_details()}
    if hasattr(reader, "get_signature_list"):
        for key in reader.get_signature_list():
            runner = reader.get_signature_runner(key)
            for details in (runner.get_input_details(), runner.get_output_details()):
                for name, entry in details.items():
                    result[entry["index"]] = name
            break
    return result


def fits(known, size):
    """Whether a size of an array is that of a tensor; 0 stands for an unknown one."""
    return known in (0, size)


def arrays(model, random, reader):
    """An input for each tensor of the file: integers where it is quantized."""
    numbers = next(examples(model, random))
    given = {}
    for entry in reader.get_input_details():
        shape = [max(0, size) for size in entry.get("shape_signature", entry["shape"])]
        scale, zero = entry["quantization"]
        match = next(a for a in numbers if all(map(fits, shape, a.shape)) and id(a) not in
                     [id(b) for b in given.values()])
        if scale and entry["dtype"] is not numpy.float32:
            bounds = numpy.iinfo(entry["dtype"])
            steps = numpy.round(match / scale) + zero
            match = numpy.clip(steps, bounds.min, bounds.max).astype(entry["dtype"])
        given[entry["index"]] = match.astype(entry["dtype"])
    return given


def record(name):
    function, form, fill = CASES[VERSION][name]
    folder = HERE / VERSION
    folder.mkdir(exist_ok=True)
    keras.backend.clear_session()
    if IS_OLD:
        keras.backend.set_learning_phase(0)
    model, random = network(function, fill)
    path = folder / (name + ".tflite")
    content = convert(model, random, form)
    path.write_bytes(content)
    reader = interpreter(content)
    given = arrays(model, random, reader)
    for index, array in given.items():
        reader.resize_tensor_input(index, array.shape)
    reader.allocate_tensors()
    for index, array in given.items():
        reader.set_tensor(index, array)
    reader.invoke()
    known = names(reader)
    numpy.savez_compressed(str(path.with_suffix(".inputs.npz")),
                           **{known[index]: array for index, array in given.items()})
    numpy.savez_compressed(
        str(path.with_suffix(".outputs.npz")),
        **{known[entry["index"]]: reader.get_tensor(entry["index"])
           for entry in reader.get_output_details()})


if __name__ == "__main__":
    for name in sys.argv[1:] or CASES[VERSION]:
        try:
            record(name)
        except Exception as error:
            print(VERSION, name, type(error).__name__, str(error)[:300], file=sys.stderr)
