#include "winograd.h"

// The squares whose sums show an infinite, NaN or huge input: direct sums for each output.

/// The weights of an input channel for 16 outputs, from the transformed ones: the first and the last of three
/// are stored as they are, and the middle one is the difference of the two mixed ones, exact to a rounding.
INLINE void restore_weights(const float *transformed, ptrdiff_t step, vector taps[WINDOW * WINDOW]) {
  vector columns[SIDE][WINDOW];
#pragma clang loop unroll(full)
  for (int y = 0; y < SIDE; y++) {
    const float *own = transformed + y * SIDE * step;
    columns[y][0] = load(own);
    columns[y][1] = load(own + step) - load(own + 2 * step);
    columns[y][2] = load(own + 3 * step);
  }
#pragma clang loop unroll(full)
  for (int x = 0; x < WINDOW; x++) {
    taps[x] = columns[0][x];
    taps[WINDOW + x] = columns[1][x] - columns[2][x];
    taps[2 * WINDOW + x] = columns[3][x];
  }
}

/// Loads the weights of an input channel for 16 outputs.
INLINE void load_taps(
    const struct winograd *all, const float *weights, int64_t block, int64_t input,
    vector taps[WINDOW * WINDOW]) {
  const struct convolution *own = &all->convolution;
  const int64_t width = own->width, first = block * CHANNELS % width;
  weights += block * CHANNELS / width * own->weights_outputs
      * (all->is_transformed ? POSITIONS : WINDOW * WINDOW);
  if (all->is_transformed) {
    return restore_weights(weights + input * width + first, own->weights_outputs, taps);
  }
  weights += input / CHANNELS * WINDOW * WINDOW * own->weights_block;
  for (int tap = 0; tap < WINDOW * WINDOW; tap++) {
    taps[tap] = load(weights + tap * own->weights_block + input % CHANNELS * width + first);
  }
}

/// Computes the outputs of a square one by one.
INLINE void compute_square_body(const struct winograd_work *work, const struct square *own) {
  const struct winograd *all = work->all;
  const struct space *space = &all->space;
  const int64_t top = own->row % all->rows * OUTPUT_SIDE, left = own->column * OUTPUT_SIDE;
  const int64_t height = space->sizes[1], width = space->sizes[2];
  const float *source =
      work->source + own->row / all->rows * all->input_blocks * height * width * CHANNELS;
  vector sums[OUTPUT_SIDE * OUTPUT_SIDE], taps[WINDOW * WINDOW];
  for (int output = 0; output < OUTPUT_SIDE * OUTPUT_SIDE; output++) sums[output] = 0;
  for (int64_t input = 0; input < all->in_channels; input++) {
    const float *plane = source + input / CHANNELS * height * width * CHANNELS + input % CHANNELS;
    load_taps(all, work->weights, own->block, input, taps);
    for (int output = 0; output < OUTPUT_SIDE * OUTPUT_SIDE; output++) {
      for (int tap = 0; tap < WINDOW * WINDOW; tap++) {
        const int64_t y = top + output / OUTPUT_SIDE + tap / WINDOW - space->before[1];
        const int64_t x = left + output % OUTPUT_SIDE + tap % WINDOW - space->before[2];
        if (y < 0 || y >= height || x < 0 || x >= width) continue;
        sums[output] += taps[tap] * plane[(y * width + x) * CHANNELS];
      }
    }
  }
  for (int output = 0; output < OUTPUT_SIDE * OUTPUT_SIDE; output++) {
    const int64_t y = output / OUTPUT_SIDE, x = output % OUTPUT_SIDE;
    if (top + y >= space->targets[1] || left + x >= space->targets[2]) continue;
    finish(
        keep_first(sums[output], own->valid) + load(own->bias),
        own->target + (y * space->targets[2] + x) * CHANNELS, &all->convolution.operations);
  }
}

VARIANTS(
    compute_square, (const struct winograd_work *work, const struct square *own), (work, own))

void winograd_compute_square(const struct winograd_work *work, const struct square *own) {
  compute_square(work, own);
}
