"""Writes what is made of Schemas/options.json, in which every option is declared once: the structs of Swift,
the program's flags, the structs of the C header and how they are read, Python's structs and typed keywords, and
the article Options.md. With --check, nothing is written, and a file that is out of date is an error.
"""

import sys

sys.dont_write_bytecode = True

import article
import c
import program
import python
import swift
from table import ROOT, STRUCTS, formatted


#: Structs of Swift with nothing but their options.
PLAIN = ("RunOptions", "WriteOptions", "VerifyOptions", "DetectOptions", "ClassifyOptions")


def files():
    commands = "Sources/Product/WeighbridgeCommand/Options/Generated"
    package = "Python/src/weighbridge"
    header_path = "Sources/CLibraries/CWeighbridge/include/weighbridge.h"
    return {
        STRUCTS["ReadOptions"]["file"]: swift.read_options(), STRUCTS["ExportOptions"]["file"]: swift.export_options(),
        STRUCTS["ExportOptions"]["file"].replace("ExportOptions", "ExportFormat"): swift.export_formats(),
        **{STRUCTS[s]["file"]: swift.plain_struct(s) for s in PLAIN},
        "Sources/Base/Bytes/APIName.swift": swift.api_name(),
        "Sources/Product/WeighbridgeCommand/Output/APIName+Option.swift": swift.renamed_in_messages(
            "option", "The corresponding option of the program.", 2),
        "Sources/Product/CInterface/OptionNames.swift": swift.renamed_in_messages(
            "optionName", "The corresponding member of the C interface, and argument of Python.", 3),
        f"{commands}/SourceOptions.swift": program.program_file(
            "SourceOptions", "ReadOptions", "readOptions", "Settings that a source file does not contain."),
        f"{commands}/TargetOptions.swift": program.program_file(
            "TargetOptions", "ExportOptions", "exportOptions", "The options of all formats for export."),
        f"{commands}/WritingOptions.swift": program.program_file(
            "WritingOptions", "WriteOptions", "writeOptions", "How a file is written."),
        f"{commands}/DetectionOptions.swift": program.program_file(
            "DetectionOptions", "DetectOptions", "options", "The options that decide which detections count."),
        f"{commands}/ClassificationOptions.swift": program.program_file(
            "ClassificationOptions", "ClassifyOptions", "options", "The options that decide which classes are shown."),
        f"{commands}/RepeatedOptions+Names.swift": program.repetition_file(),
        **{f"{commands}/{group}.swift": program.group_file(group) for group in program.GROUPS},
        header_path: c.header((ROOT / header_path).read_text()),
        "Sources/Product/CInterface/Options+Members.swift": c.c_reading(),
        f"{package}/_structs.py": python.python_structs(), f"{package}/_options.py": python.python_options(),
        "Sources/Product/Weighbridge/Weighbridge.docc/Options.md": article.article(),
    }


def main():
    is_check = sys.argv[1:] == ["--check"]
    for path, text in files().items():
        file = ROOT / path
        if path.endswith(".swift"):
            text = formatted(text)
        if file.exists() and file.read_text() == text:
            continue
        if is_check:
            sys.exit(f"{path} is out of date. Run: python3 Scripts/options")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


main()
