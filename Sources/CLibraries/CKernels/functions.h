#pragma once

#include <math.h>
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

/// x as n ln 2 + rest, with |rest| at most ln 2 / 2.
struct reduced {
  float rest;
  int32_t n;
};

INLINE struct reduced reduced(float x) {
  // Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
  const float rounding = 12582912;
  const float shifted = x * 1.44269504f + rounding, whole = shifted - rounding;
  // ln 2 in two parts, the first with so few bits that its product is exact.
  const float rest = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  return (struct reduced){rest, (int32_t)((uint32_t)to_bits(shifted) - (uint32_t)to_bits(rounding))};
}

/// 2^n, for n from -126 to 127.
INLINE float power_of_2(int32_t n) { return from_bits((int32_t)((uint32_t)(n + 127) << 23)); }

/// e^x - 1 within 3 ulp, for a rest: the Taylor series converges quickly.
INLINE float series_of_rest(float rest) {
  float power = 1.0f / 5040;
  power = power * rest + 1.0f / 720;
  power = power * rest + 1.0f / 120;
  power = power * rest + 1.0f / 24;
  power = power * rest + 1.0f / 6;
  power = power * rest + 0.5f;
  power = power * rest + 1;
  return power * rest;
}

/// e^(x + small) within 3 ulp.
INLINE float exponential_of_sum(float x, float small) {
  // Beyond these, the result is 0 or infinite.
  x = x > 89 ? 89 : x;
  x = x < -104 ? -104 : x;
  const struct reduced own = reduced(x);
  const float power = series_of_rest(own.rest + small) + 1;
  // 2^n as the product of two factors, neither of which overflows or underflows float32.
  const int32_t half = own.n >> 1;
  return power * power_of_2(half) * power_of_2(own.n - half);
}

/// e^x within 3 ulp.
INLINE float exponential(float x) { return exponential_of_sum(x, 0); }

/// e^x - 1 for x <= 0, within 3 ulp also near 0, and with the sign of x where it is 0.
INLINE float exponential_minus_1(float x) {
  // Beyond this, the result is -1.
  const struct reduced own = reduced(x < -40 ? -40 : x);
  const float factor = power_of_2(own.n);
  return copysignf(factor * series_of_rest(own.rest) + (factor - 1), x);
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

/// 1 / (1 + e^-x), within 4 ulp also where it is nearly 0.
INLINE float logistic(float x) {
  const float power = exponential(-magnitude(x));
  return (x < 0 ? power : 1) / (1 + power);
}

/// Within 5 ulp also near 0.
INLINE float hyperbolic_tangent(float x) {
  const float power = exponential_minus_1(-2 * magnitude(x)), result = -power / (2 + power);
  return x < 0 ? -result : result;
}

/// log(1 + e^x); the logarithm keeps NaN
INLINE float softplus(float x) {
  return (x > 0 ? x : 0) + logarithm_of_1_plus(exponential(-magnitude(x)));
}

/// The probability that a number of the standard normal distribution is above x >= 0, within 8 ulp also
/// where it is nearly 0: e^(-x^2 / 2) t p(t) with t = 1 / (1 + 0.35 x) and a polynomial p that was fitted to
/// the smallest relative error.
INLINE float normal_tail(float x) {
  // Beyond this, the result is 0.
  x = x > 14.5f ? 14.5f : x;
  // The square of the upper half of the digits is exact.
  const float upper = from_bits(to_bits(x) & ~0xfff), lower = x - upper;
  const float power = exponential_of_sum(-0.5f * upper * upper, -0.5f * lower * (x + upper));
  const float t = 1 / (1 + 0.35f * x);
  float series = -0.0291578727f;
  series = series * t + 0.14403086f;
  series = series * t - 0.255838889f;
  series = series * t + 0.159319574f;
  series = series * t - 0.0232122759f;
  series = series * t + 0.105552472f;
  series = series * t + 0.119821295f;
  series = series * t + 0.139863515f;
  series = series * t + 0.139621307f;
  return power * t * series;
}

/// Within 4 ulp also near 0: the Taylor series there, else 1 - 2 times the tail beyond x sqrt(2).
INLINE float error_function(float x) {
  const float size = magnitude(x), square = size * size;
  float series = 1.0f / 9360;
  series = series * square - 1.0f / 1320;
  series = series * square + 1.0f / 216;
  series = series * square - 1.0f / 42;
  series = series * square + 1.0f / 10;
  series = series * square - 1.0f / 3;
  series = series * square + 1;
  const float far = 1 - 2 * normal_tail(size * 1.41421356f);
  return copysignf(size < 0.5f ? 1.12837917f * size * series : far, x);
}

/// x times the probability that a number of the standard normal distribution is below x.
INLINE float gaussian_error_linear(float x) {
  const float tail = normal_tail(magnitude(x));
  return x * (x < 0 ? tail : 1 - tail);
}
