#pragma once

#include <string.h>

#include "convolutions.h"
#include "quantization.h"

// Convolutions of 8-bit integers. They go as those of float32 do (convolutions.h), with four channels
// of a byte each in the place of one: some outputs of 16 or 32 channels, a tile, stay in registers as sums
// of int32 while the window passes over the input. The sums become float32 at the end, and from there what
// the result is stored as.

/// So many channels are multiplied and added up at once.
enum { QUAD = 4 };

typedef int32_t integers __attribute__((ext_vector_type(16)));
typedef float numbers __attribute__((ext_vector_type(16)));
typedef uint8_t sixteen_octets __attribute__((ext_vector_type(16)));

/// How numbers become integers, ready for use.
struct rounding {
  float factor, least, greatest;
  int32_t zero_point;
};

static inline struct rounding make_rounding(struct kernels_quantization quantization) {
  return (struct rounding){
    .factor = 1 / quantization.scale, .least = (float)-quantization.zero_point,
    .greatest = (float)(255 - quantization.zero_point), .zero_point = quantization.zero_point,
  };
}

/// Rounds to integers, halves to even ones. NaN becomes 0, as everything below the range does.
INLINE sixteen_octets round_numbers(numbers value, const struct rounding *rounding) {
#pragma clang fp contract(off)
  value *= rounding->factor;
  value = value > rounding->least ? value : rounding->least;
  value = value < rounding->greatest ? value : rounding->greatest;
  // Adding 1.5 * 2^23 rounds to a whole number, which then stands in the lowest bits.
  const numbers shifted = value + 12582912.0f;
  integers whole;
  memcpy(&whole, &shifted, sizeof whole);
  whole += rounding->zero_point - 0x4B400000;
  return __builtin_convertvector(whole, sixteen_octets);
}

/// What most convolutions do with their sums, bits of `ending`: they are stored as integers, and nothing else
/// happens but what these say.
enum { ADDS_INTEGERS = 1, STORES_FLOATS = 2, RECTIFIES = 4, ENDINGS = 8 };

struct quantized_convolution {
  kernels_primitive primitive;
  int64_t images;
  /// The input's sizes, the frame's, and where the frame begins, seen from the input.
  int64_t sizes[3], frame[3], before[3];
  /// Whether the frame is a copy.
  bool is_copied;
  /// What stands where there is no input.
  int32_t zero_point;
  /// How many bytes a pixel of the input takes, and one of the quantized result.
  int64_t lane, target_lane;
  /// And one of what is added.
  int64_t summand_lane;
  /// Where the window's elements lie in the frame, and how many bytes side by side each takes: the
  /// channels of a pixel, or of neighbours.
  int64_t tap_count, run;
  ptrdiff_t *taps;
  /// How many outputs there are along each axis, into how many tiles a row is cut, and where these begin.
  int64_t counts[3], row_tiles;
  int32_t *starts;
  ptrdiff_t source_offset, source_steps[3];
  int64_t out_channels;
  /// How many blocks of 16 outputs are computed at once.
  int halves;
  struct kernels_quantized_result result;
  struct rounding rounding;
  /// Of the bits above, or ENDINGS where more happens.
  int ending;
  /// What is done to the result; nothing else is set.
  struct convolution operations;
};

/// Some outputs, and what of the input they see.
struct quantized_tile {
  int count;
  const uint8_t *source;
  const int8_t *weights;
  /// Of the first channel.
  const int32_t *shifts;
  const float *scales, *bias;
  /// The first of these channels, and the place of the first output among those of the image.
  int64_t channel, place;
  /// Of the image; NULL where nothing is stored.
  float *floats;
  uint8_t *octets;
  const uint8_t *summands;
};

/// Computes a tile.
typedef void quantized_tile_function(
    const struct quantized_convolution *all, const struct quantized_tile *tile);

/// The most outputs of a tile here.
int widest_quantized_tile(void);

/// The functions for tiles of 1, 2, ... outputs.
quantized_tile_function *const *quantized_tile_functions(const struct quantized_convolution *all);
