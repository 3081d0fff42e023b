#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "threads.h"
#include "winograd.h"

// Convolutions with windows of 3 x 3 by minimal filtering, F(2 x 2, 3 x 3) (Winograd 1980; Lavin and
// Gray 2016): from 4 x 4 inputs come 2 x 2 outputs with 16 products for each pair of channels, in place
// of 36. Inputs and weights are transformed, multiplied position by position by the tiles of other
// convolutions, and the sums are transformed back.
//
// An input that is infinite or no number reaches all outputs of its square.

enum { LINE = 64 };

enum {
  /// So many bytes of transformed inputs are made before they are used; more where weights are large, which are
  /// read again for each band.
  BAND = 1 << 20,
  /// So many squares are computed while a position's weights stay in the nearest cache.
  SQUARES = 56,
  /// Floats by which positions are set apart, so that they do not fall on the same lines of a cache.
  APART = 5 * CHANNELS,
  /// Transformed weights take 16/9 of the memory. If they are more than this, they are stored as they are, and
  /// transformed for each use, so many blocks of inputs at a time.
  MOST_TRANSFORMED = 1 << 22,
  BLOCKS = 4,
};

struct winograd {
  /// What tiles and ends need to know. Its only pass has one tap.
  struct convolution convolution;
  struct pass pass;
  struct tap tap;
  struct space space;
  /// How many squares of outputs there are along height and width, and how many rows of them are
  /// computed at once.
  int64_t rows, columns, band;
  int64_t input_blocks, output_blocks;
  /// Whether weights are stored transformed, `[output blocks, 16 positions, input blocks, 16, width]`, or
  /// as other convolutions take them, `[output blocks, input blocks, 9 taps, 16, width]`.
  bool is_transformed;
};

struct winograd_work {
  const struct winograd *all;
  const float *source, *weights, *bias;
  float *target, *inputs;
  /// The rows of squares in work, of all images.
  int64_t first_row, row_count, parts;
  /// Into how many groups the squares are parted that one tile computes, and how many each has.
  int64_t groups, group;
};

static bool is_transformed(int64_t outputs, int64_t inputs) {
  return outputs * inputs * POSITIONS <= MOST_TRANSFORMED;
}

// --- Inputs.

/// Copies a square that reaches beyond the edges, where there are zeros.
INLINE void copy_square(
    const struct space *space, const float *source, int64_t top, int64_t left, float *square) {
  for (int y = 0; y < SIDE; y++) {
    for (int x = 0; x < SIDE; x++, square += CHANNELS) {
      const bool is_seen = top + y >= 0 && top + y < space->sizes[1] && left + x >= 0
          && left + x < space->sizes[2];
      store(square, is_seen ? load(source + ((top + y) * space->sizes[2] + left + x) * CHANNELS) : 0);
    }
  }
}

/// How far positions are apart in transformed inputs: `[16 positions, groups, blocks, squares, 16]`.
INLINE ptrdiff_t position_step(const struct winograd_work *work) {
  return (ptrdiff_t)(work->groups * work->all->input_blocks * work->group * CHANNELS) + APART;
}

/// Transforms the inputs of a row of squares, of one block of channels.
INLINE void transform_row_body(
    const struct winograd_work *work, const float *source, int64_t row, int64_t block) {
  const struct winograd *all = work->all;
  const struct space *space = &all->space;
  const int64_t height = space->sizes[1], width = space->sizes[2];
  const int64_t top = (work->first_row + row) % all->rows * MADE - space->before[1];
  const ptrdiff_t step = position_step(work);
  _Alignas(64) float copy[POSITIONS * CHANNELS];
  for (int64_t column = 0; column < all->columns; column++) {
    const int64_t left = column * MADE - space->before[2], number = row * all->columns + column;
    const int64_t group = number / work->group, own = number % work->group;
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
  for (int64_t number = count * index / work->parts; number < count * (index + 1) / work->parts;
       number++) {
    const int64_t block = number / work->row_count, row = number % work->row_count;
    const int64_t image = (work->first_row + row) / all->rows;
    transform_row(work, work->source + (image * all->input_blocks + block) * plane, row, block);
  }
}

// --- Outputs.

/// Transforms sums back, transposed(A) * sums * A, and brings them to their end.
INLINE void transform_output(
    const struct convolution *all, const float *sums, ptrdiff_t step, const float *bias,
    float *target, ptrdiff_t row_step, int64_t height, int64_t width) {
#pragma clang loop unroll(full)
  for (int y = 0; y < MADE; y++) {
    vector row[SIDE];
#pragma clang loop unroll(full)
    for (int x = 0; x < SIDE; x++) {
      const float *own = sums + (y * SIDE + x) * step;
      const vector second = load(own + SIDE * step), third = load(own + 2 * SIDE * step);
      row[x] = y == 0 ? load(own) + second + third : load(own) - second - third;
    }
    const vector made[MADE] = {row[0] + row[1] + row[2], row[1] - row[2] - row[3]};
#pragma clang loop unroll(full)
    for (int x = 0; x < MADE; x++) {
      if (y >= height || x >= width) continue;
      float *to = target + y * row_step + x * CHANNELS;
      vector sum = made[x] + load(bias);
      if (all->adds_first) sum += load(to);
      if (all->slope != 1) sum = sum < 0 ? sum * all->slope : sum;
      if (all->limit < INFINITY) sum = sum > all->limit ? all->limit : sum;
      if (all->adds_last) sum += load(to);
      store(to, sum);
    }
  }
}

INLINE void transform_outputs_body(
    const struct convolution *all, const float *sums, int64_t count, ptrdiff_t step,
    const float *bias, float *target, ptrdiff_t row_step, int64_t height, int64_t width) {
  for (int64_t square = 0; square < count; square++) {
    transform_output(
        all, sums + square * CHANNELS, step, bias, target + square * MADE * CHANNELS, row_step,
        height, width - square * MADE);
  }
}

VARIANTS(
    transform_outputs,
    (const struct convolution *all, const float *sums, int64_t count, ptrdiff_t step,
     const float *bias, float *target, ptrdiff_t row_step, int64_t height, int64_t width),
    (all, sums, count, step, bias, target, row_step, height, width))

/// Stores neighbours in the rows of squares, whose sums stand in `sums`.
static void store_squares(
    const struct winograd_work *work, const float *sums, int64_t first, int64_t end, int64_t block,
    const float *bias) {
  const struct winograd *all = work->all;
  const int64_t count = smaller(end, work->row_count * all->columns) - first;
  const struct convolution *convolution = &all->convolution;
  const int64_t height = all->space.targets[1], width = all->space.targets[2];
  const ptrdiff_t step = (ptrdiff_t)convolution->halves * count * CHANNELS;
  int64_t squares;
  for (int64_t done = 0; done < count; done += squares) {
    const int64_t number = work->first_row * all->columns + first + done;
    const int64_t row = number / all->columns, column = number % all->columns;
    const int64_t y = row % all->rows * MADE, x = column * MADE;
    squares = smaller(count - done, all->columns - column);
    for (int half = 0; half < convolution->halves; half++) {
      const int64_t own = block * convolution->halves + half;
      const int64_t valid = convolution->out_channels - own * CHANNELS;
      if (valid <= 0) continue;
      const int64_t plane = row / all->rows * ceiling(convolution->out_channels, CHANNELS) + own;
      float *target = work->target + ((plane * height + y) * width + x) * CHANNELS;
      transform_outputs(
          convolution, sums + (half * count + done) * CHANNELS, squares, step,
          bias + half * CHANNELS, target, (ptrdiff_t)(width * CHANNELS), height - y, width - x);
      if (convolution->function_count == 0) continue;
      for (int64_t line = 0; line < smaller(MADE, height - y); line++) {
        apply_operations(
            convolution, target + line * width * CHANNELS,
            smaller(MADE * squares, width - x) * CHANNELS, valid);
      }
    }
  }
}

/// The transformed weights of a block of outputs for some blocks of inputs.
struct factors {
  const float *weights;
  /// The distance between positions.
  ptrdiff_t step;
  int64_t first, blocks;
  /// The weights that are transformed next, and their bytes; NULL where the next position's are needed next.
  const float *next;
  int64_t next_bytes;
};

/// Multiplies some groups of squares by weights, position by position. What is needed next comes while the
/// weights of one position are used.
static void multiply_groups(
    const struct winograd_work *work, const struct convolution *plain, int64_t first, int64_t end,
    const struct factors *factors, float *sums) {
  static const float zeros[2 * CHANNELS];
  const struct winograd *all = work->all;
  const float *weights = factors->weights;
  tile_function *const *functions = tile_functions(&all->pass, CHANNELS, plain->halves);
  const int64_t begin = first * work->group;
  const int64_t count = smaller(end * work->group, work->row_count * all->columns) - begin;
  const ptrdiff_t size = factors->step;
  const int64_t visits = (end - first) * factors->blocks;
  const int64_t bytes = factors->next ? factors->next_bytes / POSITIONS
                                      : size * (int64_t)sizeof(float);
  const int lines = (int)ceiling(bytes / LINE, visits);
  for (int position = 0; position < POSITIONS; position++, weights += size) {
    float *own = sums + position * plain->halves * count * CHANNELS;
    const char *next = factors->next ? (const char *)factors->next + position * bytes
                                     : (const char *)(weights + size);
    for (int64_t group = first; group < end; group++) {
      const int64_t start = group * work->group - begin;
      const struct tile tile = {
        .count = (int)smaller(work->group, count - start), .pass = &all->pass,
        .halves = plain->halves, .last_run = CHANNELS,
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

/// Multiplies some groups of squares by all weights of a block of outputs.
static void multiply_block(
    const struct winograd_work *work, const struct convolution *plain, int64_t first, int64_t end,
    int64_t block, float *sums) {
  const struct winograd *all = work->all;
  struct factors factors = {.step = plain->weights_outputs, .blocks = all->input_blocks};
  if (all->is_transformed) {
    factors.weights = work->weights + block * POSITIONS * factors.step;
    return multiply_groups(work, plain, first, end, &factors, sums);
  }
  _Alignas(64) float transformed[POSITIONS * (BLOCKS * CHANNELS * 2 * CHANNELS + APART)];
  const ptrdiff_t size = WINDOW * WINDOW * plain->weights_block;
  const float *weights = work->weights + block * all->input_blocks * size;
  factors.weights = transformed;
  for (; factors.first < all->input_blocks; factors.first += factors.blocks) {
    factors.blocks = smaller(BLOCKS, all->input_blocks - factors.first);
    factors.step = factors.blocks * plain->weights_block + APART;
    factors.next_bytes = factors.blocks * size * (ptrdiff_t)sizeof(float);
    for (int64_t own = 0; own < factors.blocks; own++, weights += size) {
      transform_weights(
          weights, CHANNELS, plain->width, transformed + own * plain->weights_block, factors.step);
    }
    factors.next = weights;
    multiply_groups(work, plain, first, end, &factors, sums);
  }
}

/// Computes some squares of a block of outputs.
static void multiply_part(void *context, int index) {
  const struct winograd_work *work = context;
  const struct winograd *all = work->all;
  const int64_t block = index % all->output_blocks, part = index / all->output_blocks;
  const int width = all->convolution.width;
  _Alignas(64) float sums[POSITIONS * 2 * SQUARES * CHANNELS];
  _Alignas(64) float bias[2 * CHANNELS] = {0};
  if (work->bias) {
    const int64_t valid = smaller(width, all->convolution.out_channels - block * width);
    memcpy(bias, work->bias + block * width, (size_t)valid * sizeof *bias);
  }
  // The tiles see a plain sum: what is done to it comes when it has been transformed.
  struct convolution plain = all->convolution;
  plain.slope = 1;
  plain.limit = INFINITY;
  plain.source_block = (ptrdiff_t)(work->group * CHANNELS);
  const int64_t begin = work->groups * part / work->parts;
  const int64_t count = work->groups * (part + 1) / work->parts - begin;
  const int64_t batches = ceiling(count * work->group, SQUARES);
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
    const int64_t most = PARTS_OF_A_THREAD * threads;
    const int64_t squares = work.row_count * all->columns;
    work.group = ceiling(squares, ceiling(squares, widest_tile()));
    work.groups = ceiling(squares, work.group);
    work.parts = smaller(threads == 1 ? 1 : most, work.row_count * all->input_blocks);
    kernels_parallel((int)work.parts, transform_part, &work);
    work.parts = smaller(threads == 1 ? 1 : ceiling(most, all->output_blocks), work.groups);
    kernels_parallel((int)(work.parts * all->output_blocks), multiply_part, &work);
  }
}

// --- Weights.

struct weights_work {
  const kernels_primitive *primitive;
  const float *source, *scales;
  float *target;
  int64_t inputs, outputs;
  int width;
};

/// Writes the weights of a block of outputs, `[16 positions, blocks, 16 inputs, width]`.
static void write_outputs(void *context, int index) {
  const struct weights_work *work = context;
  const struct kernels_layout *layout = &work->primitive->layouts[kernels_role_source];
  const int width = work->width;
  const int64_t blocks = ceiling(work->inputs, CHANNELS);
  const ptrdiff_t step = (ptrdiff_t)(blocks * CHANNELS * width);
  float *target = work->target + (ptrdiff_t)index * POSITIONS * step;
  const int64_t valid = smaller(width, work->outputs - (int64_t)index * width);
  for (int64_t input = 0; input < blocks * CHANNELS; input++) {
    float own[WINDOW * WINDOW * 2 * CHANNELS] = {0};
    for (int64_t lane = 0; lane < valid && input < work->inputs; lane++) {
      const int64_t output = index * (int64_t)width + lane;
      const float scale = work->scales ? work->scales[output] : 1;
      const float *source =
          work->source + output * layout->strides[0] + input * layout->strides[1];
      for (int tap = 0; tap < WINDOW * WINDOW; tap++) {
        own[tap * width + lane] = scale
            * source[tap / WINDOW * layout->strides[2] + tap % WINDOW * layout->strides[3]];
      }
    }
    transform_weights(own, 1, width, target + input * width, step);
  }
}

struct winograd_weights {
  kernels_primitive primitive;
  float *scales;
};

static void release_weights(kernels_primitive *primitive) {
  free(((struct winograd_weights *)primitive)->scales);
}

static void run_weights(const kernels_primitive *primitive, const struct call *call) {
  const struct kernels_layout *target = &primitive->layouts[kernels_role_target];
  struct weights_work work = {
    .primitive = primitive, .source = call->arguments[kernels_role_source],
    .scales = ((const struct winograd_weights *)primitive)->scales,
    .target = call->arguments[kernels_role_target], .outputs = target->sizes[0],
    .inputs = target->sizes[1], .width = output_halves(target->sizes[0]) * CHANNELS,
  };
  kernels_parallel((int)ceiling(work.outputs, work.width), write_outputs, &work);
}

kernels_primitive *winograd_reorder(
    const kernels_layout *source, const kernels_layout *target, const float *scales, int count) {
  if (source->block_count > 0 || (count > 0 && count != target->sizes[0])) return NULL;
  struct winograd_weights *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive = (kernels_primitive){
    .name = "reorder", .run = run_weights, .release = release_weights};
  primitive_set(&all->primitive, kernels_role_source, source);
  primitive_set(&all->primitive, kernels_role_target, target);
  if (count == 0) return &all->primitive;
  all->scales = malloc((size_t)count * sizeof *scales);
  if (all->scales) {
    memcpy(all->scales, scales, (size_t)count * sizeof *scales);
    return &all->primitive;
  }
  free(all);
  return NULL;
}

// --- The plan.

/// Whether a convolution is of this kind, and large enough that the transforms pay.
static bool is_worthwhile(
    int64_t images, const struct kernels_layout *weights, const struct space *space) {
  enum { FEWEST_CHANNELS = 32, FEWEST_SQUARES = 32 };
  if (weights->rank != 4) return false;
  for (int axis = 1; axis < 3; axis++) {
    if (space->window[axis] != WINDOW || space->strides[axis] != 1 || space->dilation[axis] != 1
        || space->before[axis] < 0) {
      return false;
    }
  }
  const int64_t outputs = weights->sizes[0], inputs = weights->sizes[1];
  const int64_t squares =
      images * ceiling(space->targets[1], MADE) * ceiling(space->targets[2], MADE);
  return outputs >= FEWEST_CHANNELS && inputs >= FEWEST_CHANNELS && squares >= FEWEST_SQUARES;
}

kernels_primitive *winograd_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post) {
  const struct space space = make_space(source, target, window, 2);
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
  all->rows = ceiling(space.targets[1], MADE);
  all->columns = ceiling(space.targets[2], MADE);
  own->images = source->sizes[0];
  own->out_channels = target->sizes[1];
  own->halves = output_halves(own->out_channels);
  own->width = own->halves * CHANNELS;
  all->input_blocks = ceiling(source->sizes[1], CHANNELS);
  all->output_blocks = ceiling(own->out_channels, own->width);
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
    form.is_winograd = true;
  }
  primitive_set(&own->primitive, kernels_role_source, &input);
  primitive_set(&own->primitive, kernels_role_target, &output);
  primitive_set(&own->primitive, kernels_role_weights, &form);
  if (bias) primitive_set(&own->primitive, kernels_role_bias, bias);
  // A group that is not full takes the room of a full one.
  const int64_t room = POSITIONS * (all->input_blocks * WIDEST_TILE * CHANNELS + APART);
  primitive_ask(&own->primitive, all->band * row + room);
  if (set_operations(own, post)) return &own->primitive;
  kernels_primitive_free(&own->primitive);
  return NULL;
}
