#include <stdlib.h>

#include "convolutions.h"
#include "depthwise.h"
#include "threads.h"

// A convolution whose result is used only by a depthwise convolution, as in MobileNet: that result is often
// the largest array of a model. For 16 or 32 channels at a time, each thread computes the rows that the
// window covers next into a ring buffer, replacing rows that are no longer needed, so that they stay in the
// L1 and L2 caches.

/// The capacity of the ring buffer of rows, in floats, on the stack of a thread.
enum { MAX_KEPT = 1 << 14 };

struct pair {
  kernels_primitive primitive;
  /// The first convolution, one row per pass, into the ring buffer.
  struct convolution first;
  struct pass pass;
  const struct depthwise *second;
  /// The number of rows in the ring buffer: a power of two.
  int64_t kept;
};

struct pair_work {
  const struct pair *all;
  const float *source, *weights, *bias, *second_weights, *second_bias;
  float *target;
  int64_t blocks, cuts;
};

static void release_pair(kernels_primitive *primitive) {
  free(((struct pair *)primitive)->pass.tiles.starts);
}

/// Computes some rows of an output block.
static void compute_part(void *context, int index) {
  const struct pair_work *work = context;
  const struct pair *all = work->all;
  const struct depthwise *second = all->second;
  const struct space *space = &second->space;
  const int64_t block = index % work->blocks, cut = index / work->blocks;
  const int64_t rows = space->targets[1], width = space->sizes[2] * CHANNELS;
  const int64_t start = block * all->first.tile_blocks;
  const int64_t tile_blocks = smaller(all->first.tile_blocks, second->blocks - start);
  _Alignas(64) float kept[MAX_KEPT], bias[2][CHANNELS];
  int64_t valid[2];
  for (int64_t tile_block = 0; tile_block < tile_blocks; tile_block++) {
    valid[tile_block] = depthwise_bias(second, work->second_bias, start + tile_block, bias[tile_block]);
  }
  int64_t next = 0;
  for (int64_t y = rows * cut / work->cuts; y < rows * (cut + 1) / work->cuts; y++) {
    const int64_t first = y * space->strides[1] - space->before[1];
    const int64_t end = first + (space->window[1] - 1) * space->dilation[1] + 1;
    for (next = larger(next, first); next < smaller(end, space->sizes[1]); next++) {
      compute_convolution_row(
          &all->first, work->source, work->weights, work->bias, block, next,
          kept + (next & (all->kept - 1)) * width);
    }
    for (int64_t tile_block = 0; tile_block < tile_blocks; tile_block++) {
      float *target = work->target
          + ((start + tile_block) * rows + y) * space->targets[2] * CHANNELS;
      depthwise_row_function(valid[tile_block])(
          second, kept + tile_block * all->first.target_block,
          depthwise_weights(second, work->second_weights, start + tile_block), bias[tile_block], target, 0, y,
          all->kept - 1);
      apply_functions(
          &second->operations, target, space->targets[2] * CHANNELS, valid[tile_block]);
    }
  }
}

static void run_pair(const kernels_primitive *primitive, const struct call *call) {
  const struct pair *all = (const struct pair *)primitive;
  const struct space *space = &all->second->space;
  struct pair_work work = {
    .all = all,
    .weights = call->arguments[kernels_role_weights],
    .bias = call->arguments[kernels_role_bias],
    .second_weights = call->arguments[kernels_role_second_weights],
    .second_bias = call->arguments[kernels_role_second_bias],
    .target = call->arguments[kernels_role_target],
    .blocks = ceil_div(all->first.out_channels, all->first.width),
  };
  const int64_t threads = kernels_thread_count();
  work.cuts = threads == 1
      ? 1
      : smaller(space->targets[1], ceil_div(2 * PARTS_PER_THREAD * threads, work.blocks));
  const int64_t image = all->second->blocks * space->targets[1]
      * space->targets[2] * CHANNELS;
  for (int64_t index = 0; index < all->first.images; index++, work.target += image) {
    work.source = convolution_input(&all->first, call, index);
    kernels_parallel((int)(work.blocks * work.cuts), compute_part, &work);
  }
}

/// Whether the first convolution can be computed row by row, with few enough rows covered by the second's
/// window.
static bool set_rows(struct pair *all) {
  const struct space *space = &all->second->space;
  const int64_t covered = (space->window[1] - 1) * space->dilation[1] + 1;
  for (all->kept = 1; all->kept < covered; all->kept *= 2) {}
  const int64_t block = all->kept * space->sizes[2] * CHANNELS;
  if (space->sizes[0] != 1 || space->targets[0] != 1 || all->first.tile_blocks * block > MAX_KEPT) {
    return false;
  }
  all->first.passes.list = &all->pass;
  all->first.target_block = block;
  all->pass.counts[0] = 1;
  all->pass.counts[1] = space->sizes[1];
  all->pass.counts[2] = space->sizes[2];
  return cut_row(&all->pass.tiles, all->pass.counts[2], widest_tile());
}

kernels_primitive *kernels_convolution_pair(
    const kernels_primitive *given_first, const kernels_primitive *given_second) {
  const struct convolution *first = (const struct convolution *)given_first;
  const struct depthwise *second = (const struct depthwise *)given_second;
  if (given_first->run != run_convolution || !is_depthwise(given_second) || first->passes.count != 1
      || !first->stores_padding || first->operations.adds_first || first->operations.adds_last
      || second->operations.adds_first || second->operations.adds_last) {
    return NULL;
  }
  struct pair *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive.name = "blocked and depthwise convolution";
  all->primitive.run = run_pair;
  all->primitive.release = release_pair;
  all->first = *first;
  all->pass = first->passes.list[0];
  all->pass.tiles = (struct row_tiles){0};
  all->second = second;
  const struct { enum kernels_role own, given; const kernels_primitive *from; } roles[] = {
    {kernels_role_source, kernels_role_source, given_first},
    {kernels_role_weights, kernels_role_weights, given_first},
    {kernels_role_bias, kernels_role_bias, given_first},
    {kernels_role_scratchpad, kernels_role_scratchpad, given_first},
    {kernels_role_second_weights, kernels_role_weights, given_second},
    {kernels_role_second_bias, kernels_role_bias, given_second},
    {kernels_role_target, kernels_role_target, given_second},
  };
  for (size_t index = 0; index < sizeof roles / sizeof *roles; index++) {
    if (!roles[index].from->has_role[roles[index].given]) continue;
    primitive_set(
        &all->primitive, roles[index].own, &roles[index].from->layouts[roles[index].given]);
  }
  if (kernels_layout_equal(
          &given_first->layouts[kernels_role_target], &given_second->layouts[kernels_role_source])
      && set_rows(all)) {
    return &all->primitive;
  }
  kernels_primitive_free(&all->primitive);
  return NULL;
}
