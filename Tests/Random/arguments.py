"""What is drawn for an argument: by its name first, then by the type of its default.

An argument that has no strategy is left at its default, and reported; one without a default then makes
what needs it impossible, which the report shows too.
"""

import re

from strategies import PATTERNS, STRATEGIES, flag

NONE_KNOWN = object()


def drawn(name: str, asked):
    """A value for an argument, or NONE_KNOWN."""
    if name in STRATEGIES:
        strategy = STRATEGIES[name]
        return NONE_KNOWN if strategy is None else strategy(asked)
    for pattern, strategy in PATTERNS:
        if re.match(pattern, name):
            return strategy(asked)
    default = asked.default
    if isinstance(default, bool):
        return flag(asked)
    if isinstance(default, float):
        return default * asked.one(0.5, 1.0, 2.0)
    if isinstance(default, int):
        return default + asked.one(0, 1)
    return NONE_KNOWN
