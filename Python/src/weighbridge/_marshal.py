"""Arguments of Python as members of the structs of the C interface."""

from __future__ import annotations

import ctypes
import os
import warnings
from ctypes import c_char_p, c_double, c_int64
from typing import Any, Mapping, Sequence, Union

from . import _library
from ._errors import make_error

Path = Union[str, "os.PathLike[str]"]
#: A number, an array or nested lists of numbers, or the path of a NumPy file.
InputValue = Union[int, float, bool, Path, Sequence[Any]]


def taken(options: Any, keywords: Any, *others: str) -> "dict[str, Any]":
    """The options that are keywords of a typed dictionary, or other names; they are removed from `options`."""
    names = {*keywords.__optional_keys__, *others}
    return {name: options.pop(name) for name in list(options) if name in names}


def renamed(options: Mapping[str, Any], names: Mapping[str, str]) -> "dict[str, Any]":
    """The options under their names; a former name is accepted, with a warning."""
    result = dict(options)
    for former, name in names.items():
        if former not in result:
            continue
        if name in result:
            raise make_error("invalidArgument", f"{former} is the former name of {name}; both are given")
        warnings.warn(f"{former} is now called {name}", DeprecationWarning, stacklevel=5)
        result[name] = result.pop(former)
    return result


def texts(value: Sequence[str], name: str) -> "tuple[ctypes.Array[c_char_p], int]":
    """A list of texts."""
    if isinstance(value, str):
        raise make_error("invalidArgument", f"{name} must be a list of strings: [{value!r}]")
    return _library.texts(value, name)


def paths(value: Sequence[Path], name: str) -> "tuple[ctypes.Array[c_char_p], int]":
    """A list of paths."""
    if isinstance(value, (str, os.PathLike)):
        raise make_error("invalidArgument", f"{name} must be a list of paths: [{os.fspath(value)!r}]")
    return _library.texts([os.fspath(path) for path in value], name)


def reals(value: Sequence[float], name: str) -> "tuple[ctypes.Array[c_double], int]":
    """A list of numbers."""
    flat = [float(number) for number in value]
    return (c_double * len(flat))(*flat), len(flat)


def values(
    value: "Mapping[str, InputValue] | None", name: str
) -> "tuple[ctypes.Array[c_char_p], int]":
    """Values by name, as texts."""
    return _library.texts([f"{key}={_text(each)}" for key, each in (value or {}).items()], name)


def sizes(value: Sequence[tuple[int, int]], name: str) -> "tuple[ctypes.Array[c_int64], int]":
    """Widths and heights, one after the other."""
    flat = [int(side) for size in value for side in size]
    if len(flat) != 2 * len(value):
        raise make_error("invalidArgument", f"{name} is a list of (width, height)")
    return (c_int64 * len(flat))(*flat), len(value)


def count(value: int | None, name: str) -> int | None:
    """A number from 1."""
    if value is not None and value < 1:
        raise make_error("invalidArgument", f"{name} is {value}; it is a number from 1, or None")
    return value


def _text(value: Any) -> str:
    if isinstance(value, (str, os.PathLike)):
        return f"@{os.fspath(value)}"
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(_text, value))}]"
    return str(value).lower() if isinstance(value, bool) else repr(value)
