"""Finding objects in images."""

from __future__ import annotations

import json
import weakref
from ctypes import byref, c_int64, c_uint64
from typing import TYPE_CHECKING, Any, List, NamedTuple, Union

from . import _library, _structs
from ._arrays import ELEMENT_TYPES, address, check, numpy_type
from ._marshal import Path
from ._session import close

if TYPE_CHECKING:
    import numpy

    NDArray = numpy.ndarray[Any, Any]


class Box(NamedTuple):
    """A box in parts of the image, 0 to 1, from its upper left corner."""

    x: float
    y: float
    width: float
    height: float


class Detection(NamedTuple):
    """An object that was found.

    Attributes:
        label: The name of its class; empty when the model names none.
        class_index: The number of its class, from 0.
        confidence: How sure the model is, 0 to 1.
        box: Where it is.
    """

    label: str
    class_index: int
    confidence: float
    box: Box


class Detector:
    """A model that finds objects in images; made by `Model.detector`. For one thread at a time."""

    def __init__(self, model: int, options: "_structs.DetectOptions") -> None:
        self._handle = _library.result_handle("detector_open", c_uint64(model), byref(options))
        self._finalizer = weakref.finalize(self, close, "detector_close", self._handle)
        self._options = options  # with the function that the library asks

    def detect(self, image: "Union[Path, NDArray]") -> List[Detection]:
        """Finds objects in an image: the path of a JPEG or PNG file, or an array uint8 [height, width, 3] in
        red, green and blue. The most confident comes first."""
        if hasattr(image, "__array_interface__"):
            found = self._detect_in_pixels(image)
        else:
            path = _library.encode(image, "image")
            found = _library.result_text("detector_file", self._handle, path)
        return [
            Detection(item["label"], item["class"], item["confidence"], Box(**item["box"]))
            for item in json.loads(found)
        ]

    def _detect_in_pixels(self, image: Any) -> str:
        check(image, "the image", numpy_type("uint8"), "uint8 [height, width, 3]")
        array = _library.make(
            _library.Array,
            element_type=ELEMENT_TYPES.index("uint8"),
            rank=len(image.shape),
            shape=(c_int64 * len(image.shape))(*image.shape),
            data=address(image),
            byte_count=image.nbytes,
        )
        return _library.result_text("detector_pixels", self._handle, byref(array))

    def close(self) -> None:
        """Closes the detector; closing it again does nothing."""
        if self._finalizer.alive:
            _library.call("detector_close", self._handle)
            self._finalizer.detach()

    def __enter__(self) -> "Detector":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
