#ifndef WEIGHBRIDGE_QUANTIZATION_H
#define WEIGHBRIDGE_QUANTIZATION_H

// Primitives on 8-bit integers and on bfloat16. An image is stored as `[batch, spatial..., channels]`, integers
// without a sign, and with room for more channels than it has: kernels_quantized_lane says how many bytes a
// pixel takes. Any finite numbers may stand in that room. Schemas/wbm.md, "Quantization", has the formulas.
//
// All sums of products of integers are exact, so that every processor gives the same integers. Those of bfloat16
// are rounded to float32, in an order that depends on the processor.

#include "primitives.h"

/// How numbers are stored: as bfloat16, or as integers, x as x / scale + zero_point, rounded, from 0 to 255.
struct kernels_quantization {
  bool is_bfloat16;
  float scale;
  int32_t zero_point;
};

/// How many bytes a pixel of so many channels takes.
int64_t kernels_quantized_lane(int64_t channels, bool is_bfloat16);

/// Makes an image of float32 `[batch, spatial..., channels]` one of integers or of bfloat16.
kernels_primitive *kernels_quantize(
    const kernels_layout *source, struct kernels_quantization quantization);

/// Max pooling of an image of integers or of bfloat16; sizes as `[batch, channels, spatial...]`.
kernels_primitive *kernels_quantized_pool(
    const kernels_layout *source, const kernels_layout *target, struct kernels_window window,
    bool is_bfloat16);

/// What a quantized convolution makes of its sums.
struct kernels_quantized_result {
  /// Whether float32 `[batch, spatial..., channels]` are stored in the target.
  bool stores_floats;
  /// Whether integers or bfloat16 are stored in the quantized target, and how.
  bool stores_integers;
  struct kernels_quantization quantization;
  /// Whether what is added to the sums is such an image, the second source, and how it is stored; otherwise
  /// that is what the target holds.
  bool adds_integers;
  struct kernels_quantization summand;
};

/// A convolution of an image of integers or of bfloat16; sizes as `[batch, channels, spatial...]`. Its arguments
/// are
///
/// - weights: what kernels_pack_quantized makes
/// - shift: int32, where each channel's sum of integers begins: minus the sum of its weights, times the zero
///   point of the source less kernels_source_offset; 0 for bfloat16
/// - scale, bias: float32; a sum becomes sum * scale + bias
/// - second source: the image that is added to that, of the target's sizes
///
/// The last three have an element for each channel, and room for a multiple of 32.
///
/// @param stored How the source is stored. Its zero point stands where the window looks beyond the edges.
kernels_primitive *kernels_quantized_convolution(
    const kernels_layout *source, const kernels_layout *target, struct kernels_window window,
    struct kernels_quantization stored, struct kernels_post_operations post,
    struct kernels_quantized_result result);

/// What is taken from each integer of a source before it is multiplied. Where a processor has no dot products of
/// bytes without a sign and bytes with one, 128 makes both have one.
int32_t kernels_source_offset(void);

/// Weights in the order of the kernels.
///
/// @param elements `[out, in, taps]`, row-major: int8, or bfloat16.
/// @param packed As many bytes as kernels_packed_size says.
/// @param sums Receives the sum of each output's weights, if they are integers.
void kernels_pack_quantized(
    const void *elements, int64_t out, int64_t in, int64_t taps, bool is_bfloat16, void *packed,
    int32_t *sums);

size_t kernels_packed_size(int64_t out, int64_t in, int64_t taps, bool is_bfloat16);

#endif
