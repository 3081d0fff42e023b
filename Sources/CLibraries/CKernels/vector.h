#pragma once

#include <string.h>

#include "processor.h"

/// A block of channels.
typedef float vector __attribute__((ext_vector_type(16)));

INLINE vector load(const float *address) {
  vector result;
  memcpy(&result, address, sizeof result);
  return result;
}

INLINE void store(float *address, vector value) { memcpy(address, &value, sizeof value); }
