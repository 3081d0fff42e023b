"""Handles of models that say something of an image."""

from __future__ import annotations

import json
import weakref
from ctypes import byref, c_int64, c_uint64
from typing import TYPE_CHECKING, Any

from . import _library
from ._arrays import ELEMENT_TYPES, address, check, numpy_type
from ._marshal import Path
from ._session import close

if TYPE_CHECKING:
    import numpy

    NDArray = numpy.ndarray[Any, Any]


class ImageHandle:
    """A model that is prepared for many images; for one thread at a time."""

    #: The name of the handle in the C interface.
    _kind = ""

    def __init__(self, model: int, options: Any) -> None:
        self._handle = _library.result_handle(f"{self._kind}_open", c_uint64(model), byref(options))
        self._finalizer = weakref.finalize(self, close, f"{self._kind}_close", self._handle)
        self._options = options  # with the function that the library asks

    def _result(self, image: "Path | NDArray") -> "list[Any]":
        """What the library says of an image: the path of a JPEG or PNG file, or an array uint8
        [height, width, 3] in red, green and blue."""
        if hasattr(image, "__array_interface__"):
            text = self._result_of_pixels(image)
        else:
            path = _library.encode(image, "image")
            text = _library.result_text(f"{self._kind}_file", self._handle, path)
        found: "list[Any]" = json.loads(text)
        return found

    def _result_of_pixels(self, image: Any) -> str:
        check(image, "the image", numpy_type("uint8"), "uint8 [height, width, 3]")
        array = _library.make(
            _library.Array,
            element_type=ELEMENT_TYPES.index("uint8"),
            rank=len(image.shape),
            shape=(c_int64 * len(image.shape))(*image.shape),
            data=address(image),
            byte_count=image.nbytes,
        )
        return _library.result_text(f"{self._kind}_pixels", self._handle, byref(array))

    def close(self) -> None:
        """Closes it; closing it again does nothing."""
        if self._finalizer.alive:
            _library.call(f"{self._kind}_close", self._handle)
            self._finalizer.detach()

    def __exit__(self, *_: object) -> None:
        self.close()
