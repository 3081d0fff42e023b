"""Analyzing photos: the objects in them and their features."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Sequence

from .. import version
from .._analyzer import Analysis, Analyzer
from .._errors import WeighbridgeError
from .._model import Model
from . import _tables
from ._job import Job
from ._stores import Source

_LIMIT = 1 << 28


@dataclass(frozen=True)
class PhotoIndex(Job):
    """Finds the objects in photos and makes their vectors of features, as ``weighbridge index`` does.

    Args:
        sources: A folder (``s3://photos/2026``), whose JPEG and PNG files are taken; or a list of URIs.
        output: The folder for the results: ``rows`` with the table.
        model: The model, where every worker can read it; best a ``.wbm`` file.
        features: The output or layer whose numbers are the features; by default the only output of a model
            that is no detector.
        detection: How objects are detected: ``threshold``, ``overlap``, ``suppression``.
        options: What the model's file does not say itself, as for `weighbridge.open`.
        batch_size: How many photos a worker analyzes before it stores their rows.
        attempts: How often a photo is tried that cannot be read.
        filesystem: A file system of pyarrow or fsspec for all paths, where URIs do not say enough.

    The status of a row is ``indexed``, ``refused`` (the reason says why), ``limit`` (more than 256 MB or
    100 million pixels), ``unreadable`` or ``failed``. A later run tries the last three again.

    >>> job = weighbridge.cluster.PhotoIndex(["picture.png"], "photos", "shapes.wbm", features="conv2d_6")
    >>> weighbridge.cluster.run(job).counts
    {'indexed': 1}
    >>> row = job.table().to_pylist()[0]
    >>> row["width"], row["detections"][0]["label"]
    (88, 'ellipse')
    """

    sources: str | Sequence[str]
    output: str
    model: str
    features: str | None = None
    detection: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    batch_size: int = 100
    attempts: int = 3
    filesystem: Any = None

    suffixes = (".jpg", ".jpeg", ".png")
    schema = _tables.PHOTOS

    def identity(self) -> dict[str, Any]:
        with self.analyzer() as analyzer:
            return {"job": "photos", "weighbridge": version(), "model and options": analyzer.identity}

    def analyzer(self) -> Analyzer:
        """The model, open and ready for photos."""
        with Model(self._local_model(), **self.options) as model:
            return model.analyzer(features=self.features, **self.detection)

    def _local_model(self) -> str:
        """The path of the model: where it is, or where it was brought to from elsewhere."""
        path = self.store.local_path(self.model)
        if path is not None:
            return path
        folder = tempfile.mkdtemp(prefix="weighbridge-")
        # What is open is mapped: the file stays until the process ends.
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        path = os.path.join(folder, os.path.basename(self.model))
        with self.store.open(self.model) as source, open(path, "wb") as copy:
            shutil.copyfileobj(source, copy)
        return path

    def open(self) -> Callable[[Source], "_tables.Row"]:
        store, analyzer = self.store, self.analyzer()

        def work(source: Source) -> "_tables.Row":
            if source.size > _LIMIT:
                reason = f"has {source.size} bytes, and at most {_LIMIT} are read"
                return {"status": "limit", "code": "limitExceeded", "reason": reason}
            content = store.read(source.uri)
            digest = {"digest": hashlib.sha256(content).hexdigest()}
            try:
                return {**digest, "status": "indexed", **_columns(analyzer.analyze(content))}
            except WeighbridgeError as error:
                status = "limit" if error.code == "limitExceeded" else "refused"
                return {**digest, "status": status, "code": error.code, "reason": error.reason}

        return work


def _columns(analysis: Analysis) -> "_tables.Row":
    """The columns of a row that tell what was found."""
    detections = analysis.detections
    return {
        "width": analysis.width,
        "height": analysis.height,
        "detections": None
        if detections is None
        else [{**found._asdict(), **found.box._asdict()} for found in detections],
        "features": analysis.features,
    }
