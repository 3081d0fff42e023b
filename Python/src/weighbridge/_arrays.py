"""NumPy arrays and those of the C interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ._errors import make_error

if TYPE_CHECKING:
    import numpy

#: The element types by their numbers in the header.
ELEMENT_TYPES = (
    "", "float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
    "uint16", "uint32", "uint64", "bool",
)


class Port(NamedTuple):
    """An input or output of a model.

    Attributes:
        name: The name, unique among the inputs and among the outputs.
        dtype: The name of the number type, such as ``"float32"``.
        shape: The sizes of the axes, outermost first; None for one that is known only when the model runs.
    """

    name: str
    dtype: str
    shape: tuple[int | None, ...]


def port(array: Any) -> Port:
    """What a struct says."""
    shape = tuple(size if size >= 0 else None for size in array.shape[: array.rank])
    return Port(array.name.decode(), ELEMENT_TYPES[array.element_type], shape)


def numpy_type(name: str) -> "numpy.dtype[Any]":
    """The type of NumPy's for an element type. NumPy has no bfloat16: it is that of ml_dtypes where that is
    installed, else the bits as uint16."""
    import importlib

    import numpy

    if name != "bfloat16":
        return numpy.dtype(name)
    try:
        kind: Any = importlib.import_module("ml_dtypes").bfloat16
    except ImportError:
        kind = "uint16"
    found: "numpy.dtype[Any]" = numpy.dtype(kind)
    return found


def address(array: "numpy.ndarray[Any, Any]") -> int:
    """Where an array's elements are."""
    start: int = array.__array_interface__["data"][0] if array.dtype.isbuiltin == 1 else array.ctypes.data
    return start


def check(
    array: Any, what: str, dtype: "numpy.dtype[Any]", text: str, is_written: bool = False
) -> None:
    """Makes sure that the library can use an array's memory as it is.

    Args:
        what: The array in words, such as ``the input image``.
        text: The type and shape that are wanted, in words.
        is_written: Whether it is for an output.
    """
    import numpy

    if not isinstance(array, numpy.ndarray):
        raise make_error(
            "invalidArgument",
            f"{what} takes an array of NumPy and was given {type(array).__name__}; "
            f"convert it with numpy.asarray(value, {dtype.name!r})",
        )
    if array.dtype != dtype:
        raise make_error(
            "mismatch",
            f"{what} takes {text} and was given {array.dtype}; convert it with "
            f"array.astype({dtype.name!r})",
        )
    if not array.flags.c_contiguous:
        raise make_error(
            "invalidArgument",
            f"{what} is not contiguous in memory; give numpy.ascontiguousarray(array)",
        )
    if is_written and not array.flags.writeable:
        raise make_error(
            "invalidArgument",
            f"{what} is read-only and cannot take results; give an array of your own, such as "
            f"numpy.empty({array.shape}, {dtype.name!r})",
        )
