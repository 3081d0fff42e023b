"""Writes the HDF5 files of these tests, next to itself. Needs h5py and numpy."""

import os
import struct

import h5py
import numpy as np

folder = os.path.dirname(os.path.abspath(__file__))


def new(name, **options):
    options.setdefault("libver", ("earliest", "v110"))
    return h5py.File(os.path.join(folder, name), "w", **options)


def dataset(group, name, type_id, shape, data, plist=None):
    """A dataset of a type that h5py's own interface cannot spell."""
    space = h5py.h5s.create_simple(shape) if shape is not None else h5py.h5s.create(h5py.h5s.SCALAR)
    made = h5py.h5d.create(group.id, name.encode(), type_id, space, plist)
    if data is not None:
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, data, mtype=type_id)
    return made


def bfloat16(order="<"):
    kind = (h5py.h5t.IEEE_F16LE if order == "<" else h5py.h5t.IEEE_F16BE).copy()
    kind.set_fields(15, 7, 8, 0, 7)
    kind.set_ebias(127)
    return kind


def numbers(file):
    six = np.array([[0.5, -1.25, 2.0], [3.5, -4.0, 65504.0]])
    for kind in ("f2", "f4", "f8"):
        file.create_dataset(f"little_{kind}", data=six.astype("<" + kind))
        file.create_dataset(f"big_{kind}", data=six.astype(">" + kind))
    for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
        values = [0, 1, 100, np.iinfo(kind).max, np.iinfo(kind).min]
        file.create_dataset(f"little_{kind}", data=np.array(values, "<" + kind))
        file.create_dataset(f"big_{kind}", data=np.array(values, ">" + kind))
    bits = np.array([0x3F80, 0xC000, 0x7F7F], "<u2")
    dataset(file, "little_bfloat16", bfloat16(), (3,), bits)
    dataset(file, "big_bfloat16", bfloat16(">"), (3,), bits.astype(">u2"))
    file.create_dataset("bool", data=np.array([True, False, True]))
    file.create_dataset("scalar", data=np.float32(2.5))
    file.create_dataset("empty", shape=(0, 3), dtype="<f4")


def layouts(file):
    ramp = np.arange(100, dtype="<f4").reshape(10, 10)
    file.create_dataset("chunked", data=ramp, chunks=(3, 4))
    file.create_dataset(
        "packed", data=ramp, chunks=(4, 4), compression="gzip", shuffle=True, fletcher32=True)
    compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    compact.set_layout(h5py.h5d.COMPACT)
    dataset(file, "compact", h5py.h5t.IEEE_F32LE, (3,), np.array([1, 2, 3], "<f4"), compact)
    file.create_dataset("unwritten", shape=(4,), dtype="<f4")
    file.create_dataset("unwritten_filled", shape=(4,), dtype=">i2", fillvalue=-7)
    partly = file.create_dataset("partly", shape=(8,), dtype="<i4", chunks=(4,), fillvalue=9)
    partly[0:4] = [1, 2, 3, 4]
    file.create_dataset("huge", shape=(1 << 40,), dtype="<f4", chunks=(1 << 16,))
    file.create_dataset("enormous", shape=(1 << 62, 4), dtype="<f4", chunks=(1, 4))


def refused(file):
    ramp = np.arange(100, dtype="<i4")
    file.create_dataset("lzf", data=ramp, chunks=(10,), compression="lzf")
    file.create_dataset("scaled", data=ramp, chunks=(10,), scaleoffset=8)
    file.create_dataset(
        "external", shape=(4,), dtype="<f4", external=[("/etc/passwd", 0, h5py.h5f.UNLIMITED)])
    layout = h5py.VirtualLayout(shape=(100,), dtype="<i4")
    layout[:] = h5py.VirtualSource(".", "lzf", shape=(100,))
    file.create_virtual_dataset("virtual", layout)
    file.create_dataset("string", data="text")
    file.create_dataset("compound", data=np.zeros(2, [("a", "<f4"), ("b", "<i4")]))
    file.create_dataset("reference", data=file.ref, dtype=h5py.ref_dtype)
    file.create_dataset("list", shape=(1,), dtype=h5py.vlen_dtype("<f4"))
    file.create_dataset("colors", data=[0, 1], dtype=h5py.enum_dtype({"RED": 0, "GREEN": 1}, "i1"))
    file.create_dataset("array", shape=(1,), dtype=np.dtype(("<f4", (3,))))
    file.create_dataset("opaque", data=np.void(b"abc"))
    file.create_dataset("no_space", data=h5py.Empty("<f4"))
    odd = h5py.h5t.IEEE_F32LE.copy()
    odd.set_fields(31, 22, 9, 0, 22)
    dataset(file, "odd_float", odd, (1,), None)
    narrow = h5py.h5t.STD_I32LE.copy()
    narrow.set_precision(24)
    dataset(file, "odd_integer", narrow, (1,), None)


def custom(base, size, precision, offset=0, fields=None, bias=None):
    kind = base.copy()
    kind.set_size(max(size, kind.get_size()))
    if fields:
        kind.set_fields(*fields)
        kind.set_ebias(bias)
    kind.set_offset(0)
    kind.set_precision(precision)
    kind.set_size(size)
    kind.set_offset(offset)
    return kind


def odd_numbers(file):
    def integers(name, kind, values, dtype="<i8"):
        dataset(file, name, kind, (len(values),), None).write(
            h5py.h5s.ALL, h5py.h5s.ALL, np.array(values, dtype))

    def floats(name, kind, values):
        integers(name, kind, values, "<f8")

    little, big, unsigned = h5py.h5t.STD_I64LE, h5py.h5t.STD_I64BE, h5py.h5t.STD_U64BE
    integers("int4_in_1", custom(little, 1, 4, 3), [0, 7, -8, -1])
    integers("int12_in_2", custom(big, 2, 12, 1), [0, 2047, -2048, -1])
    integers("int24", custom(little, 3, 24), [0, 8388607, -8388608, -1])
    integers("uint40", custom(unsigned, 5, 40), [0, (1 << 40) - 1, 1 << 39])
    integers("uint64_in_9", custom(unsigned, 9, 64, 5), [0, (1 << 64) - 1], "<u8")
    single, double = h5py.h5t.IEEE_F32LE, h5py.h5t.IEEE_F64BE
    values = [0, 1.5, -2.25, 0.25]
    floats("float8", custom(single, 1, 8, fields=(7, 3, 4, 0, 3), bias=7), values)
    floats("float24", custom(single, 3, 24, fields=(23, 16, 7, 0, 16), bias=63), values)
    floats("float32_range", custom(single, 4, 32, fields=(31, 22, 9, 0, 22), bias=255), values)
    floats("float48_big", custom(double, 6, 48, fields=(47, 36, 11, 0, 36), bias=1023), values)
    extended = np.array(values + [np.longdouble(1) / 3, 1e300], np.longdouble)
    file.create_dataset("extended", data=extended)
    file.create_dataset("extended_packed", data=extended, chunks=(4,), compression="gzip", shuffle=True)
    file.create_dataset("tagged", data=np.array([1, 2], "<u2").view("V2"))
    tagged = h5py.h5t.create(h5py.h5t.OPAQUE, 2)
    tagged.set_tag(b"two letters")
    dataset(file, "tag", tagged, (1,), None)


def unusual_chunks(file):
    # Chunks may be larger than the maximum size of a dataset that began without elements.
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((8, 4))
    space = h5py.h5s.create_simple((0, 4), (6, 4))
    grown = h5py.h5d.create(file.id, b"larger_than_maximum", h5py.h5t.IEEE_F32LE, space, plist)
    grown.set_extent((6, 4))
    ramp = np.arange(24, dtype="<f4").reshape(6, 4)
    grown.write(h5py.h5s.ALL, h5py.h5s.ALL, ramp)
    # An optional filter that the writing library does not have is skipped.
    for name, data in (("skipped_filter", ramp), ("unwritten_filter", None)):
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((2, 4))
        plist.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, (3,))
        made = h5py.h5d.create(
            file.id, name.encode(), h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((6, 4)), plist)
        if data is not None:
            made.write(h5py.h5s.ALL, h5py.h5s.ALL, data)


def fixed(length, padding, charset=h5py.h5t.CSET_ASCII):
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(length)
    kind.set_strpad(padding)
    kind.set_cset(charset)
    return kind


def attribute(target, name, kind, bytes_, shape=None):
    space = h5py.h5s.create_simple(shape) if shape else h5py.h5s.create(h5py.h5s.SCALAR)
    size = kind.get_size()
    made = h5py.h5a.create(target.id, name.encode(), kind, space)
    made.write(np.frombuffer(bytes_, f"V{size}").reshape(shape or ()), mtype=kind)


def attributes(group):
    attribute(group, "null_padded", fixed(6, h5py.h5t.STR_NULLPAD), b"ab\0\0\0\0")
    attribute(group, "null_terminated", fixed(6, h5py.h5t.STR_NULLTERM), b"ab\0xyz")
    attribute(group, "space_padded", fixed(6, h5py.h5t.STR_SPACEPAD), b"ab    ")
    attribute(group, "not_utf8", fixed(2, h5py.h5t.STR_NULLPAD), b"\xff\xfe")
    utf8 = h5py.h5t.CSET_UTF8
    attribute(group, "fixed_utf8", fixed(5, h5py.h5t.STR_NULLPAD, utf8), "häß".encode())
    group.attrs["variable_ascii"] = np.array("plain", h5py.string_dtype("ascii"))
    group.attrs["variable_utf8"] = "Größe 木"
    group.attrs["fixed_list"] = np.array([b"conv2d_1", b"x"], "S8")
    group.attrs["variable_list"] = ["first", "", "third"]
    group.attrs["empty_list"] = []
    group.attrs["integer"] = np.int32(-7)
    group.attrs["unsigned"] = np.array([1, 255], ">u1")
    group.attrs["reals"] = np.array([0.5, 1e300], ">f8")
    group.attrs["nothing"] = h5py.Empty("S4")
    group.attrs["table"] = np.zeros((2, 2), "<i4")
    group.attrs["truth"] = True
    group.attrs["pair"] = np.zeros((), [("a", "<i4")])


def links(file):
    deep = file.create_group("a/b/c")
    deep.create_dataset("data", data=np.arange(3, dtype="<i4"))
    file["soft"] = h5py.SoftLink("/a/b")
    file["a/relative"] = h5py.SoftLink("b/c/data")
    file["chain"] = h5py.SoftLink("/soft/c/data")
    file["loop1"] = h5py.SoftLink("/loop2")
    file["loop2"] = h5py.SoftLink("/loop1")
    file["dangling"] = h5py.SoftLink("/nowhere")
    file["external"] = h5py.ExternalLink("numbers.h5", "/scalar")
    file["through"] = h5py.SoftLink("/external")
    file["a/b/up"] = file["a"]
    file["a/b/c/top"] = file["/"]
    file["second"] = file["a/b/c/data"]


def patched(source, name, change):
    with open(os.path.join(folder, source), "rb") as file:
        data = bytearray(file.read())
    with open(os.path.join(folder, name), "wb") as file:
        file.write(change(data))


def move_past_the_end(data):
    with h5py.File(os.path.join(folder, "one.h5")) as file:
        offset = file["data"].id.get_offset()
    at = data.index(b"\x03\x01" + offset.to_bytes(8, "little")) + 2  # layout message, contiguous
    data[at : at + 8] = (len(data) - 4).to_bytes(8, "little")
    return data


def refer_as_old(data):
    """Writes the reference to a named type as HDF5 1.4 did, with the offset of a name."""
    with h5py.File(os.path.join(folder, "committed.h5")) as file:
        header = h5py.h5o.get_info(file["data"].id).addr
        kind = h5py.h5o.get_info(file["type"].id).addr
    start, size = header + 16, int.from_bytes(data[header + 8 : header + 12], "little")
    at, count, new = start, 0, b""
    while at < start + size:
        message, length, flags = struct.unpack_from("<HHB", data, at)
        body = bytes(data[at + 8 : at + 8 + length])
        at += 8 + length
        if message == 3:
            body = bytes([1, 0]) + bytes(6) + struct.pack("<QQ", 0, kind)
        if message != 0:
            new += struct.pack("<HHB3x", message, len(body), flags) + body
            count += 1
    rest = size - len(new) - 8
    data[start : start + size] = new + struct.pack("<HHB3x", 0, rest, 0) + bytes(rest)
    data[header + 2 : header + 4] = (count + 1).to_bytes(2, "little")
    return data


with new("numbers.h5") as made:
    numbers(made)
with new("layouts.h5") as made:
    layouts(made)
with new("refused.h5") as made:
    refused(made)
with new("odd_numbers.h5") as made:
    odd_numbers(made)
with new("unusual_chunks.h5", libver=("v110", "v110")) as made:
    unusual_chunks(made)
with new("committed.h5") as made:
    made["type"] = np.dtype("<f4")
    made.create_dataset("data", data=np.arange(4, dtype="<f4"), dtype=made["type"])
with new("opaque.h5") as made:
    halves = np.array([0x3F80, 0xC000, 0x7F7F], dtype="<u2").view("V2")
    made.create_dataset("plain", data=halves)
    made.create_dataset("packed", data=halves, chunks=(2,), compression="gzip", shuffle=True)
with new("deep_types.h5") as made:
    kind = h5py.h5t.STD_I8LE
    for level in range(40):
        kind = h5py.h5t.array_create(kind, (1,))
    dataset(made, "data", kind, (1,), None)
with new("attributes.h5") as made:
    attributes(made.create_group("group"))
with new("links.h5") as made:
    links(made)
with new("one.h5") as made:
    made.create_dataset("data", data=np.arange(4, dtype="<f4"))
with new("user_block.h5", userblock_size=1024) as made:
    made.create_dataset("data", data=np.arange(4, dtype="<f4"))
with new("latest.h5", libver=("v110", "v110")) as made:
    made.create_dataset("data", data=np.arange(4, dtype="<f4"))
    attributes(made.create_group("group"))
with new("deep.h5", libver=("v110", "v110")) as made:
    group = made
    for level in range(30):
        group = group.create_group("g")
patched("one.h5", "cut_off.h5", lambda data: data[:-100])
patched("one.h5", "past_the_end.h5", move_past_the_end)
patched("one.h5", "broken_root.h5", lambda data: data[:96] + bytes(96) + data[192:])
patched("committed.h5", "old_reference.h5", refer_as_old)
patched("latest.h5", "future.h5", lambda data: data[:8] + b"\x09" + data[9:])
with open(os.path.join(folder, "text.h5"), "w") as made:
    made.write("This is not an HDF5 file.\n")
open(os.path.join(folder, "zero_bytes.h5"), "w").close()
