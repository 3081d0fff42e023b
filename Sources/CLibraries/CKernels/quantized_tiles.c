#include "quantized.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// The inner loops of convolutions of integers and of bfloat16, one for each number of outputs in a tile.

/// Adds to each sum the dot product of two words: of four unsigned and four signed bytes, or of two and two
/// bfloat16, with float32 sums.
typedef void dot_function(int32x16 *sum, const int32x16 *source, const int32x16 *weights);

#if defined(__x86_64__)

TARGET_VNNI INLINE void dot_vnni(
    int32x16 *sum, const int32x16 *source, const int32x16 *weights) {
  __m512i result, first, second;
  memcpy(&result, sum, sizeof result);
  memcpy(&first, source, sizeof first);
  memcpy(&second, weights, sizeof second);
  result = _mm512_dpbusd_epi32(result, first, second);
  memcpy(sum, &result, sizeof result);
}

TARGET_AVX_VNNI INLINE void dot_avx_vnni(
    int32x16 *sum, const int32x16 *source, const int32x16 *weights) {
  __m256i results[2], firsts[2], seconds[2];
  memcpy(results, sum, sizeof results);
  memcpy(firsts, source, sizeof firsts);
  memcpy(seconds, weights, sizeof seconds);
  results[0] = _mm256_dpbusd_avx_epi32(results[0], firsts[0], seconds[0]);
  results[1] = _mm256_dpbusd_avx_epi32(results[1], firsts[1], seconds[1]);
  memcpy(sum, results, sizeof results);
}

// Without that instruction, even and odd bytes are multiplied separately as 16-bit integers, where nothing
// overflows.
#define DOT(suffix, attributes, type, set, and, add, left, right, unsigned_right, multiply)    \
  attributes INLINE void dot_##suffix(                                                         \
      int32x16 *sum, const int32x16 *source, const int32x16 *weights) {                        \
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

// The instruction takes signed bytes. Flipping the highest bit of a source byte subtracts 128, as
// source_offset states.
TARGET_SDOT INLINE void dot_sdot(
    int32x16 *sum, const int32x16 *source, const int32x16 *weights) {
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

INLINE void dot_portable(int32x16 *sum, const int32x16 *source, const int32x16 *weights) {
  for (int byte = 0; byte < WORD; byte++) {
    *sum += ((*source >> (8 * byte)) & 255) * ((*weights << (24 - 8 * byte)) >> 24);
  }
}

#endif

// Without a dedicated instruction, the values in the upper and lower 16 bits are multiplied separately.
#define DOT_BFLOAT16(suffix, attributes)                                                       \
  attributes INLINE void dot_bfloat16_##suffix(                                                \
      int32x16 *sum, const int32x16 *source, const int32x16 *weights) {                        \
    const int32_t upper = (int32_t)0xFFFF0000;                                                 \
    const int32x16 bits[2][2] = {                                                              \
      {*source & upper, *weights & upper}, {*source << 16, *weights << 16}};                   \
    vector result, factors[2][2];                                                          \
    memcpy(&result, sum, sizeof result);                                                       \
    memcpy(factors, bits, sizeof factors);                                                     \
    result += factors[0][0] * factors[0][1];                                                   \
    result += factors[1][0] * factors[1][1];                                                   \
    memcpy(sum, &result, sizeof result);                                                       \
  }

DOT_BFLOAT16(portable, )
#if defined(__x86_64__)
DOT_BFLOAT16(avx2, TARGET_AVX2)
DOT_BFLOAT16(avx512, TARGET_AVX512)

TARGET_BFLOAT16 INLINE void dot_bfloat16(
    int32x16 *sum, const int32x16 *source, const int32x16 *weights) {
  __m512 result;
  __m512bh first, second;
  memcpy(&result, sum, sizeof result);
  memcpy(&first, source, sizeof first);
  memcpy(&second, weights, sizeof second);
  result = _mm512_dpbf16_ps(result, first, second);
  memcpy(sum, &result, sizeof result);
}
#endif

/// Loads up to 16 floats; the others are 0.
INLINE vector load_some(const float *address, int64_t count) {
  vector value = 0;
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

/// Converts stored integers or bfloat16 to float32.
INLINE vector dequantize(const uint8_t *bytes, int64_t count, struct kernels_quantization quantization) {
  if (quantization.is_bfloat16) {
    bfloat16x16 some = {0};
    memcpy(&some, bytes, (size_t)smaller(count, CHANNELS) * 2);
    return widen_bfloat16(some);
  }
  bytes16 some = {0};
  if (count >= CHANNELS) {
    memcpy(&some, bytes, sizeof some);
  } else {
    memcpy(&some, bytes, (size_t)count);
  }
  return widen_integers(some, quantization);
}

/// Stores values as integers or bfloat16.
INLINE void store_quantized(
    uint8_t *target, vector value, const struct rounding *rounding, const bool is_bfloat16,
    int64_t count) {
  if (is_bfloat16) {
    const bfloat16x16 rounded = round_to_bfloat16(value);
    store_some(target, &rounded, count, sizeof(uint16_t));
  } else {
    const bytes16 rounded = round_to_integers(value, rounding);
    store_some(target, &rounded, count, sizeof(uint8_t));
  }
}

/// Converts sums, which are int32, or float32 for bfloat16, to float32.
INLINE vector sums_to_float(const int32x16 *sums, const bool is_bfloat16) {
  vector value;
  memcpy(&value, sums, sizeof value);
  return is_bfloat16 ? value : __builtin_convertvector(*sums, vector);
}

/// Converts the sums of 16 channels to float32, applies the post-operations, and stores the results.
INLINE void finish_general(
    const struct quantized_convolution *all, const struct quantized_tile *tile,
    const int32x16 *sums, int tile_block, const bool is_bfloat16) {
#pragma clang fp contract(off)
  // Local copies, so that the compiler knows that stores do not change them.
  const struct operations *operations = &all->operations;
  const struct rectifier rectifier = operations->rectifier;
  const bool adds_first = operations->adds_first, adds_last = operations->adds_last;
  const bool has_functions = operations->function_count > 0;
  const bool stores_floats = all->result.stores_floats;
  const bool adds_reduced = all->result.adds_reduced;
  const struct kernels_quantization summand = all->result.summand;
  const struct rounding rounding = all->rounding;
  const int64_t channel = tile->channel + tile_block * CHANNELS;
  const int64_t out_channels = all->out_channels, target_pixel_size = all->target_pixel_size;
  const int64_t target_size = element_size(rounding.is_bfloat16);
  const int64_t summand_size = element_size(summand.is_bfloat16);
  const int64_t valid = larger(0, tile->valid - tile_block * CHANNELS), count = tile->count;
  const int64_t stored = tile->stored - tile_block * CHANNELS, step = tile->pass->target_steps[2];
  float *floats = tile->floats ? tile->floats + tile->first_output * out_channels + channel : NULL;
  uint8_t *bytes = tile->bytes
      ? tile->bytes + tile->first_output * target_pixel_size + channel * target_size : NULL;
  const int64_t summand_pixel_size = all->summand_pixel_size;
  const int64_t summand_capacity = summand_pixel_size / summand_size - channel;
  const uint8_t *summands = adds_reduced
      ? tile->summands + tile->first_output * summand_pixel_size + channel * summand_size : NULL;
  const vector scale = load(tile->scales + tile_block * CHANNELS);
  const vector bias = load(tile->bias + tile_block * CHANNELS);
  for (int64_t output = 0; output < count; output++) {
    vector value = sums_to_float(&sums[output], is_bfloat16) * scale;
    value += bias;
    if (adds_first) {
      value += adds_reduced ? dequantize(summands, summand_capacity, summand)
                             : load_some(floats, valid);
    }
    value = rectify(value, rectifier);
    if (adds_last) {
      value += adds_reduced ? dequantize(summands, summand_capacity, summand)
                             : load_some(floats, valid);
    }
    if (has_functions) apply_functions(operations, (float *)&value, CHANNELS, CHANNELS);
    // The products of infinities and the zero weights of padding channels are NaN.
    if (rounding.is_bfloat16 && valid < CHANNELS) value = keep_first(value, valid);
    if (stores_floats) store_some(floats, &value, valid, sizeof *floats);
    if (floats) floats += step * out_channels;
    if (adds_reduced) summands += step * summand_pixel_size;
    if (!bytes) continue;
    store_quantized(bytes, value, &rounding, rounding.is_bfloat16, stored);
    bytes += step * target_pixel_size;
  }
}

/// The same for 16 valid channels, with an ending that is known at compile time.
INLINE void finish_full(
    const struct quantized_convolution *all, const struct quantized_tile *tile,
    const int32x16 *sums, int tile_block, const int ending, const bool is_bfloat16) {
#pragma clang fp contract(off)
  const struct rounding rounding = all->rounding;
  const struct kernels_quantization summand = all->result.summand;
  const float slope = all->operations.rectifier.slope;
  const int64_t channel = tile->channel + tile_block * CHANNELS, count = tile->count;
  const int64_t size = element_size(is_bfloat16);
  const int64_t start = tile->first_output * all->target_pixel_size + channel * size;
  const int64_t floats_step = tile->pass->target_steps[2] * all->out_channels;
  const int64_t pixel_step = tile->pass->target_steps[2] * all->target_pixel_size;
  float *floats =
      ending & STORES_FLOATS ? tile->floats + tile->first_output * all->out_channels + channel : NULL;
  uint8_t *bytes = tile->bytes + start;
  const uint8_t *summands = ending & ADDS_REDUCED ? tile->summands + start : NULL;
  const vector scale = load(tile->scales + tile_block * CHANNELS);
  const vector bias = load(tile->bias + tile_block * CHANNELS);
  for (int64_t output = 0; output < count; output++) {
    vector value = sums_to_float(&sums[output], is_bfloat16) * scale;
    value += bias;
    if (ending & ADDS_REDUCED) value += dequantize(summands + output * pixel_step, CHANNELS, summand);
    if (ending & RECTIFIES) value = value < 0 ? 0 : value;
    if (ending & HAS_SLOPE) value = value < 0 ? value * slope : value;
    if (ending & STORES_FLOATS) memcpy(floats + output * floats_step, &value, sizeof value);
    store_quantized(bytes + output * pixel_step, value, &rounding, is_bfloat16, CHANNELS);
  }
}

/// In place of the number of blocks of 16 channels: one block, whose channels have words of their own (a depthwise
/// convolution).
enum { SEPARATE = 0 };

/// Loads a word for each of 16 channels, or the same for all.
INLINE int32x16 load_words(const uint8_t *source, const bool is_separate) {
  int32x16 words;
  int32_t word;
  memcpy(&word, source, sizeof word);
  if (!is_separate) return word;
  memcpy(&words, source, sizeof words);
  return words;
}

/// Computes the sums of a tile. `count`, `tile_blocks` and `dot` are compile-time constants.
INLINE void sum_up(
    const struct quantized_convolution *all, const struct quantized_tile *tile, const int count,
    const int tile_blocks, dot_function *dot, int32x16 low[WIDEST_TILE], int32x16 high[WIDEST_TILE]) {
  const size_t blocks = tile_blocks == 2 ? 2 : 1;
  const int64_t run = tile_blocks == SEPARATE ? WORD : all->run;
  int32x16 shift[2];
  memcpy(shift, tile->shifts, blocks * sizeof *shift);
  int32x16 first_sums[WIDEST_TILE], second_sums[WIDEST_TILE];
#pragma clang loop unroll(full)
  for (int output = 0; output < count; output++) {
    first_sums[output] = shift[0];
    if (tile_blocks == 2) second_sums[output] = shift[1];
  }
  const ptrdiff_t step = tile->pass->source_steps[2];
  for (int tap = 0; tap < tile->pass->tap_count; tap++) {
    const uint8_t *source = tile->source + tile->pass->taps[tap].source;
    const int8_t *weights = tile->weights + tile->pass->taps[tap].weights;
#pragma clang loop unroll(disable)
    for (const uint8_t *end = source + run; source < end; source += WORD) {
      int32x16 first, second;
      memcpy(&first, weights, sizeof first);
      if (tile_blocks == 2) memcpy(&second, weights + sizeof first, sizeof second);
#pragma clang loop unroll(full)
      for (int output = 0; output < count; output++) {
        const int32x16 element = load_words(source + output * step, tile_blocks == SEPARATE);
        dot(&first_sums[output], &element, &first);
        if (tile_blocks == 2) dot(&second_sums[output], &element, &second);
      }
      weights += blocks * sizeof first;
    }
  }
#pragma clang loop unroll(full)
  for (int output = 0; output < count; output++) {
    low[output] = first_sums[output];
    if (tile_blocks == 2) high[output] = second_sums[output];
  }
}

#define FINISH_CASE(ending, is_bfloat16) \
  case ending: return finish_full(all, tile, sums, tile_block, ending, is_bfloat16);

#define FINISH(suffix, attributes, is_bfloat16)                                                \
  attributes static void finish_##suffix(                                                      \
      const struct quantized_convolution *all, const struct quantized_tile *tile,              \
      const int32x16 *sums, int tile_block) {                                                  \
    if ((tile_block + 1) * CHANNELS > tile->valid) {                                           \
      return finish_general(all, tile, sums, tile_block, is_bfloat16);                         \
    }                                                                                          \
    switch (all->ending) {                                                                     \
      FINISH_CASE(0, is_bfloat16) FINISH_CASE(1, is_bfloat16) FINISH_CASE(2, is_bfloat16)      \
      FINISH_CASE(3, is_bfloat16) FINISH_CASE(4, is_bfloat16) FINISH_CASE(5, is_bfloat16)      \
      FINISH_CASE(6, is_bfloat16) FINISH_CASE(7, is_bfloat16) FINISH_CASE(8, is_bfloat16)      \
      FINISH_CASE(9, is_bfloat16) FINISH_CASE(10, is_bfloat16) FINISH_CASE(11, is_bfloat16)    \
    default: return finish_general(all, tile, sums, tile_block, is_bfloat16);                  \
    }                                                                                          \
  }

/// Prefetches the memory that a tile reads and writes, which takes as long as computing the tile.
INLINE void prefetch_target(
    const struct quantized_convolution *all, const struct quantized_tile *tile, int count, int tile_blocks) {
  const int64_t step = tile->pass->target_steps[2];
  if (tile->summands) {
    const int64_t start = tile->channel * element_size(all->result.summand.is_bfloat16);
    const uint8_t *summands = tile->summands + tile->first_output * all->summand_pixel_size + start;
    for (int output = 0; output < count; output++) {
      __builtin_prefetch(summands + output * step * all->summand_pixel_size, 0, 3);
    }
  }
  if (!tile->floats) return;
  const float *floats = tile->floats + tile->first_output * all->out_channels + tile->channel;
  for (int output = 0; output < count; output++, floats += step * all->out_channels) {
    __builtin_prefetch(floats, 1, 3);
    if (tile_blocks == 2) __builtin_prefetch(floats + CHANNELS, 1, 3);
  }
}

#define TILE(suffix, attributes, kind, count, tile_blocks)                                     \
  attributes static void tile_##suffix##_##count(                                              \
      const struct quantized_convolution *all, const struct quantized_tile *tile) {            \
    int32x16 sums[2][WIDEST_TILE];                                                             \
    prefetch_target(all, tile, count, tile_blocks);                                            \
    sum_up(all, tile, count, tile_blocks, dot_##kind, sums[0], sums[1]);                       \
    finish_##kind(all, tile, sums[0], 0);                                                      \
    if (tile_blocks == 2 && tile->stored > CHANNELS) {                                         \
      finish_##kind(all, tile, sums[1], 1);                                                    \
    }                                                                                          \
  }

#define TILES_4(suffix, attributes, kind, tile_blocks)                                         \
  TILE(suffix, attributes, kind, 1, tile_blocks) TILE(suffix, attributes, kind, 2, tile_blocks) \
  TILE(suffix, attributes, kind, 3, tile_blocks) TILE(suffix, attributes, kind, 4, tile_blocks)
#define ROW_4(suffix) tile_##suffix##_1, tile_##suffix##_2, tile_##suffix##_3, tile_##suffix##_4

/// Computes the sums of a tile of a depthwise convolution: 16 channels, each by itself.
INLINE void sum_up_depthwise(
    const struct quantized_tile *tile, const int count, const bool is_bfloat16, int32x16 sums[WIDEST_TILE]) {
  int32x16 shift, own[WIDEST_TILE];
  memcpy(&shift, tile->shifts, sizeof shift);
#pragma clang loop unroll(full)
  for (int output = 0; output < count; output++) own[output] = shift;
  const ptrdiff_t step = tile->pass->source_steps[2];
  const int32_t offset = source_offset();
  for (int tap = 0; tap < tile->pass->tap_count; tap++) {
    const uint8_t *source = tile->source + tile->pass->taps[tap].source;
    const int8_t *weights = tile->weights + tile->pass->taps[tap].weights;
    if (is_bfloat16) {
      bfloat16x16 stored, element;
      memcpy(&stored, weights, sizeof stored);
      const vector weight = widen_bfloat16(stored);
#pragma clang loop unroll(full)
      for (int output = 0; output < count; output++) {
        vector sum;
        memcpy(&element, source + output * step, sizeof element);
        memcpy(&sum, &own[output], sizeof sum);
        sum += widen_bfloat16(element) * weight;
        memcpy(&own[output], &sum, sizeof sum);
      }
    } else {
      signed_bytes16 stored;
      bytes16 element;
      memcpy(&stored, weights, sizeof stored);
      const int32x16 weight = __builtin_convertvector(stored, int32x16);
#pragma clang loop unroll(full)
      for (int output = 0; output < count; output++) {
        memcpy(&element, source + output * step, sizeof element);
        own[output] += (__builtin_convertvector(element, int32x16) - offset) * weight;
      }
    }
  }
#pragma clang loop unroll(full)
  for (int output = 0; output < count; output++) sums[output] = own[output];
}

/// The maximum number of outputs in a tile of a depthwise convolution.
enum { DEPTHWISE_WIDTH = 4 };

#define DEPTHWISE_TILE(kind, attributes, is_bfloat16, count)                                   \
  attributes static void depthwise_##kind##_##count(                                           \
      const struct quantized_convolution *all, const struct quantized_tile *tile) {            \
    int32x16 sums[WIDEST_TILE];                                                                \
    prefetch_target(all, tile, count, 1);                                                      \
    sum_up_depthwise(tile, count, is_bfloat16, sums);                                          \
    finish_##kind(all, tile, sums, 0);                                                         \
  }

#define DEPTHWISE_TILES(kind, attributes, is_bfloat16)                                         \
  DEPTHWISE_TILE(kind, attributes, is_bfloat16, 1)                                             \
  DEPTHWISE_TILE(kind, attributes, is_bfloat16, 2)                                             \
  DEPTHWISE_TILE(kind, attributes, is_bfloat16, 3)                                             \
  DEPTHWISE_TILE(kind, attributes, is_bfloat16, 4)
#define DEPTHWISE_ROW(kind) \
  {depthwise_##kind##_1, depthwise_##kind##_2, depthwise_##kind##_3, depthwise_##kind##_4}

// The numbers of outputs that fill the registers.
FINISH(portable, , false)
FINISH(bfloat16_portable, , true)
TILES_4(portable, , portable, 1)
TILES_4(bfloat16_portable, , bfloat16_portable, 1)
static quantized_tile_function *const portable[][WIDEST_TILE] = {
  {ROW_4(portable)}, {ROW_4(bfloat16_portable)}};
TILES_4(portable_separate, , portable, SEPARATE)
static quantized_tile_function *const portable_separate[] = {ROW_4(portable_separate)};
DEPTHWISE_TILES(portable, , false)
DEPTHWISE_TILES(bfloat16_portable, , true)
static quantized_tile_function *const depthwise_portable[][DEPTHWISE_WIDTH] = {
  DEPTHWISE_ROW(portable), DEPTHWISE_ROW(bfloat16_portable)};

#if defined(__x86_64__)
FINISH(avx2, TARGET_AVX2, false)
FINISH(bfloat16_avx2, TARGET_AVX2, true)
TILES_4(avx2, TARGET_AVX2, avx2, 1)
TILES_4(bfloat16_avx2, TARGET_AVX2, bfloat16_avx2, 1)
static quantized_tile_function *const avx2[][WIDEST_TILE] = {
  {ROW_4(avx2)}, {ROW_4(bfloat16_avx2)}};
TILES_4(avx2_separate, TARGET_AVX2, avx2, SEPARATE)
static quantized_tile_function *const avx2_separate[] = {ROW_4(avx2_separate)};
DEPTHWISE_TILES(avx2, TARGET_AVX2, false)
DEPTHWISE_TILES(bfloat16_avx2, TARGET_AVX2, true)
static quantized_tile_function *const depthwise_avx2[][DEPTHWISE_WIDTH] = {
  DEPTHWISE_ROW(avx2), DEPTHWISE_ROW(bfloat16_avx2)};

FINISH(avx_vnni, TARGET_AVX_VNNI, false)
#define TILES_6(suffix, attributes, kind, tile_blocks)                                         \
  TILES_4(suffix, attributes, kind, tile_blocks)                                               \
  TILE(suffix, attributes, kind, 5, tile_blocks) TILE(suffix, attributes, kind, 6, tile_blocks)
#define ROW_6(suffix) ROW_4(suffix), tile_##suffix##_5, tile_##suffix##_6
TILES_6(avx_vnni, TARGET_AVX_VNNI, avx_vnni, 1)
TILES_6(avx_vnni_separate, TARGET_AVX_VNNI, avx_vnni, SEPARATE)
static quantized_tile_function *const avx_vnni[] = {ROW_6(avx_vnni)};
static quantized_tile_function *const avx_vnni_separate[] = {ROW_6(avx_vnni_separate)};

#define TILES_14(suffix, attributes, kind, tile_blocks)                                        \
  TILES_6(suffix, attributes, kind, tile_blocks)                                               \
  TILE(suffix, attributes, kind, 7, tile_blocks) TILE(suffix, attributes, kind, 8, tile_blocks) \
  TILE(suffix, attributes, kind, 9, tile_blocks) TILE(suffix, attributes, kind, 10, tile_blocks) \
  TILE(suffix, attributes, kind, 11, tile_blocks) TILE(suffix, attributes, kind, 12, tile_blocks) \
  TILE(suffix, attributes, kind, 13, tile_blocks) TILE(suffix, attributes, kind, 14, tile_blocks)
#define ROW_14(suffix)                                                                         \
  {                                                                                            \
    ROW_6(suffix), tile_##suffix##_7, tile_##suffix##_8, tile_##suffix##_9,                    \
        tile_##suffix##_10, tile_##suffix##_11, tile_##suffix##_12, tile_##suffix##_13,        \
        tile_##suffix##_14                                                                     \
  }

/// For 16 and for 32 outputs.
#define BOTH_WIDTHS(kind, attributes, is_bfloat16)                                             \
  FINISH(kind, attributes, is_bfloat16)                                                        \
  TILES_14(kind##_low, attributes, kind, 1)                                                    \
  TILES_14(kind##_both, attributes, kind, 2)                                                   \
  static quantized_tile_function *const kind[][WIDEST_TILE] = {                                \
    ROW_14(kind##_low), ROW_14(kind##_both)};

BOTH_WIDTHS(avx512, TARGET_AVX512, false)
BOTH_WIDTHS(vnni, TARGET_VNNI, false)
BOTH_WIDTHS(bfloat16_avx512, TARGET_AVX512, true)
BOTH_WIDTHS(bfloat16, TARGET_BFLOAT16, true)
TILES_14(avx512_separate, TARGET_AVX512, avx512, SEPARATE)
TILES_14(vnni_separate, TARGET_VNNI, vnni, SEPARATE)
static quantized_tile_function *const avx512_separate[] = ROW_14(avx512_separate);
static quantized_tile_function *const vnni_separate[] = ROW_14(vnni_separate);
DEPTHWISE_TILES(avx512, TARGET_AVX512, false)
DEPTHWISE_TILES(bfloat16_avx512, TARGET_AVX512, true)
static quantized_tile_function *const depthwise_avx512[][DEPTHWISE_WIDTH] = {
  DEPTHWISE_ROW(avx512), DEPTHWISE_ROW(bfloat16_avx512)};
#endif

#if defined(__aarch64__)
FINISH(sdot, TARGET_SDOT, false)
TILES_4(sdot, TARGET_SDOT, sdot, 1)
TILE(sdot, TARGET_SDOT, sdot, 5, 1)
static quantized_tile_function *const sdot[] = {ROW_4(sdot), tile_sdot_5};
TILES_4(sdot_separate, TARGET_SDOT, sdot, SEPARATE)
TILE(sdot_separate, TARGET_SDOT, sdot, 5, SEPARATE)
static quantized_tile_function *const sdot_separate[] = {ROW_4(sdot_separate), tile_sdot_separate_5};
#endif

int32_t source_offset(void) {
#if defined(__aarch64__)
  if (kernels_has_byte_products) return 128;
#endif
  return 0;
}

int widest_quantized_tile(bool is_bfloat16, bool has_words) {
  if (!has_words) return DEPTHWISE_WIDTH;
  const bool has_products = kernels_has_byte_products && !is_bfloat16;
  switch (kernels_level()) {
  case AVX512: return WIDEST_TILE;
  case AVX2: return has_products ? 6 : 4;
  case PORTABLE: return has_products ? 5 : 2;
  }
}

static quantized_tile_function *const *depthwise_functions(bool is_bfloat16) {
#if defined(__x86_64__)
  if (kernels_level() == AVX512) return depthwise_avx512[is_bfloat16];
  if (kernels_level() == AVX2) return depthwise_avx2[is_bfloat16];
#endif
  return depthwise_portable[is_bfloat16];
}

/// The functions for tiles of channels with words of their own.
static quantized_tile_function *const *separate_functions(void) {
#if defined(__x86_64__)
  if (kernels_level() == AVX512) return kernels_has_byte_products ? vnni_separate : avx512_separate;
  if (kernels_level() == AVX2) return kernels_has_byte_products ? avx_vnni_separate : avx2_separate;
#elif defined(__aarch64__)
  if (kernels_has_byte_products) return sdot_separate;
#endif
  return portable_separate;
}

quantized_tile_function *const *quantized_tile_functions(const struct quantized_convolution *all) {
  const bool is_bfloat16 = all->stored.is_bfloat16;
  if (all->depthwise) return separate_functions();
  if (all->blocks.is_depthwise) return depthwise_functions(is_bfloat16);
#if defined(__x86_64__)
  const int width = all->blocks.width / CHANNELS - 1;
  switch (kernels_level()) {
  case AVX512:
    if (is_bfloat16) return (kernels_has_bfloat16_products ? bfloat16 : bfloat16_avx512)[width];
    return (kernels_has_byte_products ? vnni : avx512)[width];
  case AVX2: return kernels_has_byte_products && !is_bfloat16 ? avx_vnni : avx2[is_bfloat16];
  case PORTABLE: break;
  }
#elif defined(__aarch64__)
  if (kernels_has_byte_products && !is_bfloat16) return sdot;
#endif
  return portable[is_bfloat16];
}
