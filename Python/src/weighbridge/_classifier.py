"""Classifying images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ._images import ImageHandle
from ._marshal import Path

if TYPE_CHECKING:
    import numpy

    NDArray = numpy.ndarray[Any, Any]


class Classification(NamedTuple):
    """A class that an image may belong to.

    Attributes:
        label: The name of the class; empty when the model names none.
        class_index: The number of the class, from 0.
        probability: How likely it is, 0 to 1.
    """

    label: str
    class_index: int
    probability: float


class Classifier(ImageHandle):
    """A model that classifies images; made by `Model.classifier`. For one thread at a time."""

    _kind = "classifier"

    def classify(self, image: "Path | NDArray") -> list[Classification]:
        """Finds the classes of an image: the path of a JPEG or PNG file, or an array uint8 [height, width, 3]
        in red, green and blue. The most probable comes first."""
        return [
            Classification(item["label"], item["class"], item["probability"])
            for item in self._result(image)
        ]

    def __enter__(self) -> "Classifier":
        return self
