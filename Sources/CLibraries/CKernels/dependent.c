#include <math.h>
#include <string.h>

#include "matrix.h"
#include "processor.h"

// Dependent (trellis-coded) quantization: one of 8 states determines which of two quantizers is next, the
// even or the odd multiples of a step (0 belongs to both), and the parity of each integer determines the next
// state. The path of least error is found with the Viterbi algorithm. Schemas/wbm.md has the states.

typedef float vector8 __attribute__((ext_vector_type(8)));
typedef int32_t flags8 __attribute__((ext_vector_type(8)));

enum { OUTPUTS = KERNELS_DEPENDENT_OUTPUTS, KINDS = 4 };

/// Larger multiples are not exact in single precision.
static const float LARGEST = (1 << 24) - 8;

/// The nearest multiples for each of the four kinds (quantizer, parity), and their squared errors.
struct candidates {
  float multiples[KINDS][OUTPUTS], costs[KINDS][OUTPUTS];
};

INLINE float nearest(float value, float first) {
  return 4 * floorf((value - first) * 0.25f + 0.5f) + first;
}

INLINE void find(const float *scaled, int count, struct candidates *all) {
  for (int output = 0; output < count; output++) {
    const float value = scaled[output], size = fabsf(value);
    const float odd = copysignf(nearest(size, 1), value);
    const float even = size < 1.5f ? 0 : copysignf(nearest(size, 3), value);
    const float found[KINDS] = {nearest(value, 0), nearest(value, 2), even, odd};
    for (int kind = 0; kind < KINDS; kind++) {
      all->multiples[kind][output] = found[kind];
      all->costs[kind][output] = (value - found[kind]) * (value - found[kind]);
    }
  }
}

/// For each output, the kind on the path of least cost that starts in state 0.
INLINE void viterbi(const struct candidates *all, int count, uint8_t *kinds) {
  flags8 later[OUTPUTS];
  vector8 costs = {0, 1e30f, 1e30f, 1e30f, 1e30f, 1e30f, 1e30f, 1e30f};
  for (int output = 0; output < count; output++) {
    const float first = all->costs[0][output], second = all->costs[1][output],
                third = all->costs[2][output], fourth = all->costs[3][output];
    // State t is reached from t / 2 and from t / 2 + 4.
    const vector8 own = {first, second, third, fourth, second, first, fourth, third};
    const vector8 other = {second, first, fourth, third, first, second, third, fourth};
    const vector8 near = __builtin_shufflevector(costs, costs, 0, 0, 1, 1, 2, 2, 3, 3) + own;
    const vector8 far = __builtin_shufflevector(costs, costs, 4, 4, 5, 5, 6, 6, 7, 7) + other;
    later[output] = far < near;
    costs = later[output] ? far : near;
  }
  int state = 0;
  for (int other = 1; other < 8; other++) {
    if (costs[other] < costs[state]) state = other;
  }
  for (int output = count; output-- > 0;) {
    const int before = state / 2 + (later[output][state] ? 4 : 0);
    const int parity = (state ^ before >> 1 ^ before >> 2) & 1;
    kinds[output] = (uint8_t)(2 * (before & 1) + parity);
    state = before;
  }
}

INLINE double round_all(const struct kernels_rounding *all) {
  const int count = all->outputs;
  struct candidates candidates;
  float scaled[OUTPUTS];
  uint8_t kinds[OUTPUTS];
  double loss = 0;
  for (int position = all->positions; position-- > 0;) {
    const float *factors = all->factor ? all->factor + position * all->factor_stride : 0;
    const float own = all->factor ? factors[position] : 1, inverse = 1 / own;
    const ptrdiff_t offset = position * all->stride;
    const float *weights = all->weights + offset, *sums = all->sums + offset;
    float *errors = all->errors + offset;
    for (int output = 0; output < count; output++) {
      const float adjusted = (weights[output] + sums[output] * inverse) / all->steps[output];
      scaled[output] = fminf(fmaxf(adjusted, -LARGEST), LARGEST);
    }
    find(scaled, count, &candidates);
    viterbi(&candidates, count, kinds);
    for (int output = 0; output < count; output++) {
      const float multiple = candidates.multiples[kinds[output]][output];
      const float sign = kinds[output] < 2 || multiple == 0 ? 0 : copysignf(1, multiple);
      const float rest = (scaled[output] - multiple) * all->steps[output] * own;
      all->integers[offset + output] = (int32_t)((multiple + sign) * 0.5f);
      errors[output] = weights[output] - multiple * all->steps[output];
      loss += rest * rest;
    }
    for (int before = 0; all->factor && before < position; before++) {
      const float factor = factors[before];
      float *target = all->sums + before * all->stride;
      for (int output = 0; output < count; output++) target[output] += errors[output] * factor;
    }
  }
  return loss;
}

#if defined(__x86_64__)
TARGET_AVX2 static double round_avx2(const struct kernels_rounding *all) { return round_all(all); }
#endif

double kernels_round_dependent(const struct kernels_rounding *all) {
#if defined(__x86_64__)
  if (kernels_level() != PORTABLE) return round_avx2(all);
#endif
  return round_all(all);
}
