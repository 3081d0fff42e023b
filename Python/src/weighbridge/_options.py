"""The options of the C interface from arguments of Python."""

from __future__ import annotations

import json
import os
from ctypes import c_double, c_int64, c_uint64, pointer
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

from . import _library
from ._errors import make_error

Path = Union[str, "os.PathLike[str]"]


def read_options(
    *,
    architecture: Optional[Path] = None,
    keras_version: Optional[str] = None,
    keras_backend: Optional[str] = None,
    input_shapes: Sequence[str] = (),
    custom_layers: Optional[Path] = None,
    weights: Optional[Path] = None,
    darknet: Optional[str] = None,
    data: Optional[Path] = None,
    random_weights: Optional[int] = None,
    fixed_inputs: Optional[Mapping[str, Union[int, float, bool]]] = None,
    from_token_ids: bool = False,
    keep_unknown: bool = False,
    strict: bool = False,
    metadata: Optional[Mapping[str, Any]] = None,
) -> "_library.ReadOptions":
    """What a source file does not say itself; the arguments are those of `weighbridge.open`."""
    shapes, shape_count = _library.texts(_list(input_shapes, "input_shapes"), "input_shapes")
    numbers = [f"{name}={_number(value)}" for name, value in (fixed_inputs or {}).items()]
    fixed, fixed_count = _library.texts(numbers, "fixed_inputs")
    return _library.make(
        _library.ReadOptions,
        architecture=architecture,
        keras_version=keras_version,
        keras_backend=keras_backend,
        input_shapes=shapes,
        input_shape_count=shape_count,
        custom_layers=custom_layers,
        weights=weights,
        darknet=darknet,
        data=data,
        random_weights=None if random_weights is None else pointer(c_uint64(random_weights)),
        fixed_inputs=fixed,
        fixed_input_count=fixed_count,
        from_token_ids=from_token_ids,
        keep_unknown=keep_unknown,
        strict=strict,
        metadata=None if metadata is None else json.dumps(metadata),
    )


def run_options(
    *,
    engine: Optional[str] = None,
    threads: Optional[int] = None,
    memory_limit: Optional[int] = None,
) -> "_library.RunOptions":
    """How a model is run; the arguments are those of `Model.session`."""
    return _library.make(
        _library.RunOptions,
        engine=engine,
        threads=_count(threads, "threads"),
        memory_limit=_count(memory_limit, "memory_limit"),
        interrupt=_library.interrupt(),
    )


def write_options(keep_existing: bool) -> "_library.WriteOptions":
    """How a file is written."""
    return _library.make(
        _library.WriteOptions, keep_existing=keep_existing, interrupt=_library.interrupt()
    )


def export_options(
    *,
    target: Optional[str] = None,
    darknet: Optional[str] = None,
    layout: Optional[str] = None,
    precision: Optional[str] = None,
    kind: Optional[str] = None,
    outputs: Optional[str] = None,
    sizes: Sequence[Tuple[int, int]] = (),
    opset: Optional[int] = None,
    spec_version: Optional[int] = None,
    external_data: bool = False,
    fold_batch_norm: bool = False,
    keep_existing: bool = False,
) -> "_library.ExportOptions":
    """How a model is exported; the arguments are those of `Model.export`."""
    flat = [int(side) for size in sizes for side in size]
    if len(flat) != 2 * len(sizes):
        raise make_error("invalidArgument", "sizes is a list of (width, height)")
    return _library.make(
        _library.ExportOptions,
        target=target,
        darknet=darknet,
        layout=layout,
        precision=precision,
        kind=kind,
        outputs=outputs,
        sizes=(c_int64 * len(flat))(*flat),
        size_count=len(sizes),
        opset=_count(opset, "opset"),
        spec_version=_count(spec_version, "spec_version"),
        external_data=external_data,
        fold_batch_norm=fold_batch_norm,
        keep_existing=keep_existing,
        interrupt=_library.interrupt(),
    )


def verify_options(
    against: Optional[Path],
    tolerance: Optional[Tuple[float, float]],
    layers: bool,
    run: "_library.RunOptions",
    read: "_library.ReadOptions",
) -> "_library.VerifyOptions":
    """What is verified, and how strictly."""
    return _library.make(
        _library.VerifyOptions,
        against=against,
        against_options=pointer(read),
        tolerance=None if tolerance is None else (c_double * 2)(*tolerance),
        layers=layers,
        run=pointer(run),
    )


def detect_options(
    threshold: Optional[float],
    overlap: Optional[float],
    suppression: Optional[str],
    run: "_library.RunOptions",
) -> "_library.DetectOptions":
    """How objects are searched for."""
    return _library.make(
        _library.DetectOptions,
        threshold=None if threshold is None else pointer(c_double(threshold)),
        overlap=None if overlap is None else pointer(c_double(overlap)),
        suppression=suppression,
        run=pointer(run),
    )


def analyze_options(
    features: Optional[str], detect: "_library.DetectOptions"
) -> "_library.AnalyzeOptions":
    """What is to be known of images."""
    return _library.make(_library.AnalyzeOptions, features=features, detect=pointer(detect))


def _list(value: Sequence[str], name: str) -> Sequence[str]:
    if isinstance(value, str):
        raise make_error("invalidArgument", f"{name} must be a list of strings: [{value!r}]")
    return value


def _number(value: Union[int, float, bool]) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _count(value: Optional[int], name: str) -> Optional[int]:
    if value is not None and value < 1:
        raise make_error("invalidArgument", f"{name} is {value}; it is a number from 1, or None")
    return value
