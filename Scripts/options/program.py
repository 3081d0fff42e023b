"""The flags of the program."""

import re

from table import NOTE, STRUCTS, camel, flags, literal, options


PROGRAM_TYPES = {
    "path": "String?", "text": "String?", "count": "Int?", "bytes": "SizeArgument?", "seed": "UInt64?",
    "number": "Double?", "shapes": "[InputShapeArgument]", "numbers": "[FixedInputArgument]",
    "sizes": "SizesArgument?", "enum": "EnumArgument<{enum}>?",
}


def program_name(option):
    """The argument `name:`, unless the name of the property gives it."""
    names = [f'.customLong("{flag}")' for flag in flags(option)]
    own = re.sub("([A-Z])", r"-\1", camel(option["name"])).lower()  # as ArgumentParser makes it
    if flags(option) == [own]:
        return []
    return ["    name: " + (names[0] if len(names) == 1 else "[" + ", ".join(names) + "]") + ","]


def program_help(option):
    help = option["help"]
    if option["type"] in ("shapes", "numbers"):
        help += " May be given several times."
    if "value" not in option:
        lines = literal(help, 80)
        return ["    help: " + lines[0], *lines[1:]]
    lines = literal(help, 85 - len(option["value"]))
    lines[0] = "      " + lines[0]
    return [
        "    help: ArgumentHelp(", *lines[:-1], lines[-1] + f', valueName: "{option["value"]}"))']


def program_property(option):
    kind, name = option["type"], camel(option["name"])
    if kind == "flag":
        lines = ["  @Flag(", *program_name(option), *program_help(option)]
        return lines[:-1] + [lines[-1] + ")", f"  var {name} = false", ""]
    if kind == "switch":
        bare = option["name"].replace("with_", "").replace("_", "-")
        lines = ["  @Flag(", *program_name(option), *program_help(option)]
        return lines[:-1] + [
            lines[-1] + ")", f"  var {name} = false", "",
            f'  @Flag(name: .customLong("without-{bare}"), help: "The opposite of --with-{bare}.")',
            f"  var {name.replace('with', 'without')} = false", ""]
    type = PROGRAM_TYPES[kind].format(**option)
    lines = ["  @Option(", *program_name(option), *program_help(option)]
    if "value" not in option:
        lines[-1] += ")"
    default = " = []" if type.startswith("[") else ""
    lines += [f"  var {name}: {type}{default}", ""]
    if "flag" in option.get("was", {}):
        lines += [
            f'  @Option(name: .customLong("{option["was"]["flag"]}"), help: .hidden)',
            f"  var former{name[0].upper()}{name[1:]}: {type}{default}", ""]
    return lines


def program_value(option, is_flat):
    kind, name = option["type"], camel(option["name"])
    value = {
        "enum": f"{name}?.value", "sizes": f"{name}?.sizes ?? []", "shapes": f"{name}.map(\\.shape)",
        "bytes": f"{name}?.bytes",
        "switch": f"{name} || {name.replace('with', 'without')} ? {name} : nil",
    }.get(kind, name)
    if kind == "count" and option.get("default"):
        return [f"    if let {name} {{ options.{name} = {name} }}"]
    if kind == "enum" and option.get("default") and not is_flat:
        return [f"    if let {name} {{ options.{name} = {name}.value }}"]
    if kind == "numbers":
        all = name
        if "flag" in option.get("was", {}):
            all = f"({name} + former{name[0].upper()}{name[1:]})"
        return [
            f"    options.{name} = Dictionary(",
            f"      {all}.map {{ ($0.name, $0.number) }}, uniquingKeysWith: {{ first, _ in first }})"]
    return [f"    options.{name} = {value}"]


def program_checks(entries):
    lines = []
    for option in entries:
        name = camel(option["name"])
        if option["type"] == "switch":
            other = name.replace("with", "without")
            bare = option["name"].replace("with_", "").replace("_", "-")
            lines += [
                f"    guard !{name} || !{other} else {{",
                f'      throw ValidationError("--with-{bare} and --without-{bare} exclude each other")', "    }"]
        if option["type"] == "numbers":
            all = f"({name} + former{name[0].upper()}{name[1:]})"
            lines += [
                "    var names: Set<String> = []",
                f"    if let twice = {all}.first(where: {{ !names.insert($0.name).inserted }}) {{",
                f'      throw ValidationError("--{flags(option)[0]} gives the input \\(twice.name) twice")', "    }"]
        if option["type"] == "count" and not option.get("for"):
            lines += [
                f"    if let {name}, {name} < 1 {{ "
                + f'throw ValidationError("--{flags(option)[0]} must be 1 or more") }}']
        if option["type"] == "number":
            lines += [
                f"    if let {name}, !(0...1 ~= {name}) {{",
                f'      throw ValidationError("--{flags(option)[0]} takes a number from 0 to 1")', "    }"]
    return ["  func validate() throws {", *lines, "  }", ""] if lines else []


def program_file(group, struct, property, help, import_names=("ArgumentParser", "Weighbridge")):
    entries = [
        o for o in options(struct, "program")
        if o["type"] != "struct" and not o.get("shared")]  # those are declared with another group
    lines = [f"// {NOTE}", "", *(f"import {name}" for name in import_names), ""]
    lines += [f"/// {help}", f"struct {group}: ParsableArguments {{"]
    for option in entries:
        lines += program_property(option)
    lines += program_checks(entries)
    lines += [
        "  /// The options that are given, and the defaults of the others.",
        f"  var {property}: {struct} {{", f"    var options = {struct}()"]
    for option in entries:
        lines += program_value(option, struct == "ExportOptions")
    return "\n".join(lines + ["    return options", "  }", "}"]) + "\n"


#: Options that several commands have in other combinations than their structs: group, options, what they are.
GROUPS = {
    "ThreadOptions": ("RunOptions", ["threads"], "The number of threads."),
    "EngineOptions": ("RunOptions", ["engine"], "The engine."),
    "ResizingOptions": ("DetectOptions", ["resize", "resampling"], "How an image is brought to a model's input."),
    "FeatureOptions": ("AnalyzeOptions", ["features"], "The features of images."),
    "OriginalOptions": ("VerifyOptions", ["against"], "The file that a model was made of."),
    "ReferenceOptions": (
        "VerifyOptions", ["reference_inputs", "reference_outputs"], "Reference arrays from the original framework."),
}


def group_file(group):
    """A group of flags without a struct of options."""
    struct, names, help = GROUPS[group]
    entries = [o for o in STRUCTS[struct]["options"] if o["name"] in names]
    imports = sorted({"ArgumentParser"} | {
        module for o in entries if o["type"] == "enum" for module in ("GraphIR", "Vision", "Weighbridge")})
    lines = [f"// {NOTE}", "", *(f"import {name}" for name in imports), ""]
    lines += [f"/// {help}", f"struct {group}: ParsableArguments {{"]
    for option in entries:
        lines += program_property(option)
    return "\n".join((lines + program_checks(entries))[:-1] + ["}"]) + "\n"


def repetition_file():
    repeated, former = [], {}
    for struct in STRUCTS:
        for option in options(struct, "program"):
            if option["type"] in ("shapes", "numbers"):
                repeated.append(flags(option)[0])
            old = option.get("was", {}).get("flag")
            others = flags(option)[1:] + ([old] if old else [])
            former.update({other: flags(option)[0] for other in others})
    pairs = ", ".join(f'"{old}": "{new}"' for old, new in sorted(former.items()))
    names = ", ".join(f'"{name}"' for name in sorted(repeated))
    return f"""// {NOTE}

extension RepeatedOptions {{
  /// The options of the table that may be given several times.
  static let repeatable: Set<String> = [{names}]
  /// Other names of options, and the first name.
  static let otherNames = [
    {pairs}
  ]
}}
"""
