#include "quantized.h"

#include <math.h>
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
  uint8_t *padded;
  int64_t image;
  /// The number of output blocks, and of parts into which the outputs of each block are divided.
  int64_t blocks, cuts;
};

/// Copies a row of the padded input.
static void copy_row(void *context, int row) {
  const struct quantized_work *work = context;
  const struct quantized_convolution *all = work->all;
  const int64_t pixel_size = all->pixel_size, width = all->padded_sizes[2];
  uint8_t *target = work->padded + row * width * pixel_size;
  const int64_t y = row % all->padded_sizes[1] - all->before[1];
  const int64_t z = row / all->padded_sizes[1] - all->before[0];
  // The part of the row that is inside of the input.
  int64_t first = smaller(width, larger(0, all->before[2]));
  int64_t end = larger(first, smaller(width, all->before[2] + all->sizes[2]));
  if (y < 0 || y >= all->sizes[1] || z < 0 || z >= all->sizes[0]) first = end = width;
  memset(target, all->stored.zero_point, (size_t)(first * pixel_size));
  if (first < end) {
    const int64_t pixel = (z * all->sizes[1] + y) * all->sizes[2] + first - all->before[2];
    memcpy(
        target + first * pixel_size, work->source + pixel * pixel_size,
        (size_t)((end - first) * pixel_size));
  }
  memset(target + end * pixel_size, all->stored.zero_point, (size_t)((width - end) * pixel_size));
}

/// Computes some outputs of an output block.
static void compute_part(void *context, int index) {
  const struct quantized_work *work = context;
  const struct quantized_convolution *all = work->all;
  const int64_t block = index % work->blocks, cut = index / work->blocks;
  const int64_t tiles = all->counts[0] * all->counts[1] * all->row_tiles;
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
    const int64_t row = tile_index / all->row_tiles, own = tile_index % all->row_tiles;
    const int64_t y = row % all->counts[1], z = row / all->counts[1];
    const int64_t start = all->starts[own];
    tile.count = (int)(all->starts[own + 1] - start);
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
  const int64_t tiles = all->counts[0] * all->counts[1] * all->row_tiles;
  const int64_t outputs = all->counts[0] * all->counts[1] * all->counts[2];
  const int64_t weights = all->tap_count * all->run * all->out_channels;
  const int64_t threads = outputs * weights < MIN_SHARED_PRODUCTS ? 1 : kernels_thread_count();
  const bool cuts_rows = shares_rows(outputs, all->out_channels);
  int64_t cuts = threads == 1 ? 1
      : cuts_rows             ? PARTS_PER_THREAD * threads
                              : ceil_div(PARTS_PER_THREAD * threads, work.blocks);
  const int64_t source = all->sizes[0] * all->sizes[1] * all->sizes[2] * all->pixel_size;
  const int64_t target = outputs * all->target_pixel_size
      + (all->result.stores_floats ? outputs * all->out_channels * (int64_t)sizeof(float) : 0);
  const int64_t cached = ceil_div(source + target, CACHED);
  if (weights * cached < source * work.blocks + target) cuts = larger(cuts, cached);
  if (!cuts_rows && work.blocks % threads == 0) cuts = 1;
  work.cuts = larger(1, smaller(cuts, tiles));
  const int count = (int)(work.cuts * work.blocks);
  if (threads > 1) {
    kernels_parallel(count, compute_part, &work);
  } else {
    for (int index = 0; index < count; index++) compute_part(&work, index);
  }
}

static void run_quantized(const kernels_primitive *primitive, const struct call *call) {
  const struct quantized_convolution *all = (const struct quantized_convolution *)primitive;
  const int64_t pixels = all->sizes[0] * all->sizes[1] * all->sizes[2];
  struct quantized_work work = {
    .all = all, .call = call,
    .blocks = ceil_div(all->out_channels, (int64_t)all->tile_blocks * CHANNELS),
  };
  for (; work.image < all->images; work.image++) {
    work.source = (const uint8_t *)call->arguments[kernels_role_source]
        + work.image * pixels * all->pixel_size;
    if (all->is_copied) {
      work.padded = (uint8_t *)call->arguments[kernels_role_scratchpad];
      kernels_parallel((int)(all->padded_sizes[0] * all->padded_sizes[1]), copy_row, &work);
      work.source = work.padded;
    }
    compute_image(&work);
  }
}

// --- Planning.

static void release_quantized(kernels_primitive *primitive) {
  struct quantized_convolution *all = (struct quantized_convolution *)primitive;
  free(all->taps);
  free(all->starts);
}

/// Sets the padded input, which is a copy if the window extends beyond the edges.
static void set_padded_input(struct quantized_convolution *all, const struct space *space) {
  ptrdiff_t steps[3];
  for (int axis = 0; axis < 3; axis++) {
    all->sizes[axis] = space->sizes[axis];
    all->counts[axis] = space->targets[axis];
    all->before[axis] = space->before[axis];
    all->padded_sizes[axis] = (space->targets[axis] - 1) * space->strides[axis]
        + (space->window[axis] - 1) * space->dilation[axis] + 1;
    all->is_copied |= all->before[axis] > 0
        || all->padded_sizes[axis] - all->before[axis] > all->sizes[axis];
  }
  const int64_t *sizes = all->is_copied ? all->padded_sizes : all->sizes;
  steps[2] = all->pixel_size;
  steps[1] = steps[2] * sizes[2];
  steps[0] = steps[1] * sizes[1];
  for (int axis = 0; axis < 3; axis++) {
    all->source_steps[axis] = space->strides[axis] * steps[axis];
    if (!all->is_copied) all->source_offset -= all->before[axis] * steps[axis];
  }
  const int64_t joined = space->dilation[2] == 1 ? space->window[2] : 1;
  all->run = joined * all->pixel_size;
  for (int64_t z = 0; z < space->window[0]; z++) {
    for (int64_t y = 0; y < space->window[1]; y++) {
      for (int64_t x = 0; x < space->window[2]; x += joined) {
        all->taps[all->tap_count++] = z * space->dilation[0] * steps[0]
            + y * space->dilation[1] * steps[1] + x * space->dilation[2] * steps[2];
      }
    }
  }
}

/// Divides the rows into tiles. A 1 x 1 convolution of the whole input is computed as one long row.
static bool set_tiles(struct quantized_convolution *all) {
  const bool is_plain = all->tap_count * all->run == all->pixel_size && !all->is_copied
      && all->source_offset == 0 && !memcmp(all->sizes, all->counts, sizeof all->sizes);
  if (is_plain) {
    all->counts[2] *= all->counts[1] * all->counts[0];
    all->counts[0] = all->counts[1] = 1;
  }
  const int64_t width = all->counts[2];
  all->row_tiles = ceil_div(width, widest_quantized_tile(all->stored.is_bfloat16));
  all->starts = calloc((size_t)all->row_tiles + 1, sizeof *all->starts);
  if (!all->starts || width > INT32_MAX) return false;
  for (int64_t tile = 1; tile <= all->row_tiles; tile++) {
    all->starts[tile] = (int32_t)(width * tile / all->row_tiles);
  }
  return true;
}

/// Sets the size of an argument in bytes, a multiple of 4.
static void set_bytes(struct quantized_convolution *all, enum kernels_role role, int64_t bytes) {
  const int64_t count = ceil_div(bytes, sizeof(float));
  const struct kernels_layout layout = layout_row_major(1, &count);
  primitive_set(&all->primitive, role, &layout);
}

/// The ending if it is one of the common ones, else ENDINGS.
static int find_ending(const struct quantized_convolution *all) {
  const struct convolution *operations = &all->operations;
  const bool adds_reduced = all->result.adds_reduced;
  const bool is_bfloat16 = all->stored.is_bfloat16;
  if (all->result.quantization.is_bfloat16 != is_bfloat16
      || (adds_reduced && all->result.summand.is_bfloat16 != is_bfloat16)) {
    return ENDINGS;
  }
  // Adding after an activation, or adding floats, is the general case.
  const bool is_general_sum = adds_reduced ? operations->adds_last && operations->slope != 1
                                            : operations->adds_first || operations->adds_last;
  if (is_general_sum || !all->result.stores_reduced || operations->function_count > 0
      || operations->limit < INFINITY) {
    return ENDINGS;
  }
  // Where 0 is the smallest integer, clamping makes the relu redundant.
  const bool rectifies = operations->slope == 0
      && (is_bfloat16 || all->result.stores_floats || all->result.quantization.zero_point != 0);
  const bool has_slope = operations->slope != 0 && operations->slope != 1;
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
  const struct space space = make_space(source, target, window, 2);
  all->primitive.run = run_quantized;
  all->primitive.release = release_quantized;
  all->primitive.name = kernel_name(stored.is_bfloat16);
  all->images = source->sizes[0];
  all->stored = stored;
  all->out_channels = target->sizes[1];
  all->pixel_size = kernels_quantized_pixel_size(source->sizes[1], stored.is_bfloat16);
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
  if (all->taps) set_padded_input(all, &space);
  if (!all->taps || !set_operations(&all->operations, post) || !set_tiles(all)) {
    kernels_primitive_free(&all->primitive);
    return NULL;
  }
  all->ending = find_ending(all);
  if (all->is_copied) {
    primitive_request(
        &all->primitive,
        ceil_div(
            all->padded_sizes[0] * all->padded_sizes[1] * all->padded_sizes[2] * all->pixel_size,
            sizeof(float)));
  }
  const int64_t pixels = space.targets[0] * space.targets[1] * space.targets[2];
  const struct kernels_layout floats = layout_channels_last(target->rank, target->sizes);
  primitive_set(&all->primitive, kernels_role_target, &floats);
  if (!result.stores_reduced) return &all->primitive;
  set_bytes(all, kernels_role_quantized_target, all->images * pixels * all->target_pixel_size);
  return &all->primitive;
}
