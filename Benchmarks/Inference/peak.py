"""Compares the convolutions of a model with the processor's peak performance, on one thread.

    python peak.py PROGRAM MODEL.wbm INPUTS.npy FMAPEAK [--rounds 9]

FMAPEAK is the program in `Benchmarks/Sources/FMAPeak`, which multiplies and adds in registers. Both take turns; the
figures are medians. Convolutions of less than 0.1 GFLOP are left out.
"""
import argparse
import json
import statistics
import subprocess


def profile(arguments):
    """Returns the layers of one run."""
    result = subprocess.run(
        [arguments.program, "run", arguments.model, "--inputs", arguments.inputs, "--threads", "1",
         "--profile", "--json"], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)["layers"]


def main():
    parser = argparse.ArgumentParser()
    for name in ("program", "model", "inputs", "fmapeak"):
        parser.add_argument(name)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    peaks, times, layers = [], {}, {}
    for _ in range(arguments.rounds):
        peaks.append(float(subprocess.check_output([arguments.fmapeak], text=True)))
        for layer in profile(arguments):
            if layer["operations"] >= 1e8 and ("conv" in layer["kernel"] or layer["fused"]):
                layers[layer["name"]] = layer
                times.setdefault(layer["name"], []).append(layer["ms"])
    peak = statistics.median(peaks)
    print(f"FMA peak of a core: {peak:.0f} GFLOP/s\n")
    print("| layer | kernel | GFLOP | ms | GFLOP/s | of the peak |\n|---|---|---:|---:|---:|---:|")
    total = [0, 0]
    for name, layer in sorted(layers.items(), key=lambda item: -statistics.median(times[item[0]])):
        operations, milliseconds = layer["operations"], statistics.median(times[name])
        total = [total[0] + operations, total[1] + milliseconds]
        row(name, layer["kernel"], operations, milliseconds, peak)
    row("all", "", *total, peak)


def row(name, kernel, operations, milliseconds, peak):
    speed = operations / milliseconds / 1e6
    print(f"| {name} | {kernel} | {operations / 1e9:.2f} | {milliseconds:.2f} | {speed:.0f} |"
          f" {speed / peak:.0%} |")


if __name__ == "__main__":
    main()
