"""Kills `weighbridge index` at random moments and looks at what is left.

    python3 Tests/Soak/kill_index.py PROGRAM [KILLS] [SEED]

Each kill must leave a database without damage that holds every image that was said to be done; the next run
goes on from there. Prints how many kills hit a running index, and how many images they cost.
"""

import random
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

SAMPLE = Path(__file__).resolve().parent.parent.parent / "Samples/Models/shape-detector"
IMAGES = 100
SIDE = 88


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def write_image(path, number):
    """A PNG with a square at a position of its own."""
    left, top = number % 10 * 6, number // 10 * 6
    rows = bytearray()
    for y in range(SIDE):
        rows.append(0)
        for x in range(SIDE):
            inside = left <= x < left + 25 and top <= y < top + 25
            rows += b"\xd0\x40\x20" if inside else bytes((30, 90, 40 + number % 100))
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows)))
        + chunk(b"IEND", b""))


def stored(database):
    """How many images a database holds; it must not be damaged."""
    if not database.exists():
        return 0
    connection = sqlite3.connect(str(database))
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,):
            return 0
        images = connection.execute("SELECT count(*) FROM contents").fetchone()[0]
        for table in ("detections", "files"):
            assert connection.execute("SELECT count(*) FROM " + table).fetchone()[0] == images, table
        return images
    finally:
        connection.close()


def main():
    program = Path(sys.argv[1]).resolve()
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        images, database, messages = folder / "images", folder / "photos.db", folder / "messages"
        images.mkdir()
        for number in range(IMAGES):
            write_image(images / "{}.png".format(number), number)
        command = [
            str(program), "index", str(images), "-o", str(database), "--model", str(SAMPLE / "shape-detector.h5"),
            "--image-input", "input_1", "--image-scale", "1/255", "--labels", str(SAMPLE / "labels.names"),
            "--detector", "region", "--anchors", (SAMPLE / "anchors.txt").read_text().strip(), "--threads", "1",
            "--progress"]
        start = time.monotonic()
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        whole = time.monotonic() - start
        done, running, lost = stored(database), 0, 0
        assert done == IMAGES, done
        for _ in range(kills):
            if done == IMAGES:
                for file in folder.glob("photos.db*"):
                    file.unlink()
                done = 0
            with messages.open("wb") as output:
                process = subprocess.Popen(command, stderr=output, stdout=subprocess.DEVNULL)
                time.sleep(rng.uniform(0, whole))
                process.send_signal(signal.SIGKILL)
                running += process.wait() == -signal.SIGKILL
            reported = messages.read_text().count(": analyzed\n")
            now = stored(database)
            # What was said to be done is there; the image that was being stored may be there too.
            assert done + reported <= now <= done + reported + 1, (done, reported, now)
            lost += reported > now - done
            done = now
        print("{} kills, {} of them while the index ran; 0 databases damaged; {} stored images lost".format(
            kills, running, lost))


if __name__ == "__main__":
    main()
