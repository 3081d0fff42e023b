"""Draws random models in the frameworks, converts them, and compares what the program computes with what
the framework computed: see README.md.

usage: search.py PROGRAM [--count N] [--seed N] [--environments NAME...] [--at NAME=FOLDER...]
                 [--without-exports] [--single] [--control] [--ulp] [--show]
"""

import argparse
import atexit
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from typing import Optional

import environments
import processes

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 120  # of computing, or of waiting, without a word: some models make TensorFlow wait for itself


COLUMNS = (
    "models",
    "compared",
    "agreed",
    "wrong",
    "signal",
    "reloaded otherwise by the framework",
    "decided",
    "refused",
    "refused when run",
)


class Figures:
    """What is counted in an environment."""

    def __init__(self, environment):
        lines = (HERE / "decided.txt").read_text().splitlines()
        rows = [line.split(" | ") for line in lines if line and not line.startswith("#")]
        self.decided = [row[1:] for row in rows if re.fullmatch(row[0], environment)]
        self.counts = collections.Counter()
        self.causes = collections.Counter()
        self.unknown = collections.Counter()
        self.faults = []
        self.kinds = collections.Counter()
        self.control = collections.defaultdict(collections.Counter)
        self.ulp = []

    def decision(self, fault: dict) -> Optional[str]:
        """Why a difference is none to be mended, or None. The two engines must always agree."""
        if "cpu engine alone" in fault["signature"]:
            return None
        text = " ".join([fault["signature"], *fault["plan"].split()])
        return next((reason for pattern, reason in self.decided if re.fullmatch(pattern, text)), None)

    def add(self, line: dict):
        """Counts what became of a seed."""
        if "broken" in line:
            self.counts["search broken"] += 1
            print(line["broken"], file=sys.stderr)
            return
        for shown in line["shown"]:
            print(f"\nseed {line['seed']}: {shown}")
        self.counts["models"] += 1
        self.counts["redrawn nodes"] += line["redrawn"]
        self.counts["redrawn models"] += sum(line["unusable"].values())
        for outcome in line["outcomes"]:
            self.counts[outcome] += 1
        self.counts["compared"] += any(
            not each.startswith(("refused", "not ")) for each in line["outcomes"]
        )
        self.causes.update(
            f"{kind}: {cause}" for kind, cause, _ in line["refused"] if not kind.startswith("not ")
        )
        self.unknown.update(line["unknown"])
        for noticed in line["control"]:
            for name, answer in noticed.items():
                self.control[name][answer] += 1
        self.ulp += [(*pair, text, line["seed"]) for pair, text in line["ulp"] if pair]
        self.counts.update({f"export {key}": number for key, number in line.get("exports", {}).items()})
        for fault in line["faults"]:
            decision = self.decision(fault)
            if decision:
                self.counts["decided"] += 1
                self.causes[f"decided: {decision}"] += 1
                continue
            if fault["kind"] in ("wrong", "signal"):
                self.faults.append(fault)
            self.kinds[fault["signature"]] += 1
            print(
                f"\nseed {line['seed']}: {fault['kind']}, {fault['text']}\n{fault['container']}: {fault['folder']}\n"
                f"{fault['plan']}\n",
                flush=True,
            )

    def row(self, name: str) -> str:
        """A row of the table in README.md."""
        others = (
            "unstable",
            "right in float64",
            "framework died",
            "not loaded by the framework",
            "not the same twice in the framework",
            "saved without an input by the framework",
        )
        cells = [self.counts[key] for key in COLUMNS] + [sum(self.counts[key] for key in others)]
        return f"| {name} | " + " | ".join(map(str, cells)) + " |"

    def show_more(self):
        """Prints what the modes found."""
        for name, counts in sorted(self.control.items()):
            total = sum(counts.values())
            share = counts.pop("noticed", 0) / total
            print(f"disturbed {name}: {share:.1%} of {total} noticed; the others:", dict(counts))
        if self.ulp:
            for place, who in enumerate(("the program", "the framework")):
                worst = sorted(pair[place] for pair in self.ulp)
                middle, high = worst[len(worst) // 2], worst[int(len(worst) * 0.95)]
                print(
                    f"units in the last place from float64, {who}: median {middle:.1f}, 95 % {high:.0f}, "
                    f"largest {worst[-1]:.0f}, of {len(worst)} models"
                )
            far = [each for each in self.ulp if each[0] > 16 and each[0] > 4 * each[1]]
            for ours, theirs, text, seed in sorted(far, key=lambda each: each[1] / each[0])[:10]:
                print(f"seed {seed}: {ours:.0f} units, the framework {theirs:.0f}\n{text}")

    def show(self, name: str, seconds: float):
        """Prints the figures."""
        print(f"\n{name}: " + ", ".join(f"{self.counts[key]} {key}" for key in sorted(self.counts)))
        print(f"{seconds:.0f} s")
        for cause, number in self.causes.most_common(40):
            print(f"{number:5} {cause}")
        for signature, number in self.kinds.most_common():
            print(f"{number:5} differ in {signature}")
        self.show_more()
        if self.unknown:
            print("arguments without a strategy: " + ", ".join(sorted(self.unknown)))


class Process:
    """A worker, which is started again behind the seed that ended it."""

    def __init__(self, environment, program, options):
        self.environment = environment
        self.program = program
        self.options = options
        self.folder = environments.FOLDER / "found" / environment.name
        self.folder.mkdir(parents=True, exist_ok=True)

    def start(self, first, count: int):
        command = [
            self.environment.interpreter,
            HERE / "worker.py",
            self.environment.module,
            self.program,
            self.folder,
            first,
            count,
            *self.options,
        ]
        with open(self.folder / "log.txt", "a", encoding="utf8") as log:
            return subprocess.Popen(
                [str(part) for part in command],
                stdout=subprocess.PIPE,
                stderr=log,
                env=self.environment.variables,
            )

    def keep(self, line: dict):
        """Adds a line to what is known of all seeds."""
        with open(self.folder / "seeds.jsonl", "a", encoding="utf8") as file:
            file.write(json.dumps(line) + "\n")

    def lines(self, first, count: int):
        """What the workers say of each seed."""
        last, seed = first + count, first
        while seed < last:
            process = self.start(seed, last - seed)
            begun = seed
            atexit.register(process.kill)
            for line in self.spoken(process):
                if "trying" in line:
                    seed = line["trying"]
                elif "seed" in line:
                    yield line
                    seed = line["seed"] + 1
            if seed < last:  # it died of this seed
                yield {"died": seed}
                seed += 1
            if process.poll() not in (0, None) and seed == begun + 1 and process.returncode == 1:
                raise SystemExit(f"{self.environment.name} does not start: see {self.folder}/log.txt")

    @staticmethod
    def spoken(process):
        """Lines until the process ends, or is ended because it says nothing for too long."""
        buffer = b""
        while part := processes.part(process, SECONDS):
            *whole, buffer = (buffer + part).split(b"\n")
            for line in whole:
                yield json.loads(line)
        process.kill()
        process.wait()


def main():
    signal.signal(signal.SIGTERM, stop)
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--environments", nargs="*", default=[])
    parser.add_argument(
        "--at", nargs="*", default=[], metavar="NAME=FOLDER", help="environments that are there already"
    )
    parser.add_argument("--without-exports", action="store_true")
    parser.add_argument(
        "--control", action="store_true", help="disturb what is computed, and count what is noticed"
    )
    parser.add_argument(
        "--single", action="store_true", help="draw single calls: of each layer and function, for each type"
    )
    parser.add_argument("--show", action="store_true", help="print every model")
    parser.add_argument(
        "--ulp", action="store_true", help="show distances to float64 in units in the last place"
    )
    arguments = parser.parse_args()
    table = environments.table()
    for place in arguments.at:
        name, folder = place.split("=")
        table[name].folder = pathlib.Path(folder)
    names = arguments.environments or [name for name in table if table[name].module != "-"]
    options = [f"--{name}" for name in ("single", "control", "ulp", "show") if getattr(arguments, name)]
    if not arguments.without_exports and not arguments.control:
        options += consumers(table)
    is_faulty, rows = False, []
    for name in names:
        problem = table[name].install()
        if problem:
            print(f"{name} is left out: {problem}.")
            continue
        figures, begun = Figures(name), time.monotonic()
        process = Process(table[name], os.path.abspath(arguments.program), options)
        try:
            for line in process.lines(arguments.seed, arguments.count):
                process.keep(line)
                if "died" in line:
                    figures.counts["framework died"] += 1
                    print(f"{name} died of seed {line['died']}, or took too long")
                else:
                    figures.add(line)
        finally:
            figures.show(name, time.monotonic() - begun)
            rows.append(figures.row(name))
        is_faulty |= bool(figures.faults) or not figures.counts["compared"]
    print("\n| environment | " + " | ".join(COLUMNS) + " | no answer |", *rows, sep="\n")
    sys.exit(is_faulty or not rows)


def stop(*_):
    """Ends as for any other reason, so that no worker stays."""
    raise SystemExit("stopped")


def consumers(table) -> list:
    """The interpreters that read exported files."""
    options = []
    for name in ("consumers", "keras3-tensorflow", "keras2.15"):
        problem = table[name].install()
        if problem:
            print(f"Exports are read without {name}: {problem}.")
        else:
            options += ["--consumer", f"{name}={table[name].interpreter}"]
    return options


if __name__ == "__main__":
    main()
