"""Whether two arrays are the same, and how far apart they are."""

from typing import Optional

import numpy

# As Weighbridge promises; float64 alone is not in its table.
TOLERANCES = {"float64": 1e-9, "float32": 1e-5, "float16": 2e-3, "bfloat16": 8e-3}


def tolerance(text: str) -> float:
    """The tolerance for the coarsest of the types that a text names."""
    for kind in ("bfloat16", "float16", "float32"):
        if kind in text:
            return TOLERANCES[kind]
    return TOLERANCES["float64"]


def widened(array: numpy.ndarray):
    return array.astype("float64") if array.dtype.name in ("float16", "float32", "bfloat16") else array


def stored(array: numpy.ndarray) -> str:
    """The type that .npz has for an array's type."""
    return "float32" if array.dtype.name == "bfloat16" else array.dtype.name


def compare(got: numpy.ndarray, want: numpy.ndarray, bound: float, noise=0.0) -> Optional[tuple]:
    """None if they are the same, else (what differs, a sentence, by how much)."""
    if got.shape != want.shape:
        return "shape", f"the shape is {list(got.shape)}, not {list(want.shape)}", 0
    if stored(got) != stored(want):
        return "type", f"the type is {got.dtype.name}, not {want.dtype.name}", 0
    got, want = widened(got), widened(want)
    if want.dtype.kind != "f":
        wrong = got != want
        if wrong.any():
            is_by_one = want.dtype.kind in "iu" and (numpy.maximum(got, want) - numpy.minimum(got, want)).max() == 1
            kind = "integers by one" if is_by_one else "numbers"
            return kind, example(got, want, wrong), float(wrong.sum())
        return None
    finite = numpy.isfinite(want)
    wrong = (numpy.isfinite(got) != finite) | ~finite & (got != want) & ~(
        numpy.isnan(got) & numpy.isnan(want)
    )
    if wrong.any():
        return "non-finite", example(got, want, wrong), float(wrong.sum())
    with numpy.errstate(all="ignore"):
        error = numpy.where(
            finite, numpy.abs(numpy.where(finite, got, 0) - numpy.where(finite, want, 0)), 0
        )
    size = numpy.abs(want[finite]).max() if finite.any() else 0
    with numpy.errstate(all="ignore"):
        narrow = [each.astype("float32") for each in (got, want)]
    if all(((wide == cut) | (wide != wide)).all() for wide, cut in zip((got, want), narrow)):
        bound = max(bound, TOLERANCES["float32"])  # they were computed in it, whatever the output's type
    wrong = error > bound + bound * size + noise
    if wrong.any():
        return "numbers", example(got, want, wrong), float(error.max() / max(1, size))
    return None


def example(got: numpy.ndarray, want: numpy.ndarray, wrong) -> str:
    """The first numbers that differ."""
    place = tuple(int(index) for index in numpy.argwhere(wrong)[0]) if wrong.ndim else ()
    return f"{int(wrong.sum())} of {wrong.size} differ, {list(place)} is {got[place]}, not {want[place]}"


def distance(got: numpy.ndarray, exact) -> Optional[float]:
    """The largest distance in units in the last place of `got`'s type, over finite numbers."""
    if got.dtype.name not in ("float32", "float16") or got.shape != exact.shape:
        return None
    good = numpy.isfinite(exact) & numpy.isfinite(got)
    if not good.any():
        return None
    exact = exact[good]
    with numpy.errstate(all="ignore"):
        unit = numpy.abs(numpy.spacing(exact.astype(got.dtype))).astype("float64")
    apart = numpy.abs(got[good].astype("float64") - exact) / unit
    apart = apart[numpy.isfinite(apart)]
    return float(apart.max()) if apart.size else None
