#include "rans.h"

#include <string.h>

#include "processor.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

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
    for (uint32_t offset = 0; offset < frequency; offset++)
      slots[next++] = symbol | (frequency - 1) << 8 | offset << 20;
  }
  return next == RANS_SLOTS;
}

size_t rans_encode(const uint8_t *symbols, size_t count, const uint16_t *frequencies,
                   unsigned lanes, uint8_t *bytes) {
  uint32_t starts[256], states[RANS_MAXIMUM_LANES];
  for (uint32_t symbol = 0, start = 0; symbol < 256; start += frequencies[symbol++])
    starts[symbol] = start;
  for (unsigned lane = 0; lane < lanes; lane++) states[lane] = LOW;
  // Encodes backwards, from the end of the buffer: what is written last is read first.
  uint8_t *end = bytes + 4 * lanes + 2 * count, *begin = end;
  for (size_t index = count; index-- > 0;) {
    uint32_t state = states[index % lanes];
    const uint32_t frequency = frequencies[symbols[index]];
    if ((uint64_t)state >= (uint64_t)frequency << 20) {
      begin -= 2;
      store_word(begin, state);
      state >>= 16;
    }
    states[index % lanes] =
        (state / frequency << 12) + state % frequency + starts[symbols[index]];
  }
  for (unsigned lane = lanes; lane-- > 0;) {
    begin -= 4;
    store_word(begin, states[lane]);
    store_word(begin + 2, states[lane] >> 16);
  }
  memmove(bytes, begin, (size_t)(end - begin));
  return (size_t)(end - begin);
}

/// The states after decoding a symbol, before renormalization.
#define STEP(states, slots) ((((slots) >> 8 & 0xFFF) + 1) * ((states) >> 12) + ((slots) >> 20))

// The decoder keeps its states in vectors of 1, 8 or 16 lanes. For each width: find the slots of states; fill
// states from the words that follow, lowest lane first; and store a vector of symbols.

typedef uint32_t vector1;

INLINE vector1 find1(const uint32_t *slots, vector1 states) {
  return slots[states & (RANS_SLOTS - 1)];
}

INLINE vector1 fill1(vector1 states, const uint8_t **bytes) {
  const uint32_t filled = states << 16 | load_word(*bytes);
  const bool takes = states < LOW;
  *bytes += takes ? 2 : 0;
  return takes ? filled : states;
}

INLINE void put1(vector1 found, uint8_t *symbols) { *symbols = (uint8_t)found; }

#if defined(__x86_64__)
typedef uint32_t vector8 __attribute__((ext_vector_type(8)));
typedef uint32_t vector16 __attribute__((ext_vector_type(16)));
typedef uint8_t bytes8 __attribute__((ext_vector_type(8)));

// For each set of lanes that take a word, and for each lane: how many lower lanes take one.
#define BEFORE(set, lane) __builtin_popcount((set) & ((1 << (lane)) - 1))
#define RANKS(set) \
  {BEFORE(set, 0), BEFORE(set, 1), BEFORE(set, 2), BEFORE(set, 3), BEFORE(set, 4), BEFORE(set, 5), \
   BEFORE(set, 6), BEFORE(set, 7)}
#define RANKS4(set) RANKS(set), RANKS((set) + 1), RANKS((set) + 2), RANKS((set) + 3)
#define RANKS16(set) RANKS4(set), RANKS4((set) + 4), RANKS4((set) + 8), RANKS4((set) + 12)
#define RANKS64(set) RANKS16(set), RANKS16((set) + 16), RANKS16((set) + 32), RANKS16((set) + 48)
static const uint8_t ranks[256][8] = {RANKS64(0), RANKS64(64), RANKS64(128), RANKS64(192)};

TARGET_AVX2 INLINE vector8 find8(const uint32_t *slots, vector8 states) {
  return (vector8)_mm256_i32gather_epi32((const int *)slots, (__m256i)(states & (RANS_SLOTS - 1)), 4);
}

TARGET_AVX2 INLINE vector8 fill8(vector8 states, const uint8_t **bytes) {
  const __m256i takes = (__m256i)(states < LOW);
  const int set = _mm256_movemask_ps((__m256)takes);
  const __m256i words = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)*bytes));
  const __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)ranks[set]));
  const vector8 filled = states << 16 | (vector8)_mm256_permutevar8x32_epi32(words, order);
  *bytes += 2 * __builtin_popcount((unsigned)set);
  return (vector8)_mm256_blendv_epi8((__m256i)states, (__m256i)filled, takes);
}

TARGET_AVX2 INLINE void put8(vector8 found, uint8_t *symbols) {
  const bytes8 all = __builtin_convertvector(found & 0xFF, bytes8);
  memcpy(symbols, &all, sizeof all);
}

TARGET_AVX512 INLINE vector16 find16(const uint32_t *slots, vector16 states) {
  return (vector16)_mm512_i32gather_epi32((__m512i)(states & (RANS_SLOTS - 1)), slots, 4);
}

TARGET_AVX512 INLINE vector16 fill16(vector16 states, const uint8_t **bytes) {
  const __mmask16 takes = _mm512_cmplt_epu32_mask((__m512i)states, _mm512_set1_epi32((int)LOW));
  const __m512i words = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)*bytes));
  *bytes += 2 * __builtin_popcount(takes);
  const __m512i shifted = (__m512i)(states << 16);
  return (vector16)_mm512_mask_or_epi32(
      (__m512i)states, takes, shifted, _mm512_maskz_expand_epi32(takes, words));
}

TARGET_AVX512 INLINE void put16(vector16 found, uint8_t *symbols) {
  _mm_storeu_si128((__m128i *)symbols, _mm512_cvtepi32_epi8((__m512i)found));
}
#endif

/// Defines a function that decodes groups of symbols, one for each lane, as long as there is a word left for
/// every lane, and returns the number of decoded symbols.
#define DECODE_GROUPS(name, lanes, width)                                                            \
  static size_t name(const uint8_t **next, const uint8_t *end, const uint32_t *slots, uint32_t *all, \
                     uint8_t *symbols, size_t count) {                                               \
    enum { PARTS = lanes / width };                                                                  \
    vector##width states[PARTS];                                                                     \
    const uint8_t *bytes = *next;                                                                    \
    size_t index = 0;                                                                                \
    memcpy(states, all, sizeof states);                                                              \
    for (; index + lanes <= count && end - bytes >= 2 * lanes; index += lanes) {                     \
      _Pragma("clang loop unroll(full)") for (int part = 0; part < PARTS; part++) {                  \
        const vector##width found = find##width(slots, states[part]);                                \
        const vector##width after = STEP(states[part], found);                                       \
        put##width(found, symbols + index + width * part);                                           \
        states[part] = fill##width(after, &bytes);                                                   \
      }                                                                                              \
    }                                                                                                \
    memcpy(all, states, sizeof states);                                                              \
    *next = bytes;                                                                                   \
    return index;                                                                                    \
  }

DECODE_GROUPS(decode_4, 4, 1)
DECODE_GROUPS(decode_32, 32, 1)
#if defined(__x86_64__)
TARGET_AVX2 DECODE_GROUPS(decode_32_avx2, 32, 8)
TARGET_AVX512 DECODE_GROUPS(decode_32_avx512, 32, 16)
#endif

INLINE size_t decode_groups(const uint8_t **next, const uint8_t *end, const uint32_t *slots, unsigned lanes,
                            uint32_t *all, uint8_t *symbols, size_t count) {
  if (lanes == 4) return decode_4(next, end, slots, all, symbols, count);
  if (lanes != 32) return 0;
#if defined(__x86_64__)
  if (kernels_level() == AVX512) return decode_32_avx512(next, end, slots, all, symbols, count);
  if (kernels_level() == AVX2) return decode_32_avx2(next, end, slots, all, symbols, count);
#endif
  return decode_32(next, end, slots, all, symbols, count);
}

bool rans_decode(const uint8_t *bytes, size_t byte_count, const uint32_t *slots, unsigned lanes,
                 uint8_t *symbols, size_t count) {
  uint32_t states[RANS_MAXIMUM_LANES];
  const uint8_t *end = bytes + byte_count;
  if (byte_count < 4 * lanes) return false;
  for (unsigned lane = 0; lane < lanes; lane++, bytes += 4) states[lane] = load_state(bytes);
  size_t index = decode_groups(&bytes, end, slots, lanes, states, symbols, count);
  for (; index < count; index++) {
    const uint32_t state = states[index % lanes], slot = find1(slots, state);
    uint32_t after = STEP(state, slot);
    put1(slot, symbols + index);
    if (after < LOW) {
      if (end - bytes < 2) return false;
      after = fill1(after, &bytes);
    }
    states[index % lanes] = after;
  }
  for (unsigned lane = 0; lane < lanes; lane++)
    if (states[lane] != LOW) return false;
  return bytes == end;
}
