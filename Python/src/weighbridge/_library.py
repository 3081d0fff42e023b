"""The C interface: its structs and functions, as `weighbridge.h` declares them."""

from __future__ import annotations

import ctypes
import os
import signal
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_int32,
    c_int64,
    c_size_t,
    c_uint64,
    c_void_p,
    sizeof,
)
from functools import lru_cache
from typing import Any, NoReturn, Sequence, TypeVar

from ._errors import make_error
from ._structs import (
    AnalyzeOptions,
    ClassifyOptions,
    CompactOptions,
    CompareOptions,
    DetectOptions,
    ExportOptions,
    IndexOptions,
    Interrupt,
    MetadataOptions,
    ReadOptions,
    ReportOptions,
    RunOptions,
    SearchOptions,
    SimilarOptions,
    StylizeOptions,
    VerifyOptions,
    WriteOptions,
)


class Array(Structure):
    """`weighbridge_array`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("element_type", c_int32),
        ("rank", c_int32),
        ("shape", POINTER(c_int64)),
        ("data", c_void_p),
        ("byte_count", c_size_t),
    ]


class ErrorStruct(Structure):
    """`weighbridge_error`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("status", c_int32),
        ("line", c_int64),
        ("byte", c_int64),
        ("message", c_char_p),
        ("reason", c_char_p),
        ("file", c_char_p),
        ("path", c_char_p),
        ("layer", c_char_p),
        ("storage", c_void_p),
    ]


_Struct = TypeVar("_Struct", bound=Structure)


def make(kind: type[_Struct], /, **members: Any) -> _Struct:
    """A struct with its size, zeros, and the members that are not None."""
    struct = kind(struct_size=sizeof(kind))
    types = dict((field[0], field[1]) for field in kind._fields_)
    for name, value in members.items():
        if value is None:
            continue
        if types[name] is c_char_p:
            value = encode(value, name)
        setattr(struct, name, value)
    return struct


def encode(text: Any, name: str) -> bytes:
    """A text or path for C."""
    if isinstance(text, (str, os.PathLike)):
        encoded = os.fsencode(text) if isinstance(text, os.PathLike) else text.encode()
        if b"\0" not in encoded:
            return encoded
        raise make_error("invalidArgument", f"{name} has a NUL in it")
    raise make_error("invalidArgument", f"{name} must be a string or path, not {type(text).__name__}")


def texts(items: Sequence[str], name: str) -> "tuple[ctypes.Array[c_char_p], int]":
    """A list of texts for C."""
    encoded = [encode(item, name) for item in items]
    return (c_char_p * len(encoded))(*encoded), len(encoded)


_MODEL_RESULT = (POINTER(c_uint64), POINTER(ErrorStruct))
_TEXT_RESULT = (POINTER(c_void_p), POINTER(ErrorStruct))
_ARRAYS = (POINTER(Array), c_size_t, POINTER(Array), c_size_t, POINTER(ErrorStruct))
_TEXTS = (POINTER(c_char_p), c_size_t)

#: The arguments of each function that returns a status.
_FUNCTIONS: "dict[str, tuple[Any, ...]]" = {
    "model_open": (c_char_p, POINTER(ReadOptions), *_MODEL_RESULT),
    "model_close": (c_uint64, POINTER(ErrorStruct)),
    "model_counts": (c_uint64, POINTER(c_size_t), POINTER(c_size_t), POINTER(ErrorStruct)),
    "model_input": (c_uint64, c_size_t, POINTER(Array), POINTER(ErrorStruct)),
    "model_output": (c_uint64, c_size_t, POINTER(Array), POINTER(ErrorStruct)),
    "model_metadata": (c_uint64, *_TEXT_RESULT),
    "model_write": (c_uint64, c_char_p, POINTER(WriteOptions), POINTER(ErrorStruct)),
    "model_export": (c_uint64, c_char_p, POINTER(ExportOptions), *_TEXT_RESULT),
    "model_verify": (c_uint64, POINTER(VerifyOptions), *_TEXT_RESULT),
    "inspect": (c_char_p, POINTER(ReadOptions), *_TEXT_RESULT),
    "convert": (
        c_char_p, POINTER(ReadOptions), c_char_p, POINTER(WriteOptions), POINTER(ErrorStruct),
    ),
    "model_cut": (c_uint64, *_TEXTS, *_TEXTS, POINTER(RunOptions), *_MODEL_RESULT),
    "model_compact": (c_uint64, POINTER(CompactOptions), *_MODEL_RESULT),
    "model_compare": (c_uint64, c_uint64, POINTER(CompareOptions), *_TEXT_RESULT),
    "model_stylize": (c_uint64, c_char_p, c_char_p, POINTER(StylizeOptions), POINTER(ErrorStruct)),
    "model_swift": (c_uint64, c_char_p, c_char_p, *_TEXT_RESULT),
    "metadata_edit": (c_char_p, c_char_p, POINTER(MetadataOptions), POINTER(ErrorStruct)),
    "report": (
        *_TEXTS, POINTER(ReadOptions), c_char_p, POINTER(ReportOptions), POINTER(ErrorStruct),
    ),
    "session_open": (c_uint64, POINTER(RunOptions), *_MODEL_RESULT),
    "session_close": (c_uint64, POINTER(ErrorStruct)),
    "session_outputs": (c_uint64, *_ARRAYS),
    "session_run": (c_uint64, *_ARRAYS),
    "session_profile": (c_uint64, POINTER(Array), c_size_t, *_TEXT_RESULT),
    "session_cancel": (c_uint64, POINTER(ErrorStruct)),
    "detector_open": (c_uint64, POINTER(DetectOptions), *_MODEL_RESULT),
    "detector_close": (c_uint64, POINTER(ErrorStruct)),
    "detector_file": (c_uint64, c_char_p, *_TEXT_RESULT),
    "detector_pixels": (c_uint64, POINTER(Array), *_TEXT_RESULT),
    "detector_draw": (c_uint64, c_char_p, c_char_p, *_TEXT_RESULT),
    "classifier_open": (c_uint64, POINTER(ClassifyOptions), *_MODEL_RESULT),
    "classifier_close": (c_uint64, POINTER(ErrorStruct)),
    "classifier_file": (c_uint64, c_char_p, *_TEXT_RESULT),
    "classifier_pixels": (c_uint64, POINTER(Array), *_TEXT_RESULT),
    "analyzer_open": (c_uint64, POINTER(AnalyzeOptions), *_MODEL_RESULT),
    "analyzer_close": (c_uint64, POINTER(ErrorStruct)),
    "analyzer_identity": (c_uint64, *_TEXT_RESULT),
    "analyzer_image": (
        c_uint64, c_char_p, c_size_t, POINTER(c_void_p), POINTER(Array), POINTER(ErrorStruct),
    ),
    "index_update": (c_char_p, c_char_p, c_uint64, POINTER(IndexOptions), *_TEXT_RESULT),
    "index_similar": (c_char_p, c_uint64, *_TEXTS, POINTER(SimilarOptions), *_TEXT_RESULT),
    "index_search": (c_char_p, c_uint64, POINTER(SearchOptions), *_TEXT_RESULT),
}


def _path() -> str:
    given = os.environ.get("WEIGHBRIDGE_LIBRARY")
    return given or os.path.join(os.path.dirname(__file__), "lib", "libweighbridge.so.0")


@lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library, loaded when it is first needed."""
    try:
        loaded = ctypes.CDLL(_path())
    except OSError as error:
        raise make_error(
            "missing",
            f"libweighbridge cannot be loaded: {error}; install the wheel for this machine, or name the "
            "library in the environment variable WEIGHBRIDGE_LIBRARY",
        ) from None
    for name, arguments in _FUNCTIONS.items():
        function = loaded["weighbridge_" + name]
        function.argtypes = arguments
        function.restype = c_int32
        setattr(loaded, name, function)
    loaded.weighbridge_version.restype = c_char_p
    loaded.weighbridge_status_name.restype = c_char_p
    loaded.weighbridge_free.argtypes = (c_void_p,)
    loaded.weighbridge_free.restype = None
    loaded.weighbridge_error_clear.argtypes = (POINTER(ErrorStruct),)
    loaded.weighbridge_error_clear.restype = None
    return loaded


@lru_cache(maxsize=None)
def interrupt() -> Any:
    """A function that says whether Ctrl-C was pressed, for the library to ask while it works.

    It is a C function of the interpreter, since one in Python would raise KeyboardInterrupt where nothing
    can catch it. In threads other than the main one it always returns false.
    """
    occurred = ctypes.pythonapi.PyOS_InterruptOccurred
    occurred.restype = c_int32
    occurred.argtypes = ()
    return Interrupt(occurred)


def call(name: str, *arguments: Any) -> None:
    """Calls a function with an error struct as its last argument, and raises what it reports."""
    error = make(ErrorStruct)
    status = getattr(library(), name)(*arguments, byref(error))
    if status:
        raise_error(status, error)


def raise_error(status: int, error: ErrorStruct, is_requested: bool = False) -> NoReturn:
    """Raises the exception for a status that is not 0, and clears the struct.

    Work that was cancelled by Ctrl-C ends as Ctrl-C ends things in this program: with KeyboardInterrupt,
    unless `is_requested` says that somebody else cancelled it.
    """
    name = library().weighbridge_status_name(status).decode()

    def text(value: bytes | None) -> str | None:
        return value.decode(errors="replace") if value is not None else None

    made = make_error(
        name,
        text(error.reason) or name,
        message=text(error.message),
        file=text(error.file),
        line=error.line or None,
        byte=error.byte if error.byte >= 0 else None,
        path=text(error.path),
        layer=text(error.layer),
    )
    library().weighbridge_error_clear(byref(error))
    if name == "cancelled" and not is_requested:
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            handler(signal.SIGINT, None)
    raise made


def result_text(name: str, *arguments: Any) -> str:
    """Calls a function that returns a text."""
    text = c_void_p()
    call(name, *arguments, byref(text))
    try:
        return (ctypes.cast(text, c_char_p).value or b"").decode()
    finally:
        library().weighbridge_free(text)


def result_handle(name: str, *arguments: Any) -> int:
    """Calls a function that returns a handle."""
    handle = c_uint64()
    call(name, *arguments, byref(handle))
    return handle.value


def ports(model: int, name: str, count: int) -> "list[Array]":
    """The inputs or outputs of a model; `name` is model_input or model_output."""
    arrays = []
    for position in range(count):
        array = make(Array)
        call(name, c_uint64(model), position, byref(array))
        arrays.append(array)
    return arrays
