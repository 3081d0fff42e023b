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
        ("weight_names", c_char_p),
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
        ("detection_postprocess", c_int32),
        ("quantization", c_char_p),
        ("deployment", c_char_p),
        ("batch_size", c_int32),
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
        ("evaluation", POINTER(c_char_p)),
        ("evaluation_count", c_size_t),
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


class ClassifyOptions(Structure):
    """`weighbridge_classify_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("top", c_int32),
        ("threshold", POINTER(c_double)),
        ("scores", c_char_p),
        ("resize", c_char_p),
        ("resampling", c_char_p),
        ("run", POINTER(RunOptions)),
    ]


class StylizeOptions(Structure):
    """`weighbridge_stylize_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("output_scale", POINTER(c_double)),
        ("output_bias", POINTER(c_double)),
        ("tile", c_int32),
        ("overlap", c_int32),
        ("resize", c_char_p),
        ("resampling", c_char_p),
        ("run", POINTER(RunOptions)),
    ]


class CompareOptions(Structure):
    """`weighbridge_compare_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("names", c_int32),
        ("inputs", c_char_p),
        ("tolerance", POINTER(c_double)),
        ("run", POINTER(RunOptions)),
    ]


class CompactOptions(Structure):
    """`weighbridge_compact_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("max_error", POINTER(c_double)),
        ("max_size", c_uint64),
        ("keep_answers", POINTER(c_double)),
        ("encoding", c_char_p),
        ("activations", c_char_p),
        ("calibration", POINTER(c_char_p)),
        ("calibration_count", c_size_t),
        ("evaluation", POINTER(c_char_p)),
        ("evaluation_count", c_size_t),
        ("fold_batch_norm", c_int32),
        ("proof", POINTER(c_int32)),
        ("run", POINTER(RunOptions)),
    ]


class MetadataOptions(Structure):
    """`weighbridge_metadata_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("output", c_char_p),
        ("tolerance", POINTER(c_double)),
        ("no_clobber", c_int32),
    ]


class IndexOptions(Structure):
    """`weighbridge_index_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("rebuild", c_int32),
        ("analyze", POINTER(AnalyzeOptions)),
    ]


class SimilarOptions(Structure):
    """`weighbridge_similar_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("metric", c_char_p),
        ("top", c_int32),
        ("plot", c_char_p),
        ("analyze", POINTER(AnalyzeOptions)),
    ]


class SearchOptions(Structure):
    """`weighbridge_search_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("layout", c_char_p),
        ("like", c_char_p),
        ("aspect", POINTER(c_double)),
        ("classes", POINTER(c_char_p)),
        ("class_count", c_size_t),
        ("max_cost", POINTER(c_double)),
        ("weights", POINTER(c_double)),
        ("weight_count", c_size_t),
        ("top", c_int32),
        ("output", c_char_p),
        ("analyze", POINTER(AnalyzeOptions)),
    ]


class ReportOptions(Structure):
    """`weighbridge_report_options`"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("image", c_char_p),
        ("against", c_char_p),
        ("no_verify", c_int32),
        ("no_profile", c_int32),
        ("tolerance", POINTER(c_double)),
        ("reference_inputs", c_char_p),
        ("reference_outputs", c_char_p),
        ("no_clobber", c_int32),
        ("detect", POINTER(DetectOptions)),
        ("verify", c_int32),
    ]
