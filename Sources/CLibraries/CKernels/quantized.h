#pragma once

#include "convolutions.h"
#include "quantization.h"

// Convolutions of 8-bit integers and of bfloat16. They work as those of float32 do (convolutions.h), except
// that a 4-byte word, of four bytes or two bfloat16, takes the place of one channel: a tile of some outputs
// of 16 or 32 channels stays in registers as int32 or float32 sums while the window passes over the input. At
// the end the sums become float32, and are then converted to the format of the result.

/// The size in bytes of the channels whose products one dot product adds up.
enum { WORD = 4 };

/// The size in bytes of a stored element.
static inline int64_t element_size(bool is_bfloat16) { return is_bfloat16 ? 2 : 1; }

typedef int32_t int32x16 __attribute__((ext_vector_type(16)));
typedef uint8_t bytes16 __attribute__((ext_vector_type(16)));
typedef int8_t signed_bytes16 __attribute__((ext_vector_type(16)));
typedef uint16_t bfloat16x16 __attribute__((ext_vector_type(16)));

/// Precomputed parameters of a storage format.
struct rounding {
  bool is_bfloat16, divides;
  float scale, factor, least, greatest;
  int32_t zero_point, nan;
};

static inline struct rounding make_rounding(struct kernels_quantization quantization) {
  return (struct rounding){
    .is_bfloat16 = quantization.is_bfloat16, .divides = quantization.divides,
    .scale = quantization.scale, .factor = 1 / quantization.scale,
    .least = (float)-quantization.zero_point,
    .greatest = (float)(255 - quantization.zero_point), .zero_point = quantization.zero_point,
    .nan = quantization.nan,
  };
}

/// Rounds to integers, ties to even.
INLINE bytes16 round_to_integers(vector value, const struct rounding *rounding) {
#pragma clang fp contract(off)
  const int32x16 is_number = value == value;
  value = rounding->divides ? value / rounding->scale : value * rounding->factor;
  value = value > rounding->least ? value : rounding->least;
  value = value < rounding->greatest ? value : rounding->greatest;
  // Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
  const vector shifted = value + 12582912.0f;
  int32x16 whole;
  memcpy(&whole, &shifted, sizeof whole);
  whole += rounding->zero_point - 0x4B400000;
  whole = is_number ? whole : rounding->nan;
  return __builtin_convertvector(whole, bytes16);
}

/// Rounds to bfloat16, ties to even. NaN stays NaN.
INLINE bfloat16x16 round_to_bfloat16(vector value) {
  int32x16 bits;
  memcpy(&bits, &value, sizeof bits);
  const int32x16 rounded = bits + 0x7FFF + ((bits >> 16) & 1);
  bits = value == value ? rounded : bits | 0x400000;
  return __builtin_convertvector((bits >> 16) & 0xFFFF, bfloat16x16);
}

/// The numbers that 16 integers stand for.
INLINE vector widen_integers(bytes16 integers, struct kernels_quantization quantization) {
  const int32x16 difference = __builtin_convertvector(integers, int32x16) - quantization.zero_point;
  return __builtin_convertvector(difference, vector) * quantization.scale;
}

INLINE vector widen_bfloat16(bfloat16x16 packed) {
  const int32x16 bits = __builtin_convertvector(packed, int32x16) << 16;
  vector value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// The bits of `ending`, for the common cases: the result is stored in the format of the source, and nothing
/// else happens except what these bits say.
/// Negative values become 0 or, with HAS_SLOPE, are multiplied by the slope.
enum { ADDS_REDUCED = 1, STORES_FLOATS = 2, RECTIFIES = 4, HAS_SLOPE = 8, ENDINGS = 12 };

/// The blocks into which the outputs are divided. A block reads a part of each pixel: where there are groups,
/// only the channels of its own ones, next to which there may be others with zero weights.
struct quantized_blocks {
  /// The number of blocks, and of outputs in one, which is 16 or 32; the last outputs may be padding.
  int64_t count;
  int width;
  /// The blocks of a group, which then do not cross groups; otherwise 0.
  int64_t per_group;
  /// The outputs in all and of a group, and the inputs of a group.
  int64_t outputs, group_outputs, group_inputs;
  /// The sizes in bytes of a pixel, of the part that a block reads, and of an element.
  int64_t pixel_size, span, size;
  /// Whether each output depends only on the input with the same index.
  bool is_depthwise;
};

struct quantized_blocks divide_outputs(const struct kernels_quantized_weights *weights);

/// How a depthwise convolution of integers computes the outputs of a pass: from words, each of which holds four
/// rows of a channel.
struct depthwise_pass {
  const struct pass *plain;
  /// The pass with the words as its source. A tap is a column of four rows of the window.
  struct pass words;
  /// The numbers of rows and columns of the window, and of words in a column.
  int64_t rows, columns, groups;
  /// How many rows of outputs are computed from the same words, and their stride in rows of the window.
  int64_t together, distance;
  /// The strides of outputs in planes, rows and columns of the image. The first column that the first output reads,
  /// and how many each covers.
  int64_t strides[3], first_column, covered;
  /// The number of tiles of a row that are computed from the same words.
  int64_t tiles;
  /// The rows of the words: the position in the image for the first output, and the first row of outputs, of those
  /// that are computed together, that reads it.
  struct source_row {
    int64_t z, y, output;
  } *source_rows;
};

struct quantized_convolution {
  kernels_primitive primitive;
  struct passes passes;
  int64_t images;
  struct padded_input input;
  struct quantized_blocks blocks;
  /// For each pass; NULL if words do not hold several rows of a channel.
  struct depthwise_pass *depthwise;
  /// How the source is stored.
  struct kernels_quantization stored;
  /// The size in bytes of a pixel of the quantized result and of the summand.
  int64_t target_pixel_size, summand_pixel_size;
  /// The result's capacity in channels, including padding.
  int64_t target_capacity;
  /// The window elements of a tap, and the length in bytes of the contiguous run that it covers: the channels
  /// of one pixel or of adjacent ones.
  int64_t joined, run;
  /// The number of window elements, of outputs of a channel, and of channels.
  int64_t elements, outputs, out_channels;
  struct kernels_quantized_result result;
  struct rounding rounding;
  /// The bits above, or ENDINGS for the general case.
  int ending;
  struct operations operations;
};

/// A tile of outputs, and where its operands are.
struct quantized_tile {
  int count;
  const struct pass *pass;
  const uint8_t *source;
  const int8_t *weights;
  /// From the first channel of the tile on.
  const int32_t *shifts;
  const float *scales, *bias;
  /// The first channel, and how many there are; the same with the padding that is stored after them.
  int64_t channel, valid, stored;
  /// The index of the first output in the image.
  int64_t first_output;
  /// The start of the image in each array; NULL if it is not used.
  float *floats;
  uint8_t *bytes;
  const uint8_t *summands;
};

/// Computes a tile.
typedef void quantized_tile_function(
    const struct quantized_convolution *all, const struct quantized_tile *tile);

/// The maximum number of outputs in a tile on this processor.
///
/// @param has_words Whether the tiles are computed from words, as all are but some of depthwise convolutions.
int widest_quantized_tile(bool is_bfloat16, bool has_words);

/// The functions for tiles of 1, 2, ... outputs.
quantized_tile_function *const *quantized_tile_functions(const struct quantized_convolution *all);

/// The value that is subtracted from each source integer before it is multiplied. Where a processor has no
/// dot product of unsigned and signed bytes, this is 128, which makes both operands signed.
int32_t source_offset(void);

/// Whether a depthwise convolution of integers is computed from words that hold four rows: if there is room for
/// these, and where that is faster.
bool suits_words(const struct space *space);

/// Plans how a depthwise convolution computes its passes from words. Returns false if memory cannot be allocated;
/// `free_depthwise` frees what there is in either case.
bool plan_depthwise(struct quantized_convolution *all, const struct space *space);

void free_depthwise(struct quantized_convolution *all);

/// The number of parts into which the outputs of a pass are divided.
int64_t count_depthwise_parts(const struct depthwise_pass *pass);

/// Computes 16 channels of some parts.
///
/// @param tile What the tiles have in common.
/// @param image The first of these channels of the image, which is not padded.
void compute_depthwise_parts(
    const struct quantized_convolution *all, const struct depthwise_pass *pass, struct quantized_tile tile,
    const uint8_t *image, int64_t first, int64_t end);
