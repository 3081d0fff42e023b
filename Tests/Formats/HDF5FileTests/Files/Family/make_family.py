"""Writes one small file for each way that HDF5 has to store things, next to itself, and what HDF5 reads
in each (`NAME.txt`). Needs h5py 3.16 (HDF5 2.0) and numpy; some files need libhdf5 itself, through
ctypes, since h5py has no words for them."""

import os
import sys

import h5py
import numpy as np
from h5py import h5d, h5p, h5s, h5t, h5z

from listing import listing

folder = os.path.dirname(os.path.abspath(__file__))
versions = ["earliest", "v108", "v110", "v112", "v114", "v200"]


def new(name, version="earliest", **options):
    options.setdefault("libver", (version, "v200"))
    return h5py.File(os.path.join(folder, name), "w", **options)


def create(group, name, kind, shape, data=None, plist=None, largest=None):
    space = h5s.create_simple(shape, largest) if shape is not None else h5s.create(h5s.SCALAR)
    made = h5d.create(group.id, name.encode(), kind, space, plist)
    if data is not None:
        made.write(h5s.ALL, h5s.ALL, np.ascontiguousarray(data) if data.shape else data)
    return h5py.Dataset(made)


def dcpl(chunks=None, filters=(), **settings):
    plist = h5p.create(h5p.DATASET_CREATE)
    if chunks:
        plist.set_chunk(chunks)
    for item in filters:
        if item == "deflate":
            plist.set_deflate(4)
        elif item == "shuffle":
            plist.set_shuffle()
        elif item == "fletcher32":
            plist.set_fletcher32()
        elif item == "lzf":
            plist.set_filter(h5z.FILTER_LZF, h5z.FLAG_OPTIONAL)
    if settings.get("early"):
        plist.set_alloc_time(h5d.ALLOC_TIME_EARLY)
    if settings.get("compact"):
        plist.set_layout(h5d.COMPACT)
    return plist


U = h5s.UNLIMITED
ramp = np.arange(60, dtype="<f4").reshape(6, 10)


def indexes(file):
    """Each chunk index with and without filters; edges that do not fill a chunk."""
    kind = h5t.IEEE_F32LE
    for tag, filters in (("", ()), ("_packed", ("shuffle", "deflate"))):
        create(file, "single" + tag, kind, (6, 10), ramp, dcpl((6, 10), filters))
        create(file, "implicit" + tag, kind, (6, 10), ramp, dcpl((4, 4), filters, early=True))
        create(file, "fixed" + tag, kind, (6, 10), ramp, dcpl((4, 4), filters))
        create(file, "fixed_growing" + tag, kind, (6, 10), ramp, dcpl((4, 4), filters), (9, 21))
        create(file, "growing" + tag, kind, (6, 10), ramp, dcpl((4, 4), filters), (U, 10))
        create(file, "growing_inner" + tag, kind, (6, 10), ramp, dcpl((1, 1), filters), (6, U))
        create(file, "growing_both" + tag, kind, (6, 10), ramp, dcpl((1, 1), filters), (U, U))
        create(file, "no_chunk" + tag, kind, (6, 10), None, dcpl((4, 4), filters), (U, U))
        shrunk = create(file, "shrunk" + tag, kind, (6, 10), ramp, dcpl((2, 2), filters), (U, U))
        shrunk.resize((3, 5))
    create(file, "implicit_growing", kind, (3, 5), ramp[:3, :5], dcpl((2, 2), early=True), (6, 7))
    cube = np.arange(3 * 4 * 5, dtype=">i2").reshape(3, 4, 5)
    create(file, "cube", h5t.STD_I16BE, (3, 4, 5), cube, dcpl((2, 3, 2), ("deflate",)))
    create(file, "rows", h5t.STD_I16BE, (3, 4, 5), cube, dcpl((1, 4, 5)))
    create(file, "larger", kind, (6, 10), ramp, dcpl((16, 16)), (U, U))


def pages(file):
    """Arrays of chunks that are cut into pages, of which some are not there."""
    kind = h5t.STD_U8LE
    for name, largest in (("fixed", None), ("growing", (U,))):
        made = create(file, name, kind, (3000,), None, dcpl((1,)), largest)
        for index in (0, 7, 1023, 2500, 2999):
            made[index] = index % 251 + 1
        made = create(file, name + "_packed", kind, (3000,), None, dcpl((1,), ("fletcher32",)), largest)
        made[2100:2110] = 9
    made = create(file, "far", kind, (300_000,), None, dcpl((1,)), (U,))
    for index in (3, 100, 5_000, 140_000, 299_999):
        made[index] = index % 250 + 1
    many = create(file, "many", kind, (40, 30), None, dcpl((1, 1)), (U, U))
    many[...] = np.arange(1200, dtype="u1").reshape(40, 30)


def layouts(file):
    kind = h5t.IEEE_F32LE
    create(file, "contiguous", kind, (6, 10), ramp)
    create(file, "compact", kind, (6, 10), ramp, dcpl(compact=True))
    create(file, "scalar", kind, None, np.array(2.5, "<f4"))
    create(file, "compact_scalar", kind, None, np.array(2.5, "<f4"), dcpl(compact=True))
    file.create_dataset("empty", shape=(0, 3), dtype="<f4")
    file.create_dataset("empty_chunked", shape=(0, 3), dtype="<f4", maxshape=(None, 3))
    file.create_dataset("no_space", data=h5py.Empty("<f4"))
    file.create_dataset("unwritten", shape=(4,), dtype="<i4")
    file.create_dataset("unwritten_filled", shape=(4,), dtype=">i4", fillvalue=-7)
    file.create_dataset("partly", shape=(9,), dtype=">i4", fillvalue=-7, chunks=(4,))[3:5] = 1
    file.create_dataset("partly_zero", shape=(9,), dtype="<i4", chunks=(4,))[3:5] = 1
    never = dcpl((4,))
    never.set_fill_value(np.array(5, "<i4"))
    never.set_fill_time(h5d.FILL_TIME_NEVER)
    create(file, "never_filled", h5t.STD_I32LE, (9,), None, never)


def filters(file):
    data = np.tile(np.arange(40, dtype="<i4"), 10)
    noise = np.random.default_rng(1).integers(0, 1 << 31, 400).astype("<i4")
    for names in (
        "deflate", "shuffle", "fletcher32", "lzf", "shuffle deflate", "shuffle lzf",
        "deflate fletcher32", "fletcher32 deflate", "deflate shuffle", "deflate deflate", "lzf deflate",
        "lzf fletcher32 shuffle", "shuffle deflate fletcher32", "fletcher32 fletcher32",
    ):
        tag = names.replace(" ", "_")
        for name, values in ((tag, data), (tag + "_noise", noise)):
            create(file, name, h5t.STD_I32LE, (400,), values, dcpl((64,), names.split()))
    odd = np.arange(33, dtype="u1")
    create(file, "odd", h5t.STD_U8LE, (33,), odd, dcpl((11,), ["fletcher32"]))
    skipped = create(file, "skipped", h5t.STD_I32LE, (8,), None, dcpl((4,), ["shuffle", "deflate"]))
    skipped.id.write_direct_chunk((0,), np.arange(4, dtype="<i4").tobytes(), 0b11)
    import zlib

    skipped.id.write_direct_chunk((4,), zlib.compress(np.arange(4, 8, dtype="<i4").tobytes()), 0b01)


def numbers(file):
    six = np.array([[0.5, -1.25, 2.0], [3.5, -4.0, 65504.0]])
    for order in "<>":
        for kind in ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
            name = f"{'little' if order == '<' else 'big'}_{kind}"
            data = np.abs(six).astype(order + kind) if kind[0] == "u" else six.astype(order + kind)
            with np.errstate(all="ignore"):
                file.create_dataset(name, data=data, chunks=(2, 2) if kind == "f4" else None)
    brain = h5t.IEEE_F16BE.copy()
    brain.set_fields(15, 7, 8, 0, 7)
    brain.set_ebias(127)
    bits = np.array([0x3F80, 0xC000, 0x7F7F], ">u2")
    space = h5s.create_simple((3,))
    made = h5d.create(file.id, b"brain", brain, space)
    made.write(h5s.ALL, h5s.ALL, bits, mtype=brain)
    file["enumeration"] = np.array([0, 1], h5py.enum_dtype({"RED": 0, "GREEN": 1}, ">i2"))
    file["truth"] = np.array([True, False])
    array = h5t.array_create(h5t.IEEE_F32BE, (2, 3))
    made = h5d.create(file.id, b"array", array, h5s.create_simple((2,)), dcpl((1,)))
    made.write(h5s.ALL, h5s.ALL, np.arange(12, dtype=">f4").reshape(2, 6).view("V24"), mtype=array)
    file["one_member"] = np.array([(1.5,), (2.5,)], [("only", ">f4")])
    file["pair"] = np.zeros(2, [("a", "<f4"), ("b", "<i4")])
    file["text"] = "text"
    file["fixed_text"] = np.array([b"ab", b"c"])
    file["named"] = np.dtype(">i4")
    file.create_dataset("of_named_type", data=np.arange(3), dtype=file["named"])
    file["opaque"] = np.void(b"abc")
    file["brains"] = np.array([1, 2], "<u2").view("V2")
    file["reference"] = np.array([file.ref], h5py.ref_dtype)


def names(file):
    for count in (0, 1, 7, 8, 9, 40):
        group = file.create_group(f"group_{count}")
        for index in range(count):
            group.create_group(f"member {index} größe 木" if index % 3 == 0 else f"m{index}")
    ordered = file.create_group("ordered", track_order=True)
    for index in range(20):
        ordered.create_group(f"z{20 - index}")
    file["soft"] = h5py.SoftLink("/group_1")
    file["ordered/relative"] = h5py.SoftLink("z3")
    file["external"] = h5py.ExternalLink("numbers.h5", "/scalar")
    file["group_9/up"] = file["/"]
    file["a" * 300] = h5py.SoftLink("b" * 3000)
    file["data"] = np.arange(3, dtype="<i4")
    file["group_8/data"] = file["data"]


def attributes(file):
    for count in (0, 1, 8, 9, 60):
        group = file.create_group(f"attributes_{count}")
        for index in range(count):
            group.attrs[f"größe {index}" if index % 5 == 0 else f"a{index}"] = index
    file.create_dataset("ordered", data=1, track_order=True).attrs.update(
        {f"x{i}": f"value {i}" for i in range(12)})
    group = file.create_group("kinds")
    group.attrs["variable"] = "Größe 木"
    group.attrs["variable_list"] = ["first", "", "third" * 200]
    group.attrs["many"] = [f"text {i} " * (i % 40) for i in range(60)]
    group.attrs["fixed_list"] = np.array([b"conv2d_1", b"x"], "S8")
    group.attrs["integer"] = np.int32(-7)
    group.attrs["large"] = np.uint64((1 << 64) - 1)
    group.attrs["big"] = np.array([1, -2, 300], ">i2")
    group.attrs["reals"] = np.array([0.5, 1e300, -0.0, np.inf, 5e-324], ">f8")
    group.attrs["halves"] = np.array([0.5, 65504, 6e-8, np.nan], "<f2")
    group.attrs["extended"] = np.array([1.5, -2.25, 1 / 3], np.longdouble)
    group.attrs["truth"] = True
    group.attrs["empty_list"] = []
    group.attrs["nothing"] = h5py.Empty("S4")
    group.attrs["table"] = np.zeros((2, 2), "<i4")
    group.attrs["pair"] = np.zeros((), [("a", "<i4"), ("b", "<i4")])
    group.attrs["array"] = np.arange(3.0)
    file["named"] = np.dtype("<f4")
    group.attrs.create("of_named_type", 2.5, dtype=file["named"])
    narrow = h5t.STD_I32BE.copy()
    narrow.set_precision(12)
    narrow.set_offset(5)
    space = h5s.create_simple((4,))
    made = h5py.h5a.create(group.id, b"narrow", narrow, space)
    made.write(np.array([1, -1, 2047, -2048], "<i8"), mtype=h5t.NATIVE_INT64)
    odd = h5t.IEEE_F32LE.copy()
    odd.set_fields(31, 22, 9, 0, 22)
    odd.set_ebias(200)
    made = h5py.h5a.create(group.id, b"odd_reals", odd, space)
    made.write(np.array([1, -1.75, 1e-20, 3e20]), mtype=h5t.NATIVE_DOUBLE)


def large(file):
    """An attribute too large for a header, and many of some size."""
    file.attrs["huge"] = np.arange(17_000, dtype="<i4")
    group = file.create_group("many")
    for index in range(12):
        group.attrs[f"a{index}"] = np.full(500, index, "<i4")


def make(name, fill, version="earliest", **options):
    with new(name, version, **options) as made:
        fill(made)


parts = {
    "indexes": indexes, "layouts": layouts, "filters": filters, "numbers": numbers,
    "names": names, "attributes": attributes,
}


def main():
    for name, fill in parts.items():
        for version in versions if name in ("layouts", "numbers") else ("earliest", "v110", "v200"):
            make(f"{name}_{version}.h5", fill, version)
    make("pages_v110.h5", pages, "v110")
    make("pages_v200.h5", pages, "v200")
    make("large_v110.h5", large, "v110")
    make("user_block.h5", layouts, "v110", userblock_size=2048)
    for width in (4, 2):
        fcpl = h5p.create(h5p.FILE_CREATE)
        fcpl.set_sizes(width, width)
        fapl = h5p.create(h5p.FILE_ACCESS)
        for version, bound in (("earliest", h5py.h5f.LIBVER_EARLIEST), ("v110", h5py.h5f.LIBVER_V110)):
            fapl.set_libver_bounds(bound, h5py.h5f.LIBVER_LATEST)
            path = os.path.join(folder, f"sizes_{width}_{version}.h5").encode()
            with h5py.File(h5py.h5f.create(path, h5py.h5f.ACC_TRUNC, fcpl, fapl)) as made:
                small = names if width == 4 else lambda file: file.create_dataset("data", data=ramp)
                small(made)
                if width == 4:
                    attributes(made.create_group("attributes"))
                    if version == "earliest":  # HDF5 itself takes unlimited sizes of 4 bytes for numbers
                        indexes(made.create_group("indexes"))
    for strategy in ("fsm", "page", "aggregate", "none"):
        make(f"space_{strategy}.h5", layouts, "v110", fs_strategy=strategy)
    import library

    library.main(folder)
    for name in sorted(os.listdir(folder)):
        if name.endswith(".h5"):
            with open(os.path.join(folder, name[:-3] + ".txt"), "w") as out:
                out.write("".join(line + "\n" for line in listing(os.path.join(folder, name))))


if __name__ == "__main__":
    sys.exit(main())
