"""The structs of options in Swift, and the names of options in messages."""

from table import NOTE, STRUCTS, TABLE, TARGETS, camel, flags, options, packed, swift_type, wrapped


def swift_property(option, is_optional=False):
    kind, default = swift_type(option)
    name, access = camel(option["name"]), option.get("access", "public")
    if is_optional and option["type"] == "enum":
        kind, default = option["enum"] + "?", None
    help = ("Whether to " + option["help"][0].lower() + option["help"][1:]
            if option["type"] == "flag" else option["help"])
    lines = wrapped(help, "  /// ", 100)
    access = "" if access == "internal" else access + " "
    if default is None:
        return lines + [f"  {access}var {name}: {kind}"]
    if default in ("[]", "[:]") or option["type"] == "swift" or kind == "Int?":
        return lines + [f"  {access}var {name}: {kind} = {default}"]
    return lines + [f"  {access}var {name} = {default}"]


def swift_struct(name, help, entries, is_flat=False):
    lines = ["", *wrapped(help, "/// ", 100), f"public struct {name}: Sendable {{"]
    for option in entries:
        lines += swift_property(option, is_optional=is_flat)
    return lines + ["", "  /// Creates options with the defaults.", "  public init() {}", "}"]


def old_names(name, entries, is_flat=False):
    """The names of the version before, as deprecated properties."""
    renamed = [o for o in entries if "swift" in o.get("was", {})]
    if not renamed:
        return []
    lines = ["", "/// The names of version 0.2.", f"extension {name} {{"]
    for option in renamed:
        new, old = camel(option["name"]), option["was"]["swift"]
        kind = swift_type(option)[0]
        if is_flat and option["type"] == "enum":
            kind = option["enum"] + "?"
        lines += ([""] if not lines[-1].endswith("{") else []) + [
            f"  /// The former name of ``{new}``.",
            f'  @available(*, deprecated, renamed: "{new}")',
            f"  public var {old}: {kind} {{",
            f"    get {{ {new} }}", f"    set {{ {new} = newValue }}", "  }"]
    return lines + ["}"]


def is_given(option):
    name, (kind, default) = camel(option["name"]), swift_type(option)
    if option["type"] == "flag":
        return name
    if option["type"] == "switch":
        return f"{name} == true"
    return f"!{name}.isEmpty" if default in ("[]", "[:]") else f"{name} != nil"


def given(entries, case):
    rows = [f"(.{case(o)}, {is_given(o)})" for o in entries]
    return [
        "", "  /// The names of the options that are given.", "  package var given: [APIName] {",
        "    let options: [(name: APIName, isGiven: Bool)] = [", *packed(rows, "      "),
        "    ]", "    return options.filter(\\.isGiven).map(\\.name)", "  }"]


def name_set(name, entries, case, help):
    names = ", ".join("." + case(o) for o in entries)
    lines = [f"  /// {help}"]
    if len(names) < 50:
        return lines + [f"  package static let {name}: Set<APIName> = [{names}]"]
    return lines + [
        f"  package static let {name}: Set<APIName> = [", *wrapped(names + ",", "    ", 100), "  ]"]


def swift_file(imports, body):
    return "\n".join([f"// {NOTE}", "", *imports, *body]) + "\n"


def read_options():
    entries = options("ReadOptions", "swift")
    taken = [o for o in entries if o.get("for")]
    body = swift_struct("ReadOptions", STRUCTS["ReadOptions"]["help"], entries)[:-1]
    body += given(taken, lambda o: camel(o["name"])) + ["}"]
    body += ["", "/// What applies to each format.", "extension Set<APIName> {"]
    for number, format in enumerate(["keras", "darknet", "onnx", "coreML"]):
        body += [""] if number else []
        body += name_set(
            format + "Options", [o for o in taken if format.lower() in o["for"]],
            lambda o: camel(o["name"]), "The options for reading that apply to the format.")
    return swift_file(STRUCTS["ReadOptions"]["imports"], body + ["}"] + old_names("ReadOptions", entries))


def plain_struct(struct):
    entries = options(struct, "swift")
    return swift_file(
        STRUCTS[struct]["imports"], swift_struct(struct, STRUCTS[struct]["help"], entries) + old_names(struct, entries))


def export_case(option):
    return "export" + option["name"].title().replace("_", "").replace("Nms", "NMS")


def case_of(target):
    return target.get("case", target["name"])


def of_format(option, target):
    """An option with the default of a format, if that differs from the others'."""
    default = option.get("defaults", {}).get(target["name"])
    return {**option, "default": default} if default else option


def payload(name, entries):
    target = next(t["name"] for t in TARGETS if t.get("options") == name)
    entries = [o | {"default": o.get("defaults", {}).get(target, o.get("default"))} for o in entries]
    title = next(t["title"] for t in TARGETS if t.get("options") == name)
    lines = swift_struct(name, f"How {title} is written.", entries)
    if title.startswith("files"):
        lines[1] = lines[1].replace(" is ", " are ")
    lines = lines[:-1] + [
        "", "  /// Those of `options` that the format has.",
        "  package init(_ options: ExportOptions) {"]
    for option in entries:
        member = camel(option["name"])
        rest = f" ?? {member}" if option.get("default") and option["type"] == "enum" else ""
        lines.append(f"    {member} = options.{member}{rest}")
    return lines + ["  }", "}"]


def export_options():
    entries = options("ExportOptions", "swift")
    flat_help = (
        "The options of all formats, for a format that is only known when the program runs: "
        + "`ExportTarget(_:options:)` refuses those that do not apply. Where it is known before, the "
        + "options of an ``ExportTarget`` are those that the format has.")
    body = swift_struct("ExportOptions", flat_help, entries, is_flat=True)[:-1]
    body += given(entries, export_case) + ["}"]
    names = sorted({t["options"] for t in TARGETS if "options" in t})
    of_target = {t["name"]: [o for o in entries if t["name"] in o["for"]] for t in TARGETS}
    for name in names:
        target = next(t for t in TARGETS if t.get("options") == name)
        body += payload(name, [of_format(o, target) for o in of_target[target["name"]]])
    return swift_file(STRUCTS["ExportOptions"]["imports"], body + old_names("ExportOptions", entries, is_flat=True))


def export_formats():
    """The formats, without and with their options."""
    entries = options("ExportOptions", "swift")
    of_target = {t["name"]: [o for o in entries if t["name"] in o["for"]] for t in TARGETS}
    return swift_file(["public import Bytes"], export_format(of_target) + export_target())


def export_format(of_target):
    lines = [
        "", "/// The name of a format in which models are written for other tools.",
        "public enum ExportFormat: String, Hashable, Sendable, CaseIterable {"]
    for target in TARGETS:
        raw = f' = "{target["name"]}"' if "case" in target else ""
        lines += [f"  /// {target['help']}", f"  case {case_of(target)}{raw}"]
    lines += [
        "", "  /// The extension of the file that the user names, without a dot.",
        "  public var fileExtension: String {", "    switch self {"]
    lines += [f'    case .{case_of(t)}: "{t["extension"]}"' for t in TARGETS]
    lines += [
        "    }", "  }", "", "  /// The options of ``ExportOptions`` that apply to the format.",
        "  package var options: Set<APIName> {", "    switch self {"]
    for target in TARGETS:
        names = ", ".join("." + export_case(o) for o in of_target[target["name"]])
        line = f"    case .{case_of(target)}: [{names}]"
        lines += [line] if len(line) <= 100 else [
            f"    case .{case_of(target)}:", "      [", *wrapped(names + ",", "        ", 100), "      ]"]
    return lines + ["    }", "  }", "}"]


def export_target():
    lines = [
        "", "/// A format in which models are written for other tools, with its options.",
        "public enum ExportTarget: Sendable {"]
    for target in TARGETS:
        value = f"({target['options']} = {target['options']}())" if "options" in target else ""
        lines += [f"  /// {target['help']}", f"  case {case_of(target)}{value}"]
    lines += [
        "", "  /// The format without its options.", "  public var format: ExportFormat {",
        "    switch self {", *(f"    case .{case_of(t)}: .{case_of(t)}" for t in TARGETS), "    }", "  }",
        "", "  /// Combines a format and options that are only known when the program runs.", "  ///",
        "  /// - Throws: ``WeighbridgeError/Code/mismatch``, which names an option that does not apply.",
        "  public init(", "    _ format: ExportFormat, options: ExportOptions = ExportOptions()",
        "  ) throws(WeighbridgeError) {", "    try options.check(for: format)", "    switch format {"]
    for target in TARGETS:
        value = f"({target['options']}(options))" if "options" in target else ""
        lines.append(f"    case .{case_of(target)}: self = .{case_of(target)}{value}")
    return lines + ["    }", "  }", "}"]


def message_names():
    """Case, name in the API, option of the program, argument in C and Python."""
    rows = []
    for struct in STRUCTS:
        for option in options(struct, "swift"):
            is_named = option.get("for") or option.get("message")
            if not is_named:
                continue
            case = {"ExportOptions": export_case}.get(struct, lambda o: camel(o["name"]))(option)
            flag = "with-nms" if option["type"] == "switch" else flags(option)[0]
            rows.append((
                case, f"{struct}.{camel(option['name'])}", "--" + flag, f"`{option['name']}`"))
    return rows + [(n["case"], n["api"], n["option"], n["argument"]) for n in TABLE["names"]]


def api_name():
    cases = "\n".join(f'  case {case} = "{api}"' for case, api, _, _ in message_names())
    return f"""// {NOTE}

/// A part of the library's API that a message may refer to, by its name.
///
/// A message refers to it by interpolation (`"give it with \\(APIName.weights)"`), which puts the
/// name in backquotes. The command-line program replaces it with its own option before it prints a
/// message. Messages are also stored in files and concatenated, so they stay strings.
package enum APIName: String, CaseIterable, Sendable, CustomStringConvertible {{
{cases}

  /// The name in backquotes, as it appears in messages.
  package var description: String {{ "`\\(rawValue)`" }}
}}
"""


def renamed_in_messages(property, help, column):
    cases = "\n".join(f'    case .{row[0]}: "{row[column]}"' for row in message_names())
    return f"""// {NOTE}

import Bytes

extension APIName {{
  /// {help}
  var {property}: String {{
    switch self {{
{cases}
    }}
  }}
}}
"""
