"""Exports every recorded model to PyTorch, loads the weights strictly into the module, runs it and
compares with what the original framework made of the same inputs.

usage: pytorch_peer.py PROGRAM [--fixtures FOLDER] [--precision float16] [--layout source]
       [--compact ENCODING] [--tools] [--only TEXT] [--verbose]

PROGRAM is `weighbridge`. Models: everything in Samples, and what the folder of fixtures has, where
there is one. A case passes when max|got - want| <= 1e-4 max(1, max|want|) for each output, 2e-3 for
float16, or more if the module is that of float32 but for matrices that are rounded; of whole numbers, one
of a hundred may be another one by 1 where PROGRAM says that an interpolation is rounded. With --tools, each
module also passes ruff and mypy --strict, is scripted, and exported by `torch.export` and
`torch.onnx.export`, whose file PROGRAM reads and runs; a few training steps lower a loss; and PROGRAM
reads what PyTorch saves of it onto the original, bit for bit (but of mixed precision).
"""

import importlib.util
import pathlib
import re
import subprocess
import sys
import warnings

import numpy
import safetensors.torch
import torch

from cases import apart, arrays, compare, export, matched, parser, ports, run

warnings.filterwarnings("ignore")
torch.set_num_threads(1)

FLOAT16 = 2e-3
# Shares of the cases of a group that must pass.
FLOORS = {"zoo k2": 0.9, "zoo k3": 0.9, "darknet/small": 0.95}


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


def command(words):
    """Runs a program, whose messages are those of a failure."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{words[0]}: {' '.join((done.stdout + done.stderr).split())[-250:]}")


def lint(target):
    tools = pathlib.Path(sys.executable).parent
    command([tools / "ruff", "check", "--quiet", "--no-cache", target])
    command([tools / "mypy", "--strict", "--no-error-summary", target])


def through_onnx(program, net, feed, target, results, bound):
    """Exports the module as ONNX, which the program runs."""
    file, given, computed = (target.with_suffix(ending) for ending in (".onnx", ".in.npz", ".out.npz"))
    names = [f"input{position}" for position in range(len(feed))]
    torch.onnx.export(net, tuple(feed), str(file), dynamo=False, input_names=names)
    numpy.savez(given, **{name: tensor.numpy() for name, tensor in zip(names, feed)})
    command([program, "run", file, "--inputs", given, "--outputs", computed])
    for got, want in zip(arrays(computed).values(), results):
        compare("the output of the ONNX file", got, want, bound, 0)


def through_weights(program, case, net, target):
    """Saves the state in PyTorch; the program reads it onto the original, and nothing differs."""
    given = dict(zip(case.options, case.options[1:]))
    architecture = given.get("--architecture", case.model)
    options = [] if "--architecture" in given else case.options
    for ending, form in ((".pth", {}), (".old.pth", {"_use_new_zipfile_serialization": False})):
        saved, copy = target.with_suffix(ending), target.with_suffix(".wbm")
        torch.save(net.state_dict(), saved, **form)
        command([program, "convert", saved, "--architecture", architecture, *options, "-o", copy])
        command([program, "diff", case.model, copy, *case.options])


def train(net, feed):
    """Some steps on random data lower a loss, from weights of PyTorch's own: trained ones may be
    saturated."""
    net.train()
    torch.manual_seed(0)
    net.apply(lambda part: part.reset_parameters() if hasattr(part, "reset_parameters") else None)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)
    losses, wanted = [], None
    for _ in range(4):
        torch.manual_seed(1)  # the same dropout in all steps
        optimizer.zero_grad()
        results = net(*feed)
        results = [results] if isinstance(results, torch.Tensor) else results
        wanted = wanted or [torch.rand_like(result) for result in results]
        loss = sum(torch.nn.functional.mse_loss(*pair) for pair in zip(results, wanted))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    if not losses[-1] < losses[0]:
        raise AssertionError(f"training does not lower the loss: {losses}")


def check_tools(program, case, net, feed, target, results, bound):
    lint(target)
    for name, other in (
            ("torch.jit.script", torch.jit.script(net)),
            ("torch.export", torch.export.export(net, tuple(feed)).module())):
        with torch.no_grad():
            computed = other(*feed)
        computed = [computed] if isinstance(computed, torch.Tensor) else computed
        for got, want in zip(computed, results):
            compare(f"the output of {name}", got.numpy(), want, 1e-6, 0)
    through_onnx(program, net, feed, target, results, bound)
    # Of mixed precision, a module has the weights as they are rounded for a layer.
    if bound <= 1e-4 and net.state_dict():
        through_weights(program, case, net, target)
    if any(parameter.requires_grad for parameter in net.parameters()):
        train(net, feed)


def is_rounded_only(program, case, target, layout):
    """Whether a module of float16 is that of float32 but for the rounding of matrices."""
    other = target.with_name("float32.py")
    export(program, case, other, layout)
    states = [safetensors.torch.load_file(path.with_suffix(".safetensors")) for path in (target, other)]
    texts = [path.read_text().replace(f"{path.stem}.safetensors", "") for path in (target, other)]
    return texts[0] == texts[1] and states[0].keys() == states[1].keys() and all(
        torch.equal(tensor, states[1][name].to(tensor.dtype)) for name, tensor in states[0].items())


def is_rounded_otherwise(case, got, want):
    """Whether few whole numbers are the next ones, after an interpolation."""
    if "rounds an interpolation" not in case.notes or got.dtype.kind not in "iu":
        return False
    distance = numpy.abs(got.astype(numpy.int64) - want.astype(numpy.int64))
    return distance.max() <= 1 and numpy.count_nonzero(distance) <= max(1, distance.size // 100)


def check(program, case, target, bound, uses_tools, layout):
    inputs, outputs, least = ports(program, case)
    turned = set(re.findall(r"note: (.+) has its channels first", case.notes))
    feed = fed(case, inputs, turned.__contains__)
    net = module(target)
    with torch.no_grad():
        results = net(*feed)
    results = [results] if len(outputs) == 1 else results
    if uses_tools:
        check_tools(
            program, case, net, feed, target, [result.numpy() for result in results],
            max(bound, least))
    for name, got, want in zip(outputs, results, matched(outputs, arrays(case.outputs))):
        got = got.numpy()
        got = numpy.moveaxis(got, 1, -1) if name in turned else got
        want = numpy.asarray(want)
        try:
            compare(name, got, want, max(bound, least), case.noise)
        except AssertionError:
            if not is_rounded_otherwise(case, got, want) and (
                    bound != FLOAT16 or not is_rounded_only(program, case, target, layout)):
                raise


def main():
    options = parser()
    options.add_argument("--precision")
    options.add_argument("--layout")
    options.add_argument("--tools", action="store_true")
    arguments = options.parse_args()
    layout = [f"--layout={arguments.layout}"] if arguments.layout else []
    precision = [f"--precision={arguments.precision}"] if arguments.precision else []
    bound = FLOAT16 if arguments.precision == "float16" else 1e-4
    return run(
        arguments, "model.py", layout + precision,
        lambda case, target: apart(
            "PyTorch", check, arguments.program, case, target, bound, arguments.tools, layout), FLOORS)


if __name__ == "__main__":
    sys.exit(main())
