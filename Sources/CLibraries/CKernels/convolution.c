#include <stdlib.h>

#include "convolutions.h"

// Planning of convolutions, transposed convolutions and fully connected layers: layouts, padding and passes.

static void release_convolution(kernels_primitive *primitive) {
  struct convolution *all = (struct convolution *)primitive;
  for (int index = 0; index < all->pass_count; index++) {
    free(all->passes[index].taps);
    free(all->passes[index].tiles.starts);
  }
  free(all->passes);
}

static bool is_channels_last(const struct kernels_layout *layout) {
  const struct kernels_layout last = layout_channels_last(layout->rank, layout->sizes);
  return kernels_layout_equal(layout, &last);
}

static bool is_blocked(const struct kernels_layout *layout) {
  const struct kernels_layout blocked = layout_channels_blocked(layout->rank, layout->sizes);
  return kernels_layout_equal(layout, &blocked);
}

/// With fewer channels, blocks would be mostly padding.
enum { MIN_BLOCKED = CHANNELS };

/// The layout of an input or output, if its order is open.
static struct kernels_layout choose_layout(const struct kernels_layout *layout, bool is_blocked) {
  if (!layout->is_any) return *layout;
  return is_blocked ? layout_channels_blocked(layout->rank, layout->sizes)
                    : layout_channels_last(layout->rank, layout->sizes);
}

/// Sets the strides of the channels of the input, the weights and the output.
static void set_channels(
    struct convolution *all, const struct space *space, int64_t in_channels, int64_t out_channels,
    bool reads_blocks) {
  const int width = all->width;
  int64_t taps = 1, targets = 1;
  for (int axis = 0; axis < 3; axis++) {
    taps *= space->window[axis];
    targets *= space->targets[axis];
  }
  all->out_channels = out_channels;
  // A pixel holds the contiguous channels at a position: those of a block, or all.
  all->input.blocks = reads_blocks ? ceil_div(in_channels, CHANNELS) : 1;
  all->input.pixel_size = (reads_blocks ? CHANNELS : in_channels) * (int64_t)sizeof(float);
  all->target_block = all->stores_padding ? targets * CHANNELS : CHANNELS;
  all->target_image =
      (all->stores_padding ? ceil_div(out_channels, CHANNELS) * CHANNELS : out_channels) * targets;
  all->run = all->last_run = CHANNELS;
  all->weights_tap = (ptrdiff_t)(reads_blocks ? CHANNELS : in_channels) * width;
  if (reads_blocks) {
    all->blocks = all->groups.count > 1 ? group_span(&all->groups) : all->input.blocks;
    all->weights_block = (ptrdiff_t)taps * all->weights_tap;
    if (all->groups.count == 1) {
      all->last_filled = (int)(in_channels - (all->blocks - 1) * CHANNELS);
    }
    all->weights_outputs = (ptrdiff_t)all->blocks * all->weights_block;
  } else {
    all->blocks = ceil_div(in_channels, CHANNELS);
    all->last_run = (int)(in_channels - (all->blocks - 1) * CHANNELS);
    if (all->blocks == 1) all->run = all->last_run;
    all->weights_block = (ptrdiff_t)CHANNELS * width;
    all->weights_outputs = (ptrdiff_t)taps * all->weights_tap;
  }
}

static void target_steps(
    const struct convolution *all, const struct space *space, ptrdiff_t steps[3]) {
  steps[2] = all->stores_padding ? CHANNELS : all->out_channels;
  steps[1] = steps[2] * space->targets[2];
  steps[0] = steps[1] * space->targets[1];
}

/// Sets the padded input and the strides in it. Returns the offset of the first element that is covered.
static ptrdiff_t set_input(
    struct convolution *all, const struct space *space, const int64_t before[3],
    const int64_t padded_sizes[3], ptrdiff_t steps[3]) {
  const int64_t size = sizeof(float);
  set_padding(&all->input, space->sizes, before, padded_sizes);
  if (all->input.is_copied) {
    primitive_set_bytes(&all->primitive, kernels_role_scratchpad, padded_bytes(&all->input));
  }
  const ptrdiff_t offset = padded_steps(&all->input, (ptrdiff_t)(all->input.pixel_size / size), steps);
  all->source_block = all->input.blocks > 1 ? steps[0] * all->input.padded_sizes[0] : CHANNELS;
  return offset;
}

/// Adds a pass without taps; NULL if memory cannot be allocated.
static struct pass *add_pass(struct convolution *all, int64_t most_taps) {
  struct pass *pass = &all->passes[all->pass_count];
  pass->taps = calloc((size_t)larger(1, most_taps), sizeof *pass->taps);
  if (!pass->taps) return NULL;
  all->pass_count++;
  return pass;
}

/// Adds a tap for each window element. Adjacent elements with contiguous channels are merged into one tap.
static bool plan_convolution(struct convolution *all, const struct space *space, bool reads_blocks) {
  int64_t padded_sizes[3], position[3], taps = 1;
  ptrdiff_t steps[3], targets[3];
  for (int axis = 0; axis < 3; axis++) taps *= space->window[axis];
  covered_sizes(space, padded_sizes);
  const ptrdiff_t offset = set_input(all, space, space->before, padded_sizes, steps);
  target_steps(all, space, targets);
  all->passes = calloc(1, sizeof *all->passes);
  struct pass *pass = all->passes ? add_pass(all, taps) : NULL;
  if (!pass) return false;
  const bool joins = !reads_blocks && all->blocks == 1 && space->dilation[2] == 1;
  if (joins) all->run = all->last_run = (int)(all->run * space->window[2]);
  for (int64_t index = 0; index < taps; index += joins ? space->window[2] : 1) {
    window_position(space, index, position);
    struct tap tap = {.weights = (ptrdiff_t)index * all->weights_tap};
    for (int axis = 0; axis < 3; axis++) {
      tap.source += position[axis] * space->dilation[axis] * steps[axis];
    }
    pass->taps[pass->tap_count++] = tap;
  }
  pass->source_offset = offset;
  count_outputs(space, &all->input, pass->counts);
  for (int axis = 0; axis < 3; axis++) {
    pass->source_steps[axis] = space->strides[axis] * steps[axis];
    pass->target_steps[axis] = targets[axis];
  }
  return cut_row(&pass->tiles, pass->counts[2], widest_tile());
}

/// The offset of a window element's input for the outputs `phase`, `phase` + `stride`, ... of a transposed
/// convolution; false when the element does not contribute to them.
static bool transposed_offset(
    const struct space *space, int axis, int64_t phase, int64_t position, int64_t *offset) {
  const int64_t distance = phase + space->before[axis] - position * space->dilation[axis];
  *offset = distance / space->strides[axis];
  return distance % space->strides[axis] == 0;
}

/// Adds a pass for each phase of the strides, with the taps that contribute to it.
static bool plan_transposed(struct convolution *all, const struct space *space) {
  int64_t before[3] = {0}, padded_sizes[3], phases = 1, taps = 1;
  ptrdiff_t steps[3], targets[3];
  for (int axis = 0; axis < 3; axis++) {
    int64_t last = 0;
    for (int64_t phase = 0; phase < space->strides[axis]; phase++) {
      const int64_t count = ceil_div(space->targets[axis] - phase, space->strides[axis]);
      for (int64_t position = 0; position < space->window[axis] && count > 0; position++) {
        int64_t offset;
        if (!transposed_offset(space, axis, phase, position, &offset)) continue;
        before[axis] = larger(before[axis], -offset);
        last = larger(last, offset + count - 1);
      }
    }
    padded_sizes[axis] = before[axis] + last + 1;
    phases *= space->strides[axis];
    taps *= space->window[axis];
  }
  set_input(all, space, before, padded_sizes, steps);
  target_steps(all, space, targets);
  all->passes = calloc((size_t)phases, sizeof *all->passes);
  for (int64_t index = 0; all->passes && index < phases; index++) {
    struct pass *pass = add_pass(all, taps);
    if (!pass) return false;
    const int64_t phase[] = {
      index / space->strides[2] / space->strides[1], index / space->strides[2] % space->strides[1],
      index % space->strides[2]};
    for (int axis = 0; axis < 3; axis++) {
      pass->counts[axis] =
          larger(0, ceil_div(space->targets[axis] - phase[axis], space->strides[axis]));
      pass->source_steps[axis] = steps[axis];
      pass->target_steps[axis] = targets[axis] * space->strides[axis];
      pass->target_offset += phase[axis] * targets[axis];
    }
    for (int64_t tap_index = 0; tap_index < taps; tap_index++) {
      int64_t position[3], offset;
      window_position(space, tap_index, position);
      struct tap tap = {.weights = (ptrdiff_t)tap_index * all->weights_tap};
      bool contributes = true;
      for (int axis = 0; axis < 3; axis++) {
        contributes &= transposed_offset(space, axis, phase[axis], position[axis], &offset);
        tap.source += (offset + before[axis]) * steps[axis];
      }
      if (contributes) pass->taps[pass->tap_count++] = tap;
    }
    if (!cut_row(&pass->tiles, pass->counts[2], widest_tile())) return false;
  }
  return all->passes;
}

/// Creates a convolution or transposed convolution.
static kernels_primitive *create(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct space space, struct kernels_post_operations post,
    bool is_transposed) {
  const bool has_groups = weights->rank > source->rank;
  struct convolution *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive.run = run_convolution;
  all->primitive.release = release_convolution;
  all->primitive.name =
      is_transposed ? "blocked transposed convolution" : "blocked convolution";
  all->groups = (struct groups){1, weights->sizes[0], weights->sizes[1]};
  if (has_groups) {
    all->groups = (struct groups){weights->sizes[0], weights->sizes[1], weights->sizes[2]};
  }
  const int64_t in_channels = source->sizes[1];
  const bool is_split = all->groups.count > 1;
  all->tile_blocks = is_split ? 1 : output_blocks_per_tile(target->sizes[1]);
  all->width = all->tile_blocks * CHANNELS;
  const struct kernels_layout input =
      choose_layout(source, is_split || in_channels >= MIN_BLOCKED);
  const struct kernels_layout output = choose_layout(target, true);
  const bool reads_blocks = is_blocked(&input);
  all->stores_padding = is_blocked(&output);
  bool is_planned = (reads_blocks || (is_channels_last(&input) && !is_split))
      && (all->stores_padding || is_channels_last(&output)) && set_operations(&all->operations, post);
  if (is_planned) {
    all->images = source->sizes[0];
    const struct kernels_layout own = layout_weights(weights, reads_blocks, has_groups, all->width);
    primitive_set(&all->primitive, kernels_role_source, &input);
    primitive_set(&all->primitive, kernels_role_target, &output);
    primitive_set(&all->primitive, kernels_role_weights, &own);
    if (bias) primitive_set(&all->primitive, kernels_role_bias, bias);
    set_channels(all, &space, in_channels, target->sizes[1], reads_blocks);
    is_planned = is_transposed ? plan_transposed(all, &space)
                            : plan_convolution(all, &space, reads_blocks);
    // Partial sums would overwrite the summand.
    is_planned &= !(all->operations.adds_last && all->run != all->last_run);
  }
  if (is_planned) return &all->primitive;
  kernels_primitive_free(&all->primitive);
  return NULL;
}

/// Whether the ranks of the layouts are those of a convolution.
static bool are_images(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *target) {
  return source->rank >= 3 && source->rank <= 5 && target->rank == source->rank
      && (weights->rank == source->rank || weights->rank == source->rank + 1);
}

kernels_primitive *kernels_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post) {
  if (!are_images(source, weights, target)) return NULL;
  if (weights->rank > source->rank && weights->sizes[0] > 1 && weights->sizes[1] == 1
      && weights->sizes[2] == 1) {
    return depthwise_convolution(source, weights, bias, target, window, post);
  }
  kernels_primitive *fast = winograd_convolution(source, weights, bias, target, window, post);
  return fast ? fast
              : create(source, weights, bias, target, make_space(source, target, window), post, false);
}

kernels_primitive *kernels_transposed_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post) {
  if (!are_images(source, weights, target)) return NULL;
  return create(source, weights, bias, target, make_space(source, target, window), post, true);
}

kernels_primitive *kernels_dense(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_post_operations post) {
  // A matrix is an image with one row, whose pixels are the rows of the matrix, with the channels innermost.
  const struct kernels_layout *given[] = {source, weights, target};
  struct kernels_layout layouts[3], plain[2];
  for (int index = 0; index < 3; index++) {
    const int64_t *sizes = given[index]->sizes;
    const bool is_weights = index == 1;
    if (given[index]->rank != 2) return NULL;
    if (!is_weights) {
      struct kernels_layout *own = &plain[index / 2];
      *own = layout_row_major(2, sizes);
      if (!given[index]->is_any && !kernels_layout_equal(given[index], own)) return NULL;
    }
    layouts[index] = layout_channels_last(
        3, (int64_t[]){is_weights ? sizes[0] : 1, sizes[1], is_weights ? 1 : sizes[0]});
  }
  const struct space space = {
    .sizes = {1, 1, source->sizes[0]}, .targets = {1, 1, source->sizes[0]}, .window = {1, 1, 1},
    .strides = {1, 1, 1}, .dilation = {1, 1, 1},
  };
  kernels_primitive *primitive =
      create(&layouts[0], &layouts[1], bias, &layouts[2], space, post, false);
  if (!primitive) return NULL;
  primitive->name = "dense";
  const struct kernels_layout own = layout_make(
      2, weights->sizes, (int[]){0, 1}, 1, &(struct block){0, ((struct convolution *)primitive)->width});
  primitive_set(primitive, kernels_role_source, &plain[0]);
  primitive_set(primitive, kernels_role_target, &plain[1]);
  primitive_set(primitive, kernels_role_weights, &own);
  return primitive;
}
