#include <string.h>

#include "elements.h"
#include "processor.h"

// Assumes little-endian memory, as on every processor that Swift supports.

typedef int32_t integers8 __attribute__((ext_vector_type(8)));
typedef int32_t integers4 __attribute__((ext_vector_type(4)));
typedef uint64_t words4 __attribute__((ext_vector_type(4)));
typedef uint32_t words8 __attribute__((ext_vector_type(8)));

/// The maximum number of bytes that are read from the first of eight packed integers on.
enum { PACKED_READ = 16 };

/// Unpacks eight integers from PACKED_READ bytes.
INLINE integers8 unpack8(const uint8_t *bytes, int bits, bool is_signed) {
  uint64_t low, high;
  memcpy(&low, bytes, 8);
  memcpy(&high, bytes + bits / 2, 8);
  high >>= bits % 2 * 4;
  const words4 step = (uint64_t)bits, shifts = step * (words4){0, 1, 2, 3};
  const words4 mask = ((uint64_t)1 << bits) - 1;
  const integers4 first = __builtin_convertvector((words4)low >> shifts & mask, integers4);
  const integers4 last = __builtin_convertvector((words4)high >> shifts & mask, integers4);
  const integers8 all = __builtin_shufflevector(first, last, 0, 1, 2, 3, 4, 5, 6, 7);
  const int unused = 32 - bits;
  return is_signed ? (integers8)((words8)all << unused) >> unused : all;
}

INLINE void unpack_body(
    const struct elements_packed *packed, size_t first, size_t count, int32_t *values) {
  const int bits = packed->bits;
  const bool is_signed = packed->is_signed;
  size_t byte = first / 8 * (size_t)bits, index = 0;
  for (; index + 8 <= count && byte + PACKED_READ <= packed->byte_count; index += 8, byte += (size_t)bits) {
    const integers8 all = unpack8(packed->bytes + byte, bits, is_signed);
    memcpy(values + index, &all, sizeof all);
  }
  // Near the end, unpacks from a padded copy.
  for (; index < count; index += 8, byte += (size_t)bits) {
    const size_t left = packed->byte_count - byte;
    uint8_t end[PACKED_READ] = {0};
    memcpy(end, packed->bytes + byte, left < sizeof end ? left : sizeof end);
    const integers8 all = unpack8(end, bits, is_signed);
    memcpy(values + index, &all, (count - index < 8 ? count - index : 8) * sizeof *values);
  }
}

VARIANTS(unpack,
         (const struct elements_packed *packed, size_t first, size_t count, int32_t *values),
         (packed, first, count, values))

void elements_unpack(const struct elements_packed *packed, size_t first, size_t count, int32_t *values) {
  unpack(packed, first, count, values);
}

INLINE float load_float(const uint8_t *bytes, size_t index) {
  float value;
  memcpy(&value, bytes + 4 * index, 4);
  return value;
}

INLINE int32_t load_integer(const uint8_t *bytes, size_t index) {
  int32_t value;
  memcpy(&value, bytes + 4 * index, 4);
  return value;
}

/// Scales elements of one block, or with `step` 1 elements that each have a block of their own.
INLINE void scale_run(const int32_t *restrict integers, size_t count, const struct elements_scales *all,
                      size_t block, const size_t step, float *restrict values) {
#pragma clang fp contract(off)  // the sum is rounded by itself
  const uint8_t *zeros = all->zero_points ? all->zero_points + 4 * block : NULL;
  const uint8_t *scales = all->scales + 4 * block;
  if (zeros) {
    for (size_t index = 0; index < count; index++) {
      const uint32_t zero = (uint32_t)load_integer(zeros, step * index);
      values[index] = (float)(int32_t)((uint32_t)integers[index] - zero) * load_float(scales, step * index);
    }
  } else {
    for (size_t index = 0; index < count; index++)
      values[index] = (float)integers[index] * load_float(scales, step * index);
  }
  if (!all->offsets) return;
  const uint8_t *offsets = all->offsets + 4 * block;
  for (size_t index = 0; index < count; index++) values[index] += load_float(offsets, step * index);
}

/// The number of row elements left in the block that contains the one at `done`.
INLINE size_t run_length(const struct elements_row *row, size_t done) {
  const size_t left = row->count - done, rest = row->block_width - (row->column + done) % row->block_width;
  return left < rest ? left : rest;
}

INLINE void scale_row_body(const int32_t *integers, const struct elements_row *row,
                           const struct elements_scales *scales, float *values) {
  if (row->block_width == 1) return scale_run(integers, row->count, scales, row->column, 1, values);
  for (size_t done = 0, run; done < row->count; done += run) {
    run = run_length(row, done);
    scale_run(integers + done, run, scales, (row->column + done) / row->block_width, 0, values + done);
  }
}

VARIANTS(scale_row,
         (const int32_t *integers, const struct elements_row *row, const struct elements_scales *scales,
          float *values),
         (integers, row, scales, values))

void elements_scale(const int32_t *integers, const struct elements_row *row,
                    const struct elements_scales *scales, float *values) {
  scale_row(integers, row, scales, values);
}

void elements_look_up(const int32_t *indices, const struct elements_row *row, const uint8_t *tables,
                      int bits, float *values) {
  for (size_t done = 0, run; done < row->count; done += run) {
    run = run_length(row, done);
    const uint8_t *table = tables + ((row->column + done) / row->block_width << bits) * 4;
    for (size_t index = done; index < done + run; index++)
      values[index] = load_float(table, (size_t)indices[index]);
  }
}

INLINE void join_digits_body(const uint8_t *symbols, size_t first, size_t count,
                             const struct elements_digits *digits, int32_t *integers) {
  const int bits = digits->low.bits, zero = digits->zero;
  if (bits == 0) {
    for (size_t index = 0; index < count; index++) integers[index] = (int32_t)symbols[index] - zero;
    return;
  }
  unpack_body(&digits->low, first, count, integers);
  for (size_t index = 0; index < count; index++)
    integers[index] += ((int32_t)symbols[index] - zero) * (1 << bits);
}

VARIANTS(join_digits,
         (const uint8_t *symbols, size_t first, size_t count, const struct elements_digits *digits,
          int32_t *integers),
         (symbols, first, count, digits, integers))

bool elements_integers(const uint8_t *symbols, size_t first, size_t count, struct elements_digits *digits,
                       int32_t *integers) {
  join_digits(symbols, first, count, digits, integers);
  const uint8_t *end = symbols + count, *next = symbols;
  while (next < end && (next = memchr(next, digits->escape, (size_t)(end - next)))) {
    if (digits->escape_count == 0) return false;
    const int32_t escape = load_integer(digits->escapes, 0);
    if ((escape < 0 ? 0u - (uint32_t)escape : (uint32_t)escape) > digits->largest) return false;
    integers[next++ - symbols] = escape;
    digits->escapes += 4;
    digits->escape_count--;
  }
  return true;
}

/// The multiple that an integer represents; advances its state.
INLINE int32_t follow_one(const uint8_t *element, uint32_t *state) {
  const int32_t integer = load_integer(element, 0);
  const uint32_t now = *state, parity = (uint32_t)integer & 1;
  *state = (now << 1 | ((parity ^ now >> 1 ^ now >> 2) & 1)) & 7;
  const int32_t sign = (integer >> 31) | (int32_t)((uint32_t)-integer >> 31);
  return 2 * integer - (sign & -(int32_t)(now & 1));
}

INLINE void follow_body(
    uint8_t *restrict elements, size_t count, uint32_t *restrict states, const float *step) {
  if (step == NULL) {
    for (size_t index = 0; index < count; index++) {
      const int32_t multiple = follow_one(elements + 4 * index, states + index);
      memcpy(elements + 4 * index, &multiple, 4);
    }
    return;
  }
  const float factor = *step;
  for (size_t index = 0; index < count; index++) {
    const float value = (float)follow_one(elements + 4 * index, states + index) * factor;
    memcpy(elements + 4 * index, &value, 4);
  }
}

VARIANTS(follow, (uint8_t *elements, size_t count, uint32_t *states, const float *step),
         (elements, count, states, step))

void elements_follow(uint8_t *elements, size_t count, uint32_t *states, const float *step) {
  follow(elements, count, states, step);
}
