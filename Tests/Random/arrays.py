"""Numbers for inputs: ordinary ones, and those at which kernels differ."""

import zlib

import numpy

from comparing import TOLERANCES

# About a unit in the last place, relative to a number.
STEPS = {"float64": 2e-16, "float32": 1.2e-7, "float16": 1e-3, "bfloat16": 8e-3}


def for_plan(plan: dict, seed: int, profile: str) -> dict:
    """An array for each input."""
    result = {}
    length = numpy.random.RandomState(seed % 2**32).randint(3, 6)
    for spec in plan["inputs"]:
        rng = numpy.random.RandomState(zlib.crc32(f"{seed} {profile} {spec['id']}".encode()))
        shape = [spec.get("batch") or 2] + [length if axis is None else axis for axis in spec["shape"]]
        if "values" in spec:
            result[spec["id"]] = numpy.array(spec["values"][profile], spec["dtype"])
        else:
            result[spec["id"]] = numbers(rng, shape, spec, profile)
    return result


def numbers(rng, shape: list, spec: dict, profile: str) -> numpy.ndarray:
    """Numbers of an input's type."""
    kind = spec["dtype"]
    if kind == "bool":
        return rng.uniform(0, 1, shape) < 0.7
    if spec.get("high"):
        value = rng.randint(0, spec["high"], shape)
        return ended(rng, value).astype(kind)
    if "int" in kind:
        limits = numpy.iinfo(kind)
        value = rng.randint(max(limits.min, -4), 9, shape)
        if profile in ("large", "special"):
            edges = numpy.array([limits.min, limits.max, limits.max // 2, 100, 0])
            value = numpy.where(rng.uniform(0, 1, shape) < 0.3, rng.choice(edges, shape), value)
        return ended(rng, value).astype(kind)
    value = rng.normal(0, 1, shape)
    if profile == "zeros":
        value = numpy.where(
            rng.uniform(0, 1, shape) < 0.4, rng.choice([0.0, -0.0, 1.0, -1.0, 0.5], shape), value
        )
    elif profile == "large":
        value *= 10 ** rng.uniform(0, 3 if kind == "float16" else 6, shape)
    elif profile == "special":
        odd = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0.0, 1e4, -1e4, 1e-30])
        value = numpy.where(rng.uniform(0, 1, shape) < 0.15, rng.choice(odd, shape), value)
    else:
        value = ended(rng, value)
    with numpy.errstate(over="ignore"):
        return typed(value, kind)


def ended(rng, value) -> numpy.ndarray:
    """With zeros at the end of some sequences, for masks."""
    if value.ndim >= 2 and rng.uniform() < 0.4:
        value = numpy.array(value)
        for row in range(value.shape[0]):
            value[row, rng.randint(1, value.shape[1] + 1) :] = 0
    return value


def typed(value, kind: str) -> numpy.ndarray:
    """A cast to a type that NumPy may lack."""
    if kind == "bfloat16":
        import ml_dtypes  # pylint: disable=import-outside-toplevel

        return value.astype(ml_dtypes.bfloat16)
    return value.astype(kind)


def storable(arrays: dict) -> dict:
    """The arrays as .npz holds them."""
    return {
        name: array.astype("float32") if array.dtype.name == "bfloat16" else array
        for name, array in arrays.items()
    }


def shaken(arrays: dict, seed: int, bound: float) -> dict:
    """The arrays, each number changed by about a unit in the last place of the coarsest type."""
    rng = numpy.random.RandomState(seed)
    result = {}
    for name, array in arrays.items():
        if "float" not in array.dtype.name:
            result[name] = array
            continue
        step = max(
            STEPS[array.dtype.name],
            STEPS[next(kind for kind, far in TOLERANCES.items() if far == bound)],
        )
        wide = array.astype("float64")
        with numpy.errstate(all="ignore"):
            result[name] = (wide * (1 + step * rng.choice([-1, 0, 1], wide.shape))).astype(array.dtype)
    return result
