#ifndef WEIGHBRIDGE_MATRIX_H
#define WEIGHBRIDGE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A strided matrix; strides are in elements.
struct kernels_matrix {
  const float *elements;
  ptrdiff_t row_stride, column_stride;
};

/// Adds a matrix product to a matrix: target += factor * first * second. Runs on one thread and accumulates
/// blocks of 256 products. The result depends only on the instruction set of the processor.
///
/// - first: `[rows, depth]`
/// - second: `[depth, columns]`
/// - target: `[rows, columns]`, with `target_stride` elements between rows
/// - Returns: Whether memory could be allocated.
bool kernels_multiply(
    int rows, int columns, int depth, float factor, struct kernels_matrix first,
    struct kernels_matrix second, float *target, ptrdiff_t target_stride);

/// The number of vectors that kernels_add_products takes side by side.
enum { KERNELS_SUM_LANES = 8 };

/// Adds the products of the elements of vectors to sums, in double precision: for each pair of a first and a
/// second vector one product after the other, each rounded and then added, so that the result has the same bits
/// on every processor. Runs on one thread. For the reference engine.
///
/// - first: `[first_groups, length, 8]`, eight vectors side by side in each group
/// - second: `[second_groups, length, 8]`
/// - sums: `[8 * first_groups, 8 * second_groups]`
void kernels_add_products(
    ptrdiff_t first_groups, ptrdiff_t second_groups, ptrdiff_t length, const double *first,
    const double *second, double *sums);

/// Factors a symmetric matrix in place: its lower triangle becomes L with L * transposed(L) = matrix.
/// For small matrices; accumulates in double.
///
/// - Returns: False when the matrix is not positive definite.
bool kernels_factor(int count, float *matrix, ptrdiff_t stride);

/// Replaces each row x of a matrix by the solution y of L * y = x.
///
/// - factor: L, a lower triangle, `[count, count]`
/// - target: `[rows, count]`
void kernels_solve(
    int rows, int count, const float *factor, ptrdiff_t factor_stride, float *target,
    ptrdiff_t target_stride);

/// The maximum number of positions that are rounded in one call.
enum { KERNELS_ROUNDED_POSITIONS = 128 };

/// Weights that are rounded one position after the other, from the last to the first, where each compensates
/// for the error that the positions rounded before it add to the product with the inputs.
struct kernels_rounding {
  /// The number of positions (inputs), and of outputs.
  int positions, outputs;
  /// L, the lower Cholesky factor of the sums of products of the inputs, `[positions, positions]`; NULL to
  /// round each position independently.
  const float *factor;
  ptrdiff_t factor_stride;
  /// `[positions, outputs]`, as are the following, with `stride` elements between positions.
  const float *weights;
  ptrdiff_t stride;
  /// The accumulated errors of positions that were rounded in other calls. kernels_round_dependent adds its
  /// own errors to them.
  float *sums;
  /// The weight minus its rounded value.
  float *errors;
  int32_t *integers;
  /// A weight is an integer times a step. `step_stride` is the distance between the steps of consecutive
  /// positions, 0 where each output has a single step.
  const float *steps;
  ptrdiff_t step_stride;
  /// The integers are clamped to this range.
  int32_t least, greatest;
  /// Alternatively, a weight is one of `level_count` ascending levels, and the integer its index; NULL when
  /// steps are used.
  const float *levels;
  int level_count;
};

/// Rounds the weights; returns the sum of squared errors of the product with the inputs.
double kernels_round(const struct kernels_rounding *rounding);

/// The maximum number of outputs in a call of kernels_round_dependent.
enum { KERNELS_DEPENDENT_OUTPUTS = 256 };

/// The same with dependent quantization along the outputs, starting with state 0 at the first: a weight is
/// the multiple of its output's step that the integer k represents, 2k or 2k - sign(k). Requires one step for
/// each output, and uses neither a range nor levels.
double kernels_round_dependent(const struct kernels_rounding *rounding);

#endif
