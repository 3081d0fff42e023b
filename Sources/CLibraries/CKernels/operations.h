#pragma once

#include <math.h>

#include "primitives.h"
#include "vector.h"

// What happens to the sums of a convolution before they are stored.

/// The maximum number of functions after the rectifier.
enum { MAX_FUNCTIONS = 4 };

/// A ReLU, leaky ReLU or clipped ReLU: the factor of negative values, 1 for none, and the upper limit.
struct rectifier {
  float slope, limit;
};

struct operations {
  /// Whether the target is added before or after the rectifier.
  bool adds_first, adds_last;
  struct rectifier rectifier;
  int function_count;
  struct kernels_post_operation functions[MAX_FUNCTIONS];
};

/// Sets the post-operations; returns false when they are not supported.
bool set_operations(struct operations *all, struct kernels_post_operations post);

/// Applies the functions to blocks of 16 channels, of which `valid` are not padding.
void apply_functions(
    const struct operations *all, float *elements, int64_t count, int64_t valid);

/// Applies a rectifier. NaN stays NaN, and with a slope of 0 the result for -infinity is 0.
INLINE vector rectify(vector value, struct rectifier rectifier) {
  if (rectifier.slope == 0) {
    value = value < 0 ? 0 : value;
  } else if (rectifier.slope != 1) {
    value = value < 0 ? value * rectifier.slope : value;
  }
  if (rectifier.limit < INFINITY) value = value > rectifier.limit ? rectifier.limit : value;
  return value;
}

/// Applies everything but the functions, and stores the result.
///
/// @param all The caller's copy, so that the compiler knows that stores do not change it.
INLINE void finish(vector value, float *target, const struct operations *all) {
  if (all->adds_first) value += load(target);
  value = rectify(value, all->rectifier);
  if (all->adds_last) value += load(target);
  store(target, value);
}

/// The same for `count` vectors, a compile-time constant, whose targets are `step` floats apart. What is asked once is
/// not asked for each vector, which would cost a small convolution a fifth of its time.
INLINE void finish_all(
    const vector *values, const int count, float *target, ptrdiff_t step, const struct operations *all) {
  if (all->adds_first || all->adds_last) {
#pragma clang loop unroll(full)
    for (int index = 0; index < count; index++) finish(values[index], target + index * step, all);
    return;
  }
  const struct rectifier rectifier = all->rectifier;
#pragma clang loop unroll(full)
  for (int index = 0; index < count; index++) {
    store(target + index * step, rectify(values[index], rectifier));
  }
}
