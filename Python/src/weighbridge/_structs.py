# Generated from Schemas/options.json by Scripts/options. Do not edit.
"""The structs of options in the C interface."""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_size_t,
    c_uint64,
    c_void_p,
)

Interrupt = CFUNCTYPE(c_int32)


class ReadOptions(Structure):
    """`weighbridge_read_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("architecture", c_char_p),
        ("keras_version", c_char_p),
        ("keras_backend", c_char_p),
        ("input_shapes", POINTER(c_char_p)),
        ("input_shape_count", c_size_t),
        ("custom_layers", c_char_p),
        ("weights", c_char_p),
        ("darknet", c_char_p),
        ("data", c_char_p),
        ("random_weights", POINTER(c_uint64)),
        ("fixed_inputs", POINTER(c_char_p)),
        ("fixed_input_count", c_size_t),
        ("from_token_ids", c_int32),
        ("keep_unknown", c_int32),
        ("strict", c_int32),
        ("metadata", c_char_p),
    ]


class RunOptions(Structure):
    """`weighbridge_run_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("engine", c_char_p),
        ("threads", c_int32),
        ("fast", c_int32),
        ("memory_limit", c_uint64),
        ("interrupt", Interrupt),
        ("interrupt_context", c_void_p),
    ]


class WriteOptions(Structure):
    """`weighbridge_write_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("no_clobber", c_int32),
        ("interrupt", Interrupt),
        ("interrupt_context", c_void_p),
    ]


class ExportOptions(Structure):
    """`weighbridge_export_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("target", c_char_p),
        ("darknet", c_char_p),
        ("layout", c_char_p),
        ("precision", c_char_p),
        ("kind", c_char_p),
        ("outputs", c_char_p),
        ("sizes", POINTER(c_int64)),
        ("size_count", c_size_t),
        ("opset", c_int32),
        ("spec_version", c_int32),
        ("external_data", c_int32),
        ("fold_batch_norm", c_int32),
        ("no_clobber", c_int32),
        ("interrupt", Interrupt),
        ("interrupt_context", c_void_p),
        ("with_nms", POINTER(c_int32)),
        ("keep_integers", c_int32),
    ]


class VerifyOptions(Structure):
    """`weighbridge_verify_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("against", c_char_p),
        ("against_options", POINTER(ReadOptions)),
        ("tolerance", POINTER(c_double)),
        ("layers", c_int32),
        ("run", POINTER(RunOptions)),
        ("reference_inputs", c_char_p),
        ("reference_outputs", c_char_p),
    ]


class DetectOptions(Structure):
    """`weighbridge_detect_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("confidence_threshold", POINTER(c_double)),
        ("iou_threshold", POINTER(c_double)),
        ("suppression", c_char_p),
        ("run", POINTER(RunOptions)),
        ("resize", c_char_p),
        ("resampling", c_char_p),
    ]


class AnalyzeOptions(Structure):
    """`weighbridge_analyze_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("features", c_char_p),
        ("detect", POINTER(DetectOptions)),
    ]
