#include <stdlib.h>

#include "convolutions.h"
#include "threads.h"

// Convolutions of few outputs, as at both ends of networks that read or make images, with pixels of a row in the
// elements of a vector: their outputs would leave most elements unused. Some rows at a time, the input is copied
// to planes, one for each channel, with zeros where the windows extend beyond the edges.

enum {
  /// Half a block of channels.
  HALF = CHANNELS / 2,
  /// The most vectors of pixels in a tile, and the most sums of vectors, with registers of 16 elements and of fewer.
  MAX_VECTORS = 4,
  MAX_SUMS_AVX512 = 16,
  MAX_SUMS = 5,
  /// The size in floats of the planes of some rows.
  BAND = 1 << 19,
  /// With fewer elements of the window, the copies cost more than is saved.
  MIN_WINDOW = 4,
};

struct planar {
  kernels_primitive primitive;
  struct space space;
  int64_t images, inputs, outputs;
  /// Whether the channels of the input are in blocks; otherwise it is planes already.
  bool reads_blocks;
  /// The number of vectors of a tile.
  int vectors;
  /// The number of rows of outputs that are computed at once, of rows that these read, and of columns in a plane.
  int64_t band, rows, columns;
  struct operations operations;
};

struct planar_work {
  const struct planar *all;
  const float *source, *weights;
  float *planes, *target;
  /// The first row of outputs, their number, and the number of parts.
  int64_t first, count, parts;
  float bias[HALF];
};

/// Transposes the 8 x 8 elements in both halves.
INLINE void transpose_halves(vector rows[HALF]) {
#pragma clang loop unroll(full)
  for (int row = 0; row < HALF; row += 2) {
    const vector first = rows[row], second = rows[row + 1];
    rows[row] = __builtin_shufflevector(
        first, second, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
    rows[row + 1] = __builtin_shufflevector(
        first, second, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
  }
#pragma clang loop unroll(full)
  for (int pair = 0; pair < HALF / 2; pair++) {
    const int row = pair / 2 * 4 + pair % 2;
    const vector first = rows[row], second = rows[row + 2];
    rows[row] = __builtin_shufflevector(
        first, second, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
    rows[row + 2] = __builtin_shufflevector(
        first, second, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  }
#pragma clang loop unroll(full)
  for (int row = 0; row < HALF / 2; row++) {
    const vector first = rows[row], second = rows[row + 4];
    rows[row] = __builtin_shufflevector(
        first, second, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
    rows[row + 4] = __builtin_shufflevector(
        first, second, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
  }
}

// --- The planes.

/// Copies a row of some channels of a block to their planes.
INLINE void copy_row_body(
    const float *source, int64_t width, int64_t channels, float *target, ptrdiff_t plane) {
  for (int64_t done = 0; done < width; done += CHANNELS) {
    const int64_t x = smaller(done, width - CHANNELS);
    vector rows[HALF];
#pragma clang loop unroll(full)
    for (int pixel = 0; pixel < HALF; pixel++) {
      const half_vector low = load_half(source + (x + pixel) * CHANNELS);
      const half_vector high = load_half(source + (x + pixel + HALF) * CHANNELS);
      rows[pixel] = __builtin_shufflevector(
          low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }
    transpose_halves(rows);
#pragma clang loop unroll(full)
    for (int channel = 0; channel < HALF; channel++) {
      if (channel < channels) store(target + channel * plane + x, rows[channel]);
    }
  }
}

VARIANTS(
    copy_row,
    (const float *source, int64_t width, int64_t channels, float *target, ptrdiff_t plane),
    (source, width, channels, target, plane))

/// Copies a row of up to 8 channels, with zeros around it.
static void copy_channels(const struct planar_work *work, int64_t first, int64_t row) {
  const struct planar *all = work->all;
  const int64_t height = all->space.sizes[1], width = all->space.sizes[2], before = all->space.before[2];
  const int64_t y = work->first * all->space.strides[1] - all->space.before[1] + row;
  const int64_t channels = smaller(HALF, all->inputs - first);
  const ptrdiff_t plane = (ptrdiff_t)(all->rows * all->columns);
  float *target = work->planes + first * plane + row * all->columns;
  const bool is_inside = y >= 0 && y < height;
  for (int64_t channel = 0; channel < channels; channel++) {
    float *own = target + channel * plane;
    if (!is_inside) {
      memset(own, 0, (size_t)all->columns * sizeof *own);
      continue;
    }
    memset(own, 0, (size_t)before * sizeof *own);
    memset(own + before + width, 0, (size_t)(all->columns - before - width) * sizeof *own);
    if (all->reads_blocks) continue;
    const float *source = work->source + ((first + channel) * height + y) * width;
    memcpy(own + before, source, (size_t)width * sizeof *own);
  }
  if (!is_inside || !all->reads_blocks) return;
  const int64_t block = first / CHANNELS * height * width * CHANNELS;
  const float *source = work->source + block + y * width * CHANNELS + first % CHANNELS;
  copy_row(source, width, channels, target + before, plane);
}

static void copy_part(void *context, int index) {
  const struct planar_work *work = context;
  const struct planar *all = work->all;
  const int64_t rows = (work->count - 1) * all->space.strides[1]
      + (all->space.window[1] - 1) * all->space.dilation[1] + 1;
  const int64_t count = ceil_div(all->inputs, HALF) * rows;
  for (int64_t own = count * index / work->parts; own < count * (index + 1) / work->parts; own++) {
    copy_channels(work, own / rows * HALF, own % rows);
  }
}

// --- The sums.

/// Sums up the products of a tile, `[outputs, vectors, 16]`. The last two parameters are compile-time constants.
INLINE void sum_up(
    const struct planar_work *work, const float *source, float *target, const int outputs,
    const int vectors) {
  const struct planar *all = work->all;
  const int64_t columns = all->columns, plane = all->rows * columns;
  const int64_t down = all->space.dilation[1] * columns, right = all->space.dilation[2];
  const float *weights = work->weights;
  vector sums[HALF][MAX_VECTORS];
#pragma clang loop unroll(full)
  for (int output = 0; output < outputs; output++) {
#pragma clang loop unroll(full)
    for (int own = 0; own < vectors; own++) sums[output][own] = work->bias[output];
  }
  for (int64_t input = 0; input < all->inputs; input++) {
    for (int64_t row = 0; row < all->space.window[1]; row++) {
      const float *elements = source + input * plane + row * down;
#pragma clang loop unroll(disable)
      for (int64_t column = 0; column < all->space.window[2]; column++) {
#pragma clang loop unroll(full)
        for (int output = 0; output < outputs; output++) {
#pragma clang loop unroll(full)
          for (int own = 0; own < vectors; own++) {
            sums[output][own] += load(elements + own * CHANNELS) * weights[output];
          }
        }
        elements += right;
        weights += outputs;
      }
    }
  }
#pragma clang loop unroll(full)
  for (int output = 0; output < outputs; output++) {
#pragma clang loop unroll(full)
    for (int own = 0; own < vectors; own++) {
      store(target + (output * vectors + own) * CHANNELS, sums[output][own]);
    }
  }
}

typedef void sums_function(const struct planar_work *work, const float *source, float *target);

#define SUMS(suffix, attributes, outputs, vectors)                                            \
  attributes static void sums_##suffix##_##outputs##_##vectors(                               \
      const struct planar_work *work, const float *source, float *target) {                   \
    sum_up(work, source, target, outputs, vectors);                                           \
  }

#define SUMS_2(suffix, attributes, outputs)                                                   \
  SUMS(suffix, attributes, outputs, 1) SUMS(suffix, attributes, outputs, 2)
#define SUMS_4(suffix, attributes, outputs)                                                   \
  SUMS_2(suffix, attributes, outputs)                                                         \
  SUMS(suffix, attributes, outputs, 3) SUMS(suffix, attributes, outputs, 4)

#define ROW_2(suffix, outputs) {sums_##suffix##_##outputs##_1, sums_##suffix##_##outputs##_2}
#define ROW_4(suffix, outputs)                                                                \
  {sums_##suffix##_##outputs##_1, sums_##suffix##_##outputs##_2,                              \
   sums_##suffix##_##outputs##_3, sums_##suffix##_##outputs##_4}

#define LEVEL(suffix, attributes)                                                             \
  SUMS_4(suffix, attributes, 1) SUMS_4(suffix, attributes, 2) SUMS_4(suffix, attributes, 3)   \
  SUMS_4(suffix, attributes, 4) SUMS_4(suffix, attributes, 5) SUMS_2(suffix, attributes, 6)   \
  SUMS_2(suffix, attributes, 7) SUMS_2(suffix, attributes, 8)                                 \
  static sums_function *const suffix[HALF][MAX_VECTORS] = {                                   \
    ROW_4(suffix, 1), ROW_4(suffix, 2), ROW_4(suffix, 3), ROW_4(suffix, 4),                   \
    ROW_4(suffix, 5), ROW_2(suffix, 6), ROW_2(suffix, 7), ROW_2(suffix, 8)};

LEVEL(portable, )
#if defined(__x86_64__)
LEVEL(avx2, TARGET_AVX2)
LEVEL(avx512, TARGET_AVX512)
#endif

static sums_function *sums_of(int64_t outputs, int vectors) {
#if defined(__x86_64__)
  if (kernels_level() == AVX512) return avx512[outputs - 1][vectors - 1];
  if (kernels_level() == AVX2) return avx2[outputs - 1][vectors - 1];
#endif
  return portable[outputs - 1][vectors - 1];
}

/// Stores the outputs of up to 16 pixels.
INLINE void store_pixels_body(
    const struct planar *all, const float *sums, ptrdiff_t step, int64_t pixels, float *target) {
  const struct operations operations = all->operations;
  vector rows[HALF];
#pragma clang loop unroll(full)
  for (int output = 0; output < HALF; output++) {
    rows[output] = output < all->outputs ? load(sums + output * step) : 0;
  }
  transpose_halves(rows);
  vector outputs[CHANNELS];
#pragma clang loop unroll(full)
  for (int pixel = 0; pixel < HALF; pixel++) {
    outputs[pixel] = widened(rows[pixel].lo);
    outputs[pixel + HALF] = widened(rows[pixel].hi);
  }
  if (pixels >= CHANNELS) return finish_all(outputs, CHANNELS, target, CHANNELS, &operations);
  for (int pixel = 0; pixel < pixels; pixel++) {
    finish(outputs[pixel], target + pixel * CHANNELS, &operations);
  }
}

VARIANTS(
    store_pixels,
    (const struct planar *all, const float *sums, ptrdiff_t step, int64_t pixels, float *target),
    (all, sums, step, pixels, target))

static void compute_part(void *context, int index) {
  const struct planar_work *work = context;
  const struct planar *all = work->all;
  const int64_t width = all->space.targets[2], step = all->vectors * CHANNELS;
  sums_function *const sum = sums_of(all->outputs, all->vectors);
  _Alignas(64) float sums[HALF * MAX_VECTORS * CHANNELS];
  for (int64_t row = work->count * index / work->parts; row < work->count * (index + 1) / work->parts; row++) {
    const float *source = work->planes + row * all->space.strides[1] * all->columns;
    float *target = work->target + (work->first + row) * width * CHANNELS;
    for (int64_t x = 0; x < width; x += step) {
      sum(work, source + x, sums);
      for (int64_t own = 0; own < step && x + own < width; own += CHANNELS) {
        store_pixels(all, sums + own, step, width - x - own, target + (x + own) * CHANNELS);
      }
    }
    if (all->operations.function_count > 0) {
      apply_functions(&all->operations, target, width * CHANNELS, all->outputs);
    }
  }
}

static void run_planar(const kernels_primitive *primitive, const struct call *call) {
  const struct planar *all = (const struct planar *)primitive;
  const struct space *space = &all->space;
  struct planar_work work = {
    .all = all, .source = call->arguments[kernels_role_source],
    .weights = call->arguments[kernels_role_weights],
    .planes = call->arguments[kernels_role_scratchpad],
    .target = call->arguments[kernels_role_target],
  };
  if (primitive->has_role[kernels_role_bias]) {
    memcpy(work.bias, call->arguments[kernels_role_bias], (size_t)all->outputs * sizeof *work.bias);
  }
  const int64_t products = space->targets[1] * space->targets[2] * space->window[1] * space->window[2]
      * all->inputs * all->outputs;
  const int64_t threads = products < MIN_SHARED_PRODUCTS ? 1 : kernels_thread_count();
  const int64_t inputs = all->reads_blocks ? ceil_div(all->inputs, CHANNELS) * CHANNELS : all->inputs;
  for (int64_t image = 0; image < all->images; image++) {
    for (work.first = 0; work.first < space->targets[1]; work.first += work.count) {
      work.count = smaller(all->band, space->targets[1] - work.first);
      work.parts = threads == 1 ? 1 : smaller(work.count, PARTS_PER_THREAD * threads);
      kernels_parallel((int)work.parts, copy_part, &work);
      kernels_parallel((int)work.parts, compute_part, &work);
    }
    work.source += inputs * space->sizes[1] * space->sizes[2];
    work.target += space->targets[1] * space->targets[2] * CHANNELS;
  }
}

// --- The plan.

/// The most sums of a tile, in vectors.
static int64_t max_sums(void) { return kernels_level() == AVX512 ? MAX_SUMS_AVX512 : MAX_SUMS; }

/// Whether this takes at most three quarters of the products of vectors.
static bool is_worthwhile(const struct kernels_layout *weights, const struct space *space) {
  const int64_t outputs = weights->sizes[0], width = space->targets[2];
  if (outputs > smaller(HALF, max_sums()) || space->strides[2] != 1 || space->before[1] < 0
      || space->before[2] < 0 || space->targets[1] * width < 1 || space->sizes[2] < CHANNELS
      || space->window[1] * space->window[2] < MIN_WINDOW) {
    return false;
  }
  const int64_t elements = kernels_level() == AVX512 ? 16 : kernels_level() == AVX2 ? 8 : 4;
  return 4 * outputs * ceil_div(width, CHANNELS) * (CHANNELS / elements)
      <= 3 * width * ceil_div(HALF, elements);
}

/// Sets the sizes of tiles and planes.
static void plan(struct planar *all) {
  const struct space *space = &all->space;
  const int64_t most = smaller(MAX_VECTORS, max_sums() / all->outputs);
  const int64_t vectors = ceil_div(space->targets[2], CHANNELS), tiles = ceil_div(vectors, most);
  all->vectors = (int)ceil_div(vectors, tiles);
  const int64_t read = tiles * all->vectors * CHANNELS + (space->window[2] - 1) * space->dilation[2];
  const int64_t columns = larger(read, space->before[2] + space->sizes[2]);
  all->columns = ceil_div(columns, CHANNELS) * CHANNELS;
  const int64_t height = (space->window[1] - 1) * space->dilation[1] + 1;
  const int64_t rows = BAND / (all->inputs * all->columns) - height;
  all->band = larger(1, smaller(space->targets[1], rows / space->strides[1]));
  all->rows = (all->band - 1) * space->strides[1] + height;
}

kernels_primitive *planar_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post) {
  if (source->rank != 4 || weights->rank != 4) return NULL;
  const struct space space = make_space(source, target, window);
  const struct kernels_layout output = layout_channels_blocked(target->rank, target->sizes);
  if ((!target->is_any && !kernels_layout_equal(target, &output)) || !is_worthwhile(weights, &space)) {
    return NULL;
  }
  struct planar *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive = (kernels_primitive){.name = "planar convolution", .run = run_planar};
  all->space = space;
  all->images = source->sizes[0];
  all->inputs = weights->sizes[1];
  all->outputs = weights->sizes[0];
  all->reads_blocks = !source->is_any;
  plan(all);
  const struct kernels_layout input =
      all->reads_blocks ? *source : layout_row_major(source->rank, source->sizes);
  const struct kernels_layout own =
      layout_make(weights->rank, weights->sizes, (int[]){1, 2, 3, 0}, 0, NULL);
  primitive_set(&all->primitive, kernels_role_source, &input);
  primitive_set(&all->primitive, kernels_role_target, &output);
  primitive_set(&all->primitive, kernels_role_weights, &own);
  if (bias) primitive_set(&all->primitive, kernels_role_bias, bias);
  primitive_request(&all->primitive, all->inputs * all->rows * all->columns);
  if (set_operations(&all->operations, post)) return &all->primitive;
  kernels_primitive_free(&all->primitive);
  return NULL;
}
