"""The article Options.md."""

from table import COMMANDS, STRUCTS, flags, options, singular


def article():
    lines = [
        "# Options", "", "The options of the library, the program, C and Python.", "", "@Metadata {",
        "  @TitleHeading(\"Reference\")", "}", "", "## Overview", "",
        "An option has one name everywhere, in the spelling of each language: `keep_unknown` in C and Python is",
        "`keepUnknown` in Swift and `--keep-unknown` in the program. The program's flag for a list is the singular, and",
        "is given once for each element. An option that does not apply to the file or the format is an error. All of",
        "this is made of `Schemas/options.json`."]
    lines += ["", "### Commands", "", "What the program does, C and Python do too.", "", "| program | C | Python |", "|---|---|---|"]
    lines += [f"| `{c['program']}` | `{c['c']}` | `{c['python']}` |" for c in COMMANDS]
    for struct in STRUCTS:
        lines += [
            "", f"### {struct}", "", STRUCTS[struct]["help"], "", "| name | program | applies to | |",
            "|---|---|---|---|"]
        in_program = options(struct, "program")
        for option in STRUCTS[struct]["options"]:
            if option["type"] in ("struct", "interrupt", "reserved", "outputs", "swift"):
                continue
            flag = ", ".join(f"`--{f}`" for f in flags(option)) if option in in_program else ""
            if option["type"] == "switch":
                flag += f", `--{flags(option)[0].replace('with-', 'without-')}`"
            formats = ", ".join(option.get("for", []))
            lines.append(f"| `{option['name']}` | {flag} | {formats} | {option['help']} |")
    return "\n".join(lines) + "\n"
