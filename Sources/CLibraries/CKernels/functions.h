#pragma once

#include <stdint.h>
#include <string.h>

#include "processor.h"

// Elementary functions in float32 arithmetic without branches, so that loops over them run in vector
// registers. NaN stays NaN.

INLINE float from_bits(int32_t bits) {
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

INLINE int32_t to_bits(float value) {
  int32_t result;
  memcpy(&result, &value, sizeof result);
  return result;
}

/// e^x within 3 ulp: 2^n e^r with n = x / ln 2, rounded, and |r| at most ln 2 / 2, where the Taylor series
/// converges quickly.
INLINE float exponential(float x) {
  // Beyond these, the result is 0 or infinite.
  x = x > 89 ? 89 : x;
  x = x < -104 ? -104 : x;
  // Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
  const float rounding = 12582912;
  const float shifted = x * 1.44269504f + rounding, whole = shifted - rounding;
  // ln 2 in two parts, the first with so few bits that its product is exact.
  const float rest = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  float power = 1.0f / 5040;
  power = power * rest + 1.0f / 720;
  power = power * rest + 1.0f / 120;
  power = power * rest + 1.0f / 24;
  power = power * rest + 1.0f / 6;
  power = power * rest + 0.5f;
  power = power * rest + 1;
  power = power * rest + 1;
  // 2^n as the product of two factors, neither of which overflows or underflows float32.
  const int32_t exponent = (int32_t)((uint32_t)to_bits(shifted) - (uint32_t)to_bits(rounding));
  const int32_t half = exponent >> 1;
  return power * from_bits((int32_t)((uint32_t)(half + 127) << 23))
      * from_bits((int32_t)((uint32_t)(exponent - half + 127) << 23));
}

/// log(1 + x) for 0 <= x <= 1, within 1e-7: 2 artanh(x / (2 + x)) as a series.
INLINE float logarithm_of_1_plus(float x) {
  const float ratio = x / (2 + x), square = ratio * ratio;
  float series = 1.0f / 15;
  series = series * square + 1.0f / 13;
  series = series * square + 1.0f / 11;
  series = series * square + 1.0f / 9;
  series = series * square + 1.0f / 7;
  series = series * square + 1.0f / 5;
  series = series * square + 1.0f / 3;
  series = series * square + 1;
  return 2 * ratio * series;
}

INLINE float magnitude(float x) { return x < 0 ? -x : x; }

INLINE float logistic(float x) { return 1 / (1 + exponential(-x)); }

INLINE float hyperbolic_tangent(float x) {
  const float power = exponential(-2 * magnitude(x)), result = (1 - power) / (1 + power);
  return x < 0 ? -result : result;
}

/// log(1 + e^x); the logarithm keeps NaN
INLINE float softplus(float x) {
  return (x > 0 ? x : 0) + logarithm_of_1_plus(exponential(-magnitude(x)));
}

/// The error function, within 5e-7.
///
/// Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 7.1.26.
INLINE float error_function(float x) {
  const float size = magnitude(x), t = 1 / (1 + 0.3275911f * size);
  float series = 1.061405429f;
  series = series * t - 1.453152027f;
  series = series * t + 1.421413741f;
  series = series * t - 0.284496736f;
  series = series * t + 0.254829592f;
  const float result = 1 - series * t * exponential(-size * size);
  return x < 0 ? -result : result;
}
