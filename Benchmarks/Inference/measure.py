"""Measures how fast Weighbridge and other tools run models, side by side.

    python measure.py PROGRAM FOLDER [--models tinyyolo,...] [--threads 1,2] [--batches 1,8] [--rounds 5]

FOLDER holds for each model what `prepare.py` makes. Every tool runs in a process of its own, one after
the other, round after round, so that whatever else the machine does meets all of them; a tool's result
is the median of its rounds' medians. A second table has whole processes: from a model that is not in
the system's cache to the first output, and the most memory that was resident.
"""
import argparse
import glob
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

MODELS = "tinyyolo,yolov3-tiny,mobilenetv2,resnet50,inceptionv3,lstm,unet"
TOOLS = "weighbridge,onnxruntime,openvino,ncnn,opencv"


def processor_times():
    """The times of all processors since the start: those without work, and all."""
    with open("/proc/stat") as file:
        times = [int(number) for number in file.readline().split()[1:9]]
    return times[3] + times[4], sum(times)


def wait_until_idle(patience, limit=0.1):
    """Waits for two seconds in which the processors have next to no work, of this machine or of others
    that share them; for so many seconds at most."""
    end = time.time() + patience
    while True:
        idle, total = processor_times()
        time.sleep(2)
        now_idle, now_total = processor_times()
        if now_total - total - (now_idle - idle) <= limit * (now_total - total):
            return
        if time.time() > end:
            return


class Bench:
    """What is measured: the program and the folder of models."""

    def __init__(self, arguments):
        self.program, self.folder = arguments.program, arguments.folder
        self.rounds, self.count = arguments.rounds, arguments.count
        self.tools, self.patience = arguments.tools.split(","), arguments.patience

    def command(self, tool, name, batch, threads, count):
        """A process that runs a model so many times."""
        model = f"{self.folder}/{name}"
        inputs = f"{model}-{batch}.npy"
        if tool != "weighbridge":
            peer = pathlib.Path(__file__).with_name("peer.py")
            return [sys.executable, str(peer), tool, model, inputs, str(threads), str(count)]
        options = ["--repeat", str(count), "--json"] if count > 1 else [
            "--outputs", f"{tempfile.gettempdir()}/outputs-{os.getpid()}.npz"]
        return [self.program, "run", f"{model}.wbm", "--inputs", inputs,
                "--threads", str(threads), *options]

    def steady(self, tool, name, batch, threads):
        """The median of a tool's runs in milliseconds; None when it cannot run the model."""
        result = subprocess.run(
            self.command(tool, name, batch, threads, self.count), capture_output=True, text=True,
            env=dict(os.environ, OMP_NUM_THREADS=str(threads)))
        return json.loads(result.stdout)["median_ms"] if result.returncode == 0 else None

    def cold(self, tool, name, threads):
        """The milliseconds and the resident megabytes of a process that runs a cold model once."""
        for file in glob.glob(f"{self.folder}/{name}.*"):
            with open(file, "rb") as opened:
                os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        start = time.perf_counter()
        process = subprocess.Popen(
            self.command(tool, name, 1, threads, 1), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=dict(os.environ, OMP_NUM_THREADS=str(threads)))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        if status:
            return None
        return (time.perf_counter() - start) * 1e3, usage.ru_maxrss / 1024

    def in_turn(self, measure):
        """What each tool's rounds gave, without the tools that cannot."""
        wait_until_idle(self.patience)
        found = {tool: [] for tool in self.tools}
        for _ in range(self.rounds):
            for tool in self.tools:
                value = measure(tool)
                if value is not None:
                    found[tool].append(value)
        return {tool: values for tool, values in found.items() if values}

    def steady_row(self, name, batch, threads):
        """A line of the first table."""
        found = self.in_turn(lambda tool: self.steady(tool, name, batch, threads))
        medians = {tool: statistics.median(values) for tool, values in found.items()}
        cells = [f"{medians[t]:.2f} ms" if t in medians else "cannot" for t in self.tools]
        ratio = ""
        if "weighbridge" in medians and "onnxruntime" in medians:
            ratio = f"{medians['weighbridge'] / medians['onnxruntime']:.2f}"
        return [name, str(batch), str(threads), *cells, ratio]

    def cold_row(self, name, threads):
        """A line of the second table."""
        found = self.in_turn(lambda tool: self.cold(tool, name, threads))
        cells = []
        for tool in self.tools:
            if tool not in found:
                cells.append("cannot")
                continue
            times, sizes = zip(*found[tool])
            cells.append(f"{statistics.median(times):.0f} ms, {statistics.median(sizes):.0f} MB")
        return [name, str(threads), *cells]


def line(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--tools", default=TOOLS)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--batches", default="1,8")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--patience", type=float, default=600)
    arguments = parser.parse_args()
    bench = Bench(arguments)
    threads = [int(count) for count in arguments.threads.split(",")]
    names = [
        name for name in arguments.models.split(",")
        if os.path.exists(f"{arguments.folder}/{name}.wbm")]
    line(["model", "batch", "threads", *bench.tools, "ours / onnxruntime"])
    line(["---"] * 3 + ["---:"] * (len(bench.tools) + 1))
    for name in names:
        for batch in arguments.batches.split(","):
            for count in threads:
                line(bench.steady_row(name, int(batch), count))
    print()
    line(["cold model to first output", "threads", *bench.tools])
    line(["---"] * 2 + ["---:"] * len(bench.tools))
    for name in names:
        line(bench.cold_row(name, threads[-1]))


if __name__ == "__main__":
    main()
