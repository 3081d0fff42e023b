"""What verifying and exporting report."""

from __future__ import annotations

import json
from typing import Any, Dict, NamedTuple, Optional, Tuple


class Check(NamedTuple):
    """What one check found.

    Attributes:
        name: ``"container"``, ``"shapes"``, ``"weights"``, ``"references"``, ``"engines"``, ``"source"`` or
            ``"layers"``.
        status: ``"passed"``, ``"failed"``, ``"warning"`` or ``"skipped"``.
        reason: What was found, in words.
        layer: The layer it is about.
        max_abs: The largest difference of two tensors that were compared.
        max_rel: The same, relative to the largest wanted number.
        cosine: Their cosine similarity: 1 if they point in the same direction.
    """

    name: str
    status: str
    reason: str
    layer: Optional[str] = None
    max_abs: Optional[float] = None
    max_rel: Optional[float] = None
    cosine: Optional[float] = None


class Report(NamedTuple):
    """What a verification found: whether no check failed, and the results of all."""

    passed: bool
    checks: Tuple[Check, ...]

    @classmethod
    def from_json(cls, text: str) -> "Report":
        """The report that the library makes."""
        found: Dict[str, Any] = json.loads(text)
        return cls(found["passed"], tuple(Check(**check) for check in found["checks"]))


class ExportReport(NamedTuple):
    """What an export has done: the files that were written, and what of the model they do not hold."""

    files: Tuple[str, ...]
    losses: Tuple[str, ...]

    @classmethod
    def from_json(cls, text: str) -> "ExportReport":
        """The report that the library makes."""
        found: Dict[str, Any] = json.loads(text)
        return cls(tuple(found["files"]), tuple(found["losses"]))
