"""The examples in the documentation of the package."""

import doctest
import functools
import importlib
import json
import pathlib
import os
import pkgutil
import re

import numpy
import pytest

import weighbridge

MODULES = ["weighbridge"] + [
    f"weighbridge.{module.name}" for module in pkgutil.iter_modules(weighbridge.__path__)
]
#: Those that need more than numpy.
JOBS = ["weighbridge.cluster", "weighbridge.cluster._photos"]


@pytest.mark.parametrize("name", [*MODULES, JOBS[1]])
def test_examples(name):
    if name in (*JOBS, "weighbridge.ray", "weighbridge.spark"):
        pytest.importorskip("pyarrow", reason="the package pyarrow is not installed")
    module = importlib.import_module(name)
    names = {"weighbridge": weighbridge, "numpy": numpy, "os": os}
    assert doctest.testmod(module, extraglobs=names).failed == 0


def test_most_of_what_is_public_has_an_example():
    finder = doctest.DocTestFinder()
    found = [
        test
        for name in ("open", "convert", "detect", "inspect", "version", "Model", "Session")
        for test in finder.find(getattr(weighbridge, name), name)
    ]
    assert sum(bool(test.examples) for test in found) >= 9


def test_everything_public_is_documented():
    for name in weighbridge.__all__:
        assert getattr(weighbridge, name).__doc__, name


def test_every_command_has_a_function():
    table = json.loads((ROOT / "Schemas/options.json").read_text())
    names = [command["python"] for command in table["commands"]]
    assert len(names) > 10
    for name in names:
        assert functools.reduce(getattr, name.split("."), weighbridge).__doc__, name
        assert name.split(".")[0] in weighbridge.__all__


ROOT = pathlib.Path(__file__).resolve().parents[2]
ARTICLES = ROOT / "Sources/Product/Weighbridge/Weighbridge.docc"


def test_the_article():
    """The code of the article about Python, block after block."""
    blocks = re.findall(r"```python\n(.*?)```", (ARTICLES / "Python.md").read_text(), re.DOTALL)
    assert len(blocks) >= 6
    names = {}
    for block in blocks:
        exec(compile(block, "Python.md", "exec"), names)
    assert names["report"].passed and names["found"].label


def test_the_readme():
    text = (pathlib.Path(__file__).resolve().parents[1] / "README.md").read_text()
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(block.replace("classifier.h5", "sketch-classifier.h5"), "README.md", "exec"), {})
