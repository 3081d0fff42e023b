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
  struct reach reach;
  covered_range(space, axis, output, &reach.first, &reach.end);
  reach.padded = ceil_div(smaller(space->sizes[axis] + all->after[axis], end) - start, step);
  return reach;
}

/// Computes the outputs of a row, with `channels` channels each.
INLINE void pool_channels(
    const struct pooling *all, const float *source, float *target, int64_t z, int64_t y,
    int64_t channels) {
  const struct space *space = &all->space;
  const bool is_max = all->kind == kernels_pooling_max;
  const struct reach planes = reach(all, 0, z), rows = reach(all, 1, y);
  for (int64_t x = 0; x < space->targets[2]; x++) {
    const struct reach columns = reach(all, 2, x);
    int64_t count = 0;
    float *to = target + x * all->target_steps[4];
    for (int64_t channel = 0; channel < channels; channel++) to[channel] = is_max ? -INFINITY : 0;
    for (int64_t plane = planes.first; plane < planes.end; plane += space->dilation[0]) {
      for (int64_t row = rows.first; row < rows.end; row += space->dilation[1]) {
        const float *line = source + plane * all->source_steps[2] + row * all->source_steps[3];
        for (int64_t column = columns.first; column < columns.end;
             column += space->dilation[2], count++) {
          const float *from = line + column * all->source_steps[4];
          if (is_max) {
            for (int64_t channel = 0; channel < channels; channel++) {
              to[channel] = from[channel] > to[channel] ? from[channel] : to[channel];
            }
          } else {
            for (int64_t channel = 0; channel < channels; channel++) to[channel] += from[channel];
          }
        }
      }
    }
    if (is_max) continue;
    if (all->kind == kernels_pooling_mean_with_padding) {
      count = planes.padded * rows.padded * columns.padded;
    }
    const float factor = 1 / (float)count;
    for (int64_t channel = 0; channel < channels; channel++) to[channel] *= factor;
  }
}

/// Computes the outputs of a row of a channel block, accumulating in a register.
INLINE void pool_block(
    const struct pooling *all, const float *source, float *target, int64_t z, int64_t y) {
  const struct space *space = &all->space;
  const bool is_max = all->kind == kernels_pooling_max;
  const struct reach planes = reach(all, 0, z), rows = reach(all, 1, y);
  for (int64_t x = 0; x < space->targets[2]; x++) {
    const struct reach columns = reach(all, 2, x);
    int64_t count = 0;
    vector sum = is_max ? -INFINITY : 0;
    for (int64_t plane = planes.first; plane < planes.end; plane += space->dilation[0]) {
      for (int64_t row = rows.first; row < rows.end; row += space->dilation[1]) {
        const float *line = source + plane * all->source_steps[2] + row * all->source_steps[3];
        for (int64_t column = columns.first; column < columns.end; column += space->dilation[2]) {
          const vector value = load(line + column * all->source_steps[4]);
          sum = is_max ? (value > sum ? value : sum) : sum + value;
          count++;
        }
      }
    }
    if (all->kind == kernels_pooling_mean_with_padding) {
      count = planes.padded * rows.padded * columns.padded;
    }
    if (!is_max) sum *= 1 / (float)count;
    store(target + x * all->target_steps[4], sum);
  }
}

INLINE void pool_row_body(
    const struct pooling *all, const float *source, float *target, int64_t z, int64_t y) {
  if (all->is_blocked) pool_block(all, source, target, z, y);
  else pool_channels(all, source, target, z, y, all->channels);
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
