"""One model: built, run and saved by the framework, converted and run by the program, compared."""

import json
import os
import re

import numpy

import arrays
import comparing
import program as programs
from plans import Building

RELOADED = "reloaded otherwise by the framework"
ROUNDED = "right in float64"
# The reference engine agrees with the framework.
CPU_ALONE = " of the cpu engine alone"


class Outcome:
    """How a trial ended.

    `kind` is agreed, wrong, signal, refused, refused when run, unstable, or why the framework has no
    answer; `what` says what differs, so that a reduced model can be held to it.
    """

    def __init__(self, kind: str, what: str = "", text: str = "", places=()):
        self.kind = kind
        self.what = what
        self.text = text
        self.places = places

    @property
    def is_fault(self) -> bool:
        return self.kind in ("wrong", "signal")

    @property
    def is_kept(self) -> bool:
        """Also where the file may say more than the framework reads."""
        return self.is_fault or self.kind == RELOADED

    def same(self, other) -> bool:
        """Whether another outcome is the same fault."""
        return self.kind == other.kind and self.what == other.what


class Trial:
    """A plan with its numbers in a folder."""

    def __init__(self, framework, program, plan: dict, seed: int, container: str, folder: str):
        self.framework = framework
        self.program = program
        self.plan = plan
        self.seed = seed
        self.container = container
        self.folder = folder
        self.profiles = ["ordinary", ("zeros", "large", "special", "special")[seed % 4]]

    def path(self, name: str):
        return os.path.join(self.folder, name)

    def run(self):
        """The outcome."""
        try:
            self.build()
            self.given = {name: arrays.for_plan(self.plan, self.seed, name) for name in self.profiles}
            self.wanted = {
                name: self.framework.run(self.model, each) for name, each in self.given.items()
            }
        except Exception as error:  # pylint: disable=broad-except
            return Outcome("not run by the framework", text=repr(error))
        if any(
            each.dtype.kind in "cOSU" or not isinstance(each, numpy.ndarray)
            for results in self.wanted.values()
            for each in results
        ):
            return Outcome("not run by the framework", text="outputs of another type")
        try:
            self.file, self.options = self.framework.save(self.model, self.container, self.folder)
        except Exception as error:  # pylint: disable=broad-except
            return Outcome("not saved by the framework", text=repr(error))
        return self.converted()

    def build(self):
        """The model, with its weights."""
        self.framework.clear(self.plan.get("policy", "float32"))
        self.building = Building(self.framework)
        self.model = self.building.model(self.plan)
        if not self.model.built:
            raise ValueError("the model is not built")
        self.framework.set_weights(self.building.objects, self.seed)
        self.building.finish()
        self.bound = comparing.tolerance(json.dumps([self.plan, self.types()]))

    def types(self) -> list:
        """The types of all weights and outputs."""
        return sorted(
            {
                str(self.framework.kind(each))
                for each in list(self.model.weights) + list(self.model.outputs)
            }
        )

    def converted(self):
        """The outcome once the framework has answered."""
        status, message = self.program.convert(self.file, self.path("model.wbm"), self.options)
        if status:
            return self.ended("refused", status, message)
        for profile in self.profiles:
            numpy.savez(self.path(profile + "-inputs.npz"), **arrays.storable(self.given[profile]))
            for engine in ("reference", "cpu"):
                target = self.path(f"{profile}-{engine}.npz")
                status, message = self.program.compute(
                    self.path("model.wbm"), self.path(profile + "-inputs.npz"), target, engine
                )
                if status:
                    return self.ended("refused when run", status, message)
                got = programs.outputs(target, list(getattr(self.model, "output_names", [])))
                outcome = self.compared(profile, engine, got)
                if outcome:
                    return outcome
        return Outcome("agreed")

    def ended(self, kind: str, status: int, message: str) -> numpy.ndarray:
        """The outcome for an exit status other than 0."""
        if status < 0 or status > 128:
            return Outcome("signal", kind, f"status {status}: {message}")
        if kind == "refused" and not self.is_reloaded():
            return Outcome("not loaded by the framework", text=message)
        if kind == "refused when run" and self.has_lost_inputs():
            return Outcome("saved without an input by the framework", text=message)
        return Outcome(kind, programs.cause(message), message, programs.place(message))

    def is_reloaded(self) -> bool:
        try:
            self.framework.load(self.file, self.container, self.folder)
        except Exception:  # pylint: disable=broad-except
            return False
        return True

    def has_lost_inputs(self) -> bool:
        """Whether the framework's own file has fewer inputs, as Keras 2.2 writes it."""
        try:
            return len(self.framework.load(self.file, self.container, self.folder).inputs) < len(
                self.model.inputs
            )
        except Exception:  # pylint: disable=broad-except
            return False

    def first_difference(self, got, want, noise=None, left_out=()):
        """What differs first among some outputs. Those in `left_out` and those whose noise is None are not
        compared."""
        if len(got) != len(want):
            return "count", f"there are {len(got)} outputs, not {len(want)}", 0
        for index, (one, other) in enumerate(zip(got, want)):
            if index in left_out or noise and noise[index] is None:
                continue
            found = comparing.compare(one, other, self.bound, noise[index] if noise else 0)
            if found:
                return found[0], f"output {index}: {found[1]}", found[2]
        return None

    def compared(self, profile: str, engine: str, got):
        """The outcome for outputs that differ, else None."""
        want = self.wanted[profile]
        found = self.first_difference(got, want)
        if not found:
            return None
        what, text = self.described(found, profile, engine)
        try:
            unsettled = self.unsettled(profile)
            found = self.first_difference(got, want, left_out=unsettled)
            if not found:
                return Outcome("not the same twice in the framework", text=text)
            what, text = self.described(found, profile, engine)
            return self.explained(profile, got, found, what, text, unsettled) or Outcome("wrong", what, text)
        except Exception as error:  # pylint: disable=broad-except
            return Outcome("wrong", what, f"{text}; {error!r}")

    def described(self, found, profile: str, engine: str):
        """What differs, and the sentence that says so."""
        what = f"{found[0]}, {profile} numbers"
        if self.bound >= comparing.TOLERANCES["float16"]:
            what += " in 16 bits"
        if engine == "cpu":
            what += CPU_ALONE
        return what, f"{what}: {found[1]} (by {found[2]:.3g})"

    def unsettled(self, profile: str):
        """The indices of the outputs that the framework does not compute twice the same: as it ran
        before, and in a graph."""
        want = self.wanted[profile]
        every = set(range(len(want)))
        result = set()
        for is_eager in (None, False):
            try:
                again = self.framework.run(self.model, self.given[profile], is_eager)
            except Exception:  # pylint: disable=broad-except
                continue  # what Keras computes step by step only
            if len(again) != len(want):
                return every
            result |= {index for index in every if self.first_difference(again, want, left_out=every - {index})}
        return result

    def explained(self, profile: str, got, found, what: str, text: str, left_out):
        """The outcome if the framework is to blame."""
        want = self.wanted[profile]

        def differs(one, other, noise=None, left_out=left_out):
            return self.first_difference(one, other, noise, left_out)

        if found[0] in ("numbers", "non-finite"):
            every, noise = set(range(len(want))), self.noise(profile, want)
            wrong = {index for index in every if differs(got, want, noise, every - {index} | left_out)}
            if not wrong:
                return Outcome("unstable", text=text)
            exact = None if CPU_ALONE in what else self.in_float64(profile)
            if exact and not differs(got, exact, left_out=every - wrong):
                return Outcome(ROUNDED, text=text)
        try:
            loaded = self.framework.load(self.file, self.container, self.folder)
        except Exception:  # pylint: disable=broad-except
            return Outcome("wrong", what + " in a file that the framework does not load", text)
        reloaded = self.framework.run(loaded, self.given[profile])
        if differs(reloaded, want):
            if not differs(got, reloaded):
                return Outcome(RELOADED, what, text)
            return Outcome("wrong", what + " in what the framework reloads otherwise", text)
        return None

    def in_float64(self, profile: str):
        """The outputs of the framework where all floating-point numbers have 64 bits, in the types that
        they had; None where it cannot."""
        if not self.framework.is_eager:
            return None
        text = re.sub(r'"(mixed_)?b?float(16|32)"', '"float64"', json.dumps(self.plan))
        weights = self.framework.all_weights(self.model)
        given = {
            name: array.astype("float64") if "float" in array.dtype.name else array
            for name, array in self.given[profile].items()
        }
        try:
            other = Trial(
                self.framework, self.program, json.loads(text), self.seed, self.container, self.folder
            )
            other.build()
            for weight, value in zip(other.model.weights, weights):
                if "float" in self.framework.kind(weight):
                    self.framework.assign(weight, value.astype("float64"))
            results = self.framework.run(other.model, given)
        except Exception:  # pylint: disable=broad-except
            return None
        with numpy.errstate(over="ignore"):
            return [
                each.astype(want.dtype) if "float" in each.dtype.name else each
                for each, want in zip(results, self.wanted[profile])
            ]

    def noise(self, profile: str, want):
        """How much each output moves when inputs and weights move by a unit in the last place; None
        for one in which places of infinities and NaN move too."""
        noise = [0.0] * len(want)
        weights = self.model.weights
        values = self.framework.all_weights(self.model)
        for seed in range(3):
            if seed:
                moved = arrays.shaken(
                    {str(i): value for i, value in enumerate(values)}, seed, self.bound
                )
                for index, weight in enumerate(weights):
                    if "float" in self.framework.kind(weight):
                        self.framework.assign(weight, moved[str(index)])
            results = self.framework.run(
                self.model, arrays.shaken(self.given[profile], seed, self.bound)
            )
            for index, (one, other) in enumerate(zip(results, want)):
                one, other = comparing.widened(one), comparing.widened(other)
                if noise[index] is None:
                    continue
                if one.shape != other.shape or (numpy.isfinite(one) != numpy.isfinite(other)).any():
                    noise[index] = None
                    continue
                with numpy.errstate(all="ignore"):
                    apart = numpy.abs(one.astype("float64") - other.astype("float64"))
                apart = apart[numpy.isfinite(apart)]
                noise[index] = max(noise[index], 10 * float(apart.max()) if apart.size else 0.0)
        for weight, value in zip(weights, values):
            if "float" in self.framework.kind(weight):
                self.framework.assign(weight, value)
        return noise
