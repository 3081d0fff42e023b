"""Makes the hostile safetensors files and README.md. Needs Python 3 only; writes beside itself."""

import json
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
DATA = struct.pack("<6f", 1, 2, 3, 4, 5, 6)


def tensor(dtype="F32", shape=(2, 3), offsets=(0, 24), **others):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets), **others}


def file(header, data=DATA, length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


HALVES = {"a": tensor(shape=[3], offsets=[0, 12]), "b": tensor(shape=[3], offsets=[12, 24])}

FILES = {
    "cut": (file({"w": tensor()}, DATA[:-4]), "A download that ended within the elements."),
    "cut_header": (file({"w": tensor()})[:30], "A download that ended within the header."),
    "deep": (file(b'{"w":' + b"[" * 10000 + b"]" * 10000 + b"}"), "Lists in lists, for parsers that recurse."),
    "dtype_later": (file({"w": tensor("F8_E4M3", offsets=(0, 6))}, DATA[:6]), "A number type of newer files."),
    "dtype_missing": (file({"w": {"shape": [2, 3], "data_offsets": [0, 24]}}), "A tensor without a number type."),
    "dtype_nonsense": (file({"w": tensor("F31")}), "A number type that there is not."),
    "header_bytes": (file(b'{"w\xff":1}'), "A name that is not UTF-8."),
    "header_huge": (file({"w": tensor()}, length=1 << 38), "A header of 256 GB, to be read into memory."),
    "header_longer": (file({"w": tensor()}, length=4096), "A header that goes on behind the end of the file."),
    "header_number": (file(b"{} 5"), "Something behind the object of the header."),
    "hole": (file({"a": HALVES["a"], "b": tensor(shape=[2], offsets=[16, 24])}), "Four bytes that belong to nobody, where anything could be hidden."),
    "hole_first": (file({"b": HALVES["b"]}), "Bytes before the first tensor."),
    "key_twice": (file(b'{"w":' + json.dumps(tensor()).encode() + b',"w":' + json.dumps(tensor()).encode() + b"}"), "One name twice: readers disagree on which counts."),
    "member_unknown": (file({"w": tensor(encoding="zip")}), "A member that would change what the elements mean."),
    "metadata_number": (file({"__metadata__": {"epoch": 5}, "w": tensor()}), "A number in the metadata, which has texts only."),
    "metadata_text": (file({"__metadata__": "none", "w": tensor()}), "Metadata that are no object."),
    "not_a_tensor": (file({"w": 5}), "A number where a tensor is described."),
    "offsets_backwards": (file({"w": tensor(offsets=(24, 0))}), "An end before the begin."),
    "offsets_beyond": (file({"w": tensor(shape=[2, 6], offsets=(0, 48))}), "Elements behind the end of the file."),
    "offsets_huge": (file({"w": tensor(offsets=((1 << 63) - 25, (1 << 63) - 1))}), "Offsets that overflow once the header is added."),
    "offsets_negative": (file({"w": tensor(offsets=(-24, 0))}), "Elements before the file."),
    "offsets_three": (file({"w": tensor(offsets=(0, 12, 24))}), "Three offsets."),
    "overlap": (file({"a": HALVES["a"], "b": tensor(shape=[4], offsets=[8, 24])}), "Tensors that share bytes; changing one changes both."),
    "shape_fraction": (file({"w": tensor(shape=[2, 1.5, 2])}), "One and a half rows."),
    "shape_negative": (file({"w": tensor(shape=[-2, -3])}), "Negative extents whose product fits."),
    "shape_overflow": (file({"w": tensor(shape=[1 << 32, 1 << 32, 6])}), "Extents whose product is 0 for who multiplies in 64 bits."),
    "shape_overflow_zero": (file({"w": tensor(shape=[1 << 62, 1 << 62, 0], offsets=(0, 0))}, b""), "The same with an extent of 0, which hides it."),
    "size": (file({"w": tensor(shape=[5])}), "A shape of fewer elements than there are bytes."),
    "trailing": (file({"w": tensor()}, DATA + b"\0"), "A byte behind the last tensor."),
}


def main():
    lines = [
        "# Hostile safetensors files",
        "",
        "One file per attack. `make.py` makes them and this text.",
        "`Tests/Conversion/ConversionTests/ArrayConversion/HostileWeightTests.swift` says what the program must answer.",
        "",
        "| file | what it tries |",
        "|---|---|",
    ]
    for name, (contents, story) in sorted(FILES.items()):
        (HERE / f"{name}.safetensors").write_bytes(contents)
        lines.append(f"| `{name}.safetensors` | {story} |")
    (HERE / "README.md").write_text("\n".join(lines) + "\n")


main()
