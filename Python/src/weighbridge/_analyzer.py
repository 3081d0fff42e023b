"""Analyzing images: the objects in them and their features."""

from __future__ import annotations

import json
import weakref
from ctypes import byref, c_uint64, c_void_p, cast, c_char_p, memmove
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _library, _structs
from ._arrays import address
from ._detector import Box, Detection
from ._marshal import Path
from ._session import close

if TYPE_CHECKING:
    import numpy

    NDArray = numpy.ndarray[Any, Any]


class Analysis(NamedTuple):
    """What a model says of an image.

    Attributes:
        width: The image's width in pixels.
        height: Its height.
        detections: The objects in it, the most confident first; None if the model is not a detector.
        features: The feature vector, float32 [length]; None if the model has no features.
    """

    width: int
    height: int
    detections: tuple[Detection, ...] | None
    features: "NDArray | None"


class Analyzer:
    """A model that analyzes images; made by `Model.analyzer`. Only one thread may use it at a time, and it
    computes with one thread."""

    def __init__(self, model: int, options: "_structs.AnalyzeOptions") -> None:
        self._handle = _library.result_handle("analyzer_open", c_uint64(model), byref(options))
        self._finalizer = weakref.finalize(self, close, "analyzer_close", self._handle)
        self._options = options  # with the function that the library asks
        #: A hexadecimal SHA-256 digest of what determines the results: the model and the options.
        self.identity: str = _library.result_text("analyzer_identity", self._handle)

    def analyze(self, image: Path | bytes) -> Analysis:
        """Analyzes a JPEG or PNG file.

        Args:
            image: The path of the file, or its bytes.

        Raises:
            OSError: The file cannot be read.
            WeighbridgeError: It is not an image that can be decoded, or a limit was reached.
        """
        if not isinstance(image, bytes):
            with open(image, "rb") as file:
                image = file.read()
        text, features = c_void_p(), _library.make(_library.Array)
        _library.call(
            "analyzer_image", self._handle, image, len(image), byref(text), byref(features)
        )
        try:
            found = json.loads(cast(text, c_char_p).value or b"")
        finally:
            _library.library().weighbridge_free(text)
        detections = found["detections"]
        return Analysis(
            found["width"],
            found["height"],
            None if detections is None else tuple(map(_detection, detections)),
            _copy(features) if features.data else None,
        )

    def close(self) -> None:
        """Closes the analyzer; closing it again does nothing."""
        if self._finalizer.alive:
            _library.call("analyzer_close", self._handle)
            self._finalizer.detach()

    def __enter__(self) -> "Analyzer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _detection(item: Any) -> Detection:
    return Detection(item["label"], item["class"], item["confidence"], Box(**item["box"]))


def _copy(features: "_library.Array") -> "NDArray":
    import numpy

    array = numpy.empty(features.shape[0], "float32")
    memmove(address(array), features.data, array.nbytes)
    return array
