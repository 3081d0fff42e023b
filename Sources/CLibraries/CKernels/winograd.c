#include <stdlib.h>

#include "threads.h"
#include "winograd.h"

// Convolutions with 3 x 3 windows by minimal filtering, F(2 x 2, 3 x 3) (Winograd 1980; Lavin and Gray 2016):
// 2 x 2 outputs are computed from 4 x 4 inputs with 16 products for each pair of channels instead of 36.
// Inputs and weights are transformed, multiplied position by position with the tile functions of other
// convolutions, and the sums are transformed back.
//
// An infinite or NaN input would affect all outputs of its square, and a huge one would round them all. The
// sums of such a square show it; its outputs are then computed one by one, without the transforms.

enum { LINE = 64 };

enum {
  /// The size in bytes of the transformed inputs that are computed before they are used; larger where the
  /// weights are large, because they are reread for each band.
  BAND = 1 << 20,
  /// The number of squares that are computed while the weights of a position stay in the L1 cache.
  BATCH_SQUARES = 56,
  /// Padding in floats between positions, to avoid cache set conflicts.
  POSITION_PADDING = 5 * CHANNELS,
  /// Transformed weights take 16/9 of the memory. If they are larger than this, weights are stored
  /// untransformed and transformed on each use, BLOCKS input blocks at a time.
  MAX_TRANSFORMED = 1 << 22,
  BATCH_BLOCKS = 4,
};

static bool is_transformed(int64_t outputs, int64_t inputs) {
  return outputs * inputs * POSITIONS <= MAX_TRANSFORMED;
}

// --- Inputs.

/// Copies a square that extends beyond the edges, with zeros outside.
INLINE void copy_square(
    const struct space *space, const float *source, int64_t top, int64_t left, float *square) {
  for (int y = 0; y < SIDE; y++) {
    for (int x = 0; x < SIDE; x++, square += CHANNELS) {
      const bool is_inside = top + y >= 0 && top + y < space->sizes[1] && left + x >= 0
          && left + x < space->sizes[2];
      store(square, is_inside ? load(source + ((top + y) * space->sizes[2] + left + x) * CHANNELS) : 0);
    }
  }
}

/// The stride of positions in transformed inputs: `[16 positions, groups, blocks, squares, 16]`.
INLINE ptrdiff_t position_step(const struct winograd_work *work) {
  return (ptrdiff_t)(work->groups * work->all->input_blocks * work->group * CHANNELS) + POSITION_PADDING;
}

/// Transforms the inputs of a row of squares, of one block of channels.
INLINE void transform_row_body(
    const struct winograd_work *work, const float *source, int64_t row, int64_t block) {
  const struct winograd *all = work->all;
  const struct space *space = &all->space;
  const int64_t height = space->sizes[1], width = space->sizes[2];
  const int64_t top = (work->first_row + row) % all->rows * OUTPUT_SIDE - space->before[1];
  const ptrdiff_t step = position_step(work);
  _Alignas(64) float copy[POSITIONS * CHANNELS];
  for (int64_t column = 0; column < all->columns; column++) {
    const int64_t left = column * OUTPUT_SIDE - space->before[2], square_index = row * all->columns + column;
    const int64_t group = square_index / work->group, own = square_index % work->group;
    float *target = work->inputs
        + ((group * all->input_blocks + block) * work->group + own) * CHANNELS;
    if (top >= 0 && top + SIDE <= height && left >= 0 && left + SIDE <= width) {
      const float *square = source + (top * width + left) * CHANNELS;
      transform_input(square, (ptrdiff_t)(width * CHANNELS), target, step);
    } else {
      copy_square(space, source, top, left, copy);
      transform_input(copy, SIDE * CHANNELS, target, step);
    }
  }
}

VARIANTS(
    transform_row,
    (const struct winograd_work *work, const float *source, int64_t row, int64_t block),
    (work, source, row, block))

static void transform_part(void *context, int index) {
  const struct winograd_work *work = context;
  const struct winograd *all = work->all;
  const int64_t count = work->row_count * all->input_blocks;
  const int64_t plane = all->space.sizes[1] * all->space.sizes[2] * CHANNELS;
  for (int64_t square_index = count * index / work->parts; square_index < count * (index + 1) / work->parts;
       square_index++) {
    const int64_t block = square_index / work->row_count, row = square_index % work->row_count;
    const int64_t image = (work->first_row + row) / all->rows;
    transform_row(work, work->source + (image * all->input_blocks + block) * plane, row, block);
  }
}

// --- Outputs.

/// The size from which a sum of the four outputs of a square is extreme.
#define EXTREME 0x1p64f

/// Transforms sums back, transposed(A) * sums * A, and applies bias and activation. Returns whether some of
/// the outputs are infinite, NaN or huge; nothing is stored then.
INLINE bool transform_output(
    const struct operations *operations, const float *sums, ptrdiff_t step, const float *bias,
    float *target, ptrdiff_t row_step, int64_t height, int64_t width) {
  vector outputs[OUTPUT_SIDE][OUTPUT_SIDE];
#pragma clang loop unroll(full)
  for (int y = 0; y < OUTPUT_SIDE; y++) {
    vector row[SIDE];
#pragma clang loop unroll(full)
    for (int x = 0; x < SIDE; x++) {
      const float *own = sums + (y * SIDE + x) * step;
      const vector second = load(own + SIDE * step), third = load(own + 2 * SIDE * step);
      row[x] = y == 0 ? load(own) + second + third : load(own) - second - third;
    }
    outputs[y][0] = row[0] + row[1] + row[2];
    outputs[y][1] = row[1] - row[2] - row[3];
  }
  const vector sum = (outputs[0][0] + outputs[0][1]) + (outputs[1][0] + outputs[1][1]);
  const lanes are_extreme = !(__builtin_elementwise_abs(sum) < EXTREME);
  if (__builtin_reduce_or(are_extreme)) return true;
#pragma clang loop unroll(full)
  for (int y = 0; y < OUTPUT_SIDE; y++) {
#pragma clang loop unroll(full)
    for (int x = 0; x < OUTPUT_SIDE; x++) {
      if (y >= height || x >= width) continue;
      finish(outputs[y][x] + load(bias), target + y * row_step + x * CHANNELS, operations);
    }
  }
  return false;
}

INLINE void transform_outputs_body(
    const struct operations *given, const float *sums, int64_t count, ptrdiff_t step,
    const float *bias, float *target, ptrdiff_t row_step, int64_t height, int64_t width,
    bool *are_extreme) {
  const struct operations operations = *given;
  for (int64_t square = 0; square < count; square++) {
    are_extreme[square] = transform_output(
        &operations, sums + square * CHANNELS, step, bias, target + square * OUTPUT_SIDE * CHANNELS, row_step,
        height, width - square * OUTPUT_SIDE);
  }
}

VARIANTS(
    transform_outputs,
    (const struct operations *operations, const float *sums, int64_t count, ptrdiff_t step,
     const float *bias, float *target, ptrdiff_t row_step, int64_t height, int64_t width,
     bool *are_extreme),
    (operations, sums, count, step, bias, target, row_step, height, width, are_extreme))

/// Stores consecutive squares, whose sums are in `sums`.
static void store_squares(
    const struct winograd_work *work, const float *sums, int64_t first, int64_t end, int64_t block,
    const float *bias) {
  const struct winograd *all = work->all;
  const int64_t count = smaller(end, work->row_count * all->columns) - first;
  const struct convolution *convolution = &all->convolution;
  const int64_t height = all->space.targets[1], width = all->space.targets[2];
  const ptrdiff_t step = (ptrdiff_t)convolution->tile_blocks * count * CHANNELS;
  bool are_extreme[2 * BATCH_SQUARES];  // a batch may be somewhat larger
  int64_t squares;
  for (int64_t done = 0; done < count; done += squares) {
    const int64_t square_index = work->first_row * all->columns + first + done;
    const int64_t row = square_index / all->columns, column = square_index % all->columns;
    const int64_t y = row % all->rows * OUTPUT_SIDE, x = column * OUTPUT_SIDE;
    squares = smaller(count - done, all->columns - column);
    for (int tile_block = 0; tile_block < convolution->tile_blocks; tile_block++) {
      const int64_t own = block * convolution->tile_blocks + tile_block;
      const int64_t valid = convolution->out_channels - own * CHANNELS;
      if (valid <= 0) continue;
      const int64_t plane = row / all->rows * ceil_div(convolution->out_channels, CHANNELS) + own;
      float *target = work->target + ((plane * height + y) * width + x) * CHANNELS;
      transform_outputs(
          &convolution->operations, sums + (tile_block * count + done) * CHANNELS, squares, step,
          bias + tile_block * CHANNELS, target, (ptrdiff_t)(width * CHANNELS), height - y, width - x,
          are_extreme);
      for (int64_t square = 0; square < squares; square++) {
        if (!are_extreme[square]) continue;
        const struct square extreme = {
          row, column + square, own, valid, bias + tile_block * CHANNELS,
          target + square * OUTPUT_SIDE * CHANNELS};
        winograd_compute_square(work, &extreme);
      }
      if (convolution->operations.function_count == 0) continue;
      for (int64_t line = 0; line < smaller(OUTPUT_SIDE, height - y); line++) {
        apply_functions(
            &convolution->operations, target + line * width * CHANNELS,
            smaller(OUTPUT_SIDE * squares, width - x) * CHANNELS, valid);
      }
    }
  }
}

/// The transformed weights of an output block for some input blocks.
struct factors {
  const float *weights;
  /// The stride of positions.
  ptrdiff_t step;
  int64_t first, blocks;
  /// The weights that are transformed next, and their size in bytes; NULL where the next position's are
  /// needed next.
  const float *next;
  int64_t next_bytes;
};

/// Multiplies some groups of squares by weights, position by position, and prefetches the next weights
/// meanwhile.
static void multiply_groups(
    const struct winograd_work *work, const struct convolution *plain, int64_t first, int64_t end,
    const struct factors *factors, float *sums) {
  static const float zeros[2 * CHANNELS];
  const struct winograd *all = work->all;
  const float *weights = factors->weights;
  tile_function *const *functions = tile_functions(&all->pass, CHANNELS, plain->tile_blocks, CHANNELS);
  const int64_t begin = first * work->group;
  const int64_t count = smaller(end * work->group, work->row_count * all->columns) - begin;
  const ptrdiff_t size = factors->step;
  const int64_t visits = (end - first) * factors->blocks;
  const int64_t bytes = factors->next ? factors->next_bytes / POSITIONS
                                      : size * (int64_t)sizeof(float);
  const int lines = (int)ceil_div(bytes / LINE, visits);
  for (int position = 0; position < POSITIONS; position++, weights += size) {
    float *own = sums + position * plain->tile_blocks * count * CHANNELS;
    const char *next = factors->next ? (const char *)factors->next + position * bytes
                                     : (const char *)(weights + size);
    for (int64_t group = first; group < end; group++) {
      const int64_t start = group * work->group - begin;
      const struct tile tile = {
        .count = (int)smaller(work->group, count - start), .pass = &all->pass,
        .tile_blocks = plain->tile_blocks, .valid = CHANNELS, .last_run = CHANNELS,
        .source = work->inputs + position * position_step(work)
            + (group * all->input_blocks + factors->first) * work->group * CHANNELS,
        .weights = weights, .blocks = factors->blocks, .bias = factors->first == 0 ? zeros : NULL,
        .low = own + start * CHANNELS, .high = own + (count + start) * CHANNELS,
        .target_step = CHANNELS, .run = CHANNELS,
        .next = next + (group - first) * factors->blocks * lines * LINE, .lines = lines,
      };
      functions[(tile.count - 1) * TILE_KINDS](plain, &tile);
    }
  }
}

/// Multiplies some groups of squares by all weights of an output block.
static void multiply_block(
    const struct winograd_work *work, const struct convolution *plain, int64_t first, int64_t end,
    int64_t block, float *sums) {
  const struct winograd *all = work->all;
  struct factors factors = {.step = plain->weights_outputs, .blocks = all->input_blocks};
  if (all->is_transformed) {
    factors.weights = work->weights + block * POSITIONS * factors.step;
    return multiply_groups(work, plain, first, end, &factors, sums);
  }
  _Alignas(64) float transformed[POSITIONS * (BATCH_BLOCKS * CHANNELS * 2 * CHANNELS + POSITION_PADDING)];
  const ptrdiff_t size = WINDOW * WINDOW * plain->weights_block;
  const float *weights = work->weights + block * all->input_blocks * size;
  factors.weights = transformed;
  for (; factors.first < all->input_blocks; factors.first += factors.blocks) {
    factors.blocks = smaller(BATCH_BLOCKS, all->input_blocks - factors.first);
    factors.step = factors.blocks * plain->weights_block + POSITION_PADDING;
    factors.next_bytes = factors.blocks * size * (ptrdiff_t)sizeof(float);
    for (int64_t own = 0; own < factors.blocks; own++, weights += size) {
      winograd_transform_weights(
          weights, CHANNELS, plain->width, transformed + own * plain->weights_block, factors.step);
    }
    factors.next = weights;
    multiply_groups(work, plain, first, end, &factors, sums);
  }
}

/// Computes some squares of an output block.
static void multiply_part(void *context, int index) {
  const struct winograd_work *work = context;
  const struct winograd *all = work->all;
  const int64_t block = index % all->output_blocks, part = index / all->output_blocks;
  const int width = all->convolution.width;
  _Alignas(64) float sums[POSITIONS * 2 * BATCH_SQUARES * CHANNELS];
  _Alignas(64) float bias[2 * CHANNELS] = {0};
  if (work->bias) {
    const int64_t valid = smaller(width, all->convolution.out_channels - block * width);
    memcpy(bias, work->bias + block * width, (size_t)valid * sizeof *bias);
  }
  // The tiles compute plain sums: the post-operations come after the output transform.
  struct convolution plain = all->convolution;
  plain.operations.rectifier = (struct rectifier){.slope = 1, .limit = INFINITY};
  plain.source_block = (ptrdiff_t)(work->group * CHANNELS);
  const int64_t begin = work->groups * part / work->parts;
  const int64_t count = work->groups * (part + 1) / work->parts - begin;
  const int64_t batches = ceil_div(count * work->group, BATCH_SQUARES);
  for (int64_t batch = 0; batch < batches; batch++) {
    const int64_t first = begin + count * batch / batches;
    const int64_t end = begin + count * (batch + 1) / batches;
    if (end == first) continue;
    multiply_block(work, &plain, first, end, block, sums);
    store_squares(work, sums, first * work->group, end * work->group, block, bias);
  }
}

static void run_winograd(const kernels_primitive *primitive, const struct call *call) {
  const struct winograd *all = (const struct winograd *)primitive;
  struct winograd_work work = {
    .all = all, .source = call->arguments[kernels_role_source],
    .weights = call->arguments[kernels_role_weights], .bias = call->arguments[kernels_role_bias],
    .target = call->arguments[kernels_role_target],
    .inputs = call->arguments[kernels_role_scratchpad],
  };
  const int64_t rows = all->convolution.images * all->rows;
  const int64_t threads = kernels_thread_count();
  for (work.first_row = 0; work.first_row < rows; work.first_row += work.row_count) {
    work.row_count = smaller(all->band, rows - work.first_row);
    const int64_t most = PARTS_PER_THREAD * threads;
    const int64_t squares = work.row_count * all->columns;
    work.group = ceil_div(squares, ceil_div(squares, widest_tile()));
    work.groups = ceil_div(squares, work.group);
    work.parts = smaller(threads == 1 ? 1 : most, work.row_count * all->input_blocks);
    kernels_parallel((int)work.parts, transform_part, &work);
    work.parts = smaller(threads == 1 ? 1 : ceil_div(most, all->output_blocks), work.groups);
    kernels_parallel((int)(work.parts * all->output_blocks), multiply_part, &work);
  }
}

// --- The plan.

/// Whether the algorithm applies to a convolution that is large enough for the transforms to pay off.
static bool is_worthwhile(
    int64_t images, const struct kernels_layout *weights, const struct space *space) {
  enum { MIN_CHANNELS = 32, MIN_SQUARES = 32 };
  if (weights->rank != 4) return false;
  for (int axis = 1; axis < 3; axis++) {
    if (space->window[axis] != WINDOW || space->strides[axis] != 1 || space->dilation[axis] != 1
        || space->before[axis] < 0) {
      return false;
    }
  }
  const int64_t outputs = weights->sizes[0], inputs = weights->sizes[1];
  const int64_t squares =
      images * ceil_div(space->targets[1], OUTPUT_SIDE) * ceil_div(space->targets[2], OUTPUT_SIDE);
  return outputs >= MIN_CHANNELS && inputs >= MIN_CHANNELS && squares >= MIN_SQUARES;
}

kernels_primitive *winograd_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post) {
  const struct space space = make_space(source, target, window);
  const struct kernels_layout input = layout_channels_blocked(source->rank, source->sizes);
  const struct kernels_layout output = layout_channels_blocked(target->rank, target->sizes);
  if ((!source->is_any && !kernels_layout_equal(source, &input))
      || (!target->is_any && !kernels_layout_equal(target, &output))
      || source->rank != 4 || !is_worthwhile(source->sizes[0], weights, &space)) {
    return NULL;
  }
  struct winograd *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  struct convolution *own = &all->convolution;
  own->primitive = (kernels_primitive){
    .name = "Winograd convolution", .run = run_winograd};
  all->space = space;
  all->rows = ceil_div(space.targets[1], OUTPUT_SIDE);
  all->columns = ceil_div(space.targets[2], OUTPUT_SIDE);
  own->images = source->sizes[0];
  own->out_channels = target->sizes[1];
  own->tile_blocks = output_blocks_per_tile(own->out_channels);
  own->width = own->tile_blocks * CHANNELS;
  all->in_channels = source->sizes[1];
  all->input_blocks = ceil_div(all->in_channels, CHANNELS);
  all->output_blocks = ceil_div(own->out_channels, own->width);
  own->weights_block = (ptrdiff_t)CHANNELS * own->width;
  own->weights_outputs = (ptrdiff_t)all->input_blocks * own->weights_block;
  all->pass = (struct pass){.tap_count = 1, .taps = &all->tap, .source_steps = {0, 0, CHANNELS}};
  const int64_t row = POSITIONS * all->input_blocks * all->columns * CHANNELS;
  all->is_transformed = is_transformed(own->out_channels, source->sizes[1]);
  const int64_t weight_count = all->output_blocks * POSITIONS * own->weights_outputs;
  const int64_t bytes = weight_count * (int64_t)sizeof(float);
  const int64_t most = all->is_transformed ? smaller(larger(BAND, bytes), 2 * BAND)
                                           : smaller(larger(2 * BAND, bytes / 8), 16 * BAND);
  all->band = larger(1, smaller(most / (row * (int64_t)sizeof(float)), own->images * all->rows));
  struct kernels_layout form = layout_weights(weights, true, false, own->width);
  if (all->is_transformed) {
    form = layout_row_major(weights->rank, weights->sizes);
    form.opaque_count = weight_count;
    form.form = FORM_WINOGRAD;
  }
  primitive_set(&own->primitive, kernels_role_source, &input);
  primitive_set(&own->primitive, kernels_role_target, &output);
  primitive_set(&own->primitive, kernels_role_weights, &form);
  if (bias) primitive_set(&own->primitive, kernels_role_bias, bias);
  // A partial group takes the space of a full one.
  const int64_t slack = POSITIONS * (all->input_blocks * WIDEST_TILE * CHANNELS + POSITION_PADDING);
  primitive_request(&own->primitive, all->band * row + slack);
  if (set_operations(&own->operations, post)) return &own->primitive;
  kernels_primitive_free(&own->primitive);
  return NULL;
}
