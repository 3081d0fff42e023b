"""Makes the hostile ONNX files and README.md. Needs numpy and onnx; writes beside itself."""

import pathlib

import numpy
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).parent
FLOAT = TensorProto.FLOAT


def tensor(name="w", shape=(4, 3, 3, 3), value=0.5):
    return numpy_helper.from_array(numpy.full(shape, value, numpy.float32), name)


def port(name, shape=(1, 3, 6, 6)):
    return helper.make_tensor_value_info(name, FLOAT, shape)


def node(operation, inputs, outputs, **attributes):
    return helper.make_node(operation, inputs, outputs, outputs[0], **attributes)


def model(nodes, weights=(), inputs=None, outputs=("y",), opset=17, producer="", metadata=()):
    graph = helper.make_graph(
        list(nodes), "g", inputs or [port("x")], [port(name, None) for name in outputs],
        list(weights))
    for output in graph.output:
        output.type.tensor_type.shape.SetInParent()
    versions = [helper.make_opsetid("", opset)] if opset else []
    result = helper.make_model(graph, ir_version=8, producer_name=producer)
    del result.opset_import[:]
    result.opset_import.extend(versions)
    helper.set_model_props(result, dict(metadata))
    return result


def conv(**attributes):
    return node("Conv", ["x", "w"], ["y"], **attributes)


def field(number, payload):
    """A field of bytes, by hand."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def external(location, offset="0", length=None):
    weight = TensorProto(name="w", data_type=FLOAT, dims=[4, 3, 3, 3])
    weight.data_location = TensorProto.EXTERNAL
    entries = {"location": location, "offset": offset}
    if length:
        entries["length"] = length
    for key, value in entries.items():
        weight.external_data.add(key=key, value=value)
    return model([conv()], [weight])


def changed(**fields):
    """A weight some of whose fields are others."""
    weight = tensor()
    for name, value in fields.items():
        if name == "dims":
            del weight.dims[:]
            weight.dims.extend(value)
        else:
            setattr(weight, name, value)
    return model([conv()], [weight])


def deep(levels):
    body = field(1, field(4, b"Identity"))
    for _ in range(levels):
        attribute = field(1, b"body") + field(6, body)
        body = field(1, field(4, b"Scan") + field(5, attribute))
    return b"\x08\x08" + field(8, b"\x10\x11") + field(7, body)


def loop(steps, operation, inputs, **attributes):
    """A node that runs so often, on what it gave before."""
    body = helper.make_graph(
        [node("Identity", ["c"], ["d"]), node(operation, inputs, ["t"], **attributes)], "body",
        [helper.make_tensor_value_info("n", TensorProto.INT64, []),
         helper.make_tensor_value_info("c", TensorProto.BOOL, []), port("s", None)],
        [helper.make_tensor_value_info("d", TensorProto.BOOL, []), port("t", None)])
    return body, [numpy_helper.from_array(numpy.array(steps), "steps"),
                  numpy_helper.from_array(numpy.array(True), "go")]


def loop_model(start, body, weights):
    return model([node("Loop", ["steps", "go", start], ["z"], body=body), node("Add", ["x", "z"], ["y"])],
                 weights + [tensor()])


GOOD = model([conv()], [tensor()]).SerializeToString()
SIZE = numpy_helper.from_array(numpy.array([1 << 20, 1 << 20]), "size")
SCALARS = [numpy_helper.from_array(numpy.array(v), n) for n, v in (
    ("zero", 0), ("end", 1 << 40), ("one", 1))]



def branches(condition):
    """A node that runs one of two bodies."""
    body = helper.make_graph([node("Relu", ["x"], ["t"])], "body", [], [port("t", None)])
    return node("If", [condition], ["y"], then_branch=body, else_branch=body)


def typed(kind):
    """A model whose input has a type that is no tensor of numbers."""
    result = model([node("Relu", ["x"], ["y"])])
    result.graph.input[0].type.CopyFrom(kind)
    return result


def cycle_body():
    body = helper.make_graph(
        [node("Add", ["x", "q"], ["p"]), node("Relu", ["p"], ["q"])], "body", [], [port("q", None)])
    return model([node("If", ["w"], ["y"], then_branch=body, else_branch=body)], [tensor(shape=())])


def two_opsets():
    result = model([conv()], [tensor()])
    result.opset_import.append(helper.make_opsetid("ai.onnx", 9))
    return result


def own(name, output="y"):
    """A node that uses a function of the file."""
    return helper.make_node(name, ["x"], [output], domain="own")


def functions(names, body, given=("x",), opset=17):
    """A model of one node that uses the first of some functions."""
    made = model([helper.make_node(names[0], list(given), ["y"], "n", domain="own")])
    made.opset_import.append(helper.make_opsetid("own", 1))
    for index, name in enumerate(names):
        made.functions.append(helper.make_function(
            "own", name, ["x"], ["y"], body(index), [helper.make_opsetid("", opset), helper.make_opsetid("own", 1)]))
    return made


CASES = {
    "axis_missing": (model([node("Softmax", ["x"], ["y"], axis=1)], inputs=[port("x", (5,))]), "An axis that is not there."),
    "axis_twice": (model([node("Squeeze", ["x", "a"], ["y"])], [numpy_helper.from_array(numpy.array([0, -4]), "a")]), "An axis that is named twice."),
    "condition_list": (model([branches("w")], [tensor(shape=(2,))]), "A choice by two conditions at once."),
    "condition_tensor": (model([node("Cast", ["x"], ["c"], to=TensorProto.BOOL), branches("c")]), "A choice by what a tensor holds."),
    "cycle_body": (cycle_body(), "Nodes of a body that wait for each other."),
    "cycle_self": (model([node("Add", ["x", "y"], ["y"])]), "A node that waits for itself."),
    "input_sequence": (typed(helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, (3,)))), "An input that is a list of tensors."),
    "input_strings": (typed(helper.make_tensor_type_proto(TensorProto.STRING, (3,))), "An input of strings."),
    "input_untyped": (typed(helper.make_tensor_type_proto(0, (3,))), "An input whose type nobody knows."),
    "input_shapeless": (typed(helper.make_tensor_type_proto(FLOAT, None)), "An input whose axes nobody knows."),
    "opset_twice": (two_opsets(), "Operators of two versions."),
    "attribute_twice": (model([helper.make_node("Conv", ["x", "w"], ["y"], "y", group=1)], [tensor()]), "A setting that occurs twice."),
    "bias_shape": (model([node("Conv", ["x", "w", "b"], ["y"])], [tensor(), tensor("b", (7,))]), "A bias for other channels than the kernel's."),
    "constant_huge": (model([node("ConstantOfShape", ["size"], ["c"]), node("Add", ["x", "c"], ["y"])], [SIZE]), "A constant of a million times a million zeros."),
    "cycle": (model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"])], outputs=("b",)), "Nodes that wait for each other."),
    "deep": (deep(200), "Bodies in bodies, two hundred deep."),
    "dims_huge": (changed(dims=[1 << 40, 1 << 40]), "A weight of more elements than there are addresses."),
    "dims_negative": (changed(dims=[-4, 3, 3, 3]), "A weight of less than no element."),
    "element_type": (changed(data_type=TensorProto.STRING), "A weight of texts."),
    "external_absolute": (external("/etc/passwd"), "A weight in any file of the machine."),
    "external_length": (external("make.py", length="8"), "A weight with another length than its shape's."),
    "external_missing": (external("nowhere.bin"), "A weight in a file that is not there."),
    "external_negative": (external("make.py", offset="-8"), "A weight from before the start of a file."),
    "external_outside": (external("sub/../../keras/make.py"), "A weight in a file outside of the model's folder."),
    "external_short": (external("make.py", offset="999999999999"), "A weight behind the end of a file."),
    "float6": (model([node("Cast", ["x"], ["a"], to=27), node("Cast", ["a"], ["y"], to=FLOAT)], opset=25), "Numbers rounded to 6 bits."),
    "function_deep": (functions([f"F{i}" for i in range(200)], lambda i: [own(f"F{i + 1}")] if i < 199 else [node("Relu", ["x"], ["y"])]), "Functions in functions, two hundred deep."),
    "function_growing": (functions([f"F{i}" for i in range(40)], lambda i: [own(f"F{i + 1}"), own(f"F{i + 1}", "z")] if i < 39 else [node("Relu", ["x"], ["y"])]), "Functions that double forty times."),
    "function_itself": (functions(["F0"], lambda i: [own("F0")]), "A function that calls itself."),
    "function_opset": (functions(["F0"], lambda i: [node("Relu", ["x"], ["y"])], opset=9), "A function of another opset than the model's."),
    "function_twice": (functions(["F0", "F0"], lambda i: [node("Relu", ["x"], ["y"])]), "Two functions of one name."),
    "function_wide": (functions(["F0"], lambda i: [node("Relu", ["x"], ["y"])], ["x", "x"]), "A function that is given more than it takes."),
    "attention_cache": (model([node("Attention", ["x", "x", "x", "", "w", "w"], ["y"])], [tensor(shape=(2, 2))], opset=23), "A cache of two axes."),
    "broadcast_axis": (model([node("Add", ["x", "w"], ["y"], broadcast=1, axis=-2**63)], [tensor(shape=(3,))], opset=6), "An axis before all others."),
    "crop_huge": (model([node("Crop", ["x"], ["y"], border=[2**62, 2**62, 0, 0], scale=[2**62, 2**62])], opset=6), "A border beyond all numbers."),
    "groups_zero": (model([conv(group=0)], [tensor()]), "A convolution in no groups."),
    "kernel_shape": (model([conv(kernel_shape=[5, 5])], [tensor()]), "A window of another size than its weights."),
    "length_huge": (b"\x08\x08" + field(8, b"\x10\x11") + b"\x3a\xff\xff\xff\xff\xff\x7f", "A graph of four terabytes in a file of a few bytes."),
    "loop_growing": (loop_model("w", *loop(1000, "Concat", ["s", "s"], axis=0)), "A constant that doubles a thousand times."),
    "metadata_wrong": (model([conv()], [tensor()], producer="weighbridge", metadata={"detector": "{"}), "A record of a detector that is cut off."),
    "metadata_picture": (model([conv()], [tensor()], producer="weighbridge", metadata={"image.nowhere": '{"scale": 1}'}), "A record of a picture that is no input."),
    "names_twice": (model([conv(), node("Relu", ["x"], ["y"])], [tensor()]), "Two values of one name."),
    "narrow_sum": (model([node("Cast", ["x"], ["a"], to=TensorProto.INT4), node("Add", ["a", "a"], ["b"]), node("Cast", ["b"], ["y"], to=FLOAT)], opset=21), "A sum of integers of 4 bits, which ONNX does not have."),
    "operators_unknown": (model([node("Warp", ["x"], ["a"]), node("Warp", ["a"], ["b"]), helper.make_node("Fused", ["b"], ["c"], "f", domain="com.example"), node("Relu", ["c"], ["y"])]), "Operators that nobody knows."),
    "opset_missing": (model([conv()], [tensor()], opset=0), "A file that does not say what its operators mean."),
    "opset_new": (model([conv()], [tensor()], opset=99), "Operators from after the versions that are known."),
    "output_missing": (model([conv()], [tensor()], outputs=("z",)), "An output that nothing makes."),
    "pads_negative": (model([conv(pads=[-1, 0, 0, 0])], [tensor()]), "Less than no padding."),
    "power_alone": (model([node("Pow", ["x"], ["y"])]), "A power without an exponent."),
    "range_huge": (model([node("Range", ["zero", "end", "one"], ["r"]), node("Gather", ["x", "r"], ["y"])], SCALARS), "A count to a trillion."),
    "range_list": (model([node("Range", ["w", "end", "one"], ["r"]), node("Gather", ["x", "r"], ["y"])], [*SCALARS, tensor(shape=(0, 3))]), "A count that begins nowhere."),
    "raw_size": (changed(raw_data=b"\0" * 17), "A weight with fewer bytes than its shape takes."),
    "reshape": (model([node("Reshape", ["x", "s"], ["y"])], [numpy_helper.from_array(numpy.array([1, 7]), "s")]), "A shape for another number of elements."),
    "selection_foreign": (model([node("NonMaxSuppression", ["x", "w"], ["y"])], [tensor()]), "Boxes chosen in the middle of a model."),
    "selection_thresholds": (model([node("NonMaxSuppression", ["b", "x", "n", "t"], ["y"])], [tensor("b", (1, 5, 4)), numpy_helper.from_array(numpy.array([3]), "n"), tensor("t", (3,))], inputs=[port("x", (1, 2, 5))]), "Three numbers where one says how far boxes may overlap."),
    "deform_offsets": (model([node("DeformConv", ["x", "w", "x"], ["y"])], [tensor()], opset=19), "A convolution at places that are a picture."),
    "det_wide": (model([node("Det", ["x"], ["y"])], inputs=[port("x", (1, 3, 6, 5))]), "A determinant of what is not square."),
    "einsum_letters": (model([node("Einsum", ["x"], ["y"], equation="abcd->abz")]), "A letter that comes from nowhere."),
    "einsum_sizes": (model([node("Einsum", ["x", "w"], ["y"], equation="abcd,efdc->ab")], [tensor(shape=(1, 1, 6, 5))]), "A letter of two sizes."),
    "regions_samples": (model([node("RoiAlign", ["x", "w", "n"], ["y"], sampling_ratio=-1)], [tensor(shape=(1, 4)), numpy_helper.from_array(numpy.array([0]), "n")], opset=16), "Less than no samples."),
    "unpool_pads": (model([node("MaxUnpool", ["x", "i"], ["y"], kernel_shape=[2, 2], pads=[-1, 0, 0, 0])], [numpy_helper.from_array(numpy.zeros((1, 3, 6, 6), numpy.int64), "i")]), "Borders of less than nothing that are put back."),
    "positions_huge": (model([helper.make_node("MaxPool", ["x"], ["y", "i"], "y", kernel_shape=[3, 3])], inputs=[port("x", (1, 1, 1 << 15, 1 << 15))]), "The positions of billions of largest elements."),
    "mel_beyond": (model([node("MelWeightMatrix", ["a", "b", "c", "d", "e"], ["m"]), node("Mul", ["x", "m"], ["y"])], [numpy_helper.from_array(numpy.array(v, t), k) for k, v, t in (("a", 4, "i8"), ("b", 16, "i8"), ("c", 8000, "i8"), ("d", 10, "f4"), ("e", 1e30, "f4"))]), "Bands beyond all frequencies."),
    "setting_unknown": (model([conv(warp=3)], [tensor()]), "A setting that nobody knows."),
    "truncated": (GOOD[: len(GOOD) * 2 // 3], "A file that is cut off."),
    "twice": (GOOD + varint(1 << 3) + b"\x08", "A field that may stand once, twice."),
    "value_missing": (model([node("Add", ["x", "nothing"], ["y"])]), "A node that reads what nobody makes."),
    "window_short": (model([node("MaxPool", ["x"], ["y"], kernel_shape=[2], auto_pad="SAME_LOWER")]), "A window of one axis on a picture."),
    "weight_unknown": (b"\x08\x08" + field(8, b"\x10\x11") + field(7, field(5, b"\xfa\x06\x01z")), "A weight with a field that nobody knows."),
}

def integers(name, *numbers):
    return numpy_helper.from_array(numpy.array(numbers, numpy.int64), name)


def nowhere():
    """A choice of bodies, one of which reads what nothing around it makes."""
    bodies = {branch: helper.make_graph([node("Relu", [name], [branch])], branch, [], [port(branch, None)])
              for branch, name in (("then_branch", "x"), ("else_branch", "nothing"))}
    return model([node("If", ["c"], ["y"], **bodies)], [numpy_helper.from_array(numpy.array(False), "c")])


def computed(nodes, inputs=("s",), state="x", outputs=None, maximum="n", kind=TensorProto.INT64):
    """A loop whose number of steps only the run decides. Its body has the state s, and gives t."""
    body = helper.make_graph(
        nodes, "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []),
         helper.make_tensor_value_info("c", TensorProto.BOOL, []), *(port(name, None) for name in inputs)],
        [port(name, None) for name in outputs or ("c", "t")])
    return model([node("Loop", [maximum, "", state], ["y"], body=body)],
                 inputs=[port("x"), helper.make_tensor_value_info("n", kind, [])])


def chosen(first, second):
    """One of two nodes, of which only the run decides."""
    bodies = {branch: helper.make_graph([made], branch, [], [port(branch, None)])
              for branch, made in (("then_branch", first), ("else_branch", second))}
    return model([node("ReduceSum", ["x"], ["s"], keepdims=0), node("Cast", ["s"], ["c"], to=TensorProto.BOOL),
                  node("If", ["c"], ["y"], **bodies)])


CASES |= {
    "branch_elements": (chosen(node("Cast", ["x"], ["then_branch"], to=TensorProto.INT32), node("Relu", ["x"], ["else_branch"])), "Integers or floats, as the run decides."),
    "branch_nowhere": (chosen(node("Relu", ["nothing"], ["then_branch"]), node("Relu", ["x"], ["else_branch"])), "A choice that reads what nobody makes, as the run decides."),
    "branch_ranks": (chosen(node("Flatten", ["x"], ["then_branch"]), node("Relu", ["x"], ["else_branch"])), "Two axes or four, as the run decides."),
    "loop_condition": (computed([node("Cast", ["s"], ["d"], to=TensorProto.BOOL), node("Relu", ["s"], ["t"])], outputs=("d", "t")), "A loop that goes on as a whole picture says."),
    "loop_counts": (computed([node("Relu", ["s"], ["t"])], kind=FLOAT), "Half a step."),
    "loop_elements": (computed([node("Cast", ["s"], ["t"], to=TensorProto.INT32)]), "A state that becomes integers."),
    "loop_inputs": (computed([node("Relu", ["s"], ["t"])], inputs=("s", "r")), "A body with a state that nobody gives it."),
    "loop_itself": (computed([node("Relu", ["y"], ["t"])]), "A body that reads what its loop makes."),
    "loop_nowhere": (computed([node("Relu", ["nothing"], ["t"])]), "A loop that reads what nobody makes."),
    "loop_ranks": (computed([node("Unsqueeze", ["s", "a"], ["t"]), node("Constant", [], ["a"], value_ints=[0])][::-1]), "A state that gains an axis in every step."),
    "body_nowhere": (nowhere(), "A body that reads what nobody makes."),
    "expand_huge": (model([node("Expand", ["w", "s"], ["e"]), node("Mul", ["x", "e"], ["y"])], [tensor(), integers("s", 1 << 40, 4, 3, 3, 3)]), "A weight repeated a trillion times."),
    "gather_beyond": (model([node("Gather", ["x", "i"], ["y"], axis=1)], [integers("i", 0, 3)]), "The fourth of three channels."),
    "gather_sizes": (model([node("Shape", ["x"], ["s"]), node("Gather", ["s", "i"], ["n"]), node("ConstantOfShape", ["n"], ["y"])], [integers("i", 9)], [port("x", ("N", 3))]), "The size of a tenth axis."),
    "opset_never": (model([conv()], [tensor()], opset=-3), "Operators from before the first version."),
    "sequence_flat": (model([node("LSTM", ["x", "w", "r"], ["y"], layout=1, clip=2.0, hidden_size=2)], [tensor("w", (1, 8, 3)), tensor("r", (1, 8, 2))], [port("x", (3,))]), "A list of numbers as a batch of sequences."),
    "shape_computed": (model([node("Shape", ["x"], ["s"]), node("Mul", ["s", "f"], ["n"]), node("Reshape", ["x", "n"], ["y"])], [integers("f", 1, 2, 1, 1)]), "A picture as one of twice as many channels."),
    "size_nan": (model([node("Cast", ["f"], ["n"], to=TensorProto.INT64), node("ConstantOfShape", ["n"], ["z"]), node("Add", ["x", "z"], ["y"])], [numpy_helper.from_array(numpy.array([numpy.nan], "f4"), "f")]), "As many zeros as no number says."),
    "size_negative": (model([node("ConstantOfShape", ["n"], ["z"]), node("Add", ["x", "z"], ["y"])], [integers("n", -6)]), "Fewer zeros than none."),
    "tile_negative": (model([node("Tile", ["x", "n"], ["y"])], [integers("n", 1, -1, 1, 1)]), "Minus one copy."),
}
CASES["attribute_twice"][0].graph.node[0].attribute.add().CopyFrom(
    CASES["attribute_twice"][0].graph.node[0].attribute[0])

rows = []
for name, (content, reason) in sorted(CASES.items()):
    data = content if isinstance(content, bytes) else content.SerializeToString(deterministic=True)
    (HERE / f"{name}.onnx").write_bytes(data)
    rows.append(f"| `{name}.onnx` | {reason} |\n")

(HERE / "README.md").write_text(
    "# Hostile ONNX files\n\n"
    "Files that are no models, or ask for what no machine has: one per attack. `make.py` makes them and\n"
    "this text. `Tests/Conversion/ConversionTests/ONNXConversion/HostileONNXTests.swift` says what the program must answer, and has\n"
    "those that would be large.\n\n"
    "| file | what it tries |\n|---|---|\n" + "".join(rows))
