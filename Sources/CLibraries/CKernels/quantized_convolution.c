#include "quantized.h"

#include <stdlib.h>

#include "threads.h"

// Planning and running of convolutions of integers and bfloat16.

int64_t kernels_quantized_pixel_size(int64_t channels, bool is_bfloat16) {
  const int64_t size = element_size(is_bfloat16);
  return channels < CHANNELS ? ceil_div(channels * size, WORD) * WORD
                             : ceil_div(channels, CHANNELS) * CHANNELS * size;
}

size_t kernels_packed_size(int64_t out, int64_t in, int64_t taps, bool is_bfloat16) {
  const int64_t width = output_blocks_per_tile(out) * CHANNELS;
  return (size_t)(ceil_div(out, width) * width * taps * kernels_quantized_pixel_size(in, is_bfloat16));
}

void kernels_pack_quantized(
    const void *elements, int64_t out, int64_t in, int64_t taps, bool is_bfloat16, void *packed,
    int32_t *sums) {
  const int64_t width = output_blocks_per_tile(out) * CHANNELS, size = element_size(is_bfloat16);
  const int64_t pixel_size = kernels_quantized_pixel_size(in, is_bfloat16);
  const int8_t *source = elements;
  memset(packed, 0, kernels_packed_size(out, in, taps, is_bfloat16));
  for (int64_t channel = 0; channel < out; channel++) {
    int8_t *target =
        (int8_t *)packed + channel / width * width * taps * pixel_size + channel % width * WORD;
    int32_t sum = 0;
    for (int64_t input = 0; input < in; input++) {
      const int64_t byte = input * size % WORD, word = input * size - byte;
      for (int64_t tap = 0; tap < taps; tap++, source += size) {
        sum += *source;
        memcpy(target + (tap * pixel_size + word) * width + byte, source, (size_t)size);
      }
    }
    if (!is_bfloat16) sums[channel] = sum;
  }
}

// --- Running.

struct quantized_work {
  const struct quantized_convolution *all;
  const struct call *call;
  const uint8_t *source;
  int64_t image;
  /// The number of output blocks, and of parts into which the outputs of each block are divided.
  int64_t blocks, cuts;
};

/// Computes some outputs of an output block.
static void compute_part(void *context, int index) {
  const struct quantized_work *work = context;
  const struct quantized_convolution *all = work->all;
  const int64_t block = index % work->blocks, cut = index / work->blocks;
  const int64_t tiles = all->counts[0] * all->counts[1] * all->tiles.count;
  const int64_t end = tiles * (cut + 1) / work->cuts;
  const int64_t outputs = all->counts[0] * all->counts[1] * all->counts[2];
  const int64_t width = all->tile_blocks * CHANNELS;
  quantized_tile_function *const *functions = quantized_tile_functions(all);
  float *const *arguments = work->call->arguments;
  const struct kernels_quantized_result *result = &all->result;
  const bool adds = all->operations.adds_first || all->operations.adds_last;
  const bool has_floats = result->stores_floats || (adds && !result->adds_reduced);
  struct quantized_tile tile = {
    .weights = (const int8_t *)arguments[kernels_role_weights]
        + block * width * all->tap_count * all->run,
    .shifts = (const int32_t *)arguments[kernels_role_shift] + block * width,
    .scales = arguments[kernels_role_scale] + block * width,
    .bias = arguments[kernels_role_bias] + block * width,
    .channel = block * width,
  };
  if (has_floats) {
    tile.floats = arguments[kernels_role_target] + work->image * outputs * all->out_channels;
  }
  if (result->stores_reduced) {
    tile.bytes = (uint8_t *)arguments[kernels_role_quantized_target]
        + work->image * outputs * all->target_pixel_size;
  }
  if (result->adds_reduced) {
    tile.summands = (const uint8_t *)arguments[kernels_role_second_source]
        + work->image * outputs * all->summand_pixel_size;
  }
  for (int64_t tile_index = tiles * cut / work->cuts; tile_index < end; tile_index++) {
    const int64_t row = tile_index / all->tiles.count, own = tile_index % all->tiles.count;
    const int64_t y = row % all->counts[1], z = row / all->counts[1];
    const int64_t start = all->tiles.starts[own];
    tile.count = (int)(all->tiles.starts[own + 1] - start);
    tile.first_output = row * all->counts[2] + start;
    tile.source = work->source + all->source_offset + z * all->source_steps[0]
        + y * all->source_steps[1] + start * all->source_steps[2];
    functions[tile.count - 1](all, &tile);
  }
}

/// The minimum number of products for which synchronizing threads pays off, and the size in bytes of the
/// input and output that stay in the cache while all channels are computed.
enum { MIN_SHARED_PRODUCTS = 1 << 20, CACHED = 256 << 10 };

static void compute_image(const struct quantized_work *given) {
  struct quantized_work work = *given;
  const struct quantized_convolution *all = work.all;
  const int64_t outputs = all->counts[0] * all->counts[1] * all->counts[2];
  const int64_t weights = all->tap_count * all->run * all->out_channels;
  const int64_t threads = outputs * weights < MIN_SHARED_PRODUCTS ? 1 : kernels_thread_count();
  const struct traffic traffic = {
    .pixels = outputs, .channels = all->out_channels, .blocks = work.blocks, .weights = weights,
    .source = input_bytes(&all->input),
    .target = outputs * all->target_pixel_size
        + (all->result.stores_floats ? outputs * all->out_channels * (int64_t)sizeof(float) : 0),
    .cache = CACHED,
  };
  const int64_t tiles = all->counts[0] * all->counts[1] * all->tiles.count;
  work.cuts = larger(1, smaller(count_cuts(&traffic, threads), tiles));
  const int count = (int)(work.cuts * work.blocks);
  if (threads > 1) {
    kernels_parallel(count, compute_part, &work);
  } else {
    for (int index = 0; index < count; index++) compute_part(&work, index);
  }
}

static void run_quantized(const kernels_primitive *primitive, const struct call *call) {
  const struct quantized_convolution *all = (const struct quantized_convolution *)primitive;
  struct quantized_work work = {
    .all = all, .call = call,
    .blocks = ceil_div(all->out_channels, (int64_t)all->tile_blocks * CHANNELS),
  };
  for (; work.image < all->images; work.image++) {
    const uint8_t *images = (const uint8_t *)call->arguments[kernels_role_source];
    work.source = pad_input(
        &all->input, images + work.image * input_bytes(&all->input),
        call->arguments[kernels_role_scratchpad]);
    compute_image(&work);
  }
}

// --- Planning.

static void release_quantized(kernels_primitive *primitive) {
  struct quantized_convolution *all = (struct quantized_convolution *)primitive;
  free(all->taps);
  free(all->tiles.starts);
}

/// Sets the padded input, with pixels of `pixel_size` bytes, and the taps that read it.
static void set_input(
    struct quantized_convolution *all, const struct space *space, int64_t pixel_size) {
  int64_t padded_sizes[3];
  ptrdiff_t steps[3];
  all->input =
      (struct padded_input){.blocks = 1, .pixel_size = pixel_size, .padding = all->stored.zero_point};
  covered_sizes(space, padded_sizes);
  set_padding(&all->input, space->sizes, space->before, padded_sizes);
  all->source_offset = padded_steps(&all->input, (ptrdiff_t)pixel_size, steps);
  for (int axis = 0; axis < 3; axis++) all->source_steps[axis] = space->strides[axis] * steps[axis];
  const int64_t joined = space->dilation[2] == 1 ? space->window[2] : 1;
  const int64_t taps = space->window[0] * space->window[1] * space->window[2];
  all->run = joined * pixel_size;
  for (int64_t index = 0; index < taps; index += joined) {
    int64_t position[3];
    window_position(space, index, position);
    ptrdiff_t *tap = &all->taps[all->tap_count++];
    for (int axis = 0; axis < 3; axis++) *tap += position[axis] * space->dilation[axis] * steps[axis];
  }
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
  return kernels_source_offset() ? "int8 convolution (SDOT)" : "int8 convolution (VNNI)";
}

kernels_primitive *kernels_quantized_convolution(
    const kernels_layout *source, const kernels_layout *target, struct kernels_window window,
    struct kernels_quantization stored, struct kernels_post_operations post,
    struct kernels_quantized_result result) {
  struct quantized_convolution *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  const struct space space = make_space(source, target, window);
  all->primitive.run = run_quantized;
  all->primitive.release = release_quantized;
  all->primitive.name = kernel_name(stored.is_bfloat16);
  all->images = source->sizes[0];
  all->stored = stored;
  all->out_channels = target->sizes[1];
  if (result.stores_reduced) {
    const bool is_bfloat16 = result.quantization.is_bfloat16;
    all->target_pixel_size = kernels_quantized_pixel_size(all->out_channels, is_bfloat16);
    all->target_capacity = all->target_pixel_size / element_size(is_bfloat16);
  }
  if (result.adds_reduced) {
    all->summand_pixel_size = kernels_quantized_pixel_size(all->out_channels, result.summand.is_bfloat16);
  }
  all->tile_blocks = output_blocks_per_tile(all->out_channels);
  all->result = result;
  if (result.stores_reduced) all->rounding = make_rounding(result.quantization);
  const int64_t taps = space.window[0] * space.window[1] * space.window[2];
  all->taps = calloc((size_t)taps, sizeof *all->taps);
  if (all->taps) {
    set_input(all, &space, kernels_quantized_pixel_size(source->sizes[1], stored.is_bfloat16));
    count_outputs(&space, &all->input, all->counts);
  }
  if (!all->taps || !set_operations(&all->operations, post)
      || !cut_row(&all->tiles, all->counts[2], widest_quantized_tile(stored.is_bfloat16))) {
    kernels_primitive_free(&all->primitive);
    return NULL;
  }
  all->ending = find_ending(all);
  if (all->input.is_copied) {
    primitive_set_bytes(&all->primitive, kernels_role_scratchpad, padded_bytes(&all->input));
  }
  const int64_t pixels = space.targets[0] * space.targets[1] * space.targets[2];
  const struct kernels_layout floats = layout_channels_last(target->rank, target->sizes);
  primitive_set(&all->primitive, kernels_role_target, &floats);
  if (!result.stores_reduced) return &all->primitive;
  primitive_set_bytes(
      &all->primitive, kernels_role_quantized_target, all->images * pixels * all->target_pixel_size);
  return &all->primitive;
}
