#include "matrix.h"

#include <string.h>

#include "processor.h"

// A fused multiplication and addition would round once where the other processors round twice.
#pragma STDC FP_CONTRACT OFF

typedef double vector4 __attribute__((ext_vector_type(4)));
typedef double vector8 __attribute__((ext_vector_type(8)));

enum { LANES = KERNELS_SUM_LANES, DEPTH = 256 };

/// Adds to the sums of eight first and eight second vectors, `rows` x a vector of them at a time, which stay in
/// registers.
#define TILE(name, vector, rows, attributes) \
  attributes static void name( \
      ptrdiff_t depth, const double *first, const double *second, double *sums, ptrdiff_t stride) { \
    enum { WIDTH = sizeof(vector) / sizeof(double) }; \
    for (int top = 0; top < LANES; top += rows) { \
      for (int left = 0; left < LANES; left += WIDTH) { \
        vector tile[rows], factors; \
        double *corner = sums + top * stride + left; \
        _Pragma("clang loop unroll(full)") for (int row = 0; row < rows; row++) { \
          memcpy(&tile[row], corner + row * stride, sizeof(vector)); \
        } \
        for (ptrdiff_t index = 0; index < depth; index++) { \
          memcpy(&factors, second + index * LANES + left, sizeof(vector)); \
          _Pragma("clang loop unroll(full)") for (int row = 0; row < rows; row++) { \
            tile[row] += factors * first[index * LANES + top + row]; \
          } \
        } \
        _Pragma("clang loop unroll(full)") for (int row = 0; row < rows; row++) { \
          memcpy(corner + row * stride, &tile[row], sizeof(vector)); \
        } \
      } \
    } \
  }

// As many sums as there are registers for.
#if defined(__aarch64__)
TILE(tile_plain, vector8, 4, )
#else
TILE(tile_plain, vector4, 4, )
#endif
#if defined(__x86_64__)
TILE(tile_avx2, vector8, 4, TARGET_AVX2)
TILE(tile_avx512, vector8, 8, TARGET_AVX512)
#endif

typedef void tile(
    ptrdiff_t depth, const double *first, const double *second, double *sums, ptrdiff_t stride);

static tile *best_tile(void) {
#if defined(__x86_64__)
  switch (kernels_level()) {
  case AVX512: return tile_avx512;
  case AVX2: return tile_avx2;
  case PORTABLE: return tile_plain;
  }
#endif
  return tile_plain;
}

void kernels_add_products(
    ptrdiff_t first_groups, ptrdiff_t second_groups, ptrdiff_t length, const double *first,
    const double *second, double *sums) {
  tile *add = best_tile();
  const ptrdiff_t stride = second_groups * LANES;
  // These parts of the vectors stay in the cache until all are multiplied with each other.
  for (ptrdiff_t start = 0; start < length; start += DEPTH) {
    const ptrdiff_t depth = length - start < DEPTH ? length - start : DEPTH;
    for (ptrdiff_t row = 0; row < first_groups; row++) {
      for (ptrdiff_t column = 0; column < second_groups; column++) {
        add(depth, first + (row * length + start) * LANES, second + (column * length + start) * LANES,
            sums + (row * stride + column) * LANES, stride);
      }
    }
  }
}
