"""Errors, in three classes by what a program can do about them."""

from __future__ import annotations


class WeighbridgeError(Exception):
    """What went wrong, and where. Its three subclasses say what a program can do about it.

    Attributes:
        code: The kind of failure, such as ``"malformed"``; stable, for programs to act on.
        reason: What was found, what was expected and what is possible.
        file: The file, as it was given.
        line: The line of a text file, from 1.
        byte: The byte, from the start of the file.
        path: The path inside an HDF5 file, a JSON value or an archive.
        layer: The layer, such as ``"#3 lambda_1 (Lambda)"``.

    >>> try:
    ...     weighbridge.open("no-such-file.h5")
    ... except weighbridge.ModelError as error:
    ...     print(error.code, error.file)
    missing no-such-file.h5
    """

    code: str
    reason: str
    file: str | None = None
    line: int | None = None
    byte: int | None = None
    path: str | None = None
    layer: str | None = None

    def __init__(self, message: str, code: str = "unknown", reason: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason or message


class ModelError(WeighbridgeError):
    """The file is missing, malformed, damaged, truncated, or asks for what Weighbridge cannot do: another
    file, or another option for reading it, is needed."""


class ArgumentError(WeighbridgeError, ValueError):
    """What was given to a function does not fit the model or is wrong in itself: change the call."""


class StateError(WeighbridgeError, RuntimeError):
    """The call is correct but cannot be carried out now: the model is closed or in use, the process was
    forked, a limit was reached, the output could not be written, or the work was cancelled."""


_CLASSES = {
    "missing": ModelError,
    "malformed": ModelError,
    "damaged": ModelError,
    "truncated": ModelError,
    "unsupported": ModelError,
    "mismatch": ArgumentError,
    "invalidArgument": ArgumentError,
}


def make_error(
    code: str,
    reason: str,
    *,
    message: str | None = None,
    file: str | None = None,
    line: int | None = None,
    byte: int | None = None,
    path: str | None = None,
    layer: str | None = None,
) -> WeighbridgeError:
    """The exception for a code."""
    error = _CLASSES.get(code, StateError)(message or reason, code, reason)
    error.file, error.line, error.byte, error.path, error.layer = file, line, byte, path, layer
    return error
