"""Measures `weighbridge detect` on a folder of photos, with one thread and with two.

    python folder.py PROGRAM MODEL [USE...]

MODEL is a detector, USE the options that describe it (`--labels`, `--detector`, ...). The photos are generated: 200
JPEG files of 640 x 480. Commands take turns, five rounds; the figures are the ratios of the medians. For comparison,
the cost of reading and of running are measured separately: by the same command with the sample detector, which takes
about a millisecond per image, and by `run --repeat` with one thread.
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

        model = [arguments.model] + use
        one, two, decoding, runs = [], [], [], []
        for _ in range(5):
            one.append(detect(model, "1"))
            two.append(detect(model, "2"))
            decoding.append(detect(sample(), "2"))
            output = subprocess.run(
                [program, "run", arguments.model, "--inputs", "random:1", "--repeat", "20", "--threads", "1",
                 "--json", "--quiet"], check=True, stdout=subprocess.PIPE).stdout
            runs.append(json.loads(output)["median_ms"] / 1000)
    one, two, decoding, run = (statistics.median(times) for times in (one, two, decoding, runs))
    print("{} photos: {:.2f} s with one thread, {:.2f} s with two: {:.2f} times the throughput".format(
        COUNT, one, two, one / two))
    print("reading them {:.2f} s, running the model {:.2f} s on two threads: detecting takes {:.2f} times the sum".format(
        decoding, COUNT * run / 2, two / (decoding + COUNT * run / 2)))


if __name__ == "__main__":
    main()
