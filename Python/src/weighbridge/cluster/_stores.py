"""Files on disks and in object stores, by URI."""

from __future__ import annotations

import os
import posixpath
import uuid
from functools import lru_cache
from typing import Any, BinaryIO, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import pyarrow
import pyarrow.fs

from .._errors import make_error

#: A `pyarrow.fs.FileSystem`.
FileSystem = Any

#: Stores in which a file appears only when all of it is there.
_WHOLE = {"s3", "gcs", "abfs"}


class Source(NamedTuple):
    """A file to work on.

    Attributes:
        uri: Where it is.
        size: Its size in bytes; -1 when it was not there.
        modified: When it was last changed, in nanoseconds since 1970; 0 where the store does not say.
    """

    uri: str
    size: int
    modified: int


class Store:
    """The file systems behind URIs: those of pyarrow (a path, ``file://``, ``s3://``, ``gs://``, ``abfs://``,
    ``hdfs://``), or of fsspec for other schemes. What follows the scheme is taken as it is: nothing is
    decoded. It can be pickled, for workers.

    Args:
        filesystem: The one file system for all paths, of pyarrow or fsspec, where a URI does not say enough.
    """

    def __init__(self, filesystem: Any = None) -> None:
        if filesystem is not None and not isinstance(filesystem, pyarrow.fs.FileSystem):
            filesystem = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(filesystem))
        self._filesystem = filesystem

    def locate(self, uri: str) -> Tuple[FileSystem, str]:
        """The file system of a URI, and the path in it."""
        scheme, separator, rest = uri.partition("://")
        if self._filesystem is not None:
            return self._filesystem, uri
        if not separator:
            return _filesystem("file", ""), os.path.abspath(uri)
        if scheme == "file":
            return _filesystem("file", ""), rest
        authority, _, key = rest.partition("/")
        filesystem, root = _filesystem_and_root(scheme, authority)
        return filesystem, posixpath.join(root, key)

    def absolute(self, uri: str) -> str:
        """The URI as every process understands it."""
        is_path = self._filesystem is None and "://" not in uri
        return os.path.abspath(uri) if is_path else uri.rstrip("/")

    def list(self, sources: Union[str, Sequence[str]], suffixes: Iterable[str]) -> List[Source]:
        """The files to work on, in the order of their URIs, each once.

        Args:
            sources: A folder, whose files with one of the suffixes are taken at any depth; or URIs, which are
                taken as they are, whether they are there or not.
            suffixes: Such as ``.h5``; in lower case.

        Raises:
            ModelError: The folder is not there or cannot be listed.
        """
        found = self._folder(sources, tuple(suffixes)) if isinstance(sources, str) else self._files(sources)
        return sorted(set(found))

    def _folder(self, uri: str, suffixes: Tuple[str, ...]) -> List[Source]:
        uri = self.absolute(uri)
        filesystem, root = self.locate(uri)
        try:
            infos = filesystem.get_file_info(pyarrow.fs.FileSelector(root, recursive=True))
        except (OSError, pyarrow.ArrowException) as error:
            raise make_error("missing", f"{uri} cannot be listed: {error}", file=uri) from error
        start = len(root.rstrip("/"))
        return [
            _source(uri + info.path.rstrip("/")[start:], info)
            for info in infos
            if info.is_file and info.path.lower().endswith(suffixes)
        ]

    def _files(self, uris: Sequence[str]) -> List[Source]:
        found: List[Source] = []
        groups: Dict[int, List[Tuple[str, FileSystem, str]]] = {}
        for uri in map(self.absolute, uris):
            filesystem, path = self.locate(uri)
            groups.setdefault(id(filesystem), []).append((uri, filesystem, path))
        for group in groups.values():
            infos = group[0][1].get_file_info([path for _, _, path in group])
            found += [_source(uri, info) for (uri, _, _), info in zip(group, infos)]
        return found

    def exists(self, uri: str) -> bool:
        """Whether a file is there."""
        filesystem, path = self.locate(uri)
        return bool(filesystem.get_file_info(path).is_file)

    def local_path(self, uri: str) -> Optional[str]:
        """The path of a file on this machine's disks; None for one elsewhere."""
        filesystem, path = self.locate(uri)
        return path if isinstance(filesystem, pyarrow.fs.LocalFileSystem) else None

    def open(self, uri: str) -> BinaryIO:
        """Opens a file for reading."""
        filesystem, path = self.locate(uri)
        stream: BinaryIO = filesystem.open_input_stream(path)
        return stream

    def read(self, uri: str) -> bytes:
        """The bytes of a file."""
        with self.open(uri) as file:
            return file.read()

    def write(self, uri: str, content: Any) -> None:
        """Writes a file, which appears only when all of it is there, in place of what was there.

        Args:
            content: Its bytes, or a file to read them from.
        """
        filesystem, path = self.locate(uri)
        if filesystem.type_name in _WHOLE:
            _write(filesystem, path, content)
            return
        filesystem.create_dir(posixpath.dirname(path), recursive=True)
        part = f"{path}.{uuid.uuid4().hex}.part"
        try:
            _write(filesystem, part, content)
            filesystem.move(part, path)
        except BaseException:
            if filesystem.get_file_info(part).is_file:
                filesystem.delete_file(part)
            raise

    def delete(self, uri: str) -> None:
        """Deletes a file."""
        filesystem, path = self.locate(uri)
        filesystem.delete_file(path)


def _source(uri: str, info: Any) -> Source:
    if not info.is_file:
        return Source(uri, -1, 0)
    return Source(uri, info.size, info.mtime_ns or 0)


def _write(filesystem: FileSystem, path: str, content: Any) -> None:
    with filesystem.open_output_stream(path) as file:
        if isinstance(content, bytes):
            file.write(content)
            return
        while True:
            piece = content.read(1 << 20)
            if not piece:
                return
            file.write(piece)


def _filesystem(scheme: str, authority: str) -> FileSystem:
    return _filesystem_and_root(scheme, authority)[0]


@lru_cache(maxsize=None)
def _filesystem_and_root(scheme: str, authority: str) -> Tuple[FileSystem, str]:
    if scheme == "file":
        return pyarrow.fs.LocalFileSystem(), "/"
    # A small file then takes one request in place of three.
    uri = f"{scheme}://{authority}" + "?allow_delayed_open=true" * (scheme == "s3")
    try:
        found: Tuple[FileSystem, str] = pyarrow.fs.FileSystem.from_uri(uri)
        return found
    except pyarrow.ArrowInvalid as error:
        if "nrecognized filesystem type" not in str(error):
            raise make_error("invalidArgument", f"{uri}: {error}") from error
    return _of_fsspec(scheme, uri)


def _of_fsspec(scheme: str, uri: str) -> Tuple[FileSystem, str]:
    try:
        import fsspec

        filesystem, root = fsspec.core.url_to_fs(uri)
    except (ImportError, ValueError) as error:
        raise make_error("invalidArgument", f"{scheme}:// is not known: {error}") from error
    return pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(filesystem)), root
