"""Decodes the header of a .wbm file, by the messages that wbm.proto declares, without a protobuf library.

    decoder = Decoder(data)
    header = decoder.message("Header", len(data), 1)    # dictionaries; what is absent is None
    decoder.canonical                                   # whether the writer's rules were followed too
"""

import pathlib
import re
import struct
import typing

LIMITS = {
    "header bytes": 64 << 20, "message levels": 64, "graph levels": 24, "messages": 1_000_000,
    "fields": 4_000_000, "packed numbers": 8_000_000}


class WBMError(Exception):
    """Why a file is refused; `kind` is its class in wbm.md."""

    def __init__(self, kind, reason):
        super().__init__(f"{kind}: {reason}")
        self.kind = kind


def refuse(condition, reason, kind="malformed"):
    """Refuses the file when a condition holds."""
    if condition:
        raise WBMError(kind, reason)


class Field(typing.NamedTuple):
    """A field of a message, as wbm.proto declares it."""

    repeated: str
    type: str
    name: str
    oneof: str

    @property
    def wire_type(self):
        return {"double": 1, "string": 2, "bytes": 2}.get(self.type, 2 if self.type in SCHEMA else 0)

    def default(self):
        """What the field holds when it is absent."""
        if self.repeated:
            return []
        if self.oneof or self.type in SCHEMA:
            return None
        return {"string": "", "bytes": b"", "double": 0.0, "bool": False}.get(self.type, 0)


def parse_schema(text):
    """The messages of wbm.proto, as fields by number, and its enumerations, as names by number."""
    messages, enums, oneof = {}, {}, None
    for line in text.splitlines():
        if start := re.match(r"(message|enum) (\w+) {", line):
            current = {}
            (messages if start[1] == "message" else enums)[start[2]] = current
        elif start := re.match(r"  oneof (\w+) {", line):
            oneof = start[1]
        elif line == "  }":
            oneof = None
        elif field := re.match(r" +(repeated )?(\w+) (\w+) = (\d+);", line):
            current[int(field[4])] = Field(field[1], field[2], field[3], oneof)
        elif enumerator := re.match(r" +(\w+) = (\d+);", line):
            current[int(enumerator[2])] = enumerator[1]
    return messages, enums


SCHEMA, ENUMS = parse_schema((pathlib.Path(__file__).parent / "wbm.proto").read_text("utf-8"))


class Decoder:
    """Decodes one header. `canonical` tells whether a writer's rules were followed too."""

    def __init__(self, data):
        self.data, self.position, self.canonical = data, 0, True
        self.counts = dict.fromkeys(LIMITS, 0)

    def count(self, what):
        self.counts[what] += 1
        refuse(self.counts[what] > LIMITS[what], f"more {what} than {LIMITS[what]}", "limit")

    def varint(self, end):
        value = 0
        for index in range(10):
            refuse(self.position >= end, "a number is cut off")
            byte = self.data[self.position]
            self.position += 1
            refuse(index == 9 and byte > 1, "a number of more than 64 bits")
            value |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                self.canonical &= byte > 0 or index == 0
                return value
        raise WBMError("malformed", "a number of more than ten bytes")

    def stop(self, count, end):
        """Where so many bytes end that begin here."""
        refuse(count > end - self.position, f"{count} bytes in the {end - self.position} left")
        return self.position + count

    def take(self, count, end):
        start, self.position = self.position, self.stop(count, end)
        return self.data[start:self.position]

    def number(self, kind, end):
        """One number or boolean, checked against its type."""
        if kind == "double":
            return struct.unpack("<d", self.take(8, end))[0]
        value = self.varint(end)
        signed = value - (1 << 64) if value >> 63 else value
        if kind == "bool":
            refuse(value > 1, "a boolean above 1")
            return bool(value)
        refuse(kind == "uint32" and value >> 32, "a number of more than 32 bits")
        if kind in ENUMS:
            refuse(not -(1 << 31) <= signed < 1 << 31, "an enumerator of more than 32 bits")
        return signed if kind == "int64" or kind in ENUMS else value

    def message(self, name, end, level, keeps_unknown=False):
        """A message up to `end` as a dictionary of its fields."""
        refuse(level > LIMITS["message levels"], "messages are nested too deeply", "limit")
        self.count("messages")
        fields, seen, last = SCHEMA[name], set(), 0
        result = {field.name: field.default() for field in fields.values()}
        while self.position < end:
            tag = self.varint(end)
            number, wire_type = tag >> 3, tag & 7
            refuse(not 1 <= number < 1 << 29 or wire_type not in (0, 1, 2, 5),
                   f"the tag {tag} is none of protobuf's")
            self.count("fields")
            self.canonical &= last <= number
            last = number
            field = fields.get(number)
            if field is None:
                refuse(not keeps_unknown, f"{name} has field {number}", "unsupported")
                self.skip(wire_type, end)
                continue
            if not field.repeated:
                refuse((field.oneof or field.name) in seen, f"{name}.{field.name} occurs twice")
                seen.add(field.oneof or field.name)
            self.field(field, wire_type, end, level, result,
                       keeps_unknown or field.type in ("Description", "Provenance", "Compaction"))
        for field in fields.values():
            if field.type in ENUMS:
                value = result[field.name]
                result[field.name] = ([self.enumerator(field, item) for item in value]
                                      if field.repeated else self.enumerator(field, value))
        return result

    @staticmethod
    def enumerator(field, value):
        """The name of an enumerator."""
        refuse(value not in ENUMS[field.type], f"{field.name} is {value}", "unsupported")
        name = ENUMS[field.type][value]
        refuse(name.endswith("_UNSPECIFIED"), f"{field.name} is missing")
        return name

    def skip(self, wire_type, end):
        if wire_type == 0:
            self.varint(end)
        else:
            self.take({1: 8, 5: 4}.get(wire_type) or self.varint(end), end)

    def field(self, field, wire_type, end, level, result, keeps_unknown):
        """One field, put into the dictionary of its message."""
        if wire_type == 2 and field.wire_type != 2 and field.repeated:
            stop = self.stop(self.varint(end), end)
            self.canonical &= not result[field.name] and self.position < stop
            while self.position < stop:
                self.count("packed numbers")
                result[field.name].append(self.number(field.type, stop))
            return
        refuse(wire_type != field.wire_type, f"{field.name} has wire type {wire_type}")
        if field.type in SCHEMA:
            stop = self.stop(self.varint(end), end)
            value = self.message(field.type, stop, level + 1, keeps_unknown)
        elif field.wire_type == 2:
            value = bytes(self.take(self.varint(end), end))
            if field.type == "string":
                try:
                    value = value.decode("utf-8")
                except UnicodeDecodeError:
                    raise WBMError("malformed", f"{field.name} is not UTF-8") from None
                refuse("\0" in value, f"{field.name} holds U+0000")
        else:
            value = self.number(field.type, end)
            self.canonical &= not field.repeated
        if field.repeated:
            result[field.name].append(value)
        else:
            result[field.name] = value
            self.canonical &= bool(field.oneof) or field.type in SCHEMA or bool(value)
