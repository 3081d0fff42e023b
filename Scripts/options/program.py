"""The flags of the program."""

import re

from table import NOTE, STRUCTS, camel, flags, literal, options


PROGRAM_TYPES = {
    "path": "String?", "text": "String?", "count": "Int?", "bytes": "SizeArgument?", "seed": "UInt64?",
    "number": "Double?", "shapes": "[InputShapeArgument]", "values": "[FixedInputArgument]",
    "sizes": "SizesArgument?", "enum": "EnumArgument<{enum}>?", "json": "String?", "paths": "[String]",
    "texts": "NamesArgument?", "reals": "NumbersArgument?",
}


#: The program's names of options that have several words, by their names in the table.
OPTION_FLAGS = {
    o["name"]: "--" + flags(o)[0] for struct in STRUCTS for o in options(struct, "program") if "_" in o["name"]}
#: The numbers that an option takes, and what others are.
RANGES = {
    "from 0 to 1": "!(0...1 ~= {})", "above 0": "!({0} > 0 && {0}.isFinite)",
    "above 0, at most 1": "!({0} > 0 && {0} <= 1)", "any": "{}.isNaN",
}


def program_name(option):
    """The argument `name:`, unless the name of the property gives it."""
    names = [f'.customLong("{flag}")' for flag in flags(option)]
    own = re.sub("([A-Z])", r"-\1", camel(option["name"])).lower()  # as ArgumentParser makes it
    if option.get("short"):
        return ["    name: .shortAndLong,"]
    if flags(option) == [own]:
        return []
    return ["    name: " + (names[0] if len(names) == 1 else "[" + ", ".join(names) + "]") + ","]


def program_help(option):
    # Other options are named as in the program.
    help = re.sub(r"\b[a-z]+(_[a-z]+)+\b", lambda name: OPTION_FLAGS.get(name[0], name[0]), option["help"])
    if "note" in option:
        help += " " + option["note"]
    if option["type"] in ("shapes", "values"):
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
    if kind == "switch" and not option["name"].startswith("with_"):
        lines = ["  @Flag(", "    inversion: .prefixedNo,", *program_name(option), *program_help(option)]
        return lines[:-1] + [lines[-1] + ")", f"  var {name}: Bool?", ""]
    if kind == "switch":
        bare = option["name"].replace("with_", "").replace("_", "-")
        lines = ["  @Flag(", *program_name(option), *program_help(option)]
        return lines[:-1] + [
            lines[-1] + ")", f"  var {name} = false", "",
            f'  @Flag(name: .customLong("without-{bare}"), help: "The opposite of --with-{bare}.")',
            f"  var {name.replace('with', 'without')} = false", ""]
    type = PROGRAM_TYPES[kind].format(**option)
    if option.get("fraction"):
        type = "FractionArgument?"
    parsing = ["    parsing: .upToNextOption,"] if kind == "paths" else []
    lines = ["  @Option(", *program_name(option), *parsing, *program_help(option)]
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
    if kind == "values":
        all = name
        if "flag" in option.get("was", {}):
            all = f"({name} + former{name[0].upper()}{name[1:]})"
        return [
            f"    options.{name} = Dictionary(",
            f"      {all}.map {{ ($0.name, $0.value) }}, uniquingKeysWith: {{ first, _ in first }})"]
    return [f"    options.{name} = {value}"]


def program_checks(entries):
    lines = []
    for option in entries:
        name = camel(option["name"])
        if option["type"] == "switch" and option["name"].startswith("with_"):
            other = name.replace("with", "without")
            bare = option["name"].replace("with_", "").replace("_", "-")
            lines += [
                f"    guard !{name} || !{other} else {{",
                f'      throw ValidationError("--with-{bare} and --without-{bare} exclude each other")', "    }"]
        if option["type"] == "values":
            all = f"({name} + former{name[0].upper()}{name[1:]})"
            lines += [
                "    var names: Set<String> = []",
                f"    if let twice = {all}.first(where: {{ !names.insert($0.name).inserted }}) {{",
                f'      throw ValidationError("--{flags(option)[0]} gives the input \\(twice.name) twice")', "    }"]
        if option["type"] == "count" and not option.get("for"):
            minimum = option.get("minimum", 1)
            lines += [
                f"    if let {name}, {name} < {minimum} {{ "
                + f'throw ValidationError("--{flags(option)[0]} must be {minimum} or more") }}']
        if option["type"] == "number":
            range = option.get("range", "from 0 to 1")
            condition = RANGES[range].format(name + (".value" if option.get("fraction") else ""))
            words = "a number" if range == "any" else f"a number {range}"
            lines += [
                f"    if let {name}, {condition} {{",
                f'      throw ValidationError("--{flags(option)[0]} takes {words}")', "    }"]
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


#: Options that are not read into a struct of the library: group, options, what they are.
GROUPS = {
    "ThreadOptions": ("RunOptions", ["threads"], "The number of threads."),
    "EngineOptions": ("RunOptions", ["engine"], "The engine."),
    "ResizingOptions": ("DetectOptions", ["resize", "resampling"], "How an image is brought to a model's input."),
    "FeatureOptions": ("AnalyzeOptions", ["features"], "The features of images."),
    "OriginalOptions": ("VerifyOptions", ["against"], "The file that a model was made of."),
    "ReferenceOptions": (
        "VerifyOptions", ["reference_inputs", "reference_outputs"], "Reference arrays from the original framework."),
    "MeasuringOptions": (
        "VerifyOptions", ["evaluation"], "The inputs on which a stated error is measured anew."),
    "StylizingOptions": ("StylizeOptions", None, "How images are transformed."),
    "PairingOptions": ("CompareOptions", None, "What is compared of two models."),
    "BudgetOptions": (
        "CompactOptions", None, "The budget of a compaction, and the examples for calibrating and measuring it."),
    "EditingOptions": ("MetadataOptions", None, "Where changed metadata go."),
    "IndexingOptions": ("IndexOptions", None, "How an index of images is updated."),
    "RankingOptions": ("SimilarOptions", None, "How images are ranked by their features."),
    "LayoutOptions": ("SearchOptions", ["layout", "like", "aspect"], "The wanted layout."),
    "CostOptions": ("SearchOptions", ["classes", "max_cost", "weights", "top", "output"], "What a difference costs, and what is shown."),
    "ReportingOptions": ("ReportOptions", None, "What a report contains."),
}


def modules(option):
    """The modules with the enumeration of an option."""
    if option["type"] != "enum":
        return ()
    return ("ImageSearch",) if option["enum"] == "FeatureDistance" else ("GraphIR", "Vision", "Weighbridge")


def group_file(group):
    """A group of flags without a struct of options."""
    struct, names, help = GROUPS[group]
    entries = [o for o in options(struct, "program") if names is None or o["name"] in names]
    imports = sorted({"ArgumentParser"} | {module for o in entries for module in modules(o)})
    lines = [f"// {NOTE}", "", *(f"import {name}" for name in imports), ""]
    lines += [f"/// {help}", f"struct {group}: ParsableArguments {{"]
    for option in entries:
        lines += program_property(option)
    return "\n".join((lines + program_checks(entries))[:-1] + ["}"]) + "\n"


def repetition_file():
    repeated, former = [], {}
    for struct in STRUCTS:
        for option in options(struct, "program"):
            if option["type"] in ("shapes", "values", "paths"):
                repeated.append(flags(option)[0])
            old = option.get("was", {}).get("flag")
            others = flags(option)[1:] + ([old] if old else [])
            former.update({other: flags(option)[0] for other in others})
    pairs = ", ".join(f'"{old}": "{new}"' for old, new in sorted(former.items()))
    names = ", ".join(f'"{name}"' for name in sorted(set(repeated)))
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
