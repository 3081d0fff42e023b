#ifndef WEIGHBRIDGE_ELEMENTS_H
#define WEIGHBRIDGE_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The elements of encoded tensors behind their entropy coder, or without one: packed integers, scales, tables,
// dependent quantization, planes of bytes, halves. Schemas/wbm.md, "Encodings", has the layouts.

/// Numbers of `bits` bits one behind the other, the lowest bit of each first.
struct elements_packed {
  const uint8_t *bytes;
  size_t byte_count;
  /// 1 to 16.
  int bits;
  /// Whether they are in two's complement.
  bool is_signed;
};

/// Unpacks some of the numbers, which the bytes must hold.
///
/// - first: The position of the first one, divisible by 8.
void elements_unpack(const struct elements_packed *packed, size_t first, size_t count, int32_t *numbers);

/// Neighbouring elements of a matrix's row that is divided into blocks.
struct elements_row {
  /// How many, and the column of the first.
  size_t count, column;
  /// The columns of each block.
  size_t block_width;
};

/// What the blocks of a row have, from the block with column 0 on: numbers of 4 bytes, wherever they stand.
struct elements_scales {
  const uint8_t *scales;
  /// int32; NULL for 0.
  const uint8_t *zero_points;
  /// NULL where nothing is added.
  const uint8_t *offsets;
};

/// (integer - zero point) * scale + offset, each step in single precision.
void elements_scale(const int32_t *integers, const struct elements_row *row,
                    const struct elements_scales *scales, float *numbers);

/// The numbers at positions in the tables of their blocks.
///
/// - tables: Those of the row's blocks, 2^bits float each, wherever they stand.
/// - positions: From 0 to 2^bits - 1.
void elements_look_up(const int32_t *positions, const struct elements_row *row, const uint8_t *tables,
                      int bits, float *numbers);

/// The digits of integers behind an entropy coder.
struct elements_digits {
  /// The symbol of the integers from 0 to 2^bits - 1, and that of an integer that stands in the list of
  /// escapes.
  int zero, escape;
  /// The low bits of each integer; 0 bits for none.
  struct elements_packed low;
  /// Integers of 4 bytes that were not taken yet, and how many.
  const uint8_t *escapes;
  size_t escape_count;
  /// Escapes are at most so large in magnitude.
  uint32_t largest;
};

/// Puts integers together, and takes their escapes off the list.
///
/// - first: The position of the first symbol among those of the low bits, divisible by 8.
/// Returns whether there were as many escapes as it took, and none is too large.
bool elements_integers(const uint8_t *symbols, size_t first, size_t count, struct elements_digits *digits,
                       int32_t *integers);

/// Makes integers k the multiples of a step that they stand for by dependent quantization, 2k or 2k less the
/// sign of k, as their columns' states say, and leads these on.
///
/// - elements: A row of int32 below 2^30 in magnitude.
/// - states: One for each, 0 to 7.
/// - step: By which the multiples are multiplied, to become float; NULL for int32.
void elements_follow(uint8_t *elements, size_t count, uint32_t *states, const float *step);

/// Makes numbers of 16 bits float32; the bits of NaN stay.
///
/// - is_binary16: Whether they are IEEE 754 binary16; otherwise upper halves of float32.
void elements_widen(const uint8_t *halves, size_t count, bool is_binary16, float *numbers);

/// Joins planes of `count` bytes, the most significant first, to little-endian elements of 1, 2, 4 or 8 bytes,
/// each then rotated to the right by one bit if that is asked for. (The exponent of a floating-point number
/// stands in whole planes when its sign is behind the mantissa.)
void elements_join(const uint8_t *const *planes, size_t count, int width, bool rotated, uint8_t *elements);

/// Splits elements into planes one behind the other; the inverse of elements_join.
void elements_split(const uint8_t *elements, size_t count, int width, bool rotated, uint8_t *planes);

#endif
