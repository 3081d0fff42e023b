#include <string.h>

#include "elements.h"
#include "processor.h"

// Assumes little-endian memory, as on every processor that Swift supports.

#define JOIN(type, width)                                                                      \
  INLINE void join##width(const uint8_t *const *all, size_t count, int rotation,               \
                          uint8_t *restrict elements) {                                        \
    const uint8_t *planes[width];                                                              \
    memcpy(planes, all, sizeof planes);                                                        \
    for (size_t index = 0; index < count; index++) {                                           \
      type element = 0;                                                                        \
      for (int plane = 0; plane < width; plane++)                                              \
        element |= (type)((type)planes[plane][index] << 8 * (width - 1 - plane));              \
      element = (type)(element >> rotation | (rotation ? element << (8 * width - 1) : 0));     \
      memcpy(elements + index * width, &element, width);                                       \
    }                                                                                          \
  }                                                                                            \
  INLINE void split##width(const uint8_t *elements, size_t count, int rotation,                \
                           uint8_t *planes) {                                                  \
    for (size_t index = 0; index < count; index++) {                                           \
      type element;                                                                            \
      memcpy(&element, elements + index * width, width);                                       \
      element = (type)(element << rotation | (rotation ? element >> (8 * width - 1) : 0));     \
      for (int plane = 0; plane < width; plane++)                                              \
        planes[plane * count + index] = (uint8_t)(element >> 8 * (width - 1 - plane));         \
    }                                                                                          \
  }

JOIN(uint8_t, 1)
JOIN(uint16_t, 2)
JOIN(uint32_t, 4)
JOIN(uint64_t, 8)

INLINE void join_body(
    const uint8_t *const *planes, size_t count, int width, bool rotated, uint8_t *elements) {
  switch (width) {
    case 1: join1(planes, count, 0, elements); break;
    case 2: rotated ? join2(planes, count, 1, elements) : join2(planes, count, 0, elements); break;
    case 4: rotated ? join4(planes, count, 1, elements) : join4(planes, count, 0, elements); break;
    case 8: rotated ? join8(planes, count, 1, elements) : join8(planes, count, 0, elements); break;
  }
}

VARIANTS(join, (const uint8_t *const *planes, size_t count, int width, bool rotated, uint8_t *elements),
         (planes, count, width, rotated, elements))

void elements_join(const uint8_t *const *planes, size_t count, int width, bool rotated, uint8_t *elements) {
  join(planes, count, width, rotated, elements);
}

void elements_split(const uint8_t *elements, size_t count, int width, bool rotated, uint8_t *planes) {
  switch (width) {
    case 1: split1(elements, count, 0, planes); break;
    case 2: split2(elements, count, rotated, planes); break;
    case 4: split4(elements, count, rotated, planes); break;
    case 8: split8(elements, count, rotated, planes); break;
  }
}

/// Converts binary16 to float32: a multiplication adjusts the exponent, which is exact, also for subnormals.
INLINE float widen_one(uint16_t half) {
  const uint32_t size = (uint32_t)(half & 0x7FFF) << 13, sign = (uint32_t)(half & 0x8000) << 16;
  float value;
  memcpy(&value, &size, 4);
  value *= 0x1p112f;
  uint32_t bits;
  memcpy(&bits, &value, 4);
  bits = size >= 0x0F800000 ? size | 0x7F800000 : bits;
  bits |= sign;
  memcpy(&value, &bits, 4);
  return value;
}

INLINE void widen_body(
    const uint8_t *restrict halves, size_t count, bool is_binary16, float *restrict values) {
  if (is_binary16) {
    for (size_t index = 0; index < count; index++) {
      uint16_t half;
      memcpy(&half, halves + 2 * index, 2);
      values[index] = widen_one(half);
    }
  } else {
    for (size_t index = 0; index < count; index++) {
      uint16_t half;
      memcpy(&half, halves + 2 * index, 2);
      const uint32_t bits = (uint32_t)half << 16;
      memcpy(values + index, &bits, 4);
    }
  }
}

VARIANTS(widen, (const uint8_t *halves, size_t count, bool is_binary16, float *values),
         (halves, count, is_binary16, values))

void elements_widen(const uint8_t *halves, size_t count, bool is_binary16, float *values) {
  widen(halves, count, is_binary16, values);
}
