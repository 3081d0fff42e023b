"""What verifying and exporting report."""

from __future__ import annotations

import json
import warnings
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
        max_rel: The same, relative to the largest magnitude of the expected output.
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
    """What an export has done: the files that were written, and notes about what they lack of the model
    or contain in another form."""

    files: Tuple[str, ...]
    notes: Tuple[str, ...]

    @classmethod
    def from_json(cls, text: str) -> "ExportReport":
        """The report that the library makes."""
        found: Dict[str, Any] = json.loads(text)
        return cls(tuple(found["files"]), tuple(found["notes"]))

    @property
    def losses(self) -> Tuple[str, ...]:
        """The former name of `notes`."""
        warnings.warn("losses is now called notes", DeprecationWarning, stacklevel=2)
        return self.notes
