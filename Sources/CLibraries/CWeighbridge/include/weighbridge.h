// Weighbridge in C: reads trained models of many formats, writes .wbm files, verifies, exports and runs
// them.
//
//   weighbridge_error error = WEIGHBRIDGE_INIT(weighbridge_error);
//   weighbridge_model model;
//   if (weighbridge_model_open("tinyyolo.h5", NULL, &model, &error) != WEIGHBRIDGE_OK) {
//     fprintf(stderr, "%s\n", error.message);
//     weighbridge_error_clear(&error);
//   }
//
// Results. Every function that can fail returns a status and describes the failure in its `error` argument,
// which may be NULL. Nothing is written to a result unless the status is WEIGHBRIDGE_OK. The library prints
// nothing and ends no process.
//
// Structs. Every struct begins with its size, which tells the library what the caller was compiled with:
// initialize it with WEIGHBRIDGE_INIT, which zeroes all other members. An unknown size gives
// WEIGHBRIDGE_INVALID_ARGUMENT, except that a larger struct is accepted if its additional members are 0. In
// options, 0 and NULL mean the default, and NULL instead of an options struct means all defaults.
//
// Strings are UTF-8 and NUL-terminated. The library copies strings that it needs after the call. A string
// returned through a `char **` belongs to the caller, who frees it with weighbridge_free.
//
// Handles. A model, session, detector, classifier or analyzer is a number that is never used again. A handle
// that was closed, never existed or has another type gives WEIGHBRIDGE_INVALID_HANDLE.
//
// Threads. Every function may be called by any thread at any time. A model may be used by several threads at
// once; closing it does not affect calls that are already using it. A session, detector, classifier or
// analyzer can be used by one thread at a time: any other call meanwhile, including closing it, returns
// WEIGHBRIDGE_BUSY and has no effect, except weighbridge_session_cancel, which may be called while the session
// runs.
//
// Processes. After fork, the child of a process that has used the library cannot use it, because the
// library's threads do not exist in the child: every function that returns a status returns
// WEIGHBRIDGE_FORKED. Use the library in the child only, or start the child with posix_spawn.

#ifndef WEIGHBRIDGE_H
#define WEIGHBRIDGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Initializes a struct with its size, and with zeros in all other members: `weighbridge_error error =
/// WEIGHBRIDGE_INIT(weighbridge_error);`
#ifdef __cplusplus
#define WEIGHBRIDGE_INIT(type) \
  [] {                         \
    type made = {};            \
    made.struct_size = sizeof made; \
    return made;               \
  }()
#else
#define WEIGHBRIDGE_INIT(type) {.struct_size = sizeof(type)}
#endif

// --- Results.

/// The result of a call. Later versions may add codes.
typedef int32_t weighbridge_status;

enum {
  WEIGHBRIDGE_OK = 0,
  /// The file or one of its parts is not there or cannot be opened.
  WEIGHBRIDGE_MISSING = 1,
  /// The bytes do not follow their format.
  WEIGHBRIDGE_MALFORMED = 2,
  /// The bytes are not those that were written: a checksum does not agree.
  WEIGHBRIDGE_DAMAGED = 3,
  /// The file ends before it should.
  WEIGHBRIDGE_TRUNCATED = 4,
  /// The bytes follow their format and ask for something Weighbridge cannot do.
  WEIGHBRIDGE_UNSUPPORTED = 5,
  /// What the caller gave does not fit the model (labels, names, arrays).
  WEIGHBRIDGE_MISMATCH = 6,
  /// The output could not be written.
  WEIGHBRIDGE_OUTPUT_FAILED = 7,
  /// A limit was reached, or there is not enough memory.
  WEIGHBRIDGE_LIMIT_EXCEEDED = 8,
  /// The work was cancelled: by weighbridge_session_cancel or by the function in the options.
  WEIGHBRIDGE_CANCELLED = 9,
  /// An argument is NULL that must not be, a struct has an unknown size, or an option has an unknown value.
  WEIGHBRIDGE_INVALID_ARGUMENT = 20,
  /// The handle was closed, never existed, or has another type.
  WEIGHBRIDGE_INVALID_HANDLE = 21,
  /// The session, detector or analyzer is in use by another call.
  WEIGHBRIDGE_BUSY = 22,
  /// The process was forked after its parent had used the library.
  WEIGHBRIDGE_FORKED = 23,
};

/// The name of a status, such as `malformed`; `unknown` for an unknown number. Never NULL.
const char *weighbridge_status_name(weighbridge_status status);

/// The version of the library, such as `0.2.0`.
const char *weighbridge_version(void);

/// What went wrong, and where. The struct owns its strings: they are valid until weighbridge_error_clear, or
/// until the struct is passed to another call, which clears it first.
typedef struct weighbridge_error {
  size_t struct_size;
  weighbridge_status status;
  /// The line of the file, from 1; 0 if there is none.
  int64_t line;
  /// The byte from the start of the file; -1 if there is none.
  int64_t byte;
  /// The location and the reason in one human-readable message. A name in backquotes is a member of the
  /// options.
  const char *message;
  /// What was found, what was expected and what is possible.
  const char *reason;
  /// The file as it was given; NULL when the error has none.
  const char *file;
  /// The path inside an HDF5 file, a JSON value or an archive; NULL when there is none.
  const char *path;
  /// The layer, such as `#3 lambda_1 (Lambda)`; NULL when there is none.
  const char *layer;
  /// Owned by the library.
  void *storage;
} weighbridge_error;

/// Frees the strings of an error and resets it; does nothing for NULL.
void weighbridge_error_clear(weighbridge_error *error);

/// Frees a text that a function returned; NULL does nothing.
void weighbridge_free(char *text);

// --- Options.

/// Asks whether to stop: a nonzero result ends the work with WEIGHBRIDGE_CANCELLED. Called at most once every
/// 10 milliseconds, by the calling thread or a thread of the library, never by two at once.
typedef int32_t (*weighbridge_interrupt)(void *context);

// Generated from Schemas/options.json: begin.

/// What a source file does not say itself. An option that does not apply to the file is an error.
typedef struct weighbridge_read_options {
  size_t struct_size;
  /// The architecture of a Keras file with weights only: a to_json or to_yaml file, or an .h5 or .keras of
  /// the same network; by default the one beside it, called model.json, NAME.json, NAME_architecture.json or
  /// config.json (or .yaml). Of a .safetensors, .npz or PyTorch file: one of these, a .cfg, an ONNX model or
  /// a .wbm.
  const char *architecture;
  /// The version of Keras as which the model is interpreted, such as 2.1.5, whatever version the file names.
  const char *keras_version;
  /// The backend that Keras ran on, such as tensorflow, in place of the file's own.
  const char *keras_backend;
  /// The shapes of a model's inputs, where the file leaves sizes open: in Keras without the batch axis, 8, or
  /// 28,28,1, or None,3 for any length; in ONNX with all axes, 1,3,640,640; NAME=28,28,1 if there are several
  /// inputs. They must agree with what the file states. Each is `8,None,3` or `NAME=8,None,3`.
  const char *const *input_shapes;
  size_t input_shape_count;
  /// A file that says what Lambda and custom layers compute (Schemas/custom-layers.schema.json).
  const char *custom_layers;
  /// The weights of a darknet .cfg; by default the same name with .weights.
  const char *weights;
  /// The darknet fork that a .cfg is for: alexeyab or pjreddie. By default pjreddie if the .cfg uses
  /// something that only pjreddie's knows and nothing that only AlexeyAB's knows; else alexeyab.
  const char *darknet;
  /// A darknet .data file, for the labels; by default a .names file that fits, beside the .cfg.
  const char *data;
  /// The seed from which the weights of a darknet .cfg are generated; a seed always gives the same weights.
  const uint64_t *random_weights;
  /// Inputs of an ONNX model that are fixed, each at a number (sr=16000), a list (shape=[1,3,8]) or the array
  /// in a NumPy file (w=@w.npy). They are then constants, and conditions on them are resolved. Each is
  /// `NAME=16000`, `NAME=[1,2]` or `NAME=@file.npy`.
  const char *const *fixed_inputs;
  size_t fixed_input_count;
  /// Whether to leave out the text lookup of a Keras model (TextVectorization, StringLookup): its input is
  /// then the token IDs.
  int32_t from_token_ids;
  /// Whether to keep unknown layers as they are; the model then cannot run.
  int32_t keep_unknown;
  /// Whether to make anything that darknet silently ignores, or that a file of Keras does not say and is
  /// presumed, an error.
  int32_t strict;
  /// The model's metadata, as JSON (Schemas/metadata.schema.json).
  const char *metadata;
  /// A JSON object with the names of tensors of a PyTorch or .safetensors file, and for each that of the
  /// architecture's weight, where they cannot be inferred from the names or the order. Since version 0.3.
  const char *weight_names;
} weighbridge_read_options;

/// How a model is run.
typedef struct weighbridge_run_options {
  size_t struct_size;
  /// The engine: cpu, the default, or reference, which is slow and defines the correct results.
  const char *engine;
  /// How many threads work at once; by default one for each processor. Results do not depend on it.
  int32_t threads;
  /// Has no effect: no kernel of version 0.2 made use of it.
  int32_t fast;
  /// The most bytes that activations may take at once; by default 64 GiB.
  uint64_t memory_limit;
  /// Asks between layers whether to stop; NULL never.
  weighbridge_interrupt interrupt;
  void *interrupt_context;
} weighbridge_run_options;

/// How a file is written.
typedef struct weighbridge_write_options {
  size_t struct_size;
  /// Whether to refuse to replace existing files. `keep_existing` is its former name.
  union {
    int32_t no_clobber;
    int32_t keep_existing;
  };
  /// Asks whether to stop; nothing is left behind then.
  weighbridge_interrupt interrupt;
  void *interrupt_context;
} weighbridge_write_options;

/// How a model is exported. An option that does not apply to the format is an error.
typedef struct weighbridge_export_options {
  size_t struct_size;
  /// The format; by default inferred from the path. One of `coreml`, `mlpackage`, `darknet`, `onnx`,
  /// `safetensors`, `npz`, `keras`, `keras-h5`, `ncnn`, `tflite`, `tfjs`, `pytorch`.
  const char *target;
  /// The darknet fork that will read the files: alexeyab or pjreddie; by default that of a model from
  /// darknet, else alexeyab.
  const char *darknet;
  /// The order of the axes of images that a model takes and gives: source, the default in ONNX, or nchw, the
  /// default in PyTorch.
  const char *layout;
  /// The number type of stored weights of float32: float32, the default, or float16. An ONNX model and a
  /// PyTorch module compute in float32 all the same. A Core ML package computes in it, by default in float16.
  const char *precision;
  /// What a Core ML model is: network, classifier or regressor. By default a classifier where labels and a
  /// vector of probabilities fit each other, else a network.
  const char *kind;
  /// The former form of with_nms: `boxes` or `heads`.
  const char *outputs;
  /// The sizes that images of a Core ML model may have, width before height, the usual one first, where the
  /// network leaves them open: 416x416,608x320. By default any size. Width and height of each.
  const int64_t *sizes;
  size_t size_count;
  /// The version of ONNX's operators, 13 to 23; by default 17, which every current runtime supports.
  int32_t opset;
  /// The specification version of a Core ML model, 1 to 5; by default the lowest that has all its layers.
  int32_t spec_version;
  /// Whether to put the weights of an ONNX model into a file beside it, with .data added to its name; more
  /// than 2 GB of weights always are.
  int32_t external_data;
  /// Whether to make batch normalizations part of the weights before them; by default they stay, and all
  /// weights are those of the source.
  int32_t fold_batch_norm;
  /// Whether to refuse to replace existing files. `keep_existing` is its former name.
  union {
    int32_t no_clobber;
    int32_t keep_existing;
  };
  /// Asks whether to stop; nothing is left behind then.
  weighbridge_interrupt interrupt;
  void *interrupt_context;
  /// Whether a detector's file decodes the boxes and filters them (non-maximum suppression) instead of giving
  /// its heads as they are; by default as is usual in the format: boxes in Core ML, else the heads. Since
  /// version 0.3.
  const int32_t *with_nms;
  /// Whether to keep weights in .safetensors and .npz files in the encoding in which they are stored
  /// (integers, tables, 16 bits), with scales and tables beside them: NAME/quantized, NAME/scale, NAME/codes,
  /// NAME/table. Since version 0.3.
  int32_t keep_integers;
  /// Whether to let the custom operator TFLite_Detection_PostProcess filter the boxes of a TFLite model
  /// (with_nms), as Google's own detectors do, instead of built-in operators. Since version 0.3.
  int32_t detection_postprocess;
  /// How a TensorFlow.js model stores its weights: in float16, or in uint8 with a scale and a minimum for
  /// each; by default in float32. Since version 0.3.
  const char *quantization;
  /// The oldest system that can run a Core ML package: ios15, ios16 (the default), ios17 or ios18, or macos12
  /// to macos15 of the same years. Since version 0.3.
  const char *deployment;
  /// The number of examples that a model takes at once, for tools that must know every size before they run
  /// it; by default it stays open. Since version 0.3.
  int32_t batch_size;
} weighbridge_export_options;

/// What is verified, and how strictly.
typedef struct weighbridge_verify_options {
  size_t struct_size;
  /// The original file to compare with.
  const char *against;
  /// How the original file is read.
  const weighbridge_read_options *against_options;
  /// The allowed difference of outputs: absolute, plus relative to the largest magnitude of the expected
  /// output. By default the standard tolerance of each element type. In the program these are --atol and
  /// --rtol. Two numbers.
  const double *tolerance;
  /// Whether to compare layer by layer and name the first that diverges.
  int32_t layers;
  /// How the model is run; the engine is ignored, since both are compared.
  const weighbridge_run_options *run;
  /// Arrays for the model's inputs (.npy or .npz); verifying takes them in place of those in the file. Since
  /// version 0.3.
  const char *reference_inputs;
  /// The original framework's outputs for them (.npy or .npz); arrays named after layers are references of
  /// those layers. Since version 0.3.
  const char *reference_outputs;
  /// Images, files of arrays (.npy, .npz) or folders of either, on which the stated error of a compacted
  /// model is measured anew against the original. Since version 0.3.
  const char *const *evaluation;
  size_t evaluation_count;
} weighbridge_verify_options;

/// How objects are detected; by default as the model says.
typedef struct weighbridge_detect_options {
  size_t struct_size;
  /// The confidence above which an object counts, 0 to 1; the model's own, or 0.25. `threshold` is its former
  /// name.
  union {
    const double *confidence_threshold;
    const double *threshold;
  };
  /// The overlap (intersection over union) above which boxes suppress each other, 0 to 1; the model's own, or
  /// 0.45. `overlap` is its former name.
  union {
    const double *iou_threshold;
    const double *overlap;
  };
  /// How overlapping boxes are suppressed: none, greedy (each class by itself), distance (the same with the
  /// centers' distance, DIoU) or class-agnostic; the model's own, or greedy.
  const char *suppression;
  /// How the model is run.
  const weighbridge_run_options *run;
  /// How an image is brought to the input's size: letterbox, stretch or center-crop; the model's own, or
  /// stretch. Since version 0.3.
  const char *resize;
  /// How pixels are computed then: darknet, half-pixel, top-left, nearest, pillow-bilinear or pillow-bicubic;
  /// darknet for its models, else pillow-bicubic. Since version 0.3.
  const char *resampling;
} weighbridge_detect_options;

/// What an analyzer computes.
typedef struct weighbridge_analyze_options {
  size_t struct_size;
  /// The output or layer whose numbers are the features; by default the only output of a model that is not a
  /// detector. A detector then has no features.
  const char *features;
  /// How a detector finds objects. The options of the run apply to every model, except threads: each image is
  /// analyzed by one thread.
  const weighbridge_detect_options *detect;
} weighbridge_analyze_options;

/// How images are classified; by default as the model says.
typedef struct weighbridge_classify_options {
  size_t struct_size;
  /// The most classes that are given for an image; 5 by default.
  int32_t top;
  /// The probability above which a class is given, 0 to 1; by default all are.
  const double *threshold;
  /// The kind of scores: probabilities, logits (a softmax turns them into probabilities) or
  /// log-probabilities. By default as the metadata entry class_scores says, else as the last layers show.
  const char *scores;
  /// How an image is brought to the input's size: letterbox, stretch or center-crop; the model's own, or
  /// stretch.
  const char *resize;
  /// How pixels are computed then: darknet, half-pixel, top-left, nearest, pillow-bilinear or pillow-bicubic;
  /// darknet for its models, else pillow-bicubic.
  const char *resampling;
  /// How the model is run.
  const weighbridge_run_options *run;
} weighbridge_classify_options;

/// How images are transformed; by default as the model says.
typedef struct weighbridge_stylize_options {
  size_t struct_size;
  /// The scale of the output: an 8-bit component x is x times this plus output_bias. By default from the
  /// metadata, else from the last activation, else 1.
  const double *output_scale;
  /// See output_scale, without which it has no meaning; 0 by default.
  const double *output_bias;
  /// The most pixels along a side of a tile, of a model that takes images of any size; 512 by default.
  int32_t tile;
  /// The fewest pixels that neighboring tiles share; 64 by default.
  int32_t overlap;
  /// How an image is brought to the input's size, if that is fixed: letterbox, stretch or center-crop; the
  /// model's own, or stretch.
  const char *resize;
  /// How pixels are computed then: darknet, half-pixel, top-left, nearest, pillow-bilinear or pillow-bicubic;
  /// darknet for its models, else pillow-bicubic.
  const char *resampling;
  /// How the model is run.
  const weighbridge_run_options *run;
} weighbridge_stylize_options;

/// What is compared of two models.
typedef struct weighbridge_compare_options {
  size_t struct_size;
  /// Whether to pair layers by their names, and compare names too; otherwise layers are paired by structure.
  int32_t names;
  /// Arrays for the models' inputs (.npy or .npz): both are run on them, and their outputs are compared.
  const char *inputs;
  /// The allowed difference of outputs: absolute, plus relative to the largest magnitude of the expected
  /// output. By default the standard tolerance of each element type. Two numbers.
  const double *tolerance;
  /// How the models are run.
  const weighbridge_run_options *run;
} weighbridge_compare_options;

/// What a smaller form of a model may lose: at most one of max_error, max_size, keep_answers and encoding;
/// without one, nothing is lost.
typedef struct weighbridge_compact_options {
  size_t struct_size;
  /// The relative error of each output that at most 1 in 20 other inputs exceeds, such as 0.01.
  const double *max_error;
  /// The most bytes that the weights may take.
  uint64_t max_size;
  /// The share of top classes, or of detections, that must stay, such as 0.99.
  const double *keep_answers;
  /// One encoding for all weights that are multiplied with data, whatever that costs: int2 to int8 (a scale
  /// for each channel), int2-block32 to int8-block32, palette1 to palette8, float16, bfloat16.
  const char *encoding;
  /// int8 or bfloat16: compute layers with 8-bit integers or bfloat16, both weights and data: as many layers
  /// as max_error allows (0.05 by default). The weights of the others stay exact.
  const char *activations;
  /// Images, files of arrays (.npy, .npz) or folders of either to decide by.
  const char *const *calibration;
  size_t calibration_count;
  /// Others to measure the loss on.
  const char *const *evaluation;
  size_t evaluation_count;
  /// Whether to make batch normalizations part of the weights before them; by default they stay exact.
  int32_t fold_batch_norm;
  /// Whether an example with its outputs is stored, by which the loss can be verified; by default when that
  /// takes little space.
  const int32_t *proof;
  /// How the model is run.
  const weighbridge_run_options *run;
} weighbridge_compact_options;

/// How the metadata of a .wbm file are changed.
typedef struct weighbridge_metadata_options {
  size_t struct_size;
  /// Where the changed file goes; by default in place.
  const char *output;
  /// The tolerance of the reference outputs in the file: absolute, plus relative to the largest magnitude of
  /// the expected output; by default as it is. Two numbers.
  const double *tolerance;
  /// Whether to refuse to replace an existing file, other than the one that is changed in place.
  int32_t no_clobber;
} weighbridge_metadata_options;

/// How an index of images is updated.
typedef struct weighbridge_index_options {
  size_t struct_size;
  /// Whether to empty an index of another model, other options or another version.
  int32_t rebuild;
  /// What is stored of each image; the threads are the number of images at once.
  const weighbridge_analyze_options *analyze;
} weighbridge_index_options;

/// How images are ranked by their features.
typedef struct weighbridge_similar_options {
  size_t struct_size;
  /// The distance: cosine, the default, or euclidean.
  const char *metric;
  /// How many images are given for each query; 10 by default.
  int32_t top;
  /// A folder for drawings, as SVG and PNG: the features of each query as bars, and the distances of all
  /// pairs of the queries and the images found.
  const char *plot;
  /// How a model analyzes images that are not in the index.
  const weighbridge_analyze_options *analyze;
} weighbridge_similar_options;

/// What is searched for in an index of images: one of layout and like.
typedef struct weighbridge_search_options {
  size_t struct_size;
  /// The wanted objects, as JSON: a list of {label, x, y, width, height} in the unit square, from the upper
  /// left corner.
  const char *layout;
  /// An image whose own detections are the wanted objects.
  const char *like;
  /// The width over the height of the image that layout describes; 1 by default.
  const double *aspect;
  /// The classes that count for the presence; all by default.
  const char *const *classes;
  size_t class_count;
  /// Images must cost less; 5 by default.
  const double *max_cost;
  /// The weights of presence, relative position, size and relative size; 2, 1.5, 1 and 0.5 by default.
  const double *weights;
  size_t weight_count;
  /// The most images that are given; all by default.
  int32_t top;
  /// Where a sheet with the wanted layout, the first images and their boxes goes (.png or .jpg).
  const char *output;
  /// How a model analyzes images that are not in the index.
  const weighbridge_analyze_options *analyze;
} weighbridge_search_options;

/// What a report of models contains.
typedef struct weighbridge_report_options {
  size_t struct_size;
  /// A JPEG or PNG picture in which detectors look for objects, and which classifiers classify.
  const char *image;
  /// The original file to compare with.
  const char *against;
  /// Whether to leave verifying out.
  int32_t no_verify;
  /// Whether to leave out how long the layers of a run take.
  int32_t no_profile;
  /// The allowed difference of outputs: absolute, plus relative to the largest magnitude of the expected
  /// output. By default the standard tolerance of each element type. Two numbers.
  const double *tolerance;
  /// Arrays for the models' inputs (.npy or .npz); verifying takes them in place of those in the file.
  const char *reference_inputs;
  /// The original framework's outputs for them (.npy or .npz).
  const char *reference_outputs;
  /// Whether to refuse to replace an existing file.
  int32_t no_clobber;
  /// How detectors find objects, and how the models are run.
  const weighbridge_detect_options *detect;
  /// Whether to also compare the fast engine with the reference engine, which takes many times as long as a
  /// run. Since version 0.3.
  int32_t verify;
} weighbridge_report_options;

// Generated: end.

// --- Models.

/// A model; 0 is none.
typedef uint64_t weighbridge_model;

/// Opens a model of any supported format, recognized by its content. A .wbm file is mapped, which takes the
/// same time whatever its size.
weighbridge_status weighbridge_model_open(
    const char *path, const weighbridge_read_options *options, weighbridge_model *model,
    weighbridge_error *error);

/// Closes a model. Its sessions and detectors stay open.
weighbridge_status weighbridge_model_close(weighbridge_model model, weighbridge_error *error);

/// How many inputs and outputs a model has.
weighbridge_status weighbridge_model_counts(
    weighbridge_model model, size_t *inputs, size_t *outputs, weighbridge_error *error);

/// The numbers that an array consists of, in the processor's byte order.
typedef int32_t weighbridge_element_type;

enum {
  WEIGHBRIDGE_FLOAT16 = 1,
  WEIGHBRIDGE_BFLOAT16 = 2,
  WEIGHBRIDGE_FLOAT32 = 3,
  WEIGHBRIDGE_FLOAT64 = 4,
  WEIGHBRIDGE_INT8 = 5,
  WEIGHBRIDGE_INT16 = 6,
  WEIGHBRIDGE_INT32 = 7,
  WEIGHBRIDGE_INT64 = 8,
  WEIGHBRIDGE_UINT8 = 9,
  WEIGHBRIDGE_UINT16 = 10,
  WEIGHBRIDGE_UINT32 = 11,
  WEIGHBRIDGE_UINT64 = 12,
  /// A byte: 0 is false, 1 is true.
  WEIGHBRIDGE_BOOL = 13,
};

/// A contiguous row-major array in memory.
typedef struct weighbridge_array {
  size_t struct_size;
  /// The name of the input or output; NULL for the one at this place in the model's order.
  const char *name;
  weighbridge_element_type element_type;
  /// The number of axes.
  int32_t rank;
  /// The size of each axis, outermost first; -1 for one that is not known before a run.
  const int64_t *shape;
  /// The elements.
  void *data;
  /// The size of the memory at `data`.
  size_t byte_count;
} weighbridge_array;

/// Returns the name, element type, rank and shape of an input; the other members are 0. The name and shape
/// are valid until the model is closed.
weighbridge_status weighbridge_model_input(
    weighbridge_model model, size_t position, weighbridge_array *input, weighbridge_error *error);

/// Says what an output is, as weighbridge_model_input does.
weighbridge_status weighbridge_model_output(
    weighbridge_model model, size_t position, weighbridge_array *output, weighbridge_error *error);

/// The model's metadata as JSON (Schemas/metadata.schema.json).
weighbridge_status weighbridge_model_metadata(
    weighbridge_model model, char **json, weighbridge_error *error);

/// Writes the model as a .wbm file, which appears only when it is complete.
weighbridge_status weighbridge_model_write(
    weighbridge_model model, const char *path, const weighbridge_write_options *options,
    weighbridge_error *error);

/// Writes the model in another tool's format; nothing is written unless all of it can be.
///
/// The report is `{"files": [...], "notes": [...]}`: the files written, and the parts of the model that they
/// do not contain.
weighbridge_status weighbridge_model_export(
    weighbridge_model model, const char *path, const weighbridge_export_options *options,
    char **report, weighbridge_error *error);

/// Verifies the model. Problems are listed in the report; the status is WEIGHBRIDGE_OK even then.
///
/// The report is `{"passed": true, "checks": [{"name": ..., "status": ..., "reason": ...}, ...]}`.
weighbridge_status weighbridge_model_verify(
    weighbridge_model model, const weighbridge_verify_options *options, char **report,
    weighbridge_error *error);

/// Describes a model file as JSON (Schemas/inspect.schema.json), even one that cannot be opened as a model:
/// its layers, and what is unsupported.
weighbridge_status weighbridge_inspect(
    const char *path, const weighbridge_read_options *options, char **json, weighbridge_error *error);

/// Reads a model of any format and writes it as a .wbm file.
weighbridge_status weighbridge_convert(
    const char *path, const weighbridge_read_options *options, const char *output,
    const weighbridge_write_options *write_options, weighbridge_error *error);

/// Makes a part of a model: the layers from `inputs` to `outputs`, by their names. Without inputs, the part
/// takes those of the model's inputs that it needs. Since version 0.3, as all functions below that are not
/// about sessions, detectors and analyzers.
weighbridge_status weighbridge_model_cut(
    weighbridge_model model, const char *const *outputs, size_t output_count, const char *const *inputs,
    size_t input_count, const weighbridge_run_options *options, weighbridge_model *part,
    weighbridge_error *error);

/// Makes the same model with its weights in a smaller form. What that costs is in the file that
/// weighbridge_model_write makes of it: weighbridge_inspect says it.
weighbridge_status weighbridge_model_compact(
    weighbridge_model model, const weighbridge_compact_options *options, weighbridge_model *compacted,
    weighbridge_error *error);

/// Compares two models: structure, weights and metadata, and their outputs where inputs are given.
///
/// The result is `{"same": true, "operators": ..., "weights": ..., "numbers": ..., "differences": [{"kind": ...,
/// "counts": ..., "reason": ...}, ...]}`.
weighbridge_status weighbridge_model_compare(
    weighbridge_model model, weighbridge_model other, const weighbridge_compare_options *options,
    char **json, weighbridge_error *error);

/// Transforms an image with a model that takes an image and gives one.
///
/// image: a JPEG or PNG file. output: where the new image goes, .png or .jpg.
weighbridge_status weighbridge_model_stylize(
    weighbridge_model model, const char *image, const char *output,
    const weighbridge_stylize_options *options, weighbridge_error *error);

/// A typed interface of the model in Swift.
///
/// name: the class's name. bundled: the name of the model's file in the target's bundle, or NULL.
weighbridge_status weighbridge_model_swift(
    weighbridge_model model, const char *name, const char *bundled, char **code, weighbridge_error *error);

/// Changes what a .wbm file says of its model; the tensors are neither decoded nor digested again.
///
/// changes: a JSON object of strings, in which null removes an entry. Keys are name, author, license, version,
/// description, inputs.NAME.description and outputs.NAME.description; any other key is an entry of its own.
weighbridge_status weighbridge_metadata_edit(
    const char *path, const char *changes, const weighbridge_metadata_options *options,
    weighbridge_error *error);

/// Writes a page that shows a model, or two side by side: one HTML file that loads nothing.
///
/// paths: one or two models of any format. read_options: for both.
weighbridge_status weighbridge_report(
    const char *const *paths, size_t path_count, const weighbridge_read_options *read_options,
    const char *output, const weighbridge_report_options *options, weighbridge_error *error);

// --- Sessions: a model that is ready to run again and again.

/// A session; 0 is none.
typedef uint64_t weighbridge_session;

/// Prepares a model for running. The options apply to all runs; what `interrupt_context` points to must
/// remain valid until the session is closed.
weighbridge_status weighbridge_session_open(
    weighbridge_model model, const weighbridge_run_options *options, weighbridge_session *session,
    weighbridge_error *error);

/// Closes a session, and frees what its runs have returned.
weighbridge_status weighbridge_session_close(
    weighbridge_session session, weighbridge_error *error);

/// Returns the outputs of a run for inputs of given types and shapes; their data is ignored. Each output gets
/// its name, element type, rank, shape and size in bytes; if its shape is known only after a run, its rank is
/// -1 and its shape NULL. Names and shapes are valid until the next call with the session.
weighbridge_status weighbridge_session_outputs(
    weighbridge_session session, const weighbridge_array *inputs, size_t input_count,
    weighbridge_array *outputs, size_t output_count, weighbridge_error *error);

/// Computes the model's outputs.
///
/// The engine reads inputs and writes outputs in place. It copies arrays of types that it computes in another
/// type (float16, bfloat16), arrays that are not aligned to their elements, outputs that share memory with
/// other data, and everything if shapes are known only after a run or the engine is `reference`.
///
/// inputs: one for each input of the model, of its element type. Their memory is only read. `data` may be NULL
/// for an input with a `default` in the metadata, which its elements then are (since version 0.3).
/// outputs: one for each output of the model. If `data` is set, the array must have the element type, rank
/// and shape returned by weighbridge_session_outputs and enough memory for its elements, and must not overlap
/// another array. If `data` is NULL, the session fills in all members; the memory is the session's and is
/// valid until its next call. After an error, the contents of the outputs are undefined.
weighbridge_status weighbridge_session_run(
    weighbridge_session session, const weighbridge_array *inputs, size_t input_count,
    weighbridge_array *outputs, size_t output_count, weighbridge_error *error);

/// Computes the model's outputs once, and says how long each layer took. The first run of a session also
/// prepares weights, so run it once before. Since version 0.3.
///
/// The result is `{"total_ms", "activation_bytes", "activation_bytes_at_least", "layers": [{"name", "operator",
/// "fused", "kernel", "ms", "share", "operations"}]}`, the slowest layer first.
weighbridge_status weighbridge_session_profile(
    weighbridge_session session, const weighbridge_array *inputs, size_t input_count, char **json,
    weighbridge_error *error);

/// Stops the current run, which returns WEIGHBRIDGE_CANCELLED before its next layer; does nothing if there is
/// none.
weighbridge_status weighbridge_session_cancel(
    weighbridge_session session, weighbridge_error *error);

// --- Detectors: a model that finds objects in images.

/// A detector; 0 is none.
typedef uint64_t weighbridge_detector;

/// Makes a detector of a model whose metadata says how an image becomes its input and how boxes are read
/// from its outputs.
weighbridge_status weighbridge_detector_open(
    weighbridge_model model, const weighbridge_detect_options *options,
    weighbridge_detector *detector, weighbridge_error *error);

/// Closes a detector.
weighbridge_status weighbridge_detector_close(
    weighbridge_detector detector, weighbridge_error *error);

/// Finds the objects in a JPEG or PNG file.
///
/// The result is a list of `{"label": ..., "class": ..., "confidence": ..., "box": {"x": ..., "y": ...,
/// "width": ..., "height": ...}}`, the most confident first. `x` and `y` are the box's upper left corner; all
/// four are fractions of the image's width or height.
weighbridge_status weighbridge_detector_file(
    weighbridge_detector detector, const char *path, char **json, weighbridge_error *error);

/// Finds the objects in an image in memory, as weighbridge_detector_file does.
///
/// image: uint8 of the shape [height, width, 3], in red, green and blue.
weighbridge_status weighbridge_detector_pixels(
    weighbridge_detector detector, const weighbridge_array *image, char **json,
    weighbridge_error *error);

/// Finds the objects in a JPEG or PNG file, as weighbridge_detector_file does, and draws their boxes and labels
/// into a copy. Since version 0.3.
///
/// output: where the copy goes, .png or .jpg.
weighbridge_status weighbridge_detector_draw(
    weighbridge_detector detector, const char *image, const char *output, char **json,
    weighbridge_error *error);

// --- Classifiers: a model that tells what images show.

/// A classifier; 0 is none. It is a handle for one thread at a time, as a detector is.
typedef uint64_t weighbridge_classifier;

/// Makes a classifier of a model that takes one image and gives a score for each class.
weighbridge_status weighbridge_classifier_open(
    weighbridge_model model, const weighbridge_classify_options *options,
    weighbridge_classifier *classifier, weighbridge_error *error);

/// Closes a classifier.
weighbridge_status weighbridge_classifier_close(
    weighbridge_classifier classifier, weighbridge_error *error);

/// Finds the classes of a JPEG or PNG file.
///
/// The result is a list of `{"label": ..., "class": ..., "probability": ...}`, the most probable first.
weighbridge_status weighbridge_classifier_file(
    weighbridge_classifier classifier, const char *path, char **json, weighbridge_error *error);

/// Finds the classes of an image in memory, as weighbridge_classifier_file does.
///
/// image: uint8 of the shape [height, width, 3], in red, green and blue.
weighbridge_status weighbridge_classifier_pixels(
    weighbridge_classifier classifier, const weighbridge_array *image, char **json,
    weighbridge_error *error);

// --- Analyzers: models that describe images by detections and by a feature vector. Their results are what
// `weighbridge index` stores.

/// An analyzer; 0 is none. It is a handle for one thread at a time, as a detector is.
typedef uint64_t weighbridge_analyzer;

/// Makes an analyzer of a model whose metadata says how an image becomes its input.
weighbridge_status weighbridge_analyzer_open(
    weighbridge_model model, const weighbridge_analyze_options *options,
    weighbridge_analyzer *analyzer, weighbridge_error *error);

/// Closes an analyzer.
weighbridge_status weighbridge_analyzer_close(
    weighbridge_analyzer analyzer, weighbridge_error *error);

/// Identifies everything that determines the results: the SHA-256 digest, as 64 hexadecimal digits, of the
/// model's graph, weights and metadata and of the options.
weighbridge_status weighbridge_analyzer_identity(
    weighbridge_analyzer analyzer, char **digest, weighbridge_error *error);

/// Analyzes a JPEG or PNG file in memory.
///
/// file: its bytes, `byte_count` of them.
/// json: `{"width": ..., "height": ..., "detections": [...]}`: the image's size in pixels, and a list as
/// weighbridge_detector_file gives it; null when the model is not a detector.
/// features: float32 `[features]`, valid until the next call with the analyzer; `data` is NULL if the model
/// has no features. The argument itself may be NULL.
weighbridge_status weighbridge_analyzer_image(
    weighbridge_analyzer analyzer, const void *file, size_t byte_count, char **json,
    weighbridge_array *features, weighbridge_error *error);

// --- Indexes: what a model makes of the images in a folder, for searching.

/// Updates an index of images, an SQLite database that is made when it is not there: new and changed JPEG and
/// PNG files of the folder and its subfolders are analyzed.
///
/// The result is `{"index", "images", "analyzed", "known", "unchanged", "removed", "unreadable": [{"image",
/// "reason"}], "other_files"}`.
weighbridge_status weighbridge_index_update(
    const char *index, const char *folder, weighbridge_model model,
    const weighbridge_index_options *options, char **json, weighbridge_error *error);

/// Finds the images that are most like others, by their features.
///
/// index: an index, or a folder of images, which are then analyzed by the model.
/// model: for a folder, and for queries that are not in the index; else 0.
/// queries: JPEG and PNG files, `query_count` of them.
/// The result is a list of `{"query", "matches": [{"image", "distance"}]}`, the nearest first.
weighbridge_status weighbridge_index_similar(
    const char *index, weighbridge_model model, const char *const *queries, size_t query_count,
    const weighbridge_similar_options *options, char **json, weighbridge_error *error);

/// Finds images by the objects in them and where they are; for `index` and `model` see
/// weighbridge_index_similar.
///
/// The result is a list of `{"image", "cost", "terms": {"presence", "relative_position", "size",
/// "relative_size"}, "detections"}`, the best first.
weighbridge_status weighbridge_index_search(
    const char *index, weighbridge_model model, const weighbridge_search_options *options, char **json,
    weighbridge_error *error);

#ifdef __cplusplus
}
#endif

#endif
