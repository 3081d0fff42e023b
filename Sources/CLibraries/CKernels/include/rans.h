#ifndef WEIGHBRIDGE_RANS_H
#define WEIGHBRIDGE_RANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Range asymmetric numeral systems (J. Duda, "Asymmetric numeral systems", arXiv:1311.2540) over
// bytes: 32-bit states of several interleaved lanes, renormalized by 16-bit words, frequencies that
// sum up to 4,096. Schemas/wbm.md has the layout to the bit.

enum { RANS_SLOTS = 4096, RANS_MAXIMUM_LANES = 32 };

/// Fills the table of slots: the symbol in bits 0 to 7, its frequency minus 1 in bits 8 to 19, the
/// slot's distance from the symbol's first in bits 20 to 31.
///
/// - frequencies: 256 numbers.
/// Returns whether they sum up to RANS_SLOTS; the table is complete only then.
bool rans_make_slots(const uint16_t *frequencies, uint32_t *slots);

/// Encodes symbols.
///
/// - lanes: A power of 2 up to RANS_MAXIMUM_LANES; symbol i belongs to lane i mod lanes.
/// - bytes: Has room for 4 * lanes + 2 * count bytes.
/// Returns how many bytes were written. Every symbol must have a frequency other than 0.
size_t rans_encode(const uint8_t *symbols, size_t count, const uint16_t *frequencies,
                   unsigned lanes, uint8_t *bytes);

/// Decodes symbols; never reads outside of the bytes, whatever they hold.
///
/// Returns whether the bytes are just what an encoder writes for so many symbols.
bool rans_decode(const uint8_t *bytes, size_t byte_count, const uint32_t *slots, unsigned lanes,
                 uint8_t *symbols, size_t count);

/// The digits of integers behind an entropy coder.
struct rans_digits {
  /// The symbol of the integers from 0 to 2^low_bits - 1, and that of an integer that stands in the
  /// list of escapes.
  int zero, escape;
  /// How many low bits of each integer stand in a list of their own, 0 to 16, and the list.
  int low_bits;
  const uint8_t *low;
  size_t low_byte_count;
  /// Integers of 4 bytes, and how many.
  const uint8_t *escapes;
  size_t escape_count;
  /// Escapes are at most so large in magnitude.
  uint32_t largest;
};

/// Puts integers together. Returns whether all escapes were used, and none is too large.
bool rans_integers(const uint8_t *symbols, size_t count, const struct rans_digits *digits,
                   int32_t *integers);

/// Multiplies integers by a step, in single precision.
void rans_scale(const int32_t *integers, size_t count, float step, float *numbers);

/// Makes integers k the multiples of a step that they stand for by dependent quantization, 2k or 2k less the
/// sign of k, as their columns' states say, and leads these on.
///
/// - elements: A row of int32 below 2^30 in magnitude.
/// - states: One for each, 0 to 7.
/// - step: By which the multiples are multiplied, to become float; NULL for int32.
void rans_follow(uint8_t *elements, size_t count, uint32_t *states, const float *step);

/// Joins planes of `count` bytes, one behind the other, the most significant first, to little-endian elements of 1, 2, 4 or 8
/// bytes, each then rotated to the right by one bit if that is asked for. (The exponent of a
/// floating-point number stands in whole planes when its sign is behind the mantissa.)
void rans_join_planes(const uint8_t *planes, size_t count, int width, bool rotated,
                      uint8_t *elements);

/// Splits elements into planes; the inverse of rans_join_planes.
void rans_split_planes(const uint8_t *elements, size_t count, int width, bool rotated,
                       uint8_t *planes);

#endif
