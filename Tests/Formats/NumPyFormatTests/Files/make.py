"""Makes the files of this folder with the real NumPy. Run it here: python3 make.py

The array "values" is 0, 1, 2, ... in the shape of the file; the Swift tests rely on that.
"""
import io
import struct
import zipfile

import ml_dtypes
import numpy as np

TYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def values(dtype, shape=(2, 3)):
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


for name in TYPES:
    np.save(f"little-{name}.npy", values("<" + name))
    np.save(f"big-{name}.npy", values(">" + name))
np.save("bool.npy", np.array([[True, False], [False, True]]))
np.save("fortran.npy", np.asfortranarray(values("<f4", (2, 3, 4))))
np.save("fortran-big.npy", np.asfortranarray(values(">i4", (3, 5))))
np.save("fortran-vector.npy", np.asfortranarray(values("<f4", (1, 6, 1))))
np.save("scalar.npy", np.array(5, dtype="<i4"))
np.save("vector.npy", values("<i4", (4,)))
np.save("empty.npy", np.zeros((3, 0, 2), dtype="<f4"))
np.save("empty-fortran.npy", np.asfortranarray(np.zeros((3, 0, 2), dtype=">f4")))
for version in [(1, 0), (2, 0), (3, 0)]:
    with open(f"version-{version[0]}.npy", "wb") as file:
        np.lib.format.write_array(file, values("<f4"), version=version)

# What is refused by name.
np.save("refused-object.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
np.save("refused-text.npy", np.array(["a", "b"]))
np.save("refused-complex.npy", values("<c8"))
np.save("refused-date.npy", np.array(["2020-01-01"], dtype="<M8[D]"))
np.save("refused-structure.npy", np.zeros(2, dtype=[("x", "<f4"), ("y", "<i2")]))
raw = io.BytesIO()
np.lib.format.write_array(raw, np.zeros(3, dtype="V2"))
open("refused-bfloat16.npy", "wb").write(raw.getvalue())
np.save("bfloat16.npy", values("<f4").astype(ml_dtypes.bfloat16))

pair = {"x": values("<f4"), "outer/inner/layer:1": values(">i8", (3,)), "größe": values("<u2")}
np.savez("stored.npz", **pair)
np.savez_compressed("deflated.npz", **pair, zeros=np.zeros((100, 100), dtype="<f4"))
np.savez("empty.npz")


def member(array):
    data = io.BytesIO()
    np.lib.format.write_array(data, array)
    return data.getvalue()


def archive(name, members, method=zipfile.ZIP_STORED, comment=b""):
    with zipfile.ZipFile(name, "w", method) as file:
        file.comment = comment
        for key, data in members:
            file.writestr(zipfile.ZipInfo(key), data, compress_type=method)


one = member(values("<f4"))
archive("commented.npz", [("x.npy", one)], comment=b"made by hand")
archive("refused-method.npz", [("x.npy", one)], method=zipfile.ZIP_BZIP2)
archive("refused-member.npz", [("x.npy", one), ("notes.txt", b"hello")])
archive("refused-pickle.npz", [("x.npy", open("refused-object.npy", "rb").read())])

# An archive that claims to be encrypted: bit 0 of the flags, in both headers.
data = bytearray(open("commented.npz", "rb").read())
data[6] |= 1
data[data.index(b"PK\x01\x02") + 8] |= 1
open("refused-encrypted.npz", "wb").write(data)

# A member twice (zipfile only warns).
import warnings

warnings.simplefilter("ignore")
archive("refused-twice.npz", [("x.npy", one), ("x.npy", one)])

# A member inside another: its header is among the elements of the first.
data = open("commented.npz", "rb").read()
inner = data[: data.index(b"PK\x01\x02")].replace(b"x.npy", b"y.npy", 1)
outer = io.BytesIO()
with zipfile.ZipFile(outer, "w") as file:
    file.writestr(zipfile.ZipInfo("x.npy"), member(np.frombuffer(inner, dtype="u1")))
outer = outer.getvalue()
start, end = outer.index(b"PK\x01\x02"), outer.index(b"PK\x05\x06")
entry = bytearray(data[data.index(b"PK\x01\x02") : data.index(b"PK\x05\x06")])
entry = entry.replace(b"x.npy", b"y.npy")
struct.pack_into("<I", entry, 42, outer.index(inner))
tail = bytearray(outer[end:])
struct.pack_into("<HHI", tail, 8, 2, 2, end - start + len(entry))
open("refused-shared.npz", "wb").write(outer[:end] + bytes(entry) + bytes(tail))

# A size that deflate cannot reach.
archive("refused-ratio.npz", [("x.npy", one)], method=zipfile.ZIP_DEFLATED)
data = bytearray(open("refused-ratio.npz", "rb").read())
struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, 0xFFFFFFF0)
open("refused-ratio.npz", "wb").write(data)
