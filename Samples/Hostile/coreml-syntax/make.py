"""Makes the hostile Core ML files and README.md. Needs Python 3 only; writes beside itself."""

import pathlib

HERE = pathlib.Path(__file__).parent


def varint(number):
    parts = []
    while number >= 0x80:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(parts + [number])


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, *parts):
    content = b"".join(part.encode() if isinstance(part, str) else part for part in parts)
    return varint(field << 3 | 2) + varint(len(content)) + content


VERSION = number(1, 1)
DESCRIPTION = message(2, message(1, message(1, "x"), message(3, message(5, message(1, b"\3")))))


def network(*layers):
    return VERSION + DESCRIPTION + message(500, *[message(1, *layer) for layer in layers])


def layer(*parts):
    return (message(1, "a"), message(2, "x"), message(3, "y"), *parts)


def pipelines(depth):
    model = VERSION
    for _ in range(depth):
        model = VERSION + message(202, message(1, model))
    return model


RELU = message(130, message(10))
FLOATS = message(1, bytes(8))

FILES = {
    "bias_cut": (network(layer(message(250, message(2, message(1, bytes(7)))))), "Weights that end inside a number."),
    "bias_pieces": (network(layer(message(250, message(2, FLOATS, FLOATS)))), "Weights in two pieces, which another reader puts together."),
    "bias_unpacked": (network(layer(message(250, message(2, b"\x0d" + bytes(4))))), "Weights with a tag before each number."),
    "enumerator_unknown": (network(layer(message(120, number(1, 9)))), "Pooling of a kind that nobody knows."),
    "description_state": (VERSION + message(2, message(13, message(1, "s"))) + message(500), "A network that keeps its state between runs, as only ML Programs do."),
    "feature_state": (VERSION + message(2, message(1, message(1, "x"), message(3, message(8, b"")))) + message(500), "An input that keeps its state, of a later specification."),
    "field_twice": (network(layer(RELU, message(130, message(30)))), "A layer of two activations."),
    "field_unknown": (network(layer(message(99999, b"warp"))), "A layer that no specification has."),
    "kind_missing": (VERSION + DESCRIPTION, "A model of no kind."),
    "kinds_two": (network(layer(RELU)) + message(502, b""), "A network that is an ML program too."),
    "layer_missing": (network(layer()), "A layer of no kind."),
    "layer_random": (network(layer(message(1170, number(1, 7)))), "Random numbers, which no two machines make alike."),
    "length_huge": (VERSION + varint(500 << 3 | 2) + varint(1 << 62) + b"\n", "A network of four exabytes."),
    "ml_program": (number(1, 7) + message(2, message(20, b"later")) + message(502, b"\xff\xff"), "An ML program, with fields that come after this specification."),
    "nested": (pipelines(70), "A pipeline in a pipeline, seventy deep."),
    "not_text": (network((message(1, b"\xff"), RELU)), "A name that is not UTF-8."),
    "preprocessing_empty": (VERSION + DESCRIPTION + message(500, message(2, message(1, "x"))), "Preprocessing that does nothing."),
    "tree_ensemble": (VERSION + DESCRIPTION + message(402, b"\xff\xff"), "A tree ensemble."),
    "truncated": (network(layer(RELU))[:-3], "A file that ends inside a layer."),
    "version_huge": (number(1, 1 << 63) + message(500), "A version that is no 32-bit number."),
}

README = """# Hostile Core ML files, by their syntax

Files that crash readers, or that readers take for something else: one per attack. `make.py` makes them
and this text. `Tests/Formats/CoreMLFormatTests/HostileTests.swift` says what must be answered.

| file | what it tries |
|---|---|
"""

for name, (content, _) in FILES.items():
    (HERE / f"{name}.mlmodel").write_bytes(content)
(HERE / "README.md").write_text(
    README + "".join(f"| `{name}.mlmodel` | {text} |\n" for name, (_, text) in FILES.items()))
