"""Writes the list of all operators, Catalog+All.swift, from the files of LayerCatalog: one operator is one file."""

import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "Sources/Operators/LayerCatalog"
OPERATOR = re.compile(r"struct (\w+)(?:<[^>]*>)?\s*:[^{]*\b\w*Operator\b[^{]*{")


def names():
    """The operators by name, upper and lower case alike."""
    sources = [file.read_text() for file in FOLDER.rglob("*.swift")]
    return sorted((name for source in sources for name in OPERATOR.findall(source)), key=str.lower)


def main():
    entries = "".join(f"    {name}.self,\n" for name in names())
    (FOLDER / "Catalog+All.swift").write_text(f"""\
// Generated from the files of this folder by Scripts/catalog.py. Do not edit.

extension Catalog {{
  /// All operators, in alphabetical order.
  package static let all: [any CatalogOperator.Type] = [
{entries}  ]
}}
""")


main()
