#include <math.h>
#include <string.h>

#include "convolutions.h"

// The inner loops of convolutions, one for each number of outputs.

typedef float vector __attribute__((ext_vector_type(16)));

enum { LINE = 64, SETS = 4 };

INLINE vector load(const float *address) {
  vector result;
  memcpy(&result, address, sizeof result);
  return result;
}

INLINE void store(float *address, vector value) { memcpy(address, &value, sizeof value); }

/// What is below 0 times a slope; NaN stays NaN.
INLINE vector bent(vector value, float slope) { return value < 0 ? value * slope : value; }

/// Brings the sums of an output to their end.
INLINE void finish(
    const struct convolution *all, const struct tile *tile, vector sum, const float *bias,
    float *target) {
  if (tile->bias) sum += load(bias);
  if (!tile->bias || tile->adds_first) sum += load(target);
  if (tile->is_last && all->slope != 1) sum = bent(sum, all->slope);
  if (tile->is_last && all->limit < INFINITY) sum = sum > all->limit ? all->limit : sum;
  if (tile->adds_last) sum += load(target);
  store(target, sum);
}

/// Adds the products of some input channels to a tile. The last five are known when this is compiled, how
/// many registers 16 elements take among them; a step or a run of 0 is not.
INLINE void sum_up(
    const struct convolution *all, const struct tile *tile, const int count, const int halves,
    const int registers, const ptrdiff_t known_step, const int known_run) {
  // One product after the other would wait for the sum: few outputs have several sums each. And sums of
  // some channels each, which are added up at the end, lose fewer digits than one long sum.
  const int sums = count * halves * registers, sets = !known_run || sums > 4 ? 1 : sums > 2 ? 2 : 4;
  vector low[SETS][WIDEST_TILE], high[SETS][WIDEST_TILE];
#pragma clang loop unroll(full)
  for (int set = 0; set < sets; set++) {
#pragma clang loop unroll(full)
    for (int place = 0; place < count; place++) {
      low[set][place] = 0;
      if (halves == 2) high[set][place] = 0;
    }
  }
  const struct pass *pass = tile->pass;
  const ptrdiff_t step = known_step ? known_step : pass->source_steps[2];
  const int unrolled = known_run ? SETS : 1;
  const char *next = tile->next;
  for (int64_t block = 0; block < tile->blocks; block++) {
    const int run = block + 1 < tile->blocks ? tile->run : tile->last_run;
    for (int number = 0; number < pass->tap_count; number++) {
      const float *source = tile->source + block * all->source_block + pass->taps[number].source;
      const float *weights = tile->weights + block * all->weights_block + pass->taps[number].weights;
#pragma clang loop unroll(disable)
      for (int first_channel = 0; first_channel < run; first_channel += unrolled) {
#pragma clang loop unroll(full)
        for (int channel = 0; channel < unrolled; channel++) {
          // Keeps what is read for one channel from being read long before it is needed.
          __asm__("" : "+r"(source));
          const vector first = load(weights);
          const vector second = halves == 2 ? load(weights + CHANNELS) : first;
#pragma clang loop unroll(full)
          for (int place = 0; place < count; place++) {
            const float element = source[place * step + channel];
            low[channel % sets][place] += first * element;
            if (halves == 2) high[channel % sets][place] += second * element;
          }
          // A lone half may stand in a block of two.
          weights += registers == 1 && halves == 1 ? all->width : halves * CHANNELS;
        }
        source += unrolled;
      }
      for (int line = 0; line < tile->lines; line++, next += LINE) __builtin_prefetch(next, 0, 2);
    }
  }
#pragma clang loop unroll(full)
  for (int place = 0; place < count; place++) {
#pragma clang loop unroll(full)
    for (int set = 1; set < sets; set++) {
      low[0][place] += low[set][place];
      if (halves == 2) high[0][place] += high[set][place];
    }
    finish(all, tile, low[0][place], tile->bias, tile->low + place * tile->target_step);
    if (halves == 2) {
      finish(
          all, tile, high[0][place], tile->bias ? tile->bias + CHANNELS : NULL,
          tile->high + place * tile->target_step);
    }
  }
}

/// What is known of a tile when it is compiled: neighbours in blocks, every second one, or others; 16
/// channels, or others.
enum kind { NEIGHBOURS, SECONDS, BLOCKS, RUNS };

#define TILE(suffix, attributes, count, halves, registers)                                   \
  attributes static void tile_neighbours_##suffix##_##count(                                 \
      const struct convolution *all, const struct tile *tile) {                              \
    sum_up(all, tile, count, halves, registers, CHANNELS, CHANNELS);                         \
  }                                                                                          \
  attributes static void tile_seconds_##suffix##_##count(                                    \
      const struct convolution *all, const struct tile *tile) {                              \
    sum_up(all, tile, count, halves, registers, 2 * CHANNELS, CHANNELS);                     \
  }                                                                                          \
  attributes static void tile_blocks_##suffix##_##count(                                     \
      const struct convolution *all, const struct tile *tile) {                              \
    sum_up(all, tile, count, halves, registers, 0, CHANNELS);                                \
  }                                                                                          \
  attributes static void tile_runs_##suffix##_##count(                                       \
      const struct convolution *all, const struct tile *tile) {                              \
    sum_up(all, tile, count, halves, registers, 0, 0);                                       \
  }

#define ROW(suffix, count)                                                                   \
  {                                                                                          \
    tile_neighbours_##suffix##_##count, tile_seconds_##suffix##_##count,                     \
        tile_blocks_##suffix##_##count, tile_runs_##suffix##_##count                         \
  }

// With 16 or 32 registers of 4 or 8 elements, 16 channels; with 32 registers of 16 elements, 16 or 32
// channels: so many outputs that the registers are full, or that no product waits for another.
#define TILES_6(suffix, attributes, halves, registers)                                       \
  TILE(suffix, attributes, 1, halves, registers) TILE(suffix, attributes, 2, halves, registers) \
  TILE(suffix, attributes, 3, halves, registers) TILE(suffix, attributes, 4, halves, registers) \
  TILE(suffix, attributes, 5, halves, registers) TILE(suffix, attributes, 6, halves, registers)

TILES_6(portable, , 1, 4)
static tile_function *const portable[][TILE_KINDS] = {
  ROW(portable, 1), ROW(portable, 2), ROW(portable, 3),
  ROW(portable, 4), ROW(portable, 5), ROW(portable, 6),
};

#if defined(__x86_64__)
TILES_6(avx2, TARGET_AVX2, 1, 2)
static tile_function *const avx2[][TILE_KINDS] = {
  ROW(avx2, 1), ROW(avx2, 2), ROW(avx2, 3), ROW(avx2, 4), ROW(avx2, 5), ROW(avx2, 6),
};

#define TILES_14(suffix, attributes, halves, registers)                                      \
  TILES_6(suffix, attributes, halves, registers)                                             \
  TILE(suffix, attributes, 7, halves, registers) TILE(suffix, attributes, 8, halves, registers) \
  TILE(suffix, attributes, 9, halves, registers) TILE(suffix, attributes, 10, halves, registers) \
  TILE(suffix, attributes, 11, halves, registers) TILE(suffix, attributes, 12, halves, registers) \
  TILE(suffix, attributes, 13, halves, registers) TILE(suffix, attributes, 14, halves, registers)

#define ROWS_14(suffix)                                                                      \
  ROW(suffix, 1), ROW(suffix, 2), ROW(suffix, 3), ROW(suffix, 4), ROW(suffix, 5),            \
      ROW(suffix, 6), ROW(suffix, 7), ROW(suffix, 8), ROW(suffix, 9), ROW(suffix, 10),       \
      ROW(suffix, 11), ROW(suffix, 12), ROW(suffix, 13), ROW(suffix, 14)

TILES_14(avx512_low, TARGET_AVX512, 1, 1)
TILES_14(avx512, TARGET_AVX512, 2, 1)
static tile_function *const avx512[][WIDEST_TILE][TILE_KINDS] = {{ROWS_14(avx512_low)}, {ROWS_14(avx512)}};
#endif

int widest_tile(void) {
  switch (kernels_level()) {
  case AVX512: return TILE_AVX512;
  case AVX2: return TILE_AVX2;
  case PORTABLE: return TILE_PORTABLE;
  }
  return 1;
}

tile_function *const *tile_functions(const struct pass *pass, int run, int halves) {
  const ptrdiff_t step = pass->source_steps[2];
  const enum kind kind = run != CHANNELS ? RUNS
      : step == CHANNELS                 ? NEIGHBOURS
      : step == 2 * CHANNELS             ? SECONDS
                                         : BLOCKS;
#if defined(__x86_64__)
  if (kernels_level() == AVX512) return &avx512[halves - 1][0][kind];
  if (kernels_level() == AVX2) return &avx2[0][kind];
#endif
  return &portable[0][kind];
}
