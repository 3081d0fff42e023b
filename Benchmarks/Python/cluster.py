"""Measures cluster jobs: files per second with one worker and with two, on Ray and on Spark.

    python cluster.py [--models N] [--photos N] [--rounds N]

Run by the interpreter of an environment with the wheel, Ray and Spark (`make bench-cluster`). One worker and two take
turns, so that other programs on the machine slow both alike; the figures are medians of the rounds. A process without
an engine shows the overhead of the engines. Every engine first runs a job of 20 files, and then another one, whose time
is the cost of starting workers; the files per second are for the files beyond those.
"""

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import weighbridge
import weighbridge.cluster
import weighbridge.ray
import weighbridge.spark

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Python/tests/cluster"))

import material  # noqa: E402

SAMPLE = ROOT / "Samples/Models/shape-detector"


def detector(folder):
    """Returns the shape detector of the samples, as a .wbm file."""
    anchors = [float(part) for part in (SAMPLE / "anchors.txt").read_text().replace(",", " ").split()]
    metadata = {
        "labels": (SAMPLE / "labels.names").read_text().split(),
        "inputs": [{"name": "image", "image": {"scale": 1 / 255}}],
        "detector": {"kind": "region", "anchors": anchors},
    }
    weighbridge.convert(SAMPLE / "shape-detector.h5", folder / "shapes.wbm", metadata=metadata)
    return str(folder / "shapes.wbm")


class Jobs:
    """Makes jobs, each with a separate folder for the results."""

    def __init__(self, folder, models, photos):
        self.folder, self.number = folder, 0
        material.write_models(folder / "models", models)
        material.write_photos(folder / "photos", photos, (640, 480))
        self.model = detector(folder)

    def output(self):
        self.number += 1
        return str(self.folder / f"out-{self.number}")

    def conversion(self, count=None):
        return weighbridge.cluster.Conversion(self.sources("models", count), self.output())

    def index(self, count=None):
        return weighbridge.cluster.PhotoIndex(
            self.sources("photos", count), self.output(), self.model, features="conv2d_6"
        )

    def sources(self, kind, count):
        folder = self.folder / kind
        return str(folder) if count is None else [str(path) for path in sorted(folder.glob("*/*"))[:count]]


#: The number of files in a job that shows the cost of starting.
FEW = 20


def timed(run, job):
    start = time.perf_counter()
    done = run(job)
    return time.perf_counter() - start, done


def measure(name, make, engines, rounds):
    """Prints a row for each engine: a function that returns a context manager, which gives a function to run a job."""
    results = {label: [] for label in engines}
    count = 0
    for _ in range(rounds):
        for label, engine in engines.items():
            with engine() as run:
                timed(run, make(FEW))
                start, _ = timed(run, make(FEW))
                whole, done = timed(run, make())
            count = sum(done.counts.values())
            rate = (count - FEW) / (whole - start)
            results[label].append((whole, start, rate, done.seconds / count * 1000))
    first = [rate for _, _, rate, _ in next(iter(results.values()))]
    for label, rows in results.items():
        whole, start, rate, processor = (statistics.median(column) for column in zip(*rows))
        growth = statistics.median(row[2] / one for row, one in zip(rows, first))
        print(
            f"| {name}, {label} | {count} | {whole:.1f} s | {start:.1f} s | {rate:.0f} | {growth:.2f} | "
            f"{processor:.2f} ms |", flush=True)


def alone():
    return contextlib.nullcontext(weighbridge.cluster.run)


def on_ray(actors):
    return contextlib.nullcontext(lambda job: weighbridge.ray.run(job, actors=actors))


@contextlib.contextmanager
def on_spark(workers):
    import pyspark.sql

    session = (
        pyspark.sql.SparkSession.builder.master(f"local[{workers}]")
        .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
        .config("spark.python.unix.domain.socket.enabled", "true").getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield lambda job: weighbridge.spark.run(job, session)
    finally:
        session.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, default=2000)
    parser.add_argument("--photos", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    print(f"weighbridge {weighbridge.version()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    print("| what | files | time | of 20 files | files/s beyond | times one worker | processor time a file |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name:
        jobs = Jobs(Path(name), arguments.models, arguments.photos)
        kinds = {"convert": jobs.conversion, "index": jobs.index}
        for what, make in kinds.items():
            measure(what, make, {"this process": alone}, arguments.rounds)

        import ray

        os.environ["RAY_worker_niceness"] = "0"  # by default Ray lowers its priority below all other programs
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
        for what, make in kinds.items():
            measure(what, make, {f"Ray, {n} workers": partial(on_ray, n) for n in (1, 2)}, arguments.rounds)
        ray.shutdown()

        os.environ["PYSPARK_PYTHON"] = sys.executable
        for what, make in kinds.items():
            measure(what, make, {f"Spark, {n} workers": partial(on_spark, n) for n in (1, 2)}, arguments.rounds)


if __name__ == "__main__":
    main()
