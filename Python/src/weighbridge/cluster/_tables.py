"""Rows of results, and the Parquet files that they are in."""

from __future__ import annotations

import io
from typing import Any, Sequence

import pyarrow
import pyarrow.parquet

from ._stores import Store

Row = dict[str, Any]

_TEXT = pyarrow.string()

#: What every table begins with.
_COMMON = [
    ("uri", _TEXT),
    ("size", pyarrow.int64()),
    ("modified", pyarrow.int64()),
    ("digest", _TEXT),
    ("status", _TEXT),
    ("reason", _TEXT),
]
_CHECK = pyarrow.struct([("name", _TEXT), ("status", _TEXT), ("reason", _TEXT)])
_DETECTION = pyarrow.struct(
    [
        ("label", _TEXT),
        ("class_index", pyarrow.int32()),
        ("confidence", pyarrow.float64()),
        *((name, pyarrow.float64()) for name in ("x", "y", "width", "height")),
    ]
)

#: The columns of a table of conversions.
CONVERSIONS = pyarrow.schema(
    [
        *_COMMON,
        ("output", _TEXT),
        ("output_size", pyarrow.int64()),
        ("checks", pyarrow.list_(_CHECK)),
    ]
)

#: The columns of a table of photos.
PHOTOS = pyarrow.schema(
    [
        *_COMMON,
        ("code", _TEXT),
        ("width", pyarrow.int32()),
        ("height", pyarrow.int32()),
        ("detections", pyarrow.list_(_DETECTION)),
        ("features", pyarrow.list_(pyarrow.float32())),
    ]
)


def table(rows: Sequence[Row], schema: Any) -> Any:
    """A table of rows; what a row does not have is null."""
    return pyarrow.Table.from_pylist([{**dict.fromkeys(schema.names), **row} for row in rows], schema)


def write(store: Store, uri: str, content: Any) -> None:
    """Writes a table as a Parquet file."""
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(content, buffer, compression="zstd")
    store.write(uri, buffer.getvalue())


def read(store: Store, uri: str, columns: "list[str] | None" = None) -> Any:
    """The table in a Parquet file, or some of its columns."""
    filesystem, path = store.locate(uri)
    with filesystem.open_input_file(path) as file:
        return pyarrow.parquet.read_table(file, columns=columns)
