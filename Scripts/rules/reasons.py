"""The reason of an error says what was found, and what is expected or possible: it has a word of expectation, names the
rule that is broken, or has a second clause. `units=-1` is no reason; `units=-1, expected at least 1` is one.
"""

import re

from source import line_number, literals, swift_files

#: Where a literal is the reason of an error.
START = re.compile(
    r'(?:\.(?:unsupported|mismatch|malformed|limitExceeded)\(|malformed\(|WeighbridgeError\(\s*\.?\w+(?:\.\w+)*,'
    r'|ShapeError\(|problems\.add\([^"\n]*?,|unsupported:)\s*(?=")')
EXPECTATION = re.compile(
    r"\b(?:expected|expects?|only|must|needs?|needed|can|cannot|could|takes?|no|not|none|nothing|never|supports?|supported"
    r"|use|gives?|given|at least|at most|instead|allowed|requires?|required|neither|either|(?:more|fewer|less|another|other) (?:\w+ )?than"
    r"|should|without|lacks?|limit|writes?|reads?|too)\b|n't")
BROKEN_RULE = re.compile(
    r"\b(?:two|twice|already|duplicate|reserved|missing|overlap|share|unknown|invalid|undefined|empty|NaN|differs?|beyond"
    r"|outside|deeper|longer|larger|above|below|after|before|cut off|unterminated|exclude|divided by 0|crashes|unless)\b")
SECOND_CLAUSE = re.compile(r", (?:and|but|which|of which|by which|where|whose|so|with) |[;:] ")


def violations():
    for path, text in swift_files("Sources"):
        for position, reason in reasons(text):
            if not is_complete(reason):
                yield f"{path}:{line_number(text, position)}: \"{reason}\" does not say what is expected or possible"


def reasons(text):
    """The reasons in a source, with X for each interpolation; not those that pass on another error's."""
    for match in START.finditer(text):
        reason = literals(text, match.end())
        if not re.search(r"(?<![A-Za-z])R(?![A-Za-z])", reason):
            yield match.start(), reason


def is_complete(reason):
    return bool(
        EXPECTATION.search(reason) or BROKEN_RULE.search(reason) or SECOND_CLAUSE.search(reason)
        or re.fullmatch(r"[X\W]*", reason))
