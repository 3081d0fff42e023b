#include <stdlib.h>

#include "threads.h"
#include "winograd.h"

// The transformed weights of convolutions by minimal filtering.

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

void winograd_transform_weights(
    const float *weights, int inputs, int width, float *target, ptrdiff_t step) {
  transform_weights(weights, inputs, width, target, step);
}

struct weights_work {
  const kernels_primitive *primitive;
  const unaligned_float *source;
  const float *scales;
  float *target;
  int64_t inputs, outputs;
  int width;
};

/// Writes the weights of an output block, `[16 positions, blocks, 16 inputs, width]`.
static void write_outputs(void *context, int index) {
  const struct weights_work *work = context;
  const struct kernels_layout *layout = &work->primitive->layouts[kernels_role_source];
  const int width = work->width;
  const int64_t blocks = ceil_div(work->inputs, CHANNELS);
  const ptrdiff_t step = (ptrdiff_t)(blocks * CHANNELS * width);
  float *target = work->target + (ptrdiff_t)index * POSITIONS * step;
  const int64_t valid = smaller(width, work->outputs - (int64_t)index * width);
  for (int64_t input = 0; input < blocks * CHANNELS; input++) {
    float own[WINDOW * WINDOW * 2 * CHANNELS] = {0};
    for (int64_t channel = 0; channel < valid && input < work->inputs; channel++) {
      const int64_t output = index * (int64_t)width + channel;
      const float scale = work->scales ? work->scales[output] : 1;
      const unaligned_float *source =
          work->source + output * layout->strides[0] + input * layout->strides[1];
      for (int tap = 0; tap < WINDOW * WINDOW; tap++) {
        own[tap * width + channel] = scale
            * source[tap / WINDOW * layout->strides[2] + tap % WINDOW * layout->strides[3]];
      }
    }
    winograd_transform_weights(own, 1, width, target + input * width, step);
  }
}

struct winograd_weights {
  kernels_primitive primitive;
  float *scales;
};

static void release_weights(kernels_primitive *primitive) {
  free(((struct winograd_weights *)primitive)->scales);
}

static void run_weights(const kernels_primitive *primitive, const struct call *call) {
  const struct kernels_layout *target = &primitive->layouts[kernels_role_target];
  struct weights_work work = {
    .primitive = primitive, .source = call->arguments[kernels_role_source],
    .scales = ((const struct winograd_weights *)primitive)->scales,
    .target = call->arguments[kernels_role_target], .outputs = target->sizes[0],
    .inputs = target->sizes[1], .width = output_blocks_per_tile(target->sizes[0]) * CHANNELS,
  };
  kernels_parallel((int)ceil_div(work.outputs, work.width), write_outputs, &work);
}

kernels_primitive *winograd_reorder(
    const kernels_layout *source, const kernels_layout *target, const float *scales, int count) {
  if (source->block_count > 0 || (count > 0 && count != target->sizes[0])) return NULL;
  struct winograd_weights *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive = (kernels_primitive){
    .name = "reorder", .run = run_weights, .release = release_weights};
  primitive_set(&all->primitive, kernels_role_source, source);
  primitive_set(&all->primitive, kernels_role_target, target);
  if (count == 0) return &all->primitive;
  all->scales = malloc((size_t)count * sizeof *scales);
  if (all->scales) {
    memcpy(all->scales, scales, (size_t)count * sizeof *scales);
    return &all->primitive;
  }
  free(all);
  return NULL;
}
