"""What is to be done, cut into batches; each is done by one worker and stored as a part of the table."""

from __future__ import annotations

import hashlib
import json
import os
import time
from abc import ABC, abstractmethod
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable, NamedTuple, Sequence, Set

import pyarrow
import pyarrow.dataset
import pyarrow.fs

from .._errors import make_error
from . import _tables
from ._stores import Source, Store

#: A file was worked on, and will give the same again.
FINAL = {"converted", "indexed", "differs", "refused"}
#: Worth retrying immediately.
TRANSIENT = {"unreadable", "unwritten", "crashed"}


class Batch(NamedTuple):
    """Files that one worker works on, one after the other.

    Attributes:
        name: The name of the part of the table that it becomes; the same files of the same job have the same.
        sources: The files.
    """

    name: str
    sources: tuple[Source, ...]

    def text(self) -> str:
        """The batch as an engine passes it on."""
        return json.dumps(self)

    @classmethod
    def from_text(cls, text: str) -> "Batch":
        """The batch that a text stands for."""
        name, sources = json.loads(text)
        return cls(name, tuple(Source(*source) for source in sources))


class Done(NamedTuple):
    """A batch that is stored: its name, how many of its files have which status, and the seconds of a
    processor's time that it took, those of programs that were started included."""

    name: str
    counts: dict[str, int]
    seconds: float

    def text(self) -> str:
        """It as an engine passes it on."""
        return json.dumps(self)

    @classmethod
    def from_text(cls, text: str) -> "Done":
        """What a text stands for."""
        return cls(*json.loads(text))


class Summary(NamedTuple):
    """What a run has done.

    Attributes:
        known: How many files were in the table already.
        counts: How many of the others have which status.
        seconds: The seconds of processors' time that it took, of all workers together.
    """

    known: int
    counts: dict[str, int]
    seconds: float


class Job(ABC):
    """What is to be done with files. It is immutable and can be pickled, for workers.

    Attributes:
        sources: A folder, or URIs.
        output: The folder for the results.
        batch_size: How many files a worker works on before it stores their rows.
        attempts: How often a file is tried that cannot be read, or whose converter crashes.
        filesystem: A file system of pyarrow or fsspec for all paths, where URIs do not say enough.
    """

    sources: str | Sequence[str]
    output: str
    batch_size: int
    attempts: int
    filesystem: Any

    #: The ends of the names of the files that are taken of a folder.
    suffixes: tuple[str, ...]
    #: The columns of the table.
    schema: Any

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """What decides the results, as JSON has it."""

    @abstractmethod
    def open(self) -> "Callable[[Source], _tables.Row]":
        """What a worker does with a file, once it has opened what that takes."""

    @property
    def store(self) -> Store:
        """Where the files are."""
        return Store(self.filesystem)

    def place(self, *names: str) -> str:
        """The URI of something in the folder for the results."""
        return "/".join((self.store.absolute(self.output), *names))

    def dataset(self) -> Any:
        """The table, as a `pyarrow.dataset.Dataset`, which is read only as far as it is needed."""
        filesystem, path = self.store.locate(self.place("rows"))
        if not filesystem.get_file_info(path).type == pyarrow.fs.FileType.Directory:
            return pyarrow.dataset.dataset(self.schema.empty_table())
        return pyarrow.dataset.dataset(path, self.schema, "parquet", filesystem=filesystem)

    def table(self) -> Any:
        """The table, as a `pyarrow.Table`, in the order of the URIs."""
        return self.dataset().to_table().sort_by("uri")

    def claim(self) -> str:
        """Claims the folder for the results.

        Returns:
            What decides the results, as a text.

        Raises:
            ArgumentError: It holds those of another job.
        """
        if self.batch_size < 1 or self.attempts < 1:
            raise make_error("invalidArgument", "batch_size and attempts are numbers from 1")
        place, mine = self.place("job.json"), json.loads(json.dumps(self.identity()))
        if not self.store.exists(place):
            self.store.write(place, json.dumps(mine, indent=2).encode())
            return json.dumps(mine, sort_keys=True)
        found = json.loads(self.store.read(place))
        other = [name for name in {**mine, **found} if mine.get(name) != found.get(name)]
        if other:
            raise make_error(
                "mismatch",
                f"{self.output} holds results of another job, which differs in {', '.join(other)}: "
                "give another folder for the output, or delete this one",
            )
        return json.dumps(mine, sort_keys=True)


class Plan(NamedTuple):
    """What there is to do: the batches, and how many files need nothing."""

    batches: list[Batch]
    known: int


def plan(job: Job) -> Plan:
    """Looks at the files and at the table, and cuts what is not in it into batches.

    Rows of files that have changed since, or that failed and may not fail again, are taken out of the table.
    One run at a time may write to a folder.

    Raises:
        ModelError: The folder with the files cannot be listed.
        ArgumentError: The folder for the results holds those of another job.
    """
    sources = job.store.list(job.sources, job.suffixes)
    identity = job.claim()
    known = _known(job, {source.uri: source for source in sources})
    pending = [source for source in sources if source not in known]
    batches = []
    for start in range(0, len(pending), job.batch_size):
        part = tuple(pending[start : start + job.batch_size])
        name = hashlib.sha256(json.dumps([identity, part]).encode()).hexdigest()[:32]
        batches.append(Batch(name, part))
    return Plan(batches, len(sources) - len(pending))


def _known(job: Job, wanted: dict[str, Source]) -> Set[Source]:
    """The files that the table has, once what is to be done again is not in it any more."""
    try:
        parts = job.store.list(job.place("rows"), [".parquet"])
    except Exception as error:
        if getattr(error, "code", None) != "missing":
            raise
        return set()
    columns = ["uri", "size", "modified", "status"]
    known: Set[Source] = set()
    with ThreadPoolExecutor(16) as pool:
        tables = pool.map(lambda part: _tables.read(job.store, part.uri, columns), parts)
        for part, found in zip(parts, tables):
            stays = []
            for uri, size, modified, status in zip(*(column.to_pylist() for column in found.columns)):
                source = Source(uri, size, modified)
                is_same = wanted.get(uri, source) == source
                stays.append(is_same and status in FINAL and source not in known)
                if stays[-1]:
                    known.add(source)
            _keep(job.store, part.uri, stays)
    return known


def _keep(store: Store, part: str, stays: list[bool]) -> None:
    """Takes rows out of a part of the table."""
    if all(stays):
        return
    if any(stays):
        _tables.write(store, part, _tables.read(store, part).filter(pyarrow.array(stays)))
    else:
        store.delete(part)


class Worker:
    """Works on batches. What the job needs, such as a model, is opened once."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._work = job.open()

    def __call__(self, batch: Batch) -> Done:
        """Works on a batch, unless another worker has stored it already."""
        start = os.times()
        part = self._job.place("rows", f"{batch.name}.parquet")
        if self._job.store.exists(part):
            statuses = _tables.read(self._job.store, part, ["status"]).column("status").to_pylist()
        else:
            rows = [self._row(source) for source in batch.sources]
            _tables.write(self._job.store, part, _tables.table(rows, self._job.schema))
            statuses = [row["status"] for row in rows]
        seconds = sum(os.times()[:4]) - sum(start[:4])
        return Done(batch.name, dict(Counter(statuses)), seconds)

    def _row(self, source: Source) -> "_tables.Row":
        row: "_tables.Row" = {}
        for attempt in range(self._job.attempts):
            if attempt:
                time.sleep(0.1 * 2**attempt)
            row = self._try(source)
            if row["status"] not in TRANSIENT:
                break
        return {**source._asdict(), **row}

    def _try(self, source: Source) -> "_tables.Row":
        try:
            return self._work(source)
        except (OSError, pyarrow.ArrowException) as error:
            return {"status": "unreadable", "reason": str(error)}
        except Exception as error:  # of one file, which must not stop the others
            return {"status": "failed", "reason": f"{type(error).__name__}: {error}"}


def summary(known: int, done: Iterable[Done]) -> Summary:
    """What a run has done."""
    counts: "Counter[str]" = Counter()
    seconds = 0.0
    for batch in done:
        counts.update(batch.counts)
        seconds += batch.seconds
    return Summary(known, dict(sorted(counts.items())), seconds)


def run(job: Job) -> Summary:
    """Runs a job in this process.

    Raises:
        ModelError: The folder with the files cannot be listed, or the model cannot be opened.
        ArgumentError: The folder for the results holds those of another job, or an option is wrong.
    """
    batches, known = plan(job)
    if not batches:
        return summary(known, [])
    return summary(known, map(Worker(job), batches))
