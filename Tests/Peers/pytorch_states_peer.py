"""Has several versions of PyTorch save the weights of exported models, and reads them back onto the original.

usage: pytorch_states_peer.py PROGRAM PYTHON... [--fixtures FOLDER] [--only TEXT] [--count N]

PROGRAM is `weighbridge`, and each PYTHON an interpreter with some version of PyTorch. The first N models of
each group that can be exported are taken (10). A case passes when the file of every version, with the original
and with its .wbm and ONNX forms as the architecture, gives a model that `diff` finds equal to that architecture,
and that is exported with the same weights again. Of mixed precision a module has the weights as they are rounded
for a layer, so that there only the latter can hold. An ONNX file may have constants that no module has: where the
tensors cannot be told from them, PROGRAM refuses and wants the names, which is counted.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import torch

from cases import all_cases, parser
from pytorch_peer import module

# Runs in versions that know neither safetensors nor today's Python. NumPy has no bfloat16, whose values float32
# has, too.
WRITER = """
import collections, sys
import numpy, torch
print(torch.__version__)
sys.stdout.flush()
for line in sys.stdin:
    source, target = line.split()
    arrays = numpy.load(source)
    state = collections.OrderedDict()
    lacking = []
    for index, (name, kind) in enumerate(zip(arrays["names"], arrays["kinds"])):
        try:
            state[str(name)] = torch.from_numpy(arrays["array%d" % index]).to(getattr(torch, str(kind)))
        except (AttributeError, TypeError):
            lacking.append(str(kind))
    if not lacking:
        torch.save(state, target)
    print(" ".join(lacking))
    sys.stdout.flush()
"""
NOT_EXPORTED = 3
# What the program says where it does not know which tensor is which weight.
UNMATCHED = ("give the names", "has no tensors for")


class Refused(Exception):
    """The program has no form for the model, or cannot tell which tensor is which weight."""


class Writer:
    """A process with some version of PyTorch."""

    def __init__(self, python):
        self.process = subprocess.Popen(
            [python, "-c", WRITER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.version = self.process.stdout.readline().strip()

    def save(self, numbers, target):
        """Saves a state; False when the version has no such types."""
        print(numbers, target, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise AssertionError(f"PyTorch {self.version} ends")
        return not answer.strip()


def command(program, *words):
    """What the program prints; its messages are those of a failure."""
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        is_refused = done.returncode == NOT_EXPORTED or any(text in done.stderr for text in UNMATCHED)
        text = " ".join((done.stdout + done.stderr).split())[-300:]
        raise (Refused if is_refused else AssertionError)(f"{words[0]}: {text}")
    return done.stdout


def is_mixed(program, case):
    """Whether the model rounds weights for its layers."""
    layers = json.loads(command(program, "inspect", "--json", case.model, *case.options))["layers"]
    return any(layer["operator"] == "cast" and layer["parameters"] for layer in layers)


def save_arrays(state, target):
    """Saves the tensors, in their order, as NumPy has them."""
    kinds = [str(tensor.dtype).removeprefix("torch.") for tensor in state.values()]
    tensors = [tensor.float() if tensor.dtype == torch.bfloat16 else tensor for tensor in state.values()]
    numpy.savez(
        target, names=list(state), kinds=kinds,
        **{f"array{index}": tensor.numpy() for index, tensor in enumerate(tensors)})


def read(program, saved, form, options, folder, is_exact):
    """Reads a file onto a form of the architecture and compares the result."""
    copy, again = folder / "copy.wbm", folder / "again.py"
    command(program, "convert", saved, "--architecture", form, *options, "-o", copy)
    if is_exact:
        command(program, "diff", form, copy, *options)
    if form.suffix == ".onnx":  # its layers have other names, and so has the module
        return
    command(program, "export", copy, "-o", again)
    states = [module(path).state_dict() for path in (folder / "net.py", again)]
    if list(states[0]) != list(states[1]) or not all(map(torch.equal, *(state.values() for state in states))):
        raise AssertionError("is exported with other weights")


def check(program, writers, case, folder, counts):
    """Compares the weights through all versions and all forms of the architecture."""
    numbers, saved = folder / "state.npz", folder / "state.pth"
    save_arrays(module(folder / "net.py").state_dict(), numbers)
    command(program, "convert", case.model, "-o", folder / "net.wbm", *case.options)
    command(program, "export", case.model, "-o", folder / "net.onnx", *case.options)
    forms = [(case.model, case.options), (folder / "net.wbm", []), (folder / "net.onnx", [])]
    is_exact = not is_mixed(program, case)
    for writer in writers:
        if not writer.save(numbers, saved):
            counts[f"without the type in {writer.version}"] += 1
            continue
        for form, options in forms:
            try:
                read(program, saved, form, options, folder, is_exact)
                counts["files read"] += 1
            except (AssertionError, Refused) as error:
                if isinstance(error, Refused) and form.suffix == ".onnx":
                    counts["refused onto ONNX"] += 1
                    continue
                raise AssertionError(f"PyTorch {writer.version}, {form.suffix}: {error}") from error


def main():
    options = parser()
    options.add_argument("pythons", nargs="+")
    options.add_argument("--count", type=int, default=10)
    arguments = options.parse_args()
    program, failures = arguments.program, []
    groups = collections.defaultdict(collections.Counter)
    writers = [Writer(python) for python in arguments.pythons]
    for case in all_cases(arguments.fixtures):
        counts = groups[case.group]
        is_known = "--architecture" not in case.options and arguments.only in f"{case.group}/{case.name}"
        if not is_known or counts["equal"] >= arguments.count:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            try:
                command(program, "export", case.model, "-o", folder / "net.py", *case.options)
            except Refused:
                continue
            try:
                check(program, writers, case, folder, counts)
                counts["equal"] += 1
            except (AssertionError, Refused) as error:
                failures.append(f"{case.group}/{case.name}: {error}")
            if arguments.verbose:
                print(f"{case.group}/{case.name}: {dict(counts)}", flush=True)
    print("PyTorch", ", ".join(writer.version for writer in writers))
    for group, counts in groups.items():
        if counts:
            print(f"{group:20} " + ", ".join(f"{number} {what}" for what, number in counts.items()))
    print(*failures, sep="\n")
    return 1 if failures or not any(counts["equal"] for counts in groups.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
