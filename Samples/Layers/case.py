"""The description of one golden case: a tiny Keras model and how its inputs are drawn."""

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Sequence

import numpy as np

Shape = tuple
Draw = Callable[[np.random.Generator, Shape], np.ndarray]

BATCH_SIZE = 2


def normal(rng, shape):
    """Values on both sides of zero, with a spread in which activations still differ from straight lines."""
    return rng.normal(0.0, 1.5, shape).astype(np.float32)


def wide(rng, shape):
    """Values far from zero on both sides: functions saturate, and a naive exponential overflows."""
    return rng.normal(0.0, 50.0, shape).astype(np.float32)


def padded(rng, shape):
    """Sequences `normal` draws, of which steps at the beginning, in the middle and at the end are zero."""
    values = normal(rng, shape)
    if len(shape) >= 3:
        values[0, :2] = 0.0
        values[0, 3] = 0.0
        values[1, -2:] = 0.0
    return values


def padded_indices(count):
    """Whole numbers from 1 to count - 1, and zeros at the beginning, in the middle and at the end of sequences."""
    def draw(rng, shape):
        values = rng.integers(1, count, shape)
        values[0, :2] = 0
        values[0, 3] = 0
        values[1, -2:] = 0
        return values
    return draw


def negative(rng, shape):
    """Only values below -0.25, so that a padding value of zero would win every maximum it takes part in."""
    return (-0.25 - np.abs(rng.normal(0.0, 1.5, shape))).astype(np.float32)


def pixels(rng, shape):
    """Whole numbers from 0 to 255, as an 8-bit image holds them."""
    return rng.integers(0, 256, shape).astype(np.float32)


def indices(count):
    """Whole numbers from 0 to count - 1."""
    return lambda rng, shape: rng.integers(0, count, shape)


@dataclass(frozen=True)
class LayerSettings:
    """A layer that is not built yet: its class and its constructor's arguments."""

    layer_class: type
    options: Mapping[str, Any]

    def build(self):
        return self.layer_class(**self.options)


@dataclass(frozen=True)
class Case:
    """A model in which every layer reads all the inputs, and every layer is an output, or one that `compose` makes
    of the inputs.

    Shapes leave out the batch axis. `input_shapes` may hold None for an unknown extent; `data_shapes`
    are then the extents of the recorded arrays. Where this machine cannot run the model, `stand_in` makes one that
    can, into which Keras loads the weights.
    """

    name: str
    input_shapes: Sequence[Shape]
    data_shapes: Sequence[Shape]
    layers: Sequence[LayerSettings]
    draw: Draw = normal
    input_type: str = "float32"
    compose: Callable = None
    stand_in: Callable = None


def one(name, layer_class, *input_shapes, data_shapes=None, draw=normal, input_type="float32", **options):
    """A case with a single layer."""
    layers = [LayerSettings(layer_class, options)]
    return Case(name, input_shapes, data_shapes or input_shapes, layers, draw, input_type)


def several(name, layers, *input_shapes):
    """A case in which several layers stand side by side on the same inputs."""
    return Case(name, input_shapes, input_shapes, layers)


def composed(name, compose, *input_shapes, data_shapes=None, draw=normal, input_type="float32", stand_in=None):
    """A case of several layers: `compose` gives the outputs, one tensor or a list, for the inputs."""
    return Case(name, input_shapes, data_shapes or input_shapes, [], draw, input_type, compose, stand_in)


def activation_variants(layer_class, activations, **options):
    """The same layer once per fused activation, each named after its activation."""
    return [LayerSettings(layer_class, {**options, "activation": activation, "name": "fused_" + activation})
            for activation in activations]
