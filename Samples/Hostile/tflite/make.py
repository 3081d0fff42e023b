"""Makes the hostile TFLite files and README.md. Needs ai-edge-litert and flatbuffers; writes beside
itself."""

import io
import pathlib
import struct
import zipfile

import ai_edge_litert.schema_py_generated as schema
import flatbuffers
import numpy

HERE = pathlib.Path(__file__).parent
BUILTIN = schema.BuiltinOperator


def buffer(data=None):
    result = schema.BufferT()
    if data is not None:
        result.data = numpy.frombuffer(data, numpy.uint8)
    return result


def tensor(name, shape, number=0, type=schema.TensorType.FLOAT32, quantization=None):
    result = schema.TensorT()
    result.name, result.shape, result.buffer, result.type = name, shape, number, type
    result.quantization = quantization
    return result


def quantization(scales, zero_points, axis=0):
    result = schema.QuantizationParametersT()
    result.scale, result.zeroPoint = scales, zero_points
    result.quantizedDimension = axis
    return result


def code(number, custom=None, version=1):
    result = schema.OperatorCodeT()
    result.builtinCode = number
    result.deprecatedBuiltinCode = min(number, 127)
    result.version, result.customCode = version, custom
    return result


def operator(inputs, outputs, number=0, options_type=0, options=None):
    result = schema.OperatorT()
    result.opcodeIndex, result.inputs, result.outputs = number, inputs, outputs
    result.builtinOptionsType, result.builtinOptions = options_type, options
    return result


def convolution(**settings):
    options = schema.Conv2DOptionsT()
    options.strideW = options.strideH = 1
    for name, value in settings.items():
        setattr(options, name, value)
    return options


def model(tensors=None, operators=None, codes=None, buffers=None, outputs=(2,), inputs=(0,)):
    """A convolution of 1 x 1 from two channels to three, with what is given in place of its parts."""
    result = schema.ModelT()
    result.version, result.description = 3, "hostile"
    result.operatorCodes = codes or [code(BUILTIN.CONV_2D)]
    result.buffers = buffers or [buffer(), buffer(numpy.ones(6, numpy.float32).tobytes())]
    graph = schema.SubGraphT()
    graph.name = "main"
    graph.tensors = tensors or [
        tensor("x", [1, 4, 4, 2]), tensor("w", [3, 1, 1, 2], 1), tensor("y", [1, 4, 4, 3])]
    graph.inputs, graph.outputs = list(inputs), list(outputs)
    graph.operators = operators or [operator([0, 1], [2], 0, 1, convolution())]
    result.subgraphs = [graph]
    return result


def packed(content):
    builder = flatbuffers.Builder(1024)
    builder.Finish(content.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def unary(number, tensors=None, **settings):
    """An operator of one tensor."""
    return model(tensors or [tensor("x", [1, 4]), tensor("y", [1, 4])],
                 [operator([0], [1], 0, **settings)], [code(number)], outputs=(1,))


def number_at(content, offset):
    return struct.unpack_from("<I", content, offset)[0]


def patched(content, offset, format, value):
    content = bytearray(content)
    struct.pack_into("<" + format, content, offset, value)
    return bytes(content)


def field(content, table, number):
    """The place of a field's value."""
    form = table - struct.unpack_from("<i", content, table)[0]
    return table + struct.unpack_from("<H", content, form + 4 + 2 * number)[0]


def target(content, place):
    return place + number_at(content, place)


PLAIN = packed(model())
ROOT = number_at(PLAIN, 0)


def element(content, table, number, index):
    """The place of the offset of an element of a vector of tables."""
    return target(content, field(content, table, number)) + 4 + 4 * index


class Shared(schema.OperatorT):
    """An operator that is written once, wherever it occurs."""

    place = None

    def Pack(self, builder):
        self.place = self.place or super().Pack(builder)
        return self.place


def shared_tables():
    """Thousands of operators that are all the same table."""
    shared = Shared()
    shared.__dict__.update(operator([0, 1], [2], 0, 1, convolution()).__dict__)
    return packed(model(operators=[shared] * 3000))


def buffers_overlap():
    content = packed(model(buffers=[
        buffer(), buffer(numpy.ones(6, numpy.float32).tobytes()), buffer(bytes(8))]))
    root = number_at(content, 0)
    first = field(content, target(content, element(content, root, 4, 1)), 0)
    second = field(content, target(content, element(content, root, 4, 2)), 0)
    low, high = min(first, second), max(first, second)
    return patched(content, low, "I", target(content, high) - low)


def vector_long():
    graph = target(PLAIN, element(PLAIN, ROOT, 2, 0))
    return patched(PLAIN, target(PLAIN, field(PLAIN, graph, 1)), "I", 0x7FFFFFFF)


def name_bytes():
    return PLAIN.replace(b"hostile", b"host\xffle")


def archive(name):
    result = io.BytesIO()
    result.write(PLAIN)
    with zipfile.ZipFile(result, "a") as file:
        file.writestr(zipfile.ZipInfo(name), "cat\ndog\nfox\n")
    return result.getvalue()


def integers(first=None, second=None, type=schema.TensorType.INT8):
    return packed(model(
        [tensor("x", [1, 4, 4, 2], 0, type, first),
         tensor("w", [3, 1, 1, 2], 1, type, second),
         tensor("y", [1, 4, 4, 3], 0, type, quantization([0.1], [0]))],
        buffers=[buffer(), buffer(bytes(range(6)))]))


def concatenation(axis):
    options = schema.ConcatenationOptionsT()
    options.axis = axis
    return packed(model(
        [tensor("x", [1, 4]), tensor("y", [1, 8])], [operator([0, 0], [1], 0, 10, options)],
        [code(BUILTIN.CONCATENATION)], outputs=(1,)))


def sparse():
    content = model()
    content.subgraphs[0].tensors[1].sparsity = schema.SparsityParametersT()
    return packed(content)


def named_version(version):
    content = model()
    content.version = version
    return packed(content)


def twice():
    content = model()
    content.subgraphs[0].operators = content.subgraphs[0].operators * 2
    return packed(content)


def reshape(shape):
    data = numpy.array(shape, numpy.int32).tobytes()
    return packed(model(
        [tensor("x", [1, 4]), tensor("s", [len(shape)], 1, schema.TensorType.INT32),
         tensor("y", [1, 4])],
        [operator([0, 1], [2])], [code(BUILTIN.RESHAPE)], [buffer(), buffer(data)]))


def resizing(height, width):
    data = numpy.array([height, width], numpy.int32).tobytes()
    return packed(model(
        [tensor("x", [1, 4, 4, 2]), tensor("s", [2], 1, schema.TensorType.INT32),
         tensor("y", [1, 4, 4, 2])],
        [operator([0, 1], [2], 0, 74, schema.ResizeNearestNeighborOptionsT())],
        [code(BUILTIN.RESIZE_NEAREST_NEIGHBOR)], [buffer(), buffer(data)]))


def graph(tensors, inputs, outputs, operators=()):
    result = schema.SubGraphT()
    result.tensors, result.operators = tensors, list(operators)
    result.inputs, result.outputs = inputs, outputs
    return result


NUMBERS, FLAG = ("x", [1, 4]), ("flag", [1])
BOOL = schema.TensorType.BOOL


def several(operators, *others, flags=()):
    """A graph of one number and one boolean, whose operators run other graphs."""
    result = unary(BUILTIN.ABS, [tensor(*NUMBERS), tensor("y", [1, 4]), tensor(*FLAG, type=BOOL),
                                 tensor("p", [], 2, BOOL)])
    result.buffers = [buffer(), buffer(bytes(16)), buffer(bytes([1]))]
    result.operatorCodes = [code(BUILTIN.WHILE), code(BUILTIN.IF), code(BUILTIN.ABS)]
    first = result.subgraphs[0]
    first.inputs, first.operators = [0, 2, *flags], operators
    result.subgraphs += others
    return packed(result)


def loop(condition, body, inputs=(0,), outputs=(1,)):
    options = schema.WhileOptionsT()
    options.condSubgraphIndex, options.bodySubgraphIndex = condition, body
    return operator(list(inputs), list(outputs), 0, schema.BuiltinOptions.WhileOptions, options)


def branch(first, second, inputs=(2, 0), outputs=(1,)):
    options = schema.IfOptionsT()
    options.thenSubgraphIndex, options.elseSubgraphIndex = first, second
    return operator(list(inputs), list(outputs), 1, schema.BuiltinOptions.IfOptions, options)


def step(shape=(1, 4), type=schema.TensorType.FLOAT32):
    """A graph of an absolute number."""
    return graph([tensor("a", list(shape), type=type), tensor("b", list(shape), type=type)], [0], [1],
                 [operator([0], [1], 2)])


def always(**settings):
    """A condition that always holds, or another constant."""
    return graph([tensor(*NUMBERS), tensor("p", [], 2, **{"type": BOOL, **settings})], [0], [1])


def nested_loops(count):
    """Loops in loops: the body of each is the next."""
    bodies = [graph([tensor("a", [1, 4]), tensor("b", [1, 4])], [0], [1], [loop(1, 3 + index)])
              for index in range(count)]
    return several([loop(1, 2)], always(), *bodies, step())


FILES = {
    "offset_outside": ("The root's offset leads out of the file.",
                       lambda: patched(PLAIN, 0, "I", 1 << 30)),
    "offset_zero": ("A table's offset leads to itself.",
                    lambda: patched(PLAIN, element(PLAIN, ROOT, 2, 0), "I", 0)),
    "form_outside": ("A table's fields are described outside of the file.",
                     lambda: patched(PLAIN, ROOT, "i", 1 << 30)),
    "form_odd": ("A table of fields has an odd size.", lambda: patched(
        PLAIN, ROOT - struct.unpack_from("<i", PLAIN, ROOT)[0], "H", 7)),
    "field_outside": ("A field lies behind its table.", lambda: patched(
        PLAIN, ROOT - struct.unpack_from("<i", PLAIN, ROOT)[0] + 4, "H", 4000)),
    "vector_long": ("A vector says that it has two billion elements.", vector_long),
    "shared_tables": ("Three thousand operators are one table.", shared_tables),
    "text": ("A text is not UTF-8.", name_bytes),
    "truncated": ("The file ends in its middle.", lambda: PLAIN[:len(PLAIN) // 2]),
    "trailing": ("Bytes that are no archive follow.", lambda: PLAIN + b"and so on" * 5),
    "archive_leaves": ("The archive's file is in the folder above.",
                       lambda: archive("../labels.txt")),
    "archive_absolute": ("The archive's file has an absolute path.",
                         lambda: archive("/etc/labels.txt")),
    "version": ("The schema is that of version 2.", lambda: named_version(2)),
    "buffers_overlap": ("Two buffers share their bytes.", buffers_overlap),
    "buffer_missing": ("A tensor's buffer is beyond the table.", lambda: packed(model(
        [tensor("x", [1, 4, 4, 2]), tensor("w", [3, 1, 1, 2], 9), tensor("y", [1, 4, 4, 3])]))),
    "buffer_short": ("A buffer is shorter than its tensor.", lambda: packed(model(
        buffers=[buffer(), buffer(bytes(20))]))),
    "elements_missing": ("A weight has no elements.", lambda: packed(model(
        buffers=[buffer(), buffer()]))),
    "shape_negative": ("A size is below -1.", lambda: packed(model(
        [tensor("x", [1, 4, -4, 2]), tensor("w", [3, 1, 1, 2], 1), tensor("y", [1, 4, 4, 3])]))),
    "code_beyond": ("An operator's code is beyond the table.", lambda: packed(model(
        operators=[operator([0, 1], [2], 7, 1, convolution())]))),
    "code_unknown": ("An operator's number is not in the schema.",
                     lambda: packed(unary(999))),
    "tensor_beyond": ("An operator reads a tensor beyond the table.", lambda: packed(model(
        operators=[operator([0, 99], [2], 0, 1, convolution())]))),
    "output_beyond": ("The model gives a tensor beyond the table.",
                      lambda: packed(model(outputs=(99,)))),
    "output_missing": ("No operator gives the output.", lambda: packed(model(
        [tensor("x", [1, 4, 4, 2]), tensor("w", [3, 1, 1, 2], 1), tensor("y", [1, 4, 4, 3]),
         tensor("z", [1])], outputs=(3,)))),
    "given_twice": ("Two operators give one tensor.", twice),
    "order": ("An operator reads what a later one gives.", lambda: packed(model(
        [tensor("x", [1, 4]), tensor("y", [1, 4]), tensor("z", [1, 4])],
        [operator([1], [2]), operator([0], [1])], [code(BUILTIN.ABS)]))),
    "options_kind": ("A convolution has the options of a pooling.", lambda: packed(model(
        operators=[operator([0, 1], [2], 0, 5, schema.Pool2DOptionsT())]))),
    "stride": ("A convolution has a stride of 0.", lambda: packed(model(
        operators=[operator([0, 1], [2], 0, 1, convolution(strideH=0))]))),
    "activation": ("An activation's number is not known.", lambda: packed(model(
        operators=[operator([0, 1], [2], 0, 1, convolution(fusedActivationFunction=5))]))),
    "axis": ("A concatenation is along an axis beyond the rank.", lambda: concatenation(9)),
    "reshape": ("A reshape has a size below -1.", lambda: reshape([-7, 4])),
    "resizing": ("An image is enlarged to billions of rows.", lambda: resizing(2**31 - 1, 4)),
    "scales_missing": ("Integers have no scale.", lambda: integers(None, quantization([1.0], [0]))),
    "scales_empty": ("Integers have a zero point and no scale.", lambda: integers(
        quantization([], [3]), quantization([1.0], [0]))),
    "scale_negative": ("A scale is negative.", lambda: integers(
        quantization([-1.0], [0]), quantization([1.0], [0]))),
    "scales_axis": ("Scales are along an axis beyond the rank.", lambda: integers(
        quantization([1.0], [0]), quantization([1.0] * 3, [0] * 3, 8))),
    "scales_count": ("There are more scales than indices of their axis.", lambda: integers(
        quantization([1.0], [0]), quantization([1.0] * 5, [0] * 5, 0))),
    "sparse": ("A weight is sparse.", sparse),
    "texts": ("The input is a tensor of texts.", lambda: packed(unary(
        BUILTIN.ABS, [tensor("x", [1, 4], 0, schema.TensorType.STRING), tensor("y", [1, 4])]))),
    "variables": ("An operator keeps elements from run to run.",
                  lambda: packed(unary(BUILTIN.READ_VARIABLE))),
    "loop_beyond": ("A loop's body is beyond the file's graphs.", lambda: several([loop(1, 9)], always())),
    "loop_itself": ("A loop's body is the graph that has the loop.", lambda: several([loop(1, 2)], always(), graph(
        [tensor("a", [1, 4]), tensor("b", [1, 4])], [0], [1], [loop(1, 2)]))),
    "loop_states": ("A loop's body gives more than it takes.", lambda: several([loop(1, 2)], always(), graph(
        [tensor("a", [1, 4]), tensor("b", [1, 4])], [0], [1, 0], [operator([0], [1], 2)]))),
    "loop_type": ("A loop's body gives numbers of another type.", lambda: several([loop(1, 2)], graph(
        [tensor(*NUMBERS), tensor(*FLAG, 2, BOOL)], [0], [1]), step(type=schema.TensorType.INT32))),
    "loop_condition": ("A loop's condition is four numbers.", lambda: several([loop(1, 2)], graph(
        [tensor(*NUMBERS)], [0], [0]), step())),
    "loops_nested": ("Twelve loops in each other never end.", lambda: nested_loops(11)),
    "loop_outputs": ("A loop gives more than its body.", lambda: several(
        [loop(1, 2, outputs=(1, 3))], always(), step())),
    "branch_beyond": ("A branch is beyond the file's graphs.", lambda: several([branch(1, -7)], step())),
    "branch_itself": ("A branch is the graph that has the branch.", lambda: several([branch(1, 1, (2, 0, 2))], graph(
        [tensor("a", [1, 4]), tensor("b", [1, 4]), tensor(*FLAG, type=BOOL)], [0, 2], [1],
        [branch(1, 1, (2, 0, 2))]))),
    "branch_condition": ("A branch's condition is four numbers.", lambda: several(
        [branch(1, 1, (0, 0))], step())),
    "branch_types": ("One branch gives integers, the other numbers.", lambda: several([branch(1, 2)], step(), graph(
        [tensor("a", [1, 4]), tensor("i", [1, 4], 1, schema.TensorType.INT32)], [0], [1]))),
    "branch_shapes": ("The branches give results of other ranks.", lambda: several([branch(1, 2)], step(), graph(
        [tensor("a", [1, 4]), tensor("p", [], 2, BOOL)], [0], [1]))),
    "branch_counts": ("One branch gives nothing.", lambda: several([branch(1, 2)], step(), graph(
        [tensor("a", [1, 4])], [0], []))),
    "flex": ("Operators of TensorFlow and of an application.", lambda: packed(model(
        [tensor("x", [1, 4]), tensor("y", [1, 4]), tensor("z", [1, 4]), tensor("u", [1, 4])],
        [operator([0], [1]), operator([1], [2], 1), operator([2], [3])],
        [code(BUILTIN.CUSTOM, "FlexErf"), code(BUILTIN.CUSTOM, "Warp")], outputs=(3,)))),
}

if __name__ == "__main__":
    lines = ["# Hostile TFLite files", "",
             "Files that are no models, or ask for what no machine has: one per attack. `make.py` makes "
             "them and", "this text. `Tests/Conversion/ConversionTests/TFLiteConversion/HostileTFLiteTests.swift` says what the "
             "program must answer.", "", "| file | what is wrong |", "|---|---|"]
    for name, (text, make) in FILES.items():
        (HERE / (name + ".tflite")).write_bytes(make())
        lines.append("| `%s.tflite` | %s |" % (name, text))
    (HERE / "README.md").write_text("\n".join(lines) + "\n")
