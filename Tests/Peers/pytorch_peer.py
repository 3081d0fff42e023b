"""Exports every recorded model to PyTorch, loads the weights strictly into the module, runs it and
compares with what the original framework made of the same inputs.

usage: pytorch_peer.py PROGRAM [--fixtures FOLDER] [--precision float16] [--layout source]
       [--compact ENCODING] [--only TEXT] [--verbose]

PROGRAM is `weighbridge`. Models: everything in Samples, and what the folder of fixtures has, where
there is one. A case passes when max|got - want| <= 1e-4 max(1, max|want|) for each output, 2e-3 for
float16. Every module of TOOLS is also scripted, exported by `torch.export` and by
`torch.onnx.export`, read back by PROGRAM from ONNX, and trained for some steps.
"""

import importlib.util
import json
import re
import subprocess
import sys
import warnings

import numpy
import safetensors.torch
import torch

from cases import TOLERANCES, apart, arrays, compare, matched, parser, run

warnings.filterwarnings("ignore")
torch.set_num_threads(1)

FLOAT16 = 2e-3
# Shares of the cases of a group that must pass.
FLOORS = {"zoo k2": 0.9, "zoo k3": 0.9, "darknet/small": 0.95}


def ports(program, case):
    """The model's inputs and outputs in its order, and the widest tolerance of its types."""
    done = subprocess.run(
        [program, "inspect", "--json", str(case.model), *case.options], capture_output=True,
        text=True, check=True)
    model = json.loads(done.stdout)
    bound = max(
        [1e-4] + [TOLERANCES[name] for name in ("float16", "bfloat16") if f'"{name}"' in done.stdout])
    return model["inputs"], [port["name"] for port in model["outputs"]], bound


def module(target):
    """The module of a file, with its weights."""
    spec = importlib.util.spec_from_file_location("exported", target)
    python = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(python)
    net = python.Net()
    net.load_state_dict(safetensors.torch.load_file(target.with_suffix(".safetensors")), strict=True)
    return net.eval()


def fed(case, inputs, is_turned):
    """The tensors that the module takes."""
    feed = []
    for port, array in zip(inputs, matched([port["name"] for port in inputs], arrays(case.inputs))):
        array = numpy.moveaxis(array, -1, 1) if is_turned(port["name"]) else array
        kind = port["type"]["elementType"]
        kind = "float32" if kind in ("float16", "bfloat16", "float64") else kind
        feed.append(torch.from_numpy(numpy.ascontiguousarray(array).astype(kind)))
    return feed


def check(program, case, target, bound):
    inputs, outputs, least = ports(program, case)
    turned = set(re.findall(r"note: (.+) has its channels first", case.notes))
    feed = fed(case, inputs, turned.__contains__)
    net = module(target)
    with torch.no_grad():
        results = net(*feed)
    results = [results] if len(outputs) == 1 else results
    for name, got, want in zip(outputs, results, matched(outputs, arrays(case.outputs))):
        got = got.numpy()
        got = numpy.moveaxis(got, 1, -1) if name in turned else got
        compare(name, got, numpy.asarray(want), max(bound, least), case.noise)


def main():
    options = parser()
    options.add_argument("--precision")
    options.add_argument("--layout")
    arguments = options.parse_args()
    given = [
        f"--{name}={value}" for name, value in
        (("precision", arguments.precision), ("layout", arguments.layout)) if value]
    bound = FLOAT16 if arguments.precision == "float16" else 1e-4
    return run(
        arguments, "model.py", given,
        lambda case, target: apart("PyTorch", check, arguments.program, case, target, bound), FLOORS)


if __name__ == "__main__":
    sys.exit(main())
