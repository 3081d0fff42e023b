#include <math.h>
#include <stdlib.h>

#include "primitive.h"
#include "threads.h"
#include "vector.h"
#include "window.h"

// Pooling, vectorized over channels where they are contiguous, else element by element.

struct pooling {
  kernels_primitive primitive;
  enum kernels_pooling kind;
  struct space space;
  /// The padding after the input along each axis, for a mean with padding.
  int64_t after[3];
  /// The number of channels that are computed together, the number of such groups in all images, and in each.
  int64_t channels, planes, channel_groups;
  bool is_blocked;
  /// The strides of images, groups of channels, and along depth, height and width.
  int64_t source_steps[5], target_steps[5];
};

/// The range that an output's window covers along an axis, and the number of elements that count for a mean
/// with padding.
struct reach {
  int64_t first, end, padded;
};

INLINE struct reach reach(const struct pooling *all, int axis, int64_t output) {
  const struct space *space = &all->space;
  const int64_t start = output * space->strides[axis] - space->before[axis];
  const int64_t step = space->dilation[axis];
  const int64_t end = start + (space->window[axis] - 1) * step + 1;
  if (start >= 0 && end <= space->sizes[axis]) return (struct reach){start, end, space->window[axis]};
  struct reach reach;
  covered_range(space, axis, output, &reach.first, &reach.end);
  reach.padded = ceil_div(smaller(space->sizes[axis] + all->after[axis], end) - start, step);
  return reach;
}

/// Whether there are this many outputs from one on along the width, and their windows lie inside of the input.
INLINE bool lies_inside(const struct pooling *all, int64_t output, int64_t count) {
  const struct space *space = &all->space;
  const int64_t start = output * space->strides[2] - space->before[2];
  const int64_t last = start + (count - 1) * space->strides[2];
  return start >= 0 && output + count <= space->targets[2]
      && last + (space->window[2] - 1) * space->dilation[2] < space->sizes[2];
}

// `kind` is a compile-time constant below: kernels_pooling_mean, _max or _max_or_nan, whatever the padding.

/// What a window starts with.
#define START(kind) ((kind) == kernels_pooling_mean ? 0 : -INFINITY)

/// The larger of two numbers or vectors; the first one if the second one is NaN.
#define LARGER(own, next) ((next) > (own) ? (next) : (own))

/// Adds an element to the maximum or the sum of a window.
INLINE float add(float own, float next, const enum kernels_pooling kind) {
  if (kind == kernels_pooling_mean) return own + next;
  return kind == kernels_pooling_max_or_nan && next != next ? next : LARGER(own, next);
}

/// The divisor of a mean, or the lower bound of a maximum.
INLINE float last_operand(
    const struct pooling *all, struct reach planes, struct reach rows, struct reach columns,
    int64_t count, const enum kernels_pooling kind) {
  if (kind == kernels_pooling_mean) {
    const bool counts_padding = all->kind == kernels_pooling_mean_with_padding;
    return (float)(counts_padding ? planes.padded * rows.padded * columns.padded : count);
  }
  const int64_t *window = all->space.window;
  const bool covers_zeros = all->kind == kernels_pooling_max_with_padding
      && count < window[0] * window[1] * window[2];
  return covers_zeros ? 0 : -INFINITY;
}

/// Computes the outputs of a row, with several channels each.
INLINE void pool_channels(
    const struct pooling *all, const float *source, float *target, int64_t z, int64_t y,
    const enum kernels_pooling kind) {
  const struct space *space = &all->space;
  const int64_t channels = all->channels;
  const struct reach planes = reach(all, 0, z), rows = reach(all, 1, y);
  for (int64_t x = 0; x < space->targets[2]; x++) {
    const struct reach columns = reach(all, 2, x);
    int64_t count = 0;
    float *to = target + x * all->target_steps[4];
    for (int64_t channel = 0; channel < channels; channel++) to[channel] = START(kind);
    for (int64_t plane = planes.first; plane < planes.end; plane += space->dilation[0]) {
      for (int64_t row = rows.first; row < rows.end; row += space->dilation[1]) {
        const float *line = source + plane * all->source_steps[2] + row * all->source_steps[3];
        for (int64_t column = columns.first; column < columns.end;
             column += space->dilation[2], count++) {
          const float *from = line + column * all->source_steps[4];
          for (int64_t channel = 0; channel < channels; channel++) {
            to[channel] = add(to[channel], from[channel], kind);
          }
        }
      }
    }
    if (kind == kernels_pooling_max && all->kind == kernels_pooling_max) continue;
    const float last = last_operand(all, planes, rows, columns, count, kind);
    for (int64_t channel = 0; channel < channels; channel++) {
      if (kind == kernels_pooling_mean) to[channel] /= last;
      if (kind == kernels_pooling_max) to[channel] = LARGER(to[channel], last);
    }
  }
}

/// The number of outputs of a row that are computed together, where the windows of all lie inside of it.
enum { OUTPUTS = 4 };

/// Defines a function that computes the outputs of a row, each a channel block or a single element, in
/// registers, and one for `outputs` of them, a compile-time constant, the first of which covers `columns`.
#define POOL_IN_REGISTERS(name, type, flags)                                                         \
  INLINE void name##_outputs(                                                                        \
      const struct pooling *all, const float *source, float *target, struct reach planes,            \
      struct reach rows, struct reach columns, const int outputs, const enum kernels_pooling kind) { \
    const struct space *space = &all->space;                                                         \
    const ptrdiff_t step = space->strides[2] * all->source_steps[4];                                 \
    int64_t count = 0;                                                                               \
    type sums[OUTPUTS];                                                                              \
    /* NaN is collected separately, so that each maximum waits only for the one before. */           \
    flags are_nan[OUTPUTS];                                                                          \
    for (int output = 0; output < outputs; output++) sums[output] = START(kind);                     \
    for (int output = 0; output < outputs; output++) are_nan[output] = 0;                            \
    for (int64_t plane = planes.first; plane < planes.end; plane += space->dilation[0]) {            \
      for (int64_t row = rows.first; row < rows.end; row += space->dilation[1]) {                    \
        const float *line = source + plane * all->source_steps[2] + row * all->source_steps[3];      \
        for (int64_t column = columns.first; column < columns.end;                                   \
             column += space->dilation[2], count++) {                                                \
          const float *from = line + column * all->source_steps[4];                                  \
          for (int output = 0; output < outputs; output++) {                                         \
            type value;                                                                              \
            memcpy(&value, from + output * step, sizeof value);                                      \
            type *sum = &sums[output];                                                               \
            *sum = kind == kernels_pooling_mean ? *sum + value : LARGER(*sum, value);                \
            if (kind == kernels_pooling_max_or_nan) are_nan[output] |= value != value;               \
          }                                                                                          \
        }                                                                                            \
      }                                                                                              \
    }                                                                                                \
    const float last = last_operand(all, planes, rows, columns, count, kind);                        \
    for (int output = 0; output < outputs; output++) {                                               \
      type sum = sums[output];                                                                       \
      if (kind == kernels_pooling_mean) sum /= last;                                                 \
      if (kind == kernels_pooling_max) sum = LARGER(sum, last);                                      \
      if (kind == kernels_pooling_max_or_nan) sum = are_nan[output] ? NAN : sum;                     \
      memcpy(target + output * all->target_steps[4], &sum, sizeof sum);                              \
    }                                                                                                \
  }                                                                                                  \
                                                                                                     \
  INLINE void name(                                                                                  \
      const struct pooling *all, const float *source, float *target, int64_t z, int64_t y,           \
      const enum kernels_pooling kind) {                                                             \
    const struct reach planes = reach(all, 0, z), rows = reach(all, 1, y);                           \
    int64_t x = 0;                                                                                   \
    while (x < all->space.targets[2]) {                                                              \
      const struct reach columns = reach(all, 2, x);                                                 \
      float *to = target + x * all->target_steps[4];                                                 \
      if (lies_inside(all, x, OUTPUTS)) {                                                            \
        name##_outputs(all, source, to, planes, rows, columns, OUTPUTS, kind);                       \
        x += OUTPUTS;                                                                                \
      } else {                                                                                       \
        name##_outputs(all, source, to, planes, rows, columns, 1, kind);                             \
        x++;                                                                                         \
      }                                                                                              \
    }                                                                                                \
  }

POOL_IN_REGISTERS(pool_block, vector, lanes)
POOL_IN_REGISTERS(pool_element, float, int32_t)

INLINE void pool_row_body(
    const struct pooling *all, const float *source, float *target, int64_t z, int64_t y) {
#define POOL(kind)                                                    \
  if (all->is_blocked) pool_block(all, source, target, z, y, kind);   \
  else if (all->channels == 1) pool_element(all, source, target, z, y, kind); \
  else pool_channels(all, source, target, z, y, kind);                \
  return
  switch (all->kind) {
  case kernels_pooling_max:
  case kernels_pooling_max_with_padding: POOL(kernels_pooling_max);
  case kernels_pooling_max_or_nan: POOL(kernels_pooling_max_or_nan);
  case kernels_pooling_mean:
  case kernels_pooling_mean_with_padding: POOL(kernels_pooling_mean);
  }
#undef POOL
}

VARIANTS(
    pool_row,
    (const struct pooling *all, const float *source, float *target, int64_t z, int64_t y),
    (all, source, target, z, y))

struct pooling_work {
  const struct pooling *all;
  const float *source;
  float *target;
  int64_t rows_at_once, rows;
};

static void pool_rows(void *context, int index) {
  const struct pooling_work *work = context;
  const struct pooling *all = work->all;
  const struct space *space = &all->space;
  const int64_t own = space->targets[0] * space->targets[1];
  const int64_t end = smaller((index + 1) * work->rows_at_once, work->rows);
  for (int64_t row = index * work->rows_at_once; row < end; row++) {
    const int64_t z = row % own / space->targets[1], y = row % own % space->targets[1];
    const int64_t group = row / own % all->channel_groups, image = row / own / all->channel_groups;
    pool_row(
        all, work->source + image * all->source_steps[0] + group * all->source_steps[1],
        work->target + image * all->target_steps[0] + group * all->target_steps[1]
            + z * all->target_steps[2] + y * all->target_steps[3],
        z, y);
  }
}

static void run_pooling(const kernels_primitive *primitive, const struct call *call) {
  const struct pooling *all = (const struct pooling *)primitive;
  const struct space *space = &all->space;
  struct pooling_work work = {
    .all = all, .source = call->arguments[kernels_role_source],
    .target = call->arguments[kernels_role_target],
    .rows = all->planes * space->targets[0] * space->targets[1],
  };
  const int64_t row = space->targets[2] * all->channels * space->window[0] * space->window[1]
      * space->window[2];
  work.rows_at_once = larger(1, (1 << 14) / larger(1, row));
  kernels_parallel((int)ceil_div(work.rows, work.rows_at_once), pool_rows, &work);
}

/// The strides of a layout: of images, groups of channels, and along the spatial axes.
static void steps(const struct kernels_layout *layout, int64_t channels, int64_t result[5]) {
  result[0] = layout->strides[0];
  result[1] = layout_block(layout, 1) > 1 || channels == 1 ? layout->strides[1] : channels;
  for (int axis = 0; axis < 3; axis++) {
    const int own = axis - (5 - layout->rank);
    result[2 + axis] = own < 0 ? 0 : layout->strides[2 + own];
  }
}

kernels_primitive *kernels_pool(
    enum kernels_pooling kind, const kernels_layout *source, const kernels_layout *target,
    struct kernels_window window) {
  const bool is_blocked = source->block_count == 1 && source->blocks[0].axis == 1;
  if (source->rank < 3 || source->rank > 5 || !target->is_any || source->is_any
      || (source->block_count > 0 && !is_blocked)) {
    return NULL;
  }
  struct pooling *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive = (kernels_primitive){.name = "pooling", .run = run_pooling};
  all->kind = kind;
  const struct kernels_layout output = layout_like(source, target);
  all->space = make_space(source, target, window);
  for (int axis = 0; axis < source->rank - 2; axis++) {
    all->after[5 - source->rank + axis] = larger(0, window.after[axis]);
  }
  all->is_blocked = is_blocked && source->blocks[0].size == CHANNELS;
  const bool is_last = source->strides[1] == 1 && output.strides[1] == 1;
  all->channels = is_blocked ? source->blocks[0].size : is_last ? source->sizes[1] : 1;
  all->channel_groups = ceil_div(source->sizes[1], all->channels);
  all->planes = source->sizes[0] * all->channel_groups;
  steps(source, all->channels, all->source_steps);
  steps(&output, all->channels, all->target_steps);
  primitive_set(&all->primitive, kernels_role_source, source);
  primitive_set(&all->primitive, kernels_role_target, &output);
  return &all->primitive;
}
