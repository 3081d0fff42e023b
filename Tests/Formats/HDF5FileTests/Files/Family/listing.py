"""Lists what HDF5 reads in a file, as `FileListing.swift` lists what we read. Needs h5py and numpy."""

import json
import struct
import zlib

import h5py
import numpy as np
from h5py import h5a, h5d, h5s, h5t

NATIVE = {"f": {2: "float16", 4: "float32", 8: "float64"}}


def element(kind):
    """The name of the element type, whether it is big-endian, and inner dimensions; or None."""
    size = kind.get_size()
    if isinstance(kind, h5t.TypeArrayID):
        inner = element(kind.get_super())
        return inner and (inner[0], inner[1], list(kind.get_array_dims()) + inner[2])
    if isinstance(kind, h5t.TypeCompoundID):
        if kind.get_nmembers() == 1 and kind.get_member_type(0).get_size() == size:
            return element(kind.get_member_type(0))
        return None
    if isinstance(kind, h5t.TypeEnumID):
        names = {kind.get_member_name(i): kind.get_member_value(i) for i in range(kind.get_nmembers())}
        if size == 1 and names == {b"FALSE": 0, b"TRUE": 1}:
            return "bool", False, []
        return element(kind.get_super())
    if isinstance(kind, h5t.TypeOpaqueID):
        return ("bfloat16", False, []) if size == 2 and not kind.get_tag() else None
    if isinstance(kind, h5t.TypeFloatID):
        order = kind.get_order()
        fields = kind.get_fields() + (kind.get_ebias(), kind.get_precision(), kind.get_offset())
        names = {
            (15, 10, 5, 0, 10, 15, 16, 0): "float16", (15, 7, 8, 0, 7, 127, 16, 0): "bfloat16",
            (31, 23, 8, 0, 23, 127, 32, 0): "float32",
            (63, 52, 11, 0, 52, 1023, 64, 0): "float64",
        }
        if fields not in names or order not in (h5t.ORDER_LE, h5t.ORDER_BE):
            return None
        return names[fields], order == h5t.ORDER_BE, []
    if isinstance(kind, h5t.TypeIntegerID):
        if kind.get_precision() != 8 * size or size not in (1, 2, 4, 8):
            return None
        sign = "int" if kind.get_sign() == h5t.SGN_2 else "uint"
        return f"{sign}{8 * size}", kind.get_order() == h5t.ORDER_BE, []
    return None


def contents(dataset, big):
    kind = dataset.get_type()
    shape = dataset.get_space().get_simple_extent_dims() or ()
    array = np.zeros(shape, f"V{kind.get_size()}")
    dataset.read(h5s.ALL, h5s.ALL, array, mtype=kind)
    data = array.tobytes()
    width = big[1]
    if big[0] and width > 1:
        data = np.frombuffer(data, f">u{width}").astype(f"<u{width}").tobytes()
    return data


WIDTHS = {"8": 1, "16": 2, "32": 4, "64": 8}


def width(name):
    return 1 if name == "bool" else WIDTHS[name.lstrip("bfloatuint")]


def dataset_line(path, dataset):
    kind = dataset.get_type()
    found = element(kind)
    if found is None or dataset.get_space().get_simple_extent_type() == h5s.NULL:
        return f"{path} dataset of another type"
    name, big, inner = found
    shape = list(dataset.get_space().get_simple_extent_dims() or ()) + inner
    data = contents(dataset, (big, width(name)))
    return f"{path} dataset {name} {shape} {zlib.crc32(data):08x}"


def text(data, padding):
    if padding == h5t.STR_NULLTERM:
        data = data.split(b"\0")[0]
    elif padding == h5t.STR_SPACEPAD:
        data = data.rstrip(b" ")
    else:
        data = data.rstrip(b"\0")
    return data.decode()


def attribute_value(owner, name):
    attribute = h5a.open(owner, name)
    kind, space = attribute.get_type(), attribute.get_space()
    is_null = space.get_simple_extent_type() == h5s.NULL
    shape = () if is_null else space.get_simple_extent_dims()
    memory = kind
    if isinstance(kind, h5t.TypeEnumID):
        memory = kind.get_super()
    if len(shape) > 1:
        return "of another type"
    count = 0 if is_null else int(np.prod(shape, dtype=int))
    if isinstance(kind, h5t.TypeStringID):
        if count == 0:
            return "strings []"
        if kind.is_variable_str():
            array = np.empty(shape, dtype=h5py.string_dtype())
            attribute.read(array)
            # A string that was never written is none.
            texts = [(x or b"").decode() if not isinstance(x, str) else x for x in array.ravel()]
        else:
            array = np.zeros(shape, f"V{kind.get_size()}")
            attribute.read(array, mtype=kind)
            size = kind.get_size()
            data = array.tobytes()
            texts = [text(data[i : i + size], kind.get_strpad()) for i in range(0, len(data), size)]
        return "strings " + json.dumps(texts, ensure_ascii=False, separators=(", ", ": "))
    if isinstance(kind, h5t.TypeFloatID):
        array = np.zeros(shape, "<f8")
        if count:
            attribute.read(array, mtype=h5t.NATIVE_DOUBLE)
        bits = [struct.unpack("<Q", struct.pack("<d", x))[0] for x in np.atleast_1d(array).ravel()]
        return "reals " + " ".join(f"{x:016x}" for x in bits[:count])
    if isinstance(memory, h5t.TypeIntegerID):
        if isinstance(kind, h5t.TypeEnumID):
            raw = np.zeros(shape, f"V{kind.get_size()}")
            attribute.read(raw, mtype=kind)
            order = ">" if memory.get_order() == h5t.ORDER_BE else "<"
            sign = "i" if memory.get_sign() == h5t.SGN_2 else "u"
            array = np.frombuffer(raw.tobytes(), f"{order}{sign}{kind.get_size()}")
        else:
            array = np.zeros(shape, "<i8")
            if count:
                attribute.read(array, mtype=h5t.NATIVE_INT64)
        values = [int(x) for x in np.atleast_1d(array).ravel()][:count]
        return "integers " + " ".join(str(x) for x in values)
    return "of another type"


def attribute_lines(path, owner):
    names = []
    h5a.iterate(owner, lambda name: names.append(name), index_type=h5py.h5.INDEX_NAME)
    return [f"{path}@{name.decode()} {attribute_value(owner, name)}" for name in sorted(names)]


def listing(path):
    """The lines of a file: groups first, members by name, each group once."""
    lines, entered = [], set()
    with h5py.File(path, "r") as file:
        lines += attribute_lines("/", file.id)
        waiting = ["/"]
        while waiting:
            above = waiting.pop()
            group = file[above] if above != "/" else file["/"]
            entered.add(h5py.h5o.get_info(group.id).addr)
            names = []
            group.id.links.iterate(lambda name: names.append(name))
            for name in sorted(names):
                member = (above if above.endswith("/") else above + "/") + name.decode()
                kind = group.id.links.get_info(name).type
                if kind == h5py.h5l.TYPE_SOFT:
                    lines.append(f"{member} soft link")
                elif kind == h5py.h5l.TYPE_EXTERNAL:
                    lines.append(f"{member} external link")
                elif kind != h5py.h5l.TYPE_HARD:
                    lines.append(f"{member} object of another kind")
                else:
                    target = h5py.h5o.open(group.id, name)
                    if isinstance(target, h5py.h5g.GroupID):
                        lines.append(f"{member} group")
                        info = h5py.h5o.get_info(target).addr
                        if info not in entered:
                            entered.add(info)
                            waiting.append(member)
                    elif isinstance(target, h5d.DatasetID):
                        lines.append(dataset_line(member, target))
                    else:
                        lines.append(f"{member} object of another kind")
                    lines += attribute_lines(member, target)
    return lines


if __name__ == "__main__":
    import sys

    print("\n".join(listing(sys.argv[1])))
