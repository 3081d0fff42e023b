"""A link in the documentation to a function that takes a path, and in another form a file's location, says which is meant:
DocC stops at a link with two meanings, and `make docs` is no part of the tests.
"""

import re

from source import ROOT, closing, line_number

LOCATIONS = ROOT / "Sources/Product/Weighbridge/FileLocation.swift"
LINK = re.compile(r"``(?:/?\w+/)*?(?:(\w+)/)?(\w+\([\w:]*\))``")


def violations():
    names = overloaded(LOCATIONS.read_text())
    for pattern in ("*.swift", "*.md"):
        for path in sorted((ROOT / "Sources/Product").rglob(pattern)):
            text = path.read_text()
            for position, name in unclear(text, names):
                place = f"{path.relative_to(ROOT)}:{line_number(text, position)}"
                yield f"{place}: {name} has two forms, expected a link to one, such as {name}-(String,_)"


def overloaded(text):
    """The functions that take a location: pairs of the type that has them and their name with labels."""
    names = set()
    for extension in re.finditer(r"extension (\w+) \{", text):
        body = text[extension.end() - 1:closing(text, extension.end() - 1)]
        for found in re.finditer(r"\b(init|func (\w+))\(", body):
            parameters = body[found.end():closing(body, found.end() - 1, "()")]
            if "some FileLocation" in parameters:
                flat = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", parameters))
                labels = [parameter.split()[0].rstrip(":") for parameter in flat.split(",")]
                names.add((extension[1], f"{found[2] or 'init'}({''.join(label + ':' for label in labels)})"))
    return names


def unclear(text, names):
    """Where a link names such a function; without its type, only one with two labels is known to be meant."""
    without_type = {name for _, name in names if name.count(":") > 1}
    for link in LINK.finditer(text):
        if (link[1], link[2]) in names or not link[1] and link[2] in without_type:
            yield link.start(), link[2]
