#include "pixels.h"

#include <string.h>

#include "processor.h"

typedef int32_t integers4 __attribute__((ext_vector_type(4)));
typedef uint8_t bytes4 __attribute__((ext_vector_type(4)));

enum { FRACTION_BITS = 22, HALF = 1 << (FRACTION_BITS - 1) };

INLINE integers4 load_pixel(const uint8_t *pixel, size_t size) {
  bytes4 bytes = 0;
  memcpy(&bytes, pixel, size);
  return __builtin_convertvector(bytes, integers4);
}

INLINE void filter_pixels3(const uint8_t *restrict row, size_t width, const struct pixels_window *windows,
                           size_t count, const int32_t *weights, uint8_t *restrict resized) {
  for (size_t x = 0; x < count; x++) {
    const struct pixels_window window = windows[x];
    const int32_t *weight = weights + window.first_weight, *end = weight + window.count;
    const uint8_t *pixel = row + 3 * window.first;
    // A pixel is read as 4 bytes, except for the last one of the row.
    const bool has_last = (size_t)(window.first + window.count) == width;
    integers4 sums = HALF;
    for (; weight < end - has_last; pixel += 3) sums += load_pixel(pixel, 4) * *weight++;
    if (has_last) sums += load_pixel(pixel, 3) * *weight;
    const integers4 rounded = sums >> FRACTION_BITS;
    const integers4 clamped =
        __builtin_elementwise_min(__builtin_elementwise_max(rounded, (integers4)0), (integers4)255);
    const bytes4 bytes = __builtin_convertvector(clamped, bytes4);
    memcpy(resized + 3 * x, &bytes, 3);
  }
}

/// The byte of a sum of weighted bytes.
INLINE uint8_t rounded(int32_t sum) {
  const int32_t value = sum >> FRACTION_BITS;
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

INLINE void filter_pixels1(const uint8_t *restrict row, const struct pixels_window *windows, size_t count,
                           const int32_t *weights, uint8_t *restrict resized) {
  for (size_t x = 0; x < count; x++) {
    const struct pixels_window window = windows[x];
    int32_t sum = HALF;
    for (intptr_t index = 0; index < window.count; index++)
      sum += row[window.first + index] * weights[window.first_weight + index];
    resized[x] = rounded(sum);
  }
}

INLINE void filter_row_body(const uint8_t *row, size_t width, int component_count,
                            const struct pixels_window *windows, size_t count, const int32_t *weights,
                            uint8_t *resized) {
  if (component_count == 3)
    filter_pixels3(row, width, windows, count, weights, resized);
  else
    filter_pixels1(row, windows, count, weights, resized);
}

VARIANTS(filter_row,
         (const uint8_t *row, size_t width, int component_count, const struct pixels_window *windows,
          size_t count, const int32_t *weights, uint8_t *resized),
         (row, width, component_count, windows, count, weights, resized))

void pixels_filter_row(const uint8_t *row, size_t width, int component_count,
                       const struct pixels_window *windows, size_t count, const int32_t *weights,
                       uint8_t *resized) {
  filter_row(row, width, component_count, windows, count, weights, resized);
}

INLINE void filter_column_body(const uint8_t *restrict rows, size_t row_count, size_t count,
                               const int32_t *restrict weights, uint8_t *restrict resized) {
  enum { BLOCK = 64 };
  for (size_t start = 0; start < count; start += BLOCK) {
    int32_t sums[BLOCK];
    const size_t width = count - start < BLOCK ? count - start : BLOCK;
    for (size_t x = 0; x < width; x++) sums[x] = HALF;
    for (size_t row = 0; row < row_count; row++)
      for (size_t x = 0; x < width; x++) sums[x] += rows[row * count + start + x] * weights[row];
    for (size_t x = 0; x < width; x++) resized[start + x] = rounded(sums[x]);
  }
}

VARIANTS(filter_column,
         (const uint8_t *rows, size_t row_count, size_t count, const int32_t *weights, uint8_t *resized),
         (rows, row_count, count, weights, resized))

void pixels_filter_column(const uint8_t *rows, size_t row_count, size_t count, const int32_t *weights,
                          uint8_t *resized) {
  filter_column(rows, row_count, count, weights, resized);
}

INLINE void interpolate(const uint8_t *restrict row, int component_count, const struct pixels_pair *pairs,
                        size_t count, const intptr_t *order, const float *values,
                        float *restrict interpolated) {
#pragma clang fp contract(off)  // each product is rounded by itself, as in the originals
  for (size_t x = 0; x < count; x++) {
    const struct pixels_pair pair = pairs[x];
    const uint8_t *first = row + pair.first * component_count;
    const uint8_t *second = row + pair.second * component_count;
    for (int component = 0; component < component_count; component++) {
      const float *table = values + 256 * component;
      const float left = table[first[order[component]]], right = table[second[order[component]]];
      *interpolated++ = pair.first_weight * left + pair.second_weight * right;
    }
  }
}

void pixels_interpolate_row(const uint8_t *row, int component_count, const struct pixels_pair *pairs,
                            size_t count, const intptr_t *order, const float *values,
                            float *interpolated) {
  if (component_count == 3)
    interpolate(row, 3, pairs, count, order, values, interpolated);
  else
    interpolate(row, 1, pairs, count, order, values, interpolated);
}

void pixels_interpolate_column(const float *restrict upper, float upper_weight, const float *restrict lower,
                               float lower_weight, size_t step, size_t count, float *restrict interpolated) {
#pragma clang fp contract(off)
  if (step == 1)
    for (size_t index = 0; index < count; index++)
      interpolated[index] = upper_weight * upper[index] + lower_weight * lower[index];
  else
    for (size_t index = 0; index < count; index++)
      interpolated[index] = upper_weight * upper[index * step] + lower_weight * lower[index * step];
}
