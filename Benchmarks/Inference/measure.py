"""Measures how fast Weighbridge and other tools run models, side by side.

    python measure.py PROGRAM FOLDER [--models tinyyolo,...] [--threads 1,2] [--batches 1,8] [--rounds 5]
        [--busy 0]

FOLDER contains the output of `prepare.py` for each model. The tools run in separate processes, one after the other,
round after round, so that other load on the machine affects all of them; a tool's result is the median of its rounds'
medians. The geometric mean of the last column follows. A second table is for whole processes: the time from a model
that is not in the system's cache to the first output, and the peak resident memory.

With `--busy N`, N other processes compute all the time. The last columns then have each tool's slowest run of all, divided
by its median, and there is no second table.
"""
import argparse
import contextlib
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
    """Returns the idle time and the total time of all processors since boot."""
    with open("/proc/stat") as file:
        times = [int(number) for number in file.readline().split()[1:9]]
    return times[3] + times[4], sum(times)


def wait_until_idle(patience, limit=0.1):
    """Waits until the processors are nearly idle for two seconds, including load from other machines that share
    them; at most for the given number of seconds."""
    end = time.time() + patience
    while True:
        idle, total = processor_times()
        time.sleep(2)
        now_idle, now_total = processor_times()
        if now_total - total - (now_idle - idle) <= limit * (now_total - total):
            return
        if time.time() > end:
            return


@contextlib.contextmanager
def busy_processes(count):
    """Keeps the given number of processes busy computing."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


class Bench:
    """The program and the folder of models to measure."""

    def __init__(self, arguments):
        self.program, self.folder = arguments.program, arguments.folder
        self.rounds, self.count = arguments.rounds, arguments.count
        self.tools, self.patience = arguments.tools.split(","), arguments.patience
        self.busy, self.ratios = arguments.busy, []

    def command(self, tool, name, batch, threads, count):
        """Returns the command that runs a model a number of times."""
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
        """Returns the median and the maximum of a tool's times in milliseconds; None when it cannot run the model."""
        result = subprocess.run(
            self.command(tool, name, batch, threads, self.count), capture_output=True, text=True,
            env=dict(os.environ, OMP_NUM_THREADS=str(threads)))
        if result.returncode:
            return None
        times = json.loads(result.stdout)
        return times["median_ms"], times["max_ms"]

    def cold(self, tool, name, threads):
        """Returns the time in milliseconds and the resident megabytes of a process that runs a cold model once."""
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
        """Returns the results of each tool's rounds, without the tools that cannot run the model."""
        wait_until_idle(self.patience)
        found = {tool: [] for tool in self.tools}
        with busy_processes(self.busy):
            for _ in range(self.rounds):
                for tool in self.tools:
                    value = measure(tool)
                    if value is not None:
                        found[tool].append(value)
        return {tool: values for tool, values in found.items() if values}

    def steady_row(self, name, batch, threads):
        """Returns a row of the first table."""
        found = self.in_turn(lambda tool: self.steady(tool, name, batch, threads))
        medians = {tool: statistics.median(median for median, _ in times) for tool, times in found.items()}
        cells = [f"{medians[t]:.2f} ms" if t in medians else "cannot" for t in self.tools]
        slowest = [f"{max(t for _, t in found[tool]) / medians[tool]:.2f}" if tool in found else "" for tool in self.tools]
        own, peers = medians.pop("weighbridge", None), medians
        if own is None or not peers:
            return [name, str(batch), str(threads), *cells, *[""] * len(self.comparisons())]
        self.ratios.append(own / min(peers.values()))
        ratios = [own / peers["onnxruntime"] if "onnxruntime" in peers else None, self.ratios[-1]]
        cells += [f"{ratio:.2f}" if ratio else "" for ratio in ratios]
        return [name, str(batch), str(threads), *cells, *(slowest if self.busy else [])]

    def comparisons(self):
        """Returns the titles of the last columns."""
        slowest = [f"{tool}: slowest / median" for tool in self.tools] if self.busy else []
        return ["ours / onnxruntime", "ours / the fastest", *slowest]

    def cold_row(self, name, threads):
        """Returns a row of the second table."""
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
    parser.add_argument("--busy", type=int, default=0)
    arguments = parser.parse_args()
    bench = Bench(arguments)
    threads = [int(count) for count in arguments.threads.split(",")]
    names = [
        name for name in arguments.models.split(",")
        if os.path.exists(f"{arguments.folder}/{name}.wbm")]
    line(["model", "batch", "threads", *bench.tools, *bench.comparisons()])
    line(["---"] * 3 + ["---:"] * len(bench.tools + bench.comparisons()))
    for name in names:
        for batch in arguments.batches.split(","):
            for count in threads:
                line(bench.steady_row(name, int(batch), count))
    if bench.ratios:
        print(f"\ngeometric mean of ours / the fastest: {statistics.geometric_mean(bench.ratios):.3f}")
    if bench.busy:
        return
    print()
    line(["cold model to first output", "threads", *bench.tools])
    line(["---"] * 2 + ["---:"] * len(bench.tools))
    for name in names:
        line(bench.cold_row(name, threads[-1]))


if __name__ == "__main__":
    main()
