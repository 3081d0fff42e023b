"""The structs of the C header, and how the library reads them."""

import sys

from table import C_TAIL, NOTE, STRUCTS, TARGETS, camel, has_file, options, singular, snake, wrapped


C_TYPES = {
    "path": "const char *{}", "text": "const char *{}", "enum": "const char *{}", "json": "const char *{}",
    "target": "const char *{}", "outputs": "const char *{}", "flag": "int32_t {}", "reserved": "int32_t {}",
    "count": "int32_t {}", "switch": "const int32_t *{}", "bytes": "uint64_t {}", "seed": "const uint64_t *{}",
    "number": "const double *{}", "tolerance": "const double *{}", "reals": "const double *{}",
    "shapes": "const char *const *{}", "texts": "const char *const *{}", "paths": "const char *const *{}",
    "values": "const char *const *{}", "sizes": "const int64_t *{}", "interrupt": "weighbridge_interrupt {}",
}
C_NOTES = {
    "shapes": " Each is `8,None,3` or `NAME=8,None,3`.", "values": " Each is `NAME=16000`, `NAME=[1,2]` or `NAME=@file.npy`.",
    "sizes": " Width and height of each.", "tolerance": " Two numbers.",
}


def c_struct(struct):
    lines = [
        *wrapped(STRUCTS[struct]["help"], "/// ", 110), f"typedef struct {snake(struct)} {{",
        "  size_t struct_size;"]
    for option in options(struct, "c"):
        name, kind = option["name"], option["type"]
        help = option["help"]
        if kind == "flag":
            help = "Whether to " + help[0].lower() + help[1:]
        if kind == "target":
            help += " One of " + ", ".join(f"`{t['name']}`" for t in TARGETS) + "."
        help += C_NOTES.get(kind, "")
        old = option.get("was", {}).get("c")
        if old:
            help += f" `{old}` is its former name."
        if "since" in option:
            help += f" Since version {option['since']}."
        lines += wrapped(help, "  /// ", 110)
        if kind == "struct":
            member = f"const {snake(option['struct'])} *{name}"
        else:
            member = C_TYPES[kind].format(name)
        if old:
            lines += ["  union {", f"    {member};", f"    {C_TYPES[kind].format(old)};", "  };"]
        else:
            lines.append(f"  {member};")
        if kind in C_TAIL:
            lines.append(f"  {C_TAIL[kind].format(singular(name))};")
    return lines + [f"}} {snake(struct)};", ""]


def check_order(struct):
    """Members that a version added follow those of the version before, whose programs have a shorter struct."""
    versions = [o.get("since", "0.2") for o in options(struct, "c")]
    for option, version, earlier in zip(options(struct, "c")[1:], versions[1:], versions):
        if version < earlier:
            sys.exit(f"{struct}: {option['name']} follows a member of version {earlier}; a new one comes last")


def header(text):
    for struct in STRUCTS:
        check_order(struct)
    begin, end = "// Generated from Schemas/options.json: begin.\n", "// Generated: end.\n"
    lines = [line for struct in STRUCTS for line in c_struct(struct)]
    head, rest = text.split(begin)
    return head + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end)[1]


def c_value(option, struct):
    """How a member is read in Swift; None where CInterface does it by hand."""
    name, kind = option["name"], option["type"]
    member, property = f"members.{name}", camel(name)
    if kind in ("path", "text"):
        return f'{property} = try string({member}, "{name}")'
    if kind == "flag":
        return f"{property} = {member} != 0"
    if kind == "enum":
        rest = f" ?? {property}" if option.get("default") and struct != "ExportOptions" else ""
        return f'{property} = try enumeration({member}, "{name}"){rest}'
    if kind == "count":
        rest = f" ?? {property}" if option.get("default") else ""
        return f'{property} = try number({member}, "{name}"){rest}'
    if kind == "bytes":
        return f"{property} = {member} == 0 ? nil : Int(clamping: {member})"
    if kind in ("seed", "number"):
        return f"{property} = {member}?.pointee"
    if kind == "switch":
        return f"{property} = ({member}?.pointee).map {{ $0 != 0 }}"
    if kind in ("shapes", "values", "sizes"):
        function = {"shapes": "shapeList", "values": "valueList", "sizes": "sizeList"}[kind]
        return f'{property} = try {function}({member}, {member[:-1]}_count, "{name}")'
    if kind == "tolerance":
        return f'{property} = try tolerancePair({member}, "{name}")'
    return None


def c_reading():
    lines = [
        f"// {NOTE}", "", "import CWeighbridge", "import ConversionCore", "import Weighbridge"]
    for struct in STRUCTS:
        if not has_file(struct):
            continue
        in_swift = options(struct, "swift")
        values = [c_value(o, struct) for o in options(struct, "c") if o in in_swift]
        lines += [
            "", f"extension {struct} {{", "  /// Reads the members that need nothing else.",
            f"  init(members: {snake(struct)}) throws(Failure) {{", "    self.init()",
            *(f"    {value}" for value in values if value), "  }", "}"]
    lines += ["", "// The sizes of the structs in version 0.2, which are accepted."]
    for struct in STRUCTS:
        new = [o for o in options(struct, "c") if "since" in o and "since" not in STRUCTS[struct]]
        lines += [f"extension {snake(struct)}: SizedStruct" + (" {" if new else " {}")]
        if new:
            lines += [
                "  static var minimumSize: Int {",
                f"    MemoryLayout<Self>.offset(of: \\.{new[0]['name']}) ?? MemoryLayout<Self>.size", "  }", "}"]
    return "\n".join(lines) + "\n"
