"""Makes small networks in the forms in which other tools export them to ONNX, and records what
onnxruntime computes with them: NAME.onnx, NAME.inputs.npz, NAME.outputs.npz, and README.md. Where
onnxruntime departs from ONNX, ONNX's own evaluator computes instead.

    python record.py [NAME...]

Records the networks of the given names, or all. Needs numpy, onnx and onnxruntime
(Tests/Peers/requirements.txt). Writes beside itself.
"""

import pathlib
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

HERE = pathlib.Path(__file__).parent
FLOAT = TensorProto.FLOAT
INT64 = TensorProto.INT64


class Builder:
    """A graph that grows node by node; every number comes from one generator."""

    def __init__(self, name, opset, ir_version=8, weights_are_inputs=False):
        self.name, self.opset, self.ir_version = name, opset, ir_version
        self.weights_are_inputs = weights_are_inputs
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []
        self.functions, self.opsets = [], []
        self.random = numpy.random.default_rng(sum(name.encode()))
        self.count = 0

    def input(self, name, shape, element_type=FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, element_type, shape))
        return name

    def output(self, value, shape, element_type=FLOAT):
        self.outputs.append(helper.make_tensor_value_info(value, element_type, shape))

    def weight(self, name, array, typed=False):
        """An initializer; `typed` puts the numbers into the field of their type."""
        array = numpy.asarray(array)
        if typed:
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            tensor = helper.make_tensor(name, kind, array.shape, array.flatten().tolist())
        else:
            tensor = numpy_helper.from_array(array, name)
        self.weights.append(tensor)
        if self.weights_are_inputs:
            self.inputs.append(
                helper.make_tensor_value_info(name, tensor.data_type, list(array.shape)))
        return name

    def tensor(self, name, kind, shape, values):
        """An initializer of a type that numpy lacks."""
        self.weights.append(helper.make_tensor(name, kind, shape, values))
        return name

    def numbers(self, name, *shape, scale=0.5, low=None, typed=False):
        array = self.random.normal(size=shape) * scale
        if low is not None:
            array = low + numpy.abs(array)
        return self.weight(name, array.astype(numpy.float32), typed)

    def integers(self, name, values):
        return self.weight(name, numpy.array(values, numpy.int64))

    def constant(self, values, kind=numpy.int64):
        """A Constant node."""
        tensor = numpy_helper.from_array(numpy.array(values, kind))
        return self.add("Constant", [], value=tensor)

    def add(self, operation, inputs, outputs=1, name=None, **attributes):
        self.count += 1
        names = [f"{operation}_{self.count}_output_{i}" for i in range(outputs)]
        if name:
            names[0] = name
        self.nodes.append(
            helper.make_node(operation, inputs, names, f"{operation}_{self.count}", **attributes))
        return names[0] if outputs == 1 else names

    def conv(self, value, fan_in, fan_out, size=3, group=1, bias=True, **attributes):
        number = self.count
        inputs = [value, self.numbers(
            f"conv{number}.weight", fan_out, fan_in // group, size, size,
            scale=(fan_in // group * size * size) ** -0.5)]
        if bias:
            inputs.append(self.numbers(f"conv{number}.bias", fan_out, scale=0.1))
        return self.add(
            "Conv", inputs, kernel_shape=[size, size], group=group,
            **({"pads": [size // 2] * 4, "strides": [1, 1], "dilations": [1, 1]} | attributes))

    def norm(self, value, channels, **attributes):
        number = self.count
        return self.add("BatchNormalization", [
            value, self.numbers(f"bn{number}.weight", channels, low=0.5),
            self.numbers(f"bn{number}.bias", channels),
            self.numbers(f"bn{number}.running_mean", channels),
            self.numbers(f"bn{number}.running_var", channels, low=0.5),
        ], epsilon=1e-5, **attributes)

    def dense(self, value, fan_in, fan_out, name=None):
        number = self.count
        return self.add("Gemm", [
            value, self.numbers(f"fc{number}.weight", fan_out, fan_in, scale=fan_in ** -0.5),
            self.numbers(f"fc{number}.bias", fan_out),
        ], name=name, alpha=1.0, beta=1.0, transB=1)

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.weights)
        return helper.make_model(
            graph, functions=self.functions, opset_imports=self.opsets or [helper.make_opsetid("", self.opset)],
            ir_version=self.ir_version, producer_name="samples")


def mobilenet():
    """Inverted residuals with Clip, and a dynamic batch whose shape is computed by nodes."""
    g = Builder("mobilenet", 12, 6)
    x = g.input("input", ["N", 3, 16, 16])
    low, high = g.constant(0.0, numpy.float32), g.constant(6.0, numpy.float32)
    x = g.add("Clip", [g.norm(g.conv(x, 3, 8, strides=[2, 2], bias=False), 8), low, high])
    y = g.add("Clip", [g.norm(g.conv(x, 8, 16, 1, bias=False), 16), low, high])
    y = g.add("Clip", [g.norm(g.conv(y, 16, 16, 3, 16, bias=False), 16), low, high])
    y = g.norm(g.conv(y, 16, 8, 1, bias=False), 8)
    x = g.add("GlobalAveragePool", [g.add("Add", [x, y])])
    batch = g.add("Gather", [g.add("Shape", [x]), g.constant(0)], axis=0)
    shape = g.add("Concat", [g.add("Unsqueeze", [batch], axes=[0]), g.constant([-1])], axis=0)
    x = g.add("Reshape", [x, shape])
    g.output(g.dense(x, 8, 5, "output"), ["N", 5])
    return g, {"input": g.random.normal(size=(2, 3, 16, 16))}


def resnet():
    """Residual blocks of the oldest form: weights among the inputs, ceil_mode, Flatten."""
    g = Builder("resnet", 8, 3, weights_are_inputs=True)
    x = g.input("data", [1, 3, 19, 19])
    x = g.add("Relu", [g.norm(g.conv(x, 3, 6, 7, strides=[2, 2], bias=False), 6, spatial=1)])
    x = g.add("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[0, 0, 1, 1])
    y = g.add("Relu", [g.norm(g.conv(x, 6, 6, bias=False), 6, spatial=1)])
    y = g.norm(g.conv(y, 6, 6, bias=False), 6, spatial=1)
    x = g.add("Relu", [g.add("Sum", [x, y])])
    x = g.add("AveragePool", [x], kernel_shape=[5, 5])
    x = g.dense(g.add("Flatten", [x], axis=1), 6, 4)
    g.output(g.add("Softmax", [x], name="prob", axis=1), [1, 4])
    return g, {"data": g.random.normal(size=(1, 3, 19, 19))}


def vgg():
    """Convolutions in a row, LRN, Dropout, and a Reshape to a shape that is a weight."""
    g = Builder("vgg", 9, 4)
    x = g.input("data_0", [1, 3, 8, 8])
    x = g.add("Relu", [g.conv(x, 3, 4)])
    x = g.add("LRN", [x], alpha=0.0001, beta=0.75, bias=1.0, size=5)
    x = g.add("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])
    x = g.add("Relu", [g.conv(x, 4, 6, 2, pads=[0, 0, 1, 1])])
    x = g.add("AveragePool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    x = g.add("Reshape", [x, g.integers("shape", [1, -1])])
    x = g.add("Dropout", [x], ratio=0.5)
    x = g.add("MatMul", [x, g.numbers("fc.weight", 24, 3, typed=True)])
    x = g.add("Add", [x, g.numbers("fc.bias", 3, typed=True)])
    g.output(g.add("Softmax", [x], name="softmax"), [1, 3])
    return g, {"data_0": g.random.normal(size=(1, 3, 8, 8))}


def squeezenet():
    """Fire modules, ceil_mode at an odd size, and a softmax over several axes (before opset 13)."""
    g = Builder("squeezenet", 11, 6)
    x = g.input("data", ["batch", 3, 17, 17])
    x = g.add("Relu", [g.conv(x, 3, 6, strides=[2, 2], pads=[0, 0, 0, 0])])
    x = g.add("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    s = g.add("Relu", [g.conv(x, 6, 3, 1)])
    parts = [g.add("Relu", [g.conv(s, 3, 4, 1)]), g.add("Relu", [g.conv(s, 3, 4, 3)])]
    x = g.add("Dropout", [g.add("Concat", parts, axis=1)])
    x = g.add("GlobalAveragePool", [g.add("Relu", [g.conv(x, 8, 5, 1)])])
    g.output(g.add("Softmax", [x], name="probabilities", axis=1), ["batch", 5, 1, 1])
    return g, {"data": g.random.normal(size=(2, 3, 17, 17))}


def yolo():
    """Strided slices, swish as two nodes, SPP, Resize, and boxes decoded by arithmetic."""
    g = Builder("yolo", 13)
    x = g.input("images", [1, 3, 16, 16])

    def slices(value, axis, start):
        return g.add("Slice", [
            value, g.constant([start]), g.constant([2**63 - 1]), g.constant([axis]), g.constant([2])])

    def swish(value):
        return g.add("Mul", [value, g.add("Sigmoid", [value])])

    parts = [slices(slices(x, 2, i), 3, j) for j in (0, 1) for i in (0, 1)]
    x = swish(g.conv(g.add("Concat", parts, axis=1), 12, 8))
    y = swish(g.conv(x, 8, 8, strides=[2, 2]))
    pools = [
        g.add("MaxPool", [y], kernel_shape=[k, k], strides=[1, 1], pads=[k // 2] * 4)
        for k in (3, 5)]
    y = g.add("HardSwish", [g.conv(g.add("Concat", [y] + pools, axis=1), 24, 8, 1)]) \
        if g.opset >= 14 else swish(g.conv(g.add("Concat", [y] + pools, axis=1), 24, 8, 1))
    up = g.add(
        "Resize", [y, "", g.weight("scales", numpy.array([1, 1, 2, 2], numpy.float32))],
        coordinate_transformation_mode="asymmetric", mode="nearest", nearest_mode="floor")
    x = g.conv(g.add("Concat", [up, x], axis=1), 16, 14, 1)
    x = g.add("Reshape", [x, g.constant([1, 2, 7, 8, 8])])
    x = g.add("Sigmoid", [g.add("Transpose", [x], perm=[0, 1, 3, 4, 2])])
    xy, wh, rest = g.add("Split", [x, g.constant([2, 2, 3])], 3, axis=4)
    grid = numpy.stack(numpy.meshgrid(numpy.arange(8), numpy.arange(8)), -1)
    grid = grid[None, None].astype(numpy.float32)
    xy = g.add("Add", [g.add("Mul", [xy, g.constant(2.0, numpy.float32)]), g.weight("grid", grid)])
    xy = g.add("Mul", [xy, g.constant(2.0, numpy.float32)])
    wh = g.add("Pow", [g.add("Mul", [wh, g.constant(2.0, numpy.float32)]),
                       g.constant(2.0, numpy.float32)])
    anchors = numpy.array([[3, 5], [6, 4]], numpy.float32).reshape(1, 2, 1, 1, 2)
    wh = g.add("Mul", [wh, g.weight("anchors", anchors)])
    x = g.add("Concat", [xy, wh, rest], axis=4)
    g.output(g.add("Reshape", [x, g.constant([1, -1, 7])], name="boxes"), [1, 128, 7])
    return g, {"images": g.random.normal(size=(1, 3, 16, 16))}


def unet():
    """Channels-last outside with transposes, auto_pad, Pad, ConvTranspose, Resize to extents."""
    g = Builder("unet", 15)
    x = g.input("image", ["batch", 12, 10, 3])
    x = g.add("Transpose", [x], perm=[0, 3, 1, 2])
    w = g.numbers("w", 4, 3, 3, 3, scale=0.2)
    x = g.add("Relu", [g.add("Conv", [x, w], auto_pad="SAME_UPPER", strides=[2, 2])])
    y = g.add("Pad", [x, g.constant([0, 0, 1, 1, 0, 0, 1, 1])], mode="reflect")
    y = g.add("Elu", [g.conv(y, 4, 4, pads=[0, 0, 0, 0])])
    y = g.add("PRelu", [g.conv(y, 4, 4, strides=[2, 2]), g.numbers("slope", 4, 1, 1)])
    y = g.add("ConvTranspose", [y, g.numbers("up.weight", 4, 4, 2, 2), g.numbers("up.bias", 4)],
              kernel_shape=[2, 2], strides=[2, 2])
    sizes = g.add("Concat", [
        g.add("Slice", [g.add("Shape", [y]), g.constant([0]), g.constant([2])]),
        g.add("Slice", [g.add("Shape", [x]), g.constant([2]), g.constant([4])])], axis=0)
    y = g.add("Resize", [y, "", "", sizes], mode="linear",
              coordinate_transformation_mode="half_pixel")
    y = g.add("InstanceNormalization", [
        y, g.numbers("in.weight", 4, low=0.5), g.numbers("in.bias", 4)])
    x = g.add("LeakyRelu", [g.add("Concat", [x, y], axis=1)], alpha=0.2)
    x = g.conv(x, 8, 2, 1)
    g.output(g.add("Transpose", [x], name="mask", perm=[0, 2, 3, 1]), ["batch", 6, 5, 2])
    return g, {"image": g.random.normal(size=(2, 12, 10, 3))}


def recurrent():
    """LSTM in both directions, GRU with an initial state, and a table of vectors."""
    g = Builder("recurrent", 14)
    tokens = g.input("tokens", [5, 2], INT64)
    x = g.add("Gather", [g.numbers("table", 7, 4), tokens])
    weights = [g.numbers("l.w", 2, 12, 4), g.numbers("l.r", 2, 12, 3), g.numbers("l.b", 2, 24)]
    x, last, _ = g.add("LSTM", [x] + weights, 3, direction="bidirectional", hidden_size=3)
    x = g.add("Transpose", [x], perm=[0, 2, 1, 3])
    x = g.add("Reshape", [x, g.constant([0, 0, -1])])
    state = g.add("Slice", [last, g.constant([1]), g.constant([2]), g.constant([0])])
    weights = [g.numbers("g.w", 1, 9, 6), g.numbers("g.r", 1, 9, 3), g.numbers("g.b", 1, 18)]
    x, last = g.add("GRU", [x] + weights + ["", state], 2, hidden_size=3, linear_before_reset=1)
    x = g.add("Squeeze", [x, g.constant([1])])
    g.output(x, [5, 2, 3])
    g.output(last, [1, 2, 3])
    return g, {"tokens": g.random.integers(0, 7, size=(5, 2))}


def transformer():
    """Attention as products of matrices, a mask, layer normalisation, and GELU as nodes."""
    g = Builder("transformer", 17)
    x = g.input("tokens", ["batch", 4, 6])
    q, k, v = (
        g.add("Add", [g.add("MatMul", [x, g.numbers(f"{n}.weight", 6, 6)]), g.numbers(f"{n}.bias", 6)])
        for n in "qkv")

    def heads(value, perm):
        return g.add("Transpose", [g.add("Reshape", [value, g.constant([0, 0, 2, 3])])], perm=perm)

    scores = g.add("MatMul", [heads(q, [0, 2, 1, 3]), heads(k, [0, 2, 3, 1])])
    scores = g.add("Div", [scores, g.constant(3.0 ** 0.5, numpy.float32)])
    mask = g.weight("mask", numpy.tril(numpy.ones((1, 1, 4, 4), bool)))
    scores = g.add("Where", [mask, scores, g.constant(-1e9, numpy.float32)])
    y = g.add("MatMul", [g.add("Softmax", [scores], axis=-1), heads(v, [0, 2, 1, 3])])
    y = g.add("Reshape", [g.add("Transpose", [y], perm=[0, 2, 1, 3]), g.constant([0, 0, 6])])
    x = g.add("LayerNormalization", [
        g.add("Add", [x, y]), g.numbers("ln.weight", 6, low=0.5), g.numbers("ln.bias", 6)],
        epsilon=1e-5)
    y = g.add("Div", [x, g.constant(2.0 ** 0.5, numpy.float32)])
    y = g.add("Add", [g.add("Erf", [y]), g.constant(1.0, numpy.float32)])
    y = g.add("Mul", [g.add("Mul", [x, y]), g.constant(0.5, numpy.float32)])
    y = g.add("Einsum", [y, g.numbers("out", 6, 5)], equation="bij,jk->bik")
    g.output(g.add("ReduceMean", [y], name="pooled", axes=[1], keepdims=0), ["batch", 5])
    return g, {"tokens": g.random.normal(size=(3, 4, 6))}


def modern():
    """Operators of opset 21: GroupNormalization, Gelu, HardSwish, Mish, ReduceMean with axes."""
    g = Builder("modern", 21, 10)
    x = g.input("x", [1, 4, 6, 6])
    x = g.add("GroupNormalization", [
        g.conv(x, 4, 4), g.numbers("gn.weight", 4, low=0.5), g.numbers("gn.bias", 4)], num_groups=2)
    x = g.add("Mul", [g.add("Gelu", [x]), g.add("HardSigmoid", [x], alpha=1 / 6, beta=0.5)])
    x = g.add("Mish", [g.add("HardSwish", [g.conv(x, 4, 4, strides=[2, 2])])])
    x = g.add("DepthToSpace", [x], blocksize=2)
    values, places = g.add("TopK", [
        g.add("Flatten", [x]), g.constant([3])], 2, axis=1)
    g.output(values, [1, 3])
    g.output(places, [1, 3], INT64)
    mean = g.add("ReduceMean", [x, g.constant([2, 3])], keepdims=0)
    g.output(g.add("ArgMax", [mean], name="best", axis=1), [1, 1], INT64)
    return g, {"x": g.random.normal(size=(1, 4, 6, 6))}


def quantized():
    """Weights and tensors in steps: QuantizeLinear, DequantizeLinear, QLinearConv, QLinearMatMul."""
    g = Builder("quantized", 13, 7)

    def steps(name, scale, zero, kind):
        scales = g.weight(f"{name}.scale", numpy.array(scale, numpy.float32))
        return [scales, g.weight(f"{name}.zero", numpy.array(zero, kind))]

    def whole(name, *shape, kind=numpy.int8):
        return g.weight(name, g.random.integers(-90, 90, shape).astype(kind))

    x = g.input("image", ["N", 3, 12, 12])
    inputs = steps("image", 0.02, 120, numpy.uint8)
    x = g.add("DequantizeLinear", [g.add("QuantizeLinear", [x, *inputs]), *inputs])
    kernel = g.add("DequantizeLinear", [
        whole("conv.weight", 6, 3, 3, 3), *steps("conv", [0.004, 0.01, 0.02, 0.005, 0.007, 0.003],
        [0] * 6, numpy.int8)], axis=0)
    bias = g.add("DequantizeLinear", [
        whole("conv.bias", 6, kind=numpy.int32), g.weight("bias.scale", numpy.float32(0.002))])
    x = g.add("Relu", [g.add("Conv", [x, kernel, bias], kernel_shape=[3, 3], strides=[2, 2])])
    middle = steps("middle", 0.05, 3, numpy.uint8)
    x = g.add("QuantizeLinear", [x, *middle])
    after = steps("after", 0.08, -5, numpy.int8)
    x = g.add("QLinearConv", [
        x, *middle, whole("qconv.weight", 8, 3, 3, 3), *steps(
            "qconv", [0.01] * 4 + [0.02] * 4, [0] * 8, numpy.int8), *steps(
            "sum", 0.1, 128, numpy.uint8), whole("qconv.bias", 8, kind=numpy.int32)],
        kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=2)
    x = g.add("DequantizeLinear", [x, "sum.scale", "sum.zero"])
    x = g.add("Flatten", [g.add("GlobalAveragePool", [x])])
    x = g.add("QuantizeLinear", [x, *after])
    x = g.add("QLinearMatMul", [
        x, *after, whole("matmul.weight", 8, 5), *steps("matmul", 0.01, 4, numpy.int8),
        *steps("logits", 0.03, 0, numpy.int8)])
    g.output(g.add("DequantizeLinear", [x, "logits.scale", "logits.zero"], name="scores"), ["N", 5])
    return g, {"image": g.random.normal(size=(2, 3, 12, 12))}


def pixels():
    """Blocks of channels in PyTorch's order, MeanVarianceNormalization, ReduceLogSum."""
    g = Builder("pixels", 18)
    x = g.input("x", ["N", 4, "H", "W"])
    x = g.add("DepthToSpace", [g.conv(x, 4, 12)], blocksize=2, mode="CRD")
    x = g.add("MeanVarianceNormalization", [x], name="pixels", axes=[0, 2, 3])
    g.output(x, ["N", 3, "H2", "W2"])
    sums = g.add("ReduceLogSum", [g.add("Abs", [x]), g.constant([2, 3])], name="sums", keepdims=0)
    g.output(sums, ["N", 3])
    return g, {"x": g.random.normal(size=(2, 4, 5, 6))}


def newest():
    """Operators of opset 24: RMSNormalization and Swish with a factor."""
    g = Builder("newest", 24, 11)
    x = g.input("x", ["N", 5, 8])
    x = g.add("RMSNormalization", [x, g.numbers("rms.weight", 8, low=0.5)], epsilon=1e-4)
    x = g.add("Swish", [g.add("MatMul", [x, g.numbers("up", 8, 6)])], alpha=1.7)
    g.output(g.add("Swish", [x], name="y"), ["N", 5, 6])
    return g, {"x": g.random.normal(size=(2, 5, 8))}


def control():
    """Branches and loops whose ends are known beforehand: If by an extent, Loop with a list of results."""
    g = Builder("control", 16)
    x = g.input("x", [2, 1, 6])

    def body(name, inputs, make):
        inner = Builder(name, 16)
        inner.random = g.random
        values = [inner.input(f"{name}_{key}", shape, kind) for key, shape, kind in inputs]
        for value, kind in make(inner, *values):
            inner.output(value, None, kind)  # without a shape, as most tools write it
        return helper.make_graph(
            inner.nodes, name, inner.inputs, inner.outputs, inner.weights)

    one = g.constant([1])
    extent = g.add("Gather", [g.add("Shape", [x]), one])
    branches = {
        "then_branch": body("then", [], lambda b: [
            (b.add("Squeeze", [x, one], name="squeezed"), FLOAT)]),
        "else_branch": body("else", [], lambda b: [
            (b.add("Identity", [x], name="kept"), FLOAT)])}
    x = g.add("If", [g.add("Equal", [extent, one])], **branches)
    weight = g.numbers("weight", 6, 6)

    def step(b, number, going, state):
        grown = b.add("Tanh", [b.add("MatMul", [state, weight])], name="grown")
        factor = b.add("Cast", [number], to=FLOAT)
        sums = b.add("ReduceSum", [b.add("Mul", [grown, factor]), one], name="sums", keepdims=0)
        return [(b.add("Identity", [going], name="on"), TensorProto.BOOL),
                (grown, FLOAT), (sums, FLOAT)]

    last, sums = g.add("Loop", [g.constant(4), g.constant(True, numpy.bool_), x], 2, body=body(
        "step", [("number", [], INT64), ("going", [], TensorProto.BOOL), ("state", [2, 6], FLOAT)],
        step))
    g.output(last, [2, 6])
    g.output(sums, [4, 2])
    return g, {"x": g.random.normal(size=(2, 1, 6))}


def resized():
    """Resize in the ways that coordinates, rounding, cubic weights, axes and proportions can be said."""
    g = Builder("resized", 19, 9)
    x = g.input("x", [1, 2, 5, 7])

    def resize(value, count, mode, coordinates, scales=None, sizes=None, **attributes):
        inputs = [value, "", g.weight(f"scales{count}", numpy.array(scales, numpy.float32))
                  if scales else ""]
        if sizes:
            inputs.append(g.integers(f"sizes{count}", sizes))
        return g.add("Resize", inputs, name=f"y{count}", mode=mode,
                     coordinate_transformation_mode=coordinates, **attributes)

    for count, (scales, sizes, mode, coordinates, attributes) in enumerate([
            ([1, 1, 2.3, 0.6], None, "linear", "half_pixel", {}),
            (None, [1, 2, 9, 3], "linear", "align_corners", {}),
            (None, [1, 2, 1, 11], "linear", "pytorch_half_pixel", {}),
            ([1, 1, 1.7, 2], None, "linear", "half_pixel_symmetric", {}),
            (None, [1, 2, 8, 12], "cubic", "half_pixel", {}),
            (None, [9, 4], "cubic", "align_corners",
             {"axes": [2, 3], "cubic_coeff_a": -0.5, "exclude_outside": 1}),
            (None, [1, 2, 8, 5], "nearest", "asymmetric", {"nearest_mode": "round_prefer_ceil"}),
            (None, [1, 2, 11, 10], "nearest", "half_pixel", {"nearest_mode": "round_prefer_floor"}),
            ([1, 1, 0.5, 1.5], None, "nearest", "align_corners", {"nearest_mode": "ceil"}),
            (None, [20, 9], "nearest", "asymmetric",
             {"axes": [3, 2], "nearest_mode": "floor", "keep_aspect_ratio_policy": "not_larger"}),
    ]):
        g.output(resize(x, count, mode, coordinates, scales, sizes, **attributes), [None] * 4)
    return g, {"x": g.random.normal(size=(1, 2, 5, 7))}


def windows():
    """Transposed convolutions to given extents, means over counted padding, circular padding."""
    g = Builder("windows", 19, 9)
    x = g.input("x", [1, 3, 5, 4])

    def transposed(name, size, **attributes):
        weights = g.numbers(f"{name}.weight", 3, 2, size, size)
        g.output(g.add("ConvTranspose", [x, weights], name=name, **attributes), [None] * 4)

    transposed("shaped", 3, strides=[2, 3], output_shape=[10, 13])
    transposed("upper", 4, strides=[2, 2], auto_pad="SAME_UPPER")
    transposed("lower", 3, strides=[2, 2], auto_pad="SAME_LOWER")
    transposed("narrow", 1, strides=[2, 2], auto_pad="SAME_UPPER")
    g.output(g.add("AveragePool", [x], name="counted", kernel_shape=[3, 3], strides=[2, 2],
                   pads=[1, 0, 1, 0], ceil_mode=1, count_include_pad=1), [None] * 4)
    g.output(g.add("AveragePool", [x], name="uncounted", kernel_shape=[2, 3], strides=[2, 2],
                   ceil_mode=1), [None] * 4)
    pads = g.constant([0, 0, 2, 1, 0, 0, 1, 3])
    padded = g.add("Pad", [x, pads], mode="wrap")
    g.output(g.conv(padded, 3, 2, pads=[0] * 4), [None] * 4)
    return g, {"x": g.random.normal(size=(1, 3, 5, 4))}


def shapes():
    """Shapes that go through int32 and arithmetic, as from TensorFlow, with an open batch."""
    g = Builder("shapes", 15)
    x = g.input("x", ["N", 4, 6])
    INT32 = TensorProto.INT32

    def part(value, start, end):
        return g.add("Slice", [value, g.constant([start]), g.constant([end]), g.constant([0])])

    extents = g.add("Cast", [g.add("Shape", [x])], to=INT32)
    batch = part(extents, 0, 1)
    # A state of zeros for a backward cell, whose sequence is reversed over its whole length.
    zeros = g.add("Expand", [
        g.constant(0.0, numpy.float32),
        g.add("Cast", [g.add("Concat", [batch, g.constant([3], numpy.int32)], axis=0)], to=INT64)])
    lengths = g.add("Tile", [g.constant([4]), g.add("Cast", [batch], to=INT64)])
    turned = g.add("ReverseSequence", [x, lengths], time_axis=1, batch_axis=0)
    sequence = g.add("Transpose", [turned], perm=[1, 0, 2])
    states = g.add("LSTM", [
        sequence, g.numbers("w", 1, 12, 6), g.numbers("r", 1, 12, 3), "", "", "",
        g.add("Unsqueeze", [g.add("Add", [zeros, g.numbers("c", 3)]), g.constant([0])])],
        3, hidden_size=3)
    g.output(g.add("Squeeze", [states[1], g.constant([0])], name="state"), ["N", 3])
    # One row for all of a flattened picture.
    count = g.add("ReduceProd", [part(extents, 1, 3)], keepdims=1)
    flat = g.add("Concat", [batch, count], axis=0)
    flat = g.add("Reshape", [x, g.add("Cast", [flat], to=INT64)])
    g.output(g.dense(flat, 24, 2, "scores"), ["N", 2])
    # A class token for each of the batch, and a norm that is expanded.
    token = g.add("Expand", [
        g.numbers("token", 1, 1, 6),
        g.add("Concat", [g.add("Cast", [batch], to=INT64), g.constant([1, 6])], axis=0)])
    g.output(g.add("Concat", [token, x], name="tokens", axis=1), ["N", 5, 6])
    length = g.add("ReduceL2", [x], axes=[2], keepdims=1)
    whole = g.add("Expand", [length, g.add("Shape", [x])])
    g.output(g.add("Div", [x, whole], name="normalized"), ["N", 4, 6])
    groups = g.add("Div", [g.add("Squeeze", [part(extents, 2, 3), g.constant([0])]),
                           g.constant(2, numpy.int32)])
    shape = g.add("Concat", [
        g.constant([-1, 4, 2]),
        g.add("Cast", [g.add("Unsqueeze", [groups, g.constant([0])])], to=INT64)], axis=0)
    g.output(g.add("Reshape", [x, shape], name="grouped"), ["N", 4, 2, 3])
    return g, {"x": g.random.normal(size=(3, 4, 6))}


def places():
    """Elements set and taken by known places, one-hot rows of negative indices, masks and einsum."""
    g = Builder("places", 16)
    x, k = g.input("x", [3, 4, 5]), g.input("k", [3], INT64)
    indices = numpy.stack(numpy.meshgrid([0, 2], [1, 3], indexing="ij"), -1)
    updates = g.add("Neg", [g.add("Slice", [
        x, g.constant([0, 0]), g.constant([2, 2]), g.constant([0, 1])])])
    g.output(g.add("ScatterND", [x, g.constant(indices), updates], name="set"), [3, 4, 5])
    g.output(g.add("GatherND", [x, g.constant([[0, -1], [2, 0], [1, 1]])], name="taken"), [3, 5])
    values = g.constant([0.0, 1.0], numpy.float32)
    g.output(g.add("OneHot", [k, g.constant(4), values], name="rows"), [3, 4])
    lower = g.add("Trilu", [x, g.constant(1)], upper=0)
    g.output(g.add("PRelu", [lower, g.numbers("slope", 4, 1)], name="lower"), [3, 4, 5])
    root = g.add("Sqrt", [x])
    rest = g.add("Where", [g.add("IsNaN", [root]), x, root])
    g.output(g.add("Einsum", [rest], name="turned", equation="abc->cab"), [5, 3, 4])
    weights = g.numbers("weights", 5, 2)
    g.output(g.add("Einsum", [rest, weights], name="spread", equation="...i,ij->...j"), [3, 4, 2])
    g.output(g.add("MatMul", [rest, g.numbers("vector", 5)], name="products"), [3, 4])
    square = g.add("Squeeze", [g.add("Slice", [
        x, g.constant([0]), g.constant([1]), g.constant([0])]), g.constant([0])])
    g.output(g.add("Gemm", [square, g.numbers("b", 4, 3), g.numbers("d", 3)], name="scaled",
                   alpha=0.5, beta=0.25, transA=1), [5, 3])
    inner = Builder("step", 16)
    inner.random = g.random
    number, going = inner.input("number", [], INT64), inner.input("going", [], TensorProto.BOOL)
    inner.output(inner.add("Identity", [going], name="on"), None, TensorProto.BOOL)
    inner.output(inner.add("Gather", [x, number], name="row"), None)
    body = helper.make_graph(inner.nodes, "step", inner.inputs, inner.outputs, inner.weights)
    g.output(g.add("Loop", [g.constant(2), g.constant(True, numpy.bool_)], name="collected",
                   body=body), [2, 4, 5])
    return g, {"x": g.random.normal(size=(3, 4, 5)), "k": numpy.array([-1, 2, -6])}


def kernels():
    """What kernels of other tools lack: whole numbers, booleans, negative indices, groups, many repetitions."""
    g = Builder("kernels", 16)
    x, k = g.input("x", ["batch", 3, 4, 4]), g.input("k", [5], INT64)
    wholes = g.add("Cast", [x], to=INT64)
    truths = g.add("Greater", [x, g.constant(0.0, numpy.float32)])
    g.output(g.add("Gather", [x, g.constant([-1, 0])], name="picked", axis=1), ["batch", 2, 4, 4])
    g.output(g.add("Gather", [x, k], name="chosen", axis=2), ["batch", 3, 5, 4])
    g.output(g.add("Abs", [wholes], name="sizes"), ["batch", 3, 4, 4], INT64)
    parts = [g.add("Cast", [part], to=FLOAT) for part in g.add(
        "Split", [truths, g.constant([1, 3])], outputs=2, axis=3)]
    g.output(g.add("Concat", parts[::-1], name="swapped", axis=3), ["batch", 3, 4, 4])
    divisor = g.constant(1.25, numpy.float32)
    g.output(g.add("Mod", [x, divisor], name="remainders", fmod=1), ["batch", 3, 4, 4])
    g.output(g.add("TopK", [x, g.constant([2])], name="smallest", outputs=2, axis=1, largest=0)[0],
             ["batch", 2, 4, 4])
    doubled = g.add("Concat", [x, x], axis=1)
    wide = g.add("Unsqueeze", [doubled, g.constant([2])])
    g.output(g.add("Conv", [wide, g.numbers("kernel", 6, 2, 1, 2, 3)], name="volumes", group=3),
             ["batch", 6, 1, 3, 2])
    g.output(g.add("ConvTranspose", [x, g.numbers("other", 3, 2, 2, 2)], name="larger", group=3,
                   strides=[2, 2]), ["batch", 6, 8, 8])
    repeats = g.constant([1, 1, 41, 1], numpy.float32)
    g.output(g.add("Resize", [x, "", repeats], name="repeated", mode="nearest", nearest_mode="floor",
                   coordinate_transformation_mode="asymmetric"), ["batch", 3, 164, 4])
    return g, {"x": 3 * g.random.normal(size=(2, 3, 4, 4)), "k": numpy.array([-4, 3, -1, 0, 2])}


def defaults():
    """Weights among the inputs though the file's version need not, as PyTorch wrote: inputs with values."""
    g = Builder("defaults", 9, ir_version=4, weights_are_inputs=True)
    value = g.input("x", [1, 3, 6, 6])
    channels = 3
    for number in range(3):
        prefix = f"features.{number}"
        kernel = g.numbers(f"{prefix}.weight", 4, channels, 3, 3)
        value = g.add("Conv", [value, kernel, g.numbers(f"{prefix}.bias", 4)], pads=[1] * 4)
        value, channels = g.add("Relu", [value]), 4
    value = g.add("Flatten", [g.add("GlobalAveragePool", [value])])
    g.output(g.add("Gemm", [value, g.numbers("fc.weight", 5, 4), g.numbers("fc.bias", 5)],
                   name="logits", transB=1), [1, 5])
    return g, {"x": g.random.normal(size=(1, 3, 6, 6))}


NARROW = {"int4": TensorProto.INT4, "uint4": TensorProto.UINT4, "int2": TensorProto.INT2,
          "uint2": TensorProto.UINT2}


def narrow():
    """Integers of 2 and 4 bits: converted to, quantized to, moved, and as the type of another value."""
    g = Builder("narrow", 25, ir_version=13)
    x = g.input("x", [2, 14])
    scales = g.weight("scales", numpy.array([0.5, 2.0], numpy.float32))
    for name, kind in NARROW.items():
        signed = name.startswith("int")
        zero = g.tensor(f"{name}.zero", kind, [], [1])
        zeros = g.tensor(f"{name}.zeros", kind, [2], [1, -1 if signed else 2])
        for role, value in (
                ("cast", g.add("Cast", [x], to=kind)),
                ("like", g.add("CastLike", [x, g.add("Identity", [zero])])),
                ("moved", g.add("CastLike", [x, g.add("Reshape", [zeros, g.integers(
                    f"{name}.shape", [2, 1])])])),
                ("again", g.add("Cast", [g.add("Cast", [g.add("Cast", [x], to=TensorProto.INT32)],
                                               to=kind)], to=TensorProto.INT8))):
            g.output(g.add("Cast", [value], name=f"{name}.{role}", to=FLOAT), [2, 14])
        steps = g.add("QuantizeLinear", [x, scales, zeros], axis=0)
        turned = g.add("Transpose", [steps], perm=[1, 0])
        g.output(g.add("DequantizeLinear", [turned, scales, zeros], name=f"{name}.steps", axis=1),
                 [14, 2])
        untyped = g.add("QuantizeLinear", [x, g.constant(0.25, numpy.float32)], output_dtype=kind)
        g.output(g.add("Cast", [untyped], name=f"{name}.typed", to=FLOAT), [2, 14])
    numbers = [-9, -7.75, -4.5, -2.5, -1.25, -0.5, 0, 0.5, 1.5, 2.5, 6.9, 7.6, 8.2, 21.5]
    return g, {"x": numpy.array([numbers, numbers[::-1]])}


narrow.is_by_onnx = True  # onnxruntime rounds where ONNX truncates


def narrow_loops():
    """Integers of 2 and 4 bits as states, sequences and lists of loops."""
    g = Builder("narrow_loops", 25, ir_version=13)
    x = g.input("x", [3, 4])
    for name, kind in NARROW.items():
        value = g.add("Cast", [x], to=kind)
        state, step = f"{name}.state", f"{name}.step"
        info = helper.make_tensor_value_info
        loop = helper.make_graph(
            [helper.make_node("Identity", [f"{name}.go"], [f"{name}.on"]),
             helper.make_node("CastLike", [x, state], [f"{state}.out"])], "loop",
            [info(f"{name}.number", INT64, []), info(f"{name}.go", TensorProto.BOOL, []),
             info(state, kind, [3, 4])],
            [info(f"{name}.on", TensorProto.BOOL, []), info(f"{state}.out", kind, [3, 4])])
        last = f"{name}.last"
        g.nodes.append(helper.make_node(
            "Loop", [g.constant(2, numpy.int64), g.constant(True, numpy.bool_), value], [last], body=loop))
        g.output(g.add("Cast", [last], name=f"{name}.looped", to=FLOAT), [3, 4])
        g.output(g.add("Cast", [g.add("CastLike", [x, last])], name=f"{name}.after", to=FLOAT), [3, 4])
        scan = helper.make_graph(
            [helper.make_node("Identity", [step], [f"{step}.out"])], "scan", [info(step, kind, [4])],
            [info(f"{step}.out", kind, [4])])
        rows = f"{name}.rows"
        g.nodes.append(helper.make_node("Scan", [value], [rows], body=scan, num_scan_inputs=1))
        g.output(g.add("Cast", [g.add("CastLike", [x, rows])], name=f"{name}.scanned", to=FLOAT), [3, 4])
    return g, {"x": numpy.array([[-9, -4.5, -2.5, -1.25], [0, 1.5, 2.5, 3.75], [6.9, 7.6, 8.2, 21.5]])}


narrow_loops.is_by_onnx = True  # onnxruntime rounds where ONNX truncates


def halves():
    """Quantized with scales of 16 bits: integers that these do not hold, and types to compute in."""
    g = Builder("halves", 25, ir_version=13)
    x = g.input("x", [3, 8])
    for name, kind, zero in (("int16", numpy.int16, -7), ("uint16", numpy.uint16, 30001),
                             ("int8", numpy.int8, 5), ("uint8", numpy.uint8, 131)):
        half = g.add("Cast", [x], to=TensorProto.FLOAT16)
        scale, step = g.constant(0.75, numpy.float16), g.constant(0.77, numpy.float32)
        point = g.constant(zero, kind)
        for role, value in (
                ("half", g.add("QuantizeLinear", [half, scale, point])),
                ("mixed", g.add("QuantizeLinear", [half, step, point])),
                ("precise", g.add("QuantizeLinear", [x, step, point], precision=TensorProto.FLOAT16)),
                ("whole", g.add("QuantizeLinear", [g.add("Cast", [x], to=TensorProto.INT32), step,
                                                   point]))):
            g.output(g.add("Cast", [value], name=f"{name}.{role}", to=FLOAT), [3, 8])
        steps = g.add("QuantizeLinear", [x, step, point])
        back = g.add("DequantizeLinear", [steps, scale, point])
        g.output(g.add("Cast", [back], name=f"{name}.back", to=FLOAT), [3, 8])
        typed = g.add("DequantizeLinear", [steps, step, point], output_dtype=TensorProto.FLOAT16)
        g.output(g.add("Cast", [typed], name=f"{name}.typed", to=FLOAT), [3, 8])
    large = g.add("Cast", [g.add("Mul", [x, g.constant(50, numpy.float32)])], to=TensorProto.INT32)
    wide = g.add("DequantizeLinear", [large, g.constant(0.01, numpy.float16)])
    g.output(g.add("Cast", [wide], name="large", to=FLOAT), [3, 8])
    return g, {"x": g.random.normal(size=(3, 8)) * 6000}


halves.is_by_onnx = True  # onnxruntime divides numbers of 16 bits as float32


def loops():
    """Loops whose bodies declare the number of the step, the condition, both or neither as vectors."""
    g = Builder("loops", 16)
    x = g.input("x", [2, 3])
    for name, number_shape, going_shape in (
            ("numbers", [], []), ("step", [1], []), ("going", [], [1]), ("both", [1], [1])):
        inner = Builder(name, 16)
        number = inner.input(f"{name}.number", number_shape, INT64)
        going = inner.input(f"{name}.going", going_shape, TensorProto.BOOL)
        state = inner.input(f"{name}.state", [2, 3])
        inner.output(inner.add("Identity", [going], name=f"{name}.on"), going_shape, TensorProto.BOOL)
        step = inner.add("Cast", [number], name=f"{name}.step", to=FLOAT)
        inner.output(inner.add("Add", [state, step], name=f"{name}.next"), [2, 3])
        inner.output(step, number_shape)
        inner.output(inner.add("Cast", [going], name=f"{name}.flag", to=FLOAT), going_shape)
        body = helper.make_graph(inner.nodes, name, inner.inputs, inner.outputs)
        state, steps, flags = (f"{name}.{part}" for part in ("sum", "steps", "flags"))
        g.nodes.append(helper.make_node(
            "Loop", [g.constant(4), g.constant([True] if going_shape else True, numpy.bool_), x], [state, steps, flags],
            name=name, body=body))
        g.output(state, [2, 3])
        g.output(steps, [4] + number_shape)
        g.output(flags, [4] + going_shape)
    return g, {"x": g.random.normal(size=(2, 3))}


def inputless():
    """A network without an input, which gives the same numbers always."""
    g = Builder("inputless", 17)
    table = g.add("Range", [g.constant(0, numpy.float32), g.constant(6, numpy.float32),
                            g.constant(1, numpy.float32)])
    g.output(g.add("Sin", [g.add("Mul", [table, g.numbers("scale", 6)])], name="y"), [6])
    return g, {}


def early(is_new=False):
    """The forms of opset 3: axes of the second operand, shapes, types and scales as attributes, slopes of channels."""
    g = Builder("early", 14 if is_new else 3, ir_version=3, weights_are_inputs=True)

    def pair(operation, first, second, axis, new_axes):
        """A node whose second operand begins at an axis of the first."""
        if is_new:
            return g.add(operation, [first, g.add("Unsqueeze", [second, g.constant(new_axes)])])
        return g.add(operation, [first, second], axis=axis, broadcast=1)

    x = g.input("x", [2, 4, 6, 6])
    kernel = g.numbers("kernel", 4, 4, 3, 3, scale=0.2)
    x = g.add("Conv", [x, kernel], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    x = pair("Add", x, g.numbers("bias", 4), 1, [1, 2])
    old = {} if is_new else {"is_test": 1, "consumed_inputs": [0, 0, 0, 1, 1]}
    x = g.add("BatchNormalization", [
        x, g.numbers("gamma", 4, low=0.5), g.numbers("beta", 4), g.numbers("mean", 4),
        g.numbers("variance", 4, low=0.5)], **old)
    slope = g.numbers("slope", 4)
    x = g.add("PRelu", [x, g.add("Unsqueeze", [slope, g.constant([1, 2])])] if is_new else [x, slope])
    x = pair("Mul", x, g.numbers("plane", 4, 6), -3, [2])
    x = pair("Sub", x, g.numbers("row", 6), 3, [0])
    if is_new:
        x = g.add("Pad", [x, g.constant([0, 0, 1, 0, 0, 0, 0, 1]), g.constant(0.5, numpy.float32)])
        y = g.add("Resize", [x, "", g.constant([1, 1, 2, 3], numpy.float32)], mode="nearest",
                  coordinate_transformation_mode="asymmetric", nearest_mode="floor")
        z = g.add("Tile", [x, g.constant([1, 1, 2, 1])])
    else:
        x = g.add("Pad", [x], pads=[0, 0, 1, 0, 0, 0, 0, 1], value=0.5)
        y = g.add("Upsample", [x], height_scale=2.0, width_scale=3.0, mode="nearest")
        z = g.add("Tile", [x, g.constant(2, numpy.float32), g.constant(2, numpy.float32)])
    wide = {"axis": 1} if is_new else {}
    x = g.add("Concat", [x, x], **wide)
    if is_new:
        x = g.add("Selu", [g.add("Reshape", [x, g.constant([0, 8, -1])])], alpha=1.6732, gamma=1.0507)
    else:
        x = g.add("Selu", [g.add("Reshape", [x], shape=[0, 8, -1])])
    limit = g.add("ReduceMean", [x], axes=[2], keepdims=0)
    positive = g.add("Greater", [limit, g.constant([0.1] * 8, numpy.float32)], **({} if is_new else {"broadcast": 1}))
    g.output(g.add("Cast", [positive], name="positive", to=FLOAT if is_new else "FLOAT"), [2, 8])
    g.output(g.add("Identity", [x], name="flat"), [2, 8, 49])
    g.output(g.add("Identity", [y], name="larger"), [2, 4, 14, 21])
    g.output(g.add("Identity", [z], name="repeated"), [2, 4, 14, 7])
    return g, {"x": g.random.normal(size=(2, 4, 6, 6))}


early.judge = lambda: early(True)  # onnxruntime reads opsets from 7 on


def attention():
    """Attention with groups of heads, masks, a cache and soft caps, and rotary embeddings."""
    g = Builder("attention", 24, ir_version=12)
    q, k, v = g.input("q", [2, 5, 24]), g.input("k", [2, 7, 12]), g.input("v", [2, 7, 18])
    mask = g.input("mask", [5, 7], TensorProto.BOOL)
    past = [g.input("past_key", [2, 3, 4, 4]), g.input("past_value", [2, 3, 4, 6])]
    turned = g.add("RotaryEmbedding", [q, g.numbers("cos", 2, 5, 2), g.numbers("sin", 2, 5, 2)], num_heads=6)
    pairs = g.add("RotaryEmbedding", [q, g.numbers("cosines", 9, 1), g.numbers("sines", 9, 1),
                                      g.integers("places", [[0, 1, 2, 3, 4], [8, 7, 6, 5, 4]])],
                  num_heads=6, interleaved=1, rotary_embedding_dim=2)
    heads = {"q_num_heads": 6, "kv_num_heads": 3}
    g.output(g.add("Attention", [turned, k, v], name="plain", **heads), [2, 5, 36])
    g.output(g.add("Attention", [pairs, k, v, mask], name="masked", softcap=1.5, **heads), [2, 5, 36])
    g.output(g.add("Attention", [q, k, v], name="causal", is_causal=1, scale=0.3, **heads), [2, 5, 36])
    cached = g.add("Attention", [q, k, v, ""] + past, 4, is_causal=1, qk_matmul_output_mode=3, **heads)
    for name, value, shape in zip(("cached", "keys", "values", "scores"), cached, (
            [2, 5, 36], [2, 3, 11, 4], [2, 3, 11, 6], [2, 6, 5, 11])):
        g.output(g.add("Identity", [value], name=name), shape)
    counts = g.integers("counts", [7, 3])
    g.output(g.add("Attention", [q, k, v, "", "", "", counts], name="padded", is_causal=1, **heads), [2, 5, 36])
    return g, {
        "q": g.random.normal(size=(2, 5, 24)), "k": g.random.normal(size=(2, 7, 12)),
        "v": g.random.normal(size=(2, 7, 18)),
        "mask": (g.random.random((5, 7)) < 0.6) & (numpy.arange(5)[:, None] != 2),
        "past_key": g.random.normal(size=(2, 3, 4, 4)), "past_value": g.random.normal(size=(2, 3, 4, 6))}


attention.is_by_onnx = True  # onnxruntime lacks the number of keys that are no padding


def measures():
    """Norms, the last of equal maxima, statistics of a normalization, other constants of activations."""
    g = Builder("measures", 18)
    x, y = g.input("x", [2, 4, 6, 6]), g.input("y", [3, 5])
    g.output(g.add("LpPool", [x], name="norms", kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1], p=3),
             [2, 4, 3, 6])
    g.output(g.add("GlobalLpPool", [x], name="whole", p=1), [2, 4, 1, 1])
    for power in (1, 2):
        g.output(g.add("LpNormalization", [x], name=f"unit{power}", p=power, axis=1), [2, 4, 6, 6])
    g.output(g.add("Hardmax", [y], name="first", axis=0), [3, 5])
    g.output(g.add("ArgMax", [y], name="last", axis=1, select_last_index=1), [3, 1], INT64)
    g.output(g.add("ArgMin", [y], name="lowest", axis=0, keepdims=0, select_last_index=1), [5], INT64)
    g.output(g.add("Shrink", [y], name="shrunk", bias=0.25, lambd=0.75), [3, 5])
    g.output(g.add("Selu", [y], name="selu", alpha=0.75, gamma=1.5), [3, 5])
    normal = g.add("LayerNormalization", [x, g.numbers("scale", 6, 6), g.numbers("offset", 6, 6)], 3, axis=2)
    for name, value, shape in zip(("normal", "mean", "deviation"), normal, ([2, 4, 6, 6], [2, 4, 1, 1], [2, 4, 1, 1])):
        g.output(g.add("Identity", [value], name=name), shape)
    kept = g.add("Dropout", [y], 2)
    g.output(g.add("Identity", [kept[1]], name="kept"), [3, 5], TensorProto.BOOL)
    x_values = g.random.normal(size=(2, 4, 6, 6))
    x_values[0, :, 0, 0] = 0
    x_values[1, :, 1, 1] = 1e-20
    return g, {"x": x_values, "y": numpy.round(g.random.normal(size=(3, 5)) * 2) / 2}


def grids():
    """Elements at the places of a grid in all ways, a matrix with ones on a diagonal."""
    g = Builder("grids", 20, ir_version=9)
    x, flow = g.input("x", [2, 4, 5, 6]), g.input("flow", [2, 3, 4, 2])
    for mode in ("nearest", "linear", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            for corners in (0, 1):
                g.output(g.add("GridSample", [x, flow], name=f"{mode}.{padding}.{corners}", mode=mode,
                               padding_mode=padding, align_corners=corners), [2, 4, 3, 4])
    solid = g.add("Reshape", [x, g.constant([2, 2, 2, 5, 6])])
    places = g.add("Reshape", [g.add("Slice", [flow, g.constant([0]), g.constant([3]), g.constant([2])]),
                               g.constant([2, 3, 2, 1, 3])])
    g.output(g.add("GridSample", [solid, places], name="solid", padding_mode="border"), [2, 2, 3, 2, 1])
    g.output(g.add("EyeLike", [g.integers("matrix", [[0] * 4] * 3)], name="eye", k=1, dtype=FLOAT), [3, 4])
    return g, {"x": g.random.normal(size=(2, 4, 5, 6)), "flow": g.random.uniform(-2.5, 2.5, size=(2, 3, 4, 2))}


grids.is_by_onnx = True  # onnxruntime lacks volumes


def grouped():
    """A scale and an offset for each group of channels, as before opset 21."""
    g = Builder("grouped", 18)
    x = g.input("x", ["N", 6, "T"])
    y = g.add("GroupNormalization", [x, g.numbers("scale", 3, low=0.5), g.numbers("offset", 3)], num_groups=3)
    g.output(g.add("Identity", [y], name="y"), ["N", 6, "T"])
    return g, {"x": g.random.normal(size=(2, 6, 5))}


grouped.is_unchecked = grouped.is_by_onnx = True  # ONNX' checker and onnxruntime refuse it


def dynamic():
    """Quantized by each value's own range, products of integers, parts of an axis of unknown size."""
    g = Builder("dynamic", 17)
    x = g.input("x", ["N", 6, "T"])
    parts = g.add("Split", [x], 2, axis=2)
    for name, part in zip(("first", "second"), parts):
        g.output(g.add("Identity", [part], name=name), ["N", 6, "half"])
    y = g.input("y", [3, 6])
    steps, scale, zero = g.add("DynamicQuantizeLinear", [y], 3)
    weight = g.weight("weight", g.random.integers(-127, 128, size=(6, 5)).astype(numpy.int8))
    sums = g.add("MatMulInteger", [steps, weight, zero, g.weight("zeros", numpy.array([3], numpy.int8))])
    g.output(sums, [3, 5], TensorProto.INT32)
    g.output(g.add("DequantizeLinear", [steps, scale, zero], name="back"), [3, 6])
    image = g.input("image", [1, 2, 5, 5], TensorProto.UINT8)
    kernel = g.weight("kernel", g.random.integers(0, 256, size=(3, 2, 3, 3)).astype(numpy.uint8))
    g.output(g.add("ConvInteger", [image, kernel, g.weight("middle", numpy.array(128, numpy.uint8))], name="sums",
                   pads=[1, 1, 0, 0]), [1, 3, 4, 4], TensorProto.INT32)
    return g, {"x": g.random.normal(size=(2, 6, 8)), "y": g.random.normal(size=(3, 6)),
               "image": g.random.integers(0, 256, size=(1, 2, 5, 5))}


def narrow_floats():
    """Rounding to floats of 8 and 4 bits and powers of two, and integers of 4 bits as input and output."""
    g = Builder("narrow_floats", 25, ir_version=13)
    x, codes = g.input("x", [60]), g.input("codes", [2, 3], TensorProto.UINT4)
    for kind in ("FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "FLOAT4E2M1"):
        for saturate in (1, 0)[:1 if kind == "FLOAT4E2M1" else 2]:
            cast = g.add("Cast", [x], to=getattr(TensorProto, kind), saturate=saturate)
            g.output(g.add("Cast", [cast], name=f"{kind.lower()}.{saturate}", to=FLOAT), [60])
    positive = g.add("Abs", [g.add("Clip", [x, g.constant(-1e30, numpy.float32), g.constant(1e30, numpy.float32)])])
    for mode in ("up", "down", "nearest"):
        cast = g.add("Cast", [positive], to=TensorProto.FLOAT8E8M0, round_mode=mode)
        g.output(g.add("Cast", [cast], name=f"powers.{mode}", to=FLOAT), [60])
    scale = g.weight("scale", numpy.array(0.75, numpy.float32))
    zero = g.weight("zero", onnx.numpy_helper.to_array(
        helper.make_tensor("zero", TensorProto.FLOAT8E4M3FN, [], [0.0])))
    steps = g.add("QuantizeLinear", [x, scale, zero])
    g.output(g.add("DequantizeLinear", [steps, scale, zero], name="restored"), [60])
    g.output(g.add("Transpose", [codes], name="turned"), [3, 2], TensorProto.UINT4)
    numbers = g.random.normal(size=60) * 10.0 ** g.random.integers(-4, 6, size=60)
    numbers[:14] = (0, 0.25, -0.25, 0.75, 1.75, -2.5, 464, 464.5, -248, numpy.inf, -numpy.inf, numpy.nan, 61440, -61439)
    return g, {"x": numbers, "codes": g.random.integers(0, 16, size=(2, 3))}


narrow_floats.is_by_onnx = True  # onnxruntime has no floats of 4 bits


def cells(is_judge=False):
    """Sequences of several lengths, peepholes, coupled gates, limits, two activations; the batch before the time."""
    g = Builder("cells", 22, ir_version=10)
    x, lengths, hidden = g.input("x", [3, 5, 4]), g.input("lengths", [3], TensorProto.INT32), 2
    turn = (lambda value, *axes: g.add("Transpose", [value], perm=axes)) if is_judge else (lambda value, *axes: value)
    sequence = turn(x, 1, 0, 2)
    settings = {"hidden_size": hidden} | ({} if is_judge else {"layout": 1})

    def add(name, kind, lengths="", extra=(), **attributes):
        directions = 2 if attributes.get("direction") == "bidirectional" else 1
        gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind] * hidden
        weights = [g.numbers(f"{name}.{part}", directions, *shape) for part, shape in (
            ("w", [gates, 4]), ("r", [gates, hidden]), ("b", [2 * gates]))]
        values = g.add(kind, [sequence, *weights, lengths, *extra], 3 if kind == "LSTM" else 2, **settings, **attributes)
        for part, value in zip(("all", "h", "c"), values):
            turned = turn(value, 2, 0, 1, 3) if part == "all" else turn(value, 1, 0, 2)
            g.output(g.add("Identity", [turned], name=f"{name}.{part}"),
                     [3, 5, directions, hidden] if part == "all" else [3, directions, hidden])

    for kind in ("LSTM", "GRU", "RNN"):
        add(f"both_{kind}", kind, lengths, direction="bidirectional")
        add(f"reverse_{kind}", kind, direction="reverse")
    states = [turn(g.numbers(f"state{i}", 3, 2, hidden), 1, 0, 2) for i in (0, 1)]
    add("peepholes", "LSTM", "", [*states, g.numbers("peephole_weights", 2, 3 * hidden)], direction="bidirectional")
    add("coupled", "LSTM", input_forget=1)
    add("limited", "LSTM", clip=0.3)
    add("mixed", "LSTM", direction="reverse", activations=["HardSigmoid", "Tanh", "Softsign"])
    return g, {"x": g.random.normal(size=(3, 5, 4)), "lengths": numpy.array([5, 2, 4])}


cells.judge = lambda: cells(True)  # onnxruntime lacks layout=1


def functions():
    """Operators that the file itself defines: nested, with settings, a default, a body."""
    g = Builder("functions", 20, ir_version=10)
    x, y = g.input("x", ["N", 4]), g.input("y", [4])
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("own", 1)]
    slope = helper.make_node("LeakyRelu", ["a"], ["b"], "inner")
    reference = onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT)
    slope.attribute.append(reference)
    soften = helper.make_function(
        "own", "Soften", ["a", "unused"], ["b", "copy"],
        [slope, helper.make_node("Identity", ["a"], ["copy"])], opsets[:1], [],
        [helper.make_attribute("slope", 0.25)])
    scaled = helper.make_node("Mul", ["a", "factor"], ["scaled"])
    nested = helper.make_node("Soften", ["scaled"], ["b", "same"], "first", domain="own", slope=0.75)
    last = helper.make_node("Soften", ["b"], ["a_soft", "unread"], domain="own")
    looped = helper.make_node(
        "Loop", ["count", "", "same"], ["looped"], body=helper.make_graph(
            [helper.make_node("Identity", ["go"], ["going"]), helper.make_node("Add", ["value", "b"], ["sum"])],
            "body", [helper.make_tensor_value_info("step", INT64, []),
                     helper.make_tensor_value_info("go", TensorProto.BOOL, []),
                     helper.make_tensor_value_info("value", FLOAT, None)],
            [helper.make_tensor_value_info("going", TensorProto.BOOL, []),
             helper.make_tensor_value_info("sum", FLOAT, None)]))
    count = helper.make_node("Constant", [], ["count"], value_int=3)
    twice = helper.make_function(
        "own", "Twice", ["a", "factor"], ["a_soft", "looped"], [scaled, nested, last, count, looped], opsets, [])
    g.nodes.append(helper.make_node("Twice", [x, y], ["soft", "loop"], "twice", domain="own"))
    g.nodes.append(helper.make_node("Twice", ["soft", "y"], ["again", "unread"], "thrice", domain="own"))
    for name in ("soft", "loop", "again"):
        g.output(g.add("Identity", [name], name=f"{name}_out"), ["N", 4])
    g.functions, g.opsets = [soften, twice], opsets
    return g, {x: g.random.normal(size=(3, 4)), y: g.random.normal(size=4)}


functions.is_unchecked = True  # ONNX' checker does not infer types in functions of functions


def bits():
    """Functions of bits, shifts, sums up to each element, and limits that are computed."""
    g = Builder("bits", 18)
    for kind in ("UINT8", "INT32", "UINT64"):
        name, shape = kind.lower(), [3, 4]
        x, y = g.input(f"{name}.x", shape, getattr(TensorProto, kind)), g.input(f"{name}.y", [4], getattr(TensorProto, kind))
        for node in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
            g.output(g.add(node, [x, y], name=f"{name}.{node}"), shape, getattr(TensorProto, kind))
        g.output(g.add("BitwiseNot", [x], name=f"{name}.not"), shape, getattr(TensorProto, kind))
        if kind != "INT32":
            count = g.add("Mod", [y, g.weight(f"{name}.ten", numpy.array(10, name))])
            for direction in ("LEFT", "RIGHT"):
                g.output(g.add("BitShift", [x, count], name=f"{name}.{direction}", direction=direction), shape,
                         getattr(TensorProto, kind))
    z = g.input("z", [3, 4])
    low, high = g.add("ReduceMean", [z], keepdims=0), g.add("ReduceMax", [z], keepdims=0)
    g.output(g.add("Clip", [z, low, high], name="limited"), [3, 4])
    g.output(g.add("PRelu", [z, g.add("Abs", [z])], name="slopes"), [3, 4])
    return g, {
        "uint8.x": g.random.integers(0, 256, size=(3, 4)), "uint8.y": g.random.integers(0, 256, size=4),
        "int32.x": g.random.integers(-2**31, 2**31, size=(3, 4)), "int32.y": g.random.integers(-2**31, 2**31, size=4),
        "uint64.x": g.random.integers(0, 2**64, size=(3, 4), dtype=numpy.uint64),
        "uint64.y": g.random.integers(0, 2**64, size=4, dtype=numpy.uint64), "z": g.random.normal(size=(3, 4))}


def scattered():
    """Elements and slices replaced or combined at computed places, and gathered from there."""
    g = Builder("scattered", 18)
    x, values = g.input("x", [4, 5, 3]), g.input("values", [2, 3, 3])
    places, rows = g.input("places", [2, 3, 3], INT64), g.input("rows", [2, 2], INT64)
    for reduction in ("none", "add", "mul", "max", "min"):
        own = {} if reduction == "none" else {"reduction": reduction}
        chosen = places if own else g.integers("unique", [[[0] * 3, [2] * 3, [-1] * 3]] * 2)
        g.output(g.add("ScatterElements", [x, chosen, values], name=f"elements.{reduction}", axis=1, **own), [4, 5, 3])
        parts = g.add("Squeeze", [g.add("Slice", [values, g.constant([0]), g.constant([1]), g.constant([1])]),
                                  g.constant([1])])
        g.output(g.add("ScatterND", [x, rows, parts], name=f"slices.{reduction}", **own), [4, 5, 3])
    g.output(g.add("GatherND", [x, rows], name="gathered"), [2, 3])
    pairs = g.weight("pairs", numpy.array([[[1, 2]], [[0, 0]], [[4, 1]], [[-1, -1]]], numpy.int64))
    g.output(g.add("GatherND", [x, pairs], name="batches", batch_dims=1), [4, 1])
    g.output(g.add("ReverseSequence", [x, g.input("lengths", [4], INT64)], name="turned", batch_axis=0, time_axis=1),
             [4, 5, 3])
    return g, {"x": g.random.normal(size=(4, 5, 3)), "values": g.random.normal(size=(2, 3, 3)),
               "places": g.random.integers(-5, 5, size=(2, 3, 3)), "rows": numpy.array([[1, 2], [-1, 0]]),
               "lengths": numpy.array([1, 5, 3, 4])}


def losses():
    """Losses of classes, with weights and an ignored class."""
    g = Builder("losses", 17)
    x, y = g.input("x", [3, 4, 5]), g.input("y", [3, 5], INT64)
    weights = g.numbers("weights", 4, low=0.2)
    for reduction in ("none", "sum", "mean"):
        shape = [3, 5] if reduction == "none" else []
        loss, log = g.add("SoftmaxCrossEntropyLoss", [x, y, weights], 2, name=f"weighted.{reduction}",
                          reduction=reduction, ignore_index=2)
        g.output(loss, shape)
        g.output(g.add("NegativeLogLikelihoodLoss", [log, y], name=f"plain.{reduction}", reduction=reduction), shape)
    return g, {"x": g.random.normal(size=(3, 4, 5)), "y": g.random.integers(0, 4, size=(3, 5))}


def language():
    """Gated units, a convolution over the past, attention as a recurrence, a cache that is written in place."""
    g = Builder("language", 28, ir_version=13)
    x = g.input("x", [2, 5, 12])
    g.output(g.add("SwiGLU", [x, g.add("Neg", [x])], name="swiglu", alpha=1.5), [2, 5, 12])
    sequence, past = g.input("sequence", [2, 3, 6]), g.input("past", [2, 3, 2])
    for name, state in (("first", ""), ("next", past)):
        y, last = g.add("CausalConvWithState", [
            sequence, g.numbers(f"{name}.w", 3, 1, 3), g.numbers(f"{name}.b", 3), state], 2, name=name, activation="silu")
        g.output(y, [2, 3, 6])
        g.output(g.add("Identity", [last], name=f"{name}.state"), [2, 3, 2])
    keys = g.input("keys", [2, 5, 6])
    decay, rate = g.add("Neg", [g.add("Abs", [keys])]), g.add("Sigmoid", [g.add("Slice", [
        keys, g.constant([0]), g.constant([2]), g.constant([2])])])
    state = g.input("state", [2, 2, 3, 3])
    for rule, extra in (("linear", ["", ""]), ("gated", [decay, ""]), ("delta", ["", rate]),
                        ("gated_delta", [decay, rate])):
        y, last = g.add("LinearAttention", [x, keys, keys, state, *extra], 2, name=rule, update_rule=rule,
                        q_num_heads=4, kv_num_heads=2)
        g.output(y, [2, 5, 12])
        g.output(g.add("Identity", [last], name=f"{rule}.state"), [2, 2, 3, 3])
    cache = g.input("cache", [2, 1, 7, 3])
    new = g.add("Reshape", [keys, g.constant([2, 1, 10, 3])])
    new = g.add("Slice", [new, g.constant([0]), g.constant([3]), g.constant([2])])
    for mode, start in (("linear", [4, 1]), ("circular", [6, 3])):
        g.output(g.add("TensorScatter", [cache, new, g.integers(mode + ".start", start)], name=f"cache.{mode}", mode=mode),
                 [2, 1, 7, 3])
    sizes = {"x": (2, 5, 12), "sequence": (2, 3, 6), "past": (2, 3, 2), "keys": (2, 5, 6), "state": (2, 2, 3, 3),
             "cache": (2, 1, 7, 3)}
    return g, {name: g.random.normal(size=size) for name, size in sizes.items()}


language.is_by_onnx = True  # newer than onnxruntime


def geometry():
    """Affine grids, images of blocks, cropping around the centre, regions, wide filters, lists of tensors."""
    g = Builder("geometry", 20, ir_version=10)
    x = g.input("x", [2, 4, 9, 8])
    theta = g.input("theta", [2, 2, 3])
    for corners in (0, 1):
        g.output(g.add("AffineGrid", [theta, g.constant([2, 4, 3, 5])], name=f"grid{corners}", align_corners=corners),
                 [2, 3, 5, 2])
    columns = g.add("Reshape", [x, g.constant([2, 24, 12])])
    g.output(g.add("Col2Im", [columns, g.constant([9, 6]), g.constant([2, 3])], name="image", strides=[2, 2],
                   pads=[0, 1, 0, 0]), [2, 4, 9, 6])
    g.output(g.add("CenterCropPad", [x, g.constant([12, 5])], name="centre", axes=[2, 3]), [2, 4, 12, 5])
    regions = g.weight("regions", numpy.array([[0, 0, 6, 6], [-3, 2, 5.5, 12], [1.2, 3.4, 1.5, 3.6]], numpy.float32))
    for mode in ("half_pixel", "output_half_pixel"):
        g.output(g.add("RoiAlign", [x, regions, g.integers(mode, [0, 1, 1])], name=f"regions.{mode}", output_height=3,
                       output_width=2, sampling_ratio=2, spatial_scale=0.9, coordinate_transformation_mode=mode),
                 [3, 4, 3, 2])
    roi = g.weight("roi", numpy.array([0, 0, 0.3, -0.2, 1, 1, 0.8, 0.9], numpy.float32))
    g.output(g.add("Resize", [x, roi, "", g.constant([2, 4, 5, 7])], name="region", mode="linear",
                   coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=7.5), [2, 4, 5, 7])
    parts = g.add("SplitToSequence", [x, g.constant(3)], axis=2)
    last = g.add("SequenceAt", [parts, g.constant(-1)])
    longer = g.add("SequenceInsert", [g.add("SequenceErase", [parts, g.constant(0)]), last, g.constant(0)])
    g.output(g.add("ConcatFromSequence", [longer], name="joined", axis=2), [2, 4, 9, 8])
    g.output(g.add("ConcatFromSequence", [parts], name="stacked", axis=0, new_axis=1), [3, 2, 4, 3, 8])
    g.output(g.add("SequenceLength", [parts], name="count"), [], INT64)
    return g, {"x": g.random.normal(size=(2, 4, 9, 8)), "theta": g.random.normal(size=(2, 2, 3))}


def spectra():
    """Fourier transforms of any axis, both ways, and windows."""
    g = Builder("spectra", 20, ir_version=10)
    x, z = g.input("x", [2, 6, 3, 1]), g.input("z", [2, 6, 3, 2])
    for name, value, inverse, onesided, length, count in (
            ("real", x, 0, 0, 6, 6), ("half", x, 0, 1, 6, 4), ("complex", z, 0, 0, 5, 5), ("padded", z, 0, 0, 8, 8),
            ("inverse", z, 1, 0, 6, 6)):
        g.output(g.add("DFT", [value, g.constant(length), g.constant(1)], name=name, inverse=inverse, onesided=onesided),
                 [2, count, 3, 2])
    for kind in ("HannWindow", "HammingWindow", "BlackmanWindow"):
        for periodic in (0, 1):
            window = g.add(kind, [g.constant(6)], periodic=periodic)
            column = g.add("Reshape", [window, g.constant([1, 6, 1, 1])])
            g.output(g.add("Mul", [x, column], name=f"{kind}.{periodic}"), [2, 6, 3, 1])
    return g, {"x": g.random.normal(size=(2, 6, 3, 1)), "z": g.random.normal(size=(2, 6, 3, 2))}


spectra.is_by_onnx = True  # onnxruntime transforms the axis before the last only


def selections():
    """Elements and boxes of which as many remain as their values tell, sizes that follow, branches on a condition."""
    g = Builder("selections", 17)
    x, y = g.input("x", [6, 5]), g.input("y", ["n", 4])
    positive = g.add("Greater", [x, g.constant(0.3, numpy.float32)])
    places = g.add("NonZero", [positive], name="places")
    g.output(places, [2, None], INT64)
    chosen = g.add("GatherND", [x, g.add("Transpose", [places], perm=[1, 0])], name="chosen")
    g.output(chosen, [None])
    count = g.add("Gather", [g.add("Shape", [chosen]), g.constant(0)], name="count")
    g.output(count, [], INT64)
    g.output(g.add("Range", [g.constant(3), count, g.constant(2)], name="numbers"), [None], INT64)
    sums = g.add("ReduceSum", [x, g.constant([1])], keepdims=0)
    rows = g.add("Compress", [x, g.add("Greater", [sums, g.constant(0.0, numpy.float32)])], axis=0)
    g.output(g.add("Relu", [g.dense(rows, 5, 3)], name="dense"), [None, 3])
    g.output(g.add("Compress", [x, g.weight("mask", [True, False, True, True])], name="elements"), [3])
    whole = g.add("Round", [y])
    for ordered in (0, 1):
        values = g.add("Unique", [whole], 4, name=f"unique{ordered}", sorted=ordered)
        for value, kind in zip(values, (FLOAT, INT64, INT64, INT64)):
            g.output(g.add("Identity", [value], name=f"{value}.{ordered}"), [None], kind)
    pairs = g.add("Slice", [g.add("Clip", [whole, g.constant(-1.0, numpy.float32), g.constant(1.0, numpy.float32)]),
                            g.constant([0]), g.constant([2]), g.constant([1])])
    values = g.add("Unique", [pairs], 4, name="rows", axis=0)
    g.output(values[0], [None, 2])
    g.output(g.add("Identity", [values[2]], name="rows.inverse"), [None], INT64)
    ones = g.add("ConstantOfShape", [g.add("Concat", [g.add("Unsqueeze", [count, g.constant([0])]), g.constant([2])], axis=0)],
                 value=numpy_helper.from_array(numpy.array([1.5], numpy.float32)))
    g.output(g.add("Add", [ones, g.add("Unsqueeze", [chosen, g.constant([1])])], name="filled"), [None, 2])
    boxes = g.add("Unsqueeze", [g.add("Abs", [y]), g.constant([0])])
    scores = g.add("Unsqueeze", [g.add("Transpose", [g.add("Slice", [y, g.constant([1]), g.constant([4]), g.constant([1])])]),
                                 g.constant([0])])
    limits = [g.integers("limit", [4]), g.weight("overlap", numpy.float32([0.3])), g.weight("least", numpy.float32([-0.5]))]
    for centred in (0, 1):
        found = g.add("NonMaxSuppression", [boxes, scores, *limits], name=f"found{centred}", center_point_box=centred)
        g.output(found, [None, 3], INT64)
        columns = g.add("Slice", [found, g.constant([2]), g.constant([3]), g.constant([1])])
        kept = g.add("Gather", [y, g.add("Squeeze", [columns, g.constant([1])])], name=f"boxes{centred}")
        g.output(kept, [None, 4])
    branches = []
    for name, operation in (("then", "Mul"), ("else", "Sub")):
        result = helper.make_tensor_value_info(name, FLOAT, [6, 5])
        branches.append(helper.make_graph([helper.make_node(operation, ["x", "x"], [name])], name, [], [result]))
    condition = g.add("Greater", [g.add("ReduceSum", [x], keepdims=0), g.constant(0.0, numpy.float32)])
    g.output(g.add("If", [condition], name="branch", then_branch=branches[0], else_branch=branches[1]), [6, 5])
    g.output(g.add("Trilu", [g.add("MatMul", [y, g.add("Transpose", [y])])], name="triangle", upper=0), ["n", "n"])
    return g, {"x": g.random.normal(size=(6, 5)), "y": g.random.normal(size=(9, 4)) * 1.5}


def positions():
    """Positions of largest elements in rows and columns, elements put back to them, integers in windows."""
    g = Builder("positions", 12)
    x, cube = g.input("x", ["n", 3, 9, 8]), g.input("cube", [2, 2, 5, 4, 6])
    for order in (0, 1):
        values, places = g.add("MaxPool", [x], 2, name=f"largest{order}", kernel_shape=[3, 2], strides=[2, 3],
                               pads=[1, 0, 1, 1], storage_order=order)
        g.output(values, ["n", 3, 5, 3])
        g.output(g.add("Identity", [places], name=f"places{order}"), ["n", 3, 5, 3], INT64)
    values, places = g.add("MaxPool", [cube], 2, name="cubes", kernel_shape=[2, 3, 2], strides=[2, 1, 3], storage_order=1)
    g.output(g.add("Identity", [places], name="cubes.places"), [2, 2, 2, 2, 2], INT64)
    values, places = g.add("MaxPool", [x], 2, kernel_shape=[3, 2], strides=[3, 2])
    g.output(g.add("MaxUnpool", [values, places], name="back", kernel_shape=[3, 2], strides=[3, 2]), ["n", 3, 9, 8])
    values, places = g.add("MaxPool", [cube], 2, kernel_shape=[1, 2, 2], strides=[1, 2, 2], dilations=[1, 1, 3])
    g.output(g.add("Identity", [places], name="dilated.places"), [2, 2, 5, 2, 2], INT64)
    for kind, name in ((TensorProto.INT8, "int8"), (TensorProto.UINT8, "uint8")):
        whole = g.add("Cast", [g.add("Mul", [x, g.constant(40.0, numpy.float32)])], to=TensorProto.INT32)
        part = g.add("Cast", [g.add("Abs", [whole]) if name == "uint8" else whole], to=kind)
        g.output(g.add("MaxPool", [part], name=name, kernel_shape=[3, 3], pads=[1, 1, 1, 1]), ["n", 3, 9, 8], kind)
    return g, {"x": g.random.normal(size=(2, 3, 9, 8)), "cube": g.random.normal(size=(2, 2, 5, 4, 6))}


def equations():
    """Einsum with diagonals, ellipses that broadcast, three factors and no arrow; determinants; regions of any kind."""
    g = Builder("equations", 16)
    a, b, c = g.input("a", [3, 4, 4]), g.input("b", [3, 4, 5]), g.input("c", [1, 5, 2])
    regions = g.input("regions", ["n", 4])
    for name, equation, inputs, shape in (
            ("diagonal", "...ii->...i", [a], [3, 4]), ("trace", "bii", [a], [3]), ("both", "bij, bjk->bk", [a, b], [3, 5]),
            ("three", "bij,bjk,ckl->bil", [a, b, c], [3, 4, 2]), ("dots", "...ij,...jk->...ik", [b, c], [3, 4, 2]),
            ("alone", "b i j -> j", [a], [4]), ("inner", "bij,bij", [a, a], []), ("swapped", "bij->jbi", [b], [5, 3, 4])):
        g.output(g.add("Einsum", inputs, name=name, equation=equation), shape)
    g.output(g.add("Det", [a], name="determinants"), [3])
    singular = g.add("Mul", [a, g.constant([[[1.0, 0, 1, 1]]], numpy.float32)])
    g.output(g.add("Det", [singular], name="singular"), [3])
    images = g.add("Reshape", [b, g.constant([1, 2, 5, 6])])
    for mode, ratio in (("avg", 0), ("max", 2), ("avg", 3)):
        for kind in ("half_pixel", "output_half_pixel"):
            indices = g.add("Mul", [g.add("Shape", [c], start=0, end=1), g.constant([0])])
            indices = g.add("Expand", [indices, g.add("Shape", [regions], start=0, end=1)])
            g.output(g.add("RoiAlign", [images, regions, indices], name=f"{mode}{ratio}.{kind}", mode=mode, output_height=2,
                           output_width=3, sampling_ratio=ratio, coordinate_transformation_mode=kind), ["n", 2, 2, 3])
    return g, {"a": g.random.normal(size=(3, 4, 4)), "b": g.random.normal(size=(3, 4, 5)),
               "c": g.random.normal(size=(1, 5, 2)),
               "regions": numpy.array([[0, 0, 5, 4], [-2.3, 1.1, 3.2, 9.7], [1.2, 2.1, 1.6, 2.4], [0.5, -8, 5.8, 22], [4, 4, 3, 5]])}


def deformed():
    """Convolutions at computed places, with groups, factors and strides; statistics of the batch."""
    g = Builder("deformed", 19, ir_version=9)
    x = g.input("x", ["n", 4, 6, 5])
    offsets, factors = g.input("offsets", ["n", 24, 5, 4]), g.input("factors", ["n", 12, 5, 4])
    bias = g.numbers("bias", 6)
    g.output(g.add("DeformConv", [x, g.numbers("weights", 6, 2, 3, 2), offsets, bias, factors], name="groups", group=2,
                   offset_group=2, pads=[1, 0, 0, 0], kernel_shape=[3, 2]), ["n", 6, 5, 4])
    half = g.add("Slice", [offsets, g.constant([0]), g.constant([8]), g.constant([1])])
    half = g.add("Slice", [half, g.constant([0, 0]), g.constant([2, 2]), g.constant([2, 3])])
    g.output(g.add("DeformConv", [x, g.numbers("others", 3, 4, 2, 2), half], name="strides", strides=[3, 2],
                   dilations=[1, 2], pads=[0, 0, 0, 1], kernel_shape=[2, 2]), ["n", 3, 2, 2])
    weights = [g.numbers("scale", 4), g.numbers("offset", 4), g.numbers("mean", 4), g.numbers("variance", 4, low=0.5)]
    y, mean, variance = g.add("BatchNormalization", [x, *weights], 3, name="normalized", training_mode=1, momentum=0.7,
                              epsilon=0.01)
    g.output(y, ["n", 4, 6, 5])
    g.output(g.add("Identity", [mean], name="running_mean"), [4])
    g.output(g.add("Identity", [variance], name="running_variance"), [4])
    sizes = {"x": (2, 4, 6, 5), "offsets": (2, 24, 5, 4), "factors": (2, 12, 5, 4)}
    return g, {name: g.random.normal(size=size) for name, size in sizes.items()}


deformed.is_by_onnx = True  # onnxruntime has no such convolution for float32, nor statistics of the batch


def scans():
    """The loop of opset 8, which has a batch, and statistics of each element (spatial=0)."""
    g = Builder("scans", 8, 4)
    state, x = g.input("state", [2, 3]), g.input("x", [2, 4, 3])
    values = [helper.make_tensor_value_info(name, FLOAT, [3]) for name in ("s", "e", "t", "out")]
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "e"], ["t"]), helper.make_node("Mul", ["t", "e"], ["out"])], "body",
        values[:2], values[2:])
    last, steps = g.add("Scan", ["", state, x], 2, name="last", body=body, num_scan_inputs=1)
    g.output(last, [2, 3])
    g.output(g.add("Identity", [steps], name="steps"), [2, 4, 3])
    back = g.add("Scan", ["", state, x], 2, body=body, num_scan_inputs=1, directions=[1])
    g.output(g.add("Identity", [back[0]], name="back"), [2, 3])
    weights = [g.numbers(name, 4, 3) for name in ("scale", "offset", "mean")]
    g.output(g.add("BatchNormalization", [x, *weights, g.numbers("variance", 4, 3, low=0.5)], name="elements", spatial=0),
             [2, 4, 3])
    g.opsets = [helper.make_opsetid("", 8)]
    return g, {"state": g.random.normal(size=(2, 3)), "x": g.random.normal(size=(2, 4, 3))}


def frames():
    """Spectra of frames with any window and both sides of them, bands in mel, windows of computed sizes."""
    g = Builder("frames", 17)
    x = g.input("x", [2, 20, 1])
    window = g.numbers("window", 8, low=0.2)
    for name, sides, inputs, count in (
            ("one", 1, [x, g.constant(3), window], 5), ("both", 0, [x, g.constant(3), window], 8),
            ("plain", 0, [x, g.constant(5), "", g.constant(7)], 7)):
        g.output(g.add("STFT", inputs, name=name, onesided=sides), [2, None, count, 2])
    bands = g.add("MelWeightMatrix", [g.constant(4), g.constant(16), g.constant(8000), g.constant(50.0, numpy.float32),
                                      g.constant(3900.0, numpy.float32)])
    power = g.add("ReduceSumSquare", [g.add("STFT", [x, g.constant(4), "", g.constant(16)])], axes=[3], keepdims=0)
    g.output(g.add("MatMul", [power, bands], name="bands"), [2, None, 4])
    count = g.add("Gather", [g.add("Shape", [g.add("NonZero", [x])]), g.constant(1)])
    for kind in ("HannWindow", "BlackmanWindow"):
        g.output(g.add(kind, [count], name=kind), [None])
    return g, {"x": g.random.normal(size=(2, 20, 1))}


frames.is_unchecked = True  # the checker takes the bands for the frequencies


def computed():
    """Slices, borders, repetitions, the largest elements and shapes by numbers that are inputs or follow from open sizes."""
    g = Builder("computed", 18)
    x, y = g.input("x", [4, 5, 6]), g.input("y", ["n", "m", 3])
    lower, upper = g.input("lower", [2], INT64), g.input("upper", [2], INT64)
    pads, counts = g.input("pads", [4], INT64), g.input("counts", [3], INT64)
    g.output(g.add("Slice", [x, lower, upper, g.constant([0, 2])], name="forward"), [None, 5, None])
    g.output(g.add("Slice", [x, upper, lower, g.constant([1, -1]), g.constant([-1, -2])], name="backward"), [4, None, None])
    g.output(g.add("Slice", [x, g.constant([1]), g.add("Slice", [upper, g.constant([0]), g.constant([1])])], name="half"),
             [None, 5, 6])
    for mode in ("constant", "edge"):
        value = [g.constant(0.5, numpy.float32)] if mode == "constant" else [""]
        g.output(g.add("Pad", [x, pads, *value, g.constant([0, 2])], name=f"pad.{mode}", mode=mode), [None, 5, None])
    g.output(g.add("Tile", [x, counts], name="tile"), [None, None, None])
    k = g.add("Slice", [counts, g.constant([0]), g.constant([1])])
    values, places = g.add("TopK", [x, k], 2, name="largest", axis=1)
    g.output(values, [4, None, 6])
    g.output(g.add("Identity", [places], name="places"), [4, None, 6], INT64)
    g.output(g.add("Reshape", [x, g.add("Add", [g.add("Mul", [counts, g.constant([1, 0, 0])]), g.constant([0, 0, -1])])],
                   name="shape"), [None, None, None])
    sizes = g.add("Shape", [y])
    turned = g.add("Gather", [sizes, g.constant([1, 2, 0])])
    g.output(g.add("Reshape", [y, turned], name="turned"), ["m", 3, "n"])
    g.output(g.add("Flatten", [y], name="flat", axis=2), [None, 3])
    g.output(g.add("Size", [y], name="size"), [], INT64)
    g.output(g.add("Reshape", [y, g.add("ReduceProd", [sizes])], name="list"), [None])
    g.output(g.add("Expand", [g.constant([[[1.0], [2.0]]], numpy.float32), counts], name="expanded"), [None, 2, None])
    g.output(g.add("Trilu", [x, g.add("Squeeze", [k])], name="triangle"), [4, 5, 6])
    return g, {"x": g.random.normal(size=(4, 5, 6)), "y": g.random.normal(size=(4, 2, 3)),
               "lower": numpy.array([-3, 1]), "upper": numpy.array([3, 2**40]), "pads": numpy.array([2, -1, 1, 3]),
               "counts": numpy.array([2, 1, 3])}


def steps():
    """What onnxruntime's quantizer writes for tensors in steps: QLinearAdd, QLinearConcat, QGemm and others."""
    g = Builder("steps", 17)
    g.opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]

    def steps_of(name, scale, zero, kind=numpy.uint8):
        return [g.weight(f"{name}.scale", numpy.array(scale, numpy.float32)),
                g.weight(f"{name}.zero", numpy.array(zero, kind))]

    def own(operation, *inputs, **attributes):
        return g.add(operation, list(inputs), domain="com.microsoft", **attributes)

    def whole(name, *shape, kind=numpy.int8):
        return g.weight(name, g.random.integers(-90, 90, shape).astype(kind))

    x, wide, narrow = g.input("image", [2, 3, 8, 8]), steps_of("wide", 1 / 16, 120), steps_of("narrow", 1 / 32, 30)
    image = g.add("QuantizeLinear", [x, *wide])
    first = g.add("QLinearConv", [
        image, *wide, whole("first.weight", 8, 3, 3, 3), *steps_of("first", 1 / 256, 0, numpy.int8), *wide,
        whole("first.bias", 8, kind=numpy.int32)], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    bent = own("QLinearLeakyRelu", first, *wide, *narrow, alpha=0.25)
    total = own("QLinearAdd", first, *wide, bent, *narrow, *wide)
    product = own("QLinearMul", total, *wide, bent, *narrow, *wide)
    soft = own("QLinearSigmoid", first, *wide, *steps_of("soft", 1 / 256, 0))
    joined = own("QLinearConcat", *wide, product, *wide, soft, "soft.scale", "soft.zero", axis=1)
    pooled = own("QLinearGlobalAveragePool", joined, *wide, *narrow)
    flat = g.add("Flatten", [pooled])
    for name, last in (("numbers", []), ("rounded", steps_of("last", 1 / 8, 125))):
        kernel = whole(f"{name}.weight", 16, 5) if last else whole(f"{name}.weight", 5, 16)
        y = own("QGemm", flat, *narrow, kernel, *steps_of(name, [1 / 64] * 5, [0] * 5, numpy.int8),
                whole(f"{name}.bias", 5, kind=numpy.int32), *last, transB=0 if last else 1, alpha=1.0)
        g.output(g.add("DequantizeLinear" if last else "Identity", [y, *last], name=f"{name}.y"), [2, 5])
    larger = g.add("Resize", [joined, "", g.weight("factors", numpy.array([1, 1, 2, 2], numpy.float32))],
                   mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    larger = g.add("MaxPool", [larger], kernel_shape=[3, 3], strides=[2, 2])
    g.output(g.add("DequantizeLinear", [larger, *wide], name="larger"), [2, 16, 7, 7])
    return g, {"image": g.random.integers(-100, 100, (2, 3, 8, 8)) / 32}


def parts():
    """Parts of computed sizes, vectors of computed length and values for indices, and images resized to computed sizes."""
    g = Builder("parts", 18)
    x, sizes = g.input("x", ["n", 4]), g.input("sizes", [3], INT64)
    for position, part in enumerate(g.add("Split", [x, sizes], 3, axis=0)):
        g.output(g.add("Identity", [part], name=f"part_{position}"), [None, 4])
    indices, depth, values = g.input("indices", [2, 3], INT64), g.input("depth", [], INT64), g.input("values", [2])
    for axis in (-1, 1):
        shape = [2, 3, None] if axis == -1 else [2, None, 3]
        g.output(g.add("OneHot", [indices, depth, values], name=f"hot_{axis}", axis=axis), shape)
    g.output(g.add("OneHot", [indices, g.constant(4), values], name="chosen", axis=0), [4, 2, 3])
    g.output(g.add("OneHot", [indices, g.add("Gather", [sizes, g.constant([0])]), g.constant([0, 7])], name="counted"),
             [2, 3, None], INT64)
    image, small = g.input("image", [1, 2, "h", "w"]), g.input("small", [1, 3, "k", "l"])
    shape, own = g.add("Shape", [small], start=2), g.add("Shape", [image], end=2)
    whole = g.add("Concat", [own, shape], axis=0)
    for mode, place, rule in (
            ("nearest", "asymmetric", "floor"), ("nearest", "half_pixel", "round_prefer_ceil"),
            ("nearest", "align_corners", "round_prefer_floor"), ("nearest", "half_pixel", "ceil"),
            ("linear", "half_pixel", "floor"), ("linear", "pytorch_half_pixel", "floor"), ("linear", "align_corners", "floor"),
            ("linear", "asymmetric", "floor")):
        g.output(g.add("Resize", [image, "", "", whole], name=f"{mode}.{place}.{rule}", mode=mode, nearest_mode=rule,
                       coordinate_transformation_mode=place), [1, 2, None, None])
    factors = g.input("factors", [2])
    g.output(g.add("Resize", [image, "", factors], name="scaled", mode="linear", axes=[3, 2]), [1, 2, None, None])
    g.output(g.add("Conv", [g.add("Resize", [image, "", g.add("Concat", [g.constant([1.0, 1.0], numpy.float32), factors],
                                                                axis=0)], mode="nearest"), g.numbers("kernel", 2, 2, 3, 3)],
                   name="filtered"), [1, 2, None, None])
    return g, {"image": g.random.normal(size=(1, 2, 5, 7)), "small": g.random.normal(size=(1, 3, 8, 4)),
               "factors": numpy.array([1.7, 0.6]), "x": g.random.normal(size=(6, 4)), "sizes": numpy.array([3, 0, 3]), "depth": numpy.array(5),
               "indices": numpy.array([[0, -1, 2], [4, 9, -5]]), "values": numpy.array([-1.5, 2.5])}


def tokens():
    """Attention as PyTorch exports it, with the batch as second axis; windows of an image; a state of zeros for each example."""
    g = Builder("tokens", 17)
    x, image = g.input("x", ["n", 5, 8]), g.input("image", ["n", 4, 6, 6])
    turned = g.add("Transpose", [x], perm=[1, 0, 2])
    wide = g.add("Add", [g.numbers("qkv.bias", 24), g.add("MatMul", [turned, g.numbers("qkv", 8, 24)])])
    parts = g.add("Unsqueeze", [g.add("Reshape", [wide, g.constant([5, -1, 3, 8])]), g.constant([0])])
    parts = g.add("Squeeze", [g.add("Transpose", [parts], perm=[3, 1, 2, 0, 4]), g.constant([3])])
    heads = []
    for part in range(3):
        one = g.add("Gather", [parts, g.constant(part)], axis=0)
        one = g.add("Transpose", [g.add("Reshape", [one, g.constant([5, -1, 4])])], perm=[1, 0, 2])
        heads.append(g.add("Reshape", [one, g.constant([-1, 2, 5, 4])]))
    scores = g.add("MatMul", [heads[0], g.add("Transpose", [heads[1]], perm=[0, 1, 3, 2])])
    mixed = g.add("MatMul", [g.add("Softmax", [scores], axis=-1), heads[2]])
    rows = g.add("Reshape", [g.add("Transpose", [mixed], perm=[2, 0, 1, 3]), g.constant([-1, 8])])
    back = g.add("Transpose", [g.add("Reshape", [g.dense(rows, 8, 8), g.constant([5, -1, 8])])], perm=[1, 0, 2])
    back = g.add("Add", [x, back], name="attention")
    g.output(back, ["n", 5, 8])
    last = g.add("Transpose", [image], perm=[0, 2, 3, 1])
    windows = g.add("Transpose", [g.add("Reshape", [last, g.constant([-1, 2, 3, 2, 3, 4])])], perm=[0, 1, 3, 2, 4, 5])
    windows = g.add("Reshape", [windows, g.constant([-1, 9, 4])])
    windows = g.add("LayerNormalization", [windows, g.numbers("scale", 4), g.numbers("offset", 4)], axis=-1)
    products = g.add("MatMul", [windows, g.add("Transpose", [windows], perm=[0, 2, 1])])
    products = g.add("Add", [products, g.numbers("bias", 1, 9, 9)])
    windows = g.add("Relu", [g.add("MatMul", [g.add("Softmax", [products]), windows])])
    whole = g.add("Transpose", [g.add("Reshape", [windows, g.constant([-1, 2, 2, 3, 3, 4])])], perm=[0, 1, 3, 2, 4, 5])
    g.output(g.add("Reshape", [whole, g.constant([-1, 6, 6, 4])], name="windows"), ["n", 6, 6, 4])
    count = g.add("Shape", [back], end=1)
    zeros = g.add("ConstantOfShape", [g.add("Concat", [g.constant([4]), count, g.constant([3])], axis=0)])
    state = g.add("Slice", [zeros, g.constant([0]), g.constant([1]), g.constant([0])])
    steps, _ = g.add("GRU", [g.add("Transpose", [back], perm=[1, 0, 2]), g.numbers("gru.w", 1, 9, 8), g.numbers("gru.r", 1, 9, 3),
                             g.numbers("gru.b", 1, 18), "", state], 2, hidden_size=3, linear_before_reset=1)
    g.output(g.add("Transpose", [g.add("Squeeze", [steps, g.constant([1])])], name="steps", perm=[1, 0, 2]), ["n", 5, 3])
    return g, {"x": g.random.normal(size=(2, 5, 8)), "image": g.random.normal(size=(2, 4, 6, 6))}


def strides():
    """Views by strides as sums of ranges: of all elements, also in another order, and of some."""
    g = Builder("strides", 18)
    x = g.input("x", ["n", 4, 3, 5])
    count = g.add("Squeeze", [g.add("Shape", [x], end=1)])

    def view(value, sizes, steps, first=0, name=None):
        indices = g.constant(first)
        for axis, (size, step) in enumerate(zip(sizes, steps)):
            numbers = g.add("Range", [g.constant(0), size if isinstance(size, str) else g.constant(size), g.constant(1)])
            ones = [1] * len(sizes)
            ones[axis] = -1
            indices = g.add("Add", [indices, g.add("Reshape", [g.add("Mul", [numbers, g.constant(step)]), g.constant(ones)])])
        return g.add("Gather", [g.add("Reshape", [value, g.constant([-1])]), indices], name=name)

    mean = g.add("ReduceMean", [x, g.constant([2, 3])], keepdims=1)
    g.output(view(mean, (count, 4, 1, 1), (4, 1, 4, 4), name="mean"), ["n", 4, 1, 1])
    g.output(view(x, (count, 5, 1, 4, 3), (60, 1, 7, 15, 5), name="turned"), ["n", 5, 1, 4, 3])
    g.output(view(x, (count, 3, 2), (60, 15, 4), 2, name="some"), ["n", 3, 2])
    g.output(view(x, (count, 4, 3, 5), (0, 15, 5, 1), name="repeated"), ["n", 4, 3, 5])
    return g, {"x": g.random.normal(size=(2, 4, 3, 5))}


def decided():
    """Loops, branches and scans that only the numbers and sizes of the inputs decide."""
    g = Builder("decided", 17)
    x, count = g.input("x", ["n", 4]), g.input("count", [], INT64)
    bool_, started = TensorProto.BOOL, []

    def body(name, inputs, make):
        """The body of a node; `make` gets a builder and the inputs, and returns values with their types and shapes."""
        started.append(name)
        inner = Builder(name, 17)
        inner.random, inner.count = g.random, 100 * len(started)
        values = [inner.input(f"{name}_{key}", shape, kind) for key, shape, kind in inputs]
        for position, (value, kind, *shape) in enumerate(make(inner, *values)):
            output = inner.add("Identity", [value], name=f"{name}_output_{position}")
            inner.output(output, shape[0] if shape else None, kind)
        return helper.make_graph(inner.nodes, name, inner.inputs, inner.outputs, inner.weights)

    def number(b, value):
        return b.constant(value, numpy.float32)

    def total(b, value):
        return b.add("ReduceSum", [value], keepdims=0)

    def loop(b, name, inputs, states, make, lists=0):
        kinds = [("number", [], INT64), ("going", [], bool_)] + [(f"state_{i}", None, FLOAT) for i in range(states)]
        return b.add("Loop", inputs, states + lists, name=name, body=body(f"{name}.body", kinds, make))

    weight = g.numbers("weight", 4, 4)

    def grow(b, step, going, state):
        grown = b.add("Tanh", [b.add("Add", [b.add("MatMul", [state, weight]), b.add("Cast", [step], to=FLOAT)])])
        return [(going, bool_), (grown, FLOAT), (b.add("ReduceSum", [grown, b.constant([0])], keepdims=0), FLOAT, [4])]

    none = g.add("Sub", [count, count])
    yes = g.constant(True, numpy.bool_)
    for name, steps in (("counted", count), ("nothing", none)):
        state, sums = loop(g, name, [steps, "", x], 1, grow, 1)
        g.output(state, ["n", 4])
        g.output(g.add("Identity", [sums], name=f"{name}.sums"), [None, 4])

    def halve(b, step, going, state):
        half = b.add("Mul", [state, number(b, 0.5)])
        return [(b.add("Greater", [total(b, b.add("Abs", [half])), number(b, 0.3)]), bool_), (half, FLOAT), (step, INT64)]

    for name, steps in (("until", ""), ("either", count), ("limited", g.constant(2000))):
        state, steps = loop(g, name, [steps, yes, x], 1, halve, 1)
        g.output(state, ["n", 4])
        g.output(g.add("Identity", [steps], name=f"{name}.steps"), [None], INT64)

    def append(b, step, going, state):
        return [(going, bool_), (b.add("Concat", [state, x], axis=0), FLOAT)]

    g.output(loop(g, "growing", [count, "", x], 1, append), [None, 4])

    def outer(b, step, going, state):
        def inner(c, place, on, value):
            factor = c.add("Cast", [c.add("Add", [place, step])], to=FLOAT)
            moved = c.add("Sub", [value, c.add("Mul", [factor, number(c, 0.25)])])
            return [(c.add("Less", [place, c.constant(2)]), bool_), (moved, FLOAT)]

        changed = loop(b, "within", [b.add("Add", [step, b.constant(1)]), "", state], 1, inner)

        def half(name, factor):
            return body(name, [], lambda c: [(c.add("Mul", [changed, number(c, factor)]), FLOAT)])

        chosen = b.add("If", [b.add("Greater", [total(b, changed), number(b, 0.0)])],
                       then_branch=half("more", 0.5), else_branch=half("less", -0.75))
        return [(going, bool_), (chosen, FLOAT)]

    g.output(loop(g, "nested", [count, "", x], 1, outer), ["n", 4])

    def branch(name, make):
        return body(name, [], lambda b: [(make(b), FLOAT)])

    def rows(b, start, end):
        return b.add("Slice", [x, b.constant([start]), b.constant([end])])

    size = g.add("Gather", [g.add("Shape", [x]), g.constant(0)])
    positive = g.add("Greater", [total(g, x), number(g, 0.0)])
    for name, condition in (("if_positive", positive), ("if_negative", g.add("Not", [positive])),
                            ("if_large", g.add("Greater", [size, g.constant(2)]))):
        value = g.add("If", [condition], name=name, then_branch=branch(f"{name}.then", lambda b: rows(b, 0, 1)),
                      else_branch=branch(f"{name}.else", lambda b: b.add("Concat", [x, x], axis=0)))
        g.output(value, [None, 4])
    # There is no such row: only the branch that is chosen may be computed.
    far = g.add("Add", [size, count])
    there = g.add("Less", [far, size])
    value = g.add("If", [there], name="if_there", then_branch=branch("there.then", lambda b: b.add("Gather", [x, far])),
                  else_branch=branch("there.else", lambda b: b.add("ReduceSum", [x, b.constant([0])], keepdims=0)))
    g.output(value, [4])

    def scanned(b, state, row, mirrored):
        new = b.add("Add", [b.add("Mul", [state, number(b, 0.5)]), row])
        return [(new, FLOAT), (b.add("Sub", [new, mirrored]), FLOAT), (b.add("Neg", [new]), FLOAT)]

    scan = body("scan.body", [("state", [4], FLOAT), ("row", [4], FLOAT), ("mirrored", [4], FLOAT)], scanned)
    values = g.add("Scan", [g.numbers("start", 4), x, g.add("Transpose", [x])], 3, name="scan", body=scan, num_scan_inputs=2,
                   scan_input_axes=[0, 1], scan_input_directions=[0, 1], scan_output_axes=[0, -1], scan_output_directions=[1, 0])
    for position, (value, shape) in enumerate(zip(values, ([4], ["n", 4], [4, "n"]))):
        g.output(g.add("Identity", [value], name=f"scan.{position}"), shape)
    return g, {"x": g.random.normal(size=(3, 4)), "count": numpy.array(5)}


NETWORKS = (mobilenet, resnet, vgg, squeezenet, yolo, unet, recurrent, transformer, modern, quantized,
            control, pixels, newest, resized, windows, shapes, places, defaults, narrow, narrow_loops, halves, loops,
            inputless, kernels, early, attention, measures,
            grids, grouped, dynamic, narrow_floats, cells, functions,
            bits, scattered, losses, language, geometry, spectra, selections, positions, equations,
            deformed, scans, frames, computed, steps, parts, tokens, strides,
            decided)


def held(array):
    """An array of a type that NumPy has: integers of 4 bits become uint8."""
    return array.astype(numpy.uint8) if array.dtype.name == "uint4" else array


def main():
    rows = []
    settings = onnxruntime.SessionOptions()
    # As the file says, and not in whole numbers where that is nearly the same.
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    for make in NETWORKS:
        builder, inputs = make()
        name = make.__name__
        rows.append(f"| `{name}` | {builder.opset} | {make.__doc__} |\n")
        if len(sys.argv) > 1 and name not in sys.argv:
            continue
        kinds = {p.name: helper.tensor_dtype_to_np_dtype(p.type.tensor_type.elem_type)
                 for p in builder.inputs}
        inputs = {key: array.astype(kinds[key]) for key, array in inputs.items()}
        model = builder.model()
        if not getattr(make, "is_unchecked", False):
            onnx.checker.check_model(model, full_check=True)
        (HERE / f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))
        if hasattr(make, "judge"):
            model = make.judge()[0].model()
        session = (
            ReferenceEvaluator(model) if getattr(make, "is_by_onnx", False)
            else onnxruntime.InferenceSession(
                model.SerializeToString(), settings, providers=["CPUExecutionProvider"]))
        names = [port.name for port in builder.outputs]
        numpy.savez(HERE / f"{name}.inputs.npz", **{key: held(array) for key, array in inputs.items()})
        numpy.savez(HERE / f"{name}.outputs.npz", **dict(zip(names, map(held, session.run(None, inputs)))))
    (HERE / "README.md").write_text(
        "# ONNX files of others\n\n"
        "Small networks in the forms in which other tools export them, with inputs and the outputs that\n"
        "onnxruntime computed (ONNX's own evaluator for `narrow`, `narrow_loops`, `halves`, `attention`, `grids`,\n"
        "`grouped`, `narrow_floats`, `language`, `spectra` and `deformed`; for `early` and `cells` of the same network in other\n"
        "forms). `record.py` makes them and this text; `Tests/Conversion/ConversionTests/ONNXConversion/ONNXImportTests.swift` reads them.\n\n"
        "| network | opset | what is in it |\n|---|---|---|\n" + "".join(rows))


if __name__ == "__main__":
    main()
