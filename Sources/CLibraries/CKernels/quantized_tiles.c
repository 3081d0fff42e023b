#include "quantized.h"

#include <math.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// The inner loops of convolutions of integers, one for each number of outputs.

/// Adds to each sum the products of four bytes without a sign and four with one.
typedef void dot_function(integers *sum, const integers *source, const integers *weights);

#if defined(__x86_64__)

TARGET_VNNI INLINE void dot_vnni(
    integers *sum, const integers *source, const integers *weights) {
  __m512i result, first, second;
  memcpy(&result, sum, sizeof result);
  memcpy(&first, source, sizeof first);
  memcpy(&second, weights, sizeof second);
  result = _mm512_dpbusd_epi32(result, first, second);
  memcpy(sum, &result, sizeof result);
}

TARGET_AVX_VNNI INLINE void dot_avx_vnni(
    integers *sum, const integers *source, const integers *weights) {
  __m256i results[2], firsts[2], seconds[2];
  memcpy(results, sum, sizeof results);
  memcpy(firsts, source, sizeof firsts);
  memcpy(seconds, weights, sizeof seconds);
  results[0] = _mm256_dpbusd_avx_epi32(results[0], firsts[0], seconds[0]);
  results[1] = _mm256_dpbusd_avx_epi32(results[1], firsts[1], seconds[1]);
  memcpy(sum, results, sizeof results);
}

// Without that instruction, the even and the odd bytes are multiplied in 16 bits each, where nothing
// overflows.
#define DOT(suffix, attributes, type, set, and, add, left, right, unsigned_right, multiply)    \
  attributes INLINE void dot_##suffix(                                                         \
      integers *sum, const integers *source, const integers *weights) {                        \
    type results[sizeof *sum / sizeof(type)], firsts[sizeof *sum / sizeof(type)],              \
        seconds[sizeof *sum / sizeof(type)];                                                   \
    memcpy(results, sum, sizeof results);                                                      \
    memcpy(firsts, source, sizeof firsts);                                                     \
    memcpy(seconds, weights, sizeof seconds);                                                  \
    _Pragma("clang loop unroll(full)") for (size_t part = 0; part < sizeof *sum / sizeof(type); \
                                            part++) {                                          \
      const type even = multiply(                                                              \
          and(firsts[part], set(0x00FF)), right(left(seconds[part], 8), 8));                   \
      const type odd = multiply(unsigned_right(firsts[part], 8), right(seconds[part], 8));     \
      results[part] = add(results[part], add(even, odd));                                      \
    }                                                                                          \
    memcpy(sum, results, sizeof results);                                                      \
  }

DOT(avx512, TARGET_AVX512, __m512i, _mm512_set1_epi16, _mm512_and_si512, _mm512_add_epi32,
    _mm512_slli_epi16, _mm512_srai_epi16, _mm512_srli_epi16, _mm512_madd_epi16)
DOT(avx2, TARGET_AVX2, __m256i, _mm256_set1_epi16, _mm256_and_si256, _mm256_add_epi32,
    _mm256_slli_epi16, _mm256_srai_epi16, _mm256_srli_epi16, _mm256_madd_epi16)
DOT(portable, , __m128i, _mm_set1_epi16, _mm_and_si128, _mm_add_epi32, _mm_slli_epi16,
    _mm_srai_epi16, _mm_srli_epi16, _mm_madd_epi16)

#else

#if defined(__aarch64__)

// The instruction takes bytes with a sign. Turning the highest bit of a source's byte over takes 128 from it, which
// kernels_source_offset says.
TARGET_SDOT INLINE void dot_sdot(
    integers *sum, const integers *source, const integers *weights) {
  int32x4_t results[4];
  int8x16_t firsts[4], seconds[4];
  memcpy(results, sum, sizeof results);
  memcpy(firsts, source, sizeof firsts);
  memcpy(seconds, weights, sizeof seconds);
  _Pragma("clang loop unroll(full)") for (int part = 0; part < 4; part++) {
    results[part] = vdotq_s32(results[part], firsts[part] ^ vdupq_n_s8(-128), seconds[part]);
  }
  memcpy(sum, results, sizeof results);
}

#endif

INLINE void dot_portable(integers *sum, const integers *source, const integers *weights) {
  for (int byte = 0; byte < QUAD; byte++) {
    *sum += ((*source >> (8 * byte)) & 255) * ((*weights << (24 - 8 * byte)) >> 24);
  }
}

#endif

/// Some of 16 numbers at an address; others are 0.
INLINE numbers load_some(const float *address, int64_t count) {
  numbers value = 0;
  if (count >= CHANNELS) {
    memcpy(&value, address, sizeof value);
  } else {
    memcpy(&value, address, (size_t)count * sizeof *address);
  }
  return value;
}

INLINE void store_some(void *address, const void *value, int64_t count, size_t size) {
  if (count >= CHANNELS) {
    memcpy(address, value, CHANNELS * size);
  } else {
    memcpy(address, value, (size_t)count * size);
  }
}

/// The numbers that integers stand for.
INLINE numbers restore(const uint8_t *octets, int64_t count, struct kernels_quantization quantization) {
  sixteen_octets some = {0};
  if (count >= CHANNELS) {
    memcpy(&some, octets, sizeof some);
  } else {
    memcpy(&some, octets, (size_t)count);
  }
  const integers whole = __builtin_convertvector(some, integers) - quantization.zero_point;
  return __builtin_convertvector(whole, numbers) * quantization.scale;
}

/// Makes sums of 16 channels numbers, and brings them to their end.
INLINE void finish_body(
    const struct quantized_convolution *all, const struct quantized_tile *tile,
    const integers *sums, int half) {
#pragma clang fp contract(off)
  // Copies, which what is stored does not change as far as the compiler knows.
  const struct convolution *operations = &all->operations;
  const float slope = operations->slope, limit = operations->limit;
  const bool adds_first = operations->adds_first, adds_last = operations->adds_last;
  const bool has_functions = operations->function_count > 0;
  const bool stores_floats = all->result.stores_floats;
  const bool adds_integers = all->result.adds_integers;
  const struct kernels_quantization summand = all->result.summand;
  const struct rounding rounding = all->rounding;
  const int64_t channel = tile->channel + half * CHANNELS;
  const int64_t out_channels = all->out_channels, target_lane = all->target_lane;
  const int64_t valid = out_channels - channel, count = tile->count;
  float *floats = tile->floats ? tile->floats + tile->place * out_channels + channel : NULL;
  uint8_t *octets = tile->octets ? tile->octets + tile->place * target_lane + channel : NULL;
  const int64_t summand_lane = all->summand_lane;
  const uint8_t *summands = adds_integers ? tile->summands + tile->place * summand_lane + channel : NULL;
  const numbers scale = load_some(tile->scales + half * CHANNELS, CHANNELS);
  const numbers bias = load_some(tile->bias + half * CHANNELS, CHANNELS);
  for (int64_t number = 0; number < count; number++) {
    numbers value = __builtin_convertvector(sums[number], numbers) * scale;
    value += bias;
    if (adds_first) {
      value += adds_integers ? restore(summands, summand_lane - channel, summand)
                             : load_some(floats, valid);
    }
    if (slope == 0) {
      value = value < 0 ? 0 : value;
    } else if (slope != 1) {
      value = value < 0 ? value * slope : value;
    }
    if (limit < INFINITY) value = value > limit ? limit : value;
    if (adds_last) {
      value += adds_integers ? restore(summands, summand_lane - channel, summand)
                             : load_some(floats, valid);
    }
    if (has_functions) apply_operations(operations, (float *)&value, CHANNELS, CHANNELS);
    if (stores_floats) store_some(floats, &value, valid, sizeof *floats);
    if (floats) floats += out_channels;
    if (adds_integers) summands += summand_lane;
    if (!octets) continue;
    const sixteen_octets rounded = round_numbers(value, &rounding);
    store_some(octets, &rounded, target_lane - channel, 1);
    octets += target_lane;
  }
}

/// The same where all 16 channels are there, with an ending that is known when this is compiled.
INLINE void finish_whole(
    const struct quantized_convolution *all, const struct quantized_tile *tile,
    const integers *sums, int half, const int ending) {
#pragma clang fp contract(off)
  const struct rounding rounding = all->rounding;
  const struct kernels_quantization summand = all->result.summand;
  const int64_t channel = tile->channel + half * CHANNELS, count = tile->count;
  const int64_t out_channels = all->out_channels, lane = all->target_lane;
  float *floats =
      ending & STORES_FLOATS ? tile->floats + tile->place * out_channels + channel : NULL;
  uint8_t *octets = tile->octets + tile->place * lane + channel;
  const uint8_t *summands =
      ending & ADDS_INTEGERS ? tile->summands + tile->place * lane + channel : NULL;
  const numbers scale = load_some(tile->scales + half * CHANNELS, CHANNELS);
  const numbers bias = load_some(tile->bias + half * CHANNELS, CHANNELS);
  for (int64_t number = 0; number < count; number++) {
    numbers value = __builtin_convertvector(sums[number], numbers) * scale;
    value += bias;
    if (ending & ADDS_INTEGERS) value += restore(summands + number * lane, CHANNELS, summand);
    if (ending & RECTIFIES) value = value < 0 ? 0 : value;
    if (ending & STORES_FLOATS) memcpy(floats + number * out_channels, &value, sizeof value);
    const sixteen_octets rounded = round_numbers(value, &rounding);
    memcpy(octets + number * lane, &rounded, sizeof rounded);
  }
}

/// Computes a tile. The last three are known when this is compiled.
INLINE void sum_up(
    const struct quantized_convolution *all, const struct quantized_tile *tile, const int count,
    const int halves, dot_function *dot, integers low[WIDEST_TILE], integers high[WIDEST_TILE]) {
  integers shift[2];
  memcpy(shift, tile->shifts, (size_t)halves * sizeof *shift);
  integers first_sums[WIDEST_TILE], second_sums[WIDEST_TILE];
#pragma clang loop unroll(full)
  for (int place = 0; place < count; place++) {
    first_sums[place] = shift[0];
    if (halves == 2) second_sums[place] = shift[1];
  }
  const ptrdiff_t step = all->source_steps[2];
  const int8_t *weights = tile->weights;
  for (int64_t tap = 0; tap < all->tap_count; tap++) {
    const uint8_t *source = tile->source + all->taps[tap];
#pragma clang loop unroll(disable)
    for (const uint8_t *end = source + all->run; source < end; source += QUAD) {
      integers first, second;
      memcpy(&first, weights, sizeof first);
      if (halves == 2) memcpy(&second, weights + sizeof first, sizeof second);
#pragma clang loop unroll(full)
      for (int place = 0; place < count; place++) {
        int32_t quad;
        memcpy(&quad, source + place * step, sizeof quad);
        const integers element = quad;
        dot(&first_sums[place], &element, &first);
        if (halves == 2) dot(&second_sums[place], &element, &second);
      }
      weights += halves * sizeof first;
    }
  }
#pragma clang loop unroll(full)
  for (int place = 0; place < count; place++) {
    low[place] = first_sums[place];
    if (halves == 2) high[place] = second_sums[place];
  }
}

#define FINISH(suffix, attributes)                                                             \
  attributes static void finish_##suffix(                                                      \
      const struct quantized_convolution *all, const struct quantized_tile *tile,              \
      const integers *sums, int half) {                                                        \
    if (tile->channel + (half + 1) * CHANNELS > all->out_channels) {                           \
      return finish_body(all, tile, sums, half);                                               \
    }                                                                                          \
    switch (all->ending) {                                                                     \
    case 0: return finish_whole(all, tile, sums, half, 0);                                     \
    case 1: return finish_whole(all, tile, sums, half, 1);                                     \
    case 2: return finish_whole(all, tile, sums, half, 2);                                     \
    case 3: return finish_whole(all, tile, sums, half, 3);                                     \
    case 4: return finish_whole(all, tile, sums, half, 4);                                     \
    case 5: return finish_whole(all, tile, sums, half, 5);                                     \
    case 6: return finish_whole(all, tile, sums, half, 6);                                     \
    case 7: return finish_whole(all, tile, sums, half, 7);                                     \
    default: return finish_body(all, tile, sums, half);                                        \
    }                                                                                          \
  }

/// Asks for where the numbers of a tile are read or written, which takes as long as computing it.
INLINE void ask_for_target(
    const struct quantized_convolution *all, const struct quantized_tile *tile, int count, int halves) {
  if (tile->summands) {
    const uint8_t *summands = tile->summands + tile->place * all->summand_lane + tile->channel;
    for (int place = 0; place < count; place++) {
      __builtin_prefetch(summands + place * all->summand_lane, 0, 3);
    }
  }
  if (!tile->floats) return;
  const float *floats = tile->floats + tile->place * all->out_channels + tile->channel;
  for (int place = 0; place < count; place++, floats += all->out_channels) {
    __builtin_prefetch(floats, 1, 3);
    if (halves == 2) __builtin_prefetch(floats + CHANNELS, 1, 3);
  }
}

#define TILE(suffix, attributes, kind, count, halves)                                          \
  attributes static void tile_##suffix##_##count(                                              \
      const struct quantized_convolution *all, const struct quantized_tile *tile) {            \
    integers sums[2][WIDEST_TILE];                                                             \
    ask_for_target(all, tile, count, halves);                                                  \
    sum_up(all, tile, count, halves, dot_##kind, sums[0], sums[1]);                            \
    finish_##kind(all, tile, sums[0], 0);                                                      \
    if (halves == 2 && tile->channel + CHANNELS < larger(all->out_channels, all->target_lane)) { \
      finish_##kind(all, tile, sums[1], 1);                                                    \
    }                                                                                          \
  }

#define TILES_4(suffix, attributes, kind, halves)                                              \
  TILE(suffix, attributes, kind, 1, halves) TILE(suffix, attributes, kind, 2, halves)          \
  TILE(suffix, attributes, kind, 3, halves) TILE(suffix, attributes, kind, 4, halves)
#define ROW_4(suffix) tile_##suffix##_1, tile_##suffix##_2, tile_##suffix##_3, tile_##suffix##_4

// So many outputs that the registers are full.
FINISH(portable, )
TILES_4(portable, , portable, 1)
static quantized_tile_function *const portable[] = {ROW_4(portable)};

#if defined(__x86_64__)
FINISH(avx2, TARGET_AVX2)
TILES_4(avx2, TARGET_AVX2, avx2, 1)
static quantized_tile_function *const avx2[] = {ROW_4(avx2)};

FINISH(avx_vnni, TARGET_AVX_VNNI)
TILES_4(avx_vnni, TARGET_AVX_VNNI, avx_vnni, 1)
TILE(avx_vnni, TARGET_AVX_VNNI, avx_vnni, 5, 1) TILE(avx_vnni, TARGET_AVX_VNNI, avx_vnni, 6, 1)
static quantized_tile_function *const avx_vnni[] = {
  ROW_4(avx_vnni), tile_avx_vnni_5, tile_avx_vnni_6};

#define TILES_14(suffix, attributes, kind, halves)                                             \
  TILES_4(suffix, attributes, kind, halves)                                                    \
  TILE(suffix, attributes, kind, 5, halves) TILE(suffix, attributes, kind, 6, halves)          \
  TILE(suffix, attributes, kind, 7, halves) TILE(suffix, attributes, kind, 8, halves)          \
  TILE(suffix, attributes, kind, 9, halves) TILE(suffix, attributes, kind, 10, halves)         \
  TILE(suffix, attributes, kind, 11, halves) TILE(suffix, attributes, kind, 12, halves)        \
  TILE(suffix, attributes, kind, 13, halves) TILE(suffix, attributes, kind, 14, halves)
#define ROW_14(suffix)                                                                         \
  {                                                                                            \
    ROW_4(suffix), tile_##suffix##_5, tile_##suffix##_6, tile_##suffix##_7, tile_##suffix##_8, \
        tile_##suffix##_9, tile_##suffix##_10, tile_##suffix##_11, tile_##suffix##_12,         \
        tile_##suffix##_13, tile_##suffix##_14                                                 \
  }

FINISH(avx512, TARGET_AVX512)
TILES_14(avx512_low, TARGET_AVX512, avx512, 1)
TILES_14(avx512_both, TARGET_AVX512, avx512, 2)
static quantized_tile_function *const avx512[][WIDEST_TILE] = {
  ROW_14(avx512_low), ROW_14(avx512_both)};

FINISH(vnni, TARGET_VNNI)
TILES_14(vnni_low, TARGET_VNNI, vnni, 1)
TILES_14(vnni_both, TARGET_VNNI, vnni, 2)
static quantized_tile_function *const vnni[][WIDEST_TILE] = {ROW_14(vnni_low), ROW_14(vnni_both)};
#endif

#if defined(__aarch64__)
FINISH(sdot, TARGET_SDOT)
TILES_4(sdot, TARGET_SDOT, sdot, 1)
TILE(sdot, TARGET_SDOT, sdot, 5, 1)
static quantized_tile_function *const sdot[] = {ROW_4(sdot), tile_sdot_5};
#endif

int32_t kernels_source_offset(void) {
#if defined(__aarch64__)
  if (kernels_has_byte_products) return 128;
#endif
  return 0;
}

int widest_quantized_tile(void) {
  switch (kernels_level()) {
  case AVX512: return WIDEST_TILE;
  case AVX2: return kernels_has_byte_products ? 6 : 4;
  case PORTABLE: return kernels_has_byte_products ? 5 : 2;
  }
}

quantized_tile_function *const *quantized_tile_functions(const struct quantized_convolution *all) {
  (void)all;
#if defined(__x86_64__)
  const bool has_products = kernels_has_byte_products;
  if (kernels_level() == AVX512) return (has_products ? vnni : avx512)[all->halves - 1];
  if (kernels_level() == AVX2) return has_products ? avx_vnni : avx2;
#elif defined(__aarch64__)
  if (kernels_has_byte_products) return sdot;
#endif
  return portable;
}
