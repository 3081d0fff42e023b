"""Checks rules that the compiler does not check: the order of the floors, tests that end before they expect anything, what
the reasons of errors say, links in the documentation, and the names in .gitattributes. Prints each violation and exits with 1 if there is one.
"""

import sys

sys.dont_write_bytecode = True

import attributes
import floors
import links
import reasons
import suites

if __name__ == "__main__":
    violations = [*attributes.violations(), *floors.violations(), *suites.violations(), *reasons.violations(),
                  *links.violations()]
    print(*violations, sep="\n", end="\n" if violations else "")
    sys.exit(bool(violations))
