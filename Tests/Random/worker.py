"""Draws and tries models in one environment, and prints a line of JSON for each.

usage: worker.py MODULE PROGRAM FOLDER FIRST COUNT [OPTION...]
"""

import argparse
import json
import os
import random
import shutil
import tempfile
import traceback

import control
import drawing
import exporting
import plans
import pool
import reducing
import ulp
from frameworks import Framework
from trial import Trial


class Worker:
    """One process with the framework."""

    def __init__(self, options, say):
        import program  # pylint: disable=import-outside-toplevel

        self.options = options
        self.say = say
        self.framework = Framework(options.module)
        self.program = program.Program(options.program)
        self.exports = exporting.Exports(
            self.program, dict(each.split("=") for each in options.consumer)
        )

    def trial(self, plan: dict, seed: int, container: str, folder: str):
        os.makedirs(folder, exist_ok=True)
        return Trial(self.framework, self.program, plan, seed, container, folder)

    def drawn(self, seed: int):
        """The first model of a seed that the framework builds and runs, what became of it, and how often
        it had to be drawn."""
        rng = random.Random(seed)
        report = pool.Report()
        unusable = {}
        for _ in range(20):
            try:
                if self.options.single:
                    plan = drawing.draw_single(self.framework, rng, report, seed)
                else:
                    plan = drawing.draw_plan(self.framework, rng, report)
            except Exception as error:  # pylint: disable=broad-except
                unusable[type(error).__name__] = unusable.get(type(error).__name__, 0) + 1
                continue
            container = rng.choice(self.framework.containers)
            folder = tempfile.mkdtemp(dir=self.options.folder)
            trial = self.trial(plan, seed, container, folder)
            outcome = trial.run()
            if outcome.kind not in ("not run by the framework", "not saved by the framework"):
                return trial, outcome, report, unusable
            shutil.rmtree(folder)
            unusable[outcome.kind] = unusable.get(outcome.kind, 0) + 1
        return None, None, report, unusable

    def one(self, seed: int):
        """Tries the model of a seed, and what is left of it without the layers that are refused."""
        trial, outcome, report, unusable = self.drawn(seed)
        line = {
            "seed": seed,
            "redrawn": sum(report.redrawn.values()),
            "unusable": unusable,
            "unknown": dict(report.unknown),
            "outcomes": [],
            "refused": [],
            "faults": [],
            "notes": [],
            "exports": {},
            "control": [],
            "ulp": [],
            "shown": [],
        }
        rounds = 0
        while trial is not None:
            line["outcomes"].append(outcome.kind)
            if self.options.show:
                line["shown"].append(
                    f"{outcome.kind} {outcome.text}\n{trial.container}\n{plans.text(trial.plan)}"
                )
            line["container"] = trial.container
            if outcome.kind.startswith("refused") or outcome.kind == "not loaded by the framework":
                line["refused"].append([outcome.kind, outcome.what, outcome.text[:400]])
            elif outcome.is_kept:
                self.keep(line, trial, outcome, Trial.run)
            elif outcome.kind == "agreed":
                self.export(line, trial)
                if self.options.control:
                    line["control"].append(control.noticed(trial))
                if self.options.ulp:
                    line["ulp"].append([ulp.distances(trial), plans.text(trial.plan)])
            else:
                line["notes"].append([outcome.kind, outcome.text[:300]])
            shutil.rmtree(trial.folder, ignore_errors=True)
            smaller = reducing.without_refused(trial, outcome) if rounds < 3 else None
            rounds += 1
            if smaller is None:
                break
            trial = self.trial(smaller, seed, trial.container, tempfile.mkdtemp(dir=self.options.folder))
            outcome = trial.run()
        return line

    def keep(self, line: dict, trial, outcome, check):
        """Reduces a model with a fault and keeps it."""
        line["faults"].append(
            reducing.reduced(self, trial, outcome, check).keep(self.options.folder, line["seed"])
        )

    def export(self, line: dict, trial):
        """Tries the targets with a model that agrees."""
        for target in self.exports.consumers:

            def check(other, target: str = target):
                found = other.run()
                return self.exports.outcome(other, target) if found.kind == "agreed" else found

            outcome = self.exports.outcome(trial, target)
            key = f"{target} {outcome.kind}"
            line["exports"][key] = line["exports"].get(key, 0) + 1
            if outcome.is_fault:
                self.keep(line, trial, outcome, check)
            elif outcome.kind in ("refused", "not run"):
                line["refused"].append([f"{target} {outcome.kind}", outcome.what, outcome.text[:400]])


def main():
    parser = argparse.ArgumentParser()
    for name in ("module", "program", "folder"):
        parser.add_argument(name)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--show", action="store_true", help="print the models")
    parser.add_argument("--single", action="store_true", help="models of one call")
    parser.add_argument("--control", action="store_true")
    parser.add_argument("--ulp", action="store_true")
    parser.add_argument("--consumer", action="append", default=[], metavar="NAME=PYTHON")
    options = parser.parse_args()
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the framework prints

    def say(line: dict):
        output.write(json.dumps(line) + "\n")
        output.flush()

    worker = Worker(options, say)
    say({"started": worker.framework.version})
    for seed in range(options.first, options.first + options.count):
        say({"trying": seed})
        try:
            say(worker.one(seed))
        except Exception:  # pylint: disable=broad-except
            say({"seed": seed, "broken": traceback.format_exc()[-1500:]})


if __name__ == "__main__":
    main()
