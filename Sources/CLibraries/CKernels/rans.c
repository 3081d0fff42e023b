#include "rans.h"

#include <string.h>

#include "processor.h"

/// States stay in LOW..<LOW << 16.
static const uint32_t LOW = 1 << 16;

INLINE uint32_t load_word(const uint8_t *bytes) { return bytes[0] | (uint32_t)bytes[1] << 8; }

INLINE uint32_t load_state(const uint8_t *bytes) {
  return load_word(bytes) | load_word(bytes + 2) << 16;
}

INLINE void store_word(uint8_t *bytes, uint32_t word) {
  bytes[0] = (uint8_t)word;
  bytes[1] = (uint8_t)(word >> 8);
}

bool rans_make_slots(const uint16_t *frequencies, uint32_t *slots) {
  uint32_t next = 0;
  for (uint32_t symbol = 0; symbol < 256; symbol++) {
    const uint32_t frequency = frequencies[symbol];
    if (frequency > RANS_SLOTS - next) return false;
    for (uint32_t place = 0; place < frequency; place++)
      slots[next++] = symbol | (frequency - 1) << 8 | place << 20;
  }
  return next == RANS_SLOTS;
}

size_t rans_encode(const uint8_t *symbols, size_t count, const uint16_t *frequencies,
                   unsigned lanes, uint8_t *bytes) {
  uint32_t starts[256], states[RANS_MAXIMUM_LANES];
  for (uint32_t symbol = 0, start = 0; symbol < 256; start += frequencies[symbol++])
    starts[symbol] = start;
  for (unsigned lane = 0; lane < lanes; lane++) states[lane] = LOW;
  // Backwards, from the end of the room: what is written last is read first.
  uint8_t *end = bytes + 4 * lanes + 2 * count, *front = end;
  for (size_t index = count; index-- > 0;) {
    uint32_t state = states[index % lanes];
    const uint32_t frequency = frequencies[symbols[index]];
    if ((uint64_t)state >= (uint64_t)frequency << 20) {
      front -= 2;
      store_word(front, state);
      state >>= 16;
    }
    states[index % lanes] =
        (state / frequency << 12) + state % frequency + starts[symbols[index]];
  }
  for (unsigned lane = lanes; lane-- > 0;) {
    front -= 4;
    store_word(front, states[lane]);
    store_word(front + 2, states[lane] >> 16);
  }
  memmove(bytes, front, (size_t)(end - front));
  return (size_t)(end - front);
}

/// The state behind a symbol, before it is filled up.
INLINE uint32_t step(uint32_t state, uint32_t slot) {
  return ((slot >> 8 & 0xFFF) + 1) * (state >> 12) + (slot >> 20);
}

/// Decodes groups of symbols, one of each lane, for as long as every lane may take a word.
///
/// Returns how many symbols it decoded. `lanes` is known when this is compiled.
INLINE size_t decode_groups(const uint8_t **next, const uint8_t *end, const uint32_t *slots,
                            const unsigned lanes, uint32_t *all, uint8_t *symbols, size_t count) {
  uint32_t states[RANS_MAXIMUM_LANES];
  const uint8_t *bytes = *next;
  size_t index = 0;
  memcpy(states, all, lanes * sizeof *states);
  for (; index + lanes <= count && (size_t)(end - bytes) >= 2 * lanes; index += lanes) {
#pragma clang loop unroll(full)
    for (unsigned lane = 0; lane < lanes; lane++) {
      const uint32_t slot = slots[states[lane] & (RANS_SLOTS - 1)];
      const uint32_t state = step(states[lane], slot);
      symbols[index + lane] = (uint8_t)slot;
      const uint32_t filled = state << 16 | load_word(bytes);
      const bool takes = state < LOW;
      states[lane] = takes ? filled : state;
      bytes += takes ? 2 : 0;
    }
  }
  memcpy(all, states, lanes * sizeof *states);
  *next = bytes;
  return index;
}

bool rans_decode(const uint8_t *bytes, size_t byte_count, const uint32_t *slots, unsigned lanes,
                 uint8_t *symbols, size_t count) {
  uint32_t states[RANS_MAXIMUM_LANES];
  const uint8_t *end = bytes + byte_count;
  if (byte_count < 4 * lanes) return false;
  for (unsigned lane = 0; lane < lanes; lane++, bytes += 4) states[lane] = load_state(bytes);
  size_t index = 0;
  if (lanes == 32) index = decode_groups(&bytes, end, slots, 32, states, symbols, count);
  if (lanes == 4) index = decode_groups(&bytes, end, slots, 4, states, symbols, count);
  for (; index < count; index++) {
    const uint32_t slot = slots[states[index % lanes] & (RANS_SLOTS - 1)];
    uint32_t state = step(states[index % lanes], slot);
    symbols[index] = (uint8_t)slot;
    if (state < LOW) {
      if (end - bytes < 2) return false;
      state = state << 16 | load_word(bytes);
      bytes += 2;
    }
    states[index % lanes] = state;
  }
  for (unsigned lane = 0; lane < lanes; lane++)
    if (states[lane] != LOW) return false;
  return bytes == end;
}

/// Some bits of a list, the lowest first.
INLINE uint32_t low_bits(const struct rans_digits *digits, size_t index) {
  const size_t bit = index * (size_t)digits->low_bits, first = bit / 8;
  uint32_t word = 0;
  for (size_t byte = 0; byte < 3 && first + byte < digits->low_byte_count; byte++)
    word |= (uint32_t)digits->low[first + byte] << 8 * byte;
  return word >> bit % 8 & ((1u << digits->low_bits) - 1);
}

bool rans_integers(const uint8_t *symbols, size_t count, const struct rans_digits *digits,
                   int32_t *integers) {
  const int bits = digits->low_bits;
  if (bits == 0) {
    for (size_t index = 0; index < count; index++)
      integers[index] = (int32_t)symbols[index] - digits->zero;
  } else {
    // Where four bytes can be read at once, and the rest.
    const size_t safe =
        digits->low_byte_count < 4 ? 0 : (digits->low_byte_count - 4) * 8 / (size_t)bits;
    const uint32_t mask = (1u << bits) - 1;
    size_t index = 0;
    for (; index < count && index < safe; index++) {
      uint32_t word;
      const size_t bit = index * (size_t)bits;
      memcpy(&word, digits->low + bit / 8, 4);
      const int32_t high = (int32_t)symbols[index] - digits->zero;
      integers[index] = high * (1 << bits) + (int32_t)(word >> bit % 8 & mask);
    }
    for (; index < count; index++) {
      const int32_t high = (int32_t)symbols[index] - digits->zero;
      integers[index] = high * (1 << bits) + (int32_t)low_bits(digits, index);
    }
  }
  size_t used = 0;
  if (digits->escape_count > 0) {
    for (size_t index = 0; index < count; index++) {
      if (symbols[index] != digits->escape) continue;
      if (used == digits->escape_count) return false;
      const int32_t escape = (int32_t)load_state(digits->escapes + 4 * used++);
      if ((escape < 0 ? 0u - (uint32_t)escape : (uint32_t)escape) > digits->largest) return false;
      integers[index] = escape;
    }
  } else if (digits->escape >= 0) {
    return memchr(symbols, digits->escape, count) == NULL;
  }
  return used == digits->escape_count;
}

void rans_scale(const int32_t *integers, size_t count, float step, float *numbers) {
  for (size_t index = 0; index < count; index++) numbers[index] = (float)integers[index] * step;
}

/// The multiple that an integer stands for; leads its state on.
INLINE int32_t follow_one(const uint8_t *element, uint32_t *state) {
  int32_t integer;
  memcpy(&integer, element, 4);
  const uint32_t now = *state, parity = (uint32_t)integer & 1;
  *state = (now << 1 | ((parity ^ now >> 1 ^ now >> 2) & 1)) & 7;
  const int32_t sign = (integer >> 31) | (int32_t)((uint32_t)-integer >> 31);
  return 2 * integer - (sign & -(int32_t)(now & 1));
}

INLINE void follow(
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
    const float number = (float)follow_one(elements + 4 * index, states + index) * factor;
    memcpy(elements + 4 * index, &number, 4);
  }
}

#if defined(__x86_64__)
TARGET_AVX2 static void follow_avx2(
    uint8_t *elements, size_t count, uint32_t *states, const float *step) {
  follow(elements, count, states, step);
}
#endif

void rans_follow(uint8_t *elements, size_t count, uint32_t *states, const float *step) {
#if defined(__x86_64__)
  if (kernels_level() != PORTABLE) return follow_avx2(elements, count, states, step);
#endif
  follow(elements, count, states, step);
}

// Little-endian in memory on every processor that Swift runs on.

#define JOIN(type, width)                                                                \
  INLINE void join##width(const uint8_t *restrict planes, size_t count, int rotation,    \
                          uint8_t *restrict elements) {                                  \
    for (size_t index = 0; index < count; index++) {                                     \
      type element = 0;                                                                  \
      for (int plane = 0; plane < width; plane++)                                        \
        element |= (type)((type)planes[plane * count + index] << 8 * (width - 1 - plane));           \
      element = (type)(element >> rotation | (rotation ? element << (8 * width - 1) : 0)); \
      memcpy(elements + index * width, &element, width);                                 \
    }                                                                                    \
  }                                                                                      \
  INLINE void split##width(const uint8_t *elements, size_t count, int rotation,          \
                           uint8_t *planes) {                                            \
    for (size_t index = 0; index < count; index++) {                                     \
      type element;                                                                      \
      memcpy(&element, elements + index * width, width);                                 \
      element = (type)(element << rotation | (rotation ? element >> (8 * width - 1) : 0)); \
      for (int plane = 0; plane < width; plane++)                                        \
        planes[plane * count + index] = (uint8_t)(element >> 8 * (width - 1 - plane));            \
    }                                                                                    \
  }

JOIN(uint8_t, 1)
JOIN(uint16_t, 2)
JOIN(uint32_t, 4)
JOIN(uint64_t, 8)

void rans_join_planes(const uint8_t *planes, size_t count, int width, bool rotated,
                      uint8_t *elements) {
  switch (width) {
    case 1: join1(planes, count, 0, elements); break;
    case 2: rotated ? join2(planes, count, 1, elements) : join2(planes, count, 0, elements); break;
    case 4: rotated ? join4(planes, count, 1, elements) : join4(planes, count, 0, elements); break;
    case 8: rotated ? join8(planes, count, 1, elements) : join8(planes, count, 0, elements); break;
  }
}

void rans_split_planes(const uint8_t *elements, size_t count, int width, bool rotated,
                       uint8_t *planes) {
  switch (width) {
    case 1: split1(elements, count, 0, planes); break;
    case 2: split2(elements, count, rotated, planes); break;
    case 4: split4(elements, count, rotated, planes); break;
    case 8: split8(elements, count, rotated, planes); break;
  }
}
