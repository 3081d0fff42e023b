"""Weighbridge: reads trained models of many formats, verifies, exports and runs them.

>>> import weighbridge
>>> model = weighbridge.open("sketch-classifier.h5")
>>> outputs = model.run(numpy.load("input.npy"))
>>> [(name, array.shape) for name, array in outputs.items()] == [(model.outputs[0].name, (1, 8))]
True

Messages of errors name what to change in backquotes: an argument of the function.
"""

from __future__ import annotations

import json as _json
import os as _os
from ctypes import byref as _byref
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from . import _library
from ._analyzer import Analysis, Analyzer
from ._arrays import Port
from ._classifier import Classification, Classifier
from ._detector import Box, Detection, Detector
from ._errors import ArgumentError, ModelError, StateError, WeighbridgeError
from ._model import Model
from ._marshal import Path as _Path
from ._marshal import taken as _taken
from ._marshal import paths as _paths
from ._options import ReadKeywords as _ReadTypes
from ._options import WriteKeywords as _WriteKeywords
from ._options import metadata_options as _metadata_options
from ._options import read_options as _read_options
from ._options import report_options as _report_options
from ._options import write_options as _write_options
from ._reports import Check, Comparison, Difference, ExportReport, Report
from ._search import Found, IndexUpdate, Match, index, search, similar
from ._session import LayerTime, Profile, Session

if TYPE_CHECKING:
    import numpy as _numpy
    from typing_extensions import Unpack as _Unpack

    from ._options import ClassifyKeywords as _ClassifyKeywords
    from ._options import DetectKeywords as _DetectKeywords
    from ._options import MetadataKeywords as _MetadataKeywords
    from ._options import ReadKeywords as _ReadKeywords
    from ._options import ReportKeywords as _ReportKeywords

    class _ConvertKeywords(_ReadKeywords, _WriteKeywords, total=False):
        """How a model is read and how it is written."""

    class _ReportOfKeywords(_ReadKeywords, _ReportKeywords, total=False):
        """How models are read and what a report of them contains."""

__all__ = [
    "Analysis",
    "Analyzer",
    "ArgumentError",
    "Box",
    "Check",
    "Classification",
    "Classifier",
    "Comparison",
    "Detection",
    "Detector",
    "Difference",
    "ExportReport",
    "Found",
    "IndexUpdate",
    "LayerTime",
    "Match",
    "Model",
    "ModelError",
    "Port",
    "Profile",
    "Report",
    "Session",
    "StateError",
    "WeighbridgeError",
    "classify",
    "convert",
    "detect",
    "edit_metadata",
    "index",
    "inspect",
    "open",
    "report",
    "search",
    "similar",
    "version",
]


def open(path: _Path, **options: "_Unpack[_ReadKeywords]") -> Model:
    """Opens a model of any supported format, recognized by its content.

    Args:
        path: The file. A ``.wbm`` file is mapped, which costs the same whatever its size.
        options: Settings that the file does not contain: ``architecture``, ``keras_version``,
            ``keras_backend``, ``input_shapes`` (``["8,None,3"]``), ``custom_layers``, ``weights``,
            ``darknet``, ``data``, ``random_weights``, ``fixed_inputs`` (``{"sr": 16000}``),
            ``from_token_ids``, ``keep_unknown``, ``strict``, and ``metadata``, a dictionary in the
            form of ``Schemas/metadata.schema.json``.

    Raises:
        ModelError: The file is not there, malformed, damaged, or asks for what cannot be done.
        ArgumentError: An option is wrong, or means nothing for the file.

    >>> weighbridge.open("sketch-classifier.h5").outputs[0].shape
    (None, 8)
    """
    return Model(path, **options)


def convert(path: _Path, output: _Path, **options: "_Unpack[_ConvertKeywords]") -> None:
    """Reads a model of any supported format and writes it as a ``.wbm`` file.

    Args:
        path: The model.
        output: Where the file goes.
        options: As for `open`, and ``no_clobber``, whether an existing file is an error.

    >>> weighbridge.convert("sketch-classifier.h5", "sketches.wbm")
    >>> weighbridge.open("sketches.wbm").verify(against="sketch-classifier.h5").passed
    True
    """
    write = _write_options(**_taken(options, _WriteKeywords, "keep_existing"))
    read: Any = options  # those that are left
    _library.call(
        "convert", _library.encode(path, "path"), _byref(_read_options(**read)),
        _library.encode(output, "output"), _byref(write),
    )


def inspect(path: _Path, **options: "_Unpack[_ReadKeywords]") -> dict[str, Any]:
    """Returns the contents of a model file, in the form of ``Schemas/inspect.schema.json``. For a file that
    cannot be opened as a model, these are its layers and what is not supported.

    >>> weighbridge.inspect("sketch-classifier.h5")["format"]
    'keras hdf5'
    """
    found: dict[str, Any] = _json.loads(
        _library.result_text(
            "inspect", _library.encode(path, "path"), _byref(_read_options(**options))
        )
    )
    return found


def detect(
    model: "Model | _Path",
    image: "_Path | _numpy.ndarray[Any, Any]",
    **options: "_Unpack[_DetectKeywords]",
) -> list[Detection]:
    """Finds objects in an image.

    Args:
        model: A model that is open, or a path. For many images, open it once.
        image: The path of a JPEG or PNG file, or an array uint8 [height, width, 3] in red, green and blue.
        options: As for `Model.detector`.

    >>> found = weighbridge.detect("shapes.wbm", "picture.png")
    >>> found[0].label, found[0].confidence > 0.9
    ('ellipse', True)
    """
    if isinstance(model, Model):
        return model.detect(image, **options)
    with Model(model) as opened:
        return opened.detect(image, **options)


def classify(
    model: "Model | _Path",
    image: "_Path | _numpy.ndarray[Any, Any]",
    **options: "_Unpack[_ClassifyKeywords]",
) -> list[Classification]:
    """Finds the classes of an image.

    Args:
        model: A model that is open, or a path. For many images, open it once.
        image: The path of a JPEG or PNG file, or an array uint8 [height, width, 3] in red, green and blue.
        options: As for `Model.classifier`.

    >>> found = weighbridge.classify("sketches.wbm", "star.png", top=1)
    >>> found[0].label, found[0].probability > 0.9
    ('star', True)
    """
    if isinstance(model, Model):
        return model.classify(image, **options)
    with Model(model) as opened:
        return opened.classify(image, **options)


def edit_metadata(
    path: _Path, changes: Mapping[str, str | None], **options: "_Unpack[_MetadataKeywords]"
) -> None:
    """Changes what a ``.wbm`` file says of its model; its tensors are not read.

    Args:
        path: The file.
        changes: New texts by key; None removes an entry. Keys are ``name``, ``author``, ``license``,
            ``version``, ``description``, ``inputs.NAME.description`` and ``outputs.NAME.description``; any
            other key is an entry of its own.
        options: ``output``, where the changed file goes, by default in place; ``tolerance`` of the reference
            outputs; ``no_clobber``.

    >>> weighbridge.edit_metadata("shapes.wbm", {"author": "A. Author"})
    >>> weighbridge.open("shapes.wbm").metadata["author"]
    'A. Author'
    """
    made = _metadata_options(**options)
    text = _json.dumps(dict(changes)).encode()
    _library.call("metadata_edit", _library.encode(path, "path"), text, _byref(made))


def report(
    paths: "_Path | Sequence[_Path]", output: _Path, **options: "_Unpack[_ReportOfKeywords]"
) -> None:
    """Writes a page that shows a model, or two side by side: one HTML file that loads nothing.

    Args:
        paths: One model or two, of any format.
        output: Where the page goes.
        options: ``image``, a picture to try the models on; ``against``, the original file; ``verify``, to
            compare the engines too; ``no_verify`` and ``no_profile``; ``tolerance``, ``reference_inputs`` and ``reference_outputs``, as for
            `Model.verify`; ``no_clobber``; how the files are read, as for `open`; how detectors find objects,
            as for `Model.detector`.

    >>> weighbridge.report("shapes.wbm", "shapes.html", no_verify=True, no_profile=True)
    """
    if isinstance(paths, (str, _os.PathLike)):
        paths = [paths]
    read = _read_options(**_taken(options, _ReadTypes))
    rest: Any = options  # those that are left
    texts, count = _paths(paths, "paths")
    _library.call(
        "report", texts, count, _byref(read), _library.encode(output, "output"),
        _byref(_report_options(**rest)),
    )


def version() -> str:
    """The version of the library.

    >>> weighbridge.version().count(".")
    2
    """
    return _library.library().weighbridge_version().decode()  # type: ignore[no-any-return]
