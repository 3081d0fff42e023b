#include <string.h>

#include "convolutions.h"
#include "threads.h"

enum { LINE = 64 };

/// The size in bytes of the weights that stay in the L1 cache, next to their operands.
enum { L1_CACHE = 40 << 10 };

/// The size in bytes of the input that stays in the L2 cache.
enum { L2_CACHE = 512 << 10 };

struct part_work {
  const struct convolution *all;
  const struct pass *pass;
  const float *source, *weights, *bias;
  float *target;
  /// The number of output blocks, and of parts into which the outputs of each block are divided.
  int64_t output_blocks, cuts, tiles;
};

/// Where the outputs of a tile are stored.
struct destination {
  int64_t valid;
  bool is_staged, is_cleared;
  float *target;
  _Alignas(64) float stage[WIDEST_TILE * 2 * CHANNELS];
};

/// Points a tile at its outputs, or at a staging buffer from which they are copied.
static void set_destination(
    const struct convolution *all, struct tile *tile, float *target, struct destination *destination) {
  const int block = all->tile_blocks * CHANNELS;
  destination->target = target;
  destination->is_staged = !all->stores_padding && destination->valid < tile->tile_blocks * CHANNELS;
  if (!destination->is_staged) {
    tile->low = target;
    tile->high = target + all->target_block;
    return;
  }
  tile->low = destination->stage;
  tile->high = destination->stage + CHANNELS;
  if (!destination->is_cleared) memset(destination->stage, 0, sizeof destination->stage);
  destination->is_cleared = true;
  if (tile->bias && !tile->adds_first && !tile->adds_last) return;
  for (int index = 0; index < tile->count; index++) {
    for (int64_t channel = 0; channel < destination->valid; channel++) {
      destination->stage[index * block + channel] = target
          [index * tile->target_step + channel / CHANNELS * all->target_block + channel % CHANNELS];
    }
  }
}

/// Copies staged outputs.
static void copy_staged(
    const struct convolution *all, const struct tile *tile, const struct destination *destination,
    ptrdiff_t step) {
  const int block = all->tile_blocks * CHANNELS;
  for (int index = 0; index < tile->count; index++) {
    for (int64_t channel = 0; channel < destination->valid; channel += CHANNELS) {
      memcpy(
          destination->target + index * step + channel / CHANNELS * all->target_block,
          destination->stage + index * block + channel,
          (size_t)smaller(CHANNELS, destination->valid - channel) * sizeof(float));
    }
  }
}

static void finish_tile(
    const struct convolution *all, const struct tile *tile, const struct destination *destination) {
  float *const sides[] = {tile->low, tile->high};
  for (int tile_block = 0; tile_block < tile->tile_blocks; tile_block++) {
    const int64_t valid = destination->valid - tile_block * CHANNELS;
    if (tile->target_step == CHANNELS) {
      apply_functions(&all->operations, sides[tile_block], (int64_t)tile->count * CHANNELS, valid);
    } else {
      for (int index = 0; index < tile->count; index++) {
        apply_functions(&all->operations, sides[tile_block] + index * tile->target_step, CHANNELS, valid);
      }
    }
  }
}

/// Computes one tile and stores it.
static void store_tile(
    const struct convolution *all, tile_function *const *functions, struct tile *tile, float *target,
    struct destination *destination) {
  const ptrdiff_t step = tile->target_step;
  set_destination(all, tile, target, destination);
  if (destination->is_staged) tile->target_step = all->tile_blocks * CHANNELS;
  functions[(tile->count - 1) * TILE_KINDS](all, tile);
  if (tile->is_last && all->operations.function_count > 0) finish_tile(all, tile, destination);
  if (destination->is_staged) copy_staged(all, tile, destination, step);
  tile->target_step = step;
}

/// Computes some tiles of an output block with the weights of some inputs.
static void compute_tiles(
    const struct part_work *work, struct tile *tile, int64_t first, int64_t end,
    const float *source, float *target, struct destination *destination, ptrdiff_t lines) {
  const struct pass *pass = work->pass;
  tile_function *const *functions = tile_functions(pass, tile->run, tile->tile_blocks, tile->valid);
  const ptrdiff_t visits = (ptrdiff_t)((end - first) * tile->blocks * pass->tap_count);
  const ptrdiff_t share = visits > 0 ? (lines + visits - 1) / visits : 0;
  const ptrdiff_t tile_share = share * tile->blocks * pass->tap_count;
  const char *next = tile->next;
  ptrdiff_t prefetched = 0;
  int64_t row = first / pass->tiles.count, own = first % pass->tiles.count;
  int64_t y = row % pass->counts[1], z = row / pass->counts[1];
  for (int64_t index = first; index < end; index++) {
    const int64_t start = pass->tiles.starts[own];
    tile->count = (int)(pass->tiles.starts[own + 1] - start);
    tile->source = source + z * pass->source_steps[0] + y * pass->source_steps[1]
        + start * pass->source_steps[2];
    const bool prefetches = prefetched + tile_share <= lines;
    tile->lines = prefetches ? (int)share : 0;
    tile->next = prefetches ? next + prefetched * LINE : NULL;
    prefetched += tile_share;
    store_tile(
        work->all, functions, tile,
        target + z * pass->target_steps[0] + y * pass->target_steps[1]
            + start * pass->target_steps[2],
        destination);
    if (++own < pass->tiles.count) continue;
    own = 0;
    if (++y < pass->counts[1]) continue;
    y = 0;
    z++;
  }
}

/// Computes some tiles of a block of outputs.
static void compute_block(
    const struct part_work *work, int64_t block, int64_t first, int64_t end, float *target) {
  const struct convolution *all = work->all;
  const struct pass *pass = work->pass;
  const int width = all->width;
  _Alignas(64) float bias[2 * CHANNELS] = {0};
  struct destination destination;
  destination.is_cleared = false;
  destination.valid = smaller(width, all->out_channels - block * width);
  if (work->bias) {
    memcpy(bias, work->bias + block * width, (size_t)destination.valid * sizeof *bias);
  }
  const int64_t start = all->groups.count > 1 ? first_block(&all->groups, block) : 0;
  const float *source = work->source + pass->source_offset + start * all->source_block;
  const float *weights = work->weights + block * all->weights_outputs;
  // Iterates over the weights of several full input blocks at a time, then over those of the last one if it
  // is shorter.
  const int64_t own_bytes =
      (int64_t)larger(1, pass->tap_count) * all->run * width * (int64_t)sizeof(float);
  const int64_t most = all->operations.adds_last ? all->blocks : larger(1, L1_CACHE / own_bytes);
  const bool is_uneven = all->last_run != all->run;
  const int64_t full_blocks = all->blocks - is_uneven;
  int64_t blocks;
  for (int64_t done = 0; done < all->blocks; done += blocks) {
    const bool is_remainder = done >= full_blocks;
    blocks = is_remainder ? 1 : smaller(most, full_blocks - done);
    const bool is_last = done + blocks >= all->blocks;
    const int tile_blocks = (int)ceil_div(destination.valid, CHANNELS);
    struct tile tile = {
      .pass = pass, .tile_blocks = tile_blocks, .blocks = blocks,
      .valid = destination.valid - (tile_blocks - 1) * CHANNELS,
      .crosses_groups = crosses_groups(&all->groups), .first_output = block * CHANNELS,
      .first_input = (start + done) * CHANNELS,
      .weights = weights + done * all->weights_block,
      .target_step = pass->target_steps[2], .bias = done ? NULL : bias,
      .adds_first = all->operations.adds_first && done == 0, .is_last = is_last,
      .adds_last = all->operations.adds_last && is_last, .run = is_remainder ? all->last_run : all->run,
    };
    tile.last_run = is_last && all->last_filled ? all->last_filled : tile.run;
    // Prefetches the next weights in equal parts while these are used: those of the next inputs, or the first
    // ones of the output block that this thread is likely to compute next.
    int64_t next = is_remainder ? 0 : smaller(most, full_blocks - done - blocks);
    tile.next = (const char *)(tile.weights + blocks * all->weights_block);
    if (is_last && block + 1 < work->output_blocks) {
      next = smaller(most, full_blocks);
      tile.next = (const char *)(work->weights + (block + 1) * all->weights_outputs);
    }
    compute_tiles(
        work, &tile, first, end, source + done * all->source_block, target, &destination,
        (ptrdiff_t)(next * own_bytes / LINE));
  }
}

/// Computes a part of an output block.
static void compute_part(void *context, int index) {
  const struct part_work *work = context;
  const struct convolution *all = work->all;
  const int64_t block = index % work->output_blocks, cut = index / work->output_blocks;
  compute_block(
      work, block, work->tiles * cut / work->cuts, work->tiles * (cut + 1) / work->cuts,
      work->target + work->pass->target_offset + block * all->tile_blocks * all->target_block);
}

void compute_convolution_row(
    const struct convolution *all, const float *source, const float *weights, const float *bias,
    int64_t block, int64_t row, float *target) {
  const struct pass *pass = &all->passes.list[0];
  const struct part_work work = {
    .all = all, .pass = pass, .source = source + row * pass->source_steps[1], .weights = weights,
    .bias = bias,
  };
  compute_block(&work, block, 0, pass->tiles.count, target);
}

const float *convolution_input(
    const struct convolution *all, const struct call *call, int64_t image) {
  const int64_t size = input_bytes(&all->input) / (int64_t)sizeof(float);
  return pad_input(
      &all->input, call->arguments[kernels_role_source] + image * size,
      call->arguments[kernels_role_scratchpad]);
}

/// Computes all parts of a pass, with several threads where that is worth it.
static void compute_pass(const struct part_work *given) {
  struct part_work work = *given;
  const struct convolution *all = work.all;
  const struct pass *pass = work.pass;
  const int64_t pixels = pass->counts[0] * pass->counts[1] * pass->counts[2];
  if (pixels * pass->tap_count * all->blocks * all->run * all->out_channels < MIN_SHARED_PRODUCTS) {
    work.cuts = 1;
    for (int block = 0; block < work.output_blocks; block++) compute_part(&work, block);
    return;
  }
  const struct traffic traffic = {
    .pixels = pixels, .channels = all->out_channels, .blocks = work.output_blocks,
    .weights = work.output_blocks * all->weights_outputs * (int64_t)sizeof(float),
    .source = input_bytes(&all->input), .cache = L2_CACHE,
  };
  work.cuts = larger(1, smaller(count_cuts(&traffic, kernels_thread_count()), work.tiles));
  kernels_parallel((int)(work.cuts * work.output_blocks), compute_part, &work);
}

void run_convolution(const kernels_primitive *primitive, const struct call *call) {
  const struct convolution *all = (const struct convolution *)primitive;
  for (int64_t image = 0; image < all->images; image++) {
    const float *source = convolution_input(all, call, image);
    for (int index = 0; index < all->passes.count; index++) {
      const struct pass *pass = &all->passes.list[index];
      struct part_work work = {
        .all = all, .pass = pass, .source = source,
        .weights = call->arguments[kernels_role_weights],
        .bias = call->arguments[kernels_role_bias],
        .target = call->arguments[kernels_role_target] + image * all->target_image,
        .output_blocks = ceil_div(all->out_channels, all->width),
        .tiles = pass->counts[0] * pass->counts[1] * pass->tiles.count,
      };
      if (work.tiles > 0) compute_pass(&work);
    }
  }
}
