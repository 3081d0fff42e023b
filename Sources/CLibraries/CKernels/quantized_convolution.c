#include "quantized.h"

#include <stdlib.h>

#include "threads.h"

// Planning and running of convolutions of integers and bfloat16.

int64_t kernels_quantized_pixel_size(int64_t channels, bool is_bfloat16) {
  const int64_t size = element_size(is_bfloat16);
  return channels < CHANNELS ? ceil_div(channels * size, WORD) * WORD
                             : ceil_div(channels, CHANNELS) * CHANNELS * size;
}

// --- Weights.

/// The size in bytes of the part of a pixel with the groups of a block, in whole words.
static int64_t spanned_bytes(const struct quantized_blocks *blocks) {
  const int64_t width = blocks->width, outputs = blocks->group_outputs;
  const int64_t groups = blocks->per_group   ? 1
      : width % outputs == 0 ? width / outputs : ceil_div(width + outputs - 1, outputs);
  const int64_t group = blocks->group_inputs * blocks->size;
  // A group may begin within a word.
  return ceil_div(groups * group + (group % WORD ? WORD - 1 : 0), WORD) * WORD;
}

struct quantized_blocks divide_outputs(const struct kernels_quantized_weights *weights) {
  const int64_t size = element_size(weights->is_bfloat16), groups = weights->groups;
  struct quantized_blocks blocks = {
    .outputs = weights->out, .group_outputs = weights->out / groups, .group_inputs = weights->in,
    .pixel_size = kernels_quantized_pixel_size(weights->in * groups, weights->is_bfloat16),
    .size = size, .width = CHANNELS,
  };
  blocks.is_depthwise = weights->in == 1 && weights->out == groups && groups >= CHANNELS;
  if (blocks.is_depthwise) {
    blocks.span = CHANNELS * size;
  } else if (groups == 1) {
    blocks.width = output_blocks_per_tile(weights->out) * CHANNELS;
    blocks.span = blocks.pixel_size;
  } else {
    // A zero weight of another group would make infinite bfloat16 NaN.
    if (blocks.group_outputs >= CHANNELS || weights->is_bfloat16) {
      blocks.width = output_blocks_per_tile(blocks.group_outputs) * CHANNELS;
      blocks.per_group = ceil_div(blocks.group_outputs, blocks.width);
    }
    blocks.span = smaller(blocks.pixel_size, spanned_bytes(&blocks));
  }
  blocks.count = blocks.per_group ? blocks.per_group * groups : ceil_div(weights->out, blocks.width);
  return blocks;
}

/// The first output of a block.
static int64_t first_output(const struct quantized_blocks *blocks, int64_t block) {
  if (!blocks->per_group) return block * blocks->width;
  return block / blocks->per_group * blocks->group_outputs + block % blocks->per_group * blocks->width;
}

/// The number of outputs of a block.
static int64_t count_valid(const struct quantized_blocks *blocks, int64_t block) {
  if (!blocks->per_group) return smaller(blocks->width, blocks->outputs - block * blocks->width);
  return smaller(blocks->width, blocks->group_outputs - block % blocks->per_group * blocks->width);
}

/// The first byte of a pixel that a block reads.
static int64_t first_byte(const struct quantized_blocks *blocks, int64_t block) {
  if (blocks->is_depthwise) return block * blocks->span;
  const int64_t group = first_output(blocks, block) / blocks->group_outputs;
  const int64_t byte = group * blocks->group_inputs * blocks->size;
  return smaller(byte / WORD * WORD, blocks->pixel_size - blocks->span);
}

/// The size in bytes of the weights of a block, for one window element.
static int64_t weights_per_tap(const struct quantized_blocks *blocks) {
  return blocks->is_depthwise ? blocks->span : blocks->span * blocks->width;
}

/// The size in bytes of all weights; the sums of integers follow.
static int64_t weights_size(const struct quantized_blocks *blocks, int64_t taps) {
  return blocks->count * taps * weights_per_tap(blocks);
}

size_t kernels_packed_size(const struct kernels_quantized_weights *weights) {
  const struct quantized_blocks blocks = divide_outputs(weights);
  const int64_t sums = weights->taps * blocks.count * blocks.width * (int64_t)sizeof(int32_t);
  return (size_t)(weights_size(&blocks, weights->taps) + (weights->is_bfloat16 ? 0 : sums));
}

void kernels_pack_quantized(
    const void *elements, const struct kernels_quantized_weights *weights, void *packed) {
  const struct quantized_blocks blocks = divide_outputs(weights);
  const int64_t taps = weights->taps, size = blocks.size, lanes = blocks.count * blocks.width;
  const int8_t *source = elements;
  memset(packed, 0, kernels_packed_size(weights));
  int32_t *sums = (int32_t *)((int8_t *)packed + weights_size(&blocks, taps));
  for (int64_t block = 0; block < blocks.count; block++) {
    int8_t *own = (int8_t *)packed + block * taps * weights_per_tap(&blocks);
    for (int64_t lane = 0; lane < count_valid(&blocks, block); lane++) {
      const int64_t group = (first_output(&blocks, block) + lane) / blocks.group_outputs;
      const int64_t start = group * weights->in * size - first_byte(&blocks, block);
      for (int64_t input = 0; input < weights->in; input++) {
        const int64_t position = start + input * size, byte = position % WORD;
        int8_t *target = blocks.is_depthwise
            ? own + lane * size : own + (position - byte) * blocks.width + lane * WORD + byte;
        for (int64_t tap = 0; tap < taps; tap++, source += size) {
          memcpy(target + tap * weights_per_tap(&blocks), source, (size_t)size);
          if (!weights->is_bfloat16) sums[tap * lanes + block * blocks.width + lane] += *source;
        }
      }
    }
  }
}

// --- Running.

struct quantized_work {
  const struct quantized_convolution *all;
  const struct pass *pass;
  /// The same pass of a depthwise convolution that reads words of several rows; otherwise NULL.
  const struct depthwise_pass *depthwise;
  const struct call *call;
  const uint8_t *source;
  int64_t image;
  /// The number of tiles, or of parts of a depthwise convolution, and into how many shares those of each block are
  /// divided.
  int64_t parts, cuts;
};

/// Sets the initial values of the integer sums of a block: minus the sums of the weights that contribute, times
/// the zero point.
static void set_shifts(const struct quantized_work *work, int64_t block, int32_t shifts[2 * CHANNELS]) {
  const struct quantized_convolution *all = work->all;
  const struct quantized_blocks *blocks = &all->blocks;
  memset(shifts, 0, 2 * CHANNELS * sizeof *shifts);
  if (all->stored.is_bfloat16) return;
  const char *weights = (const char *)work->call->arguments[kernels_role_weights];
  const int32_t *sums = (const int32_t *)(weights + weights_size(blocks, all->elements));
  const int32_t zero = all->stored.zero_point - source_offset();
  const int width = blocks->width / CHANNELS;
  int32x16 total[2] = {0};
  for (int tap = 0; tap < work->pass->tap_count; tap++) {
    const int64_t first = work->pass->taps[tap].weights / weights_per_tap(blocks);
    for (int64_t element = first; element < first + all->joined; element++) {
      const int32_t *own = sums + (element * blocks->count + block) * blocks->width;
      for (int part = 0; part < width; part++) {
        int32x16 some;
        memcpy(&some, own + part * CHANNELS, sizeof some);
        total[part] += some;
      }
    }
  }
  for (int part = 0; part < width; part++) total[part] *= -zero;
  memcpy(shifts, total, sizeof total);
}

/// Computes some outputs of an output block.
static void compute_part(void *context, int index) {
  const struct quantized_work *work = context;
  const struct quantized_convolution *all = work->all;
  const struct quantized_blocks *blocks = &all->blocks;
  const struct pass *pass = work->pass;
  const int64_t block = index % blocks->count, cut = index / blocks->count;
  const int64_t first = work->parts * cut / work->cuts, end = work->parts * (cut + 1) / work->cuts;
  const int64_t channel = first_output(blocks, block);
  quantized_tile_function *const *functions = quantized_tile_functions(all);
  float *const *arguments = work->call->arguments;
  const struct kernels_quantized_result *result = &all->result;
  const bool adds = all->operations.adds_first || all->operations.adds_last;
  const bool has_floats = result->stores_floats || (adds && !result->adds_reduced);
  _Alignas(64) int32_t shifts[2 * CHANNELS];
  set_shifts(work, block, shifts);
  struct quantized_tile tile = {
    .pass = pass,
    .weights = (const int8_t *)arguments[kernels_role_weights]
        + block * all->elements * weights_per_tap(blocks),
    .shifts = shifts, .scales = arguments[kernels_role_scale] + channel,
    .bias = arguments[kernels_role_bias] + channel, .channel = channel,
    .valid = count_valid(blocks, block),
  };
  const bool is_last = channel + tile.valid == all->out_channels;
  tile.stored = is_last ? larger(tile.valid, all->target_capacity - channel) : tile.valid;
  if (has_floats) {
    tile.floats = arguments[kernels_role_target] + work->image * all->outputs * all->out_channels;
  }
  if (result->stores_reduced) {
    tile.bytes = (uint8_t *)arguments[kernels_role_quantized_target]
        + work->image * all->outputs * all->target_pixel_size;
  }
  if (result->adds_reduced) {
    tile.summands = (const uint8_t *)arguments[kernels_role_second_source]
        + work->image * all->outputs * all->summand_pixel_size;
  }
  const uint8_t *source = work->source + first_byte(blocks, block);
  if (work->depthwise) {
    compute_depthwise_parts(all, work->depthwise, tile, source, first, end);
    return;
  }
  for (int64_t tile_index = first; tile_index < end; tile_index++) {
    const int64_t row = tile_index / pass->tiles.count, own = tile_index % pass->tiles.count;
    const int64_t y = row % pass->counts[1], z = row / pass->counts[1];
    const int64_t start = pass->tiles.starts[own];
    tile.count = (int)(pass->tiles.starts[own + 1] - start);
    tile.first_output = pass->target_offset + z * pass->target_steps[0] + y * pass->target_steps[1]
        + start * pass->target_steps[2];
    tile.source = source + pass->source_offset + z * pass->source_steps[0] + y * pass->source_steps[1]
        + start * pass->source_steps[2];
    functions[tile.count - 1](all, &tile);
  }
}

/// The minimum number of products for which synchronizing threads pays off, and the size in bytes of the
/// input and output that stay in the cache while all channels are computed.
enum { MIN_SHARED_INTEGER_PRODUCTS = 1 << 20, CACHED = 256 << 10 };

static void compute_pass(const struct quantized_work *given) {
  struct quantized_work work = *given;
  const struct quantized_convolution *all = work.all;
  const int64_t *counts = work.pass->counts, outputs = counts[0] * counts[1] * counts[2];
  const int64_t weights = work.pass->tap_count * all->run * all->out_channels;
  const int64_t threads = outputs * weights < MIN_SHARED_INTEGER_PRODUCTS ? 1 : kernels_thread_count();
  const struct traffic traffic = {
    .pixels = outputs, .channels = all->out_channels, .blocks = all->blocks.count, .weights = weights,
    .source = input_bytes(&all->input),
    .target = outputs * all->target_pixel_size
        + (all->result.stores_floats ? outputs * all->out_channels * (int64_t)sizeof(float) : 0),
    .cache = CACHED,
  };
  work.parts = work.depthwise ? count_depthwise_parts(work.depthwise)
                              : counts[0] * counts[1] * work.pass->tiles.count;
  if (work.parts == 0) return;
  work.cuts = larger(1, smaller(count_cuts(&traffic, threads), work.parts));
  const int count = (int)(work.cuts * all->blocks.count);
  if (threads > 1) {
    kernels_parallel(count, compute_part, &work);
  } else {
    for (int index = 0; index < count; index++) compute_part(&work, index);
  }
}

static void run_quantized(const kernels_primitive *primitive, const struct call *call) {
  const struct quantized_convolution *all = (const struct quantized_convolution *)primitive;
  struct quantized_work work = {.all = all, .call = call};
  for (; work.image < all->images; work.image++) {
    const uint8_t *images = (const uint8_t *)call->arguments[kernels_role_source];
    work.source = images + work.image * input_bytes(&all->input);
    if (!all->depthwise) {
      work.source = pad_input(&all->input, work.source, call->arguments[kernels_role_scratchpad]);
    }
    for (int index = 0; index < all->passes.count; index++) {
      work.pass = &all->passes.list[index];
      if (all->depthwise) work.depthwise = &all->depthwise[index];
      compute_pass(&work);
    }
  }
}

// --- Planning.

static void release_quantized(kernels_primitive *primitive) {
  struct quantized_convolution *all = (struct quantized_convolution *)primitive;
  free_depthwise(all);
  free_passes(&all->passes);
}

/// Plans the passes, and the padded input.
static bool plan(struct quantized_convolution *all, const struct space *space, bool is_transposed) {
  const struct quantized_blocks *blocks = &all->blocks;
  // Adjacent pixels are one run where all their channels are read.
  const bool joins = !is_transposed && !blocks->is_depthwise && blocks->span == blocks->pixel_size
      && space->dilation[2] == 1;
  all->joined = joins ? space->window[2] : 1;
  all->run = all->joined * blocks->span;
  const bool has_rows = blocks->is_depthwise && !all->stored.is_bfloat16 && suits_words(space);
  all->input = (struct padded_input){
    .blocks = 1, .pixel_size = blocks->pixel_size, .padding = all->stored.zero_point};
  const struct pass_plan plan = {
    .space = space, .is_transposed = is_transposed, .joined = all->joined,
    .pixel = (ptrdiff_t)blocks->pixel_size, .weights_tap = (ptrdiff_t)weights_per_tap(blocks),
    .target_steps = {space->targets[1] * space->targets[2], space->targets[2], 1},
    .widest = widest_quantized_tile(all->stored.is_bfloat16, has_rows || !blocks->is_depthwise),
  };
  return plan_passes(&all->passes, &plan, &all->input) && (!has_rows || plan_depthwise(all, space));
}

/// The ending if it is one of the common ones, else ENDINGS.
static int find_ending(const struct quantized_convolution *all) {
  const struct operations *operations = &all->operations;
  const bool adds_reduced = all->result.adds_reduced;
  const bool is_bfloat16 = all->stored.is_bfloat16;
  if (all->result.quantization.is_bfloat16 != is_bfloat16
      || (adds_reduced && all->result.summand.is_bfloat16 != is_bfloat16)) {
    return ENDINGS;
  }
  // Adding after an activation, or adding floats, is the general case.
  const bool is_general_sum = adds_reduced ? operations->adds_last && operations->rectifier.slope != 1
                                            : operations->adds_first || operations->adds_last;
  if (is_general_sum || !all->result.stores_reduced || operations->function_count > 0
      || operations->rectifier.limit < INFINITY) {
    return ENDINGS;
  }
  // Where 0 is the smallest integer, clamping makes the relu redundant.
  const bool rectifies = operations->rectifier.slope == 0
      && (is_bfloat16 || all->result.stores_floats || all->result.quantization.zero_point != 0);
  const bool has_slope = operations->rectifier.slope != 0 && operations->rectifier.slope != 1;
  return (adds_reduced ? ADDS_REDUCED : 0) | (all->result.stores_floats ? STORES_FLOATS : 0)
      | (rectifies ? RECTIFIES : 0) | (has_slope ? HAS_SLOPE : 0);
}

/// The name of the kernel in profiles.
static const char *kernel_name(bool is_bfloat16) {
  if (is_bfloat16) {
    return kernels_has_bfloat16_products ? "bfloat16 convolution (AVX512-BF16)"
                                         : "bfloat16 convolution";
  }
  if (!kernels_has_byte_products) return "int8 convolution";
  return source_offset() ? "int8 convolution (SDOT)" : "int8 convolution (VNNI)";
}

/// Whether a word of a pixel contains channels of two groups, which bfloat16 cannot tell apart where they are
/// not finite.
static bool mixes_groups(const struct kernels_quantized_weights *weights) {
  return weights->is_bfloat16 && weights->groups > 1 && weights->in % 2 != 0
      && !divide_outputs(weights).is_depthwise;
}

kernels_primitive *kernels_quantized_convolution(
    const kernels_layout *source, const kernels_layout *target, struct kernels_window window,
    bool is_transposed, struct kernels_quantized_weights weights, struct kernels_quantization stored,
    struct kernels_post_operations post, struct kernels_quantized_result result) {
  struct quantized_convolution *all = mixes_groups(&weights) ? NULL : calloc(1, sizeof *all);
  if (!all) return NULL;
  const struct space space = make_space(source, target, window);
  all->primitive.run = run_quantized;
  all->primitive.release = release_quantized;
  all->primitive.name = kernel_name(stored.is_bfloat16);
  all->images = source->sizes[0];
  all->stored = stored;
  all->out_channels = target->sizes[1];
  all->outputs = space.targets[0] * space.targets[1] * space.targets[2];
  all->elements = weights.taps;
  all->blocks = divide_outputs(&weights);
  if (result.stores_reduced) {
    const bool is_bfloat16 = result.quantization.is_bfloat16;
    all->target_pixel_size = kernels_quantized_pixel_size(all->out_channels, is_bfloat16);
    all->target_capacity = all->target_pixel_size / element_size(is_bfloat16);
    all->rounding = make_rounding(result.quantization);
  }
  if (result.adds_reduced) {
    all->summand_pixel_size = kernels_quantized_pixel_size(all->out_channels, result.summand.is_bfloat16);
  }
  all->result = result;
  if (!set_operations(&all->operations, post) || !plan(all, &space, is_transposed)) {
    kernels_primitive_free(&all->primitive);
    return NULL;
  }
  all->ending = find_ending(all);
  if (all->input.is_copied && !all->depthwise) {
    primitive_set_bytes(&all->primitive, kernels_role_scratchpad, padded_bytes(&all->input));
  }
  const struct kernels_layout floats = layout_channels_last(target->rank, target->sizes);
  primitive_set(&all->primitive, kernels_role_target, &floats);
  if (!result.stores_reduced) return &all->primitive;
  primitive_set_bytes(
      &all->primitive, kernels_role_quantized_target,
      all->images * all->outputs * all->target_pixel_size);
  return &all->primitive;
}
