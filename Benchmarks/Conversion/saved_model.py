"""Measures converting ResNet50 from a SavedModel, a checkpoint and TensorFlow.js' form, compared with the same model's .h5.

    python saved_model.py PROGRAM [--rounds 7] [--folder FOLDER]

Needs TensorFlow 2.0 to 2.15, which writes the files once, with random weights (98 MB each). All commands take turns, round
after round; the figures are medians. The anonymous memory, without pages of mapped files, is read from /proc every millisecond.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time


def write(folder):
    """Writes the model in three forms."""
    import tensorflow as tf
    model = tf.keras.applications.ResNet50(weights=None)
    model.save(folder / "model.h5", save_format="h5")
    model.save(folder / "saved_model", save_format="tf")
    model.save_weights(folder / "weights", save_format="tf")
    (folder / "architecture.json").write_text(model.to_json())


def anonymous(process):
    """The megabytes of a process that are no pages of files; 0 when it has ended."""
    try:
        lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


def run(command):
    """The milliseconds that a command takes, those of the processor, and its largest anonymous memory in megabytes."""
    start, largest = time.perf_counter(), 0
    process = subprocess.Popen(command)
    while True:
        largest = max(largest, anonymous(process))
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        time.sleep(0.001)
    if status:
        raise SystemExit(f"{command} failed")
    return (time.perf_counter() - start) * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3, largest


def measure(program, folder, rounds):
    sources = {
        ".h5": ["model.h5"], "SavedModel": ["saved_model"],
        "checkpoint": ["weights.index", "--architecture", str(folder / "architecture.json")],
        "TensorFlow.js": ["tfjs"],
    }
    output = folder / "model.wbm"
    if not (folder / "tfjs").exists():
        subprocess.run(
            [program, "export", folder / "model.h5", "-o", folder / "tfjs", "--to", "tfjs", "--quiet"], check=True)
    results = {name: [] for name in sources}
    for _ in range(rounds):
        for name, (source, *options) in sources.items():
            output.unlink(missing_ok=True)
            results[name].append(
                run([program, "convert", folder / source, *options, "-o", output, "--quiet"]))
    medians = {
        name: [statistics.median(run[index] for run in runs) for index in range(2)]
        for name, runs in results.items()}
    print("| source | wall ms | x .h5 | processor ms | x .h5 | anonymous MB |\n|---|---:|---:|---:|---:|---:|")
    for name, runs in results.items():
        columns = [
            f"{value:.0f} | {value / base:.2f}" for value, base in zip(medians[name], medians[".h5"])]
        print(f"| {name} | {' | '.join(columns)} | {max(run[2] for run in runs):.0f} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--folder", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or pathlib.Path(temporary)
        if not (folder / "architecture.json").exists():
            write(folder)
        measure(arguments.program, folder, arguments.rounds)


if __name__ == "__main__":
    main()
