#pragma once

#include <string.h>

#include "convolutions.h"
#include "quantization.h"

// Convolutions of 8-bit integers and of bfloat16. They go as those of float32 do (convolutions.h), with a word of
// four bytes, or of two bfloat16, in the place of one channel: some outputs of 16 or 32 channels, a tile, stay in
// registers as sums of int32 or of float32 while the window passes over the input. The sums become float32 at
// the end, and from there what the result is stored as.

/// The bytes of the channels that are multiplied and added up at once.
enum { WORD = 4 };

/// The bytes of a stored element.
static inline int64_t element_size(bool is_bfloat16) { return is_bfloat16 ? 2 : 1; }

typedef int32_t integers __attribute__((ext_vector_type(16)));
typedef float numbers __attribute__((ext_vector_type(16)));
typedef uint8_t sixteen_octets __attribute__((ext_vector_type(16)));
typedef uint16_t sixteen_halves __attribute__((ext_vector_type(16)));

/// How numbers are stored, ready for use.
struct rounding {
  bool is_bfloat16;
  float factor, least, greatest;
  int32_t zero_point;
};

static inline struct rounding make_rounding(struct kernels_quantization quantization) {
  return (struct rounding){
    .is_bfloat16 = quantization.is_bfloat16, .factor = 1 / quantization.scale, .least = (float)-quantization.zero_point,
    .greatest = (float)(255 - quantization.zero_point), .zero_point = quantization.zero_point,
  };
}

/// Rounds to integers, halves to even ones. NaN becomes 0, as everything below the range does.
INLINE sixteen_octets round_numbers(numbers value, const struct rounding *rounding) {
#pragma clang fp contract(off)
  value *= rounding->factor;
  value = value > rounding->least ? value : rounding->least;
  value = value < rounding->greatest ? value : rounding->greatest;
  // Adding 1.5 * 2^23 rounds to an integer, which then stands in the lowest bits.
  const numbers shifted = value + 12582912.0f;
  integers whole;
  memcpy(&whole, &shifted, sizeof whole);
  whole += rounding->zero_point - 0x4B400000;
  return __builtin_convertvector(whole, sixteen_octets);
}

/// Rounds to bfloat16, halves to even ones. NaN stays NaN.
INLINE sixteen_halves round_to_halves(numbers value) {
  integers bits;
  memcpy(&bits, &value, sizeof bits);
  const integers rounded = bits + 0x7FFF + ((bits >> 16) & 1);
  bits = value == value ? rounded : bits | 0x400000;
  return __builtin_convertvector((bits >> 16) & 0xFFFF, sixteen_halves);
}

INLINE numbers widen_halves(sixteen_halves halves) {
  const integers bits = __builtin_convertvector(halves, integers) << 16;
  numbers value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// What most convolutions do with their sums, bits of `ending`: they are stored as the source is, and nothing else
/// happens but what these say.
enum { ADDS_INTEGERS = 1, STORES_FLOATS = 2, RECTIFIES = 4, ENDINGS = 8 };

struct quantized_convolution {
  kernels_primitive primitive;
  int64_t images;
  /// The input's sizes, the frame's, and where the frame begins, seen from the input.
  int64_t sizes[3], frame[3], before[3];
  /// Whether the frame is a copy.
  bool is_copied;
  /// How the source is stored.
  struct kernels_quantization stored;
  /// How many bytes a pixel of the input takes, and one of the quantized result.
  int64_t lane, target_lane;
  /// And one of what is added; and for how many channels the result has room.
  int64_t summand_lane, target_room;
  /// Where the window's elements lie in the frame, and how many bytes side by side each takes: the
  /// channels of a pixel, or of neighbors.
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
int widest_quantized_tile(bool is_bfloat16);

/// The functions for tiles of 1, 2, ... outputs.
quantized_tile_function *const *quantized_tile_functions(const struct quantized_convolution *all);
