#include <string.h>

#include "convolutions.h"
#include "threads.h"

enum { LINE = 64 };

/// So many bytes of weights stay in the nearest cache, beside what they are multiplied with.
enum { NEAREST_CACHE = 40 << 10 };

/// So many bytes of the input stay in the next cache.
enum { NEXT_CACHE = 512 << 10 };

// --- The frame.

struct frame_work {
  const struct convolution *all;
  const float *source;
  float *frame;
  int64_t rows_at_once;
};

static void copy_row(const struct convolution *all, const float *source, float *frame, int64_t row) {
  const int64_t lane = all->lane, width = all->frame[2] * lane;
  float *target = frame + row * width;
  const int64_t y = row % all->frame[1] - all->before[1];
  const int64_t z = row / all->frame[1] % all->frame[0] - all->before[0];
  const int64_t block = row / all->frame[1] / all->frame[0];
  if (y < 0 || y >= all->sizes[1] || z < 0 || z >= all->sizes[0]) {
    memset(target, 0, (size_t)width * sizeof *target);
    return;
  }
  const float *line =
      source + ((block * all->sizes[0] + z) * all->sizes[1] + y) * all->sizes[2] * lane;
  // The part of the row that the input has.
  const int64_t first = larger(0, all->before[2]);
  const int64_t end = smaller(all->frame[2], all->before[2] + all->sizes[2]);
  if (end <= first) {
    memset(target, 0, (size_t)width * sizeof *target);
    return;
  }
  memset(target, 0, (size_t)(first * lane) * sizeof *target);
  memcpy(
      target + first * lane, line + (first - all->before[2]) * lane,
      (size_t)((end - first) * lane) * sizeof *target);
  memset(target + end * lane, 0, (size_t)((all->frame[2] - end) * lane) * sizeof *target);
}

static int64_t frame_rows(const struct convolution *all) {
  return all->source_blocks * all->frame[0] * all->frame[1];
}

static void copy_rows(void *context, int index) {
  const struct frame_work *work = context;
  const int64_t first = index * work->rows_at_once;
  const int64_t end = smaller(first + work->rows_at_once, frame_rows(work->all));
  for (int64_t row = first; row < end; row++) copy_row(work->all, work->source, work->frame, row);
}

static void copy_frame(const struct convolution *all, const float *source, float *frame) {
  struct frame_work work = {all, source, frame, 1};
  work.rows_at_once = larger(1, (1 << 13) / (all->frame[2] * all->lane));
  kernels_parallel((int)ceiling(frame_rows(all), work.rows_at_once), copy_rows, &work);
}

// --- The outputs.

struct part_work {
  const struct convolution *all;
  const struct pass *pass;
  const float *source, *weights, *bias;
  float *target;
  /// Blocks of output channels, and into how many parts the outputs of each are cut.
  int64_t output_blocks, cuts, tiles;
};

/// Where the outputs of a tile go.
struct place {
  int64_t valid;
  bool is_staged, is_cleared;
  float *target;
  _Alignas(64) float stage[WIDEST_TILE * 2 * CHANNELS];
};

void apply_operations(
    const struct convolution *all, float *elements, int64_t count, int64_t valid) {
  for (int number = 0; number < all->function_count; number++) {
    const struct kernels_post_operation *own = &all->functions[number];
    kernels_apply(own->function, own->alpha, own->beta, elements, count);
  }
  // What fills up a block is 0, whatever the function makes of 0.
  for (int64_t place = 0; valid < CHANNELS && place < count; place += CHANNELS) {
    for (int64_t lane = larger(0, valid); lane < CHANNELS; lane++) elements[place + lane] = 0;
  }
}

/// Points a tile at its outputs, or at memory from which they are copied.
static void find_place(
    const struct convolution *all, struct tile *tile, float *target, struct place *place) {
  const int block = all->width;
  place->target = target;
  place->is_staged = !all->stores_padding && place->valid < tile->halves * CHANNELS;
  if (!place->is_staged) {
    tile->low = target;
    tile->high = target + all->target_block;
    return;
  }
  tile->low = place->stage;
  tile->high = place->stage + CHANNELS;
  if (!place->is_cleared) memset(place->stage, 0, sizeof place->stage);
  place->is_cleared = true;
  if (tile->bias && !tile->adds_first && !tile->adds_last) return;
  for (int number = 0; number < tile->count; number++) {
    for (int64_t lane = 0; lane < place->valid; lane++) {
      place->stage[number * block + lane] = target
          [number * tile->target_step + lane / CHANNELS * all->target_block + lane % CHANNELS];
    }
  }
}

/// Copies staged outputs.
static void leave_place(
    const struct convolution *all, const struct tile *tile, const struct place *place,
    ptrdiff_t step) {
  const int block = all->width;
  for (int number = 0; number < tile->count; number++) {
    for (int64_t lane = 0; lane < place->valid; lane += CHANNELS) {
      memcpy(
          place->target + number * step + lane / CHANNELS * all->target_block,
          place->stage + number * block + lane,
          (size_t)smaller(CHANNELS, place->valid - lane) * sizeof(float));
    }
  }
}

static void finish_tile(
    const struct convolution *all, const struct tile *tile, const struct place *place) {
  float *const sides[] = {tile->low, tile->high};
  for (int half = 0; half < tile->halves; half++) {
    const int64_t valid = place->valid - half * CHANNELS;
    if (tile->target_step == CHANNELS) {
      apply_operations(all, sides[half], (int64_t)tile->count * CHANNELS, valid);
    } else {
      for (int number = 0; number < tile->count; number++) {
        apply_operations(all, sides[half] + number * tile->target_step, CHANNELS, valid);
      }
    }
  }
}

/// Computes one tile and stores it.
static void store_tile(
    const struct convolution *all, tile_function *const *functions, struct tile *tile, float *target,
    struct place *place) {
  const ptrdiff_t step = tile->target_step;
  find_place(all, tile, target, place);
  if (place->is_staged) tile->target_step = all->width;
  functions[(tile->count - 1) * TILE_KINDS](all, tile);
  if (tile->is_last && all->function_count > 0) finish_tile(all, tile, place);
  if (place->is_staged) leave_place(all, tile, place, step);
  tile->target_step = step;
}

/// Computes some tiles of a block of outputs with the weights of some inputs.
static void compute_tiles(
    const struct part_work *work, struct tile *tile, int64_t first, int64_t end,
    const float *source, float *target, struct place *place, ptrdiff_t lines) {
  const struct pass *pass = work->pass;
  tile_function *const *functions = tile_functions(pass, tile->run, tile->halves);
  const ptrdiff_t visits = (ptrdiff_t)((end - first) * tile->blocks * pass->tap_count);
  const ptrdiff_t share = visits > 0 ? (lines + visits - 1) / visits : 0;
  const ptrdiff_t tile_share = share * tile->blocks * pass->tap_count;
  const char *next = tile->next;
  ptrdiff_t asked = 0;
  int64_t row = first / pass->row_tiles, own = first % pass->row_tiles;
  int64_t y = row % pass->counts[1], z = row / pass->counts[1];
  for (int64_t number = first; number < end; number++) {
    const int64_t start = pass->starts[own];
    tile->count = (int)(pass->starts[own + 1] - start);
    tile->source = source + z * pass->source_steps[0] + y * pass->source_steps[1]
        + start * pass->source_steps[2];
    const bool asks = asked + tile_share <= lines;
    tile->lines = asks ? (int)share : 0;
    tile->next = asks ? next + asked * LINE : NULL;
    asked += tile_share;
    store_tile(
        work->all, functions, tile,
        target + z * pass->target_steps[0] + y * pass->target_steps[1]
            + start * pass->target_steps[2],
        place);
    if (++own < pass->row_tiles) continue;
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
  struct place place;
  place.is_cleared = false;
  place.valid = smaller(width, all->out_channels - block * width);
  if (work->bias) {
    memcpy(bias, work->bias + block * width, (size_t)place.valid * sizeof *bias);
  }
  const int64_t start = all->groups.count > 1 ? first_block(&all->groups, block) : 0;
  const float *source = work->source + pass->source_offset + start * all->source_block;
  const float *weights = work->weights + block * all->weights_outputs;
  // Weights of whole blocks of inputs at a time, then those of the last one if it is shorter.
  const int64_t own_bytes =
      (int64_t)larger(1, pass->tap_count) * all->run * width * (int64_t)sizeof(float);
  const int64_t most = all->adds_last ? all->blocks : larger(1, NEAREST_CACHE / own_bytes);
  const bool is_uneven = all->last_run != all->run;
  const int64_t whole = all->blocks - is_uneven;
  int64_t blocks;
  for (int64_t done = 0; done < all->blocks; done += blocks) {
    const bool is_rest = done >= whole;
    blocks = is_rest ? 1 : smaller(most, whole - done);
    const bool is_last = done + blocks >= all->blocks;
    struct tile tile = {
      .pass = pass, .halves = (int)ceiling(place.valid, CHANNELS), .blocks = blocks,
      .weights = weights + done * all->weights_block,
      .target_step = pass->target_steps[2], .bias = done ? NULL : bias,
      .adds_first = all->adds_first && done == 0, .is_last = is_last,
      .adds_last = all->adds_last && is_last, .run = is_rest ? all->last_run : all->run,
    };
    tile.last_run = is_last && all->last_filled ? all->last_filled : tile.run;
    // The next weights come in equal parts while these are used: those of the next inputs, or the first
    // ones of the outputs that this thread is likely to compute next.
    int64_t next = is_rest ? 0 : smaller(most, whole - done - blocks);
    tile.next = (const char *)(tile.weights + blocks * all->weights_block);
    if (is_last && block + 1 < work->output_blocks) {
      next = smaller(most, whole);
      tile.next = (const char *)(work->weights + (block + 1) * all->weights_outputs);
    }
    compute_tiles(
        work, &tile, first, end, source + done * all->source_block, target, &place,
        (ptrdiff_t)(next * own_bytes / LINE));
  }
}

/// Computes a part of a block of outputs.
static void compute_part(void *context, int index) {
  const struct part_work *work = context;
  const struct convolution *all = work->all;
  const int64_t block = index % work->output_blocks, cut = index / work->output_blocks;
  compute_block(
      work, block, work->tiles * cut / work->cuts, work->tiles * (cut + 1) / work->cuts,
      work->target + work->pass->target_offset + block * all->halves * all->target_block);
}

void compute_convolution_row(
    const struct convolution *all, const float *source, const float *weights, const float *bias,
    int64_t block, int64_t row, float *target) {
  const struct pass *pass = &all->passes[0];
  const struct part_work work = {
    .all = all, .pass = pass, .source = source + row * pass->source_steps[1], .weights = weights,
    .bias = bias,
  };
  compute_block(&work, block, 0, pass->row_tiles, target);
}

const float *convolution_frame(
    const struct convolution *all, const struct call *call, int64_t image) {
  const float *source = call->arguments[kernels_role_source] + image * all->source_image;
  if (!all->is_copied) return source;
  float *frame = call->arguments[kernels_role_scratchpad];
  copy_frame(all, source, frame);
  return frame;
}

bool shares_rows(int64_t places, int64_t channels) { return places > channels; }

/// Into how many parts the outputs of each block of channels are cut: so many that threads have some
/// each, and that the input of a part stays in the cache while all channels use it, unless reading the
/// weights again costs more.
static int64_t count_cuts(const struct convolution *all, const struct part_work *work) {
  const int64_t threads = kernels_thread_count(), blocks = work->output_blocks;
  const int64_t *counts = work->pass->counts;
  const bool cuts_rows = shares_rows(counts[0] * counts[1] * counts[2], all->out_channels);
  int64_t cuts = threads == 1 ? 1
      : cuts_rows             ? PARTS_OF_A_THREAD * threads
                              : ceiling(PARTS_OF_A_THREAD * threads, blocks);
  const int64_t source = all->source_image * (int64_t)sizeof(float);
  const int64_t weights = blocks * all->weights_outputs * (int64_t)sizeof(float);
  const int64_t cached = ceiling(source, NEXT_CACHE);
  if (cached > cuts && weights * cached < source * blocks) cuts = cached;
  if (!cuts_rows && blocks % threads == 0) cuts = 1;
  return larger(1, smaller(cuts, work->tiles));
}

/// With fewer products than this, threads wait for each other longer than one computes.
enum { FEWEST_SHARED_PRODUCTS = 1 << 19 };

/// Computes all parts of a pass, with several threads where that is worth it.
static void compute_pass(const struct part_work *given) {
  struct part_work work = *given;
  const struct pass *pass = work.pass;
  const int64_t products = pass->counts[0] * pass->counts[1] * pass->counts[2]
      * pass->tap_count * work.all->blocks * work.all->run * work.all->out_channels;
  if (products < FEWEST_SHARED_PRODUCTS) {
    work.cuts = 1;
    for (int block = 0; block < work.output_blocks; block++) compute_part(&work, block);
  } else {
    work.cuts = count_cuts(work.all, &work);
    kernels_parallel((int)(work.cuts * work.output_blocks), compute_part, &work);
  }
}

void run_convolution(const kernels_primitive *primitive, const struct call *call) {
  const struct convolution *all = (const struct convolution *)primitive;
  for (int64_t image = 0; image < all->images; image++) {
    const float *source = convolution_frame(all, call, image);
    for (int number = 0; number < all->pass_count; number++) {
      const struct pass *pass = &all->passes[number];
      struct part_work work = {
        .all = all, .pass = pass, .source = source,
        .weights = call->arguments[kernels_role_weights],
        .bias = call->arguments[kernels_role_bias],
        .target = call->arguments[kernels_role_target] + image * all->target_image,
        .output_blocks = ceiling(all->out_channels, all->width),
        .tiles = pass->counts[0] * pass->counts[1] * pass->row_tiles,
      };
      if (work.tiles > 0) compute_pass(&work);
    }
  }
}
