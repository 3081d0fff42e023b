#!/usr/bin/env python3
"""Compares compact with other tools at equal measured error.

usage: compare.py PROGRAM FOLDER OUT.json [MODEL]...

FOLDER is the output of prepare.py. For each model the table has the total bytes of the weights at the errors 0.03, 0.01,
0.002 and 0.001, and at the errors of tools with fixed width: the worst relative L2 of a raw output over the evaluation
inputs. All tools get the same weights, those that compact changes; batch normalizations and the like are kept and count
the same for all, as compact stores them. The error of each tool is measured by running the model with its decoded
weights, from files of arrays; so is that of compact, in addition to the error that it states.
"""

import json
import math
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy

import peers

ERRORS = (0.03, 0.01, 0.002, 0.001)


class Model:
    def __init__(self, program, folder, work):
        self.program, self.folder, self.work = program, folder, pathlib.Path(work)
        self.path = folder / "model.wbm"
        self.weights = self.arrays(self.path)
        self.wanted = {}

    def call(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def arrays(self, path, *options):
        self.call("export", path, "-o", self.work / "arrays.npz", "--quiet", *options)
        with numpy.load(self.work / "arrays.npz") as file:
            return {name: file[name] for name in file}

    def outputs(self, path, kind):
        results = []
        for file in sorted((self.folder / kind).iterdir()):
            self.call("run", path, "--inputs", file, "--outputs", self.work / "outputs.npz", "--quiet")
            with numpy.load(self.work / "outputs.npz") as outputs:
                results.append([outputs[name].astype("f8") for name in outputs])
        return results

    def errors(self, path, kind):
        """Returns the relative error of each output, `[input, output]`."""
        if kind not in self.wanted:
            self.wanted[kind] = self.outputs(self.path, kind)
        return numpy.array([[numpy.linalg.norm(got - want) / numpy.linalg.norm(want) for got, want in zip(*pair)]
                            for pair in zip(self.outputs(path, kind), self.wanted[kind])])

    def error(self, path):
        """Returns the worst relative error of an output on the evaluation inputs."""
        return self.errors(path, "evaluation").max()

    def error_of(self, changed):
        """Returns the worst relative error with changed weights."""
        numpy.savez(self.work / "changed.npz", **{**self.weights, **changed})
        self.call("convert", self.work / "changed.npz", "--architecture", self.path, "-o", self.work / "changed.wbm",
                  "--quiet")
        return self.error(self.work / "changed.wbm")

    def compact(self, *arguments, calibration="calibration", evaluation="evaluation"):
        """Returns the figures that a call states, and its processor time; the file is `small.wbm`."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        given = ["--calibration", *sorted((self.folder / calibration).iterdir())] if calibration else []
        given += ["--evaluation", *sorted((self.folder / evaluation).iterdir())]
        record = json.loads(self.call("compact", self.path, "-o", self.work / "small.wbm", "--json", "--no-proof",
                                      *arguments, *given))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        sizes = {entry["name"]: entry["bytes"] for entry in record["encodings"]}
        return {"bytes": sum(sizes.values()), "sizes": sizes,
                "stated": max(loss["worst"] for loss in record["compaction"]["outputs"]),
                "stated mean": max(loss["mean"] for loss in record["compaction"]["outputs"]),
                "seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1)}

    def steps(self):
        """Returns the step size of each weight of `small.wbm` that was rounded."""
        arrays = self.arrays(self.work / "small.wbm", "--keep-integers")
        return {name.removesuffix("/scale"): float(array.max()) for name, array in arrays.items()
                if name.endswith("/scale")}


def at_error(points, error):
    """Returns the size at an error, interpolated between the two settings around it: linear in the error's
    logarithm."""
    points = sorted(points)
    for (low, larger), (high, smaller) in zip(points, points[1:]):
        if low <= error <= high:
            part = (math.log(error) - math.log(low)) / (math.log(high) - math.log(low))
            return round(larger + part * (smaller - larger))
    return None


def nncodec_at(model, weights, error, offsets, cache):
    """Returns NNCodec's size at an error, by bisecting the settings until two neighbours enclose it."""
    def measured(qp):
        if qp not in cache:
            size, changed = peers.nncodec(weights, qp, offsets)
            cache[qp] = (model.error_of(changed), size)
        return cache[qp]

    low, high = -80, 0
    while high - low > 1:
        middle = (low + high) // 2
        if measured(middle)[0] <= error:
            low = middle
        else:
            high = middle
    return at_error([measured(low), measured(high)], error)


def compare(model):
    """Returns the rows of one model."""
    fixed = model.compact("--encoding", "int8")
    changed = set(model.steps())
    weights = {name: array for name, array in model.weights.items() if name in changed}
    rest = fixed["bytes"] - fixed["sizes"].get("8-bit integers", 0)
    plain = sum(array.nbytes for array in model.weights.values())
    row = {"plain": plain, "parameters": sum(array.size for array in model.weights.values()), "rest": rest,
           "int8 of ours": {"bytes": fixed["bytes"], "error": model.error(model.work / "small.wbm")}, "errors": {}}
    single = {}
    for error in ERRORS:
        ours = model.compact("--max-error", error)
        ours["error"] = model.error(model.work / "small.wbm")
        steps = model.steps()
        middle = numpy.mean([math.log2(step) for step in steps.values()])
        # Weights that do not fit into 16 bits are not among the integer arrays; they get the mean step size.
        offsets = {name: round(4 * (math.log2(steps[name]) - middle)) if name in steps else 0 for name in weights}
        synthetic = model.compact("--max-error", error, calibration=None)
        row["errors"][str(error)] = {
            "compact": ours, "compact, generated examples": synthetic}
        for name, given, cache in (("nncodec", None, single), ("nncodec, our steps", offsets, {})):
            size = nncodec_at(model, weights, error, given, cache)
            row["errors"][str(error)][name] = None if size is None else rest + size
        print(json.dumps({"error": error, **row["errors"][str(error)]}), flush=True)
    for name, tool in (("coremltools, 8-bit k-means", peers.coremltools_kmeans),
                       ("onnxruntime, int8 by channel", peers.onnxruntime_int8)):
        size, numbers = tool(weights)
        error = model.error_of(numbers)
        row[name] = {"bytes": rest + size, "error": error, "compact": model.compact("--max-error", error)}
        print(json.dumps({name: row[name]}), flush=True)
    row["on inputs that played no part"] = {}
    for error in ERRORS:
        stated = model.compact("--max-error", error, calibration="learned", evaluation="stated")
        errors = model.errors(model.work / "small.wbm", "unseen")
        row["on inputs that played no part"][str(error)] = {
            "worst": errors.max() / stated["stated"], "mean": errors.mean(axis=0).max() / stated["stated mean"]}
    print(json.dumps(row["on inputs that played no part"]), flush=True)
    lossless = json.loads(model.call("compact", model.path, "-o", model.work / "small.wbm", "--json"))
    row["lossless"] = sum(entry["bytes"] for entry in lossless["encodings"])
    return row


def main():
    program, folder, target, *names = sys.argv[1:]
    folder = pathlib.Path(folder)
    results = json.loads(pathlib.Path(target).read_text()) if pathlib.Path(target).exists() else {}
    for path in sorted(folder.glob("*/model.wbm")):
        name = path.parent.name
        if names and name not in names:
            continue
        print(f"{name}:", flush=True)
        with tempfile.TemporaryDirectory() as work:
            results[name] = compare(Model(program, path.parent, work))
        pathlib.Path(target).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
