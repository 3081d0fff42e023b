"""Finding objects in images."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _library
from ._images import ImageHandle
from ._marshal import Path

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


class Detector(ImageHandle):
    """A model that finds objects in images; made by `Model.detector`. For one thread at a time."""

    _kind = "detector"

    def detect(self, image: "Path | NDArray") -> list[Detection]:
        """Finds objects in an image: the path of a JPEG or PNG file, or an array uint8 [height, width, 3] in
        red, green and blue. The most confident comes first."""
        return detections(self._result(image))

    def draw(self, image: Path, output: Path) -> list[Detection]:
        """Finds objects in a JPEG or PNG file, and draws their boxes and labels into a copy, `output` (.png or
        .jpg). The most confident comes first."""
        found = _library.result_text(
            "detector_draw", self._handle, _library.encode(image, "image"), _library.encode(output, "output"))
        return detections(json.loads(found))

    def __enter__(self) -> "Detector":
        return self


def detections(items: "list[Any]") -> list[Detection]:
    """The objects of a list in JSON."""
    return [
        Detection(item["label"], item["class"], item["confidence"], Box(**item["box"])) for item in items
    ]
