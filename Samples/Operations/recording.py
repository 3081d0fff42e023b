"""Records the files of a case: a model, its inputs, and what Keras makes of them."""

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Sequence

import numpy as np

BATCH_SIZE = 2


@dataclass(frozen=True)
class Input:
    """An input: its shape without the batch axis, its type and the range of its numbers.

    An extent of None is open in the model, and 6 in the arrays.
    """

    shape: Sequence[int]
    low: float = -2.0
    high: float = 2.0
    type: str = "float32"

    def draw(self, rng):
        shape = (BATCH_SIZE, *(6 if extent is None else extent for extent in self.shape))
        if self.type == "bool":
            return rng.uniform(0.0, 1.0, shape) > 0.4
        if "int" in self.type:
            return rng.integers(int(self.low), int(self.high), shape).astype(self.type)
        return rng.uniform(self.low, self.high, shape).astype(self.type)


@dataclass(frozen=True)
class Case:
    """A model of many small parts that stand side by side, each an output."""

    name: str
    inputs: Sequence[Input]
    build: Callable[..., Sequence[Any]]
    # What is done to the model once it has its weights.
    change: Callable[[Any], None] = lambda model: None
    containers: Sequence[str] = ("h5",)


def port_names(model):
    """The outputs' names as Weighbridge gives them: the layer's, with `.1` for its second output."""
    config = json.loads(model.to_json())["config"]
    references = config["output_layers"]
    if isinstance(references[0], str):
        references = [references]
    models = {layer["config"]["name"] for layer in config["layers"] if layer["class_name"] == "Functional"}
    taken, names = set(), []
    for layer, call, tensor in references:
        call -= layer in models  # Keras counts these calls from 1.
        name = layer if call == 0 else f"{layer}:{call}"
        name += f".{tensor}" if tensor > 0 else ""
        number = 2
        while name in taken:
            name, number = f"{layer}_{number}", number + 1
        taken.add(name)
        names.append(name)
    return names


def randomize(model, rng):
    """Replaces the weights, so that none has the value it begins with."""
    model.set_weights([rng.uniform(0.1, 1.0, weight.shape).astype(weight.dtype) for weight in model.get_weights()])


def small_variances(model):
    """Makes the variances of batch normalizations so small that their epsilon shows."""
    for layer in model.submodules:
        if hasattr(layer, "moving_variance"):
            layer.moving_variance.assign(layer.moving_variance * 1e-5)


def record(keras, folder, case, **save_options):
    """Writes <case>.h5 or another container, <case>.inputs.npz and <case>.outputs.npz."""
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    keras.backend.clear_session()
    inputs = [keras.Input(input.shape, dtype=input.type, name=f"in{index}") for index, input in enumerate(case.inputs)]
    model = keras.Model(inputs, case.build(*inputs), name=case.name)
    randomize(model, rng)
    case.change(model)
    arrays = [input.draw(rng) for input in case.inputs]
    outputs = model(arrays if len(arrays) > 1 else arrays[0], training=False)
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    outputs = {name: np.asarray(output) for name, output in zip(port_names(model), outputs)}
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    for container in case.containers:
        model.save(str(folder / f"{case.name}.{container}"), **(save_options if container == "h5" else {}))
    np.savez(folder / f"{case.name}.inputs.npz", **{f"in{index}": array for index, array in enumerate(arrays)})
    np.savez(folder / f"{case.name}.outputs.npz", **outputs)
    print(f"{case.name}: {len(outputs)} outputs")
