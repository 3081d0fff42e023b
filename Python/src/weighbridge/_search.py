"""Indexes of images: updating them, and searching in them."""

from __future__ import annotations

import json
from ctypes import byref, c_uint64
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

from . import _library, _marshal
from ._detector import Detection, detections
from ._marshal import Path
from ._model import Model
from ._options import index_options, search_options, similar_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import IndexKeywords, SearchKeywords, SimilarKeywords


class IndexUpdate(NamedTuple):
    """What updating an index has done.

    Attributes:
        images: How many images the index has.
        analyzed: How many of them were analyzed now.
        known: How many were known by their bytes.
        unchanged: How many files had not changed.
        removed: How many files are not there any more.
        unreadable: The files that cannot be read, with the reasons.
        other_files: The files that are not images.
    """

    images: int
    analyzed: int
    known: int
    unchanged: int
    removed: int
    unreadable: tuple[tuple[str, str], ...]
    other_files: tuple[str, ...]


class Match(NamedTuple):
    """An image and its distance from a query; None where it has none."""

    image: str
    distance: float | None


class Found(NamedTuple):
    """An image that a search has found.

    Attributes:
        image: The file.
        cost: How far it is from what is wanted.
        terms: The unweighted terms of the cost: ``presence``, ``relative_position``, ``size`` and
            ``relative_size``.
        detections: The objects in it.
    """

    image: str
    cost: float
    terms: dict[str, float]
    detections: tuple[Detection, ...]


def index(path: Path, folder: Path, model: Model, **options: "Unpack[IndexKeywords]") -> IndexUpdate:
    """Updates an index of the images in a folder and its subfolders.

    Args:
        path: The index, an SQLite database; made when it is not there.
        folder: The folder with JPEG and PNG files.
        model: A detector, or a model with features.
        options: ``rebuild``, whether an index of another model is emptied, and those of `Model.analyzer`;
            ``threads`` is the number of images at once.

    >>> shapes = weighbridge.open("shapes.wbm")
    >>> weighbridge.index("photos.db", "photos", shapes, features="conv2d_6").images
    1
    """
    made = index_options(**options)
    found = json.loads(
        _library.result_text(
            "index_update", _library.encode(path, "path"), _library.encode(folder, "folder"),
            c_uint64(model.handle), byref(made),
        )
    )
    return IndexUpdate(
        found["images"], found["analyzed"], found["known"], found["unchanged"], found["removed"],
        tuple((item["image"], item["reason"]) for item in found["unreadable"]),
        tuple(found["other_files"]),
    )


def similar(
    path: Path, queries: Sequence[Path], model: Model | None = None,
    **options: "Unpack[SimilarKeywords]",
) -> dict[str, tuple[Match, ...]]:
    """Finds the images that are most like others, by a model's features.

    Args:
        path: An index, or a folder of images.
        queries: JPEG and PNG files.
        model: For a folder, and for queries that are not in the index.
        options: ``metric``, ``"cosine"`` or ``"euclidean"``; ``top``, how many are given for each query;
            ``plot``, a folder for drawings (SVG and PNG); and those of `Model.analyzer`, which must be the index's own.

    Returns:
        The nearest images of each query, the nearest first.

    >>> shapes = weighbridge.open("shapes.wbm")
    >>> found = weighbridge.similar("photos", ["picture.png"], shapes, features="conv2d_6")
    >>> found["picture.png"][0].distance < 1e-6
    True
    """
    made = similar_options(**options)
    texts, count = _marshal.paths(queries, "queries")
    found = json.loads(
        _library.result_text(
            "index_similar", _library.encode(path, "path"), c_uint64(model.handle if model else 0),
            texts, count, byref(made),
        )
    )
    return {
        item["query"]: tuple(Match(match["image"], match["distance"]) for match in item["matches"])
        for item in found
    }


def search(
    path: Path, model: Model | None = None, **options: "Unpack[SearchKeywords]"
) -> list[Found]:
    """Finds images by the objects in them and where they are.

    Args:
        path: An index of a detector, or a folder of images.
        model: For a folder, and for `like`.
        options: What is wanted: ``layout``, a list of ``{"label", "x", "y", "width", "height"}`` in the unit
            square from the upper left corner, or ``like``, an image; ``aspect``, ``classes``, ``max_cost``,
            ``weights`` and ``top``; ``output``, a picture with the first images and their boxes (.png or .jpg);
            and those of `Model.analyzer`, which must be the index's own.

    >>> shapes = weighbridge.open("shapes.wbm")
    >>> found = weighbridge.search("photos", shapes, like="picture.png")
    >>> found[0].cost < 1e-6, found[0].detections[0].label
    (True, 'ellipse')
    """
    made = search_options(**options)
    found = json.loads(
        _library.result_text(
            "index_search", _library.encode(path, "path"), c_uint64(model.handle if model else 0),
            byref(made),
        )
    )
    return [
        Found(item["image"], item["cost"], item["terms"], tuple(detections(item["detections"])))
        for item in found
    ]
