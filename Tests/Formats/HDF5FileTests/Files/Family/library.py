"""Files that h5py has no words for, written with libhdf5 through ctypes."""

import ctypes
import ctypes.util
import glob
import os

import numpy as np


def load():
    """The library that h5py brings, or that of the system."""
    import h5py

    own = os.path.join(os.path.dirname(h5py.__file__), "..", "h5py.libs", "libhdf5-*.so*")
    path = (glob.glob(own) or [ctypes.util.find_library("hdf5_serial")])[0]
    lib = ctypes.CDLL(path)
    for name in ("H5Pcreate", "H5Fcreate", "H5Gcreate2", "H5Dcreate2", "H5Screate_simple", "H5Acreate2"):
        getattr(lib, name).restype = ctypes.c_int64
    lib.H5open()
    return lib


class HDF5:
    def __init__(self):
        self.lib = load()

    def __getattr__(self, name):
        function = getattr(self.lib, name)

        def call(*arguments):
            wide = [ctypes.c_int64(a) if isinstance(a, int) else a for a in arguments]
            result = function(*wide)
            if result < 0:
                raise OSError(f"{name} failed")
            return result

        return call

    def constant(self, name):
        return ctypes.c_int64.in_dll(self.lib, name).value

    def plist(self, kind):
        return self.H5Pcreate(self.constant(f"H5P_CLS_{kind}_ID_g"))

    def file(self, path, fcpl=0, low=2):
        fapl = self.plist("FILE_ACCESS")
        self.H5Pset_libver_bounds(fapl, low, max(low, 1))
        return self.H5Fcreate(path.encode(), 2, fcpl, fapl)

    def group(self, parent, name, gcpl=0):
        return self.H5Gcreate2(parent, name.encode(), 0, gcpl, 0)

    def attribute(self, owner, name, values):
        sizes = (ctypes.c_uint64 * 1)(len(values))
        space = self.H5Screate_simple(1, sizes, None)
        kind = self.constant("H5T_STD_I32LE_g")
        data = np.array(values, "<i4")
        made = self.H5Acreate2(owner, name.encode(), kind, space, 0, 0)
        self.H5Awrite(made, kind, data.ctypes.data_as(ctypes.c_void_p))
        self.H5Aclose(made)

    def dataset(self, parent, name, values, dcpl=0):
        sizes = (ctypes.c_uint64 * len(values.shape))(*values.shape)
        space = self.H5Screate_simple(len(values.shape), sizes, None)
        kind = self.constant("H5T_STD_I32LE_g")
        made = self.H5Dcreate2(parent, name.encode(), kind, space, 0, dcpl, 0)
        self.H5Dwrite(made, kind, 0, 0, 0, values.ctypes.data_as(ctypes.c_void_p))
        return made


def shared(hdf5, path, list_limit, low):
    """Messages that objects share: datatypes, dataspaces, fill values, filters and attributes."""
    fcpl = hdf5.plist("FILE_CREATE")
    hdf5.H5Pset_shared_mesg_nindexes(fcpl, 2)
    hdf5.H5Pset_shared_mesg_index(fcpl, 0, 0x1000, 8)  # attributes
    hdf5.H5Pset_shared_mesg_index(fcpl, 1, 0x082A, 8)  # all others
    hdf5.H5Pset_shared_mesg_phase_change(fcpl, list_limit, list_limit // 2)
    file = hdf5.file(path, fcpl, low)
    for index in range(8):
        group = hdf5.group(file, f"g{index}")
        for number in range(12 if index == 7 else 3):
            hdf5.attribute(group, f"a{number}", [number] * 40)
        dcpl = hdf5.plist("DATASET_CREATE")
        hdf5.H5Pset_chunk(dcpl, 2, (ctypes.c_uint64 * 2)(2, 3))
        hdf5.H5Pset_shuffle(dcpl)
        hdf5.H5Pset_deflate(dcpl, 3)
        hdf5.dataset(group, "data", np.arange(20, dtype="<i4").reshape(4, 5), dcpl)
    hdf5.H5Fclose(file)


def packed_heap(hdf5, path):
    """A group whose names are in a packed fractal heap, of one block and of many."""
    file = hdf5.file(path)
    for name, count in (("few", 10), ("many", 400)):
        gcpl = hdf5.plist("GROUP_CREATE")
        hdf5.H5Pset_link_phase_change(gcpl, 0, 0)
        hdf5.H5Pset_deflate(gcpl, 6)
        group = hdf5.group(file, name, gcpl)
        for index in range(count):
            hdf5.H5Lcreate_soft(b"/few", group, f"a long name that is packed well, number {index}".encode(), 0, 0)
    hdf5.H5Fclose(file)


def edges(hdf5, path):
    """Chunks that reach over the edge go without filters."""
    file = hdf5.file(path)
    for name, largest in (("fixed", None), ("growing", 1)):
        dcpl = hdf5.plist("DATASET_CREATE")
        hdf5.H5Pset_chunk(dcpl, 2, (ctypes.c_uint64 * 2)(4, 3))
        hdf5.H5Pset_deflate(dcpl, 3)
        hdf5.H5Pset_chunk_opts(dcpl, 2)
        hdf5.dataset(file, name, np.arange(60, dtype="<i4").reshape(6, 10), dcpl)
    hdf5.H5Fclose(file)


def ranks(hdf5, path):
    """B-trees whose nodes hold few, which takes a superblock of version 1."""
    fcpl = hdf5.plist("FILE_CREATE")
    hdf5.H5Pset_istore_k(fcpl, 2)
    hdf5.H5Pset_sym_k(fcpl, 2, 1)
    file = hdf5.file(path, fcpl, 0)
    for index in range(60):
        hdf5.group(file, f"group {index}")
    dcpl = hdf5.plist("DATASET_CREATE")
    hdf5.H5Pset_chunk(dcpl, 2, (ctypes.c_uint64 * 2)(1, 1))
    hdf5.dataset(file, "data", np.arange(200, dtype="<i4").reshape(10, 20), dcpl)
    hdf5.H5Fclose(file)


def main(folder):
    hdf5 = HDF5()
    shared(hdf5, os.path.join(folder, "shared_list.h5"), 50, 1)
    shared(hdf5, os.path.join(folder, "shared_tree.h5"), 2, 2)
    packed_heap(hdf5, os.path.join(folder, "packed_heap.h5"))
    edges(hdf5, os.path.join(folder, "edges.h5"))
    ranks(hdf5, os.path.join(folder, "ranks.h5"))
