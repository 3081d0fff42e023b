"""Measures jobs on clusters: files a second by one worker and by two, on Ray and on Spark.

    python cluster.py [--models N] [--photos N] [--rounds N]

Run by the interpreter of an environment with the wheel, Ray and Spark in it (`make bench-cluster`). One worker
and two take turns, so that other programs on the machine slow both alike; the figures are medians of the
rounds. A worker that does nothing else shows what the engines themselves take.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
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
    """The shape detector of the samples, as a .wbm file."""
    anchors = [float(part) for part in (SAMPLE / "anchors.txt").read_text().replace(",", " ").split()]
    metadata = {
        "labels": (SAMPLE / "labels.names").read_text().split(),
        "inputs": [{"name": "image", "image": {"scale": 1 / 255}}],
        "detector": {"kind": "region", "anchors": anchors},
    }
    weighbridge.convert(SAMPLE / "shape-detector.h5", folder / "shapes.wbm", metadata=metadata)
    return str(folder / "shapes.wbm")


class Jobs:
    """Makes jobs, each with a folder of its own for the results."""

    def __init__(self, folder, models, photos):
        self.folder, self.number = folder, 0
        material.write_models(folder / "models", models)
        material.write_photos(folder / "photos", photos, (640, 480))
        self.model = detector(folder)

    def output(self):
        self.number += 1
        return str(self.folder / f"out-{self.number}")

    def conversion(self):
        return weighbridge.cluster.Conversion(str(self.folder / "models"), self.output(), batch_size=10)

    def index(self):
        return weighbridge.cluster.PhotoIndex(
            str(self.folder / "photos"), self.output(), self.model, features="conv2d_6", batch_size=25
        )


def measure(name, make, runs, rounds):
    """Prints a row for each way of running a job."""
    seconds, processor = {label: [] for label in runs}, {label: [] for label in runs}
    count = 0
    for _ in range(rounds):
        for label, run in runs.items():
            start = time.perf_counter()
            done = run(make())
            seconds[label].append(time.perf_counter() - start)
            processor[label].append(done.seconds)
            count = sum(done.counts.values())
    first = next(iter(runs))
    for label in runs:
        time_taken = statistics.median(seconds[label])
        ratio = statistics.median(one / other for one, other in zip(seconds[first], seconds[label]))
        print(
            f"| {name}, {label} | {count} | {time_taken:.1f} s | {count / time_taken:.0f} | {ratio:.2f} | "
            f"{statistics.median(processor[label]) / count * 1000:.2f} ms |", flush=True)


def ray_runs(jobs, rounds):
    import ray

    os.environ["RAY_worker_niceness"] = "0"  # of itself Ray gives way to every other program
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    for make, name in ((jobs.conversion, "convert"), (jobs.index, "index")):
        runs = {
            f"Ray, {actors} actors": lambda job, actors=actors: weighbridge.ray.run(job, actors=actors)
            for actors in (1, 2)
        }
        measure(name, make, runs, rounds)
    ray.shutdown()


def spark_runs(jobs, rounds):
    import pyspark.sql

    os.environ["PYSPARK_PYTHON"] = sys.executable
    for make, name in ((jobs.conversion, "convert"), (jobs.index, "index")):
        for workers in (1, 2):
            session = (
                pyspark.sql.SparkSession.builder.master(f"local[{workers}]")
                .config("spark.ui.enabled", "false").getOrCreate()
            )
            session.sparkContext.setLogLevel("ERROR")
            measure(name, make, {f"Spark, {workers} workers": lambda job: weighbridge.spark.run(job, session)}, rounds)
            session.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, default=500)
    parser.add_argument("--photos", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"weighbridge {weighbridge.version()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    print("| what | files | time | files/s | times one worker | processor time a file |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name:
        jobs = Jobs(Path(name), arguments.models, arguments.photos)
        for make, what in ((jobs.conversion, "convert"), (jobs.index, "index")):
            measure(what, make, {"this process": weighbridge.cluster.run}, arguments.rounds)
        ray_runs(jobs, arguments.rounds)
        spark_runs(jobs, arguments.rounds)


if __name__ == "__main__":
    main()
