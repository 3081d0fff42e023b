#ifndef WEIGHBRIDGE_QUANTIZATION_H
#define WEIGHBRIDGE_QUANTIZATION_H

// Primitives on 8-bit integers. An image is stored as `[batch, spatial..., channels]`, without a sign,
// and with room for more channels than it has: kernels_quantized_channels says how many. What stands in
// that room does not matter. Schemas/wbm.md, "Quantization", has the formulas.
//
// All sums of products are exact, so that every processor gives the same integers.

#include "primitives.h"

/// How numbers become integers: x is stored as x / scale + zero_point, rounded, from 0 to 255.
struct kernels_quantization {
  float scale;
  int32_t zero_point;
};

/// How many channels an image of so many has room for.
int64_t kernels_quantized_channels(int64_t channels);

/// Makes an image of float32 `[batch, spatial..., channels]` one of integers.
kernels_primitive *kernels_quantize(
    const kernels_layout *source, struct kernels_quantization quantization);

/// Max pooling of an image of integers; sizes as `[batch, channels, spatial...]`.
kernels_primitive *kernels_quantized_pool(
    const kernels_layout *source, const kernels_layout *target, struct kernels_window window);

/// What a quantized convolution makes of its sums.
struct kernels_quantized_result {
  /// Whether float32 `[batch, spatial..., channels]` are stored in the target.
  bool stores_floats;
  /// Whether integers are stored in the quantized target, and how.
  bool stores_integers;
  struct kernels_quantization quantization;
  /// Whether what is added to the sums is an image of integers, the second source, and how it is stored;
  /// otherwise that is what the target holds.
  bool adds_integers;
  struct kernels_quantization summand;
};

/// A convolution of an image of integers; sizes as `[batch, channels, spatial...]`. Its arguments are
///
/// - weights: what kernels_pack_quantized makes
/// - shift: int32, where each channel's sum begins: minus the sum of its weights, times the zero point of the
///   source less kernels_source_offset
/// - scale, bias: float32; a sum becomes sum * scale + bias
/// - second source: the integers that are added to that, of the target's sizes
///
/// The last three have an element for each channel, and room for a multiple of 32.
///
/// @param zero_point Of the source, which stands where the window looks beyond the edges.
kernels_primitive *kernels_quantized_convolution(
    const kernels_layout *source, const kernels_layout *target, struct kernels_window window,
    int32_t zero_point, struct kernels_post_operations post, struct kernels_quantized_result result);

/// What is taken from each integer of a source before it is multiplied. Where a processor has no dot products of
/// bytes without a sign and bytes with one, 128 makes both have one.
int32_t kernels_source_offset(void);

/// Weights with a sign, in the order of the kernels.
///
/// @param integers `[out, in, taps]`, row-major.
/// @param packed As many bytes as kernels_packed_size says.
/// @param sums Receives the sum of each output's weights.
void kernels_pack_quantized(
    const int8_t *integers, int64_t out, int64_t in, int64_t taps, int8_t *packed, int32_t *sums);

size_t kernels_packed_size(int64_t out, int64_t in, int64_t taps);

#endif
