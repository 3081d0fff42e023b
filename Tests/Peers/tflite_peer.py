"""Exports every recorded model to TFLite, runs the files in LiteRT and compares with what the
original framework made of the same inputs.

usage: tflite_peer.py PROGRAM [--fixtures FOLDER] [--precision float16] [--compact ENCODING]
       [--activations int8] [--without-delegate] [--only TEXT] [--verbose]

PROGRAM is `weighbridge`. Models: everything in Samples, and what the folder of fixtures has, where
there is one. A case passes when max|got - want| <= 1e-4 max(1, max|want|) for each output, 2e-3 for
float16. Where layers compute with 8-bit integers (--activations int8), sums that are rounded to
another integer may differ by one step of 255 over the output's range, with what the program itself
computes. The interpreter is that of ai-edge-litert, or of tflite-runtime where only that is
installed; XNNPACK computes what it can unless it is switched off. Every operator has to be one of
the interpreter's own.
"""

import re
import sys

import numpy

from cases import apart, arrays, compare, matched, names, parser, ports, run

try:
    from ai_edge_litert import interpreter as litert
except ImportError:
    from tflite_runtime import interpreter as litert

FLOAT16 = 2e-3
# Shares of the cases of a group that must pass.
FLOORS = {"zoo k2": 0.9, "zoo k3": 0.9, "darknet/small": 0.9}


def step(numbers):
    """The difference between neighbors of 256 numbers over a range, which contains 0."""
    return (max(0, numbers.max()) - min(0, numbers.min())) / 255


def check(program, case, target, bound, has_delegate, has_integers):
    """Runs the file twice through its signature, by the model's own names: nothing may be left of the
    first run."""
    inputs, outputs, least = ports(program, case)
    inputs = names(inputs)
    others = dict(re.findall(r"the output (.+) is called (\S+)", case.notes))
    results = {name: others.get(name, name) for name in outputs}
    resolver = litert.OpResolverType.AUTO if has_delegate else (
        litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    network = litert.Interpreter(
        str(target), num_threads=1, experimental_op_resolver_type=resolver)
    runner = network.get_signature_runner("serving_default")
    details = runner.get_input_details()
    if set(details) != set(inputs) or set(runner.get_output_details()) != set(results.values()):
        given = [*details, *runner.get_output_details()]
        raise AssertionError(f"the signature has {given}, and the model {inputs + outputs}")
    turned = set(re.findall(r"note: (.+) has its channels last", case.notes))
    feed = {
        name: (numpy.moveaxis(array, 1, -1) if name in turned else array).astype(
            details[name]["dtype"])
        for name, array in zip(inputs, matched(inputs, arrays(case.inputs)))}
    wanted = matched(outputs, arrays(case.outputs))
    for run_name in ("", " in the second run"):
        got = runner(**feed)
        for name, want in zip(outputs, wanted):
            array = got[results[name]]
            array = numpy.moveaxis(array, -1, 1) if name in turned else array
            noise = max(case.noise, step(want)) if has_integers else case.noise
            compare(name + run_name, array, numpy.asarray(want), max(bound, least), noise)


def main():
    options = parser()
    options.add_argument("--precision")
    options.add_argument("--without-delegate", action="store_true")
    arguments = options.parse_args()
    given = [f"--precision={arguments.precision}"] if arguments.precision else []
    bound = FLOAT16 if arguments.precision == "float16" else 1e-4
    return run(
        arguments, "model.tflite", given,
        lambda case, target: apart(
            "LiteRT", check, arguments.program, case, target, bound,
            not arguments.without_delegate, arguments.activations == "int8"), FLOORS)


if __name__ == "__main__":
    sys.exit(main())
