#include "kernels.h"

// Each tile of the output, some elements of a row in 32 channels, stays in registers while the window
// passes over 16 input channels after the other: of what is read in the inner loop, a weight serves all
// elements of the tile, and an element of the input 32 channels. The weights of some channels are used
// for all rows before the next are read, so that they stay in the nearest cache, and are asked for
// before they are needed.

#if defined(__x86_64__)

#include <stdlib.h>
#include <string.h>

enum { BLOCK = KERNELS_CHANNEL_BLOCK, LINE = 64 };

// All functions with vectors are inlined where the processor's features are known.
#pragma clang diagnostic ignored "-Wpsabi"

/// The elements of a register.
typedef float vector __attribute__((ext_vector_type(16)));

#define INLINE static inline __attribute__((always_inline))

INLINE vector load(const float *address) {
  vector result;
  memcpy(&result, address, sizeof result);
  return result;
}

INLINE void store(float *address, vector value) { memcpy(address, &value, sizeof value); }

/// What is below 0 times a slope; NaN stays NaN.
INLINE vector bent(vector value, float slope) {
  return value < 0 ? value * slope : value;
}

/// A tile, and what of the input it sees.
struct tile {
  const float *source;
  /// The distances between blocks of channels, window rows and window columns of the source.
  ptrdiff_t block, row, column;
  const float *weights;
  /// How many blocks of input channels are added up.
  int blocks;
  float *low, *high;
  /// NULL when sums that were begun are continued.
  const float *bias;
  bool is_last;
  /// What is needed soon, and how many lines of it are asked for with each element of the window.
  const char *next;
  int lines;
};

/// Adds the products of some input channels to the tile. `count` is known when this is compiled.
INLINE void sum_up(const struct kernels_convolution *all, const struct tile *tile, const int count) {
  // Sums of some channels each, which are added up at the end, lose fewer digits than one long sum.
  vector low[14], high[14];
#pragma clang loop unroll(full)
  for (int place = 0; place < count; place++) low[place] = high[place] = 0;
  const float *weights = tile->weights;
  const char *next = tile->next;
  for (int block = 0; block < tile->blocks; block++) {
    for (int row = 0; row < all->window_height; row++) {
      for (int column = 0; column < all->window_width; column++) {
        const float *source =
            tile->source + block * tile->block + row * tile->row + column * tile->column;
        // Not known to be the same: two instructions that read the element that they multiply are
        // fewer than one that reads it and two that multiply, and with the loop written out their
        // addresses are plain.
        const float *again = source;
        __asm__("" : "+r"(source), "+r"(again));
#pragma clang loop unroll(full)
        for (int channel = 0; channel < BLOCK; channel++, source++, again++, weights += 2 * BLOCK) {
          const vector first = load(weights), second = load(weights + BLOCK);
#pragma clang loop unroll(full)
          for (int place = 0; place < count; place++) {
            low[place] += first * source[place * BLOCK];
            high[place] += second * again[place * BLOCK];
          }
        }
        for (int line = 0; line < tile->lines; line++, next += LINE) {
          __builtin_prefetch(next, 0, 2);
        }
      }
    }
  }
#pragma clang loop unroll(full)
  for (int place = 0; place < count; place++) {
    if (tile->bias) {
      low[place] += load(tile->bias);
      high[place] += load(tile->bias + BLOCK);
    }
    if (!tile->bias || all->adds) {
      low[place] += load(tile->low + place * BLOCK);
      high[place] += load(tile->high + place * BLOCK);
    }
    if (tile->is_last && all->slope != 1) {
      low[place] = bent(low[place], all->slope);
      high[place] = bent(high[place], all->slope);
    }
    store(tile->low + place * BLOCK, low[place]);
    store(tile->high + place * BLOCK, high[place]);
  }
}

typedef void sum_up_function(const struct kernels_convolution *, const struct tile *);

// 32 registers of 16 elements: two for each element of a tile, and some for what is read.
#define TILE(count) \
  __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"))) static void tile_##count( \
      const struct kernels_convolution *all, const struct tile *tile) { \
    sum_up(all, tile, count); \
  }

TILE(1) TILE(2) TILE(3) TILE(4) TILE(5) TILE(6) TILE(7)
TILE(8) TILE(9) TILE(10) TILE(11) TILE(12) TILE(13) TILE(14)

/// For each number of elements, from 1.
static sum_up_function *const tiles[] = {
  tile_1, tile_2, tile_3, tile_4, tile_5, tile_6, tile_7,
  tile_8, tile_9, tile_10, tile_11, tile_12, tile_13, tile_14,
};

enum { WIDEST_TILE = sizeof tiles / sizeof *tiles };

bool kernels_convolution_is_there(void) {
  // A user who keeps oneDNN to older instructions means ours too.
  const char *limit = getenv("ONEDNN_MAX_CPU_ISA");
  if (!limit) limit = getenv("DNNL_MAX_CPU_ISA");
  if (limit && strcmp(limit, "ALL") && strcmp(limit, "DEFAULT") && strncmp(limit, "AVX512", 6)) {
    return false;
  }
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
      && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}

/// So many bytes of weights stay in the nearest cache, beside what they are multiplied with.
enum { NEAREST_CACHE = 40 << 10 };

INLINE int smaller(int first, int second) { return first < second ? first : second; }

void kernels_convolve(
    const struct kernels_convolution *all, const float *source, const float *all_weights,
    const float *bias, float *all_targets, int output_block, int first_row, int end_row) {
  if (first_row >= end_row) return;
  const int steps = all->window_height * all->window_width;
  const int blocks = all->input_channels / BLOCK;
  const ptrdiff_t block_weights = (ptrdiff_t)steps * BLOCK * KERNELS_OUTPUT_BLOCK;
  const int block_bytes = (int)(block_weights * (ptrdiff_t)sizeof(float));
  const int most = block_bytes < NEAREST_CACHE ? NEAREST_CACHE / block_bytes : 1;
  const int tile_count = (all->width + WIDEST_TILE - 1) / WIDEST_TILE;
  const float *weights = all_weights + output_block * blocks * block_weights;
  const ptrdiff_t plane = (ptrdiff_t)all->height * all->width * BLOCK;
  float *target = all_targets + output_block * 2 * plane;
  const ptrdiff_t source_row = (ptrdiff_t)all->columns * BLOCK;
  for (int block = 0; block < blocks; block += most) {
    struct tile tile = {
      .block = source_row * all->rows,
      .row = source_row * all->row_dilation,
      .column = (ptrdiff_t)BLOCK * all->column_dilation,
      .weights = weights + block * block_weights,
      .blocks = smaller(most, blocks - block),
      .bias = block ? NULL : bias + output_block * KERNELS_OUTPUT_BLOCK,
      .is_last = block + most >= blocks,
    };
    // The next weights come in equal parts while these are used.
    const int next_blocks = smaller(most, blocks - block - tile.blocks);
    const ptrdiff_t lines = (ptrdiff_t)next_blocks * (block_bytes / LINE);
    const ptrdiff_t visits = (ptrdiff_t)(end_row - first_row) * tile_count * tile.blocks * steps;
    const ptrdiff_t share = (lines + visits - 1) / visits;
    const ptrdiff_t tile_share = share * tile.blocks * steps;
    ptrdiff_t asked = 0;
    for (int row = first_row; row < end_row; row++) {
      for (int number = 0; number < tile_count; number++) {
        const int start = (int)((long)all->width * number / tile_count);
        const int end = (int)((long)all->width * (number + 1) / tile_count);
        const ptrdiff_t place = ((ptrdiff_t)row * all->width + start) * BLOCK;
        const bool asks = asked + tile_share <= lines;
        tile.source = source + block * tile.block + row * source_row + (ptrdiff_t)start * BLOCK;
        tile.low = target + place;
        tile.high = target + plane + place;
        tile.lines = asks ? (int)share : 0;
        tile.next = asks ? (const char *)(tile.weights + tile.blocks * block_weights) + asked * LINE
                         : NULL;
        asked += tile_share;
        tiles[end - start - 1](all, &tile);
      }
    }
  }
}

#else

bool kernels_convolution_is_there(void) { return false; }

#pragma clang diagnostic ignored "-Wunused-parameter"

void kernels_convolve(
    const struct kernels_convolution *convolution, const float *source, const float *weights,
    const float *bias, float *target, int output_block, int first_row, int end_row) {}

#endif
