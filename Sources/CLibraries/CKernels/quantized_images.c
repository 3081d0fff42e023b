#include "quantized.h"

#include <stdlib.h>

#include "threads.h"

// Images of integers and of bfloat16: how they are made of numbers, and their pooling.

/// So many pixels are done in one go by a thread.
enum { PIXELS_AT_ONCE = 1 << 10 };

struct quantizing {
  kernels_primitive primitive;
  int64_t pixels, channels, lane;
  struct rounding rounding;
};

struct image_work {
  const kernels_primitive *primitive;
  const struct call *call;
};

/// Numbers one behind the other become integers or bfloat16 likewise.
INLINE void round_run_body(
    const float *source, int64_t count, const struct rounding *rounding, uint8_t *target) {
  int64_t done = 0;
  numbers value;
  if (rounding->is_bfloat16) {
    sixteen_halves halves;
    for (; done + CHANNELS <= count; done += CHANNELS) {
      memcpy(&value, source + done, sizeof value);
      halves = round_to_halves(value);
      memcpy(target + 2 * done, &halves, sizeof halves);
    }
    value = 0;
    memcpy(&value, source + done, (size_t)(count - done) * sizeof *source);
    halves = round_to_halves(value);
    memcpy(target + 2 * done, &halves, (size_t)(count - done) * 2);
    return;
  }
  sixteen_octets rounded;
  for (; done + CHANNELS <= count; done += CHANNELS) {
    memcpy(&value, source + done, sizeof value);
    rounded = round_numbers(value, rounding);
    memcpy(target + done, &rounded, sizeof rounded);
  }
  value = 0;
  memcpy(&value, source + done, (size_t)(count - done) * sizeof *source);
  rounded = round_numbers(value, rounding);
  memcpy(target + done, &rounded, (size_t)(count - done));
}
VARIANTS(
    round_run, (const float *source, int64_t count, const struct rounding *rounding, uint8_t *target),
    (source, count, rounding, target))

/// Gives pixels of few channels, so many bytes one behind the other, room for more. As many bytes as a pixel gets
/// may be read behind the last.
static void spread_pixels(
    const uint8_t *source, int64_t bytes, uint8_t *target, int64_t lane, int64_t count) {
  uint64_t pixel = 0;
  if (lane > (int64_t)sizeof pixel) {
    memset(target, 0, (size_t)(count * lane));
    for (int64_t number = 0; number < count; number++) {
      memcpy(target + number * lane, source + number * bytes, (size_t)bytes);
    }
    return;
  }
  // The channels of pictures, without what is behind them and belongs to the next pixel.
  const uint64_t own = UINT64_MAX >> (64 - 8 * bytes);
  for (int64_t number = 0; number < count; number++) {
    if (lane == WORD) {
      memcpy(&pixel, source + number * bytes, WORD);
    } else {
      memcpy(&pixel, source + number * bytes, sizeof pixel);
    }
    pixel &= own;
    if (lane == WORD) {
      memcpy(target + number * WORD, &pixel, WORD);
    } else {
      memcpy(target + number * (int64_t)sizeof pixel, &pixel, sizeof pixel);
    }
  }
}

/// Pixels of few channels: all numbers first, which then get room.
static void quantize_pixels(void *context, int index) {
  const struct image_work *work = context;
  const struct quantizing *all = (const struct quantizing *)work->primitive;
  const int64_t first = (int64_t)index * PIXELS_AT_ONCE;
  const int64_t count = smaller(PIXELS_AT_ONCE, all->pixels - first);
  const int64_t channels = all->channels, lane = all->lane;
  const int64_t size = element_size(all->rounding.is_bfloat16);
  const float *source = work->call->arguments[kernels_role_source] + first * channels;
  uint8_t *target = (uint8_t *)work->call->arguments[kernels_role_quantized_target] + first * lane;
  const int64_t bytes = channels * size;
  if (bytes == lane) {
    round_run(source, count * channels, &all->rounding, target);
  } else if (channels < CHANNELS) {
    uint8_t rounded[PIXELS_AT_ONCE * CHANNELS * 2 + sizeof(uint64_t)];
    round_run(source, count * channels, &all->rounding, rounded);
    memset(rounded + count * bytes, 0, sizeof(uint64_t));
    spread_pixels(rounded, bytes, target, lane, count);
  } else {
    for (int64_t pixel = 0; pixel < count; pixel++) {
      round_run(source + pixel * channels, channels, &all->rounding, target + pixel * lane);
      memset(target + pixel * lane + bytes, 0, (size_t)(lane - bytes));
    }
  }
}

static void run_quantizing(const kernels_primitive *primitive, const struct call *call) {
  const struct quantizing *all = (const struct quantizing *)primitive;
  struct image_work work = {primitive, call};
  kernels_parallel((int)ceiling(all->pixels, PIXELS_AT_ONCE), quantize_pixels, &work);
}

/// Says how large an image is.
static void set_image(
    kernels_primitive *primitive, enum kernels_role role, int64_t pixels, int64_t lane) {
  const int64_t count = ceiling(pixels * lane, sizeof(float));
  const struct kernels_layout layout = layout_row_major(1, &count);
  primitive_set(primitive, role, &layout);
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
  all->lane = kernels_quantized_lane(all->channels, quantization.is_bfloat16);
  all->rounding = make_rounding(quantization);
  set_image(&all->primitive, kernels_role_quantized_target, all->pixels, all->lane);
  return &all->primitive;
}

// --- Pooling.

struct quantized_pooling {
  kernels_primitive primitive;
  struct space space;
  int64_t images, lane;
  bool is_bfloat16;
};

/// The larger of bfloat16; NaN if one is.
INLINE sixteen_halves larger_halves(sixteen_halves left, sixteen_halves right) {
  const numbers first = widen_halves(left), second = widen_halves(right);
  const sixteen_halves takes_second =
      __builtin_convertvector(second > first || second != second, sixteen_halves);
  return (right & takes_second) | (left & ~takes_second);
}

/// The largest of what the window sees of the input, at one place.
INLINE void pool_place(
    const struct quantized_pooling *all, const uint8_t *image, const int64_t place[3],
    uint8_t *target, const bool is_bfloat16) {
  const struct space *space = &all->space;
  int64_t first[3], end[3];
  for (int axis = 0; axis < 3; axis++) {
    const int64_t start = place[axis] * space->strides[axis] - space->before[axis];
    const int64_t step = space->dilation[axis];
    first[axis] = start < 0 ? start + ceiling(-start, step) * step : start;
    end[axis] = smaller(space->sizes[axis], start + (space->window[axis] - 1) * step + 1);
  }
  const int64_t step = CHANNELS * element_size(is_bfloat16);
  const size_t width = (size_t)smaller(step, all->lane);
  for (int64_t start = 0; start < all->lane; start += step) {
    sixteen_octets largest = 0, other = 0;
    // Below all numbers: the bits of -infinity.
    sixteen_halves largest_halves = 0xFF80, other_halves = 0;
    for (int64_t z = first[0]; z < end[0]; z += space->dilation[0]) {
      for (int64_t y = first[1]; y < end[1]; y += space->dilation[1]) {
        for (int64_t x = first[2]; x < end[2]; x += space->dilation[2]) {
          const int64_t pixel = (z * space->sizes[1] + y) * space->sizes[2] + x;
          const uint8_t *source = image + pixel * all->lane + start;
          void *const value = is_bfloat16 ? (void *)&other_halves : (void *)&other;
          if (width == (size_t)step) {
            memcpy(value, source, (size_t)step);
          } else {
            memcpy(value, source, width);
          }
          if (is_bfloat16) {
            largest_halves = larger_halves(largest_halves, other_halves);
          } else {
            largest = other > largest ? other : largest;
          }
        }
      }
    }
    memcpy(target + start, is_bfloat16 ? (void *)&largest_halves : (void *)&largest, width);
  }
}

INLINE void pool_row_body(void *context, int row) {
  const struct image_work *work = context;
  const struct quantized_pooling *all = (const struct quantized_pooling *)work->primitive;
  const struct space *space = &all->space;
  const int64_t rows = space->targets[0] * space->targets[1];
  const int64_t pixels = space->sizes[0] * space->sizes[1] * space->sizes[2];
  const uint8_t *image = (const uint8_t *)work->call->arguments[kernels_role_source]
      + row / rows * pixels * all->lane;
  uint8_t *target = (uint8_t *)work->call->arguments[kernels_role_quantized_target]
      + row * space->targets[2] * all->lane;
  for (int64_t x = 0; x < space->targets[2]; x++) {
    const int64_t place[] = {row % rows / space->targets[1], row % rows % space->targets[1], x};
    if (all->is_bfloat16) {
      pool_place(all, image, place, target + x * all->lane, true);
    } else {
      pool_place(all, image, place, target + x * all->lane, false);
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
    bool is_bfloat16) {
  struct quantized_pooling *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive.run = run_pooling;
  all->primitive.name = is_bfloat16 ? "bfloat16 pooling" : "int8 pooling";
  all->is_bfloat16 = is_bfloat16;
  all->space = make_space(source, target, window, 2);
  all->images = source->sizes[0];
  all->lane = kernels_quantized_lane(source->sizes[1], is_bfloat16);
  const int64_t *targets = all->space.targets;
  set_image(
      &all->primitive, kernels_role_quantized_target,
      all->images * targets[0] * targets[1] * targets[2], all->lane);
  return &all->primitive;
}
