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
  /// How many outputs of a row, and how many bytes of each, are pooled in one go; 0 when the window is so wide that
  /// each is pooled by itself.
  int64_t outputs_at_once, bytes_at_once;
};

/// The larger of bfloat16; NaN if one is.
INLINE sixteen_halves larger_halves(sixteen_halves left, sixteen_halves right) {
  const numbers first = widen_halves(left), second = widen_halves(right);
  const sixteen_halves takes_second =
      __builtin_convertvector(second > first || second != second, sixteen_halves);
  return (right & takes_second) | (left & ~takes_second);
}

/// Replaces integers or bfloat16 by others where these are larger.
INLINE void take_larger(
    uint8_t *target, const uint8_t *source, int64_t bytes, const bool is_bfloat16) {
  if (!is_bfloat16) {
    for (int64_t place = 0; place < bytes; place++) {
      target[place] = source[place] > target[place] ? source[place] : target[place];
    }
    return;
  }
  sixteen_halves own = 0, other = 0;
  for (int64_t done = 0; done < bytes; done += (int64_t)sizeof own) {
    const size_t count = (size_t)smaller(bytes - done, sizeof own);
    if (count == sizeof own) {
      memcpy(&own, target + done, sizeof own);
      memcpy(&other, source + done, sizeof own);
      own = larger_halves(own, other);
      memcpy(target + done, &own, sizeof own);
    } else {
      memcpy(&own, target + done, count);
      memcpy(&other, source + done, count);
      own = larger_halves(own, other);
      memcpy(target + done, &own, count);
    }
  }
}

/// What is below all integers or bfloat16, or the smallest of them.
INLINE void set_lowest(uint8_t *target, int64_t bytes, const bool is_bfloat16) {
  // The bits of -infinity, the lower ones first.
  for (int64_t place = 0; place < bytes; place++) {
    target[place] = is_bfloat16 ? (place % 2 ? 0xFF : 0x80) : 0;
  }
}

/// The places along an axis that an output sees inside of the input: the first, and the one behind the last.
INLINE void find_seen(
    const struct space *space, int axis, int64_t output, int64_t *first, int64_t *end) {
  const int64_t start = output * space->strides[axis] - space->before[axis];
  const int64_t step = space->dilation[axis];
  *first = start < 0 ? start + ceiling(-start, step) * step : start;
  *end = smaller(space->sizes[axis], start + (space->window[axis] - 1) * step + 1);
}

/// So many bytes of an input's row are pooled along the other axes at once, and then along the row.
enum { MOST_POOLED = 1 << 13 };

/// Pools for outputs side by side, `first` to before `end`, and some bytes of their pixels.
INLINE void pool_span(
    const struct quantized_pooling *all, const uint8_t *image, int64_t row, int64_t first,
    int64_t end, int64_t start, int64_t width, uint8_t *target, const bool is_bfloat16) {
  const struct space *space = &all->space;
  const int64_t lane = all->lane;
  int64_t first_z, end_z, first_y, end_y, next, behind;
  find_seen(space, 0, row / space->targets[1], &first_z, &end_z);
  find_seen(space, 1, row % space->targets[1], &first_y, &end_y);
  // What all outputs see, from the first place in the window.
  const int64_t first_x = larger(0, first * space->strides[2] - space->before[2]);
  find_seen(space, 2, end - 1, &next, &behind);
  const int64_t columns = larger(0, behind - first_x);
  uint8_t largest[MOST_POOLED];
  set_lowest(largest, columns * width, is_bfloat16);
  for (int64_t z = first_z; z < end_z; z += space->dilation[0]) {
    for (int64_t y = first_y; y < end_y; y += space->dilation[1]) {
      const uint8_t *from = image + ((z * space->sizes[1] + y) * space->sizes[2] + first_x) * lane;
      // Whole pixels lie one behind the other.
      const int64_t pieces = width == lane ? 1 : columns;
      const int64_t bytes = width == lane ? columns * lane : width;
      for (int64_t piece = 0; piece < pieces; piece++) {
        take_larger(
            largest + piece * width, from + piece * lane + start, bytes, is_bfloat16);
      }
    }
  }
  for (int64_t x = first; x < end; x++) {
    uint8_t *own = target + x * lane + start;
    set_lowest(own, width, is_bfloat16);
    find_seen(space, 2, x, &next, &behind);
    for (; next < behind; next += space->dilation[2]) {
      take_larger(own, largest + (next - first_x) * width, width, is_bfloat16);
    }
  }
}

/// Pools for one output.
INLINE void pool_output(
    const struct quantized_pooling *all, const uint8_t *image, int64_t row, int64_t x,
    uint8_t *target, const bool is_bfloat16) {
  const struct space *space = &all->space;
  const int64_t outputs[] = {row / space->targets[1], row % space->targets[1], x};
  int64_t first[3], end[3];
  for (int axis = 0; axis < 3; axis++) find_seen(space, axis, outputs[axis], &first[axis], &end[axis]);
  set_lowest(target, all->lane, is_bfloat16);
  for (int64_t z = first[0]; z < end[0]; z += space->dilation[0]) {
    for (int64_t y = first[1]; y < end[1]; y += space->dilation[1]) {
      for (int64_t next = first[2]; next < end[2]; next += space->dilation[2]) {
        const int64_t pixel = (z * space->sizes[1] + y) * space->sizes[2] + next;
        take_larger(target, image + pixel * all->lane, all->lane, is_bfloat16);
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
      + index / rows * pixels * all->lane;
  uint8_t *target = (uint8_t *)work->call->arguments[kernels_role_quantized_target]
      + index * space->targets[2] * all->lane;
  for (int64_t x = 0; x < space->targets[2] && all->outputs_at_once == 0; x++) {
    pool_output(all, image, row, x, target + x * all->lane, all->is_bfloat16);
  }
  for (int64_t x = 0, end; x < space->targets[2] && all->outputs_at_once > 0; x = end) {
    end = smaller(space->targets[2], x + all->outputs_at_once);
    for (int64_t start = 0; start < all->lane; start += all->bytes_at_once) {
      const int64_t width = smaller(all->bytes_at_once, all->lane - start);
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
  const int64_t seen = (all->space.window[2] - 1) * all->space.dilation[2] + 1;
  if (seen <= MOST_POOLED / CHANNELS) {
    all->bytes_at_once = smaller(all->lane, MOST_POOLED / seen / CHANNELS * CHANNELS);
    all->outputs_at_once =
        1 + (MOST_POOLED / all->bytes_at_once - seen) / all->space.strides[2];
  }
  set_image(
      &all->primitive, kernels_role_quantized_target,
      all->images * targets[0] * targets[1] * targets[2], all->lane);
  return &all->primitive;
}
