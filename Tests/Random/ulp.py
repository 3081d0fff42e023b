"""How far the program and the framework are from the framework in float64, in units in the last place."""

import json
from typing import Optional

import comparing
import program as programs
from trial import Trial


def distances(trial) -> Optional[list]:
    """The largest distances of the program's outputs and of the framework's, or None where float64 does
    not work or the model has other types."""
    text = json.dumps(trial.plan)
    if any(kind in text for kind in ("float16", "float64")):
        return None
    wide = json.loads(text.replace('"float32"', '"float64"'))
    weights = trial.framework.all_weights(trial.model)
    given = {
        name: array.astype("float64") if array.dtype.name == "float32" else array
        for name, array in trial.given["ordinary"].items()
    }
    got = programs.outputs(
        trial.path("ordinary-cpu.npz"), list(getattr(trial.model, "output_names", []))
    )
    want = trial.wanted["ordinary"]
    try:
        other = Trial(trial.framework, trial.program, wide, trial.seed, trial.container, trial.folder)
        other.build()
        for weight, value in zip(other.model.weights, weights):
            if "float" in other.framework.kind(weight):
                other.framework.assign(weight, value.astype("float64"))
        exact = other.framework.run(other.model, given)
    except Exception:  # pylint: disable=broad-except
        return None
    found = []
    for ours, theirs, truth in zip(got, want, exact):
        if truth.dtype.name == "float64" and truth.shape == ours.shape:
            pair = comparing.distance(ours, truth), comparing.distance(theirs, truth)
            if None not in pair:
                found.append(pair)
    return [max(pair[0] for pair in found), max(pair[1] for pair in found)] if found else None
