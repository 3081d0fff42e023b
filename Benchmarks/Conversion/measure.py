"""Measures converting a Keras model as a whole process, compared with `cp` and two converters in Python.

    python measure.py PROGRAM MODEL.h5 [--rounds 3]

All commands take turns, round after round, writing to new names; the figures are medians. The other tools' outputs are
not checked.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def commands(program, model, folder):
    """Returns the rows to measure, each with its name, its command and its output."""
    def python(tool, output):
        return [sys.executable, str(pathlib.Path(__file__).with_name("convert.py")), tool, model,
                f"{folder}/{output}"]
    def weighbridge(output):
        return [program, "export", model, "--output", f"{folder}/{output}"]
    return [
        ("cp", ["cp", model, f"{folder}/copy"], "copy"),
        ("weighbridge export, .mlmodel", weighbridge("own.mlmodel"), "own.mlmodel"),
        ("coremltools, .mlmodel", python("coremltools", "peer.mlmodel"), "peer.mlmodel"),
        ("weighbridge export, .onnx", weighbridge("own.onnx"), "own.onnx"),
        ("tf2onnx, .onnx", python("tf2onnx", "peer.onnx"), "peer.onnx"),
        ("weighbridge export, .tflite", weighbridge("own.tflite"), "own.tflite"),
    ]


def run(command):
    """Returns the time in milliseconds and the resident megabytes of a process; None when it fails."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        print(f"{command[:4]} failed:\n{errors[-600:]}", file=sys.stderr)
        return None
    return (time.perf_counter() - start) * 1e3, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("model")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    times, memory = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        rows = commands(os.path.abspath(arguments.program), arguments.model, folder)
        for _ in range(arguments.rounds):
            for name, command, output in rows:
                result = run(command)
                pathlib.Path(folder, output).unlink(missing_ok=True)
                if result:
                    times.setdefault(name, []).append(result[0])
                    memory.setdefault(name, []).append(result[1])
    print("| command | wall ms | x cp | resident MB |\n|---|---:|---:|---:|")
    for name, _, _ in rows:
        if name not in times:
            print(f"| {name} | fails | | |")
            continue
        median = statistics.median(times[name])
        ratio = median / statistics.median(times["cp"])
        print(f"| {name} | {median:,.0f} | {ratio:,.1f} | {max(memory[name]):,.0f} |")


if __name__ == "__main__":
    main()
