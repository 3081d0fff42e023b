"""Makes the hostile Core ML files and README.md. Needs Python 3 only; writes beside itself."""

import pathlib
import struct

HERE = pathlib.Path(__file__).parent


def varint(number):
    number &= (1 << 64) - 1
    result = b""
    while number >= 128:
        result += bytes([number & 127 | 128])
        number >>= 7
    return result + bytes([number])


def field(number, value):
    """A field of a message: bytes and text with a length, whole numbers, or floats."""
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    return varint(number << 3) + varint(value)


def message(*fields):
    return b"".join(field(number, value) for number, value in fields)


def array(name, shape, *more):
    kind = message((1, b"".join(map(varint, shape))), (2, 65568))
    return message((1, name), *more, (3, message((5, kind))))


def floats(*numbers):
    return message((1, struct.pack(f"<{len(numbers)}f", *numbers)))


def layer(name, inputs, outputs, number, parameters=b""):
    return message((1, name), *[(2, i) for i in inputs], *[(3, o) for o in outputs], (number, parameters))


def model(layers, inputs=(("x", (2, 3, 4)),), outputs=(("y", (2, 3, 4)),), version=1, kind=500, more=(), metadata=()):
    entries = message(*[(100, message((1, key), (2, value))) for key, value in metadata])
    description = message(
        *[(1, i if isinstance(i, bytes) else array(*i)) for i in inputs],
        *[(10, o if isinstance(o, bytes) else array(*o)) for o in outputs],
        *[(100, entries)] * bool(metadata))
    network = message(*[(1, one) for one in layers], *more)
    return message((1, version), (2, description), (kind, network))


RELU = message((10, b""))


def relu(source="x", target="y", name="relu"):
    return layer(name, [source], [target], 130, RELU)


def convolution(weights, channels=2, filters=1, groups=1, *more):
    return message(
        (1, filters), (2, channels), (10, groups), (20, b"\x01\x01"), (50, b""), (90, weights), *more)


def nested(depth):
    """A loop whose body is a loop whose body ..."""
    inner = b""
    for _ in range(depth):
        inner = field(615, field(4, field(1, inner)))
    return inner


def memory(limit):
    """A long short-term memory of one number."""
    activations = [(10, message((kind, b""))) for kind in (40, 30, 30)]
    weights = message(*[(number, floats(1)) for number in (1, 2, 3, 4, 20, 21, 22, 23)])
    return layer(
        "m", ["x"], ["y"], 420,
        message((1, 1), (2, 1), *activations, (15, message((60, limit))), (20, weights)))


def pipeline(*models):
    description = message((1, array("x", (1, 3, 4))), (10, array("y", (1, 3, 4))))
    return message((1, 3), (2, description), (202, message(*[(1, one) for one in models])))


def suppression(source="y", *more):
    names = message((200, source), (201, "y"), (210, "c"), (211, "b"))
    return message((1, 3), (2, b""), (610, names + b"".join(more)))


def double(number, value):
    return varint(number << 3 | 1) + struct.pack("<d", value)


DICTIONARY = message((1, "x"), (3, message((6, message((2, b""))))))
GOOD = model([relu()])
BOTH = ["x"], ["y"]
PROBABILITIES = message((1, "y"), (3, message((6, message((2, b""))))))
FILES = {
    "array_rank": (model([relu()], inputs=(("x", (2, 3)),)), "An array of two axes in a network that knows one or three."),
    "bias_count": (model([layer("c", *BOTH, 100, convolution(floats(1, 2), 2, 1, 1, (70, 1), (91, floats(1, 2, 3))))]), "Three biases for one filter."),
    "cell_limit": (model([memory(0.5)], inputs=(("x", (1,)),), outputs=(("y", (1,)),)), "A memory whose state is cut off at a half."),
    "channels_huge": (model([layer("c", *BOTH, 100, convolution(floats(1, 2), (1 << 62)))]), "More channels than any memory holds."),
    "classifier_labels": (model([layer("s", *BOTH, 175)], outputs=[PROBABILITIES], kind=403, more=[(100, message((1, "cat")))]), "One label for four probabilities."),
    "concat_interleaved": (model([layer("c", ["x", "x"], ["y"], 980, message((1, 0), (2, 1)))], version=4, more=[(5, 1)]), "Inputs of which the elements alternate."),
    "concat_nothing": (model([layer("c", [], ["y"], 980)], version=4, more=[(5, 1)]), "Nothing is put together."),
    "crop_resize": (model([layer("c", ["x", "x"], ["y"], 212)]), "Regions that are cut out and resized, which is not read."),
    "crop_everything": (model([layer("c", *BOTH, 190, message((1, message((10, message((1, 2), (2, 2))), (10, b"")))))]), "A crop of more than there is."),
    "custom_layer": (model([layer("magic", *BOTH, 500, message((10, "Teleport"), (40, "moves things")))]), "A layer that only an app knows."),
    "cut_off": (GOOD[:-9], "The end is missing."),
    "cycle": (model([relu("y", "z", "a"), relu("z", "y", "b")]), "Two layers that take what the other makes."),
    "deep_nesting": (model([nested(4000)]), "Loops in loops, 4000 deep."),
    "empty": (b"", "No byte at all."),
    "expand_outside": (model([layer("e", *BOTH, 1125, message((1, b"\x09")))], version=4), "A new dimension behind a tenth."),
    "extent_negative": (model([relu()], inputs=(("x", (2, -3, 4)),)), "Less than no element."),
    "extent_huge": (model([relu()], inputs=(("x", (1 << 40, 1 << 40, 4)),), outputs=(("y", (1 << 40, 1 << 40, 4)),)), "More elements than can be counted."),
    "input_dictionary": (model([relu()], inputs=[DICTIONARY]), "An input that is a dictionary."),
    "input_missing": (model([relu("w")]), "A layer that takes what nobody makes."),
    "kernel_zero": (model([layer("p", *BOTH, 120, message((10, b"\x00\x00"), (30, b"")))]), "A window of no element."),
    "layer_empty": (model([message((1, "nothing"), (2, "x"), (3, "y"))]), "A layer of no kind."),
    "layer_unknown": (model([layer("new", *BOTH, 1999), layer("newer", ["y"], ["z"], 2001)]), "Layers of a number that nobody knows."),
    "length_huge": (GOOD + varint(500 << 3 | 2) + varint((1 << 63) - 1), "A length of nine quintillion bytes."),
    "loop": (model([layer("loop", [], [], 615, message((1, 5), (4, b"")))], version=4), "A loop, which is no graph."),
    "mean_image": (model([relu()], more=[(2, message((1, "z"), (11, floats(1))))]), "A mean image for an input that there is none of."),
    "metadata_wrong": (model([relu()], metadata=[("converter", "weighbridge 1"), ("detector", "{")]), "A record of a detector that is cut off."),
    "network_empty": (model([]), "No layer, and an output."),
    "output_missing": (model([relu("x", "z")]), "An output that nobody makes."),
    "output_twice": (model([relu(), relu(name="again")]), "Two layers that make the same."),
    "permute": (model([layer("p", *BOTH, 310, message((1, b"\x00\x01\x01\x03")))]), "An axis twice."),
    "pipeline_of_pipelines": (pipeline(GOOD, pipeline(GOOD)), "A pipeline in a pipeline."),
    "pipeline_without_network": (pipeline(suppression()), "A pipeline that begins with the suppression of boxes."),
    "program": (message((1, 7), (2, b""), (502, b"")), "An ML program."),
    "quantized_bits": (model([layer("c", *BOTH, 100, convolution(message((30, b"\x12"), (40, message((1, 9), (101, message((1, struct.pack("<f", 1)))))))))]), "Quantized to nine bits."),
    "quantized_table": (model([layer("c", *BOTH, 100, convolution(message((30, b"\x12"), (40, message((1, 4), (102, message((1, struct.pack("<3f", 1, 2, 3)))))))))]), "A table of three numbers for four bits."),
    "rank_low": (model([layer("b", *BOTH, 160, message((1, 2), *[(n, floats(1, 2)) for n in (15, 16, 17, 18)]))], inputs=(("x", (2,)),), outputs=(("y", (2,)),), version=4, more=[(5, 1)]), "A normalization along the channels of a vector, which has none."),
    "resize_huge": (model([layer("r", *BOTH, 211, message((1, varint(1 << 30) + b"\x01")))]), "An image of a billion rows."),
    "reshape_count": (model([layer("r", *BOTH, 300, message((1, b"\x05\x05\x05")))]), "125 elements made of 24."),
    "reshape_axes": (model([layer("r", *BOTH, 300, message((1, b"\x02\x0c")))]), "A reshape to two dimensions, which has three or four."),
    "reshape_inferred": (model([layer("r", *BOTH, 300, message((1, varint(-1) + b"\x05\x05")))]), "24 elements in rows of 25."),
    "reshape_negative": (model([layer("r", *BOTH, 300, message((1, varint(-2) + b"\x02\x06")))]), "A size of -2."),
    "reshape_rank": (model([layer("r", *BOTH, 1150, message((1, b"\x18")))], version=4), "A reshape that keeps the number of dimensions, and names one of five."),
    "reshape_two": (model([layer("r", *BOTH, 300, message((1, varint(-1) + varint(-1) + b"\x06")))]), "Two sizes that are to be inferred."),
    "reverse_axes": (model([layer("r", *BOTH, 960, message((1, b"\x01\x00")))], version=4, more=[(5, 1)]), "Two axes of three are said to be reversed or not."),
    "slice_outside": (model([layer("s", *BOTH, 350, message((1, 7), (2, 9), (3, 1), (4, 1)))]), "Rows that there are none of."),
    "squeeze_outside": (model([layer("s", *BOTH, 1120, message((1, varint(-9))))], version=4), "A dimension before the first is left out."),
    "suppression_method": (pipeline(GOOD, suppression()), "Boxes that are chosen by no method."),
    "suppression_source": (pipeline(GOOD, suppression("z")), "Confidences that no model gives."),
    "suppression_threshold": (pipeline(GOOD, suppression("y", message((1, b"")), double(110, 1.5))), "Boxes that overlap by more than all."),
    "text_invalid": (model([relu(), layer("\xff", ["y"], ["z"], 130, RELU)]).replace("\xff".encode(), b"\xff\xfe"), "A name that is not UTF-8."),
    "tree_ensemble": (message((1, 1), (2, b""), (402, b"")), "A tree ensemble."),
    "upsample_fraction": (model([layer("u", *BOTH, 210, message((7, struct.pack("<2f", 1.5, 2.5)), (5, 1)))]), "An enlargement by fractions with the mode for whole numbers."),
    "version_future": (model([relu()], version=99), "A version of the future."),
    "weight_count": (model([layer("c", *BOTH, 100, convolution(floats(1, 2, 3)))]), "Three weights where two belong."),
    "weight_missing": (model([layer("c", *BOTH, 100, convolution(b""))]), "No weights at all."),
    "weight_two": (model([layer("c", *BOTH, 100, convolution(message((1, struct.pack("<2f", 1, 2)), (2, b"\0\0\0\0"))))]), "Weights in two encodings at once."),
    "window_output": (model([layer("c", *BOTH, 100, convolution(floats(1, 2), 2, 1, 1, (60, 1), (100, varint(1 << 62) + b"\x01")))]), "A deconvolution to more rows than there are."),
    "window_step": (model([layer("p", *BOTH, 120, message((10, b"\x02\x02"), (20, varint(1 << 62) + b"\x01"), (32, b"")))]), "A step of four quintillion."),
    "window_spread": (model([layer("c", *BOTH, 100, message((1, 1), (2, 2), (10, 1), (20, b"\x01\x01"), (40, varint(1 << 62) + b"\x01"), (51, message((1, 1))), (90, floats(1, 2))))]), "A kernel spread over four quintillion rows."),
    "wire_type": (GOOD + bytes([2 << 3 | 7]), "A kind of field that there is none of."),
}


def main():
    for old in HERE.glob("*.mlmodel"):
        old.unlink()
    lines = [
        "# Broken Core ML files", "",
        "Made by `make.py`, which needs Python 3 only.",
        "`Tests/Conversion/ConversionTests/CoreMLConversion/HostileCoreMLTests.swift` says what the program must answer.", "",
        "| file | what is wrong |", "|---|---|",
    ]
    for name, (content, what) in sorted(FILES.items()):
        (HERE / f"{name}.mlmodel").write_bytes(content)
        lines.append(f"| `{name}.mlmodel` | {what} |")
    (HERE / "README.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
