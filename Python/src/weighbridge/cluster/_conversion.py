"""Converting models, each by a process of its own that may take only so much memory and time."""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Callable, Mapping, NamedTuple, Sequence

from .. import version
from .._errors import make_error
from . import _tables
from ._job import FINAL, Job
from ._stores import Source, Store

#: What a darknet .cfg may have beside it.
_COMPANIONS = {".cfg": (".weights", ".names")}
#: What an exit status of the program means for a model.
_STATUSES = {0: "done", 1: "differs", 2: "refused", 3: "refused", 4: "unwritten", 5: "limit"}
#: What the program's messages begin with.
_PREFIX = "weighbridge: error: "
#: The seconds after its limit that the program has to end by itself.
_GRACE = 30.0
#: As much of what the program prints as is read.
_TEXT_SIZE = 1 << 16


@dataclass(frozen=True)
class Conversion(Job):
    """Converts models to ``.wbm`` files and verifies these against the originals.

    Every model is converted by the program ``weighbridge`` in a process of its own, so a model that takes too
    much memory or time, or crashes its reader, ends that process and not a worker.

    Args:
        sources: A folder (``s3://models``), whose ``.h5``, ``.hdf5``, ``.keras``, ``.onnx``, ``.mlmodel`` and
            ``.cfg`` files are converted, these with the ``.weights`` beside them; or a list of URIs.
        output: The folder for the results: ``rows`` with the table, ``models`` with a ``.wbm`` file for each
            content, named by its digest, and ``results``, by which content is recognized.
        options: What the files do not say themselves, as for `weighbridge.open`: ``keras_version``,
            ``keras_backend``, ``input_shapes``, ``fixed_inputs``, ``darknet``, ``from_token_ids``,
            ``keep_unknown``, ``strict``; ``metadata`` and ``custom_layers``, as dictionaries.
        memory_limit: The most memory that a process may take, such as ``"4G"``.
        time_limit: The most seconds that converting may take, and verifying.
        batch_size: How many models a worker converts before it stores their rows.
        attempts: How often a model is tried that cannot be read, or whose process crashes.
        filesystem: A file system of pyarrow or fsspec for all paths, where URIs do not say enough.

    The status of a row is ``converted``; ``differs`` (the file does not compute what the original does, and is
    not kept), ``refused`` (the reason says why), ``limit``, ``crashed``, ``unreadable``, ``unwritten`` or
    ``failed``. A later run tries the last five again.
    """

    sources: str | Sequence[str]
    output: str
    options: Mapping[str, Any] = field(default_factory=dict)
    memory_limit: str = "4G"
    time_limit: float = 300.0
    batch_size: int = 32
    attempts: int = 3
    filesystem: Any = None

    suffixes = (".h5", ".hdf5", ".keras", ".onnx", ".mlmodel", ".cfg")
    schema = _tables.CONVERSIONS

    def identity(self) -> dict[str, Any]:
        return {"job": "conversion", "weighbridge": version(), "options": dict(self.options)}

    def claim(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            _flags(self.options, folder)
        return super().claim()

    def open(self) -> Callable[[Source], "_tables.Row"]:
        return _Converter(self)


class _Converter:
    """Converts one model after the other."""

    def __init__(self, job: Conversion) -> None:
        self._job = job
        self._store = job.store
        self._program = _program()

    def __call__(self, source: Source) -> "_tables.Row":
        with tempfile.TemporaryDirectory(prefix="weighbridge-") as folder:
            path, digest = _fetch(self._store, source.uri, folder)
            record = self._job.place("results", f"{digest}.json")
            if self._store.exists(record):
                found: "_tables.Row" = json.loads(self._store.read(record))
                return found
            row = {"digest": digest, **self._convert(path, digest, folder)}
            if row["status"] in FINAL:
                self._store.write(record, json.dumps(row).encode())
            return row

    def _convert(self, path: str, digest: str, folder: str) -> "_tables.Row":
        made = os.path.join(folder, "made.wbm")
        flags = _flags(self._job.options, folder)
        done = self._run(folder, "convert", path, "-o", made, "--quiet", *flags)
        if done.status != "done":
            return done.row()
        reading = [flag for flag in flags if not flag.startswith("--metadata=")]
        done = self._run(
            folder, "verify", made, "--against", path, "--json", "--threads", "1", *reading
        )
        try:
            checks = json.loads(done.output)["checks"]
        except ValueError:
            return done.row()
        row = {"checks": [{name: check[name] for name in ("name", "status", "reason")} for check in checks]}
        if done.status != "done":
            failed = [check for check in checks if check["status"] == "failed"]
            reason = "; ".join(f"{check['name']}: {check['reason']}" for check in failed)
            return {**row, **done.row(), **({"reason": reason} if failed else {})}
        output = self._job.place("models", f"{digest}.wbm")
        with open(made, "rb") as file:
            try:
                self._store.write(output, file)
            except OSError as error:
                return {"status": "unwritten", "reason": str(error)}
        return {**row, "status": "converted", "output": output, "output_size": os.path.getsize(made)}

    def _run(self, folder: str, *arguments: str) -> "_Ended":
        """Runs the program, whose limits end it; should it not end itself, it is killed."""
        command = [
            self._program, *arguments, f"--memory-limit={self._job.memory_limit}",
            f"--time-limit={self._job.time_limit}",
        ]
        with tempfile.TemporaryFile(dir=folder) as output, tempfile.TemporaryFile(dir=folder) as errors:
            status = _status(command, output, errors, self._job.time_limit + _GRACE)
            if status is None:
                return _Ended("limit", "", "it did not end by itself and was killed")
            message = _read(errors).replace(folder + os.sep, "").strip()
            if status not in _STATUSES:
                return _Ended("crashed", "", f"the program ended with status {status}: {message}")
            message = message[len(_PREFIX) :] if message.startswith(_PREFIX) else message
            return _Ended(_STATUSES[status], _read(output), message)


class _Ended(NamedTuple):
    """How a process ended, and what it printed."""

    status: str
    output: str
    message: str

    def row(self) -> "_tables.Row":
        return {"status": self.status, "reason": self.message}


def _status(command: list[str], output: BinaryIO, errors: BinaryIO, seconds: float) -> int | None:
    """The exit status of a program; None when it had to be killed after so many seconds."""
    is_late = threading.Event()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors) as process:

        def kill() -> None:
            is_late.set()
            process.kill()

        # `wait` with a timeout looks in growing steps, which makes a program of 15 ms one of 16 to 31.
        watchdog = threading.Timer(seconds, kill)
        watchdog.start()
        try:
            status = process.wait()
        except BaseException:
            process.kill()
            raise
        finally:
            watchdog.cancel()
    return None if is_late.is_set() else status


def _read(file: BinaryIO) -> str:
    file.seek(0)
    return file.read(_TEXT_SIZE).decode(errors="replace")


def _fetch(store: Store, uri: str, folder: str) -> tuple[str, str]:
    """Brings a model into a folder, and digests it."""
    stem, suffix = posixpath.splitext(uri)
    name = posixpath.basename(stem)
    digest = hashlib.sha256()
    path = os.path.join(folder, name + suffix)
    _copy(store, uri, path, digest)
    others = _COMPANIONS.get(suffix.lower(), ())
    if others:
        digest.update(name.encode())  # by which the model is called
    for other in others:
        if store.exists(stem + other):
            digest.update(other.encode())
            _copy(store, stem + other, os.path.join(folder, name + other), digest)
    return path, digest.hexdigest()


def _copy(store: Store, uri: str, path: str, digest: Any) -> None:
    """Brings a file to a path: by a link when it is on a disk here."""
    local = store.local_path(uri)
    if local is not None:
        os.symlink(local, path)
    with store.open(uri) as file, open(os.devnull if local is not None else path, "wb") as copy:
        while True:
            piece = file.read(1 << 20)
            if not piece:
                return
            digest.update(piece)
            copy.write(piece)


def _program() -> str:
    """The program: the one in WEIGHBRIDGE_PROGRAM, beside the interpreter, or on the PATH."""
    given = os.environ.get("WEIGHBRIDGE_PROGRAM")
    beside = os.path.join(os.path.dirname(sys.executable), "weighbridge")
    found = given or (beside if os.path.exists(beside) else shutil.which("weighbridge"))
    if not found or not os.access(found, os.X_OK):
        raise make_error(
            "missing",
            f"the program weighbridge is not {given or 'on the PATH'}; install the wheel, or name the program "
            "in the environment variable WEIGHBRIDGE_PROGRAM",
        )
    return found


_TEXTS = {"keras_version", "keras_backend", "darknet"}
_SWITCHES = {"from_token_ids", "keep_unknown", "strict"}
_FILES = {"metadata", "custom_layers"}


def _flags(options: Mapping[str, Any], folder: str) -> list[str]:
    """The options of the program for those of a job; what goes by a file is written to a folder."""
    flags = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if name in _TEXTS and isinstance(value, str):
            flags.append(f"{flag}={value}")
        elif name in _SWITCHES and isinstance(value, bool):
            flags += [flag] * value
        elif name == "input_shapes" and not isinstance(value, str):
            flags += [f"--input-shape={shape}" for shape in value]
        elif name == "fixed_inputs" and isinstance(value, Mapping):
            flags += [f"--fixed-input={key}={json.dumps(number)}" for key, number in value.items()]
        elif name in _FILES and isinstance(value, Mapping):
            path = os.path.join(folder, f"{name}.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(value, file)
            flags.append(f"{flag}={path}")
        else:
            raise make_error("invalidArgument", f"conversions have no option {name}={value!r}")
    return flags
