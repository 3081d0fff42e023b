"""Computes an ML Program with NumPy, from the definitions of MIL's operators: types, shapes and the
file of constants are read here, and each result must be of the type that the program states."""

import math
import pathlib
import struct

import numpy
from numpy.lib.stride_tricks import sliding_window_view

TYPES = {
    1: numpy.bool_, 10: numpy.float16, 11: numpy.float32, 12: numpy.float64, 21: numpy.int8,
    22: numpy.int16, 23: numpy.int32, 24: numpy.int64, 31: numpy.uint8, 32: numpy.uint16,
    33: numpy.uint32, 25: numpy.int8, 35: numpy.uint8, 36: numpy.uint8, 37: numpy.uint8,
    38: numpy.uint8, 39: numpy.uint8,
}
NAMES = {
    "fp16": numpy.float16, "fp32": numpy.float32, "int32": numpy.int32, "bool": numpy.bool_,
    "int8": numpy.int8, "uint8": numpy.uint8, "int16": numpy.int16, "uint16": numpy.uint16,
}
BLOB_TYPES = {
    1: numpy.float16, 2: numpy.float32, 3: numpy.uint8, 4: numpy.int8, 6: numpy.int16,
    7: numpy.uint16, 14: numpy.int32, 15: numpy.uint32,
}
BLOB_BITS = {8: 4, 9: 1, 10: 2, 11: 4, 12: 3, 13: 6}


class Unknown(Exception):
    """An operator that is not known here."""


class Blobs:
    """The file of constants."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.files = {}

    def read(self, value):
        name = value.fileName.removeprefix("@model_path/")
        if name not in self.files:
            self.files[name] = (self.folder / name).read_bytes()
        data = self.files[name]
        assert struct.unpack_from("<I", data, 4)[0] == 2, "the version of the file of constants"
        mark, kind, size, start = struct.unpack_from("<IIQQ", data, value.offset)
        assert mark == 0xDEADBEEF, f"no record at {value.offset}"
        assert value.offset % 64 == 0 and start % 64 == 0
        part = data[start:start + size]
        assert len(part) == size
        if kind in BLOB_TYPES:
            return numpy.frombuffer(part, BLOB_TYPES[kind])
        bits = numpy.unpackbits(numpy.frombuffer(part, numpy.uint8), bitorder="little")
        bits = bits[:len(bits) // BLOB_BITS[kind] * BLOB_BITS[kind]].reshape(-1, BLOB_BITS[kind])
        numbers = (bits.astype(numpy.int32) << numpy.arange(BLOB_BITS[kind])).sum(-1)
        if kind == 8:
            numbers = numpy.where(numbers > 7, numbers - 16, numbers)
        return numbers


def shape(type):
    return [
        size.constant.size if size.WhichOneof("dimension") == "constant" else None
        for size in type.dimensions]


def constant(value, blobs):
    if value.WhichOneof("value") == "blobFileValue":
        numbers = blobs.read(value.blobFileValue)
    else:
        kind = value.immediateValue.WhichOneof("value")
        if kind == "list":
            return [constant(inner, blobs) for inner in value.immediateValue.list.values]
        tensor = value.immediateValue.tensor
        numbers = getattr(tensor, tensor.WhichOneof("value")).values
        if tensor.WhichOneof("value") == "strings":
            return numbers[0] if not value.type.tensorType.dimensions else list(numbers)
        if tensor.WhichOneof("value") == "bytes":
            numbers = numpy.frombuffer(numbers, TYPES[value.type.tensorType.dataType])
    sizes = shape(value.type.tensorType)
    numbers = numpy.array(numbers)[:math.prod(sizes)]
    return numbers.astype(TYPES.get(value.type.tensorType.dataType, numpy.int32)).reshape(sizes)


def wide(array):
    """Numbers in the precision in which sums are computed here."""
    return array.astype(numpy.float64) if array.dtype.kind == "f" else array


# Windows


def borders(x, kernel, o):
    """What is added before and after each axis of an image."""
    strides = o.get("strides", numpy.ones(len(kernel), int))
    dilations = o.get("dilations", numpy.ones(len(kernel), int))
    if o["pad_type"] == "valid":
        return [(0, 0)] * len(kernel)
    if o["pad_type"] == "custom":
        return [tuple(pair) for pair in numpy.reshape(o["pad"], (-1, 2))]
    result = []
    for size, width, stride, dilation in zip(x.shape[2:], kernel, strides, dilations):
        total = max(0, (-(-size // stride) - 1) * stride + (width - 1) * dilation + 1 - size)
        small = total // 2
        result.append((small, total - small) if o["pad_type"] == "same" else (total - small, small))
    return result


def windows(x, kernel, o, fill):
    """The windows of each channel: [batch, channels, positions..., window...]."""
    axes = tuple(range(2, x.ndim))
    padded = numpy.pad(x, [(0, 0), (0, 0), *borders(x, kernel, o)], constant_values=fill)
    dilations = o.get("dilations", numpy.ones(len(kernel), int))
    spans = tuple(int((width - 1) * step + 1) for width, step in zip(kernel, dilations))
    view = sliding_window_view(padded, spans, axes)
    steps = tuple(slice(None, None, int(s)) for s in o["strides"])
    inner = tuple(slice(None, None, int(d)) for d in dilations)
    return view[(slice(None), slice(None), *steps, *inner)]


def conv(o):
    x, weight = wide(o["x"]), wide(o["weight"])
    groups, out = int(o["groups"]), weight.shape[0]
    view = windows(x, weight.shape[2:], o, 0)
    count = weight.ndim - 2
    parts = []
    for group in range(groups):
        some = view[:, group * weight.shape[1]:(group + 1) * weight.shape[1]]
        kernel = weight[group * out // groups:(group + 1) * out // groups]
        axes = [1, *range(2 + count, 2 + 2 * count)]
        product = numpy.tensordot(some, kernel, (axes, [1, *range(2, 2 + count)]))
        parts.append(numpy.moveaxis(product, -1, 1))
    return biased(numpy.concatenate(parts, 1), o)


def biased(result, o):
    if o.get("bias") is None:
        return result
    return result + wide(o["bias"]).reshape([1, -1] + [1] * (result.ndim - 2))


def conv_transpose(o):
    x, weight = wide(o["x"]), wide(o["weight"])
    groups, count = int(o["groups"]), weight.ndim - 2
    inside = weight.shape[0] // groups
    sizes = [
        (size - 1) * int(stride) + (width - 1) * int(dilation) + 1
        for size, width, stride, dilation in zip(
            x.shape[2:], weight.shape[2:], o["strides"], o["dilations"])]
    full = numpy.zeros([x.shape[0], weight.shape[1] * groups, *sizes])
    for place in numpy.ndindex(*weight.shape[2:]):
        ranges = tuple(
            slice(at * int(dilation), at * int(dilation) + (size - 1) * int(stride) + 1, int(stride))
            for at, size, stride, dilation in zip(
                place, x.shape[2:], o["strides"], o["dilations"]))
        for group in range(groups):
            kernel = weight[group * inside:(group + 1) * inside][(slice(None), slice(None), *place)]
            product = numpy.tensordot(x[:, group * inside:(group + 1) * inside], kernel, ([1], [0]))
            outs = slice(group * weight.shape[1], (group + 1) * weight.shape[1])
            full[(slice(None), outs, *ranges)] += numpy.moveaxis(product, -1, 1)
    assert o["pad_type"] in ("valid", "custom")
    if o["pad_type"] == "custom":
        pairs = numpy.reshape(o["pad"], (-1, 2))
        cut = tuple(slice(int(a), size - int(b)) for (a, b), size in zip(pairs, full.shape[2:]))
        full = full[(slice(None), slice(None), *cut)]
    return biased(full, o)


def max_pool(o):
    assert not o["ceil_mode"]
    view = windows(o["x"], o["kernel_sizes"], o, -numpy.inf)
    return view.max(tuple(range(-len(o["kernel_sizes"]), 0)))


def avg_pool(o):
    assert not o["ceil_mode"]
    axes = tuple(range(-len(o["kernel_sizes"]), 0))
    sums = windows(wide(o["x"]), o["kernel_sizes"], o, 0).sum(axes)
    if not o["exclude_padding_from_average"]:
        return sums / numpy.prod(o["kernel_sizes"])
    return sums / windows(numpy.ones_like(o["x"]), o["kernel_sizes"], o, 0).sum(axes)


# Recurrent operators


def activation(name):
    return {
        "tanh": numpy.tanh, "sigmoid": sigmoid, "relu": lambda x: numpy.maximum(x, 0),
        "linear": lambda x: x,
        "sigmoid_hard": lambda x: numpy.clip(0.2 * x + 0.5, 0, 1)}[name]


def recurrent(o, step, states):
    """Runs over a sequence `[time, batch, features]`."""
    assert o["direction"] in ("forward", "reverse")
    sequence = wide(o["x"])
    outputs = []
    for x in sequence[::-1] if o["direction"] == "reverse" else sequence:
        states = step(x @ wide(o["weight_ih"]).T, states)
        outputs.append(states[0])
    if o["direction"] == "reverse":
        outputs.reverse()
    if not o["output_sequence"]:
        outputs = [states[0]]
    return [numpy.stack(outputs), *states]


def bias(o, count):
    units = o["weight_hh"].shape[1]
    return wide(o["bias"]) if o.get("bias") is not None else numpy.zeros(count * units)


def lstm(o):
    gate, cell = activation(o["recurrent_activation"]), activation(o["cell_activation"])
    last, hidden, added = activation(o["activation"]), wide(o["weight_hh"]), bias(o, 4)

    def step(product, states):
        sums = numpy.split(product + states[0] @ hidden.T + added, 4, axis=-1)
        kept = gate(sums[1]) * states[1] + gate(sums[0]) * cell(sums[3])
        return [gate(sums[2]) * last(kept), kept]

    return recurrent(o, step, [wide(o["initial_h"]), wide(o["initial_c"])])


def gru(o):
    gate, last = activation(o["recurrent_activation"]), activation(o["activation"])
    kernels, added = numpy.split(wide(o["weight_hh"]), 3), numpy.split(bias(o, 3), 3)
    given = o.get("input_bias")
    inward = numpy.split(wide(given), 3) if given is not None else [0, 0, 0]

    def step(product, states):
        parts = [part + more for part, more in zip(numpy.split(product, 3, axis=-1), inward)]
        reset = gate(parts[0] + added[0] + states[0] @ kernels[0].T)
        update = gate(parts[2] + added[2] + states[0] @ kernels[2].T)
        if o.get("reset_after", False):
            new = last(parts[1] + reset * (states[0] @ kernels[1].T + added[1]))
        else:
            new = last(parts[1] + added[1] + (reset * states[0]) @ kernels[1].T)
        return [(1 - update) * new + update * states[0]]

    return recurrent(o, step, [wide(o["initial_h"])])


def rnn(o):
    last, hidden, added = activation(o["activation"]), wide(o["weight_hh"]), bias(o, 1)
    return recurrent(
        o, lambda product, states: [last(product + states[0] @ hidden.T + added)],
        [wide(o["initial_h"])])


# Images


def resize_bilinear(o):
    x = wide(o["x"])
    for axis, size in ((-2, int(o["target_size_height"])), (-1, int(o["target_size_width"]))):
        old, i = x.shape[axis], numpy.arange(size)
        mode = o["sampling_mode"]
        if mode in ("STRICT_ALIGN_CORNERS", "ALIGN_CORNERS"):
            place = i * ((old - 1) / (size - 1)) if size > 1 else numpy.array(
                [(old - 1) / 2 if mode == "ALIGN_CORNERS" else 0.0])
        elif mode == "DEFAULT":
            place = i * ((old - old / size) / (size - 1)) if size > 1 else numpy.zeros(1)
        elif mode == "OFFSET_CORNERS":
            delta = max(1, old - 1) / size
            place = 0.5 * delta + i * delta
        else:
            assert mode == "UNALIGN_CORNERS"
            place = 0.5 * old / size - 0.5 + i * (old / size)
        place = numpy.clip(place, 0, old - 1)
        low = numpy.minimum(numpy.floor(place).astype(int), old - 1)
        high, part = numpy.minimum(low + 1, old - 1), place - low
        sizes = [1] * x.ndim
        sizes[axis] = size
        part = part.reshape(sizes)
        x = x.take(low, axis) * (1 - part) + x.take(high, axis) * part
    return x


def upsample_nearest(o):
    x = o["x"]
    for axis, name in ((-2, "scale_factor_height"), (-1, "scale_factor_width")):
        factor = float(o[name])
        assert factor == int(factor)
        x = x.repeat(int(factor), axis)
    return x


def depth_to_space(o):
    n, c, h, w = o["x"].shape
    b = int(o["block_size"])
    x = o["x"].reshape(n, b, b, c // b // b, h, w).transpose(0, 3, 4, 1, 5, 2)
    return x.reshape(n, c // b // b, h * b, w * b)


def space_to_depth(o):
    n, c, h, w = o["x"].shape
    b = int(o["block_size"])
    x = o["x"].reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4)
    return x.reshape(n, b * b * c, h // b, w // b)


# Shapes and indices


def slice_by_index(o):
    places = []
    for axis in range(o["x"].ndim):
        start = None if o["begin_mask"][axis] else int(o["begin"][axis])
        stop = None if o["end_mask"][axis] else int(o["end"][axis])
        places.append(slice(start, stop, int(o["stride"][axis])))
    assert not any(o["squeeze_mask"])
    return o["x"][tuple(places)]


def gather(o):
    x, indices, axis = o["x"], o["indices"], int(o["axis"])
    batch = int(o.get("batch_dims", 0))
    if not batch:
        return x.take(indices, axis)
    result = [
        x[place].take(indices[place], axis - batch) for place in numpy.ndindex(*x.shape[:batch])]
    return numpy.stack(result).reshape(*x.shape[:batch], *result[0].shape)


def one_hot(o):
    size = int(o["one_hot_vector_size"])
    hot = numpy.expand_dims(o["indices"], -1) == numpy.arange(size)
    return numpy.moveaxis(numpy.where(hot, o["on_value"], o["off_value"]), -1, int(o["axis"]))


def topk(o):
    x, axis, k = o["x"], int(o["axis"]), int(o["k"])
    order = numpy.argsort(x if o["ascending"] else -x, axis, kind="stable")
    order = order.take(numpy.arange(k), axis)
    return [numpy.take_along_axis(x, order, axis), order]


def cumsum(o):
    axis = int(o["axis"])
    x = numpy.flip(o["x"], axis) if o["reverse"] else o["x"]
    sums = numpy.cumsum(wide(x), axis)
    if o["exclusive"]:
        sums = sums - x
    return numpy.flip(sums, axis) if o["reverse"] else sums


def pad(o):
    pairs = numpy.reshape(o["pad"], (-1, 2))
    pairs = [(0, 0)] * (o["x"].ndim - len(pairs)) + [tuple(pair) for pair in pairs]
    if o["mode"] == "constant":
        return numpy.pad(o["x"], pairs, constant_values=o["constant_val"])
    return numpy.pad(o["x"], pairs, {"reflect": "reflect", "replicate": "edge"}[o["mode"]])


def squeeze(o):
    return o["x"].squeeze(tuple(int(axis) for axis in o["axes"]))


def expand_dims(o):
    return numpy.expand_dims(o["x"], tuple(int(axis) for axis in o["axes"]))


def split(o):
    places = numpy.cumsum(o["split_sizes"])[:-1]
    return numpy.split(o["x"], [int(place) for place in places], int(o["axis"]))


# Functions


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def erf(x):
    return numpy.vectorize(math.erf, otypes=[float])(x)


def gelu(o):
    x = wide(o["x"])
    if o["mode"] == "EXACT":
        return 0.5 * x * (1 + erf(x / math.sqrt(2)))
    assert o["mode"] == "TANH_APPROXIMATION"
    return 0.5 * x * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def softmax(o):
    x, axis = wide(o["x"]), int(o["axis"])
    powers = numpy.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def reduction(function):
    def reduce(o):
        axes = o["axes"] if o.get("axes") is not None else range(o["x"].ndim)
        return function(
            wide(o["x"]), axis=tuple(int(axis) for axis in axes), keepdims=bool(o["keep_dims"]))
    return reduce


def log_sum_exp(x, axis, keepdims):
    largest = x.max(axis=axis, keepdims=True)
    largest = numpy.where(numpy.isfinite(largest), largest, 0)
    sums = numpy.log(numpy.exp(x - largest).sum(axis=axis, keepdims=True)) + largest
    return sums if keepdims else sums.squeeze(axis)


def argument(function):
    def reduce(o):
        index = function(o["x"], axis=int(o["axis"]))
        return numpy.expand_dims(index, int(o["axis"])) if o["keep_dims"] else index
    return reduce


def batch_norm(o):
    sizes = [1, -1] + [1] * (o["x"].ndim - 2)
    part = {name: wide(o[name]).reshape(sizes) for name in ("mean", "variance", "gamma", "beta")
            if o.get(name) is not None}
    result = (wide(o["x"]) - part["mean"]) / numpy.sqrt(part["variance"] + o["epsilon"])
    return result * part.get("gamma", 1) + part.get("beta", 0)


def layer_norm(o):
    x, axes = wide(o["x"]), tuple(int(axis) for axis in o["axes"])
    centered = x - x.mean(axes, keepdims=True)
    result = centered / numpy.sqrt((centered**2).mean(axes, keepdims=True) + o["epsilon"])
    result = result if o.get("gamma") is None else result * o["gamma"]
    return result if o.get("beta") is None else result + o["beta"]


def matmul(o):
    x, y = wide(o["x"]), wide(o["y"])
    return (x.swapaxes(-1, -2) if o["transpose_x"] else x) @ (
        y.swapaxes(-1, -2) if o["transpose_y"] else y)


def linear(o):
    product = wide(o["x"]) @ wide(o["weight"]).T
    return product if o.get("bias") is None else product + o["bias"]


def cast(o):
    type = NAMES[o["dtype"]]
    if o["x"].dtype.kind == "f" and numpy.dtype(type).kind in "iu":
        return numpy.trunc(o["x"]).astype(type)
    return o["x"].astype(type)


def unary(function):
    return lambda o: function(wide(o["x"]))


def binary(function):
    return lambda o: function(o["x"], o["y"])


def divide(x, y):
    return numpy.true_divide(wide(x), wide(y)) if x.dtype.kind == "f" else x // y


# Weights that are stored in less space


def affine_dequantize(o):
    data, scale, zero = o["quantized_data"], wide(o["scale"]), o["zero_point"].astype(float)
    sizes = [1] * data.ndim
    sizes[int(o["axis"])] = -1
    scale, zero = (part.reshape(sizes) if part.ndim else part for part in (scale, zero))
    return (data - zero) * scale


def blockwise(o):
    scale, offset = wide(o["scale"]), o.get("offset")
    for axis, size in enumerate(o["data"].shape):
        count = size // scale.shape[axis]
        scale = scale.repeat(count, axis)
        offset = None if offset is None else offset.repeat(count, axis)
    return (o["data"].astype(float) - (0 if offset is None else offset.astype(float))) * scale


def lut_to_dense(o):
    table = o["lut"]
    if "shape" not in o:
        assert all(size == 1 for size in table.shape[:-2]), "one table"
        return table.reshape(-1)[o["indices"].astype(int)]
    bits = max(1, (len(table) - 1).bit_length())
    count = int(numpy.prod(o["shape"]))
    flat = numpy.unpackbits(o["indices"], bitorder="little")[:count * bits].reshape(count, bits)
    return table[(flat.astype(int) << numpy.arange(bits)).sum(1)].reshape(o["shape"])


def list_write(o):
    """A list with another element at a place, which may be the one after its end."""
    place = int(o["index"])
    assert 0 <= place <= len(o["ls"]), f"an element at {place} of a list of {len(o['ls'])}"
    return [*o["ls"][:place], o["value"], *o["ls"][place + 1:]]


OPERATORS = {
    "constexpr_affine_dequantize": affine_dequantize, "constexpr_blockwise_shift_scale": blockwise,
    "constexpr_lut_to_dense": lut_to_dense,
    "abs": unary(numpy.abs), "acos": unary(numpy.arccos), "asin": unary(numpy.arcsin),
    "atan": unary(numpy.arctan), "atanh": unary(numpy.arctanh), "ceil": unary(numpy.ceil),
    "cos": unary(numpy.cos), "cosh": unary(numpy.cosh), "erf": unary(erf), "exp": unary(numpy.exp),
    "exp2": unary(numpy.exp2), "floor": unary(numpy.floor), "identity": lambda o: o["x"],
    "logical_not": lambda o: ~o["x"], "round": unary(numpy.round), "sign": unary(numpy.sign),
    "sin": unary(numpy.sin), "sinh": unary(numpy.sinh), "sqrt": unary(numpy.sqrt),
    "square": unary(numpy.square), "tan": unary(numpy.tan), "tanh": unary(numpy.tanh),
    "log": lambda o: numpy.log(wide(o["x"]) + o["epsilon"]),
    "rsqrt": lambda o: 1 / numpy.sqrt(wide(o["x"]) + o["epsilon"]),
    "relu": unary(lambda x: numpy.maximum(x, 0)), "relu6": unary(lambda x: numpy.clip(x, 0, 6)),
    "sigmoid": unary(sigmoid), "silu": unary(lambda x: x * sigmoid(x)),
    "softplus": unary(lambda x: numpy.logaddexp(0, x)),
    "softsign": unary(lambda x: x / (1 + numpy.abs(x))),
    "leaky_relu": lambda o: numpy.where(o["x"] >= 0, o["x"], wide(o["x"]) * o["alpha"]),
    "elu": lambda o: numpy.where(
        o["x"] >= 0, o["x"], wide(o["alpha"]) * numpy.expm1(numpy.minimum(wide(o["x"]), 0))),
    "sigmoid_hard": lambda o: numpy.clip(wide(o["x"]) * o["alpha"] + o["beta"], 0, 1),
    "gelu": gelu, "softmax": softmax, "cast": cast,
    "add": binary(numpy.add), "sub": binary(numpy.subtract), "mul": binary(numpy.multiply),
    "real_div": binary(divide), "floor_div": binary(numpy.floor_divide), "mod": binary(numpy.mod),
    "pow": binary(lambda x, y: numpy.power(wide(x), wide(y))),
    "maximum": binary(numpy.maximum), "minimum": binary(numpy.minimum),
    "equal": binary(numpy.equal), "not_equal": binary(numpy.not_equal), "less": binary(numpy.less),
    "less_equal": binary(numpy.less_equal), "greater": binary(numpy.greater),
    "greater_equal": binary(numpy.greater_equal), "logical_and": binary(numpy.logical_and),
    "logical_or": binary(numpy.logical_or),
    "select": lambda o: numpy.where(o["cond"], o["a"], o["b"]),
    "reduce_sum": reduction(numpy.sum), "reduce_mean": reduction(numpy.mean),
    "reduce_prod": reduction(numpy.prod), "reduce_max": reduction(numpy.max),
    "reduce_min": reduction(numpy.min), "reduce_log_sum_exp": reduction(log_sum_exp),
    "reduce_l2_norm": reduction(lambda x, **k: numpy.sqrt(numpy.sum(x * x, **k))),
    "reduce_argmax": argument(numpy.argmax), "reduce_argmin": argument(numpy.argmin),
    "cumsum": cumsum, "batch_norm": batch_norm, "layer_norm": layer_norm, "matmul": matmul,
    "linear": linear, "conv": conv, "conv_transpose": conv_transpose, "max_pool": max_pool,
    "avg_pool": avg_pool, "lstm": lstm, "gru": gru, "rnn": rnn, "resize_bilinear": resize_bilinear,
    "upsample_nearest_neighbor": upsample_nearest, "depth_to_space": depth_to_space,
    "space_to_depth": space_to_depth, "slice_by_index": slice_by_index, "gather": gather,
    "gather_along_axis": lambda o: numpy.take_along_axis(o["x"], o["indices"], int(o["axis"])),
    "one_hot": one_hot, "topk": topk, "pad": pad, "squeeze": squeeze, "expand_dims": expand_dims,
    "split": split,
    "concat": lambda o: numpy.concatenate(o["values"], int(o["axis"])),
    "reshape": lambda o: o["x"].reshape([int(size) for size in o["shape"]]),
    "transpose": lambda o: o["x"].transpose([int(axis) for axis in o["perm"]]),
    "reverse": lambda o: numpy.flip(o["x"], [int(axis) for axis in o["axes"]]),
    "tile": lambda o: numpy.tile(o["x"], [int(count) for count in o["reps"]]),
    "shape": lambda o: numpy.array(o["x"].shape),
    "fill": lambda o: numpy.full([int(size) for size in o["shape"]], o["value"]),
    "range_1d": lambda o: numpy.arange(o["start"], o["end"], o["step"]),
    # Of the first element, which every list has, only the shape counts.
    "make_list": lambda o: [numpy.zeros([int(size) for size in o["elem_shape"]])],
    "list_write": list_write,
    "list_gather": lambda o: numpy.array([o["ls"][int(index)] for index in o["indices"]]).reshape(
        [len(o["indices"]), *o["ls"][0].shape]),
}
# The operators that give a list.
LISTS = {"make_list", "list_write"}


def result(output, value):
    """A result in the type that the program states, whose shape it must have."""
    if output.type.WhichOneof("type") == "listType":
        for element in value:
            tensor(output.name, output.type.listType.type.tensorType, element)
        return value
    return tensor(output.name, output.type.tensorType, value)


def tensor(name, stated, value):
    sizes = shape(stated)
    value = numpy.asarray(value)
    fits = len(sizes) == value.ndim and all(
        size in (None, real) for size, real in zip(sizes, value.shape))
    assert fits, f"{name} has the shape {value.shape}, and the program says {sizes}"
    return value.astype(TYPES[stated.dataType])


def compute(block, given, outer, blobs):
    """The values of a block: those around it, its inputs and the results of its operations."""
    values = dict(outer)
    for port, value in zip(block.inputs, given, strict=True):
        values[port.name] = result(port, value)
    for operation in block.operations:
        if operation.type == "const":
            values[operation.outputs[0].name] = constant(operation.attributes["val"], blobs)
            continue
        if operation.type == "classify":
            continue
        given = {}
        for name, argument_ in operation.inputs.items():
            parts = [
                values[binding.name] if binding.WhichOneof("binding") == "name"
                else constant(binding.value, blobs) for binding in argument_.arguments]
            given[name] = parts if name in ("values", "loop_vars", "elem_shape") else parts[0]
        for name, value in operation.attributes.items():
            if name != "name":
                given[name] = constant(value, blobs)
        if operation.type in ("while_loop", "cond"):
            made = control(operation, given, values, blobs)
        elif operation.type in OPERATORS:
            made = OPERATORS[operation.type](given)
        else:
            raise Unknown(operation.type)
        if operation.type in LISTS:
            made = [made]
        if not isinstance(made, list):
            made = [made]
        assert len(made) >= len(operation.outputs)
        for output, value in zip(operation.outputs, made):
            values[output.name] = result(output, value)
    return values


def control(operation, given, values, blobs):
    """The results of a loop or a branch."""
    def results(block, inputs):
        inner = compute(block, inputs, values, blobs)
        return [inner[name] for name in block.outputs]
    if operation.type == "cond":
        return results(operation.blocks[0 if given["pred"] else 1], [])
    variables = given["loop_vars"]
    while results(operation.blocks[0], variables)[0]:
        variables = results(operation.blocks[1], variables)
    return variables


def run(program, folder, feed):
    """The outputs of the function `main` by name.

    `folder` is that of the model's file, to which paths of constants are relative."""
    function = program.functions["main"]
    block = function.block_specializations[function.opset]
    inputs = {port.name: result(port, feed[port.name]) for port in function.inputs}
    with numpy.errstate(all="ignore"):
        values = compute(block, [], inputs, Blobs(folder))
    return {name: values[name] for name in block.outputs if name in values}
