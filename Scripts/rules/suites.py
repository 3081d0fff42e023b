"""A test expects something on every path: it does not return before an expectation, and its expectations do not all
stand in loops over a list that may be empty."""

import re

from source import closing, line_number, swift_files, without_strings

EXPECTATION = re.compile(r"#expect|#require|Issue\.record|\b(?:expect|record|check|confirm)\w*\(")
#: Lists that are not empty: literals, ranges, all cases of an enumeration, and functions that report an empty list.
NON_EMPTY = re.compile(
    r"\[|\(|-?\d|\w+\.allCases|zip\(\[|stride\(|(?:try )?distances\(|Catalog\.all|OperatorExample\.all")
LOOP = re.compile(r"\n\s*for (?:try )?(?:await )?(?:case )?[^\n]*? in ((?:.|\n)*?)\{\n")


def violations(folders=("Tests", "Studio/Tests")):
    for folder in folders:
        for path, text in swift_files(folder):
            yield from (f"{path}:{problem}" for problem in problems(text))


def problems(text):
    """What is wrong with the tests of a file: lines and sentences."""
    code = without_strings(text)
    for start, end in bodies(code):
        body, line = code[start:end], line_number(code, start)
        for match in re.finditer(r"\breturn *[\n}]", body):
            if not EXPECTATION.search(body, 0, match.start()):
                yield f"{line_number(code, start + match.start())}: a test returns before it expects anything"
        lists, rest = split(body)
        unclear = [name for name in lists if not is_certain(name, code)]
        if lists and not EXPECTATION.search(rest) and len(unclear) == len(lists):
            yield (
                f"{line}: a test expects something only for each of {unclear[0]}, which may be empty: expect a count, "
                "too")


def bodies(code):
    """Where the bodies of tests begin and end."""
    for match in re.finditer(r"@Test\b", code):
        name = re.compile(r"\bfunc [^(]+").search(code, match.end())
        if name:
            start = code.index("{", closing(code, name.end(), "()"))
            yield start, closing(code, start) + 1


def split(body):
    """The lists of the outermost loops of a body, and the text outside of loops."""
    lists, rest, position = [], "", 0
    for match in LOOP.finditer(body):
        if match.start() >= position:
            lists.append(match.group(1).strip())
            rest += body[position:match.start()]
            position = closing(body, match.end() - 2) + 1
    return lists, rest + body[position:]


def is_certain(name, code):
    """Whether a list is certainly not empty, as far as the file itself says."""
    if NON_EMPTY.match(name):
        return True
    if " + " in name:
        return any(is_certain(part, code) for part in name.split(" + "))
    if match := re.fullmatch(r"zip\((.*?), (.*)\)", name):
        return all(is_certain(part, code) for part in match.groups())
    word = re.match(r"(?:\w+\.)?(\w+)(?=$|\.(?:enumerated|sorted|reversed|keys|indices|dropFirst)\b)", name)
    return bool(word and re.search(rf"\b(?:let|var) {word.group(1)}(?:: [^=\n]+)? =\s*(?:try )?(?:\[|\(\d)", code))
