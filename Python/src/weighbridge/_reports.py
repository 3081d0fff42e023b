"""What verifying and exporting report."""

from __future__ import annotations

import json
import warnings
from typing import Any, NamedTuple


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
    layer: str | None = None
    max_abs: float | None = None
    max_rel: float | None = None
    cosine: float | None = None


class Report(NamedTuple):
    """What a verification found: whether no check failed, and the results of all."""

    passed: bool
    checks: tuple[Check, ...]

    @classmethod
    def from_json(cls, text: str) -> "Report":
        """The report that the library makes."""
        found: dict[str, Any] = json.loads(text)
        return cls(found["passed"], tuple(Check(**check) for check in found["checks"]))


class ExportReport(NamedTuple):
    """What an export has done: the files that were written, and notes about what they lack of the model
    or contain in another form."""

    files: tuple[str, ...]
    notes: tuple[str, ...]

    @classmethod
    def from_json(cls, text: str) -> "ExportReport":
        """The report that the library makes."""
        found: dict[str, Any] = json.loads(text)
        return cls(tuple(found["files"]), tuple(found["notes"]))

    @property
    def losses(self) -> tuple[str, ...]:
        """The former name of `notes`."""
        warnings.warn("losses is now called notes", DeprecationWarning, stacklevel=2)
        return self.notes


class Difference(NamedTuple):
    """A difference between two models.

    Attributes:
        kind: What differs, such as ``"weight"``, ``"structure"`` or ``"output"``.
        counts: Whether it makes the models differ; otherwise it is a note.
        reason: What was found, in words.
        first: The layer of the first model.
        second: The layer of the second model.
        max_abs: The largest difference of two tensors that were compared.
        max_rel: The same, relative to the largest magnitude of the expected one.
        cosine: Their cosine similarity.
    """

    kind: str
    counts: bool
    reason: str
    first: str | None = None
    second: str | None = None
    max_abs: float | None = None
    max_rel: float | None = None
    cosine: float | None = None


class Comparison(NamedTuple):
    """What comparing two models found.

    Attributes:
        same: Whether no difference counts.
        operators: How many operators were paired.
        weights: How many weights were compared.
        numbers: How many numbers they have.
        differences: All differences and notes.
    """

    same: bool
    operators: int
    weights: int
    numbers: int
    differences: tuple[Difference, ...]

    @classmethod
    def from_json(cls, text: str) -> "Comparison":
        """The comparison that the library makes."""
        found: dict[str, Any] = json.loads(text)
        found["differences"] = tuple(Difference(**item) for item in found["differences"])
        return cls(**found)
