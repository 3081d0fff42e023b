"""The structs and the typed keywords of Python."""

import json
import re
import textwrap

from table import C_TAIL, LISTS, NOTE, STRUCTS, TARGETS, options, singular, snake, wrapped


CTYPES = {
    "path": "c_char_p", "text": "c_char_p", "enum": "c_char_p", "json": "c_char_p", "target": "c_char_p",
    "outputs": "c_char_p", "flag": "c_int32", "reserved": "c_int32", "count": "c_int32",
    "switch": "POINTER(c_int32)", "bytes": "c_uint64", "seed": "POINTER(c_uint64)", "number": "POINTER(c_double)",
    "tolerance": "POINTER(c_double)", "reals": "POINTER(c_double)", "shapes": "POINTER(c_char_p)",
    "values": "POINTER(c_char_p)", "texts": "POINTER(c_char_p)", "paths": "POINTER(c_char_p)",
    "sizes": "POINTER(c_int64)", "interrupt": "Interrupt",
}


def python_structs():
    lines = [
        f"# {NOTE}", '"""The structs of options in the C interface."""', "", "from __future__ import annotations", "",
        "from ctypes import (", "    CFUNCTYPE,", "    POINTER,", "    Structure,", "    c_char_p,", "    c_double,",
        "    c_int32,", "    c_int64,", "    c_size_t,", "    c_uint64,", "    c_void_p,", ")", "",
        "Interrupt = CFUNCTYPE(c_int32)"]
    for struct in STRUCTS:
        lines += ["", "", f"class {struct}(Structure):", f'    """`{snake(struct)}`"""', "", "    _fields_ = [",
                  '        ("struct_size", c_size_t),']
        for option in options(struct, "c"):
            name, kind = option["name"], option["type"]
            type = f"POINTER({option['struct']})" if kind == "struct" else CTYPES[kind]
            lines.append(f'        ("{name}", {type}),')
            if kind == "interrupt":
                lines.append(f'        ("{name}_context", c_void_p),')
            elif kind in C_TAIL:
                lines.append(f'        ("{singular(name)}_count", c_size_t),')
        lines.append("    ]")
    return "\n".join(lines) + "\n"


def python_type(option):
    kind = option["type"]
    if "python" in option:
        return option["python"]
    if kind == "enum":
        return "Literal[" + ", ".join(f'"{value}"' for value in option["values"]) + "]"
    if kind == "target":
        return "Literal[" + ", ".join(f'"{t["name"]}"' for t in TARGETS) + "]"
    return {
        "path": "Path", "text": "str", "flag": "bool", "switch": "bool", "count": "int", "bytes": "int", "seed": "int",
        "number": "float", "tolerance": "tuple[float, float]", "shapes": "Sequence[str]",
        "texts": "Sequence[str]", "paths": "Sequence[Path]", "reals": "Sequence[float]",
        "values": "Mapping[str, InputValue]", "sizes": "Sequence[tuple[int, int]]",
        "json": "Mapping[str, Any]",
    }[kind]


def python_default(option):
    return {"flag": "False", "shapes": "()", "sizes": "()", "texts": "()", "paths": "()", "reals": "()"}.get(option["type"], "None")


def python_value(option):
    name, kind = option["name"], option["type"]
    return {
        "json": f"None if {name} is None else json.dumps({name})", "count": f'marshal.count({name}, "{name}")',
        "bytes": f'marshal.count({name}, "{name}")',
        "seed": f"None if {name} is None else pointer(c_uint64({name}))",
        "number": f"None if {name} is None else pointer(c_double({name}))",
        "switch": f"None if {name} is None else pointer(c_int32({name}))",
        "tolerance": f"None if {name} is None else (c_double * 2)(*{name})", "struct": f"pointer({name})",
        "interrupt": "_library.interrupt()",
    }.get(kind, name)


def python_parameters(struct):
    """The keyword arguments of Python for a struct, without those of the structs inside."""
    return [o for o in options(struct, "python") if o["type"] != "struct"]


def structs_inside(struct):
    return [o for o in options(struct, "python") if o["type"] == "struct"]


def keywords_name(struct):
    return struct.replace("Options", "Keywords")


def python_annotation(option):
    type = "Target" if option["type"] == "target" else python_type(option)
    return type + (" | None" if python_default(option) == "None" else "")


def former_keywords(struct):
    return {o["was"]["python"]: o["name"] for o in options(struct, "python") if "python" in o.get("was", {})}


def python_keywords(struct):
    bases = [keywords_name(o["struct"]) for o in structs_inside(struct)] or ["TypedDict"]
    own = [o for o in python_parameters(struct) if not o.get("positional")]
    lines = [
        "", "", f"class {keywords_name(struct)}({', '.join(bases)}, total=False):",
        *wrapped('"""' + STRUCTS[struct]["help"], "    ", 105), "", "    Attributes:"]
    for option in own:
        help = option["help"]
        if option["type"] == "flag":
            help = "Whether to " + help[0].lower() + help[1:]
        lines += textwrap.wrap(
            f"{option['name']}: {help}", 105, initial_indent=" " * 8, subsequent_indent=" " * 12,
            break_on_hyphens=False)
    return lines + ['    """', ""] + [f"    {o['name']}: {python_annotation(o)}" for o in own]


def function_name(struct):
    return re.sub("(?<!^)([A-Z])", r"_\1", struct).lower()


def python_builder(struct):
    """The function that makes the struct of its own arguments."""
    entries = options(struct, "python")
    lines = ["", "", f"def _{function_name(struct)}(", "    *,"]
    lines += [f'    {o["name"]}: "structs.{o["struct"]}",' for o in structs_inside(struct)]
    lines += [f"    {o['name']}: {python_annotation(o)} = {python_default(o)}," for o in python_parameters(struct)]
    lines += [f') -> "structs.{struct}":']
    lists = [o for o in entries if o["type"] in LISTS]
    for option in lists:
        name = option["name"]
        helper = {"shapes": "texts"}.get(option["type"], option["type"])
        lines.append(f'    {name}_list, {singular(name)}_count = marshal.{helper}({name}, "{name}")')
    lines += ["    return _library.make(", f"        structs.{struct},"]
    for option in options(struct, "c"):
        if option not in entries and option["type"] != "interrupt":
            continue
        value = f"{option['name']}_list" if option in lists else python_value(option)
        lines.append(f"        {option['name']}={value},")
        if option in lists:
            lines.append(f"        {singular(option['name'])}_count={singular(option['name'])}_count,")
    return lines + ["    )"]


def python_function(struct):
    """The function that makes the struct of its own keywords and those of the structs inside."""
    positional = [o for o in python_parameters(struct) if o.get("positional")]
    lines = ["", "", f"def {function_name(struct)}("]
    lines += [f"    {o['name']}: {python_annotation(o)} = {python_default(o)}," for o in positional]
    lines += [
        f'    **options: "Unpack[{keywords_name(struct)}]",', f') -> "structs.{struct}":',
        *wrapped('"""' + STRUCTS[struct]["help"] + '"""', "    ", 105)]
    arguments = [f"{o['name']}={o['name']}" for o in positional]
    for option in structs_inside(struct):
        inner = option["struct"]
        others = "".join(f', "{old}"' for old in former_keywords(inner))
        lines.append(
            f"    {option['name']} = {function_name(inner)}(**marshal.taken(options, {keywords_name(inner)}{others}))")
        arguments.append(f"{option['name']}={option['name']}")
    rest = "".join(argument + ", " for argument in arguments)
    return lines + [
        f"    return _{function_name(struct)}({rest}**marshal.renamed(options, {json.dumps(former_keywords(struct))}))"]


def python_options():
    lines = [
        f"# {NOTE}", '"""The options as typed keywords, and the structs of the C interface made of them."""', "",
        "from __future__ import annotations", "", "import json",
        "from ctypes import c_double, c_int32, c_uint64, pointer",
        "from typing import TYPE_CHECKING, Any, Literal, Mapping, Sequence, TypedDict", "",
        "from . import _library", "from . import _marshal as marshal", "from . import _structs as structs",
        "from ._marshal import InputValue, Path", "", "if TYPE_CHECKING:", "    from typing_extensions import Unpack", "",
        "#: The formats for export.", "Target = " + python_type({"type": "target"})]
    for struct in STRUCTS:
        lines += python_keywords(struct)
    for struct in STRUCTS:
        lines += python_builder(struct) + python_function(struct)
    return "\n".join(lines) + "\n"
