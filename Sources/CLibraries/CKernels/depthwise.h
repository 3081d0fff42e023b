#pragma once

#include "convolutions.h"

struct depthwise {
  struct convolution convolution;
  struct space space;
  int64_t channels;
  /// Into how many tiles a row is cut.
  int64_t row_tiles;
  /// For each column of the window, the outputs of a row that see it inside of the input: the first, and the
  /// one behind the last.
  struct column {
    int64_t first, end;
  } columns[];
};

/// Whether a primitive is a `struct depthwise`.
bool is_depthwise(const kernels_primitive *primitive);

/// Computes a row of 16 channels of an image.
///
/// @param source The input's rows. Row `y` of plane `z` stands at `z * height + y`, of which only the bits of
///   `mask` count.
typedef void depthwise_row(
    const struct depthwise *all, const float *source, const float *weights, const float *bias,
    float *target, int64_t z, int64_t y, int64_t mask);

/// The one for this processor.
depthwise_row *depthwise_row_function(void);

/// The bias of a block of 16 channels, 0 for those that there are not. Returns how many there are.
int64_t depthwise_bias(
    const struct depthwise *all, const float *bias, int64_t block, float own[CHANNELS]);

/// The weights of a block of 16 channels.
const float *depthwise_weights(const struct depthwise *all, const float *weights, int64_t block);
