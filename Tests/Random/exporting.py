"""Exports models that agree, and has the tools that they are for compute them."""

import json
import os
import subprocess

import numpy

import arrays
import processes
import program as programs
from trial import Outcome

# The target, its file, and the environment with its tool.
TARGETS = {
    "onnx": ("model.onnx", "consumers"),
    "keras": ("export.keras", "keras3-tensorflow"),
    "keras-h5": ("export.h5", "keras2.15"),
    "ncnn": ("model.param", "consumers"),
    "coreml": ("model.mlmodel", "consumers"),
    "tflite": ("model.tflite", "consumers"),
}
SECONDS = 60


class Consumer:
    """The process with a tool, which is started again when it dies."""

    def __init__(self, target: str, interpreter: str, program):
        here = os.path.dirname(os.path.abspath(__file__))
        self.command = [interpreter, os.path.join(here, "consumer.py"), target, program]
        self.process = None

    def ask(self, request: dict):
        """What the tool makes of a file."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(os.environ, KERAS_BACKEND="tensorflow"),
            )
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        answer = b""
        while not answer.endswith(b"\n"):
            part = processes.part(self.process, SECONDS)
            if not part:
                self.process.kill()
                self.process.wait()
                return {"kind": "died", "text": f"the tool ends with status {self.process.returncode}"}
            answer += part
        return json.loads(answer.decode())


class Exports:
    """All targets whose tool is here."""

    def __init__(self, program, interpreters):
        self.program = program
        self.consumers = {
            target: Consumer(target, interpreters[name], program.path)
            for target, (_, name) in TARGETS.items()
            if name in interpreters
        }

    def outcome(self, trial, target: str):
        """What becomes of a model that agrees."""
        file = trial.path(TARGETS[target][0])
        status, notes = self.program.export(trial.path("model.wbm"), file, "--to", target)
        if status == 3:
            return Outcome("refused", programs.cause(notes), notes, programs.place(notes))
        if status:
            return Outcome("signal", target, f"export to {target} ends with status {status}: {notes}")
        inputs, outputs = trial.path("ordinary-inputs.npz"), trial.path("wanted.npz")
        numpy.savez(
            outputs,
            **arrays.storable({f"output{i}": each for i, each in enumerate(trial.wanted["ordinary"])}),
        )
        request = {
            "file": file,
            "model": trial.path("model.wbm"),
            "inputs": inputs,
            "outputs": outputs,
            "bound": trial.bound,
            "notes": notes + "\n",
            "noise": 0,
        }
        answer = self.consumers[target].ask(request)
        if answer["kind"] == "wrong" and ("numbers" in answer["text"] or "differs" in answer["text"]):
            noise = trial.noise("ordinary", trial.wanted["ordinary"])
            known = [each for each in noise if each is not None]
            answer = self.consumers[target].ask(dict(request, noise=max(known, default=0)))
            if len(known) < len(noise) or answer["kind"] == "agreed":
                return Outcome("unstable")
        if answer["kind"] in ("agreed", "not run"):
            return Outcome(answer["kind"], programs.cause(answer["text"]), answer["text"])
        what = answer["text"].split(":")[0] if answer["kind"] == "wrong" else answer["kind"]
        return Outcome(
            "wrong", f"{target}: {what[:40]}", f"{target}, {answer['kind']}: {answer['text']}"
        )
