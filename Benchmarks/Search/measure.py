"""Measures `weighbridge search` on an index of 100,000 images, and the cost of `index` compared with `detect`.

    pip install -r requirements.txt
    python measure.py PROGRAM

The index contains generated detections: 1 to 9 objects of 80 classes for each image (the mean in COCO is 7), or of 3
classes, where many images have the wanted objects. The time is that of the whole command, the median of 15; the
processor time is that of all threads, which is more meaningful when other programs are running. `detect` decodes the
same photos and runs the model on them, taking turns with `index`.
"""

import argparse
import json
import os
import random
import sqlite3
import statistics
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import numpy
import xxhash
from PIL import Image

SAMPLE = Path(__file__).resolve().parent.parent.parent / "Samples/Models/shape-detector"
LAYOUT = [("class0", 0.1, 0.2, 0.3, 0.6), ("class1", 0.5, 0.5, 0.3, 0.4), ("class0", 0.6, 0.1, 0.2, 0.2)]


def use():
    return [
        "--model", str(SAMPLE / "shape-detector.h5"), "--image-input", "input_1", "--image-scale", "1/255",
        "--labels", str(SAMPLE / "labels.names"), "--detector", "region",
        "--anchors", (SAMPLE / "anchors.txt").read_text().strip()]


def record(rng, class_count):
    """Returns the detections of an image in the index's stored form."""
    content = struct.pack("<II", 640, 480)
    for _ in range(rng.randint(1, 9)):
        width, height = rng.uniform(0.05, 0.5), rng.uniform(0.05, 0.5)
        content += struct.pack(
            "<Iddddd", rng.randrange(class_count), rng.uniform(0.3, 1), rng.uniform(0, 1 - width),
            rng.uniform(0, 1 - height), width, height)
    return content + xxhash.xxh3_128_digest(content)


def make_index(program, folder, class_count, image_count):
    """Makes an index with the program, and replaces its labels and images."""
    images = folder / "one"
    images.mkdir(exist_ok=True)
    (images / "picture.png").write_bytes((SAMPLE / "picture.png").read_bytes())
    path = folder / "{}.db".format(class_count)
    subprocess.run([program, "index", str(images), "-o", str(path), "--quiet"] + use(), check=True)
    rng = random.Random(19)
    connection = sqlite3.connect(str(path))
    labels = json.dumps(["class{}".format(index) for index in range(class_count)])
    connection.execute("UPDATE settings SET value = ? WHERE key = 'labels'", (labels,))
    for table in ("files", "detections", "contents"):
        connection.execute("DELETE FROM " + table)
    for number in range(1, image_count + 1):
        connection.execute("INSERT INTO contents VALUES (?, ?, NULL)", (number, struct.pack("<IIII", number, 0, 0, 0)))
        connection.execute("INSERT INTO detections VALUES (?, ?)", (number, record(rng, class_count)))
        connection.execute(
            "INSERT INTO files VALUES (?, ?, 0, 0, 0)", ("/photos/{:06}.jpg".format(number), number))
    connection.commit()
    connection.close()
    return path


def run(command):
    """Returns a command's time in seconds, its processor time (user and system), and its output."""
    before, start = os.times(), time.perf_counter()
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    taken, after = time.perf_counter() - start, os.times()
    used = after.children_user - before.children_user + after.children_system - before.children_system
    return taken, used, output


def repeated(command, count):
    """Returns the median and minimum time, the median processor time, and the last output."""
    runs = [run(command) for _ in range(count)]
    taken, used = [one[0] for one in runs], [one[1] for one in runs]
    text = "median {:.0f} ms, least {:.0f} ms, processor time {:.0f} ms".format(
        statistics.median(taken) * 1000, min(taken) * 1000, statistics.median(used) * 1000)
    return text, runs[-1][2]


def measure_search(program, folder, image_count):
    for class_count in (80, 3):
        path = make_index(program, folder, class_count, image_count)
        objects = [word for name, *box in LAYOUT
                   for word in ("--object", "{}:{}".format(name, ",".join(map(str, box))))]
        command = [program, "search", "--in", str(path), "--json"] + objects
        for options in (["--top", "20"], ["--max-cost", "3"], []):
            text, output = repeated(command + options, 15)
            print("{:,} images, {} classes, {}: {}, {:,} found".format(
                image_count, class_count, " ".join(options) or "all below 5", text, len(json.loads(output))))


def measure_index(program, folder, image_count):
    images = folder / "photos"
    images.mkdir()
    rng = numpy.random.default_rng(1)
    for number in range(image_count):
        small = rng.integers(0, 256, (12, 16, 3), dtype=numpy.uint8)
        Image.fromarray(small).resize((640, 480), Image.BICUBIC).save(images / "{:04}.jpg".format(number))
    old = time.time() - 3600
    for path in images.iterdir():
        os.utime(path, (old, old))
    time.sleep(3)  # files changed within the last two seconds are not trusted
    database = folder / "photos.db"
    detect = [program, "detect", use()[1], str(images), "--threads", "1", "--json"] + use()[2:]
    index = [program, "index", str(images), "-o", str(database), "--threads", "1", "--json"] + use()
    ratios = []
    for _ in range(5):
        for file in folder.glob("photos.db*"):
            file.unlink()
        plain, indexed = run(detect)[1], run(index)[1]
        ratios.append(indexed / plain)
        print("{:,} photos of 640 x 480, processor time: detect {:.2f} s, index {:.2f} s".format(
            image_count, plain, indexed))
    print("index / detect: median {:.2f}, {:.2f} to {:.2f}".format(
        statistics.median(ratios), min(ratios), max(ratios)))
    print("again, unchanged: " + repeated(index, 5)[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--photos", type=int, default=1_000)
    arguments = parser.parse_args()
    program = str(Path(arguments.program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        measure_search(program, Path(folder), arguments.images)
        measure_index(program, Path(folder), arguments.photos)


if __name__ == "__main__":
    main()
