# Generated from Schemas/options.json by Scripts/options. Do not edit.
"""The options as typed keywords, and the structs of the C interface made of them."""

from __future__ import annotations

import json
from ctypes import c_double, c_int32, c_uint64, pointer
from typing import TYPE_CHECKING, Any, Literal, Mapping, Sequence, TypedDict

from . import _library
from . import _marshal as marshal
from . import _structs as structs
from ._marshal import InputValue, Path

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The formats for export.
Target = Literal["coreml", "mlpackage", "darknet", "onnx", "safetensors", "npz", "keras", "keras-h5", "ncnn", "tflite", "tfjs", "pytorch"]


class ReadKeywords(TypedDict, total=False):
    """What a source file does not say itself. An option that does not apply to the file is an error.

    Attributes:
        architecture: The architecture of a Keras file with weights only: a to_json or to_yaml file, or
            an .h5 or .keras of the same network; by default the one beside it, called model.json,
            NAME.json, NAME_architecture.json or config.json (or .yaml). Of a .safetensors, .npz or
            PyTorch file: one of these, a .cfg, an ONNX model or a .wbm.
        keras_version: The version of Keras as which the model is interpreted, such as 2.1.5, whatever
            version the file names.
        keras_backend: The backend that Keras ran on, such as tensorflow, in place of the file's own.
        input_shapes: The shapes of a model's inputs, where the file leaves sizes open: in Keras without
            the batch axis, 8, or 28,28,1, or None,3 for any length; in ONNX with all axes, 1,3,640,640;
            NAME=28,28,1 if there are several inputs. They must agree with what the file states.
        custom_layers: A file that says what Lambda and custom layers compute
            (Schemas/custom-layers.schema.json).
        weights: The weights of a darknet .cfg; by default the same name with .weights.
        darknet: The darknet fork that a .cfg is for: alexeyab or pjreddie. By default pjreddie if the
            .cfg uses something that only pjreddie's knows and nothing that only AlexeyAB's knows; else
            alexeyab.
        data: A darknet .data file, for the labels; by default a .names file that fits, beside the .cfg.
        random_weights: The seed from which the weights of a darknet .cfg are generated; a seed always
            gives the same weights.
        fixed_inputs: Inputs of an ONNX model that are fixed, each at a number (sr=16000), a list
            (shape=[1,3,8]) or the array in a NumPy file (w=@w.npy). They are then constants, and
            conditions on them are resolved.
        from_token_ids: Whether to leave out the text lookup of a Keras model (TextVectorization,
            StringLookup): its input is then the token IDs.
        keep_unknown: Whether to keep unknown layers as they are; the model then cannot run.
        strict: Whether to make anything that darknet silently ignores, or that a file of Keras does not
            say and is presumed, an error.
        metadata: The model's metadata, as JSON (Schemas/metadata.schema.json).
        weight_names: A JSON object with the names of tensors of a PyTorch or .safetensors file, and for
            each that of the architecture's weight, where they cannot be inferred from the names or the
            order.
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
    fixed_inputs: Mapping[str, InputValue] | None
    from_token_ids: bool
    keep_unknown: bool
    strict: bool
    metadata: Mapping[str, Any] | None
    weight_names: Path | None


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
        layout: The order of the axes of images that a model takes and gives: source, the default in
            ONNX, or nchw, the default in PyTorch.
        precision: The number type of stored weights of float32: float32, the default, or float16. An
            ONNX model and a PyTorch module compute in float32 all the same. A Core ML package computes
            in it, by default in float16.
        kind: What a Core ML model is: network, classifier or regressor. By default a classifier where
            labels and a vector of probabilities fit each other, else a network.
        sizes: The sizes that images of a Core ML model may have, width before height, the usual one
            first, where the network leaves them open: 416x416,608x320. By default any size.
        opset: The version of ONNX's operators, 13 to 23; by default 17, which every current runtime
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
        detection_postprocess: Whether to let the custom operator TFLite_Detection_PostProcess filter the
            boxes of a TFLite model (with_nms), as Google's own detectors do, instead of built-in
            operators.
        quantization: How a TensorFlow.js model stores its weights: in float16, or in uint8 with a scale
            and a minimum for each; by default in float32.
        deployment: The oldest system that can run a Core ML package: ios15, ios16 (the default), ios17
            or ios18, or macos12 to macos15 of the same years.
        batch_size: The number of examples that a model takes at once, for tools that must know every
            size before they run it; by default it stays open.
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
    detection_postprocess: bool
    quantization: Literal["float16", "uint8"] | None
    deployment: Literal["ios15", "ios16", "ios17", "ios18", "macos12", "macos13", "macos14", "macos15"] | None
    batch_size: int | None


class VerifyKeywords(ReadKeywords, RunKeywords, total=False):
    """What is verified, and how strictly.

    Attributes:
        tolerance: The allowed difference of outputs: absolute, plus relative to the largest magnitude of
            the expected output. By default the standard tolerance of each element type. In the program
            these are --atol and --rtol.
        layers: Whether to compare layer by layer and name the first that diverges.
        reference_inputs: Arrays for the model's inputs (.npy or .npz); verifying takes them in place of
            those in the file.
        reference_outputs: The original framework's outputs for them (.npy or .npz); arrays named after
            layers are references of those layers.
        evaluation: Images, files of arrays (.npy, .npz) or folders of either, on which the stated error
            of a compacted model is measured anew against the original.
    """

    tolerance: tuple[float, float] | None
    layers: bool
    reference_inputs: Path | None
    reference_outputs: Path | None
    evaluation: Sequence[Path]


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


class ClassifyKeywords(RunKeywords, total=False):
    """How images are classified; by default as the model says.

    Attributes:
        top: The most classes that are given for an image; 5 by default.
        threshold: The probability above which a class is given, 0 to 1; by default all are.
        scores: The kind of scores: probabilities, logits (a softmax turns them into probabilities) or
            log-probabilities. By default as the metadata entry class_scores says, else as the last
            layers show.
        resize: How an image is brought to the input's size: letterbox, stretch or center-crop; the
            model's own, or stretch.
        resampling: How pixels are computed then: darknet, half-pixel, top-left, nearest, pillow-bilinear
            or pillow-bicubic; darknet for its models, else pillow-bicubic.
    """

    top: int | None
    threshold: float | None
    scores: Literal["probabilities", "logits", "log-probabilities"] | None
    resize: Literal["letterbox", "stretch", "center-crop"] | None
    resampling: Literal["darknet", "half-pixel", "top-left", "nearest", "pillow-bilinear", "pillow-bicubic"] | None


class StylizeKeywords(RunKeywords, total=False):
    """How images are transformed; by default as the model says.

    Attributes:
        output_scale: The scale of the output: an 8-bit component x is x times this plus output_bias. By
            default from the metadata, else from the last activation, else 1.
        output_bias: See output_scale, without which it has no meaning; 0 by default.
        tile: The most pixels along a side of a tile, of a model that takes images of any size; 512 by
            default.
        overlap: The fewest pixels that neighboring tiles share; 64 by default.
        resize: How an image is brought to the input's size, if that is fixed: letterbox, stretch or
            center-crop; the model's own, or stretch.
        resampling: How pixels are computed then: darknet, half-pixel, top-left, nearest, pillow-bilinear
            or pillow-bicubic; darknet for its models, else pillow-bicubic.
    """

    output_scale: float | None
    output_bias: float | None
    tile: int | None
    overlap: int | None
    resize: Literal["letterbox", "stretch", "center-crop"] | None
    resampling: Literal["darknet", "half-pixel", "top-left", "nearest", "pillow-bilinear", "pillow-bicubic"] | None


class CompareKeywords(RunKeywords, total=False):
    """What is compared of two models.

    Attributes:
        names: Whether to pair layers by their names, and compare names too; otherwise layers are paired
            by structure.
        inputs: Arrays for the models' inputs (.npy or .npz): both are run on them, and their outputs are
            compared.
        tolerance: The allowed difference of outputs: absolute, plus relative to the largest magnitude of
            the expected output. By default the standard tolerance of each element type.
    """

    names: bool
    inputs: Path | None
    tolerance: tuple[float, float] | None


class CompactKeywords(RunKeywords, total=False):
    """What a smaller form of a model may lose: at most one of max_error, max_size, keep_answers and
    encoding; without one, nothing is lost.

    Attributes:
        max_error: The relative error of each output that at most 1 in 20 other inputs exceeds, such as
            0.01.
        max_size: The most bytes that the weights may take.
        keep_answers: The share of top classes, or of detections, that must stay, such as 0.99.
        encoding: One encoding for all weights that are multiplied with data, whatever that costs: int2
            to int8 (a scale for each channel), int2-block32 to int8-block32, palette1 to palette8,
            float16, bfloat16.
        activations: int8 or bfloat16: compute layers with 8-bit integers or bfloat16, both weights and
            data: as many layers as max_error allows (0.05 by default). The weights of the others stay
            exact.
        calibration: Images, files of arrays (.npy, .npz) or folders of either to decide by.
        evaluation: Others to measure the loss on.
        fold_batch_norm: Whether to make batch normalizations part of the weights before them; by default
            they stay exact.
        proof: Whether an example with its outputs is stored, by which the loss can be verified; by
            default when that takes little space.
    """

    max_error: float | None
    max_size: int | None
    keep_answers: float | None
    encoding: str | None
    activations: Literal["int8", "bfloat16"] | None
    calibration: Sequence[Path]
    evaluation: Sequence[Path]
    fold_batch_norm: bool
    proof: bool | None


class MetadataKeywords(TypedDict, total=False):
    """How the metadata of a .wbm file are changed.

    Attributes:
        output: Where the changed file goes; by default in place.
        tolerance: The tolerance of the reference outputs in the file: absolute, plus relative to the
            largest magnitude of the expected output; by default as it is.
        no_clobber: Whether to refuse to replace an existing file, other than the one that is changed in
            place.
    """

    output: Path | None
    tolerance: tuple[float, float] | None
    no_clobber: bool


class IndexKeywords(AnalyzeKeywords, total=False):
    """How an index of images is updated.

    Attributes:
        rebuild: Whether to empty an index of another model, other options or another version.
    """

    rebuild: bool


class SimilarKeywords(AnalyzeKeywords, total=False):
    """How images are ranked by their features.

    Attributes:
        metric: The distance: cosine, the default, or euclidean.
        top: How many images are given for each query; 10 by default.
        plot: A folder for drawings, as SVG and PNG: the features of each query as bars, and the
            distances of all pairs of the queries and the images found.
    """

    metric: Literal["cosine", "euclidean"] | None
    top: int | None
    plot: Path | None


class SearchKeywords(AnalyzeKeywords, total=False):
    """What is searched for in an index of images: one of layout and like.

    Attributes:
        layout: The wanted objects, as JSON: a list of {label, x, y, width, height} in the unit square,
            from the upper left corner.
        like: An image whose own detections are the wanted objects.
        aspect: The width over the height of the image that layout describes; 1 by default.
        classes: The classes that count for the presence; all by default.
        max_cost: Images must cost less; 5 by default.
        weights: The weights of presence, relative position, size and relative size; 2, 1.5, 1 and 0.5 by
            default.
        top: The most images that are given; all by default.
        output: Where a sheet with the wanted layout, the first images and their boxes goes (.png or
            .jpg).
    """

    layout: Sequence[Mapping[str, Any]] | None
    like: Path | None
    aspect: float | None
    classes: Sequence[str]
    max_cost: float | None
    weights: Sequence[float]
    top: int | None
    output: Path | None


class ReportKeywords(DetectKeywords, total=False):
    """What a report of models contains.

    Attributes:
        image: A JPEG or PNG picture in which detectors look for objects, and which classifiers classify.
        against: The original file to compare with.
        no_verify: Whether to leave verifying out.
        no_profile: Whether to leave out how long the layers of a run take.
        tolerance: The allowed difference of outputs: absolute, plus relative to the largest magnitude of
            the expected output. By default the standard tolerance of each element type.
        reference_inputs: Arrays for the models' inputs (.npy or .npz); verifying takes them in place of
            those in the file.
        reference_outputs: The original framework's outputs for them (.npy or .npz).
        no_clobber: Whether to refuse to replace an existing file.
        verify: Whether to also compare the fast engine with the reference engine, which takes many times
            as long as a run.
    """

    image: Path | None
    against: Path | None
    no_verify: bool
    no_profile: bool
    tolerance: tuple[float, float] | None
    reference_inputs: Path | None
    reference_outputs: Path | None
    no_clobber: bool
    verify: bool


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
    fixed_inputs: Mapping[str, InputValue] | None = None,
    from_token_ids: bool = False,
    keep_unknown: bool = False,
    strict: bool = False,
    metadata: Mapping[str, Any] | None = None,
    weight_names: Path | None = None,
) -> "structs.ReadOptions":
    input_shapes_list, input_shape_count = marshal.texts(input_shapes, "input_shapes")
    fixed_inputs_list, fixed_input_count = marshal.values(fixed_inputs, "fixed_inputs")
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
        weight_names=weight_names,
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
    detection_postprocess: bool = False,
    quantization: Literal["float16", "uint8"] | None = None,
    deployment: Literal["ios15", "ios16", "ios17", "ios18", "macos12", "macos13", "macos14", "macos15"] | None = None,
    batch_size: int | None = None,
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
        detection_postprocess=detection_postprocess,
        quantization=quantization,
        deployment=deployment,
        batch_size=marshal.count(batch_size, "batch_size"),
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
    evaluation: Sequence[Path] = (),
) -> "structs.VerifyOptions":
    evaluation_list, evaluation_count = marshal.paths(evaluation, "evaluation")
    return _library.make(
        structs.VerifyOptions,
        against=against,
        against_options=pointer(against_options),
        tolerance=None if tolerance is None else (c_double * 2)(*tolerance),
        layers=layers,
        run=pointer(run),
        reference_inputs=reference_inputs,
        reference_outputs=reference_outputs,
        evaluation=evaluation_list,
        evaluation_count=evaluation_count,
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


def _classify_options(
    *,
    run: "structs.RunOptions",
    top: int | None = None,
    threshold: float | None = None,
    scores: Literal["probabilities", "logits", "log-probabilities"] | None = None,
    resize: Literal["letterbox", "stretch", "center-crop"] | None = None,
    resampling: Literal["darknet", "half-pixel", "top-left", "nearest", "pillow-bilinear", "pillow-bicubic"] | None = None,
) -> "structs.ClassifyOptions":
    return _library.make(
        structs.ClassifyOptions,
        top=marshal.count(top, "top"),
        threshold=None if threshold is None else pointer(c_double(threshold)),
        scores=scores,
        resize=resize,
        resampling=resampling,
        run=pointer(run),
    )


def classify_options(
    **options: "Unpack[ClassifyKeywords]",
) -> "structs.ClassifyOptions":
    """How images are classified; by default as the model says."""
    run = run_options(**marshal.taken(options, RunKeywords))
    return _classify_options(run=run, **marshal.renamed(options, {}))


def _stylize_options(
    *,
    run: "structs.RunOptions",
    output_scale: float | None = None,
    output_bias: float | None = None,
    tile: int | None = None,
    overlap: int | None = None,
    resize: Literal["letterbox", "stretch", "center-crop"] | None = None,
    resampling: Literal["darknet", "half-pixel", "top-left", "nearest", "pillow-bilinear", "pillow-bicubic"] | None = None,
) -> "structs.StylizeOptions":
    return _library.make(
        structs.StylizeOptions,
        output_scale=None if output_scale is None else pointer(c_double(output_scale)),
        output_bias=None if output_bias is None else pointer(c_double(output_bias)),
        tile=marshal.count(tile, "tile"),
        overlap=marshal.count(overlap, "overlap"),
        resize=resize,
        resampling=resampling,
        run=pointer(run),
    )


def stylize_options(
    **options: "Unpack[StylizeKeywords]",
) -> "structs.StylizeOptions":
    """How images are transformed; by default as the model says."""
    run = run_options(**marshal.taken(options, RunKeywords))
    return _stylize_options(run=run, **marshal.renamed(options, {}))


def _compare_options(
    *,
    run: "structs.RunOptions",
    names: bool = False,
    inputs: Path | None = None,
    tolerance: tuple[float, float] | None = None,
) -> "structs.CompareOptions":
    return _library.make(
        structs.CompareOptions,
        names=names,
        inputs=inputs,
        tolerance=None if tolerance is None else (c_double * 2)(*tolerance),
        run=pointer(run),
    )


def compare_options(
    **options: "Unpack[CompareKeywords]",
) -> "structs.CompareOptions":
    """What is compared of two models."""
    run = run_options(**marshal.taken(options, RunKeywords))
    return _compare_options(run=run, **marshal.renamed(options, {}))


def _compact_options(
    *,
    run: "structs.RunOptions",
    max_error: float | None = None,
    max_size: int | None = None,
    keep_answers: float | None = None,
    encoding: str | None = None,
    activations: Literal["int8", "bfloat16"] | None = None,
    calibration: Sequence[Path] = (),
    evaluation: Sequence[Path] = (),
    fold_batch_norm: bool = False,
    proof: bool | None = None,
) -> "structs.CompactOptions":
    calibration_list, calibration_count = marshal.paths(calibration, "calibration")
    evaluation_list, evaluation_count = marshal.paths(evaluation, "evaluation")
    return _library.make(
        structs.CompactOptions,
        max_error=None if max_error is None else pointer(c_double(max_error)),
        max_size=marshal.count(max_size, "max_size"),
        keep_answers=None if keep_answers is None else pointer(c_double(keep_answers)),
        encoding=encoding,
        activations=activations,
        calibration=calibration_list,
        calibration_count=calibration_count,
        evaluation=evaluation_list,
        evaluation_count=evaluation_count,
        fold_batch_norm=fold_batch_norm,
        proof=None if proof is None else pointer(c_int32(proof)),
        run=pointer(run),
    )


def compact_options(
    **options: "Unpack[CompactKeywords]",
) -> "structs.CompactOptions":
    """What a smaller form of a model may lose: at most one of max_error, max_size, keep_answers and
    encoding; without one, nothing is lost."""
    run = run_options(**marshal.taken(options, RunKeywords))
    return _compact_options(run=run, **marshal.renamed(options, {}))


def _metadata_options(
    *,
    output: Path | None = None,
    tolerance: tuple[float, float] | None = None,
    no_clobber: bool = False,
) -> "structs.MetadataOptions":
    return _library.make(
        structs.MetadataOptions,
        output=output,
        tolerance=None if tolerance is None else (c_double * 2)(*tolerance),
        no_clobber=no_clobber,
    )


def metadata_options(
    **options: "Unpack[MetadataKeywords]",
) -> "structs.MetadataOptions":
    """How the metadata of a .wbm file are changed."""
    return _metadata_options(**marshal.renamed(options, {}))


def _index_options(
    *,
    analyze: "structs.AnalyzeOptions",
    rebuild: bool = False,
) -> "structs.IndexOptions":
    return _library.make(
        structs.IndexOptions,
        rebuild=rebuild,
        analyze=pointer(analyze),
    )


def index_options(
    **options: "Unpack[IndexKeywords]",
) -> "structs.IndexOptions":
    """How an index of images is updated."""
    analyze = analyze_options(**marshal.taken(options, AnalyzeKeywords))
    return _index_options(analyze=analyze, **marshal.renamed(options, {}))


def _similar_options(
    *,
    analyze: "structs.AnalyzeOptions",
    metric: Literal["cosine", "euclidean"] | None = None,
    top: int | None = None,
    plot: Path | None = None,
) -> "structs.SimilarOptions":
    return _library.make(
        structs.SimilarOptions,
        metric=metric,
        top=marshal.count(top, "top"),
        plot=plot,
        analyze=pointer(analyze),
    )


def similar_options(
    **options: "Unpack[SimilarKeywords]",
) -> "structs.SimilarOptions":
    """How images are ranked by their features."""
    analyze = analyze_options(**marshal.taken(options, AnalyzeKeywords))
    return _similar_options(analyze=analyze, **marshal.renamed(options, {}))


def _search_options(
    *,
    analyze: "structs.AnalyzeOptions",
    layout: Sequence[Mapping[str, Any]] | None = None,
    like: Path | None = None,
    aspect: float | None = None,
    classes: Sequence[str] = (),
    max_cost: float | None = None,
    weights: Sequence[float] = (),
    top: int | None = None,
    output: Path | None = None,
) -> "structs.SearchOptions":
    classes_list, class_count = marshal.texts(classes, "classes")
    weights_list, weight_count = marshal.reals(weights, "weights")
    return _library.make(
        structs.SearchOptions,
        layout=None if layout is None else json.dumps(layout),
        like=like,
        aspect=None if aspect is None else pointer(c_double(aspect)),
        classes=classes_list,
        class_count=class_count,
        max_cost=None if max_cost is None else pointer(c_double(max_cost)),
        weights=weights_list,
        weight_count=weight_count,
        top=marshal.count(top, "top"),
        output=output,
        analyze=pointer(analyze),
    )


def search_options(
    **options: "Unpack[SearchKeywords]",
) -> "structs.SearchOptions":
    """What is searched for in an index of images: one of layout and like."""
    analyze = analyze_options(**marshal.taken(options, AnalyzeKeywords))
    return _search_options(analyze=analyze, **marshal.renamed(options, {}))


def _report_options(
    *,
    detect: "structs.DetectOptions",
    image: Path | None = None,
    against: Path | None = None,
    no_verify: bool = False,
    no_profile: bool = False,
    tolerance: tuple[float, float] | None = None,
    reference_inputs: Path | None = None,
    reference_outputs: Path | None = None,
    no_clobber: bool = False,
    verify: bool = False,
) -> "structs.ReportOptions":
    return _library.make(
        structs.ReportOptions,
        image=image,
        against=against,
        no_verify=no_verify,
        no_profile=no_profile,
        tolerance=None if tolerance is None else (c_double * 2)(*tolerance),
        reference_inputs=reference_inputs,
        reference_outputs=reference_outputs,
        no_clobber=no_clobber,
        detect=pointer(detect),
        verify=verify,
    )


def report_options(
    **options: "Unpack[ReportKeywords]",
) -> "structs.ReportOptions":
    """What a report of models contains."""
    detect = detect_options(**marshal.taken(options, DetectKeywords, "threshold", "overlap"))
    return _report_options(detect=detect, **marshal.renamed(options, {}))
