#pragma once

#include <stdint.h>
#include <string.h>

#include "processor.h"

/// A block of channels.
typedef float vector __attribute__((ext_vector_type(16)));

INLINE vector load(const float *address) {
  vector result;
  memcpy(&result, address, sizeof result);
  return result;
}

/// The first half of a block.
typedef float half_vector __attribute__((ext_vector_type(8)));

INLINE half_vector load_half(const float *address) {
  half_vector result;
  memcpy(&result, address, sizeof result);
  return result;
}

/// A block whose second half is 0.
INLINE vector widened(half_vector half) {
  const half_vector zero = 0;
  return __builtin_shufflevector(half, zero, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

INLINE void store(float *address, vector value) { memcpy(address, &value, sizeof value); }

typedef int32_t lanes __attribute__((ext_vector_type(16)));

/// Sets the elements from `valid` on to 0.
INLINE vector keep_first(vector value, int64_t valid) {
  const lanes index = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return index < (int32_t)valid ? value : 0;
}
