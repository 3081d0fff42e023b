#ifndef WEIGHBRIDGE_PIXELS_H
#define WEIGHBRIDGE_PIXELS_H

#include <stddef.h>
#include <stdint.h>

// Images of pixels of 1 or 3 bytes, resized along one axis after the other.

/// The consecutive old pixels that contribute to a new one.
struct pixels_window {
  /// The index of the first old pixel, and the index of its weight.
  intptr_t first, first_weight;
  /// The number of old pixels, and of weights.
  intptr_t count;
};

/// Computes weighted sums of a row's pixels, rounded to nearest and clamped to 0...255.
///
/// - row: `[width, component_count]`.
/// - component_count: 1 or 3.
/// - windows: One for each new pixel.
/// - weights: In multiples of 2^-22.
/// - resized: `[count, component_count]`.
void pixels_filter_row(const uint8_t *row, size_t width, int component_count,
                       const struct pixels_window *windows, size_t count, const int32_t *weights,
                       uint8_t *resized);

/// Computes a new row from consecutive old ones, as ``pixels_filter_row`` does a new pixel.
///
/// - rows: `[row_count, count]`.
/// - weights: One for each old row.
/// - resized: `[count]`.
void pixels_filter_column(const uint8_t *rows, size_t row_count, size_t count, const int32_t *weights,
                          uint8_t *resized);

/// The two old pixels around a new one, and their weights.
struct pixels_pair {
  intptr_t first, second;
  float first_weight, second_weight;
};

/// Looks up the value of each byte, and interpolates between pixels in single precision.
///
/// - row: The old pixels, which have as many components as the new ones.
/// - component_count: 1 or 3.
/// - pairs: One for each new pixel.
/// - order: The component of the old pixels for each component of the new ones.
/// - values: 256 values for each component of the new pixels.
/// - interpolated: `[count, component_count]`.
void pixels_interpolate_row(const uint8_t *row, int component_count, const struct pixels_pair *pairs,
                            size_t count, const intptr_t *order, const float *values,
                            float *interpolated);

/// Interpolates between two rows in single precision: every `step`th element of both, `count` in all.
void pixels_interpolate_column(const float *upper, float upper_weight, const float *lower,
                               float lower_weight, size_t step, size_t count, float *interpolated);

#endif
