"""Swift sources as text: what stands in braces, and string literals."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def swift_files(folder):
    """The Swift files of a folder of the repository, with their text."""
    for path in sorted((ROOT / folder).rglob("*.swift")):
        yield path.relative_to(ROOT), path.read_text()


def line_number(text, position):
    return text.count("\n", 0, position) + 1


def without_strings(text):
    """The text with blanks in place of what stands in string literals and comments; positions stay the same."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    pattern = r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*'
    return re.sub(pattern, blank, text)


def closing(text, start, pair="{}"):
    """The position of the bracket that closes the one at `start`."""
    depth = 0
    for position in range(start, len(text)):
        if text[position] == pair[0]:
            depth += 1
        elif text[position] == pair[1]:
            depth -= 1
            if depth == 0:
                return position
    return len(text)


def literal(text, start):
    """A string literal at `start`, and the position after it. An interpolation becomes X, that of a reason or a problem R."""
    position, parts = start + 1, []
    while text[position] != '"':
        if text.startswith("\\(", position):
            end = end_of_interpolation(text, position + 1)
            parts.append("R" if re.search(r"reason|problem", text[position:end]) else "X")
            position = end
        elif text[position] == "\\":
            parts.append(text[position:position + 2])
            position += 2
        else:
            parts.append(text[position])
            position += 1
    return "".join(parts), position + 1


def end_of_interpolation(text, start):
    """The position after the parentheses that open at `start`."""
    position = start + 1
    while text[position] != ")":
        if text[position] == "(":
            position = end_of_interpolation(text, position)
        elif text[position] == '"':
            position = literal(text, position)[1]
        else:
            position += 1
    return position + 1


def literals(text, start):
    """String literals at `start` that are joined by +, as one."""
    result, position = literal(text, start)
    while match := re.compile(r'\s*\+\s*(?=")').match(text, position):
        more, position = literal(text, match.end())
        result += more
    return result
