"""Disturbs on purpose what agrees, to see that the search notices."""

import os
import random
import tempfile

import numpy

import arrays
import program as programs


def moved(rng, results, trial):
    """One number of an output, beyond the tolerance."""
    index = rng.randrange(len(results))
    array = numpy.array(results[index])
    noise = trial.noise("ordinary", trial.wanted["ordinary"])
    if noise[index] is None:
        return None
    places = numpy.argwhere(
        numpy.isfinite(array) if array.dtype.kind == "f" else numpy.ones(array.shape, bool)
    )
    if not len(places):
        return None
    place = tuple(places[rng.randrange(len(places))])
    if array.dtype.kind == "f":
        array[place] += 2 * noise[index] + 4 * trial.bound * (
            1 + numpy.abs(array[numpy.isfinite(array)]).max()
        )
    else:
        array[place] = array[place] ^ True
    return results[:index] + [array] + results[index + 1 :]


def retyped(rng, results, _):
    """Another type of an output."""
    index = rng.randrange(len(results))
    array = results[index]
    others = {
        "float32": "float64",
        "float64": "float32",
        "int32": "int64",
        "int64": "int32",
        "bool": "uint8",
    }
    return (
        results[:index] + [array.astype(others.get(array.dtype.name, "float32"))] + results[index + 1 :]
    )


def not_a_number(rng, results, _):
    """NaN where there was a number, or a number where there was NaN."""
    floats = [index for index, array in enumerate(results) if array.dtype.kind == "f" and array.size]
    if not floats:
        return None
    index = rng.choice(floats)
    array = numpy.array(results[index])
    place = tuple(numpy.argwhere(numpy.ones(array.shape, bool))[rng.randrange(array.size)])
    array[place] = 1 if numpy.isnan(array[place]) else numpy.nan
    return results[:index] + [array] + results[index + 1 :]


def reshaped(rng, results, _):
    """An axis more."""
    index = rng.randrange(len(results))
    return results[:index] + [results[index][None]] + results[index + 1 :]


OUTPUTS = {"number": moved, "type": retyped, "NaN": not_a_number, "shape": reshaped}


def weight(rng, trial):
    """Whether a model with another weight is noticed; None if the framework's outputs stay as they are."""
    framework, model = trial.framework, trial.model
    weights = [each for each in model.weights if "float" in framework.kind(each)]
    if not weights:
        return None
    values = framework.all_weights(model)
    index = rng.randrange(len(model.weights))
    if "float" not in framework.kind(model.weights[index]):
        return None
    framework.assign(
        model.weights[index], (values[index].astype("float64") * 1.5 + 0.25).astype(values[index].dtype)
    )
    try:
        results = framework.run(model, trial.given["ordinary"])
        if not trial.first_difference(results, trial.wanted["ordinary"]):
            return None
        with tempfile.TemporaryDirectory() as folder:
            file, options = framework.save(model, trial.container, folder)
            target = os.path.join(folder, "model.wbm")
            if trial.program.convert(file, target, options)[0]:
                return None
            got = computed(trial, target, os.path.join(folder, "outputs.npz"))
    finally:
        framework.assign(model.weights[index], values[index])
    return trial.compared("ordinary", "reference", got)


def computed(trial, model, target: str):
    """The program's outputs for ordinary numbers."""
    inputs = trial.path("ordinary-inputs.npz")
    numpy.savez(inputs, **arrays.storable(trial.given["ordinary"]))
    trial.program.compute(model, inputs, target, "reference")
    return programs.outputs(target, list(getattr(trial.model, "output_names", [])))


def noticed(trial) -> dict:
    """For each disturbance whether it was noticed."""
    rng, result = random.Random(trial.seed), {}
    got = computed(trial, trial.path("model.wbm"), trial.path("control.npz"))
    for name, change in OUTPUTS.items():
        changed = change(rng, list(got), trial)
        if changed is not None:
            result[name] = noticing(trial.compared("ordinary", "reference", changed))
    found = weight(rng, trial)
    return dict(result, weight=noticing(found)) if found is not None else result


def noticing(found) -> str:
    """ "noticed", or why not."""
    if found is None:
        return "taken for equal"
    return "noticed" if found.is_fault else found.kind
