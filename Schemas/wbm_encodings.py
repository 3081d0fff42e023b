"""Decodes the elements of .wbm tensors, as "Encodings" of wbm.md has them; part of reader.py.

    decode(tensor, data)    # the plain little-endian bytes of a tensor of the header

A ValueError says why the bytes are refused. Plain loops: it is to be read, not to be fast.
"""

import math
import struct

import numpy

WIDTHS = {"FLOAT16": 2, "BFLOAT16": 2, "FLOAT32": 4, "FLOAT64": 8, "INT8": 1, "INT16": 2,
          "INT32": 4, "INT64": 8, "UINT8": 1, "UINT16": 2, "UINT32": 4, "UINT64": 8, "BOOL": 1}
CHUNK = 65536
# Rows after which the states of dependent quantization begin anew.
STRIP = 256
# 2^(k/8), rounded to binary32.
EIGHTHS = numpy.float32([1, 1.0905077, 1.1892071, 1.2968396, 1.4142135, 1.5422108, 1.6817929, 1.8340081])


def need(condition, reason):
    if not condition:
        raise ValueError(reason)


class Bytes:
    """Reads a tensor's bytes front to back."""

    def __init__(self, data):
        self.data, self.position = bytes(data), 0

    def take(self, count):
        need(0 <= count <= len(self.data) - self.position, f"{count} more bytes are needed")
        self.position += count
        return self.data[self.position - count:self.position]

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize(form)))[0]

    def left(self):
        return len(self.data) - self.position


def unpack_bits(data, count, bits):
    """Unsigned numbers of some bits, the lowest bit of each first."""
    need(len(data) == (count * bits + 7) // 8, "another number of packed bytes")
    stream = numpy.unpackbits(numpy.frombuffer(data, "u1"), bitorder="little")[:count * bits]
    return stream.reshape(count, bits).astype("i8") @ (1 << numpy.arange(bits))


def float_bytes(numbers, element_type):
    """Numbers of binary32 as elements of a floating-point type."""
    numbers = numpy.float32(numbers)
    if element_type == "BFLOAT16":
        bits = numbers.view("u4")
        rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        return numpy.where(numpy.isnan(numbers), bits >> 16 | 0x40, rounded).astype("<u2").tobytes()
    kind = {"FLOAT16": "<f2", "FLOAT32": "<f4", "FLOAT64": "<f8"}[element_type]
    with numpy.errstate(over="ignore"):
        return numbers.astype(kind).tobytes()


# --- Entropy coding.

def chunks(count):
    return [min(CHUNK, count - start) for start in range(0, count, CHUNK)]


def stored_table(data):
    """The frequencies of 256 symbols."""
    first, last = data.number("B"), data.number("B")
    need(first <= last, "a table without symbols")
    frequencies = [0] * 256
    for symbol in range(first, last + 1):
        low = data.number("B")
        high = data.number("B") if low >= 128 else 0
        need(low < 128 or high > 0, "a frequency that is too long")
        frequencies[symbol] = low & 127 | high << 7
    need(sum(frequencies) == 4096, "frequencies that are not 4,096")
    return frequencies


def shaped_table(data):
    """The frequencies of 0 and of integers around it that fall, and the symbol of 0."""
    width, center, ratio, fall = (data.number(form) for form in "BHHH")
    need(width <= 127 and center > 0, "another shape")
    weights, weight = [center << 5], 1 << 20
    for _ in range(width):
        weights.append(weight)
        weight = weight * ratio >> 16
        ratio = ratio * (65536 - fall) >> 16
    left, total = 4096 - 2 * width - 2, weights[0] + 2 * sum(weights[1:])
    frequencies = [0] * 256
    frequencies[0], rest = 1, 4095
    for integer in range(1, width + 1):
        frequency = 1 + weights[integer] * left // total
        frequencies[width + 1 + integer] = frequencies[width + 1 - integer] = frequency
        rest -= 2 * frequency
    frequencies[width + 1] = rest
    return frequencies, width + 1


def rans(data, frequencies, lanes, count):
    """Decodes symbols; `data` must hold nothing else."""
    symbols = [symbol for symbol in range(256) for _ in range(frequencies[symbol])]
    starts = numpy.cumsum([0] + frequencies).tolist()
    words = Bytes(data)
    states = [words.number("I") for _ in range(lanes)]
    result = bytearray(count)
    for index in range(count):
        state = states[index % lanes]
        slot = state & 4095
        symbol = result[index] = symbols[slot]
        state = frequencies[symbol] * (state >> 12) + slot - starts[symbol]
        if state < 1 << 16:
            state = state << 16 | words.number("H")
        states[index % lanes] = state
    need(words.left() == 0 and states == [1 << 16] * lanes, "another end of the symbols")
    return bytes(result)


def decode_planes(data, element_type, count):
    width = WIDTHS[element_type]
    modes, lanes = data.take(width), data.number("B")
    need(max(modes) <= 1 and lanes <= 5, "another kind of planes")
    tables = [stored_table(data) if mode else None for mode in modes]
    need(count // CHUNK <= data.left(), "too few bytes")
    sizes = chunks(count)
    lengths = [[data.number("I") if table else size for table in tables] for size in sizes]
    planes = [b""] * width
    for size, row in zip(sizes, lengths):
        for plane, (table, length) in enumerate(zip(tables, row)):
            part = data.take(length)
            planes[plane] += rans(part, table, 1 << lanes, size) if table else part
    need(data.left() == 0, "bytes after the last chunk")
    elements = sum(numpy.frombuffer(plane, "u1").astype("u8") << numpy.uint64(8 * (width - 1 - index))
                   for index, plane in enumerate(planes))
    if "FLOAT" in element_type:
        elements = elements >> numpy.uint64(1) | (elements & numpy.uint64(1)) << numpy.uint64(8 * width - 1)
    return elements.astype(f"<u{width}").tobytes()


def decode_rans(data, shape):
    """Integers and steps, row by row, as numbers of binary32."""
    count = math.prod(shape)
    rows = shape[0] if len(shape) > 1 and count > 0 else 1
    columns = count // rows
    kind, lanes, class_count = data.number("B"), data.number("B"), data.number("B")
    is_dependent, kind = kind & 4 != 0, kind & ~4
    need(kind <= 2 and lanes <= 5 and 1 <= class_count <= 64, "another kind of integers")
    need(kind == 0 or rows <= data.left(), "too few bytes")
    steps = numpy.float32([data.number("f") for _ in range(rows if kind == 2 else 1)])
    need(numpy.isfinite(steps).all(), "a step that is not finite")
    if kind == 1:
        exponents = numpy.frombuffer(data.take(rows), "i1").astype(int)
        with numpy.errstate(over="ignore"):
            steps = numpy.ldexp(steps[0] * EIGHTHS[exponents & 7], exponents >> 3).astype("f4")
    steps = numpy.broadcast_to(steps, rows)
    bits = (class_count - 1).bit_length()
    classes = unpack_bits(data.take((rows * bits + 7) // 8), rows, bits) if bits else numpy.zeros(rows, int)
    need(rows == 0 or classes.max(initial=0) < class_count, "a class that is not there")
    tables = []
    for _ in range(class_count):
        low_bits, zero = data.number("B"), data.number("B")
        need(low_bits <= 16, "too many low bits")
        tables.append((low_bits, zero, stored_table(data)) if zero else (low_bits, *shaped_table(data)[::-1]))
    members = [numpy.flatnonzero(classes == index) for index in range(class_count)]
    need(count // CHUNK <= data.left(), "too few bytes")
    sizes = [chunks(len(rows) * columns) for rows in members]
    lengths = [[(data.number("I"), data.number("I")) for _ in part] for part in sizes]
    result = numpy.zeros((rows, columns), "i8")
    for (low_bits, zero, table), rows_of, part, row in zip(tables, members, sizes, lengths):
        integers = []
        for size, (length, escape_count) in zip(part, row):
            need(escape_count <= size, "too many escapes")
            symbols = numpy.frombuffer(rans(data.take(length), table, 1 << lanes, size), "u1")
            low = unpack_bits(data.take((size * low_bits + 7) // 8), size, low_bits) if low_bits else 0
            escapes = numpy.frombuffer(data.take(4 * escape_count), "<i4")
            values = (symbols.astype("i8") - zero << low_bits) + low
            need((symbols == 0).sum() == escape_count, "another number of escapes")
            need(not is_dependent or all(abs(int(escape)) < 1 << 30 for escape in escapes), "a large escape")
            values[symbols == 0] = escapes
            integers.append(values)
        if integers:
            result[rows_of] = numpy.concatenate(integers).reshape(len(rows_of), columns)
    need(data.left() == 0, "bytes after the last chunk")
    if is_dependent:
        result = multiples(result)
    with numpy.errstate(over="ignore", invalid="ignore"):
        return result.astype("f4") * steps[:, None]


def multiples(integers):
    """What integers stand for by dependent quantization, each column by itself."""
    result = numpy.zeros_like(integers)
    for number, row in enumerate(integers):
        if number % STRIP == 0:
            states = numpy.zeros_like(row)
        result[number] = 2 * row - numpy.where(states & 1, numpy.sign(row), 0)
        states = (2 * states + ((row ^ states >> 1 ^ states >> 2) & 1)) % 8
    return result


# --- Blocks.

def block_count(shape, block_shape):
    """How many blocks a tensor has."""
    need(len(shape) == len(block_shape), "blocks of another rank")
    need(all(1 <= block <= max(size, 1) for size, block in zip(shape, block_shape)),
         "blocks that do not fit")
    return math.prod(-(-size // block) for size, block in zip(shape, block_shape))


def blocks_of(shape, block_shape):
    """The block of each element, and how many there are."""
    count_of_all = block_count(shape, block_shape)
    counts = [-(-size // block) for size, block in zip(shape, block_shape)]
    positions = numpy.zeros(shape, int)
    for axis, (count, block) in enumerate(zip(counts, block_shape)):
        along = numpy.arange(shape[axis]) // block
        positions = positions * count + along.reshape([-1] + [1] * (len(shape) - axis - 1))
    return positions.reshape(-1), count_of_all


def take_packed(data, count, bits):
    """Packed numbers with the zeros up to the next multiple of 4 bytes."""
    packed = data.take((count * bits + 7) // 8)
    data.take(-len(packed) % 4)
    return unpack_bits(packed, count, bits)


def decode_linear(data, linear, shape):
    bits, count = linear["bits"], math.prod(shape)
    need(2 <= bits <= 8, f"integers of {bits} bits")
    blocks, block_count = blocks_of(shape, linear["block_shape"])
    integers = take_packed(data, count, bits)
    if linear["is_signed"]:
        integers -= (integers >> bits - 1) << bits
    scales = numpy.frombuffer(data.take(4 * block_count), "<f4")
    if linear["has_zero_points"]:
        integers = integers - numpy.frombuffer(data.take(4 * block_count), "<i4")[blocks]
    with numpy.errstate(all="ignore"):
        numbers = integers.astype("f4") * scales[blocks]
        if linear["has_offsets"]:
            numbers = numbers + numpy.frombuffer(data.take(4 * block_count), "<f4")[blocks]
    need(data.left() == 0, "bytes after the scales")
    return numbers


def decode_lookup(data, lookup, shape):
    bits, count = lookup["bits"], math.prod(shape)
    need(1 <= bits <= 8, f"positions of {bits} bits")
    blocks, block_count = blocks_of(shape, lookup["block_shape"])
    positions = take_packed(data, count, bits)
    tables = numpy.frombuffer(data.take(4 * block_count << bits), "<f4")
    need(data.left() == 0, "bytes after the tables")
    return tables[(blocks << bits) + positions]


def byte_count(tensor):
    """The bytes that a tensor must have; None where they depend on the elements."""
    encoding = tensor["encoding"].removeprefix("TENSOR_ENCODING_")
    element_type = tensor["element_type"].removeprefix("ELEMENT_TYPE_")
    shape, count = tensor["shape"], math.prod(tensor["shape"])
    if encoding == "PLAIN":
        return count * WIDTHS[element_type]
    if encoding in ("BYTE_PLANES", "RANS"):
        need(count * WIDTHS[element_type] // 2048 <= tensor["byte_count"], "too few bytes for the shape")
    if encoding == "BYTE_PLANES":
        return None
    need("FLOAT" in element_type, f"{encoding} of {element_type}")
    if encoding in ("FLOAT16", "BFLOAT16"):
        need(WIDTHS[element_type] > 2, f"{encoding} of {element_type}")
        return 2 * count
    if encoding == "RANS":
        return None
    parameters = tensor["linear"] or tensor["lookup"]
    lowest = 2 if encoding == "LINEAR" else 1
    need(lowest <= parameters["bits"] <= 8, f"{parameters['bits']} bits")
    packed = (count * parameters["bits"] + 7) // 8
    blocks = block_count(shape, parameters["block_shape"])
    if encoding == "LOOKUP":
        return packed + -packed % 4 + (4 * blocks << parameters["bits"])
    return packed + -packed % 4 + 4 * blocks * (
        1 + parameters["has_zero_points"] + parameters["has_offsets"])


def decode(tensor, data):
    """The plain bytes of a tensor, given its bytes in the file."""
    encoding = tensor["encoding"].removeprefix("TENSOR_ENCODING_")
    element_type = tensor["element_type"].removeprefix("ELEMENT_TYPE_")
    shape, data = tensor["shape"], Bytes(data)
    if encoding == "PLAIN":
        return data.data
    if encoding == "BYTE_PLANES":
        return decode_planes(data, element_type, math.prod(shape))
    need("FLOAT" in element_type, f"{encoding} of {element_type}")
    if encoding in ("FLOAT16", "BFLOAT16"):
        need(WIDTHS[element_type] > 2, f"{encoding} of {element_type}")
        halves = numpy.frombuffer(data.take(2 * math.prod(shape)), "<f2" if encoding == "FLOAT16" else "<u2")
        need(data.left() == 0, "bytes after the elements")
        numbers = halves if encoding == "FLOAT16" else (halves.astype("<u4") << 16).view("<f4")
    elif encoding == "LINEAR":
        numbers = decode_linear(data, tensor["linear"], shape)
    elif encoding == "LOOKUP":
        numbers = decode_lookup(data, tensor["lookup"], shape)
    else:
        numbers = decode_rans(data, shape)
    return float_bytes(numbers, element_type)
