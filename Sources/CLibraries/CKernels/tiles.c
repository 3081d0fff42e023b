#include "convolutions.h"

// The inner loops of convolutions, one for each number of outputs in a tile.

enum { LINE = 64, SETS = UNROLLED };

/// What happens to the sums of a tile after the bias is added: partial ones are added to those before.
INLINE struct operations tile_operations(const struct convolution *all, const struct tile *tile) {
  return (struct operations){
    .adds_first = !tile->bias || tile->adds_first, .adds_last = tile->adds_last,
    .rectifier = tile->is_last ? all->operations.rectifier : (struct rectifier){1, INFINITY},
  };
}

/// Computes a tile without the products of zero weights for channels of other groups, which are NaN where the
/// input is infinite or NaN.
static void compute_by_groups(const struct convolution *all, const struct tile *tile) {
  const struct groups *groups = &all->groups;
  const lanes index = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const struct operations operations = tile_operations(all, tile);
  for (int output = 0; output < tile->count; output++) {
    const float *source = tile->source + output * tile->pass->source_steps[2];
    vector sum = 0;
    for (int64_t input = 0; input < tile->blocks * CHANNELS; input++) {
      const int64_t block = input / CHANNELS, channel = input % CHANNELS;
      const int64_t group = (tile->first_input + input) / groups->inputs;
      // The outputs that this input affects.
      const int32_t first = (int32_t)(group * groups->outputs - tile->first_output);
      const lanes is_own = index >= first & index < first + (int32_t)groups->outputs;
      for (int tap = 0; tap < tile->pass->tap_count; tap++) {
        const struct tap own = tile->pass->taps[tap];
        const vector weights =
            load(tile->weights + block * all->weights_block + own.weights + channel * all->width);
        const float element = source[block * all->source_block + own.source + channel];
        sum += is_own ? weights * element : 0;
      }
    }
    sum = keep_first(sum, tile->valid);
    if (tile->bias) sum += load(tile->bias);
    finish(sum, tile->low + output * tile->target_step, &operations);
  }
}

/// Whether some sums are infinite or NaN, or too large to tell.
INLINE bool has_special(const vector *sums, const int count) {
  vector total = sums[0];
#pragma clang loop unroll(full)
  for (int index = 1; index < count; index++) total += sums[index];
  const lanes are_special = !(__builtin_elementwise_abs(total) < INFINITY);
  return __builtin_reduce_or(are_special);
}

/// What a tile computes of its block: at most 8 channels, a block, or two blocks.
enum width { HALF_BLOCK, ONE_BLOCK, TWO_BLOCKS };

/// Adds the products of some input channels to a tile. The last five parameters are compile-time constants;
/// `registers` is the number of registers for 16 elements. A step or run of 0 is not known at compile time.
INLINE void sum_up(
    const struct convolution *all, const struct tile *tile, const int count, const enum width width,
    const int registers, const ptrdiff_t known_step, const int known_run) {
  const int tile_blocks = width == TWO_BLOCKS ? 2 : 1;
  // Consecutive additions to one sum would each wait for the previous one, so small tiles use several sums
  // for each output. Several partial sums also lose less precision than one long sum.
  const int sums = count * tile_blocks * registers, sets = !known_run || sums > 4 ? 1 : sums > 2 ? 2 : 4;
  vector low[SETS][WIDEST_TILE], high[SETS][WIDEST_TILE];
  half_vector halves[SETS][WIDEST_TILE];
#pragma clang loop unroll(full)
  for (int set = 0; set < sets; set++) {
#pragma clang loop unroll(full)
    for (int output = 0; output < count; output++) {
      low[set][output] = 0;
      if (width == HALF_BLOCK) halves[set][output] = 0;
      if (width == TWO_BLOCKS) high[set][output] = 0;
    }
  }
  const struct pass *pass = tile->pass;
  const ptrdiff_t step = known_step ? known_step : pass->source_steps[2];
  const int unrolled = known_run ? SETS : 1;
  const char *next = tile->next;
  for (int64_t block = 0; block < tile->blocks; block++) {
    const int run = block + 1 < tile->blocks ? tile->run : tile->last_run;
    for (int tap = 0; tap < pass->tap_count; tap++) {
      const float *source = tile->source + block * all->source_block + pass->taps[tap].source;
      const float *weights = tile->weights + block * all->weights_block + pass->taps[tap].weights;
#pragma clang loop unroll(disable)
      for (int first_channel = 0; first_channel < run; first_channel += unrolled) {
#pragma clang loop unroll(full)
        for (int channel = 0; channel < unrolled; channel++) {
          // Keeps the compiler from loading values for a channel long before they are needed.
          __asm__("" : "+r"(source));
          const half_vector half = load_half(weights);
          const vector first = width == HALF_BLOCK ? widened(half) : load(weights);
          const vector second = width == TWO_BLOCKS ? load(weights + CHANNELS) : first;
#pragma clang loop unroll(full)
          for (int output = 0; output < count; output++) {
            const float element = source[output * step + channel];
            if (width == HALF_BLOCK) {
              halves[channel % sets][output] += half * element;
            } else {
              low[channel % sets][output] += first * element;
            }
            if (width == TWO_BLOCKS) high[channel % sets][output] += second * element;
          }
          // The last outputs of a convolution are one block, or half of one, whose weights are as far apart as the others.
          const bool is_alone = width == ONE_BLOCK && registers > 1;
          weights += is_alone || width == TWO_BLOCKS ? tile_blocks * CHANNELS : all->width;
        }
        source += unrolled;
      }
      for (int line = 0; line < tile->lines; line++, next += LINE) __builtin_prefetch(next, 0, 2);
    }
  }
#pragma clang loop unroll(full)
  for (int output = 0; output < count; output++) {
#pragma clang loop unroll(full)
    for (int set = 1; set < sets; set++) {
      if (width == HALF_BLOCK) halves[0][output] += halves[set][output];
      low[0][output] += low[set][output];
      if (width == TWO_BLOCKS) high[0][output] += high[set][output];
    }
    if (width == HALF_BLOCK) low[0][output] = widened(halves[0][output]);
  }
  if (tile_blocks == 1 && tile->crosses_groups && has_special(low[0], count)) {
    return compute_by_groups(all, tile);
  }
  if (tile->valid < CHANNELS) {
    // The products of infinite inputs and the zero weights of padding channels are NaN.
    vector *last = tile_blocks == 2 ? high[0] : low[0];
#pragma clang loop unroll(full)
    for (int output = 0; output < count; output++) {
      last[output] = keep_first(last[output], tile->valid);
    }
  }
  if (tile->bias) {
    const vector low_bias = load(tile->bias), high_bias = load(tile->bias + (tile_blocks - 1) * CHANNELS);
#pragma clang loop unroll(full)
    for (int output = 0; output < count; output++) {
      low[0][output] += low_bias;
      if (tile_blocks == 2) high[0][output] += high_bias;
    }
  }
  const struct operations operations = tile_operations(all, tile);
  finish_all(low[0], count, tile->low, tile->target_step, &operations);
  if (tile_blocks == 2) finish_all(high[0], count, tile->high, tile->target_step, &operations);
}

/// The compile-time constants of a tile: outputs with stride 1, 2 or any over blocks of 16 channels, or runs
/// of any length.
enum kind { STRIDE_1, STRIDE_2, ANY_STRIDE, ANY_RUN };

#define TILE(suffix, attributes, count, width, registers)                                    \
  attributes static void tile_stride_1_##suffix##_##count(                                   \
      const struct convolution *all, const struct tile *tile) {                              \
    sum_up(all, tile, count, width, registers, CHANNELS, CHANNELS);                          \
  }                                                                                          \
  attributes static void tile_stride_2_##suffix##_##count(                                   \
      const struct convolution *all, const struct tile *tile) {                              \
    sum_up(all, tile, count, width, registers, 2 * CHANNELS, CHANNELS);                      \
  }                                                                                          \
  attributes static void tile_any_stride_##suffix##_##count(                                 \
      const struct convolution *all, const struct tile *tile) {                              \
    sum_up(all, tile, count, width, registers, 0, CHANNELS);                                 \
  }                                                                                          \
  attributes static void tile_any_run_##suffix##_##count(                                    \
      const struct convolution *all, const struct tile *tile) {                              \
    sum_up(all, tile, count, width, registers, 0, 0);                                        \
  }

#define ROW(suffix, count)                                                                   \
  {                                                                                          \
    tile_stride_1_##suffix##_##count, tile_stride_2_##suffix##_##count,                      \
        tile_any_stride_##suffix##_##count, tile_any_run_##suffix##_##count                  \
  }

// With 16 or 32 registers of 4 or 8 elements, 8 or 16 channels; with 32 registers of 16 elements, 8, 16 or 32
// channels. The number of outputs is chosen to fill the registers, or to hide the latency of the products.
#define TILES_6(suffix, attributes, width, registers)                                        \
  TILE(suffix, attributes, 1, width, registers) TILE(suffix, attributes, 2, width, registers) \
  TILE(suffix, attributes, 3, width, registers) TILE(suffix, attributes, 4, width, registers) \
  TILE(suffix, attributes, 5, width, registers) TILE(suffix, attributes, 6, width, registers)

#define ROWS_6(suffix)                                                                       \
  ROW(suffix, 1), ROW(suffix, 2), ROW(suffix, 3), ROW(suffix, 4), ROW(suffix, 5), ROW(suffix, 6)

TILES_6(portable_half, , HALF_BLOCK, 4)
TILES_6(portable, , ONE_BLOCK, 4)
static tile_function *const portable[][WIDEST_TILE][TILE_KINDS] = {
  [HALF_BLOCK] = {ROWS_6(portable_half)}, [ONE_BLOCK] = {ROWS_6(portable)}};

#if defined(__x86_64__)
TILES_6(avx2_half, TARGET_AVX2, HALF_BLOCK, 2)
TILES_6(avx2, TARGET_AVX2, ONE_BLOCK, 2)
static tile_function *const avx2[][WIDEST_TILE][TILE_KINDS] = {
  [HALF_BLOCK] = {ROWS_6(avx2_half)}, [ONE_BLOCK] = {ROWS_6(avx2)}};

#define TILES_14(suffix, attributes, width, registers)                                       \
  TILES_6(suffix, attributes, width, registers)                                              \
  TILE(suffix, attributes, 7, width, registers) TILE(suffix, attributes, 8, width, registers) \
  TILE(suffix, attributes, 9, width, registers) TILE(suffix, attributes, 10, width, registers) \
  TILE(suffix, attributes, 11, width, registers) TILE(suffix, attributes, 12, width, registers) \
  TILE(suffix, attributes, 13, width, registers) TILE(suffix, attributes, 14, width, registers)

#define ROWS_14(suffix)                                                                      \
  ROWS_6(suffix), ROW(suffix, 7), ROW(suffix, 8), ROW(suffix, 9), ROW(suffix, 10),           \
      ROW(suffix, 11), ROW(suffix, 12), ROW(suffix, 13), ROW(suffix, 14)

TILES_14(avx512_half, TARGET_AVX512, HALF_BLOCK, 1)
TILES_14(avx512_low, TARGET_AVX512, ONE_BLOCK, 1)
TILES_14(avx512, TARGET_AVX512, TWO_BLOCKS, 1)
static tile_function *const avx512[][WIDEST_TILE][TILE_KINDS] = {
  [HALF_BLOCK] = {ROWS_14(avx512_half)}, [ONE_BLOCK] = {ROWS_14(avx512_low)},
  [TWO_BLOCKS] = {ROWS_14(avx512)}};
#endif

int widest_tile(void) {
  switch (kernels_level()) {
  case AVX512: return TILE_AVX512;
  case AVX2: return TILE_AVX2;
  case PORTABLE: return TILE_PORTABLE;
  }
  return 1;
}

tile_function *const *tile_functions(const struct pass *pass, int run, int tile_blocks, int64_t valid) {
  const enum width width = tile_blocks == 2 ? TWO_BLOCKS : valid <= CHANNELS / 2 ? HALF_BLOCK : ONE_BLOCK;
  const ptrdiff_t step = pass->source_steps[2];
  const enum kind kind = run != CHANNELS ? ANY_RUN
      : step == CHANNELS                 ? STRIDE_1
      : step == 2 * CHANNELS             ? STRIDE_2
                                         : ANY_STRIDE;
#if defined(__x86_64__)
  if (kernels_level() == AVX512) return &avx512[width][0][kind];
  if (kernels_level() == AVX2) return &avx2[width][0][kind];
#endif
  return &portable[width][0][kind];
}
