"""Computes Core ML neural networks with NumPy, layer by layer, as the comments of Apple's
NeuralNetwork.proto say. It is there for comparison: Apple's own runtime is on macOS only.

Values have the axes that the specification gives them: those of the graph from version 4 on, and
B, C, H, W before.
"""

import math

import numpy
from numpy.lib.stride_tricks import sliding_window_view


class Unknown(Exception):
    """A layer that is not computed here."""


def weights(params, shape=None):
    """The numbers of a WeightParams message."""
    if params.floatValue:
        numbers = numpy.array(params.floatValue, numpy.float32)
    elif params.float16Value:
        numbers = numpy.frombuffer(params.float16Value, numpy.float16).astype(numpy.float32)
    elif params.rawValue:
        numbers = dequantized(params, shape)
    else:
        raise Unknown("weights of 8 bits that layers compute with")
    return numbers if shape is None else numbers.reshape(shape)


def dequantized(params, shape):
    """The numbers of packed codes, from the highest bit of the first byte on."""
    bits = params.quantization.numberOfBits
    flags = numpy.unpackbits(numpy.frombuffer(params.rawValue, numpy.uint8))
    count = len(flags) // bits if shape is None else math.prod(shape)
    codes = flags[:count * bits].reshape(count, bits) @ (1 << numpy.arange(bits)[::-1])
    if params.quantization.WhichOneof("QuantizationType") == "lookupTableQuantization":
        table = numpy.array(params.quantization.lookupTableQuantization.floatValue, numpy.float32)
        return table[codes]
    line = params.quantization.linearQuantization
    scales = numpy.array(line.scale, numpy.float32)
    rows = codes.astype(numpy.float32).reshape(len(scales), -1) * scales[:, None]
    if line.bias:
        rows += numpy.array(line.bias, numpy.float32)[:, None]
    return rows.reshape(-1)


def same_padding(extent, size, stride):
    total = max(0, (math.ceil(extent / stride) - 1) * stride + size - extent)
    return total // 2, total - total // 2


def window_padding(params, kind, extents, sizes, strides):
    """What is added to H and W."""
    if kind == "same":
        return [same_padding(*axis) for axis in zip(extents, sizes, strides)]
    amounts = params.valid.paddingAmounts.borderAmounts
    return [(edge.startEdgeSize, edge.endEdgeSize) for edge in amounts] or [(0, 0)] * len(extents)


def windows(x, sizes, strides, dilations):
    """All windows over the last axes, as axes of their own behind."""
    axes = tuple(range(x.ndim - len(sizes), x.ndim))
    reach = [(size - 1) * dilation + 1 for size, dilation in zip(sizes, dilations)]
    view = sliding_window_view(x, reach, axis=axes)
    steps = [slice(None, None, stride) for stride in strides]
    inner = [slice(None, None, dilation) for dilation in dilations]
    return view[(..., *steps, *inner)]


def convolve(x, kernel, strides, dilations, groups):
    """Cross-correlation of [batch, channels, ...] with [out, channels / groups, ...]."""
    rank = kernel.ndim - 2
    view = windows(x, kernel.shape[2:], strides, dilations).astype(numpy.float64)
    batch, channels = view.shape[:2]
    view = view.reshape(batch, groups, channels // groups, *view.shape[2:])
    parts = kernel.reshape(groups, -1, *kernel.shape[1:]).astype(numpy.float64)
    letters = "xyz"[:rank]
    result = numpy.einsum(f"bgc{letters}{letters.upper()},goc{letters.upper()}->bgo{letters}",
                          view, parts, optimize=True)
    return result.reshape(batch, -1, *result.shape[3:]).astype(numpy.float32)


def spread(x, kernel, strides, groups):
    """The transpose of a convolution, without anything cut off."""
    batch, channels = x.shape[:2]
    rank = kernel.ndim - 2
    out = kernel.shape[1] * groups
    extents = [(n - 1) * s + k for n, s, k in zip(x.shape[2:], strides, kernel.shape[2:])]
    result = numpy.zeros((batch, out, *extents))
    for group in range(groups):
        own = x[:, group * (channels // groups):(group + 1) * (channels // groups)]
        part = kernel[group * (channels // groups):(group + 1) * (channels // groups)]
        target = slice(group * kernel.shape[1], (group + 1) * kernel.shape[1])
        for place in numpy.ndindex(*kernel.shape[2:]):
            values = numpy.einsum("bc...,co->bo...", own, part[(slice(None), slice(None), *place)])
            slots = tuple(
                slice(p, p + n * s, s) for p, n, s in zip(place, x.shape[2:], strides))
            result[(slice(None), target, *slots)] += values
    return result.astype(numpy.float32)


def pad(x, borders, value=0.0):
    """Adds to the last axes."""
    return numpy.pad(
        x, [(0, 0)] * (x.ndim - len(borders)) + borders, constant_values=value)


def convolution(layer, x):
    p = layer.convolution
    channels = p.outputChannels // p.nGroups if p.isDeconvolution else p.kernelChannels
    rows = p.kernelChannels if p.isDeconvolution else p.outputChannels
    kernel = weights(p.weights, (rows, channels, *p.kernelSize))
    kind = p.WhichOneof("ConvolutionPaddingType")
    if p.isDeconvolution:
        result = spread(x, kernel, p.stride, p.nGroups)
        cut = window_padding(p, kind, [], [], [])
        result = result[(..., *[slice(a, n - b) for (a, b), n in zip(cut, result.shape[-2:])])]
    else:
        sizes = [(k - 1) * d + 1 for k, d in zip(p.kernelSize, p.dilationFactor)]
        x = pad(x, window_padding(p, kind, x.shape[-2:], sizes, p.stride))
        result = convolve(x, kernel, p.stride, p.dilationFactor, p.nGroups)
    return result + weights(p.bias).reshape(-1, 1, 1) if p.hasBias else result


def borders3d(p, extents, sizes, strides):
    kind = p.DESCRIPTOR.fields_by_name["paddingType"].enum_type.values_by_number[p.paddingType].name
    if kind == "SAME":
        return [same_padding(*axis) for axis in zip(extents, sizes, strides)]
    if kind == "VALID":
        return [(0, 0)] * 3
    return [(p.customPaddingFront, p.customPaddingBack),
            (p.customPaddingTop, p.customPaddingBottom),
            (p.customPaddingLeft, p.customPaddingRight)]


def convolution3d(layer, x):
    p = layer.convolution3d
    size = (p.kernelDepth, p.kernelHeight, p.kernelWidth)
    strides = (p.strideDepth, p.strideHeight, p.strideWidth)
    dilations = (p.dilationDepth, p.dilationHeight, p.dilationWidth)
    kernel = weights(p.weights, (p.outputChannels, p.inputChannels // p.nGroups, *size))
    reach = [(k - 1) * d + 1 for k, d in zip(size, dilations)]
    x = pad(x, borders3d(p, x.shape[-3:], reach, strides))
    result = convolve(x, kernel, strides, dilations, p.nGroups)
    return result + weights(p.bias).reshape(-1, 1, 1, 1) if p.hasBias else result


def pooled(x, is_max, borders, sizes, strides, excludes):
    ones = [1] * len(sizes)
    axes = tuple(range(-len(sizes), 0))
    if is_max:
        return windows(pad(x, borders, -numpy.inf), sizes, strides, ones).max(axis=axes)
    total = windows(pad(x, borders), sizes, strides, ones).astype(numpy.float64).sum(axis=axes)
    count = numpy.prod(sizes)
    if excludes:
        count = windows(pad(numpy.ones_like(x), borders), sizes, strides, ones).sum(axis=axes)
    return (total / count).astype(numpy.float32)


def pooling(layer, x):
    p = layer.pooling
    if p.globalPooling:
        return (x.max if p.type == 0 else x.mean)(axis=(-2, -1), keepdims=True)
    kind = p.WhichOneof("PoolingPaddingType")
    borders = window_padding(p, kind, x.shape[-2:], p.kernelSize, p.stride)
    return pooled(x, p.type == 0, borders, p.kernelSize, p.stride, p.avgPoolExcludePadding)


def pooling3d(layer, x):
    p = layer.pooling3d
    sizes = (p.kernelDepth, p.kernelHeight, p.kernelWidth)
    strides = (p.strideDepth, p.strideHeight, p.strideWidth)
    borders = borders3d(p, x.shape[-3:], sizes, strides)
    return pooled(x, p.type == 0, borders, sizes, strides, p.countExcludePadding)


def activate(p, x):
    kind = p.WhichOneof("NonlinearityType")
    s = getattr(p, kind)
    wide = x.astype(numpy.float64)
    functions = {
        "linear": lambda: s.alpha * x + s.beta,
        "ReLU": lambda: numpy.maximum(x, 0),
        "leakyReLU": lambda: numpy.where(x >= 0, x, s.alpha * x),
        "thresholdedReLU": lambda: numpy.where(x >= s.alpha, x, 0),
        "PReLU": lambda: numpy.where(x >= 0, x, weights(s.alpha).reshape(-1, 1, 1) * x),
        "tanh": lambda: numpy.tanh(x),
        "scaledTanh": lambda: s.alpha * numpy.tanh(s.beta * x),
        "sigmoid": lambda: 1 / (1 + numpy.exp(-wide)),
        "sigmoidHard": lambda: numpy.clip(s.alpha * x + s.beta, 0, 1),
        "ELU": lambda: numpy.where(x >= 0, x, s.alpha * numpy.expm1(numpy.minimum(wide, 0))),
        "softsign": lambda: x / (1 + numpy.abs(x)),
        "softplus": lambda: numpy.logaddexp(0, wide),
    }
    if kind not in functions:
        raise Unknown(f"activation {kind}")
    return functions[kind]()


def inner_product(layer, x):
    p = layer.innerProduct
    kernel = weights(p.weights, (p.outputChannels, p.inputChannels))
    shape = x.shape
    if x.ndim >= 4:
        x = x.reshape(*shape[:x.ndim - 3], -1)
    result = x @ kernel.T
    if p.hasBias:
        result = result + weights(p.bias)
    return result.reshape(*shape[:-3], -1, 1, 1) if len(shape) >= 4 else result


def batchnorm(layer, x):
    p = layer.batchnorm
    form = (-1, 1, 1)
    scale = weights(p.gamma) / numpy.sqrt(weights(p.variance) + (p.epsilon or 1e-5))
    offset = weights(p.beta) - weights(p.mean) * scale
    return x * scale.reshape(form) + offset.reshape(form)


def softmax(x, axis):
    powers = numpy.exp(x.astype(numpy.float64) - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def unary(layer, x):
    p = layer.unary
    x = (p.scale or 1) * x.astype(numpy.float64) + p.shift
    return [
        lambda: numpy.sqrt(x), lambda: 1 / numpy.sqrt(x + (p.epsilon or 1e-6)),
        lambda: 1 / (x + (p.epsilon or 1e-6)), lambda: x ** p.alpha, lambda: numpy.exp(x),
        lambda: numpy.log(x), lambda: numpy.abs(x), lambda: numpy.maximum(p.alpha, x),
    ][p.type]()


def upsample(layer, x):
    p = layer.upsample
    if p.mode == 0:
        return x.repeat(p.scalingFactor[0], -2).repeat(p.scalingFactor[1], -1)
    for axis, factor in zip((-2, -1), p.scalingFactor):
        old = x.shape[axis]
        places = numpy.arange(old * factor)
        if p.linearUpsampleMode != 2:
            raise Unknown("this bilinear upsampling")
        x = interpolated(x, axis, (places + 0.5) / factor - 0.5)
    return x


def interpolated(x, axis, places):
    last = x.shape[axis] - 1
    places = numpy.clip(places, 0, last)
    low = numpy.floor(places).astype(int)
    share = places - low
    shape = [1] * x.ndim
    shape[axis] = -1
    first, second = x.take(low, axis), x.take(numpy.minimum(low + 1, last), axis)
    share = share.reshape(shape)
    return first * (1 - share) + second * share


def resize_bilinear(layer, x):
    p = layer.resizeBilinear
    if p.mode.samplingMethod != 2:
        raise Unknown("this bilinear resizing")
    for axis, new in zip((-2, -1), p.targetSize):
        x = interpolated(x, axis, numpy.arange(new) * (x.shape[axis] / new))
    return x


def padding(layer, x):
    p = layer.padding
    borders = [(e.startEdgeSize, e.endEdgeSize) for e in p.paddingAmounts.borderAmounts]
    borders = [(0, 0)] * (x.ndim - 2) + borders
    kind = p.WhichOneof("PaddingType")
    if kind == "constant":
        return numpy.pad(x, borders, constant_values=p.constant.value)
    return numpy.pad(x, borders, mode={"reflection": "reflect", "replication": "edge"}[kind])


def crop(layer, x):
    edges = layer.crop.cropAmounts.borderAmounts
    slices = [slice(e.startEdgeSize, n - e.endEdgeSize) for e, n in zip(edges, x.shape[-2:])]
    return x[(..., *slices)]


def reorganize(layer, x):
    p = layer.reorganizeData
    b = p.blockSize
    n, c, h, w = x.shape
    if p.mode == 0:
        x = x.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4)
        return x.reshape(n, c * b * b, h // b, w // b)
    if p.mode == 1:
        x = x.reshape(n, b, b, c // (b * b), h, w).transpose(0, 3, 4, 1, 5, 2)
        return x.reshape(n, c // (b * b), h * b, w * b)
    raise Unknown("pixel shuffle")


def lrn(layer, x):
    p = layer.lrn
    half = p.localSize // 2
    squares = numpy.square(x.astype(numpy.float64))
    padded = numpy.pad(squares, [(0, 0)] * (x.ndim - 3) + [(half, half), (0, 0), (0, 0)])
    total = sliding_window_view(padded, p.localSize, axis=x.ndim - 3).sum(axis=-1)
    return x / ((p.k or 1) + p.alpha / p.localSize * total) ** p.beta


def slice_static(layer, x):
    p = layer.sliceStatic
    parts = []
    for axis in range(x.ndim):
        begin = None if p.beginMasks[axis] else p.beginIds[axis]
        end = None if p.endMasks[axis] else p.endIds[axis]
        parts.append(slice(begin, end, p.strides[axis]))
    return x[tuple(parts)]


def batched_matmul(layer, *inputs):
    p = layer.batchedMatmul
    if len(inputs) == 1:
        shape = (p.weightMatrixSecondDimension, p.weightMatrixFirstDimension)
        result = inputs[0].astype(numpy.float64) @ weights(p.weights, shape).T
        return result + weights(p.bias) if p.hasBias else result
    a, b = (x.astype(numpy.float64) for x in inputs)
    a = a.swapaxes(-1, -2) if p.transposeA else a
    b = b.swapaxes(-1, -2) if p.transposeB else b
    return a @ b


def top_k(layer, x):
    p = layer.topK
    order = numpy.argsort(x if p.useBottomK else -x, axis=p.axis, kind="stable")
    order = order.take(range(p.K), axis=p.axis)
    return [numpy.take_along_axis(x, order, axis=p.axis), order]


def layer_norm(layer, x):
    p = layer.layerNormalization
    axes = tuple(range(-len(p.normalizedShape), 0))
    wide = x.astype(numpy.float64)
    distance = wide - wide.mean(axis=axes, keepdims=True)
    standard = distance / numpy.sqrt(
        numpy.square(distance).mean(axis=axes, keepdims=True) + (p.eps or 1e-5))
    shape = tuple(p.normalizedShape)
    return standard * weights(p.gamma, shape) + weights(p.beta, shape)


def cum_sum(layer, x):
    p = layer.cumSum
    turned = numpy.flip(x, p.axis) if p.reverse else x
    total = numpy.cumsum(turned.astype(numpy.float64), axis=p.axis)
    total = total - turned if p.excludeFinalSum else total
    return numpy.flip(total, p.axis) if p.reverse else total


def clipped(x):
    return numpy.clip(x, -50, 50)


def recurrent(x, states, step, returns_sequence, reverse):
    """Walks over [time, batch, features, 1, 1]."""
    outputs = []
    sequence = x[::-1] if reverse else x
    for part in sequence[..., 0, 0]:
        states = step(part.astype(numpy.float64), *states)
        outputs.append(states[0])
    result = numpy.stack(outputs) if returns_sequence else outputs[-1][None]
    wide = [value[..., None, None] for value in [result] + [state[None] for state in states]]
    return wide


def initial(inputs, count, x, units):
    given = [value[0, :, :, 0, 0] for value in inputs]
    return given or [numpy.zeros((x.shape[1], units))] * count


def lstm(p, w, activations, reverse, x, states):
    n, m = p.outputVectorSize, p.inputVectorSize
    f, g = (lambda value, a=a: activate(a, clipped(value)) for a in activations[:2])
    limit = p.params.cellClipThreshold or 50

    def gate(name, x, y):
        total = x @ weights(getattr(w, f"{name}WeightMatrix"), (n, m)).T
        total = total + y @ weights(getattr(w, f"{name}RecursionMatrix"), (n, n)).T
        return total + weights(getattr(w, f"{name}BiasVector")) if p.params.hasBiasVectors else total

    def step(x, y, c):
        kept = f(gate("forgetGate", x, y)) * c
        c = kept + f(gate("inputGate", x, y)) * g(gate("blockInput", x, y))
        c = numpy.clip(c, -limit, limit)
        return [f(gate("outputGate", x, y)) * activate(activations[2], c), c]

    return recurrent(x, initial(states, 2, x, n), step, p.params.sequenceOutput, reverse)


def unidirectional_lstm(layer, x, *states):
    p = layer.uniDirectionalLSTM
    return lstm(p, p.weightParams, p.activations, p.reverseInput, x, states)


def bidirectional_lstm(layer, x, *states):
    p = layer.biDirectionalLSTM
    ways = [
        lstm(p, p.weightParams[0], p.activationsForwardLSTM, False, x, states[:2]),
        lstm(p, p.weightParams[1], p.activationsBackwardLSTM, True, x, states[2:])]
    if p.params.sequenceOutput:  # each output stands at its own step
        ways[1][0] = ways[1][0][::-1]
    return [numpy.concatenate([way[0] for way in ways], axis=2)] + ways[0][1:] + ways[1][1:]


def gru(layer, x, *states):
    p = layer.gru
    n, m = p.outputVectorSize, p.inputVectorSize

    def gate(name, x, y):
        total = x @ weights(getattr(p, f"{name}WeightMatrix"), (n, m)).T
        total = total + y @ weights(getattr(p, f"{name}RecursionMatrix"), (n, n)).T
        return clipped(
            total + weights(getattr(p, f"{name}BiasVector")) if p.hasBiasVectors else total)

    def step(x, y):
        z = activate(p.activations[0], gate("updateGate", x, y))
        r = activate(p.activations[0], gate("resetGate", x, y))
        o = activate(p.activations[1], gate("outputGate", x, r * y))
        return [(1 - z) * o + z * y]

    return recurrent(x, initial(states, 1, x, n), step, p.sequenceOutput, p.reverseInput)


def simple_recurrent(layer, x, *states):
    p = layer.simpleRecurrent
    n, m = p.outputVectorSize, p.inputVectorSize

    def step(x, y):
        total = x @ weights(p.weightMatrix, (n, m)).T + y @ weights(p.recursionMatrix, (n, n)).T
        total = total + weights(p.biasVector) if p.hasBiasVector else total
        return [activate(p.activation, clipped(total))]

    return recurrent(x, initial(states, 1, x, n), step, p.sequenceOutput, p.reverseInput)


def embedding_nd(layer, x):
    p = layer.embeddingND
    table = weights(p.weights, (p.embeddingSize, p.vocabSize)).T
    return table[x[..., 0].astype(int)]


def compare_with(function, field):
    def compute(layer, *inputs):
        other = inputs[1] if len(inputs) > 1 else numpy.float32(getattr(layer, field).alpha)
        return function(inputs[0], other).astype(numpy.float32)
    return compute


def reduction(function):
    def compute(layer, x):
        p = getattr(layer, layer.WhichOneof("layer"))
        return function(x.astype(numpy.float64), axis=tuple(p.axes), keepdims=p.keepDims)
    return compute


def elementwise(function):
    return lambda layer, *inputs: function(*[x.astype(numpy.float64) for x in inputs])


def folded(function):
    def compute(layer, *inputs):
        result = inputs[0]
        for other in inputs[1:]:
            result = function(result, other)
        return result
    return compute


def flip(layer, x):
    axes = [axis for axis, turns in enumerate(layer.reverse.reverseDim) if turns]
    return numpy.flip(x, axes)


def split_nd(layer, x):
    p = layer.splitND
    return numpy.split(x, numpy.cumsum(p.splitSizes)[:-1], axis=p.axis)


def constant_pad(layer, x):
    amounts = layer.constantPad.padAmounts
    borders = list(zip(amounts[::2], amounts[1::2]))
    return numpy.pad(x, borders, constant_values=layer.constantPad.value)


def gelu(layer, x):
    x = x.astype(numpy.float64)
    if layer.gelu.mode == 0:
        return 0.5 * x * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2)))
    return 0.5 * x * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


LAYERS = {
    "activation": lambda layer, x: activate(layer.activation, x),
    "biDirectionalLSTM": bidirectional_lstm,
    "add": folded(numpy.add), "multiply": folded(numpy.multiply),
    "max": folded(numpy.maximum), "min": folded(numpy.minimum),
    "average": lambda layer, *inputs: sum(inputs) / len(inputs),
    "addBroadcastable": folded(numpy.add), "multiplyBroadcastable": folded(numpy.multiply),
    "subtractBroadcastable": folded(numpy.subtract), "divideBroadcastable": folded(numpy.divide),
    "maxBroadcastable": folded(numpy.maximum), "minBroadcastable": folded(numpy.minimum),
    "powBroadcastable": folded(numpy.power), "modBroadcastable": folded(numpy.mod),
    "floorDivBroadcastable": folded(numpy.floor_divide),
    "argMax": lambda layer, x: arg(layer.argMax, x, numpy.argmax),
    "argMin": lambda layer, x: arg(layer.argMin, x, numpy.argmin),
    "batchedMatmul": batched_matmul, "batchnorm": batchnorm,
    "broadcastToStatic":
        lambda layer, x: numpy.broadcast_to(x, tuple(layer.broadcastToStatic.targetShape)),
    "ceil": elementwise(numpy.ceil), "floor": elementwise(numpy.floor),
    "round": elementwise(numpy.round), "sign": elementwise(numpy.sign),
    "clip": lambda layer, x: numpy.clip(x, layer.clip.minVal, layer.clip.maxVal),
    "concat": lambda layer, *inputs: numpy.concatenate(inputs, axis=-3),
    "concatND": lambda layer, *inputs: numpy.concatenate(inputs, axis=layer.concatND.axis),
    "constantPad": constant_pad, "convolution": convolution, "convolution3d": convolution3d,
    "crop": crop, "cumSum": cum_sum, "embeddingND": embedding_nd,
    "equal": compare_with(numpy.equal, "equal"),
    "notEqual": compare_with(numpy.not_equal, "notEqual"),
    "lessThan": compare_with(numpy.less, "lessThan"),
    "lessEqual": compare_with(numpy.less_equal, "lessEqual"),
    "greaterThan": compare_with(numpy.greater, "greaterThan"),
    "greaterEqual": compare_with(numpy.greater_equal, "greaterEqual"),
    "erf": elementwise(numpy.vectorize(math.erf, otypes=[float])),
    "exp2": elementwise(numpy.exp2),
    "expandDims": lambda layer, x: numpy.expand_dims(x, tuple(layer.expandDims.axes)),
    "fillLike": lambda layer, x: numpy.full(x.shape, layer.fillLike.value, numpy.float32),
    "flatten": lambda layer, x: x.reshape(x.shape[0], -1, 1, 1),
    "gather":
        lambda layer, x, places: numpy.take(x, places.astype(int), axis=layer.gather.axis),
    "gatherAlongAxis": lambda layer, x, places: numpy.take_along_axis(
        x, places.astype(int), axis=layer.gatherAlongAxis.axis),
    "gelu": gelu, "getShape": lambda layer, x: numpy.array(x.shape, numpy.float32),
    "gru": gru, "innerProduct": inner_product, "layerNormalization": layer_norm,
    "loadConstantND": lambda layer: weights(
        layer.loadConstantND.data, tuple(layer.loadConstantND.shape)),
    "logicalAnd": folded(lambda a, b: ((a != 0) & (b != 0)).astype(numpy.float32)),
    "logicalOr": folded(lambda a, b: ((a != 0) | (b != 0)).astype(numpy.float32)),
    "logicalNot": lambda layer, x: (x == 0).astype(numpy.float32),
    "lrn": lrn, "padding": padding,
    "permute": lambda layer, x: x.transpose(tuple(layer.permute.axis)),
    "pooling": pooling, "pooling3d": pooling3d,
    "reduceL2": reduction(lambda x, **options: numpy.sqrt(numpy.square(x).sum(**options))),
    "reduceMax": reduction(numpy.max), "reduceMin": reduction(numpy.min),
    "reduceMean": reduction(numpy.mean), "reduceProd": reduction(numpy.prod),
    "reduceSum": reduction(numpy.sum),
    "reduceSumSquare": reduction(lambda x, **options: numpy.square(x).sum(**options)),
    "reorganizeData": reorganize,
    "reshape": lambda layer, x: x.reshape(x.shape[0], *layer.reshape.targetShape[-3:]),
    "reshapeStatic": lambda layer, x: x.reshape(tuple(layer.reshapeStatic.targetShape)),
    "resizeBilinear": resize_bilinear, "reverse": flip, "simpleRecurrent": simple_recurrent,
    "sliceStatic": slice_static, "softmax": lambda layer, x: softmax(x, -3),
    "softmaxND": lambda layer, x: softmax(x, layer.softmaxND.axis),
    "split": lambda layer, x: numpy.split(x, layer.split.nOutputs, axis=-3),
    "splitND": split_nd, "squeeze": lambda layer, x: x.squeeze(tuple(layer.squeeze.axes)),
    "tile": lambda layer, x: numpy.tile(x, tuple(layer.tile.reps)), "topK": top_k,
    "transpose": lambda layer, x: x.transpose(tuple(layer.transpose.axes)),
    "unary": unary, "uniDirectionalLSTM": unidirectional_lstm, "upsample": upsample,
    "whereBroadcastable": lambda layer, truth, a, b: numpy.where(truth != 0, a, b),
    "sin": elementwise(numpy.sin), "cos": elementwise(numpy.cos), "tan": elementwise(numpy.tan),
    "asin": elementwise(numpy.arcsin), "acos": elementwise(numpy.arccos),
    "atan": elementwise(numpy.arctan), "sinh": elementwise(numpy.sinh),
    "cosh": elementwise(numpy.cosh), "asinh": elementwise(numpy.arcsinh),
    "acosh": elementwise(numpy.arccosh), "atanh": elementwise(numpy.arctanh),
}


def arg(p, x, function):
    result = function(x, axis=p.axis)
    return result if p.removeDim else numpy.expand_dims(result, p.axis)


def run(model, inputs):
    """Computes a network.

    inputs: the arrays by name, with the axes of the file; pictures are channels first, and their
    preprocessing is done already. The result has all values.
    """
    network = getattr(model, model.WhichOneof("Type"))
    images = network.arrayInputShapeMapping == 0
    values = {}
    for name, array in inputs.items():
        array = numpy.asarray(array, numpy.float32)
        if images:
            array = array.reshape(1, *array.shape, *[1] * (3 - array.ndim))
        values[name] = array
    for layer in network.layers:
        kind = layer.WhichOneof("layer")
        if kind not in LAYERS:
            raise Unknown(kind)
        with numpy.errstate(all="ignore"):
            outputs = LAYERS[kind](layer, *[values[name] for name in layer.input])
        if not isinstance(outputs, list):
            outputs = [outputs]
        for name, value in zip(layer.output, outputs):
            values[name] = numpy.asarray(value, numpy.float32)
    return values
