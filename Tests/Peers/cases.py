"""What the peers share: the recorded models with the inputs and the outputs that the original
framework computed, exporting them, and comparing."""

import argparse
import collections
import json
import multiprocessing
import pathlib
import re
import shutil
import subprocess
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]

# How far an output may lie from the recorded one, by the coarsest type in the model.
TOLERANCES = {"float32": 1e-4, "float16": 4e-3, "bfloat16": 2e-2}

# References of darknet that are wrong, and files whose weights do not fit, so that there is no
# model: Tests/Conversion/ConversionTests/DarknetConversion/DarknetFixtureTests.swift says why.
DARKNET_EXCLUDED = set(
    """activation_layer_hard_mish activation_layer_relu6 conv_dilation2_nopad x_connected_swish
    x_dontload x_dontloadscales x_shortcut_from_wider_input x_shortcut_hard_mish
    hdr_0_1001_0_seen32_T hdr_1000_0_0_seen32 hdr_1001_0_0_seen32_T hdr_1000_0_0_seen64
    hdr_1001_0_0_seen64_T hdr_0_2_0_seen32 header_only trunc_half trunc_last4 trunc_mid_conv
    x_vector_plus_image""".split()
)


class Case:
    """A model with inputs and the outputs that its own framework made of them, by how much two
    runs of that framework differ, and what the program says when it exports the model."""

    def __init__(self, group, name, model, inputs, outputs, options=(), noise=0):
        self.group = group
        self.name = name
        self.model = model
        self.inputs = inputs
        self.outputs = outputs
        self.options = list(options)
        self.noise = noise
        self.notes = ""


class Refused(Exception):
    """The program does not export the model."""


class NotRun(Exception):
    """The file cannot be run in any tool at hand, so that nothing is known of its numbers."""


def sample_cases():
    """Models beside arrays of the same name: NAME.h5, NAME.inputs.npz, NAME.outputs.npz."""
    for inputs in sorted(ROOT.glob("Samples/**/*inputs.npz")):
        stem = inputs.name.removesuffix("inputs.npz")
        for outputs in sorted(inputs.parent.glob(f"{stem}*outputs.npz")):
            name = outputs.name.removesuffix(".outputs.npz")
            for kind in (".h5", ".keras", ".cfg", ".onnx"):
                model = inputs.parent / f"{name}{kind}"
                if not model.exists():
                    continue
                architecture = model.with_suffix(".json")
                options = ["--architecture", str(architecture)] if architecture.exists() else []
                if inputs.parent.name.endswith("-theano"):  # which some files do not say
                    options += ["--keras-backend", "theano"]
                group = "/".join(inputs.parent.relative_to(ROOT).parts[:2])
                yield Case(
                    group, f"{inputs.parent.name}/{model.name}", model, inputs, outputs, options)
    for folder in sorted(ROOT.glob("Samples/Models/*")):
        for model in sorted(folder.glob("*.h5")):
            if (folder / "input.npy").exists():
                yield Case(
                    "Samples/Models", model.name, model, folder / "input.npy",
                    folder / "outputs.npz")


def lines_of(table):
    """The lines of a text file that are no comments."""
    return [line for line in table.read_text().splitlines() if line and not line.startswith("#")]


def first(folder, names):
    """The first of some files that is there."""
    return next((folder / name for name in names if (folder / name).exists()), None)


def keras_cases(fixtures):
    """The zoos, and whole networks."""
    writers = {
        "zoo k2": ("keras/zoo", ["k2.h5", "k2.keras"], ["outputs.npz", "outputs_k3jax.npz"]),
        "zoo k3": (
            "keras/zoo", ["k3.keras", "k3.h5"],
            ["outputs_k3.npz", "outputs_k3jax.npz", "outputs.npz"]),
        "old zoo 2.2.4": ("keras/oldzoo/k2.2.4", ["model.h5"], ["outputs.npz"]),
        "old zoo 1.2.2": ("keras/oldzoo/k1.2.2", ["k1.h5"], ["outputs.npz"]),
    }
    for group, (place, models, outputs) in writers.items():
        for folder in sorted((fixtures / place).glob("*")):
            model, wanted = first(folder, models), first(folder, outputs)
            if model and wanted:
                yield Case(group, folder.name, model, folder / "inputs.npz", wanted)
    for folder in sorted((fixtures / "keras").glob("*/*")):
        model = next(iter(sorted([*folder.glob("*.h5"), *folder.glob("*.hdf5")])), None)
        if model and (folder / "input.npy").exists() and (folder / "outputs.npz").exists():
            options = []
            architecture = next(iter(sorted(folder.glob("*_arch.json"))), None)
            if "weightsonly" in model.name and architecture:
                options = ["--architecture", str(architecture)]
            yield Case(
                "whole networks", folder.name, model, folder / "input.npy",
                folder / "outputs.npz", options)


def darknet_cases(fixtures):
    """What darknet computed in the fork that the case was recorded with."""
    for folder in sorted((fixtures / "darknet/small").glob("*")):
        if folder.name in DARKNET_EXCLUDED or not (folder / "meta.json").exists():
            continue
        if not (folder / "case.cfg").exists() or not (folder / "outputs.npz").exists():
            continue
        text = (folder / "meta.json").read_text()
        fork = "pjreddie" if re.search(r'"fork":\s*"pj', text) else "alexeyab"
        noise = max(map(float, re.findall(r'"fuse_maxdiff":\s*([0-9.eE+-]+)', text)), default=0)
        yield Case(
            "darknet/small", folder.name, folder / "case.cfg", folder / "inputs.npz",
            folder / "outputs.npz", ["--darknet", fork], noise)


def all_cases(fixtures):
    """Everything that was recorded."""
    cases = list(sample_cases())
    if fixtures.is_dir():
        cases += [*keras_cases(fixtures), *darknet_cases(fixtures)]
    return cases


def arrays(path):
    """The arrays of a file by name, in its order."""
    loaded = numpy.load(path)
    if isinstance(loaded, numpy.ndarray):
        return {"": loaded}
    return {name: loaded[name] for name in loaded.files}


def in_order(names):
    """Names that differ in a number only in the order of the numbers, others as they are."""
    parts = [re.fullmatch(r"(\D*)(\d+)(\D*)", name) for name in names]
    if not all(parts) or len({(part[1], part[3]) for part in parts}) > 1:
        return list(names)
    return sorted(names, key=lambda name: int(re.search(r"\d+", name)[0]))


def ports(program, case):
    """The model's inputs and the names of its outputs in its order, and the widest tolerance of its types."""
    done = subprocess.run(
        [program, "inspect", "--json", str(case.model), *case.options], capture_output=True,
        text=True, check=True)
    model = json.loads(done.stdout)
    bound = max(
        [1e-4] + [TOLERANCES[name] for name in ("float16", "bfloat16") if f'"{name}"' in done.stdout])
    return model["inputs"], [port["name"] for port in model["outputs"]], bound


def names(inputs):
    """The names of a model's inputs."""
    return [port["name"] for port in inputs]


def matched(names, given):
    """An array for each name: the one of that name, for `3_maxpool` the one that begins with its
    number, else by order, as for two outputs of one layer of Keras."""
    if len(set(names)) == len(names) and all(name in given for name in names):
        return [given[name] for name in names]
    numbers = {key.split("_")[0]: key for key in given if re.match(r"\d+_", key)}
    if numbers and all(name.split("_")[0] in numbers for name in names):
        return [given[numbers[name.split("_")[0]]] for name in names]
    if len(given) != len(names):
        raise ValueError(f"{len(given)} arrays for {names}")
    return [given[key] for key in in_order(given)]


def compacted(program, case, options, folder):
    """The case made smaller, and what the program itself makes of that."""
    small, outputs = folder / "small.wbm", folder / "small.npz"
    commands = [
        ["compact", case.model, *options, "-o", small, *case.options],
        ["run", small, "--inputs", case.inputs, "--outputs", outputs]]
    for words in commands:
        done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
        if done.returncode:
            raise Refused(" ".join(done.stderr.split())[-200:])
    return Case(case.group, case.name, small, case.inputs, outputs, (), case.noise)


def export(program, case, target, options):
    """Writes the model, or says why it is refused."""
    command = [program, "export", str(case.model), "-o", str(target), *case.options, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    case.notes = done.stderr
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        if target.exists():
            raise AssertionError(f"exit {done.returncode} left a file: {lines}")
        if done.returncode != 3:
            raise AssertionError(f"exit {done.returncode}: {lines}")
        raise Refused(" ".join(line.strip() for line in lines[-2:])[:300])


def turned(array, shape):
    """An array with its channels first, where the shape says so and the array has them last."""
    if array.ndim < 4 or array.ndim != len(shape):
        return array
    known = [extent if isinstance(extent, int) else None for extent in shape]
    other = numpy.moveaxis(array, -1, 1)
    fits = [all(a in (None, b) for a, b in zip(known, form.shape)) for form in (array, other)]
    return other if fits == [False, True] else array


def compare(name, got, want, bound, noise):
    """Raises when an output is not what it should be."""
    if got.size != want.size or (got.shape != want.shape and want.ndim == got.ndim):
        raise AssertionError(f"{name} is {got.shape}, not {want.shape}")
    got = got.astype(numpy.float64).reshape(-1)
    want = want.astype(numpy.float64).reshape(-1)
    inside = numpy.isfinite(want)
    if not numpy.array_equal(numpy.isfinite(got), inside):
        raise AssertionError(f"{name} is not finite at other places")
    if not numpy.array_equal(got[~inside], want[~inside], equal_nan=True):
        raise AssertionError(f"{name} has infinities and NaN at each other's places")
    if not inside.any():
        return
    distance = numpy.abs(got[inside] - want[inside]).max()
    error = distance / max(1, numpy.abs(want[inside]).max())
    if error > bound and distance > 1.01 * noise:
        raise AssertionError(f"{name} differs by {error:.2g}")


def apart(peer, check, *arguments):
    """Runs `check` in a process of its own, which a fault in the peer may end."""
    process = multiprocessing.get_context("fork")
    (receiver, sender) = process.Pipe(duplex=False)

    def work():
        try:
            check(*arguments)
            sender.send("")
        except Exception as error:  # pylint: disable=broad-except
            sender.send(str(error) or repr(error))

    child = process.Process(target=work)
    child.start()
    sender.close()
    try:
        problem = receiver.recv()
    except EOFError:
        problem = f"{peer} crashes"
    child.join()
    if problem:
        raise AssertionError(problem)


def parser():
    """The options that all peers take."""
    result = argparse.ArgumentParser()
    result.add_argument("program")
    result.add_argument("--fixtures", type=pathlib.Path, default=ROOT / "../shared/fixtures")
    result.add_argument("--only", default="")
    result.add_argument("--verbose", action="store_true")
    smaller = result.add_mutually_exclusive_group()
    smaller.add_argument("--compact", metavar="ENCODING", help="make the models smaller first")
    smaller.add_argument("--activations", metavar="TYPE", help="have layers compute with a type")
    return result


def run(arguments, name, options, check, floors):
    """Exports all cases and checks the files; 1 when that is not as it must be.

    name is the file's, check(case, file) raises when it is not what it should be.
    """
    smaller = [
        f"--{name}={value}" for name, value in (
            ("encoding", arguments.compact), ("activations", arguments.activations)) if value]
    if arguments.activations:
        smaller.append("--max-error=1")  # as many layers as possible
    cases = all_cases(arguments.fixtures)
    counts = collections.defaultdict(collections.Counter)
    reasons = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder) / name
        for case in cases:
            if arguments.only not in f"{case.group}/{case.name}":
                continue
            for file in pathlib.Path(folder).iterdir():
                shutil.rmtree(file) if file.is_dir() else file.unlink()
            try:
                if smaller:
                    case = compacted(arguments.program, case, smaller, pathlib.Path(folder))
                export(arguments.program, case, target, options)
                check(case, target)
                outcome = "passed"
            except Refused as error:
                outcome = "refused"
                reasons[f"refused: {error}"].append(case)
            except NotRun as error:
                outcome = "not run"
                reasons[f"not run: {error}"].append(case)
            except Exception as error:  # pylint: disable=broad-except
                outcome = "failed"
                reasons[f"FAILED: {' '.join(str(error).split())[:300]}"].append(case)
            counts[case.group][outcome] += 1
            if arguments.verbose:
                print(f"{case.group}/{case.name}: {outcome}", flush=True)
    return report(counts, reasons, {} if smaller else floors)


def report(counts, reasons, floors):
    """Prints the tables; 1 when a case failed or too many of a group were refused."""
    outcomes = ("passed", "refused", "not run", "failed")
    print(f"{'group':20} {'cases':>6}" + "".join(f"{outcome:>9}" for outcome in outcomes))
    status = 0
    for group, count in counts.items():
        total = sum(count.values())
        print(f"{group:20} {total:6}" + "".join(f"{count[outcome]:9}" for outcome in outcomes))
        if count["passed"] < floors.get(group, 0) * total or count["failed"]:
            status = 1
    for reason, cases in sorted(reasons.items(), key=lambda item: -len(item[1])):
        names = ", ".join(f"{case.group}/{case.name}" for case in cases[:6])
        print(f"{len(cases):4} {reason}\n     {names}")
    return status
