#include "window.h"

#include <stdlib.h>
#include <string.h>

#include "threads.h"

struct space make_space(
    const kernels_layout *source, const kernels_layout *target, struct kernels_window window) {
  enum { FIRST_AXIS = 2 };  // after batch and channels
  struct space space;
  const int rank = source->rank - FIRST_AXIS;
  for (int axis = 0; axis < 3; axis++) {
    const int own = axis - (3 - rank);
    space.sizes[axis] = own < 0 ? 1 : source->sizes[FIRST_AXIS + own];
    space.targets[axis] = own < 0 ? 1 : target->sizes[FIRST_AXIS + own];
    space.window[axis] = own < 0 ? 1 : window.size[own];
    space.strides[axis] = own < 0 ? 1 : window.strides[own];
    space.dilation[axis] = own < 0 ? 1 : window.dilation[own];
    space.before[axis] = own < 0 ? 0 : window.before[own];
  }
  return space;
}

void window_position(const struct space *space, int64_t index, int64_t position[3]) {
  position[2] = index % space->window[2];
  position[1] = index / space->window[2] % space->window[1];
  position[0] = index / space->window[2] / space->window[1];
}

void covered_sizes(const struct space *space, int64_t sizes[3]) {
  for (int axis = 0; axis < 3; axis++) {
    sizes[axis] = (space->targets[axis] - 1) * space->strides[axis]
        + (space->window[axis] - 1) * space->dilation[axis] + 1;
  }
}

// --- The padded input.

void set_padding(
    struct padded_input *input, const int64_t sizes[3], const int64_t before[3],
    const int64_t padded_sizes[3]) {
  memcpy(input->sizes, sizes, sizeof input->sizes);
  memcpy(input->before, before, sizeof input->before);
  input->is_copied = false;
  for (int axis = 0; axis < 3; axis++) {
    input->is_copied |= before[axis] > 0 || padded_sizes[axis] - before[axis] > sizes[axis];
  }
  memcpy(input->padded_sizes, input->is_copied ? padded_sizes : sizes, sizeof input->padded_sizes);
}

static int64_t bytes(const struct padded_input *input, const int64_t sizes[3]) {
  return input->blocks * sizes[0] * sizes[1] * sizes[2] * input->pixel_size;
}

int64_t input_bytes(const struct padded_input *input) { return bytes(input, input->sizes); }

int64_t padded_bytes(const struct padded_input *input) { return bytes(input, input->padded_sizes); }

ptrdiff_t padded_steps(const struct padded_input *input, ptrdiff_t pixel, ptrdiff_t steps[3]) {
  steps[2] = pixel;
  steps[1] = steps[2] * input->padded_sizes[2];
  steps[0] = steps[1] * input->padded_sizes[1];
  ptrdiff_t offset = 0;
  for (int axis = 0; axis < 3 && !input->is_copied; axis++) offset -= input->before[axis] * steps[axis];
  return offset;
}

struct padding_work {
  const struct padded_input *input;
  const char *source;
  char *padded;
  int64_t rows, rows_at_once;
};

static void copy_row(const struct padding_work *work, int64_t row) {
  const struct padded_input *input = work->input;
  const int64_t pixel = input->pixel_size, width = input->padded_sizes[2];
  char *target = work->padded + row * width * pixel;
  const int64_t y = row % input->padded_sizes[1] - input->before[1];
  const int64_t z = row / input->padded_sizes[1] % input->padded_sizes[0] - input->before[0];
  const int64_t block = row / input->padded_sizes[1] / input->padded_sizes[0];
  // The part of the row that is inside of the input.
  int64_t first = smaller(width, larger(0, input->before[2]));
  int64_t end = larger(first, smaller(width, input->before[2] + input->sizes[2]));
  if (y < 0 || y >= input->sizes[1] || z < 0 || z >= input->sizes[0]) first = end = width;
  memset(target, input->padding, (size_t)(first * pixel));
  if (first < end) {
    const int64_t line = (block * input->sizes[0] + z) * input->sizes[1] + y;
    memcpy(
        target + first * pixel,
        work->source + (line * input->sizes[2] + first - input->before[2]) * pixel,
        (size_t)((end - first) * pixel));
  }
  memset(target + end * pixel, input->padding, (size_t)((width - end) * pixel));
}

static void copy_rows(void *context, int index) {
  const struct padding_work *work = context;
  const int64_t first = index * work->rows_at_once;
  const int64_t end = smaller(first + work->rows_at_once, work->rows);
  for (int64_t row = first; row < end; row++) copy_row(work, row);
}

const void *pad_input(const struct padded_input *input, const void *source, void *scratch) {
  if (!input->is_copied) return source;
  enum { BYTES_AT_ONCE = 1 << 15 };
  struct padding_work work = {
    .input = input, .source = source, .padded = scratch,
    .rows = input->blocks * input->padded_sizes[0] * input->padded_sizes[1],
    .rows_at_once = larger(1, BYTES_AT_ONCE / (input->padded_sizes[2] * input->pixel_size)),
  };
  kernels_parallel((int)ceil_div(work.rows, work.rows_at_once), copy_rows, &work);
  return scratch;
}

// --- The outputs.

void count_outputs(const struct space *space, const struct padded_input *input, int64_t counts[3]) {
  bool is_pointwise = !input->is_copied && !memcmp(space->sizes, space->targets, sizeof space->sizes);
  for (int axis = 0; axis < 3; axis++) {
    counts[axis] = space->targets[axis];
    is_pointwise &= space->window[axis] == 1 && space->strides[axis] == 1 && space->before[axis] == 0;
  }
  if (!is_pointwise) return;
  counts[2] *= counts[1] * counts[0];
  counts[0] = counts[1] = 1;
}

bool cut_row(struct row_tiles *tiles, int64_t width, int64_t widest) {
  tiles->count = ceil_div(width, widest);
  tiles->starts = calloc((size_t)tiles->count + 1, sizeof *tiles->starts);
  if (!tiles->starts || width > INT32_MAX) return false;
  for (int64_t tile = 1; tile <= tiles->count; tile++) {
    tiles->starts[tile] = (int32_t)(width * tile / tiles->count);
  }
  return true;
}

bool shares_rows(int64_t pixels, int64_t channels) { return pixels > channels; }

int64_t count_cuts(const struct traffic *traffic, int64_t threads) {
  const int64_t blocks = traffic->blocks;
  const bool cuts_rows = shares_rows(traffic->pixels, traffic->channels);
  if (!cuts_rows && blocks % threads == 0) return 1;
  const int64_t cuts = threads == 1 ? 1
      : cuts_rows                   ? PARTS_PER_THREAD * threads
                                    : ceil_div(PARTS_PER_THREAD * threads, blocks);
  const int64_t cached = ceil_div(traffic->source + traffic->target, traffic->cache);
  const bool pays = traffic->weights * cached < traffic->source * blocks + traffic->target;
  return pays ? larger(cuts, cached) : cuts;
}
