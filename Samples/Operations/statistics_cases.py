"""Cases of Keras 3: quantiles by every method, and what is computed of the elements that are numbers."""

import keras
import numpy as np
from keras import ops

from recording import Case, Input

IS_JAX = keras.backend.backend() == "jax"

SHARES = [0.0, 0.1, 0.25, 0.5, 0.9, 1.0]


def quantiles(x, whole, n, flags):
    """Quantiles and percentages, of a few and of many elements."""
    methods = ["linear", "lower", "higher", "midpoint", "nearest"]
    percentages = np.array([5.0, 37.5, 100.0], "float32")
    return (
        [ops.percentile(x, 100 * np.array(SHARES), axis=1, method=method) for method in methods]
        + [ops.percentile(x, 35, axis=(1, 2), method=method, keepdims=True) for method in methods]
        # Places halfway between two elements.
        + [ops.percentile(whole, [12.5, 37.5, 62.5], axis=1, method=method) for method in methods]
        + [ops.percentile(n, percentages, axis=-1), ops.percentile(n, 30, axis=1, method="lower"),
           ops.percentile(flags, 40, axis=2, method="midpoint"), ops.percentile(ops.sqrt(x), 50, axis=1),
           ops.percentile(x[0], 50, method="nearest", keepdims=True),
           ops.quantile(x, 0.3, axis=(1,), method="lower"), ops.quantile(x, [-0.5, 3.0], axis=(1,))]
        + ([] if IS_JAX else [ops.percentile(ops.cast(x, "float16"), 30, axis=1)]))


def quantiles_of_numbers(x, n):
    """Quantiles of what is no NaN, of which there may be nothing."""
    some, few = ops.sqrt(x), ops.log(x - 1.5)
    special = ops.concatenate([some, 1 / ops.relu(x)], axis=1)
    methods = ["linear", "lower", "higher", "midpoint", "nearest"]
    return (
        [ops.nanquantile(some, SHARES, axis=1, method=method) for method in methods]
        + [ops.nanpercentile(some, 35, axis=(1, 2), method=method, keepdims=True) for method in methods]
        + [ops.nanmedian(some, axis=2), ops.nanmedian(few, axis=1, keepdims=True), ops.nanmedian(x, axis=1),
           ops.nanquantile(few, 0.7, axis=-1), ops.nanpercentile(special, [15, 85], axis=1),
           ops.nanpercentile(few[0], [20.0, 80.0]), ops.nanquantile(ops.cast(some, "float16"), 0.4, axis=1),
           ops.nanpercentile(some[0], [20], keepdims=True), ops.nanquantile(n[0], 0.3)])


def numbers(x, n, wide, flags):
    """Reductions and cumulative functions of what is no NaN; of integers and booleans, they are the plain ones."""
    some, few = ops.sqrt(x), ops.log(x - 1.5)
    special = ops.concatenate([some, 1 / ops.relu(x), -1 / ops.relu(x)], axis=1)
    reductions = [ops.nansum, ops.nanprod, ops.nanmax, ops.nanmin, ops.nanmean, ops.nanvar, ops.nanstd]
    places = [ops.nanargmax, ops.nanargmin]
    cumulative = [ops.nancumsum, ops.nancumprod]
    return (
        [f(value, axis=1) for f in reductions + places + cumulative for value in (some, few, n, wide, flags)]
        + [f(some, axis=(1, 2), keepdims=True) for f in reductions] + [f(some) for f in reductions + places]
        + [f(few, keepdims=True) for f in places] + [f(some, axis=-1, keepdims=True) for f in places]
        + [f(special, axis=1) for f in places] + [f(some, axis=None) for f in cumulative]
        + [ops.nanvar(ops.cast(flags, "float16"), axis=2), ops.nanstd(ops.cast(flags, "float16"), axis=2),
           ops.nancumsum(special[:, :10], axis=1), ops.nancumsum(n, axis=1, dtype="float32"), ops.argmax(x, keepdims=True),
           ops.argmin(n, keepdims=True)])


def correlations(x, n):
    """Correlations of rows."""
    return [ops.corrcoef(x), ops.corrcoef(n), ops.corrcoef(ops.cast(x, "float16")), ops.corrcoef(x[:, :1]),
            ops.corrcoef(0 * x)]


def open_axes(x, square, n, lines):
    """Quantiles and diagonals along the axis of the batch, whose size is not known."""
    some = ops.sqrt(x)
    methods = ["linear", "lower", "higher", "midpoint", "nearest"]
    return (
        ([] if IS_JAX else [ops.quantile(x, SHARES, axis=0), ops.quantile(n, 0.3)])
        + [ops.median(x), ops.median(x, axis=(0, 2), keepdims=True)]
        + [ops.percentile(x, [12.5, 35, 70], axis=0, method=method) for method in methods]
        + [ops.nanpercentile(some, 35, axis=(0, 1), method=method) for method in methods]
        + [ops.nanmedian(some, axis=0), ops.nanquantile(some, [0.1, 0.5]), ops.median(ops.cast(x, "float16"), axis=0)]
        + [ops.trace(square), ops.trace(n)]
        + [ops.diagonal(square, offset) for offset in (0, 2, -1)] + [ops.diagonal(n, 1, 2, 0), ops.diag(square, -1)]
        + [ops.diagflat(lines, k) for k in (0, 2, -1)] + [ops.diagflat(x[:, 0, 0]), ops.diagflat(lines[0], 1), ops.diag(lines[1], -2)]
        + [ops.diag(x[:, 0, 0], 1)])


CUBE = Input((5, 4))
FEW = Input((5, 4), 0, 9, "int32")
CASES = [
    Case("quantiles", [CUBE, Input((5,)), FEW, Input((5, 4), type="bool")], quantiles),
    Case("quantiles_of_numbers", [CUBE, FEW], quantiles_of_numbers),
    Case("numbers", [CUBE, Input((5, 4), 0, 200, "uint8"), Input((5, 4), -5, 5, "int64"), Input((5, 4), type="bool")],
         numbers),
    Case("open_axes", [CUBE, Input((4,)), FEW, Input((3,), -9, 9, "int32")], open_axes),
    Case("correlations", [Input((6,)), Input((6,), -9, 9, "int32")], correlations),
]
