"""Runs Weighbridge."""

import re
import subprocess

import numpy


class Program:
    """The program, and how it ended."""

    def __init__(self, path: str, seconds: float = 60):
        self.path = path
        self.seconds = seconds

    def run(self, *arguments):
        """The exit status, negative for a signal or too much time, and what was said."""
        try:
            done = subprocess.run(
                [self.path] + [str(each) for each in arguments],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=self.seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return -1000, "the program did not end in time"
        return done.returncode, done.stdout.decode("utf8", "replace").strip()

    def convert(self, model, target: str, options):
        return self.run("convert", model, "-o", target, "--quiet", *options)

    def compute(self, model, inputs, outputs, engine: str):
        return self.run(
            "run", model, "--inputs", inputs, "--outputs", outputs, "--engine", engine, "--quiet"
        )

    def export(self, model, target: str, *options):
        return self.run("export", model, "-o", target, *options)


def outputs(path: str, names):
    """The arrays of a file, by name if all are there, else in its order."""
    with numpy.load(path) as loaded:
        order = names if sorted(names) == sorted(loaded.files) else loaded.files
        return [loaded[name] for name in order]


def place(message: str) -> list:
    """The names of the layers in a message, with and without their models."""
    return [
        name for found in re.findall(r"#\d+ (\S+)", message) for name in (found, found.split("/")[0])
    ]


def cause(message: str) -> str:
    """What a message says, without names and numbers."""
    message = message.split("\nSay what each")[0].split("\nExample")[0]
    message = re.sub(r"^weighbridge: error: ", "", message.strip())
    message = re.sub(r"^/\S+?(:\S*)?: ", "", message)
    if "not supported:" in message and "#" in message:
        kinds = sorted(re.findall(r"#\d+ \S+ \((\w+)\)(?:.*?function=\"([\w.]+)\")?", message))[:1]
        return "a class that is not supported: " + ", ".join(
            sorted({" ".join(k).strip() for k in kinds})
        )
    lines = message.split("\n")
    message = " ".join(line.strip() for line in lines[: 2 if lines[0].endswith(":") else 1])
    message = re.sub(r"#\d+ \S+ ", "", message)
    message = re.sub(r"\S+ \((\w+)\):", r"\1:", message)
    message = re.sub(r"layer \S+: ", "", message)
    for _ in range(3):
        message = re.sub(r"\[[^\[\]]*\]", "…", message)
    message = re.sub(r"\b(bool|u?int\d+|b?float\d+)\b", "T", message)
    message = re.sub(r"(?<![\w])[-+]?\d[\d.e+-]*", "N", message)
    message = re.sub(r"\b(?:n|x)N\b|\bn\d+\b|\bx\d+\b", "…", message)
    return message[:160]
