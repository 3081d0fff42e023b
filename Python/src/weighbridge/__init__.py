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
from ctypes import byref as _byref
from typing import TYPE_CHECKING, Any, Dict, List, Union

from . import _library
from ._analyzer import Analysis, Analyzer
from ._arrays import Port
from ._detector import Box, Detection, Detector
from ._errors import ArgumentError, ModelError, StateError, WeighbridgeError
from ._model import Model
from ._marshal import Path as _Path
from ._marshal import taken as _taken
from ._options import WriteKeywords as _WriteKeywords
from ._options import read_options as _read_options
from ._options import write_options as _write_options
from ._reports import Check, ExportReport, Report
from ._session import Session

if TYPE_CHECKING:
    import numpy as _numpy
    from typing_extensions import Unpack as _Unpack

    from ._options import DetectKeywords as _DetectKeywords
    from ._options import ReadKeywords as _ReadKeywords

    class _ConvertKeywords(_ReadKeywords, _WriteKeywords, total=False):
        """How a model is read and how it is written."""

__all__ = [
    "Analysis",
    "Analyzer",
    "ArgumentError",
    "Box",
    "Check",
    "Detection",
    "Detector",
    "ExportReport",
    "Model",
    "ModelError",
    "Port",
    "Report",
    "Session",
    "StateError",
    "WeighbridgeError",
    "convert",
    "detect",
    "inspect",
    "open",
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


def inspect(path: _Path, **options: "_Unpack[_ReadKeywords]") -> Dict[str, Any]:
    """Returns the contents of a model file, in the form of ``Schemas/inspect.schema.json``. For a file that
    cannot be opened as a model, these are its layers and what is not supported.

    >>> weighbridge.inspect("sketch-classifier.h5")["format"]
    'keras hdf5'
    """
    found: Dict[str, Any] = _json.loads(
        _library.result_text(
            "inspect", _library.encode(path, "path"), _byref(_read_options(**options))
        )
    )
    return found


def detect(
    model: "Union[Model, _Path]",
    image: "Union[_Path, _numpy.ndarray[Any, Any]]",
    **options: "_Unpack[_DetectKeywords]",
) -> List[Detection]:
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


def version() -> str:
    """The version of the library.

    >>> weighbridge.version().count(".")
    2
    """
    return _library.library().weighbridge_version().decode()  # type: ignore[no-any-return]
