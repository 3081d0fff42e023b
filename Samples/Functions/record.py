"""Records mathematical functions in float64 on a grid of float32 numbers, with NumPy and SciPy.

    pip install numpy scipy && python record.py

Writes functions.npz: `x`, and for each function its results.
"""

from pathlib import Path

import numpy as np
from scipy import special


def grid():
    """Subnormal, tiny, ordinary and huge numbers of both signs, and those that are no finite numbers."""
    powers = np.ldexp(1.0, np.arange(-149, 128, 4))
    positive = np.concatenate([powers, 1.37 * powers, np.linspace(0.01, 20, 97), np.linspace(21, 105, 43)])
    numbers = np.concatenate([[0.0], positive, -positive, [np.inf, -np.inf, np.nan]])
    return np.unique(numbers.astype(np.float32)).astype(np.float64)


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772
FUNCTIONS = {
    "tanh": np.tanh, "sigmoid": special.expit, "softplus": softplus, "log_sigmoid": lambda x: -softplus(-x),
    "elu": elu, "elu_0.3": lambda x: elu(x, 0.3), "celu_0.3": lambda x: np.where(x > 0, x, 0.3 * np.expm1(np.minimum(x / 0.3, 0))),
    "selu": lambda x: SCALE * elu(x, ALPHA), "swish": lambda x: x * special.expit(x), "mish": lambda x: x * np.tanh(softplus(x)),
    "gelu": lambda x: x * special.erfc(-x / np.sqrt(2)) / 2,
    "gelu_tanh": lambda x: x * special.expit(2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)),
    "hard_swish": lambda x: x * np.clip((x + 3) / 6, 0, 1), "hard_sigmoid": lambda x: np.clip((x + 3) / 6, 0, 1),
    "softsign": lambda x: x / (1 + np.abs(x)), "exponential": np.exp, "relu": lambda x: np.where(x < 0, 0, x),
    "leaky_relu_0.2": lambda x: np.where(x > 0, x, 0.2 * x), "relu_6": lambda x: np.clip(x, 0, 6),
    "unary_math expm1": np.expm1, "unary_math log1p": np.log1p, "unary_math log": np.log, "unary_math log2": np.log2,
    "unary_math log10": np.log10, "unary_math exp2": np.exp2, "unary_math sinh": np.sinh, "unary_math cosh": np.cosh,
    "unary_math sin": np.sin, "unary_math cos": np.cos, "unary_math tan": np.tan, "unary_math arcsin": np.arcsin,
    "unary_math arccos": np.arccos, "unary_math arctan": np.arctan, "unary_math arcsinh": np.arcsinh,
    "unary_math arccosh": np.arccosh, "unary_math arctanh": np.arctanh, "unary_math erf": special.erf,
    "unary_math erfc": special.erfc, "unary_math sqrt": np.sqrt, "unary_math rsqrt": lambda x: 1 / np.sqrt(x),
    "unary_math reciprocal": np.reciprocal, "unary_math square": np.square, "unary_math absolute": np.abs,
    "unary_math floor": np.floor, "unary_math ceil": np.ceil, "unary_math round": np.rint, "unary_math trunc": np.trunc,
}

if __name__ == "__main__":
    x = grid()
    with np.errstate(all="ignore"):
        results = {name: function(x) for name, function in FUNCTIONS.items()}
    np.savez_compressed(Path(__file__).resolve().parent / "functions.npz", x=x, **results)
    print(f"{len(results)} functions of {len(x)} numbers")
