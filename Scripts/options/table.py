"""The table of options, and the names and types of its entries."""

import json
import pathlib
import re
import subprocess
import textwrap


ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TABLE = json.loads((ROOT / "Schemas/options.json").read_text())
STRUCTS = {name: entry for name, entry in TABLE.items() if isinstance(entry, dict)}
TARGETS = TABLE["targets"]
COMMANDS = TABLE["commands"]
NOTE = "Generated from Schemas/options.json by Scripts/options. Do not edit."
C_TAIL = {  # two members of C belong to one option
    "shapes": "size_t {}_count", "values": "size_t {}_count", "sizes": "size_t {}_count",
    "texts": "size_t {}_count", "paths": "size_t {}_count", "reals": "size_t {}_count",
    "interrupt": "void *{}_context",
}
#: The types of options that are lists.
LISTS = ("shapes", "values", "sizes", "texts", "paths", "reals")
ACRONYMS = {"ids": "IDs", "nms": "NMS"}


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(ACRONYMS.get(word, word.capitalize()) for word in rest)


def snake(struct):
    return "weighbridge_" + re.sub("(?<!^)([A-Z])", r"_\1", struct).lower()


def singular(name):
    if name.endswith("sses"):
        return name[:-2]
    return name[:-1] if name.endswith("s") else name


def has_file(struct):
    """Whether the struct exists in Swift with the options of the table alone."""
    return "file" in STRUCTS[struct]


def options(struct, language):
    everywhere = ["swift", "program", "c", "python"]
    return [o for o in STRUCTS[struct]["options"] if language in o.get("in", everywhere)]


def flags(option):
    """The program's names of an option, without the dashes; the first is the one in messages."""
    name = singular(option["name"]) if option["type"] in ("shapes", "values") else option["name"]
    return option.get("flags", [name.replace("_", "-")])


def swift_type(option):
    """The type in Swift and the default, None for nil."""
    kind, default = option["type"], option.get("default")
    if kind == "swift":
        return option["swift"], default
    if kind == "struct":
        return option["struct"], option["struct"] + "()"
    if kind == "enum":
        return (option["enum"] + ("" if default else "?")), default and option["enum"] + default
    types = {
        "path": ("String?", None), "text": ("String?", None), "flag": ("Bool", default or "false"),
        "switch": ("Bool?", None), "count": ("Int?", default), "bytes": ("Int?", None),
        "seed": ("UInt64?", None), "number": ("Double?", None), "tolerance": ("Tolerance?", None),
        "shapes": ("[InputShape]", "[]"), "values": ("[String: InputValue]", "[:]"),
        "sizes": ("[ImageSize]", "[]"),
    }
    return types[kind]


def wrapped(text, prefix, width):
    return textwrap.wrap(
        text, width, initial_indent=prefix, subsequent_indent=prefix, break_long_words=False,
        break_on_hyphens=False)


def packed(items, prefix, width=100):
    """Lines of as many items as fit, each followed by a comma."""
    lines = [prefix]
    for item in items:
        if len(lines[-1]) + len(item) + 2 > width and lines[-1] != prefix:
            lines[-1] = lines[-1].rstrip()
            lines.append(prefix)
        lines[-1] += item + ", "
    return lines[:-1] + [lines[-1].rstrip()]


def literal(text, room):
    """A string literal of Swift: one line if it fits into `room` characters, else several."""
    if len(text) <= room:
        return [json.dumps(text, ensure_ascii=False)]
    lines = wrapped(text, " " * 6, 97)
    return ['"""', *(line + " \\" for line in lines[:-1]), lines[-1], " " * 6 + '"""']


def formatted(text):
    """Swift as swift-format writes it."""
    command = ["swift", "format", "format", "--configuration", str(ROOT / ".swift-format")]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
