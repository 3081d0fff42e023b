#!/usr/bin/env python3
"""Reference reader of .wbm files, version 1: it checks every rule that wbm.md has for readers.

It needs NumPy, xxhash, and wbm_header.py, wbm_encodings.py and wbm.proto beside it, and no protobuf library. As a
command it checks whole files:

    python3 reader.py [--schema FILE] [--header FILE] MODEL.wbm...

It prints a summary of each, or the class of its error with the reason. The exit status is 0, or that
of the last error's class in STATUS. --schema and --header cut these parts out of the file for protoc.

    import reader
    file = reader.open_file("model.wbm")    # checks everything but the tensors' bytes
    file.check_tensors()                    # checks these too
    file.header["graph"]["nodes"]           # messages are dictionaries; what is absent is None
    file.tensor(0)                          # a NumPy array
    reader.within(got, want, file.header["references"][0]["tolerance"])
"""

import argparse
import math
import mmap
import struct
import sys

import numpy
import xxhash

import wbm_encodings
from wbm_header import ENUMS, LIMITS, Decoder, WBMError, refuse

MAGIC = bytes.fromhex("d7 57 42 4d 0d 0a 1a 0a")
PREVIEW_MAGIC = bytes.fromhex("89 57 42 4d 0d 0a 1a 0a")
STATUS = {"malformed": 10, "unsupported": 11, "damaged": 12, "truncated": 13, "limit": 14}

DTYPES = {
    "FLOAT16": "<f2", "BFLOAT16": "<u2", "FLOAT32": "<f4", "FLOAT64": "<f8", "INT8": "i1",
    "INT16": "<i2", "INT32": "<i4", "INT64": "<i8", "UINT8": "u1", "UINT16": "<u2",
    "UINT32": "<u4", "UINT64": "<u8", "BOOL": "u1"}
DTYPES = {f"ELEMENT_TYPE_{name}": dtype for name, dtype in DTYPES.items()}


# --- The rules between the parts of the header.

def check_names(names, what, known=None):
    """Names are unique and not empty, and stand in the order of those that are known."""
    refuse("" in names, f"one of the {what} has no name")
    refuse(len(set(names)) < len(names), f"two of the {what} have one name")
    if known is not None:
        refuse(not set(names) <= set(known), f"the {what} {names} are not among {known}")
        refuse(names != [name for name in known if name in names], f"the {what} are out of order")


def check_sorted(names, what):
    check_names(names, what)
    refuse(names != sorted(names, key=str.encode), f"the {what} are not sorted")


def takes(value, number):
    """Whether an input may be an array of this number in a run that does not give it."""
    sizes = [dimension["fixed"] for dimension in value["dimensions"]]
    dtype = numpy.dtype(DTYPES[value["element_type"]])
    if not math.isfinite(number) or None in sizes or math.prod(sizes) > 1 << 26:
        return False
    if value["element_type"] == "ELEMENT_TYPE_BOOL":
        fits = number in (0, 1)
    elif dtype.kind == "f" or value["element_type"] == "ELEMENT_TYPE_BFLOAT16":
        fits = True
    else:
        fits = number.is_integer() and numpy.iinfo(dtype).min <= int(number) <= numpy.iinfo(dtype).max
    return fits


def names_of(entries, key="name"):
    return [entry[key] for entry in entries]


class Rules:
    """Checks the rules of wbm.md between the parts of a header."""

    def __init__(self, header):
        self.header, self.tensors, self.named = header, header["tensors"], 0
        check_names(names_of(self.tensors), "tensors")
        for part in ("graph", "description", "provenance"):
            refuse(header[part] is None, f"there is no {part}")
        refuse(not header["graph"]["outputs"], "the model has no output")
        self.graph(header["graph"], 1)
        for references in header["references"]:
            self.reference_set(references, header["graph"])
        refuse(self.named < len(self.tensors), f"nothing names tensor {self.named}")
        self.description(header["description"], header["graph"])
        self.provenance(header["provenance"])
        if header["compaction"] is not None:
            self.compaction(header["compaction"], header["graph"])
        if header["quantization"] is not None:
            self.quantization(header["quantization"], header["graph"])

    def tensor(self, position):
        """A tensor that something names; they are named in the order of the table."""
        refuse(position >= len(self.tensors), f"there is no tensor {position}")
        refuse(position > self.named, f"tensor {position} is named before tensor {self.named}")
        self.named = max(self.named, position + 1)
        return self.tensors[position]

    def graph(self, graph, level):
        refuse(level > LIMITS["graph levels"], "graphs are nested too deeply", "limit")
        values, inputs = graph["values"], graph["inputs"]
        for part in ("values", "nodes", "inputs", "outputs"):
            check_names(names_of(graph[part]), part)
        for position, port in enumerate(inputs):
            refuse(port["value"] >= len(values), f"input {port['name']} has no value")
            refuse(port["value"] != position or values[position]["tensor"] is not None,
                   f"input {port['name']} is not value {position}")
        computed = len(inputs)
        while computed < len(values) and values[computed]["tensor"] is not None:
            computed += 1
        constants, unread = computed, len(inputs)
        for value in values[computed:]:
            refuse(value["tensor"] is not None, f"the constant {value['name']} is out of order")
        for value in values:
            self.value(value)
        for node in graph["nodes"]:
            refuse(not node["kind"] or node["version"] < 1, f"{node['name']} has no kind or version")
            check_sorted(names_of(node["attributes"]), "attributes")
            for attribute in node["attributes"]:
                members = [key for key, member in attribute.items() if key != "name"
                           and member is not None]
                refuse(len(members) != 1, f"the attribute {attribute['name']} has no value")
            for position in node["inputs"]:
                refuse(position >= computed, f"{node['name']} reads value {position} too early")
                if unread <= position < constants:
                    refuse(position > unread, f"the constant {position} is read before {unread}")
                    unread += 1
            for position in node["outputs"]:
                refuse(position != computed or position >= len(values),
                       f"{node['name']} computes value {position}, not {computed}")
                computed += 1
            for subgraph in node["subgraphs"]:
                self.graph(subgraph, level + 1)
        for port in graph["outputs"]:
            refuse(port["value"] >= computed, f"output {port['name']} has no value")
        refuse(computed < len(values), f"nothing computes value {computed}")
        refuse(unread < constants, f"no node reads the constant {unread}")

    def value(self, value):
        for size in value["dimensions"]:
            refuse(size["symbol"] == "", f"{value['name']} has an empty symbol")
            refuse(size["fixed"] is not None and size["fixed"] < 0, "a negative size")
        if value["tensor"] is not None:
            tensor = self.tensor(value["tensor"])
            sizes = [size["fixed"] for size in value["dimensions"]]
            refuse(tensor["element_type"] != value["element_type"] or tensor["shape"] != sizes,
                   f"the constant {value['name']} is not as its tensor")

    def reference_set(self, references, graph):
        check_names(names_of(references["inputs"]), "inputs", names_of(graph["inputs"]))
        check_names(names_of(references["outputs"]), "outputs", names_of(graph["outputs"]))
        check_names(names_of(references["layer_outputs"]), "layer outputs")
        refuse(len(references["inputs"]) != len(graph["inputs"]), "an input has no array")
        refuse(not references["outputs"] and not references["layer_outputs"], "no array of an output")
        tolerance, sizes = references["tolerance"], {}
        refuse(tolerance is None, "a reference set has no tolerance")
        for bound in (tolerance["absolute"], tolerance["relative"]):
            refuse(not math.isfinite(bound) or bound < 0, f"the tolerance is {bound}")
        relative = tolerance["relative_l2"]
        refuse(relative is not None and (
            not math.isfinite(relative) or relative < 0 or tolerance["absolute"] != 0
            or tolerance["relative"] != 0), f"the tolerance is {relative} x ||expected||, and another")
        for part in ("inputs", "outputs"):
            values = {port["name"]: graph["values"][port["value"]] for port in graph[part]}
            for array in references[part]:
                tensor, value = self.tensor(array["tensor"]), values[array["name"]]
                refuse(part == "inputs" and tensor["element_type"] != value["element_type"],
                       f"the array of {array['name']} has another element type")
                fits = len(tensor["shape"]) == len(value["dimensions"])
                for size, dimension in zip(tensor["shape"], value["dimensions"]):
                    symbol = dimension["symbol"]
                    fits &= dimension["fixed"] in (None, size)
                    fits &= symbol is None or sizes.setdefault(symbol, size) == size
                refuse(not fits, f"the array of {array['name']} has another shape")
        for array in references["layer_outputs"]:
            self.tensor(array["tensor"])

    def description(self, description, graph):
        inputs, outputs = names_of(graph["inputs"]), names_of(graph["outputs"])
        check_names(names_of(description["inputs"]), "described inputs", inputs)
        check_names(names_of(description["outputs"]), "described outputs", outputs)
        check_sorted(names_of(description["user_defined"], "key"), "keys")
        for feature in description["inputs"] + description["outputs"]:
            image = feature["image"]
            refuse(image is not None and len(image["bias"]) != (
                1 if image["color_order"] == "COLOR_ORDER_GRAY" else 3), "the biases do not fit the channels")
        values = {port["name"]: graph["values"][port["value"]] for port in graph["inputs"]}
        for feature in description["inputs"]:
            number, value = feature["default_value"], values[feature["name"]]
            refuse(number is not None and not takes(value, number), f"the default of {feature['name']} is {number}")
        refuse(any(feature["default_value"] is not None for feature in description["outputs"]),
               "an output has a default")
        detector = description["detector"]
        if detector is not None:
            self.detector(detector, outputs, len(description["class_labels"]))

    @staticmethod
    def detector(detector, outputs, label_count):
        refuse(label_count not in (0, detector["class_count"]), "the labels do not fit the classes")
        heads = names_of(detector["heads"], "output")
        check_names(heads, "heads")
        refuse(not set(heads) <= set(outputs), "a head is no output")
        for head in detector["heads"]:
            refuse(any(anchor >= len(detector["anchors"]) for anchor in head["mask"]),
                   f"the head {head['output']} picks an anchor that is not there")
        in_cells = detector["anchor_unit"] == "ANCHOR_UNIT_GRID_CELLS"
        refuse(in_cells != (detector["kind"] == "DETECTOR_KIND_REGION"), "another unit of anchors")
        parts = [part for part in ENUMS["DetectorPart"].values() if part in detector["activated"]]
        refuse(detector["activated"] != parts, "the activated parts are not in order")
        is_row = detector["kind"] == "DETECTOR_KIND_DETECTION"
        for count in (detector["side"], detector["boxes_per_cell"]):
            is_right = 1 <= count <= 4096 if is_row else count == 0
            refuse(not is_right, "the cells do not fit the detector's kind")
        tree = detector["class_tree"]
        if tree is not None:
            refuse(len(tree["parents"]) != detector["class_count"], "the tree has other classes")
            refuse(any(parent > child for child, parent in enumerate(tree["parents"])),
                   "a parent does not come before its child")

    def compaction(self, compaction, graph):
        check_names(names_of(compaction["outputs"], "output"), "outputs", names_of(graph["outputs"]))
        losses = [loss[key] for loss in compaction["outputs"] for key in ("worst", "mean", "bound")]
        losses += names_of(compaction["weights"], "error")
        refuse(any(not math.isfinite(loss) or loss < 0 for loss in losses), "a loss that is not a number")
        positions = names_of(compaction["weights"], "tensor")
        refuse(positions != sorted(set(positions)), "losses out of order")
        refuse(any(position >= len(self.tensors) or self.tensors[position]["encoding"].endswith("_PLAIN")
                   for position in positions), "a loss of a plain tensor")
        answers = compaction["answers"]
        refuse(answers is not None and answers["kept"] > answers["total"], "more answers than there are")

    @staticmethod
    def quantization(quantization, graph):
        entries, halves = quantization["nodes"], quantization["bfloat16_nodes"]
        refuse(not entries + halves, "a quantization without nodes")
        check_names(names_of(entries + halves, "node"), "quantized nodes")
        for names in names_of(entries, "node"), names_of(halves, "node"):
            check_names(names, "quantized nodes", names_of(graph["nodes"]))
        kinds = {node["name"]: node["kind"] for node in graph["nodes"]}
        for entry in entries:
            scale, name = entry["scale"], entry["node"]
            refuse(numpy.float64(numpy.float32(scale)) != scale or not 2.0 ** -126 <= scale <= 2.0 ** 126,
                   f"the scale {scale} of {name}")
            refuse(entry["zero_point"] > 255, f"the zero point {entry['zero_point']} of {name}")
        for entry in entries + halves:
            name = entry["node"]
            refuse(kinds[name] not in ("convolution", "transposed_convolution", "dense", "add"), f"{name} is quantized, a {kinds[name]}")
            refuse(entry["input"] > (kinds[name] == "add"), f"the quantized input {entry['input']} of {name}")

    @staticmethod
    def provenance(provenance):
        check_sorted(names_of(provenance["options"], "key"), "options")
        for source in provenance["sources"]:
            refuse(source["byte_count"] >> 63, "a source of 2^63 bytes or more")
            refuse(len(source["sha256"]) != 32, "a SHA-256 that has not 32 bytes")
            refuse(source["name"] in ("", ".", "..") or "/" in source["name"]
                   or "\\" in source["name"], f"{source['name']} is no base name")


# --- The file around the header.

def aligned(offset):
    return (offset + 63) // 64 * 64


class File:
    """A file that follows every rule but, until `check_tensors`, those on the tensors' bytes."""

    def __init__(self, data):
        self.data = memoryview(data)
        self.preamble()
        decoder = Decoder(self.header_bytes)
        self.header = decoder.message("Header", len(self.header_bytes), 1)
        self.canonical = decoder.canonical
        for tensor in self.header["tensors"]:
            refuse(len(tensor["digest"]) != 16, f"the digest of {tensor['name']} has not 16 bytes")
            encoding = tensor["encoding"].removeprefix("TENSOR_ENCODING_")
            refuse(len(tensor["decoded_digest"]) != (0 if encoding == "PLAIN" else 16),
                   f"the digest of what {tensor['name']} decodes to is of another length")
            refuse((tensor["linear"] is not None) != (encoding == "LINEAR")
                   or (tensor["lookup"] is not None) != (encoding == "LOOKUP"),
                   f"the parameters of {tensor['name']} are not those of its encoding")
        Rules(self.header)
        self.table()

    def preamble(self):
        data, size = self.data, len(self.data)
        start = bytes(data[:8])
        refuse(start == PREVIEW_MAGIC, "written by a preview of Weighbridge; convert the source again",
               "unsupported")
        refuse(not MAGIC.startswith(start), "not a .wbm file, or changed by a transfer as text")
        refuse(size < 10, f"{size} bytes", "truncated")
        self.version = struct.unpack("<H", data[8:10])[0], 0
        refuse(self.version[0] != 1, f"version {self.version[0]}", "unsupported")
        refuse(size < 64, f"{size} bytes", "truncated")
        minor, flags, length, offset, total, digest, checksum = struct.unpack(
            "<HIQQQ16s8s", data[10:64])
        refuse(xxhash.xxh3_128_digest(bytes(data[:56]))[:8] != checksum,
               "the preamble's checksum does not fit", "damaged")
        refuse(flags != 0, f"flags {flags}", "unsupported")
        refuse(max(length, offset, total) >> 63, "a length of 2^63 or more")
        refuse(size < total, f"{size} of {total} bytes", "truncated")
        refuse(size > total, f"{size - total} trailing bytes")
        refuse(offset != aligned(64 + length) or offset > total, "the tensor data is misplaced")
        refuse(length > LIMITS["header bytes"], f"a header of {length} bytes", "limit")
        self.header_bytes, self.tensor_data = bytes(data[64:64 + length]), offset
        refuse(xxhash.xxh3_128_digest(self.header_bytes) != digest,
               "the header's digest does not fit", "damaged")
        self.check_padding(64 + length, offset)
        self.version = 1, minor

    def table(self):
        """The tensors fill the tensor data one after the other."""
        end = 0
        for tensor in self.header["tensors"]:
            sizes = [max(size, 1) for size in tensor["shape"]]
            element_size = numpy.dtype(DTYPES[tensor["element_type"]]).itemsize
            refuse(max([*tensor["shape"], math.prod(sizes) * element_size]) >> 63, "a size of 2^63")
            start = self.start(tensor, end)
            refuse(tensor["offset"] != start, f"{tensor['name']} is misplaced")
            try:
                count = wbm_encodings.byte_count(tensor)
            except ValueError as error:
                raise WBMError("malformed", f"{tensor['name']}: {error}") from None
            refuse(count is not None and tensor["byte_count"] != count,
                   f"{tensor['name']} needs {count} bytes")
            refuse(start + tensor["byte_count"] >> 63, "an offset of 2^63")
            end = start + tensor["byte_count"]
        refuse(self.tensor_data + end != len(self.data), f"the tensors take {end} bytes")

    @staticmethod
    def start(tensor, end):
        """Where a tensor begins when the one before it ends at `end`."""
        packed = tensor["encoding"].endswith(("_BYTE_PLANES", "_RANS"))
        return end if packed else aligned(end)

    def check_padding(self, start, end):
        refuse(any(self.data[start:end]), f"the padding at byte {start} is not zero", "damaged")

    def bytes_of(self, position):
        """The bytes of a tensor, by its position in the table."""
        tensor = self.header["tensors"][position]
        start = self.tensor_data + tensor["offset"]
        return self.data[start:start + tensor["byte_count"]]

    def decoded(self, position):
        """The plain bytes of a tensor."""
        tensor = self.header["tensors"][position]
        try:
            return wbm_encodings.decode(tensor, self.bytes_of(position))
        except ValueError as error:
            raise WBMError("damaged", f"{tensor['name']}: {error}") from None

    def tensor(self, position):
        """A tensor as an array; bfloat16, which NumPy lacks, as float32."""
        tensor = self.header["tensors"][position]
        element_type = tensor["element_type"]
        array = numpy.frombuffer(self.decoded(position), DTYPES[element_type])
        array = array.reshape(tensor["shape"])
        if element_type.endswith("BFLOAT16"):
            return (array.astype("<u4") << 16).view("<f4")
        return array != 0 if element_type.endswith("BOOL") else array

    def check_tensors(self):
        """Compares every tensor with its digest, and sees that the padding between them is zero."""
        end = self.tensor_data
        for position, tensor in enumerate(self.header["tensors"]):
            start = self.tensor_data + tensor["offset"]
            self.check_padding(end, start)
            refuse(xxhash.xxh3_128_digest(self.bytes_of(position)) != tensor["digest"],
                   f"the digest of {tensor['name']} does not fit", "damaged")
            refuse(tensor["decoded_digest"] and xxhash.xxh3_128_digest(self.decoded(position))
                   != tensor["decoded_digest"], f"{tensor['name']} decodes to something else", "damaged")
            end = start + tensor["byte_count"]


def open_file(path):
    """Opens a file, mapped."""
    with open(path, "rb") as file:
        try:
            return File(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except ValueError:  # there is nothing to map
            return File(b"")


def within(got, want, tolerance):
    """Whether an array is within a tolerance of a recorded one."""
    got, want = numpy.float64(got), numpy.float64(want)
    both = numpy.isfinite(got) & numpy.isfinite(want)
    same = (got == want) | (numpy.isnan(got) & numpy.isnan(want))
    if got.shape != want.shape or not same[~both].all():
        return False
    if tolerance["relative_l2"] is not None:
        norm = numpy.linalg.norm((got - want)[both])
        return bool(norm <= tolerance["relative_l2"] * numpy.linalg.norm(want[both]))
    largest = numpy.abs(want[both]).max(initial=0)
    bound = tolerance["absolute"] + tolerance["relative"] * largest
    return bool((numpy.abs(got - want)[both] <= bound).all())


def words(enumerator):
    """`ELEMENT_TYPE_FLOAT32` as `float32`."""
    return enumerator.lower().removeprefix("element_type_").removeprefix("tolerance_source_")


def summary(file):
    """A few lines on what a file holds."""
    graph, tensors = file.header["graph"], file.header["tensors"]

    def port(entry):
        value = graph["values"][entry["value"]]
        sizes = [size["symbol"] or ("?" if size["fixed"] is None else str(size["fixed"]))
                 for size in value["dimensions"]]
        return f"{entry['name']} {words(value['element_type'])} [{', '.join(sizes)}]"

    lines = [f"version {file.version[0]}.{file.version[1]}, {len(graph['nodes'])} nodes, "
             f"{len(tensors)} tensors of {sum(t['byte_count'] for t in tensors)} bytes"]
    lines += [f"{part[:-1]} {port(entry)}" for part in ("inputs", "outputs")
              for entry in graph[part]]
    for references in file.header["references"]:
        tolerance = references["tolerance"]
        bound = f"{tolerance['absolute']} + {tolerance['relative']} x max|expected|"
        if tolerance["relative_l2"] is not None:
            bound = f"{tolerance['relative_l2']} x ||expected||"
        lines.append(f"references by {references['by'] or 'an unnamed author'}: within {bound} "
                     f"({words(tolerance['source'])})")
    return "\n".join(f"  {line}" for line in lines)


def main():
    parser = argparse.ArgumentParser(description="Checks .wbm files.")
    parser.add_argument("files", nargs="+", metavar="MODEL.wbm")
    parser.add_argument("--schema", metavar="FILE", help="where the file's schema goes")
    parser.add_argument("--header", metavar="FILE", help="where the file's header goes")
    arguments = parser.parse_args()
    status = 0
    for path in arguments.files:
        try:
            file = open_file(path)
            file.check_tensors()
            print(f"{path}\n{summary(file)}")
            for target, part in ((arguments.schema, file.header["schema"]),
                                 (arguments.header, file.header_bytes)):
                if target:
                    with open(target, "wb") as output:
                        output.write(part)
        except WBMError as error:
            print(f"{path}: {error}", file=sys.stderr)
            status = STATUS[error.kind]
    return status


if __name__ == "__main__":
    sys.exit(main())
