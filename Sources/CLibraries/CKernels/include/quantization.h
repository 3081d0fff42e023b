#ifndef WEIGHBRIDGE_QUANTIZATION_H
#define WEIGHBRIDGE_QUANTIZATION_H

// Primitives on 8-bit integers and on bfloat16. An image is stored as `[batch, spatial..., channels]`, with
// unsigned integers and with padding channels: kernels_quantized_pixel_size returns the size of a pixel in
// bytes. The padding may contain any finite values. Schemas/wbm.md, "Quantization", has the formulas.
//
// Sums of products of integers are exact, so every processor gives the same integers. Sums of bfloat16
// products are rounded to float32 in an order that depends on the processor.

#include "primitives.h"

/// How values are stored: as bfloat16, or as integers x / scale + zero_point, rounded and clamped to 0 to
/// 255.
struct kernels_quantization {
  bool is_bfloat16;
  float scale;
  int32_t zero_point;
  /// Whether x is divided by the scale; otherwise it is multiplied by 1 / scale, which may round differently.
  bool divides;
  /// The integer that stands for NaN.
  int32_t nan;
};

/// The size in bytes of a pixel with this many channels, including padding channels.
int64_t kernels_quantized_pixel_size(int64_t channels, bool is_bfloat16);

/// Converts a float32 image `[batch, spatial..., channels]` to integers or bfloat16.
kernels_primitive *kernels_quantize(
    const kernels_layout *source, struct kernels_quantization quantization);

/// Max pooling of an image of integers or of bfloat16; sizes as `[batch, channels, spatial...]`. NaN is ignored.
///
/// @param pads_with_zeros Whether the padding is zeros, of an image without negative elements; otherwise it is
///   ignored.
kernels_primitive *kernels_quantized_pool(
    const kernels_layout *source, const kernels_layout *target, struct kernels_window window,
    bool is_bfloat16, bool pads_with_zeros);

/// The outputs of a quantized convolution.
struct kernels_quantized_result {
  /// Whether the target receives float32 `[batch, spatial..., channels]`.
  bool stores_floats;
  /// Whether the quantized target receives integers or bfloat16, and how they are stored.
  bool stores_reduced;
  struct kernels_quantization quantization;
  /// Whether the summand of a sum post-operation is a quantized image (the second source), and how that is
  /// stored; otherwise the summand is the previous contents of the target.
  bool adds_reduced;
  struct kernels_quantization summand;
};

/// The weights `[out, in, taps]` of a quantized convolution: int8 or bfloat16, row-major. `in` counts the
/// inputs of a group.
struct kernels_quantized_weights {
  int64_t out, in, taps, groups;
  bool is_bfloat16;
};

/// A convolution, or a transposed one, of an image of integers or bfloat16; sizes are `[batch, channels,
/// spatial...]`. Its arguments are
///
/// - weights: the result of kernels_pack_quantized
/// - scale, bias: float32; a sum becomes sum * scale + bias
/// - second source: the image that is added to that, with the sizes of the target
///
/// Scale and bias have one element for each channel, and capacity for 32 more.
///
/// @param stored How the source is stored. Its zero point is the value of the padding.
kernels_primitive *kernels_quantized_convolution(
    const kernels_layout *source, const kernels_layout *target, struct kernels_window window,
    bool is_transposed, struct kernels_quantized_weights weights, struct kernels_quantization stored,
    struct kernels_post_operations post, struct kernels_quantized_result result);

/// An image of integers, or the sum or product of two, to which the post-operations, functions only, are
/// applied. The roles of the operands are source and second source, those of the result as for a convolution.
///
/// @param plain The layout of the image as float32, `[batch, spatial..., channels]`, row-major.
/// @param second How the second operand is stored; NULL if there is none.
/// @param combination What is done with two operands: they are added or multiplied.
kernels_primitive *kernels_quantized_elementwise(
    const kernels_layout *plain, struct kernels_quantization first,
    const struct kernels_quantization *second, enum kernels_combination combination,
    struct kernels_post_operations post, struct kernels_quantized_result result);

/// Packs weights in the order of the kernels.
///
/// @param packed Receives kernels_packed_size bytes.
void kernels_pack_quantized(
    const void *elements, const struct kernels_quantized_weights *weights, void *packed);

size_t kernels_packed_size(const struct kernels_quantized_weights *weights);

#endif
