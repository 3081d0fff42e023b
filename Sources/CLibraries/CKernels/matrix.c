#include "matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "processor.h"

// A product is computed in tiles that stay in registers over the whole depth. Both matrices are packed in the
// order in which the tiles read them, 256 of the depth at a time.

typedef float vector4 __attribute__((ext_vector_type(4)));
typedef float vector8 __attribute__((ext_vector_type(8)));
typedef float vector16 __attribute__((ext_vector_type(16)));

enum { DEPTH = 256, MAX_ROWS = 12, MAX_COLUMNS = 32 };

INLINE int smaller(int first, int second) { return first < second ? first : second; }

/// The sums of one tile: `rows` x two vectors. `first` is `[depth, rows]`, `second`
/// `[depth, two vectors]`, `sums` is `[rows, two vectors]`.
#define TILE(name, vector, rows, attributes) \
  attributes static void name(int depth, const float *first, const float *second, float *sums) { \
    enum { WIDTH = sizeof(vector) / sizeof(float) }; \
    vector low[rows], high[rows]; \
    _Pragma("clang loop unroll(full)") for (int row = 0; row < rows; row++) { \
      low[row] = high[row] = 0; \
    } \
    for (int index = 0; index < depth; index++, first += rows, second += 2 * WIDTH) { \
      vector left, right; \
      memcpy(&left, second, sizeof left); \
      memcpy(&right, second + WIDTH, sizeof right); \
      _Pragma("clang loop unroll(full)") for (int row = 0; row < rows; row++) { \
        low[row] += left * first[row]; \
        high[row] += right * first[row]; \
      } \
    } \
    _Pragma("clang loop unroll(full)") for (int row = 0; row < rows; row++) { \
      memcpy(sums + row * 2 * WIDTH, &low[row], sizeof low[row]); \
      memcpy(sums + row * 2 * WIDTH + WIDTH, &high[row], sizeof high[row]); \
    } \
  }

// As many rows with 32 registers of 4 elements as with 16 of 8; fewer with 16 of 4.
#if defined(__aarch64__)
TILE(tile_plain, vector8, 6, )
#else
TILE(tile_plain, vector4, 4, )
#endif
#if defined(__x86_64__)
TILE(tile_avx2, vector8, 6, TARGET_AVX2)
TILE(tile_avx512, vector16, 12, TARGET_AVX512)
#endif

struct shape {
  int rows, columns;
  void (*sum)(int depth, const float *first, const float *second, float *sums);
};

static struct shape tile_shape(void) {
  switch (kernels_level()) {
#if defined(__x86_64__)
  case AVX512: return (struct shape){12, 32, tile_avx512};
  case AVX2: return (struct shape){6, 16, tile_avx2};
#endif
#if defined(__aarch64__)
  default: return (struct shape){6, 16, tile_plain};
#else
  default: return (struct shape){4, 8, tile_plain};
#endif
  }
}

/// Packs a part of a matrix into strips of `width` lanes (rows of the first matrix or columns of the second):
/// `[lanes / width, depth, width]`, with zeros after the last lane.
static void pack(
    const float *source, ptrdiff_t lane_stride, ptrdiff_t depth_stride, int lanes, int depth,
    int width, float *target) {
  for (int start = 0; start < lanes; start += width, target += (ptrdiff_t)width * depth) {
    const int count = smaller(width, lanes - start);
    const float *strip = source + start * lane_stride;
    if (lane_stride == 1) {
      for (int index = 0; index < depth; index++) {
        float *row = target + (ptrdiff_t)index * width;
        memcpy(row, strip + index * depth_stride, (size_t)count * sizeof *row);
        memset(row + count, 0, (size_t)(width - count) * sizeof *row);
      }
    } else {
      for (int lane = 0; lane < width; lane++) {
        const float *from = strip + lane * lane_stride;
        for (int index = 0; index < depth; index++) {
          target[(ptrdiff_t)index * width + lane] = lane < count ? from[index * depth_stride] : 0;
        }
      }
    }
  }
}

bool kernels_multiply(
    int rows, int columns, int depth, float factor, struct kernels_matrix first,
    struct kernels_matrix second, float *target, ptrdiff_t target_stride) {
  const struct shape shape = tile_shape();
  const size_t row_strips = (size_t)(rows + shape.rows - 1) / (size_t)shape.rows;
  const size_t column_strips = (size_t)(columns + shape.columns - 1) / (size_t)shape.columns;
  const size_t part = (size_t)smaller(DEPTH, depth);
  const size_t left = row_strips * (size_t)shape.rows * part;
  const size_t right = column_strips * (size_t)shape.columns * part;
  float *memory = malloc((left + right) * sizeof(float));
  if (!memory) return false;
  float sums[MAX_ROWS * MAX_COLUMNS];
  for (int start = 0; start < depth; start += DEPTH) {
    const int count = smaller(DEPTH, depth - start);
    pack(first.elements + start * first.column_stride, first.row_stride, first.column_stride, rows,
         count, shape.rows, memory);
    pack(second.elements + start * second.row_stride, second.column_stride, second.row_stride,
         columns, count, shape.columns, memory + left);
    for (int column = 0; column < columns; column += shape.columns) {
      const float *strip = memory + left + (ptrdiff_t)column * count;
      const int width = smaller(shape.columns, columns - column);
      for (int row = 0; row < rows; row += shape.rows) {
        shape.sum(count, memory + (ptrdiff_t)row * count, strip, sums);
        const int height = smaller(shape.rows, rows - row);
        for (int line = 0; line < height; line++) {
          float *to = target + (row + line) * target_stride + column;
          const float *from = sums + line * shape.columns;
          for (int index = 0; index < width; index++) to[index] += factor * from[index];
        }
      }
    }
  }
  free(memory);
  return true;
}

bool kernels_factor(int count, float *matrix, ptrdiff_t stride) {
  for (int row = 0; row < count; row++) {
    float *own = matrix + row * stride;
    for (int column = 0; column <= row; column++) {
      const float *other = matrix + column * stride;
      double sum = own[column];
      for (int index = 0; index < column; index++) sum -= (double)own[index] * other[index];
      if (column < row) {
        own[column] = (float)(sum / other[column]);
      } else {
        if (!(sum > 0) || !isfinite(sum)) return false;
        own[row] = (float)sqrt(sum);
      }
    }
  }
  return true;
}

INLINE void solve(
    int rows, int count, const float *factor, ptrdiff_t factor_stride, float *target,
    ptrdiff_t target_stride) {
  for (int row = 0; row < rows; row++) {
    float *own = target + row * target_stride;
    for (int column = 0; column < count; column++) {
      const float *other = factor + column * factor_stride;
      float sums[8] = {0};
      int index = 0;
      for (; index + 8 <= column; index += 8) {
        for (int lane = 0; lane < 8; lane++) sums[lane] += own[index + lane] * other[index + lane];
      }
      float sum = ((sums[0] + sums[4]) + (sums[1] + sums[5]))
          + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
      for (; index < column; index++) sum += own[index] * other[index];
      own[column] = (own[column] - sum) / other[column];
    }
  }
}

/// The number of outputs that are rounded together, and the maximum number of positions in a block: their
/// sums stay in the L1 cache.
enum { STRIP = 32, POSITIONS = KERNELS_ROUNDED_POSITIONS };

/// The index of the level nearest to a value; ties go to the lower one.
INLINE int nearest_level(const struct kernels_rounding *all, float value) {
  int low = 0, high = all->level_count - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (value > (all->levels[middle] + all->levels[middle + 1]) / 2) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

INLINE double round_strip(const struct kernels_rounding *all, int start, int count) {
  float steps[STRIP], errors[STRIP], integers[STRIP], values[STRIP] = {0}, squares[STRIP] = {0};
  float sums[POSITIONS][STRIP] = {{0}}, weights[STRIP] = {0}, adjusted[STRIP];
  for (int lane = 0; lane < STRIP; lane++) steps[lane] = 1;
  for (int position = 0; position < all->positions; position++) {
    memcpy(sums[position], all->sums + position * all->stride + start, (size_t)count * sizeof(float));
  }
  const float least = (float)all->least, greatest = (float)all->greatest;
  for (int position = all->positions - 1; position >= 0; position--) {
    const float *factors = all->factor ? all->factor + position * all->factor_stride : 0;
    const float own = all->factor ? factors[position] : 1, inverse = 1 / own;
    const ptrdiff_t offset = position * all->stride + start;
    memcpy(weights, all->weights + offset, (size_t)count * sizeof *weights);
    for (int lane = 0; lane < STRIP; lane++) {
      adjusted[lane] = weights[lane] + sums[position][lane] * inverse;
    }
    if (all->levels) {
      for (int lane = 0; lane < count; lane++) {
        const int index = nearest_level(all, adjusted[lane]);
        integers[lane] = (float)index;
        values[lane] = all->levels[index];
      }
    } else {
      memcpy(steps, all->steps + position * all->step_stride + start, (size_t)count * sizeof *steps);
      for (int lane = 0; lane < STRIP; lane++) {
        const float scaled = adjusted[lane] / steps[lane], size = fabsf(scaled), whole = floorf(size);
        float integer = copysignf(size - whole > 0.5f ? whole + 1 : whole, scaled);
        integer = integer < least ? least : integer > greatest ? greatest : integer;
        integers[lane] = integer;
        values[lane] = integer * steps[lane];
      }
    }
    for (int lane = 0; lane < STRIP; lane++) {
      const float rest = (adjusted[lane] - values[lane]) * own;
      errors[lane] = weights[lane] - values[lane];
      squares[lane] += rest * rest;
    }
    for (int lane = 0; lane < count; lane++) all->integers[offset + lane] = (int32_t)integers[lane];
    memcpy(all->errors + offset, errors, (size_t)count * sizeof *errors);
    for (int other = 0; all->factor && other < position; other++) {
      const float factor = factors[other];
      for (int lane = 0; lane < STRIP; lane++) sums[other][lane] += errors[lane] * factor;
    }
  }
  double loss = 0;
  for (int lane = 0; lane < count; lane++) loss += squares[lane];
  return loss;
}

INLINE double round_all(const struct kernels_rounding *all) {
  double loss = 0;
  int start = 0;
  for (; start + STRIP <= all->outputs; start += STRIP) loss += round_strip(all, start, STRIP);
  return start < all->outputs ? loss + round_strip(all, start, all->outputs - start) : loss;
}

#if defined(__x86_64__)
TARGET_AVX2 static double round_avx2(const struct kernels_rounding *all) {
  return round_all(all);
}
TARGET_AVX2 static void solve_avx2(
    int rows, int count, const float *factor, ptrdiff_t factor_stride, float *target,
    ptrdiff_t target_stride) {
  solve(rows, count, factor, factor_stride, target, target_stride);
}
#endif

double kernels_round(const struct kernels_rounding *all) {
#if defined(__x86_64__)
  if (kernels_level() != PORTABLE) return round_avx2(all);
#endif
  return round_all(all);
}

void kernels_solve(
    int rows, int count, const float *factor, ptrdiff_t factor_stride, float *target,
    ptrdiff_t target_stride) {
#if defined(__x86_64__)
  if (kernels_level() != PORTABLE) {
    return solve_avx2(rows, count, factor, factor_stride, target, target_stride);
  }
#endif
  solve(rows, count, factor, factor_stride, target, target_stride);
}
