#include <stdlib.h>

#include "convolutions.h"
#include "threads.h"

// Convolutions of few outputs, as at the end of networks that make images, by columns of their windows: their
// outputs alone would leave most elements of a vector unused. A convolution with a window of one column has
// all outputs of all columns as its own, `[columns, outputs]`. Of each of its rows, the sums of each column
// are then added where they belong, while they are in the cache: what an input contributes to the output at its
// own place through the first column, it contributes to the next one to the left through the second, and so on.

enum {
  /// The capacity of a row of sums, in floats, on the stack of a thread.
  MAX_ROW = 1 << 15,
  /// The most outputs of all columns: two blocks.
  MAX_SUMS = 2 * CHANNELS,
  /// With fewer products for each sum, adding the columns costs more than is saved.
  MIN_PRODUCTS = 16,
};

struct columns {
  kernels_primitive primitive;
  struct space space;
  int64_t outputs;
  /// The convolution of the sums, with one pass of its own, and the primitive that owns its taps.
  struct convolution sums;
  struct pass pass;
  kernels_primitive *owner;
  struct operations operations;
};

struct columns_work {
  const struct columns *all;
  const float *source, *weights;
  float *target;
  int64_t cuts;
  _Alignas(64) float bias[CHANNELS];
};

/// Adds the sums of a row's columns, and stores the outputs.
INLINE void add_columns_body(const struct columns_work *work, const float *sums, float *target) {
  const struct columns *all = work->all;
  const struct space *space = &all->space;
  const struct operations operations = all->operations;
  const ptrdiff_t step = all->pass.target_steps[2], dilation = space->dilation[2];
  const int64_t width = space->sizes[2], columns = space->window[2];
  for (int64_t x = 0; x < space->targets[2]; x++) {
    // The columns whose inputs are no padding.
    const int64_t start = x - space->before[2];
    const int64_t first = start < 0 ? ceil_div(-start, dilation) : 0;
    const bool is_whole = start + (columns - 1) * dilation < width;
    const int64_t end = is_whole ? columns : start < width ? ceil_div(width - start, dilation) : 0;
    vector sum = load(work->bias);
    for (int64_t column = first; column < end; column++) {
      sum += load(sums + (start + column * dilation) * step + column * all->outputs);
    }
    finish(keep_first(sum, all->outputs), target + x * CHANNELS, &operations);
  }
}

VARIANTS(
    add_columns, (const struct columns_work *work, const float *sums, float *target),
    (work, sums, target))

/// Computes some rows.
static void compute_part(void *context, int index) {
  const struct columns_work *work = context;
  const struct columns *all = work->all;
  const int64_t rows = all->space.targets[1], row = all->space.targets[2] * CHANNELS;
  // The last load extends beyond the sums.
  _Alignas(64) float sums[MAX_ROW + CHANNELS];
  memset(sums + all->space.sizes[2] * all->pass.target_steps[2], 0, CHANNELS * sizeof *sums);
  for (int64_t y = rows * index / work->cuts; y < rows * (index + 1) / work->cuts; y++) {
    for (int64_t block = 0; block * all->sums.width < all->sums.out_channels; block++) {
      compute_convolution_row(
          &all->sums, work->source, work->weights, NULL, block, y, sums + block * all->sums.width);
    }
    add_columns(work, sums, work->target + y * row);
    apply_functions(&all->operations, work->target + y * row, row, all->outputs);
  }
}

static void run_columns(const kernels_primitive *primitive, const struct call *call) {
  const struct columns *all = (const struct columns *)primitive;
  struct columns_work work = {
    .all = all, .weights = call->arguments[kernels_role_weights],
    .target = call->arguments[kernels_role_target],
  };
  if (primitive->has_role[kernels_role_bias]) {
    memcpy(
        work.bias, call->arguments[kernels_role_bias], (size_t)all->outputs * sizeof *work.bias);
  }
  const int64_t threads = kernels_thread_count(), rows = all->space.targets[1];
  work.cuts = threads == 1 ? 1 : smaller(rows, PARTS_PER_THREAD * threads);
  for (int64_t image = 0; image < all->sums.images; image++) {
    work.source = convolution_input(&all->sums, call, image);
    kernels_parallel((int)work.cuts, compute_part, &work);
    work.target += rows * all->space.targets[2] * CHANNELS;
  }
}

static void release_columns(kernels_primitive *primitive) {
  struct columns *all = (struct columns *)primitive;
  free(all->pass.tiles.starts);
  kernels_primitive_free(all->owner);
}

/// The number of outputs of all columns, in whole blocks.
static int64_t count_sums(const struct kernels_layout *weights) {
  return ceil_div(weights->sizes[0] * weights->sizes[3], CHANNELS) * CHANNELS;
}

/// Whether this takes half of the products of vectors, or fewer.
static bool is_worthwhile(const struct kernels_layout *weights, const struct space *space) {
  if (space->strides[2] != 1 || space->targets[1] * space->targets[2] == 0) return false;
  const int64_t outputs = weights->sizes[0], columns = weights->sizes[3], sums = count_sums(weights);
  if (outputs > CHANNELS || sums > MAX_SUMS || space->sizes[2] * sums > MAX_ROW
      || weights->sizes[1] * weights->sizes[2] < MIN_PRODUCTS) {
    return false;
  }
  const int64_t elements = kernels_level() == AVX512 ? 16 : kernels_level() == AVX2 ? 8 : 4;
  const int64_t used = outputs <= CHANNELS / 2 ? CHANNELS / 2 : CHANNELS;
  return 2 * (sums / elements) <= columns * ceil_div(used, elements);
}

/// The layout of the weights of the sums, `[columns and outputs, inputs, height, 1]`.
static struct kernels_layout layout_sums(const struct kernels_layout *weights, bool is_blocked) {
  const int64_t sums = count_sums(weights);
  const int64_t sizes[] = {sums, weights->sizes[1], weights->sizes[2], 1};
  const struct kernels_layout plain = layout_row_major(4, sizes);
  return layout_weights(&plain, is_blocked, false, output_blocks_per_tile(sums) * CHANNELS);
}

/// Plans the sums: all columns of the input, without the padding to its left and right.
static bool plan_sums(
    struct columns *all, const kernels_layout *source, const kernels_layout *weights) {
  struct space space = all->space;
  space.window[2] = space.dilation[2] = 1;
  space.before[2] = 0;
  space.targets[2] = space.sizes[2];
  const struct kernels_layout own = layout_sums(weights, false);
  const struct kernels_layout sums = layout_channels_last(
      4, (int64_t[]){source->sizes[0], own.sizes[0], space.targets[1], space.targets[2]});
  all->owner = blocked_convolution(
      source, &own, NULL, &sums, space, (struct kernels_post_operations){0}, false);
  if (!all->owner) return false;
  all->sums = *(const struct convolution *)all->owner;
  all->pass = all->sums.passes.list[0];
  all->pass.tiles = (struct row_tiles){0};
  all->pass.counts[0] = 1;
  all->pass.counts[1] = space.targets[1];
  all->pass.counts[2] = space.targets[2];
  all->sums.passes.list = &all->pass;
  return cut_row(&all->pass.tiles, all->pass.counts[2], widest_tile());
}

kernels_primitive *columns_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post) {
  if (source->rank != 4 || weights->rank != 4) return NULL;
  const struct space space = make_space(source, target, window);
  const struct kernels_layout output = layout_channels_blocked(target->rank, target->sizes);
  if ((!target->is_any && !kernels_layout_equal(target, &output)) || !is_worthwhile(weights, &space)) {
    return NULL;
  }
  struct columns *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive = (kernels_primitive){
    .name = "convolution by columns", .run = run_columns, .release = release_columns};
  all->space = space;
  all->outputs = weights->sizes[0];
  if (!set_operations(&all->operations, post) || !plan_sums(all, source, weights)) {
    kernels_primitive_free(&all->primitive);
    return NULL;
  }
  struct kernels_layout form = layout_row_major(weights->rank, weights->sizes);
  form.form = FORM_COLUMNS;
  form.opaque_count = (int64_t)(kernels_layout_byte_count(&all->owner->layouts[kernels_role_weights])
                                / sizeof(float));
  primitive_set(&all->primitive, kernels_role_source, &all->owner->layouts[kernels_role_source]);
  primitive_set(&all->primitive, kernels_role_target, &output);
  primitive_set(&all->primitive, kernels_role_weights, &form);
  if (bias) primitive_set(&all->primitive, kernels_role_bias, bias);
  if (all->owner->has_role[kernels_role_scratchpad]) {
    primitive_set(
        &all->primitive, kernels_role_scratchpad, &all->owner->layouts[kernels_role_scratchpad]);
  }
  return &all->primitive;
}

// --- Weights.

/// The layout of the sums' weights in the form of a layout: inputs that fill no block are in blocks if the input of
/// the convolution is.
static struct kernels_layout stored_sums(const struct kernels_layout *form) {
  const struct kernels_layout blocked = layout_sums(form, true);
  return kernels_layout_byte_count(&blocked) == kernels_layout_byte_count(form)
      ? blocked : layout_sums(form, false);
}

/// The distance of an element from the first one.
static int64_t offset(const struct kernels_layout *layout, const int64_t position[4]) {
  int64_t result = 0;
  for (int axis = 0; axis < 4; axis++) {
    const int64_t block = layout_block(layout, axis);
    result += block == 1
        ? position[axis] * layout->strides[axis]
        : position[axis] / block * layout->strides[axis]
            + position[axis] % block * layout_inner_stride(layout, axis);
  }
  return result;
}

static void run_weights(const kernels_primitive *primitive, const struct call *call) {
  const float *scales = ((const struct weights_reorder *)primitive)->scales;
  const struct kernels_layout *layout = &primitive->layouts[kernels_role_source];
  const struct kernels_layout sums = stored_sums(&primitive->layouts[kernels_role_target]);
  const int64_t *sizes = layout->sizes;
  const unaligned_float *source = call->arguments[kernels_role_source];
  float *target = call->arguments[kernels_role_target];
  memset(target, 0, kernels_layout_byte_count(&sums));
  for (int64_t output = 0; output < sizes[0]; output++) {
    const float scale = scales ? scales[output] : 1;
    for (int64_t input = 0; input < sizes[1]; input++) {
      for (int64_t row = 0; row < sizes[2]; row++) {
        for (int64_t column = 0; column < sizes[3]; column++) {
          const int64_t own[] = {column * sizes[0] + output, input, row, 0};
          const int64_t given[] = {output, input, row, column};
          target[offset(&sums, own)] = scale * source[offset(layout, given)];
        }
      }
    }
  }
}

kernels_primitive *columns_reorder(
    const kernels_layout *source, const kernels_layout *target, const float *scales, int count) {
  return reorder_weights(source, target, scales, count, run_weights);
}
