#pragma once

#include "convolutions.h"

// A convolution by F(2 x 2, 3 x 3), and its transforms as given by Lavin and Gray 2016, for 16 channels at a
// time.

/// The side lengths of the window, of an input tile (square), and of the output square computed from it.
enum { WINDOW = 3, SIDE = 4, OUTPUT_SIDE = 2, POSITIONS = SIDE * SIDE };

struct winograd {
  /// Parameters of the tile functions and post-operations. Its only pass has one tap.
  struct convolution convolution;
  struct pass pass;
  struct tap tap;
  struct space space;
  /// The number of output squares along height and width, and how many rows of squares are computed at once.
  int64_t rows, columns, band;
  int64_t in_channels, input_blocks, output_blocks;
  /// Whether weights are stored transformed, `[output blocks, 16 positions, input blocks, 16, width]`, or as
  /// for other convolutions, `[output blocks, input blocks, 9 taps, 16, width]`.
  bool is_transformed;
};

struct winograd_work {
  const struct winograd *all;
  const float *source, *weights, *bias;
  float *target, *inputs;
  /// The rows of squares being computed, over all images.
  int64_t first_row, row_count, parts;
  /// The number of groups of squares, each computed by one tile, and the number of squares in a group.
  int64_t groups, group;
};

/// An output square and 16 of its channels.
struct square {
  /// Among the rows of squares of all images, and in its row.
  int64_t row, column;
  /// The block of 16 output channels, and how many of these are not padding.
  int64_t block, valid;
  const float *bias;
  float *target;
};

/// Computes the outputs of a square one by one, without the transforms.
void winograd_compute_square(const struct winograd_work *work, const struct square *own);

/// Transforms a square with this row stride: transposed(B) * square * B. Computed row by row of the result,
/// so that the intermediates stay in registers.
INLINE void transform_input(
    const float *square, ptrdiff_t row_step, float *target, ptrdiff_t step) {
  static const struct { int first, second; float sign; } rows[SIDE] = {
    {0, 2, -1}, {1, 2, 1}, {2, 1, -1}, {1, 3, -1}};
#pragma clang loop unroll(full)
  for (int y = 0; y < SIDE; y++) {
    const float *first = square + rows[y].first * row_step;
    const float *second = square + rows[y].second * row_step;
    vector row[SIDE];
#pragma clang loop unroll(full)
    for (int x = 0; x < SIDE; x++) {
      const vector other = load(second + x * CHANNELS);
      row[x] = load(first + x * CHANNELS);
      row[x] = rows[y].sign < 0 ? row[x] - other : row[x] + other;
    }
    float *to = target + y * SIDE * step;
    store(to, row[0] - row[2]);
    store(to + step, row[1] + row[2]);
    store(to + 2 * step, row[2] - row[1]);
    store(to + 3 * step, row[1] - row[3]);
  }
}

/// Transforms the weights of an output block for some inputs, `[9 taps, inputs, width]`: G * weights *
/// transposed(G).
void winograd_transform_weights(
    const float *weights, int inputs, int width, float *target, ptrdiff_t step);
