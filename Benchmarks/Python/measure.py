"""Measures the overhead of Python compared with the program: running, importing, opening.

    python measure.py [--program PROGRAM] [--rounds N]

Run by the interpreter of an environment with the wheel (`make bench-python`). Running is compared with `weighbridge run
--repeat` on the same inputs, taking turns, round after round: by the medians of the rounds' medians, and by the minimum
of all, which is more meaningful when other programs are running. The networks are Tiny YOLO (YOLOv2's, 20 classes) and
a dense one of 4,096 weights, both with random weights; the model of 1 GB is one dense layer.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy

import weighbridge

CONVOLUTION = "[convolutional]\nbatch_normalize=1\nfilters={}\nsize=3\nstride=1\npad=1\nactivation=leaky\n"
POOLING = "[maxpool]\nsize=2\nstride={}\n"


def tiny_yolo():
    parts = ["[net]\nwidth=416\nheight=416\nchannels=3\n"]
    for filters, stride in [(16, 2), (32, 2), (64, 2), (128, 2), (256, 2), (512, 1)]:
        parts += [CONVOLUTION.format(filters), POOLING.format(stride)]
    parts += [CONVOLUTION.format(1024)] * 2
    parts.append("[convolutional]\nfilters=125\nsize=1\nstride=1\npad=1\nactivation=linear\n")
    return "".join(parts)


def dense(inputs, outputs):
    return (
        f"[net]\ninputs={inputs}\nbatch=1\n[connected]\noutput={outputs}\nactivation=linear\n")


def make(program, folder, name, text):
    """Makes a .wbm file of a network with random weights."""
    source, target = folder / f"{name}.cfg", folder / f"{name}.wbm"
    source.write_text(text)
    subprocess.run(
        [program, "convert", source, "-o", target, "--random-weights", "1", "--quiet"], check=True)
    return target


def run_program(program, path, inputs, threads, repetitions):
    done = subprocess.run(
        [program, "run", path, "--inputs", inputs, "--threads", str(threads), "--repeat", str(repetitions),
         "--json", "--quiet"], check=True, capture_output=True, text=True)
    timing = json.loads(done.stdout)
    return timing["median_ms"], timing["min_ms"]


def run_python(session, inputs, repetitions):
    session.run(inputs)
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        session.run(inputs)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000, min(times) * 1000


def compare(program, folder, name, path, threads, repetitions, rounds):
    with weighbridge.open(path) as model, model.session(threads=threads) as session:
        port = model.inputs[0]
        shape = [size or 1 for size in port.shape]
        array = numpy.random.default_rng(1).random(shape, dtype="float32")
        numpy.save(folder / "input.npy", array)
        pairs = [
            (run_program(program, path, folder / "input.npy", threads, repetitions),
             run_python(session, {port.name: array}, repetitions))
            for _ in range(rounds)]
    for position, summary, what in [(0, statistics.median, "median"), (1, min, "least")]:
        theirs, ours = (summary(figures[position] for figures in column) for column in zip(*pairs))
        print(
            f"| run, {name}, {threads} threads, {what} | {theirs:.3f} ms | {ours:.3f} ms | "
            f"{(ours - theirs) * 1000:+.0f} us, {(ours / theirs - 1) * 100:+.1f} % |", flush=True)


def measure_import(rounds):
    def milliseconds(program):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True)
        return (time.perf_counter() - start) * 1000

    times = [(milliseconds("pass"), milliseconds("import weighbridge")) for _ in range(rounds)]
    nothing, package = (statistics.median(column) for column in zip(*times))
    print(f"| import weighbridge | | {package - nothing:.1f} ms | limit 60 ms |", flush=True)


def measure_opening(path, rounds):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        model = weighbridge.open(path)
        times.append((time.perf_counter() - start) * 1000)
        model.close()
    size = os.path.getsize(path) / 1e9
    print(
        f"| open, {size:.2f} GB | | {statistics.median(times):.2f} ms (first {times[0]:.2f}) | "
        "limit 20 ms |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=str(Path(sys.executable).parent / "weighbridge"))
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    print(f"weighbridge {weighbridge.version()}, Python {sys.version.split()[0]}, numpy {numpy.__version__}, "
          f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    print("| what | program | Python | |\n|---|---:|---:|---|")
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", ".")) as name:
        folder, program = Path(name), arguments.program
        yolo = make(program, folder, "tiny-yolo", tiny_yolo())
        for threads in range(1, os.cpu_count() + 1):
            compare(program, folder, "Tiny YOLO", yolo, threads, 20, arguments.rounds)
        small = make(program, folder, "dense", dense(64, 64))
        compare(program, folder, "dense 64 x 64", small, 1, 2000, arguments.rounds)
        measure_import(3 * arguments.rounds)
        measure_opening(make(program, folder, "large", dense(16384, 16384)), 3 * arguments.rounds)


if __name__ == "__main__":
    main()
