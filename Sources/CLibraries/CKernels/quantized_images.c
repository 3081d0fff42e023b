#include "quantized.h"

#include <stdlib.h>

#include "threads.h"

// Images of integers and of bfloat16: conversion from float32, and pooling.

/// The number of pixels that a thread converts at once.
enum { PIXELS_AT_ONCE = 1 << 10 };

struct quantizing {
  kernels_primitive primitive;
  int64_t pixels, channels, pixel_size;
  struct rounding rounding;
};

struct image_work {
  const kernels_primitive *primitive;
  const struct call *call;
};

/// Converts a contiguous run of floats to integers or bfloat16.
INLINE void round_run_body(
    const float *source, int64_t count, const struct rounding *rounding, uint8_t *target) {
  int64_t done = 0;
  vector value;
  if (rounding->is_bfloat16) {
    bfloat16x16 packed;
    for (; done + CHANNELS <= count; done += CHANNELS) {
      memcpy(&value, source + done, sizeof value);
      packed = round_to_bfloat16(value);
      memcpy(target + 2 * done, &packed, sizeof packed);
    }
    value = 0;
    memcpy(&value, source + done, (size_t)(count - done) * sizeof *source);
    packed = round_to_bfloat16(value);
    memcpy(target + 2 * done, &packed, (size_t)(count - done) * 2);
    return;
  }
  bytes16 rounded;
  for (; done + CHANNELS <= count; done += CHANNELS) {
    memcpy(&value, source + done, sizeof value);
    rounded = round_to_integers(value, rounding);
    memcpy(target + done, &rounded, sizeof rounded);
  }
  value = 0;
  memcpy(&value, source + done, (size_t)(count - done) * sizeof *source);
  rounded = round_to_integers(value, rounding);
  memcpy(target + done, &rounded, (size_t)(count - done));
}
VARIANTS(
    round_run, (const float *source, int64_t count, const struct rounding *rounding, uint8_t *target),
    (source, count, rounding, target))

/// Pads contiguous pixels of few channels, of `bytes` bytes each, to the full pixel size. Up to a pixel's
/// size may be read after the last one.
static void pad_pixels(
    const uint8_t *source, int64_t bytes, uint8_t *target, int64_t pixel_size, int64_t count) {
  uint64_t pixel = 0;
  if (pixel_size > (int64_t)sizeof pixel) {
    memset(target, 0, (size_t)(count * pixel_size));
    for (int64_t index = 0; index < count; index++) {
      memcpy(target + index * pixel_size, source + index * bytes, (size_t)bytes);
    }
    return;
  }
  // Masks out the bytes of the next pixel.
  const uint64_t own = UINT64_MAX >> (64 - 8 * bytes);
  for (int64_t index = 0; index < count; index++) {
    if (pixel_size == WORD) {
      memcpy(&pixel, source + index * bytes, WORD);
    } else {
      memcpy(&pixel, source + index * bytes, sizeof pixel);
    }
    pixel &= own;
    if (pixel_size == WORD) {
      memcpy(target + index * WORD, &pixel, WORD);
    } else {
      memcpy(target + index * (int64_t)sizeof pixel, &pixel, sizeof pixel);
    }
  }
}

/// Pixels of few channels are converted together and then padded.
static void quantize_pixels(void *context, int index) {
  const struct image_work *work = context;
  const struct quantizing *all = (const struct quantizing *)work->primitive;
  const int64_t first = (int64_t)index * PIXELS_AT_ONCE;
  const int64_t count = smaller(PIXELS_AT_ONCE, all->pixels - first);
  const int64_t channels = all->channels, pixel_size = all->pixel_size;
  const int64_t size = element_size(all->rounding.is_bfloat16);
  const float *source = work->call->arguments[kernels_role_source] + first * channels;
  uint8_t *target = (uint8_t *)work->call->arguments[kernels_role_quantized_target] + first * pixel_size;
  const int64_t bytes = channels * size;
  if (bytes == pixel_size) {
    round_run(source, count * channels, &all->rounding, target);
  } else if (channels < CHANNELS) {
    uint8_t rounded[PIXELS_AT_ONCE * CHANNELS * 2 + sizeof(uint64_t)];
    round_run(source, count * channels, &all->rounding, rounded);
    memset(rounded + count * bytes, 0, sizeof(uint64_t));
    pad_pixels(rounded, bytes, target, pixel_size, count);
  } else {
    for (int64_t pixel = 0; pixel < count; pixel++) {
      round_run(source + pixel * channels, channels, &all->rounding, target + pixel * pixel_size);
      memset(target + pixel * pixel_size + bytes, 0, (size_t)(pixel_size - bytes));
    }
  }
}

static void run_quantizing(const kernels_primitive *primitive, const struct call *call) {
  const struct quantizing *all = (const struct quantizing *)primitive;
  struct image_work work = {primitive, call};
  kernels_parallel((int)ceil_div(all->pixels, PIXELS_AT_ONCE), quantize_pixels, &work);
}

kernels_primitive *kernels_quantize(
    const kernels_layout *source, struct kernels_quantization quantization) {
  struct quantizing *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive.run = run_quantizing;
  all->primitive.name = "quantize";
  all->pixels = 1;
  for (int axis = 0; axis < source->rank - 1; axis++) all->pixels *= source->sizes[axis];
  all->channels = source->sizes[source->rank - 1];
  all->pixel_size = kernels_quantized_pixel_size(all->channels, quantization.is_bfloat16);
  all->rounding = make_rounding(quantization);
  primitive_set_bytes(
      &all->primitive, kernels_role_quantized_target, all->pixels * all->pixel_size);
  return &all->primitive;
}

// --- Pooling.

struct quantized_pooling {
  kernels_primitive primitive;
  struct space space;
  int64_t images, pixel_size;
  bool is_bfloat16, pads_with_zeros;
  /// The number of outputs of a row, and of bytes of each, that are pooled at once; 0 when the window is so
  /// wide that each output is pooled separately.
  int64_t outputs_at_once, bytes_at_once;
};

/// The maximum of bfloat16 values; the first one if the second one is NaN.
INLINE bfloat16x16 larger_bfloat16(bfloat16x16 left, bfloat16x16 right) {
  const vector first = widen_bfloat16(left), second = widen_bfloat16(right);
  const bfloat16x16 takes_second = __builtin_convertvector(second > first, bfloat16x16);
  return (right & takes_second) | (left & ~takes_second);
}

/// Replaces each integer or bfloat16 by the maximum of it and another.
INLINE void take_larger(
    uint8_t *target, const uint8_t *source, int64_t bytes, const bool is_bfloat16) {
  if (!is_bfloat16) {
    for (int64_t byte = 0; byte < bytes; byte++) {
      target[byte] = source[byte] > target[byte] ? source[byte] : target[byte];
    }
    return;
  }
  bfloat16x16 own = 0, other = 0;
  for (int64_t done = 0; done < bytes; done += (int64_t)sizeof own) {
    const size_t count = (size_t)smaller(bytes - done, sizeof own);
    if (count == sizeof own) {
      memcpy(&own, target + done, sizeof own);
      memcpy(&other, source + done, sizeof own);
      own = larger_bfloat16(own, other);
      memcpy(target + done, &own, sizeof own);
    } else {
      memcpy(&own, target + done, count);
      memcpy(&other, source + done, count);
      own = larger_bfloat16(own, other);
      memcpy(target + done, &own, count);
    }
  }
}

/// Fills with the smallest integer, or with -infinity as bfloat16.
INLINE void set_lowest(uint8_t *target, int64_t bytes, bool is_bfloat16) {
  // The bits of -infinity, low byte first.
  for (int64_t byte = 0; byte < bytes; byte++) {
    target[byte] = is_bfloat16 ? (byte % 2 ? 0xFF : 0x80) : 0;
  }
}

/// Whether the maximum of an output is at least 0, because its window covers zeros. (Integers that were padded
/// with zeros are never below the one of 0.)
INLINE bool covers_zeros(const struct quantized_pooling *all, int64_t row, int64_t x) {
  const struct space *space = &all->space;
  const int64_t output[] = {row / space->targets[1], row % space->targets[1], x};
  bool is_cut = false;
  for (int axis = 0; axis < 3 && all->pads_with_zeros; axis++) {
    int64_t first, end;
    covered_range(space, axis, output[axis], &first, &end);
    is_cut |= ceil_div(end - first, space->dilation[axis]) < space->window[axis];
  }
  return is_cut;
}

/// The capacity in bytes for input pixels of a row that are pooled along the other axes at once, and then
/// along the row.
enum { MAX_POOLED = 1 << 13 };

/// Pools some bytes of adjacent outputs, from `first` to before `end`.
INLINE void pool_span(
    const struct quantized_pooling *all, const uint8_t *image, int64_t row, int64_t first,
    int64_t end, int64_t start, int64_t width, uint8_t *target, const bool is_bfloat16) {
  const struct space *space = &all->space;
  const int64_t pixel_size = all->pixel_size;
  int64_t first_z, end_z, first_y, end_y, next, next_end;
  covered_range(space, 0, row / space->targets[1], &first_z, &end_z);
  covered_range(space, 1, row % space->targets[1], &first_y, &end_y);
  // The input pixels that these outputs cover, from the first window element on.
  const int64_t first_x = larger(0, first * space->strides[2] - space->before[2]);
  covered_range(space, 2, end - 1, &next, &next_end);
  const int64_t columns = larger(0, next_end - first_x);
  uint8_t largest[MAX_POOLED];
  set_lowest(largest, columns * width, is_bfloat16);
  for (int64_t z = first_z; z < end_z; z += space->dilation[0]) {
    for (int64_t y = first_y; y < end_y; y += space->dilation[1]) {
      const uint8_t *from = image + ((z * space->sizes[1] + y) * space->sizes[2] + first_x) * pixel_size;
      // Full pixels are contiguous.
      const int64_t pieces = width == pixel_size ? 1 : columns;
      const int64_t bytes = width == pixel_size ? columns * pixel_size : width;
      for (int64_t piece = 0; piece < pieces; piece++) {
        take_larger(
            largest + piece * width, from + piece * pixel_size + start, bytes, is_bfloat16);
      }
    }
  }
  for (int64_t x = first; x < end; x++) {
    uint8_t *own = target + x * pixel_size + start;
    set_lowest(own, width, is_bfloat16 && !covers_zeros(all, row, x));
    covered_range(space, 2, x, &next, &next_end);
    for (; next < next_end; next += space->dilation[2]) {
      take_larger(own, largest + (next - first_x) * width, width, is_bfloat16);
    }
  }
}

/// Pools a single output.
INLINE void pool_output(
    const struct quantized_pooling *all, const uint8_t *image, int64_t row, int64_t x,
    uint8_t *target, const bool is_bfloat16) {
  const struct space *space = &all->space;
  const int64_t outputs[] = {row / space->targets[1], row % space->targets[1], x};
  int64_t first[3], end[3];
  for (int axis = 0; axis < 3; axis++) covered_range(space, axis, outputs[axis], &first[axis], &end[axis]);
  set_lowest(target, all->pixel_size, is_bfloat16 && !covers_zeros(all, row, x));
  for (int64_t z = first[0]; z < end[0]; z += space->dilation[0]) {
    for (int64_t y = first[1]; y < end[1]; y += space->dilation[1]) {
      for (int64_t next = first[2]; next < end[2]; next += space->dilation[2]) {
        const int64_t pixel = (z * space->sizes[1] + y) * space->sizes[2] + next;
        take_larger(target, image + pixel * all->pixel_size, all->pixel_size, is_bfloat16);
      }
    }
  }
}

INLINE void pool_row_body(void *context, int index) {
  const struct image_work *work = context;
  const struct quantized_pooling *all = (const struct quantized_pooling *)work->primitive;
  const struct space *space = &all->space;
  const int64_t rows = space->targets[0] * space->targets[1], row = index % rows;
  const int64_t pixels = space->sizes[0] * space->sizes[1] * space->sizes[2];
  const uint8_t *image = (const uint8_t *)work->call->arguments[kernels_role_source]
      + index / rows * pixels * all->pixel_size;
  uint8_t *target = (uint8_t *)work->call->arguments[kernels_role_quantized_target]
      + index * space->targets[2] * all->pixel_size;
  for (int64_t x = 0; x < space->targets[2] && all->outputs_at_once == 0; x++) {
    pool_output(all, image, row, x, target + x * all->pixel_size, all->is_bfloat16);
  }
  for (int64_t x = 0, end; x < space->targets[2] && all->outputs_at_once > 0; x = end) {
    end = smaller(space->targets[2], x + all->outputs_at_once);
    for (int64_t start = 0; start < all->pixel_size; start += all->bytes_at_once) {
      const int64_t width = smaller(all->bytes_at_once, all->pixel_size - start);
      if (all->is_bfloat16) {
        pool_span(all, image, row, x, end, start, width, target, true);
      } else if (width == CHANNELS) {
        pool_span(all, image, row, x, end, start, CHANNELS, target, false);
      } else if (width == 2 * CHANNELS) {
        pool_span(all, image, row, x, end, start, 2 * CHANNELS, target, false);
      } else {
        pool_span(all, image, row, x, end, start, width, target, false);
      }
    }
  }
}
VARIANTS(pool_row, (void *context, int row), (context, row))

static void run_pooling(const kernels_primitive *primitive, const struct call *call) {
  const struct quantized_pooling *all = (const struct quantized_pooling *)primitive;
  struct image_work work = {primitive, call};
  kernels_parallel(
      (int)(all->images * all->space.targets[0] * all->space.targets[1]), pool_row, &work);
}

kernels_primitive *kernels_quantized_pool(
    const kernels_layout *source, const kernels_layout *target, struct kernels_window window,
    bool is_bfloat16, bool pads_with_zeros) {
  struct quantized_pooling *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive.run = run_pooling;
  all->primitive.name = is_bfloat16 ? "bfloat16 pooling" : "int8 pooling";
  all->is_bfloat16 = is_bfloat16;
  all->pads_with_zeros = pads_with_zeros;
  all->space = make_space(source, target, window);
  all->images = source->sizes[0];
  all->pixel_size = kernels_quantized_pixel_size(source->sizes[1], is_bfloat16);
  const int64_t *targets = all->space.targets;
  const int64_t covered = (all->space.window[2] - 1) * all->space.dilation[2] + 1;
  if (covered <= MAX_POOLED / CHANNELS) {
    all->bytes_at_once = smaller(all->pixel_size, MAX_POOLED / covered / CHANNELS * CHANNELS);
    all->outputs_at_once =
        1 + (MAX_POOLED / all->bytes_at_once - covered) / all->space.strides[2];
  }
  primitive_set_bytes(
      &all->primitive, kernels_role_quantized_target,
      all->images * targets[0] * targets[1] * targets[2] * all->pixel_size);
  return &all->primitive;
}
