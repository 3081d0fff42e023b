#ifndef WEIGHBRIDGE_KERNELS_H
#define WEIGHBRIDGE_KERNELS_H

// Convolutions; products of matrices are in matrix.h.

#include <stdbool.h>
#include <stddef.h>

/// How many output channels are computed at once.
enum { KERNELS_OUTPUT_BLOCK = 32 };

/// How many channels stand side by side in memory.
enum { KERNELS_CHANNEL_BLOCK = 16 };

/// A convolution with steps of 1 over a picture whose channels are in blocks.
struct kernels_convolution {
  /// The extents of the picture with what the window sees around it, of the window, and of the result.
  int input_channels, rows, columns, window_height, window_width, height, width;
  /// The distances between the window's rows and columns.
  int row_dilation, column_dilation;
  /// Whether the result is added to what is in the target.
  bool adds;
  /// By what results below 0 are multiplied; 1 for nothing.
  float slope;
};

/// Whether there is a kernel for this processor: one with AVX-512. Without it, oneDNN's are better.
bool kernels_convolution_is_there(void);

/// Computes some rows of 32 output channels, on a processor that it is there for.
///
/// - source: `[input channels / 16, rows, columns, 16]`
/// - weights: `[output channels / 32, input channels / 16, window rows, window columns, 16, 32]`
/// - bias: `[output channels]`
/// - target: `[output channels / 16, height, width, 16]`
/// - output_block: Which 32 channels.
/// - first_row, end_row: The first row, and the one behind the last.
void kernels_convolve(
    const struct kernels_convolution *convolution, const float *source, const float *weights,
    const float *bias, float *target, int output_block, int first_row, int end_row);

#endif
