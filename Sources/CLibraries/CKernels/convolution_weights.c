#include <stdlib.h>
#include <string.h>

#include "convolutions.h"
#include "threads.h"

// The layouts of convolution weights.

struct kernels_layout layout_weights(
    const struct kernels_layout *weights, bool is_blocked, bool has_groups, int width) {
  if (has_groups && weights->sizes[0] > 1) return layout_groups(weights);
  const int outputs = has_groups ? 1 : 0, inputs = outputs + 1;
  int order[MAX_RANK] = {0};
  int count = 0;
  if (has_groups) order[count++] = 0;
  order[count++] = outputs;
  if (is_blocked) order[count++] = inputs;
  for (int axis = inputs + 1; axis < weights->rank; axis++) order[count++] = axis;
  if (!is_blocked) order[count++] = inputs;
  const struct block blocks[] = {{inputs, CHANNELS}, {outputs, width}};
  return layout_make(
      weights->rank, weights->sizes, order, is_blocked ? 2 : 1, is_blocked ? blocks : blocks + 1);
}

// --- Groups that do not fill channel blocks: a block of 16 outputs reads all input blocks that contain
// channels of its groups, with zero weights for channels of other groups.

static int64_t all_blocks(const struct groups *groups) {
  return ceil_div(groups->count * groups->inputs, CHANNELS);
}

/// The first group of an output block.
static int64_t first_group(const struct groups *groups, int64_t block) {
  return block * CHANNELS / groups->outputs;
}

/// The last group of an output block.
static int64_t last_group(const struct groups *groups, int64_t block) {
  const int64_t end = smaller((block + 1) * CHANNELS, groups->count * groups->outputs);
  return (end - 1) / groups->outputs;
}

int64_t group_span(const struct groups *groups) {
  const int64_t blocks = ceil_div(groups->count * groups->outputs, CHANNELS);
  int64_t span = 1;
  for (int64_t block = 0; block < blocks; block++) {
    const int64_t first = first_group(groups, block) * groups->inputs / CHANNELS;
    const int64_t end = ceil_div((last_group(groups, block) + 1) * groups->inputs, CHANNELS);
    span = larger(span, end - first);
  }
  return span;
}

int64_t first_block(const struct groups *groups, int64_t block) {
  const int64_t first = first_group(groups, block) * groups->inputs / CHANNELS;
  return smaller(first, all_blocks(groups) - group_span(groups));
}

struct grouped {
  kernels_primitive primitive;
  struct groups groups;
  /// The number of window elements, and of input blocks for each output block.
  int64_t taps, span;
};

static struct grouped describe_groups(const struct kernels_layout *weights) {
  struct grouped result = {
    .groups = {weights->sizes[0], weights->sizes[1], weights->sizes[2]}, .taps = 1};
  for (int axis = 3; axis < weights->rank; axis++) result.taps *= weights->sizes[axis];
  result.span = group_span(&result.groups);
  return result;
}

struct kernels_layout layout_groups(const struct kernels_layout *weights) {
  const struct grouped all = describe_groups(weights);
  struct kernels_layout layout = layout_row_major(weights->rank, weights->sizes);
  layout.form = FORM_GROUPS;
  layout.opaque_count = ceil_div(all.groups.count * all.groups.outputs, CHANNELS) * CHANNELS
      * all.span * CHANNELS * all.taps;
  return layout;
}

struct grouping_work {
  const struct grouped *all;
  const unaligned_float *source;
  float *target;
};

/// Writes the weights of an output block, `[span, taps, 16 inputs, 16 outputs]`.
static void write_block(void *context, int index) {
  const struct grouping_work *work = context;
  const struct grouped *all = work->all;
  const struct groups *groups = &all->groups;
  const int64_t size = all->span * all->taps * CHANNELS * CHANNELS;
  float *target = work->target + index * size;
  memset(target, 0, (size_t)size * sizeof *target);
  const int64_t start = first_block(groups, index) * CHANNELS;
  for (int channel = 0; channel < CHANNELS; channel++) {
    const int64_t output = (int64_t)index * CHANNELS + channel;
    if (output >= groups->count * groups->outputs) break;
    const unaligned_float *source = work->source + output * groups->inputs * all->taps;
    for (int64_t input = 0; input < groups->inputs; input++) {
      const int64_t position = output / groups->outputs * groups->inputs + input - start;
      for (int64_t tap = 0; tap < all->taps; tap++) {
        target[((position / CHANNELS * all->taps + tap) * CHANNELS + position % CHANNELS) * CHANNELS
               + channel] = source[input * all->taps + tap];
      }
    }
  }
}

static void run_grouping(const kernels_primitive *primitive, const struct call *call) {
  const struct grouped *all = (const struct grouped *)primitive;
  struct grouping_work work = {
    all, call->arguments[kernels_role_source], call->arguments[kernels_role_target]};
  const int64_t outputs = all->groups.count * all->groups.outputs;
  kernels_parallel((int)ceil_div(outputs, CHANNELS), write_block, &work);
}

kernels_primitive *kernels_reorder_groups(
    const kernels_layout *source, const kernels_layout *target) {
  const struct kernels_layout plain = layout_row_major(source->rank, source->sizes);
  struct grouped *all = kernels_layout_equal(source, &plain) ? calloc(1, sizeof *all) : NULL;
  if (!all) return NULL;
  *all = describe_groups(target);
  all->primitive = (kernels_primitive){.name = "reorder", .run = run_grouping};
  primitive_set(&all->primitive, kernels_role_source, source);
  primitive_set(&all->primitive, kernels_role_target, target);
  return &all->primitive;
}
