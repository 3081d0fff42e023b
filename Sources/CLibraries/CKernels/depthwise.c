#include "depthwise.h"

#include <stdlib.h>

#include "convolutions.h"
#include "threads.h"

// Depthwise convolutions, 16 channels at a time. Window elements beyond the edges are skipped, so that
// nothing is copied.

/// The maximum number of outputs in a tile with strides of 3 or more.
enum { MAX_OUTPUTS_OTHER_STRIDES = 4 };

struct depthwise_work {
  const struct depthwise *all;
  const float *source, *weights, *bias;
  float *target;
  int64_t cuts, planes;
};

/// The range of window elements along an axis that are inside of the input for an output.
INLINE void covered_elements(
    const struct space *space, int axis, int64_t target, int64_t *first, int64_t *end) {
  const int64_t start = target * space->strides[axis] - space->before[axis];
  const int64_t step = space->dilation[axis];
  *first = start < 0 ? (-start + step - 1) / step : 0;
  const int64_t rest = space->sizes[axis] - start;
  *end = rest <= 0 ? 0 : smaller(space->window[axis], (rest + step - 1) / step);
  if (*end < *first) *end = *first;
}

/// Computes adjacent outputs of a row, from output `x` on. `count` is a compile-time constant, as are the
/// stride of their inputs unless 0, and whether there are at most 8 channels.
INLINE void compute_outputs(
    const struct depthwise *all, const float *source, const float *weights, const float *bias,
    float *target, int64_t x, int64_t row, int64_t mask, const int64_t first[2],
    const int64_t end[2], const int count, const int64_t known_step, const bool is_half) {
  const struct space *space = &all->space;
  vector sums[WIDEST_TILE];
  half_vector halves[WIDEST_TILE];
#pragma clang loop unroll(full)
  for (int output = 0; output < count; output++) {
    sums[output] = load(bias);
    halves[output] = load_half(bias);
  }
  const int64_t step = known_step ? known_step : space->strides[2] * CHANNELS;
  for (int64_t z = first[0]; z < end[0]; z++) {
    for (int64_t y = first[1]; y < end[1]; y++) {
      const int64_t source_row =
          row + z * space->dilation[0] * space->sizes[1] + y * space->dilation[1];
      const float *from = source + (source_row & mask) * space->sizes[2] * CHANNELS;
      const float *own = weights + (z * space->window[1] + y) * space->window[2] * CHANNELS;
      for (int64_t column = 0; column < space->window[2]; column++) {
        const int64_t before = all->columns[column].first - x, after = all->columns[column].end - x;
        const float *weight = own + column * CHANNELS;
        const bool is_inside = before <= 0 && after >= count;
// Adds the products of a column of the window; `load` reads a block or the first half of one.
#define ADD(sums, load)                                                                      \
  if (is_inside) {                                                                           \
    _Pragma("clang loop unroll(full)") for (int output = 0; output < count; output++) {      \
      sums[output] += load(from + output * step) * load(weight);                             \
    }                                                                                        \
  } else {                                                                                   \
    _Pragma("clang loop unroll(full)") for (int output = 0; output < count; output++) {      \
      if (output < before || output >= after) continue;                                      \
      sums[output] += load(from + output * step) * load(weight);                             \
    }                                                                                        \
  }
        if (is_half) {
          ADD(halves, load_half)
        } else {
          ADD(sums, load)
        }
#undef ADD
        from += space->dilation[2] * CHANNELS;
      }
    }
  }
  const struct operations operations = all->operations;
#pragma clang loop unroll(full)
  for (int output = 0; is_half && output < count; output++) sums[output] = widened(halves[output]);
  finish_all(sums, count, target, CHANNELS, &operations);
}

INLINE void compute_row_tiles(
    const struct depthwise *all, const float *source, const float *weights, const float *bias,
    float *target, int64_t row, int64_t mask, const int64_t first[2], const int64_t end[2],
    const int64_t known_step, const int most, const bool is_half) {
  const struct space *space = &all->space;
  for (int64_t tile = 0, x = 0, next; tile < all->row_tiles; tile++, x = next) {
    next = space->targets[2] * (tile + 1) / all->row_tiles;
    const float *from = source + x * space->strides[2] * CHANNELS;
    float *to = target + x * CHANNELS;
#define CASE(count) \
  case count: \
    if (count > most) return; \
    compute_outputs(all, from, weights, bias, to, x, row, mask, first, end, count, known_step, \
                    is_half); \
    break
    switch (next - x) {
      CASE(1); CASE(2); CASE(3); CASE(4); CASE(5); CASE(6); CASE(7);
      CASE(8); CASE(9); CASE(10); CASE(11); CASE(12); CASE(13); CASE(14);
    }
#undef CASE
  }
}

INLINE void compute_row(
    const struct depthwise *all, const float *source, const float *weights, const float *bias,
    float *target, int64_t z, int64_t y, int64_t mask, const int most, const bool is_half) {
  const struct space *space = &all->space;
  int64_t first[2], end[2];
  covered_elements(space, 0, z, &first[0], &end[0]);
  covered_elements(space, 1, y, &first[1], &end[1]);
  const int64_t row = (z * space->strides[0] - space->before[0]) * space->sizes[1]
      + y * space->strides[1] - space->before[1];
  const float *from = source - space->before[2] * CHANNELS;
#define TILES(step, most) \
  compute_row_tiles(all, from, weights, bias, target, row, mask, first, end, step, most, is_half)
  switch (space->strides[2]) {
  case 1: TILES(CHANNELS, most); break;
  case 2: TILES(2 * CHANNELS, most); break;
  default: TILES(0, most < MAX_OUTPUTS_OTHER_STRIDES ? most : MAX_OUTPUTS_OTHER_STRIDES);
  }
#undef TILES
}

#define ROW(level, attributes, most, is_half)                                                 \
  attributes static void compute_row_##level(                                                 \
      const struct depthwise *all, const float *source, const float *weights,                 \
      const float *bias, float *target, int64_t z, int64_t y, int64_t mask) {                 \
    compute_row(all, source, weights, bias, target, z, y, mask, most, is_half);               \
  }

ROW(portable, , TILE_PORTABLE, false)
ROW(portable_half, , TILE_PORTABLE, true)
#if defined(__x86_64__)
ROW(avx2, TARGET_AVX2, TILE_AVX2, false)
ROW(avx2_half, TARGET_AVX2, TILE_AVX2, true)
ROW(avx512, TARGET_AVX512, TILE_AVX512, false)
ROW(avx512_half, TARGET_AVX512, TILE_AVX512, true)
#endif

depthwise_row *depthwise_row_function(int64_t valid) {
  const bool is_half = valid <= CHANNELS / 2;
#if defined(__x86_64__)
  if (kernels_level() == AVX512) return is_half ? compute_row_avx512_half : compute_row_avx512;
  if (kernels_level() == AVX2) return is_half ? compute_row_avx2_half : compute_row_avx2;
#endif
  return is_half ? compute_row_portable_half : compute_row_portable;
}

int64_t depthwise_bias(
    const struct depthwise *all, const float *bias, int64_t block, float own[CHANNELS]) {
  const int64_t valid = smaller(CHANNELS, all->channels - block * CHANNELS);
  memset(own, 0, CHANNELS * sizeof *own);
  if (bias) memcpy(own, bias + block * CHANNELS, (size_t)valid * sizeof *own);
  return valid;
}

const float *depthwise_weights(const struct depthwise *all, const float *weights, int64_t block) {
  const int64_t *window = all->space.window;
  return weights + block * window[0] * window[1] * window[2] * CHANNELS;
}

static void compute_part(void *context, int index) {
  const struct depthwise_work *work = context;
  const struct depthwise *all = work->all;
  const struct space *space = &all->space;
  const int64_t cut = index / work->planes, plane = index % work->planes;
  const int64_t block = plane % all->blocks;
  const int64_t rows = space->targets[0] * space->targets[1];
  _Alignas(64) float bias[CHANNELS];
  const int64_t valid = depthwise_bias(all, work->bias, block, bias);
  depthwise_row *const compute = depthwise_row_function(valid);
  const float *source =
      work->source + plane * space->sizes[0] * space->sizes[1] * space->sizes[2] * CHANNELS;
  const float *weights = depthwise_weights(all, work->weights, block);
  for (int64_t row = rows * cut / work->cuts; row < rows * (cut + 1) / work->cuts; row++) {
    float *target = work->target + (plane * rows + row) * space->targets[2] * CHANNELS;
    compute(
        all, source, weights, bias, target, row / space->targets[1], row % space->targets[1], -1);
    apply_functions(&all->operations, target, space->targets[2] * CHANNELS, valid);
  }
}

static void run_depthwise(const kernels_primitive *primitive, const struct call *call) {
  const struct depthwise *all = (const struct depthwise *)primitive;
  const struct space *space = &all->space;
  struct depthwise_work work = {
    .all = all, .source = call->arguments[kernels_role_source],
    .weights = call->arguments[kernels_role_weights], .bias = call->arguments[kernels_role_bias],
    .target = call->arguments[kernels_role_target],
  };
  work.planes = all->images * all->blocks;
  const int64_t rows = space->targets[0] * space->targets[1];
  const bool cuts_rows = shares_rows(rows * space->targets[2], all->channels);
  work.cuts = cuts_rows ? smaller(rows, PARTS_PER_THREAD * kernels_thread_count()) : 1;
  kernels_parallel((int)(work.planes * work.cuts), compute_part, &work);
}

bool is_depthwise(const kernels_primitive *primitive) { return primitive->run == run_depthwise; }

kernels_primitive *depthwise_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post) {
  const struct kernels_layout input = layout_channels_blocked(source->rank, source->sizes);
  const struct kernels_layout output = layout_channels_blocked(target->rank, target->sizes);
  if ((!source->is_any && !kernels_layout_equal(source, &input))
      || (!target->is_any && !kernels_layout_equal(target, &output))) {
    return NULL;
  }
  const struct space space = make_space(source, target, window);
  struct depthwise *all =
      calloc(1, sizeof *all + (size_t)space.window[2] * sizeof *all->columns);
  if (!all) return NULL;
  kernels_primitive *primitive = &all->primitive;
  primitive->name = "depthwise convolution";
  primitive->run = run_depthwise;
  all->space = space;
  all->channels = source->sizes[1];
  const int64_t most = widest_tile();
  all->row_tiles =
      ceil_div(space.targets[2], space.strides[2] > 2 ? smaller(MAX_OUTPUTS_OTHER_STRIDES, most) : most);
  for (int64_t x = 0; x < space.targets[2]; x++) {
    int64_t first, end;
    covered_elements(&space, 2, x, &first, &end);
    for (int64_t column = first; column < end; column++) {
      if (all->columns[column].end == 0) all->columns[column].first = x;
      all->columns[column].end = x + 1;
    }
  }
  all->images = source->sizes[0];
  all->blocks = ceil_div(all->channels, CHANNELS);
  int order[MAX_RANK];
  for (int axis = 0; axis < weights->rank; axis++) order[axis] = axis;
  const struct kernels_layout own =
      layout_make(weights->rank, weights->sizes, order, 1, &(struct block){0, CHANNELS});
  primitive_set(primitive, kernels_role_source, &input);
  primitive_set(primitive, kernels_role_target, &output);
  primitive_set(primitive, kernels_role_weights, &own);
  if (bias) primitive_set(primitive, kernels_role_bias, bias);
  if (set_operations(&all->operations, post)) return primitive;
  kernels_primitive_free(primitive);
  return NULL;
}
