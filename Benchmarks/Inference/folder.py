"""Measures `weighbridge detect` on a folder of photos, with one thread and with two.

    python folder.py PROGRAM MODEL [USE...]

MODEL is a detector, USE the options that describe it (`--labels`, `--detector`, ...). The photos are generated: 200
JPEG files of 640 x 480. Commands take turns, five rounds; the figures are the ratios of the medians. For comparison,
the cost of reading and of running are measured separately: by the same command with the sample detector, which takes
about a millisecond per image, and by `run --repeat` with one thread, in as many processes at once as there are threads.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy
from PIL import Image

SAMPLE = Path(__file__).resolve().parent.parent.parent / "Samples/Models/shape-detector"
COUNT = 200


def sample():
    return [
        str(SAMPLE / "shape-detector.h5"), "--image-input", "input_1", "--image-scale", "1/255",
        "--labels", str(SAMPLE / "labels.names"), "--detector", "region",
        "--anchors", (SAMPLE / "anchors.txt").read_text().strip()]


def make_photos(folder):
    rng = numpy.random.default_rng(1)
    for number in range(COUNT):
        small = rng.integers(0, 256, (12, 16, 3), dtype=numpy.uint8)
        Image.fromarray(small).resize((640, 480), Image.BICUBIC).save(folder / "{:03}.jpg".format(number))


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("model")
    arguments, use = parser.parse_known_args()
    program = str(Path(arguments.program).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_photos(folder)

        def detect(model, threads):
            return seconds([program, "detect", model[0], name, "--quiet", "--json", "--threads", threads] + model[1:])

        def running(count):
            """Returns the seconds per image of processes that run the model side by side."""
            processes = [subprocess.Popen(
                [program, "run", arguments.model, "--inputs", "random:1", "--repeat", "60", "--threads", "1", "--json",
                 "--quiet"], stdout=subprocess.PIPE) for _ in range(count)]
            medians = [json.loads(process.communicate()[0])["median_ms"] for process in processes]
            return statistics.mean(medians) / 1000 / count

        model = [arguments.model] + use
        times = {(part, threads): [] for part in ("detecting", "reading", "running") for threads in (1, 2)}
        for _ in range(5):
            for threads in (1, 2):
                times["detecting", threads].append(detect(model, str(threads)))
                times["reading", threads].append(detect(sample(), str(threads)))
                times["running", threads].append(COUNT * running(threads))
    median = {key: statistics.median(values) for key, values in times.items()}
    for threads in (1, 2):
        detecting, reading, running = (median[part, threads] for part in ("detecting", "reading", "running"))
        print("{} photos with {} thread(s): {:.2f} s, {:.2f} times reading ({:.2f} s) and running ({:.2f} s)".format(
            COUNT, threads, detecting, detecting / (reading + running), reading, running))
    print("{:.2f} times the throughput with two".format(median["detecting", 1] / median["detecting", 2]))


if __name__ == "__main__":
    main()
