# Generated from Schemas/options.json by Scripts/options. Do not edit.
"""The options as typed keywords, and the structs of the C interface made of them."""

from __future__ import annotations

import json
from ctypes import c_double, c_int32, c_uint64, pointer
from typing import TYPE_CHECKING, Any, Literal, Mapping, Sequence, TypedDict

from . import _library
from . import _marshal as marshal
from . import _structs as structs
from ._marshal import Path

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The formats for export.
Target = Literal["coreml", "darknet", "onnx", "safetensors", "npz", "keras", "keras-h5", "ncnn", "tflite"]


class ReadKeywords(TypedDict, total=False):
    """What a source file does not say itself. An option that does not apply to the file is an error.

    Attributes:
        architecture: The architecture of a Keras file with weights only: a to_json or to_yaml file, or
            an .h5 or .keras of the same network; by default the one beside it, called model.json,
            NAME.json, NAME_architecture.json or config.json (or .yaml). Of a .safetensors or .npz file:
            one of these, a .cfg or a .wbm.
        keras_version: The version of Keras as which the model is interpreted, such as 2.1.5, whatever
            version the file names.
        keras_backend: The backend that Keras ran on, such as tensorflow, in place of the file's own.
        input_shapes: The shapes of a Keras model's inputs without the batch axis, if the file does not
            state all of them: 8, or 28,28,1, or None,3 for any length; NAME=28,28,1 if there are several
            inputs. They must agree with what the file states.
        custom_layers: A file that says what Lambda and custom layers compute
            (Schemas/custom-layers.schema.json).
        weights: The weights of a darknet .cfg; by default the same name with .weights.
        darknet: The darknet fork that a .cfg is for: alexeyab or pjreddie. By default pjreddie if the
            .cfg uses something that only pjreddie's knows and nothing that only AlexeyAB's knows; else
            alexeyab.
        data: A darknet .data file, for the labels; by default a .names file that fits, beside the .cfg.
        random_weights: The seed from which the weights of a darknet .cfg are generated; a seed always
            gives the same weights.
        fixed_inputs: Inputs of an ONNX model that are fixed to one number each, such as sr=16000. They
            are then constants, and conditions on them are resolved.
        from_token_ids: Whether to leave out the text lookup of a Keras model (TextVectorization,
            StringLookup): its input is then the token IDs.
        keep_unknown: Whether to keep unknown layers as they are; the model then cannot run.
        strict: Whether to make anything that darknet silently ignores, or that a file of Keras does not
            say and is presumed, an error.
        metadata: The model's metadata, as JSON (Schemas/metadata.schema.json).
    """

    architecture: Path | None
    keras_version: str | None
    keras_backend: str | None
    input_shapes: Sequence[str]
    custom_layers: Path | None
    weights: Path | None
    darknet: Literal["alexeyab", "pjreddie"] | None
    data: Path | None
    random_weights: int | None
    fixed_inputs: Mapping[str, int | float | bool] | None
    from_token_ids: bool
    keep_unknown: bool
    strict: bool
    metadata: Mapping[str, Any] | None


class RunKeywords(TypedDict, total=False):
    """How a model is run.

    Attributes:
        engine: The engine: cpu, the default, or reference, which is slow and defines the correct
            results.
        threads: How many threads work at once; by default one for each processor. Results do not depend
            on it.
        memory_limit: The most bytes that activations may take at once; by default 64 GiB.
    """

    engine: Literal["reference", "cpu"] | None
    threads: int | None
    memory_limit: int | None


class WriteKeywords(TypedDict, total=False):
    """How a file is written.

    Attributes:
        no_clobber: Whether to refuse to replace existing files.
    """

    no_clobber: bool


class ExportKeywords(TypedDict, total=False):
    """How a model is exported. An option that does not apply to the format is an error.

    Attributes:
        darknet: The darknet fork that will read the files: alexeyab or pjreddie; by default that of a
            model from darknet, else alexeyab.
        layout: The order of the axes of images that an ONNX model takes and gives: source, the default,
            or nchw.
        precision: The number type of stored weights of float32: float32, the default, or float16. An
            ONNX model computes in float32 all the same.
        kind: What a Core ML model is: network, classifier or regressor. By default a classifier where
            labels and a vector of probabilities fit each other, else a network.
        sizes: The sizes that images of a Core ML model may have, width before height, the usual one
            first, where the network leaves them open: 416x416,608x320. By default any size.
        opset: The version of ONNX's operators, 13 to 21; by default 17, which every current runtime
            supports.
        spec_version: The specification version of a Core ML model, 1 to 5; by default the lowest that
            has all its layers.
        external_data: Whether to put the weights of an ONNX model into a file beside it, with .data
            added to its name; more than 2 GB of weights always are.
        fold_batch_norm: Whether to make batch normalizations part of the weights before them; by default
            they stay, and all weights are those of the source.
        no_clobber: Whether to refuse to replace existing files.
        with_nms: Whether a detector's file decodes the boxes and filters them (non-maximum suppression)
            instead of giving its heads as they are; by default as is usual in the format: boxes in Core
            ML, else the heads.
        keep_integers: Whether to keep weights in .safetensors and .npz files in the encoding in which
            they are stored (integers, tables, 16 bits), with scales and tables beside them:
            NAME/quantized, NAME/scale, NAME/codes, NAME/table.
    """

    darknet: Literal["alexeyab", "pjreddie"] | None
    layout: Literal["source", "nchw"] | None
    precision: Literal["float32", "float16"] | None
    kind: Literal["network", "classifier", "regressor"] | None
    sizes: Sequence[tuple[int, int]]
    opset: int | None
    spec_version: int | None
    external_data: bool
    fold_batch_norm: bool
    no_clobber: bool
    with_nms: bool | None
    keep_integers: bool


class VerifyKeywords(ReadKeywords, RunKeywords, total=False):
    """What is verified, and how strictly.

    Attributes:
        tolerance: The allowed difference of outputs: absolute, plus relative to the largest magnitude of
            the expected output. By default the standard tolerance of each element type. In the program
            these are --atol and --rtol.
        layers: Whether to compare layer by layer and name the first that diverges.
        reference_inputs: Arrays for the model's inputs (.npy or .npz), to compare with instead of those
            in the file.
        reference_outputs: The original framework's outputs for them (.npy or .npz); arrays named after
            layers are references of those layers.
    """

    tolerance: tuple[float, float] | None
    layers: bool
    reference_inputs: Path | None
    reference_outputs: Path | None


class DetectKeywords(RunKeywords, total=False):
    """How objects are detected; by default as the model says.

    Attributes:
        confidence_threshold: The confidence above which an object counts, 0 to 1; the model's own, or
            0.25.
        iou_threshold: The overlap (intersection over union) above which boxes suppress each other, 0 to
            1; the model's own, or 0.45.
        suppression: How overlapping boxes are suppressed: none, greedy (each class by itself), distance
            (the same with the centers' distance, DIoU) or class-agnostic; the model's own, or greedy.
        resize: How an image is brought to the input's size: letterbox, stretch or center-crop; the
            model's own, or stretch.
        resampling: How pixels are computed then: darknet, half-pixel, top-left, nearest, pillow-bilinear
            or pillow-bicubic; darknet for its models, else pillow-bicubic.
    """

    confidence_threshold: float | None
    iou_threshold: float | None
    suppression: Literal["none", "greedy", "distance", "class-agnostic"] | None
    resize: Literal["letterbox", "stretch", "center-crop"] | None
    resampling: Literal["darknet", "half-pixel", "top-left", "nearest", "pillow-bilinear", "pillow-bicubic"] | None


class AnalyzeKeywords(DetectKeywords, total=False):
    """What an analyzer computes.

    Attributes:
        features: The output or layer whose numbers are the features; by default the only output of a
            model that is not a detector. A detector then has no features.
    """

    features: str | None


def _read_options(
    *,
    architecture: Path | None = None,
    keras_version: str | None = None,
    keras_backend: str | None = None,
    input_shapes: Sequence[str] = (),
    custom_layers: Path | None = None,
    weights: Path | None = None,
    darknet: Literal["alexeyab", "pjreddie"] | None = None,
    data: Path | None = None,
    random_weights: int | None = None,
    fixed_inputs: Mapping[str, int | float | bool] | None = None,
    from_token_ids: bool = False,
    keep_unknown: bool = False,
    strict: bool = False,
    metadata: Mapping[str, Any] | None = None,
) -> "structs.ReadOptions":
    input_shapes_list, input_shape_count = marshal.texts(input_shapes, "input_shapes")
    fixed_inputs_list, fixed_input_count = marshal.numbers(fixed_inputs, "fixed_inputs")
    return _library.make(
        structs.ReadOptions,
        architecture=architecture,
        keras_version=keras_version,
        keras_backend=keras_backend,
        input_shapes=input_shapes_list,
        input_shape_count=input_shape_count,
        custom_layers=custom_layers,
        weights=weights,
        darknet=darknet,
        data=data,
        random_weights=None if random_weights is None else pointer(c_uint64(random_weights)),
        fixed_inputs=fixed_inputs_list,
        fixed_input_count=fixed_input_count,
        from_token_ids=from_token_ids,
        keep_unknown=keep_unknown,
        strict=strict,
        metadata=None if metadata is None else json.dumps(metadata),
    )


def read_options(
    **options: "Unpack[ReadKeywords]",
) -> "structs.ReadOptions":
    """What a source file does not say itself. An option that does not apply to the file is an error."""
    return _read_options(**marshal.renamed(options, {}))


def _run_options(
    *,
    engine: Literal["reference", "cpu"] | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
) -> "structs.RunOptions":
    return _library.make(
        structs.RunOptions,
        engine=engine,
        threads=marshal.count(threads, "threads"),
        memory_limit=marshal.count(memory_limit, "memory_limit"),
        interrupt=_library.interrupt(),
    )


def run_options(
    **options: "Unpack[RunKeywords]",
) -> "structs.RunOptions":
    """How a model is run."""
    return _run_options(**marshal.renamed(options, {}))


def _write_options(
    *,
    no_clobber: bool = False,
) -> "structs.WriteOptions":
    return _library.make(
        structs.WriteOptions,
        no_clobber=no_clobber,
        interrupt=_library.interrupt(),
    )


def write_options(
    **options: "Unpack[WriteKeywords]",
) -> "structs.WriteOptions":
    """How a file is written."""
    return _write_options(**marshal.renamed(options, {"keep_existing": "no_clobber"}))


def _export_options(
    *,
    target: Target | None = None,
    darknet: Literal["alexeyab", "pjreddie"] | None = None,
    layout: Literal["source", "nchw"] | None = None,
    precision: Literal["float32", "float16"] | None = None,
    kind: Literal["network", "classifier", "regressor"] | None = None,
    sizes: Sequence[tuple[int, int]] = (),
    opset: int | None = None,
    spec_version: int | None = None,
    external_data: bool = False,
    fold_batch_norm: bool = False,
    no_clobber: bool = False,
    with_nms: bool | None = None,
    keep_integers: bool = False,
) -> "structs.ExportOptions":
    sizes_list, size_count = marshal.sizes(sizes, "sizes")
    return _library.make(
        structs.ExportOptions,
        target=target,
        darknet=darknet,
        layout=layout,
        precision=precision,
        kind=kind,
        sizes=sizes_list,
        size_count=size_count,
        opset=marshal.count(opset, "opset"),
        spec_version=marshal.count(spec_version, "spec_version"),
        external_data=external_data,
        fold_batch_norm=fold_batch_norm,
        no_clobber=no_clobber,
        interrupt=_library.interrupt(),
        with_nms=None if with_nms is None else pointer(c_int32(with_nms)),
        keep_integers=keep_integers,
    )


def export_options(
    target: Target | None = None,
    **options: "Unpack[ExportKeywords]",
) -> "structs.ExportOptions":
    """How a model is exported. An option that does not apply to the format is an error."""
    return _export_options(target=target, **marshal.renamed(options, {"keep_existing": "no_clobber"}))


def _verify_options(
    *,
    against_options: "structs.ReadOptions",
    run: "structs.RunOptions",
    against: Path | None = None,
    tolerance: tuple[float, float] | None = None,
    layers: bool = False,
    reference_inputs: Path | None = None,
    reference_outputs: Path | None = None,
) -> "structs.VerifyOptions":
    return _library.make(
        structs.VerifyOptions,
        against=against,
        against_options=pointer(against_options),
        tolerance=None if tolerance is None else (c_double * 2)(*tolerance),
        layers=layers,
        run=pointer(run),
        reference_inputs=reference_inputs,
        reference_outputs=reference_outputs,
    )


def verify_options(
    against: Path | None = None,
    **options: "Unpack[VerifyKeywords]",
) -> "structs.VerifyOptions":
    """What is verified, and how strictly."""
    against_options = read_options(**marshal.taken(options, ReadKeywords))
    run = run_options(**marshal.taken(options, RunKeywords))
    return _verify_options(against=against, against_options=against_options, run=run, **marshal.renamed(options, {}))


def _detect_options(
    *,
    run: "structs.RunOptions",
    confidence_threshold: float | None = None,
    iou_threshold: float | None = None,
    suppression: Literal["none", "greedy", "distance", "class-agnostic"] | None = None,
    resize: Literal["letterbox", "stretch", "center-crop"] | None = None,
    resampling: Literal["darknet", "half-pixel", "top-left", "nearest", "pillow-bilinear", "pillow-bicubic"] | None = None,
) -> "structs.DetectOptions":
    return _library.make(
        structs.DetectOptions,
        confidence_threshold=None if confidence_threshold is None else pointer(c_double(confidence_threshold)),
        iou_threshold=None if iou_threshold is None else pointer(c_double(iou_threshold)),
        suppression=suppression,
        run=pointer(run),
        resize=resize,
        resampling=resampling,
    )


def detect_options(
    **options: "Unpack[DetectKeywords]",
) -> "structs.DetectOptions":
    """How objects are detected; by default as the model says."""
    run = run_options(**marshal.taken(options, RunKeywords))
    return _detect_options(run=run, **marshal.renamed(options, {"threshold": "confidence_threshold", "overlap": "iou_threshold"}))


def _analyze_options(
    *,
    detect: "structs.DetectOptions",
    features: str | None = None,
) -> "structs.AnalyzeOptions":
    return _library.make(
        structs.AnalyzeOptions,
        features=features,
        detect=pointer(detect),
    )


def analyze_options(
    **options: "Unpack[AnalyzeKeywords]",
) -> "structs.AnalyzeOptions":
    """What an analyzer computes."""
    detect = detect_options(**marshal.taken(options, DetectKeywords, "threshold", "overlap"))
    return _analyze_options(detect=detect, **marshal.renamed(options, {}))
