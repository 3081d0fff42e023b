#!/usr/bin/env python3
"""Measures the cost of reading compacted weights compared with plain ones.

usage: decode.py PROGRAM MODEL.wbm...

For each model and each encoding: the elements that one core decodes per second, from the additional processor time of a
run of the compacted file compared with the run of the plain file right before or after it; and the time of a whole
process on all cores, from a file that is not in the system's cache to the first output. Commands take turns, round
after round; the figures are medians, for the rate with its quartiles.
"""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ENCODINGS = {
    "plain": None, "lossless": ["--lossless"], "integers, error 0.01": ["--max-error", "0.01", "--no-proof"],
    "int8": ["--encoding", "int8", "--no-proof"]}
ROUNDS = int(os.environ.get("ROUNDS", 25))


def run(program, path, *options):
    """Returns the processor time and the wall time in seconds of a process that runs a model once."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([program, "run", path, "--inputs", "random:1", "--quiet", "--outputs", path.with_suffix(".npz"),
                    *options], check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def cold(program, path):
    """Returns the wall time in seconds of a process that runs a model that is not in the cache."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return run(program, path)[1]


def rates(count, compacted, plain):
    """Returns the elements per second, as the median and the quartiles, from the rounds' additional time over plain
    ones."""
    slow, middle, fast = reversed(statistics.quantiles((own - base for own, base in zip(compacted, plain)), n=4))
    numbers = [f"{count / more / 1e6:.0f}" if more > 0 else "any" for more in (middle, slow, fast)]
    return "{} million ({} to {})".format(*numbers)


def main():
    program, *models = sys.argv[1:]
    print("| model | weights | MB | numbers a second and core | first output from a cold file, ms |")
    print("|---|---|---:|---:|---:|")
    for model in models:
        with tempfile.TemporaryDirectory() as folder:
            files, counts = {}, {}
            for number, (name, options) in enumerate(ENCODINGS.items()):
                files[name] = pathlib.Path(folder, f"{number}.wbm")
                if options is None:
                    files[name].write_bytes(pathlib.Path(model).read_bytes())
                    continue
                subprocess.run([program, "compact", model, "-o", files[name], *options], check=True,
                               capture_output=True)
            described = subprocess.run([program, "inspect", files["plain"], "--json"], check=True,
                                       capture_output=True, text=True)
            count = json.loads(described.stdout)["weights"]["bytes"] // 4
            warm = {name: [] for name in files}
            first = {name: [] for name in files}
            for _ in range(ROUNDS):
                for name, path in files.items():
                    warm[name].append(run(program, path, "--threads", "1")[0])
                    first[name].append(cold(program, path))
            for name, path in files.items():
                rate = "" if name == "plain" else rates(count, warm[name], warm["plain"])
                print(f"| {pathlib.Path(model).stem} | {name} | {path.stat().st_size / 1e6:.1f} | {rate} | "
                      f"{1000 * statistics.median(first[name]):.0f} |", flush=True)


if __name__ == "__main__":
    main()
