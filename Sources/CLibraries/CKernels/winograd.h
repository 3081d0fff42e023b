#pragma once

#include "convolutions.h"

// The transforms of F(2 x 2, 3 x 3), as given by Lavin and Gray 2016, for 16 channels at a time.

/// The side lengths of the window, of an input tile (square), and of the output square computed from it.
enum { WINDOW = 3, SIDE = 4, OUTPUT_SIDE = 2, POSITIONS = SIDE * SIDE };

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
INLINE void transform_weights_body(
    const float *weights, int inputs, int width, float *target, ptrdiff_t step) {
  for (int input = 0; input < inputs; input++) {
    for (int channel = 0; channel < width; channel += CHANNELS) {
      const float *own = weights + input * width + channel;
      vector columns[SIDE][WINDOW];
#pragma clang loop unroll(full)
      for (int x = 0; x < WINDOW; x++) {
        const vector first = load(own + x * inputs * width);
        const vector second = load(own + (WINDOW + x) * inputs * width);
        const vector third = load(own + (2 * WINDOW + x) * inputs * width);
        columns[0][x] = first;
        columns[1][x] = 0.5f * (first + second + third);
        columns[2][x] = 0.5f * (first - second + third);
        columns[3][x] = third;
      }
#pragma clang loop unroll(full)
      for (int y = 0; y < SIDE; y++) {
        float *to = target + y * SIDE * step + input * width + channel;
        store(to, columns[y][0]);
        store(to + step, 0.5f * (columns[y][0] + columns[y][1] + columns[y][2]));
        store(to + 2 * step, 0.5f * (columns[y][0] - columns[y][1] + columns[y][2]));
        store(to + 3 * step, columns[y][2]);
      }
    }
  }
}

VARIANTS(
    transform_weights,
    (const float *weights, int inputs, int width, float *target, ptrdiff_t step),
    (weights, inputs, width, target, step))
