"""Every line of .gitattributes names files that are in the repository: a file that moves takes its line along."""

import subprocess

from source import ROOT


def violations():
    for line in (ROOT / ".gitattributes").read_text().splitlines():
        pattern = line.split()[0] if line.split() else "#"
        if not pattern.startswith("#") and not matches(pattern):
            yield f".gitattributes: no file is named {pattern}"


def matches(pattern):
    """Whether there is a file of a pattern, as Git reads it; True outside of a working copy, where Git cannot say."""
    path = pattern if "/" in pattern else f"**/{pattern}"
    command = ["git", "ls-files", "--", f":(glob){path}"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return result.returncode != 0 or bool(result.stdout)
