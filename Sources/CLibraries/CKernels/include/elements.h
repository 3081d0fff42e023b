#ifndef WEIGHBRIDGE_ELEMENTS_H
#define WEIGHBRIDGE_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decoding of encoded tensor elements, after entropy decoding or without it: packed integers, scales, lookup
// tables, dependent quantization, byte planes, 16-bit floats. Schemas/wbm.md, "Encodings", has the layouts.

/// Contiguous integers of `bits` bits each, packed from the lowest bit on.
struct elements_packed {
  const uint8_t *bytes;
  size_t byte_count;
  /// 1 to 16.
  int bits;
  /// Whether they are two's complement.
  bool is_signed;
};

/// Unpacks some of the integers; the bytes must hold all of them.
///
/// - first: The index of the first one, divisible by 8.
void elements_unpack(const struct elements_packed *packed, size_t first, size_t count, int32_t *values);

/// Contiguous elements of a matrix row that is divided into blocks.
struct elements_row {
  /// How many there are, and the column of the first.
  size_t count, column;
  /// The number of columns in a block.
  size_t block_width;
};

/// The parameters of a row's blocks, from the block with column 0 on: 4-byte values, not necessarily aligned.
struct elements_scales {
  const uint8_t *scales;
  /// int32; NULL for 0.
  const uint8_t *zero_points;
  /// NULL where nothing is added.
  const uint8_t *offsets;
};

/// (integer - zero point) * scale + offset, each step in single precision.
void elements_scale(const int32_t *integers, const struct elements_row *row,
                    const struct elements_scales *scales, float *values);

/// Looks up each index in the table of its block.
///
/// - tables: One table of 2^bits floats for each of the row's blocks, not necessarily aligned.
/// - indices: Indices from 0 to 2^bits - 1.
void elements_look_up(const int32_t *indices, const struct elements_row *row, const uint8_t *tables,
                      int bits, float *values);

/// Entropy-decoded integers: the coded symbols are the high digits.
struct elements_digits {
  /// The symbol of the integers from 0 to 2^bits - 1, and the symbol of an integer that is in the list of
  /// escapes.
  int zero, escape;
  /// The low bits of each integer; 0 bits for none.
  struct elements_packed low;
  /// The escapes that have not been consumed yet, 4-byte integers, and how many there are.
  const uint8_t *escapes;
  size_t escape_count;
  /// The largest permitted magnitude of an escape.
  uint32_t largest;
};

/// Reassembles integers from symbols and low bits, and consumes their escapes from the list.
///
/// - first: The index of the first symbol among the low bits, divisible by 8.
/// Returns whether there were enough escapes, none of them too large.
bool elements_integers(const uint8_t *symbols, size_t first, size_t count, struct elements_digits *digits,
                       int32_t *integers);

/// Replaces integers k by the multiples of the step that they represent in dependent quantization, 2k or 2k -
/// sign(k) depending on the state of their column, and advances the states.
///
/// - elements: A row of int32 below 2^30 in magnitude.
/// - states: One for each element, 0 to 7.
/// - step: Multiplied with the multiples, which become float; NULL to keep them as int32.
void elements_follow(uint8_t *elements, size_t count, uint32_t *states, const float *step);

/// Converts 16-bit floats to float32, preserving the bits of NaN.
///
/// - is_binary16: Whether they are IEEE 754 binary16; otherwise they are bfloat16.
void elements_widen(const uint8_t *halves, size_t count, bool is_binary16, float *values);

/// Interleaves byte planes of `count` bytes, the most significant first, into little-endian elements of 1, 2,
/// 4 or 8 bytes. If `rotated`, each element is then rotated right by one bit. (The exponent of a float fills
/// a whole byte plane when the sign is stored after the mantissa.)
void elements_join(const uint8_t *const *planes, size_t count, int width, bool rotated, uint8_t *elements);

/// Splits elements into consecutive byte planes; the inverse of elements_join.
void elements_split(const uint8_t *elements, size_t count, int width, bool rotated, uint8_t *planes);

#endif
