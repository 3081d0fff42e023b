"""Has several versions of PyTorch save the weights of exported models, and reads them back onto the original.

usage: pytorch_states_peer.py PROGRAM PYTHON... [--fixtures FOLDER] [--only TEXT] [--count N]

PROGRAM is `weighbridge`, and each PYTHON an interpreter with some version of PyTorch. The first N models of
each group that can be exported are taken (10). A case passes when every file, with the original and with its
.wbm and ONNX forms as the architecture, gives a model that `diff` finds equal to the original.
"""

import collections
import pathlib
import subprocess
import sys
import tempfile

from cases import all_cases, parser

# Runs in versions that know neither safetensors nor today's Python.
WRITER = """
import collections, sys
import numpy, torch
arrays = numpy.load(sys.argv[1])
names = [str(name) for name in arrays["names"]]
state = collections.OrderedDict(
    (name, torch.from_numpy(arrays["array%d" % index])) for index, name in enumerate(names))
torch.save(state, sys.argv[2])
print(torch.__version__)
"""
READER = """
import sys
import numpy, safetensors.numpy
state = safetensors.numpy.load_file(sys.argv[1])
numpy.savez(sys.argv[2], names=numpy.array(sorted(state)), **{
    "array%d" % index: state[name] for index, name in enumerate(sorted(state))})
"""


def command(words):
    """What a program prints; its messages are those of a failure."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{words[1]}: {' '.join((done.stdout + done.stderr).split())[-300:]}")
    return done.stdout.strip()


def check(program, pythons, case, folder):
    """Compares the weights through all versions and all forms of the architecture."""
    numbers = folder / "state.npz"
    command([sys.executable, "-c", READER, folder / "net.safetensors", numbers])
    forms = [(case.model, case.options)]
    for name in ("net.wbm", "net.onnx"):
        words = ["convert" if name.endswith("wbm") else "export", case.model, "-o", folder / name]
        command([program, *words, *case.options])
        forms.append((folder / name, []))
    for python in pythons:
        saved = folder / "state.pth"
        version = command([python, "-c", WRITER, numbers, saved])
        for form, options in forms:
            copy = folder / "copy.wbm"
            try:
                command(
                    [program, "convert", saved, "--architecture", form, *options, "-o", copy])
                command([program, "diff", case.model, copy, *case.options])
            except AssertionError as error:
                raise AssertionError(f"PyTorch {version}, {form.suffix}: {error}") from error


def main():
    options = parser()
    options.add_argument("pythons", nargs="+")
    options.add_argument("--count", type=int, default=10)
    arguments = options.parse_args()
    passed, failures = collections.Counter(), []
    for case in all_cases(arguments.fixtures):
        is_known = "--architecture" not in case.options and arguments.only in f"{case.group}/{case.name}"
        if not is_known or passed[case.group] >= arguments.count:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            try:
                command([arguments.program, "export", case.model, "-o", folder / "net.py", *case.options])
            except AssertionError:
                continue
            try:
                check(arguments.program, arguments.pythons, case, folder)
                passed[case.group] += 1
            except AssertionError as error:
                failures.append(f"{case.group}/{case.name}: {error}")
    for group, count in passed.items():
        print(f"{group:20} {count:4} equal")
    print("\n".join(failures))
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
