"""Runs the articles on the targets: in the order of an article its commands, with the program, and its
Python, here.

usage: article_peer.py PROGRAM ARTICLE...

PROGRAM is `weighbridge`, an article is `ToONNX`, for example, of Sources/Product/Weighbridge/Weighbridge.docc.
The Swift in the articles is run by Tests/Product/WeighbridgeTests/ExportArticleTests.swift.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"^<!-- Not run: .*?^```\w+\n.*?^```$", re.MULTILINE | re.DOTALL)


def prepare(program, folder):
    """The files that the articles speak of."""
    script = ROOT / "Samples/Models/articles.sh"
    subprocess.run([script, program, folder], check=True)


def command(program, line):
    """Runs a command; that two files differ is no failure."""
    words = f'weighbridge() {{ "{program}" "$@"; }}; {line}'
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True)
    allowed = (0, 1) if line.startswith("weighbridge diff ") else (0,)
    if done.returncode not in allowed:
        raise AssertionError(f"{line}: status {done.returncode}\n{done.stderr}")


def run(program, article):
    """Runs all blocks of an article; Python keeps its names from block to block."""
    text = (ROOT / f"Sources/Product/Weighbridge/Weighbridge.docc/{article}.md").read_text()
    names, counts = {}, {"console": 0, "python": 0}
    for language, block in BLOCK.findall(NOT_RUN.sub("", text)):
        counts[language] += 1
        if language == "python":
            exec(compile(block, article, "exec"), names)
            continue
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("$ "):
                command(program, line[2:])
    if not any(counts.values()):
        raise AssertionError(f"{article}: nothing to run")
    print(f"{article}: {counts['console']} blocks of commands and {counts['python']} of Python")


def main(program, *articles):
    program = os.path.abspath(program)
    sys.path.insert(0, "")  # modules that an article writes
    for article in articles:
        with tempfile.TemporaryDirectory() as folder:
            prepare(program, folder)
            os.chdir(folder)
            run(program, article)
            os.chdir(ROOT)


if __name__ == "__main__":
    main(*sys.argv[1:])
