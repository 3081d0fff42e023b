#include <stdlib.h>

#include "convolutions.h"

// Planning of convolutions, transposed convolutions and fully connected layers: layouts and padding.

static void release_convolution(kernels_primitive *primitive) {
  free_passes(&((struct convolution *)primitive)->passes);
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
      // Tiles for blocks would round these channels up, which costs more than reading them one by one.
      if (all->blocks == 1 && in_channels % UNROLLED) all->run = all->last_run = (int)in_channels;
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

/// Plans the passes, and the working memory for the padded input.
static bool plan(
    struct convolution *all, const struct space *space, bool is_transposed, bool reads_blocks) {
  // Adjacent elements with contiguous channels are one tap.
  const bool joins = !is_transposed && !reads_blocks && all->blocks == 1 && space->dilation[2] == 1;
  const ptrdiff_t target_pixel = all->stores_padding ? CHANNELS : all->out_channels;
  const struct pass_plan plan = {
    .space = space, .is_transposed = is_transposed, .joined = joins ? space->window[2] : 1,
    .pixel = (ptrdiff_t)(all->input.pixel_size / (int64_t)sizeof(float)),
    .weights_tap = all->weights_tap,
    .target_steps = {
      target_pixel * space->targets[2] * space->targets[1], target_pixel * space->targets[2], target_pixel},
    .widest = widest_tile(),
  };
  if (joins) all->run = all->last_run = (int)(all->run * space->window[2]);
  if (!plan_passes(&all->passes, &plan, &all->input)) return false;
  if (all->input.is_copied) {
    primitive_set_bytes(&all->primitive, kernels_role_scratchpad, padded_bytes(&all->input));
  }
  const int64_t *padded = all->input.padded_sizes;
  all->source_block =
      all->input.blocks > 1 ? plan.pixel * padded[0] * padded[1] * padded[2] : CHANNELS;
  return true;
}

kernels_primitive *blocked_convolution(
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
  const bool is_half = !is_split && target->sizes[1] <= CHANNELS / 2;
  all->width = is_half ? CHANNELS / 2 : all->tile_blocks * CHANNELS;
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
    is_planned = plan(all, &space, is_transposed, reads_blocks);
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

/// A source as it is if its channels are in blocks; else with its order left open.
static struct kernels_layout known_or_open(const struct kernels_layout *source) {
  struct kernels_layout layout = *source;
  layout.is_any |= !is_blocked(source);
  return layout;
}

kernels_primitive *kernels_convolution(
    const kernels_layout *given, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post) {
  if (!are_images(given, weights, target)) return NULL;
  const struct kernels_layout known = known_or_open(given), *source = &known;
  if (weights->rank > source->rank && weights->sizes[0] > 1 && weights->sizes[1] == 1
      && weights->sizes[2] == 1) {
    return depthwise_convolution(source, weights, bias, target, window, post);
  }
  kernels_primitive *fast = winograd_convolution(source, weights, bias, target, window, post);
  if (!fast) fast = planar_convolution(source, weights, bias, target, window, post);
  return fast ? fast
              : blocked_convolution(
                    source, weights, bias, target, make_space(source, target, window), post, false);
}

kernels_primitive *kernels_transposed_convolution(
    const kernels_layout *given, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post) {
  if (!are_images(given, weights, target)) return NULL;
  const struct kernels_layout known = known_or_open(given), *source = &known;
  return blocked_convolution(
      source, weights, bias, target, make_space(source, target, window), post, true);
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
      blocked_convolution(&layouts[0], &layouts[1], bias, &layouts[2], space, post, false);
  if (!primitive) return NULL;
  primitive->name = "dense";
  const struct kernels_layout own = layout_make(
      2, weights->sizes, (int[]){0, 1}, 1, &(struct block){0, ((struct convolution *)primitive)->width});
  primitive_set(primitive, kernels_role_source, &plain[0]);
  primitive_set(primitive, kernels_role_target, &plain[1]);
  primitive_set(primitive, kernels_role_weights, &own);
  return primitive;
}
