#pragma once

#include "operations.h"
#include "primitive.h"
#include "window.h"

struct depthwise {
  kernels_primitive primitive;
  struct operations operations;
  struct space space;
  int64_t images, channels;
  /// The number of blocks of 16 channels.
  int64_t blocks;
  /// The number of tiles in a row.
  int64_t row_tiles;
  /// For each column of the window, the range of a row's outputs for which it is inside of the input.
  struct column {
    int64_t first, end;
  } columns[];
};

/// Whether a primitive is a `struct depthwise`.
bool is_depthwise(const kernels_primitive *primitive);

/// Computes a row of 16 channels of an image.
///
/// @param source The rows of the input. Row `y` of plane `z` has the index `z * height + y`, masked with
///   `mask`.
typedef void depthwise_row(
    const struct depthwise *all, const float *source, const float *weights, const float *bias,
    float *target, int64_t z, int64_t y, int64_t mask);

/// The function for this processor and a block of `valid` channels; the others are 0.
depthwise_row *depthwise_row_function(int64_t valid);

/// Loads the bias of a block of 16 channels, with 0 for padding channels. Returns the number of valid
/// channels.
int64_t depthwise_bias(
    const struct depthwise *all, const float *bias, int64_t block, float own[CHANNELS]);

/// The weights of a block of 16 channels.
const float *depthwise_weights(const struct depthwise *all, const float *weights, int64_t block);
