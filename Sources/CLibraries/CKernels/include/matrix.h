#ifndef WEIGHBRIDGE_MATRIX_H
#define WEIGHBRIDGE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A matrix of which two neighbors in a column, and two in a row, lie so many elements apart.
struct kernels_matrix {
  const float *elements;
  ptrdiff_t row_stride, column_stride;
};

/// Adds a product of matrices to a matrix: target += factor * first * second. One thread; the sums are
/// made of parts of 256 products. The result depends on the processor's instructions alone.
///
/// - first: `[rows, depth]`
/// - second: `[depth, columns]`
/// - target: `[rows, columns]`, with so many elements from one row to the next
/// - Returns: Whether there was memory for it.
bool kernels_multiply(
    int rows, int columns, int depth, float factor, struct kernels_matrix first,
    struct kernels_matrix second, float *target, ptrdiff_t target_stride);

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

/// The most positions that are rounded in one call.
enum { KERNELS_ROUNDED_POSITIONS = 128 };

/// Some weights that are rounded one position after the other, from the last to the first, where each
/// makes up for what those before it did to the product with the inputs.
struct kernels_rounding {
  /// How many positions (inputs), and how many outputs.
  int positions, outputs;
  /// L, the lower triangle of the factored sums of products of the inputs, `[positions, positions]`;
  /// NULL where each position is by itself.
  const float *factor;
  ptrdiff_t factor_stride;
  /// `[positions, outputs]`, as are the following; so many elements from one position to the next.
  const float *weights;
  ptrdiff_t stride;
  /// What the errors of positions that were rounded in other calls add up to. kernels_round_dependent adds
  /// those of its own.
  float *sums;
  /// The weight less its rounded value.
  float *errors;
  int32_t *integers;
  /// A weight is an integer times a step; so many elements from the steps of one position to those of the next,
  /// 0 where each output has one.
  const float *steps;
  ptrdiff_t step_stride;
  /// The integers are kept in this range.
  int32_t least, greatest;
  /// Or a weight is one of so many rising numbers and the integer its index; NULL where there are steps.
  const float *levels;
  int level_count;
};

/// Rounds; returns the sum of the squares of what that does to the product with the inputs.
double kernels_round(const struct kernels_rounding *rounding);

/// The most outputs of a call of kernels_round_dependent.
enum { KERNELS_DEPENDENT_OUTPUTS = 256 };

/// The same with dependent quantization along the outputs, from state 0 at the first: a weight is the
/// multiple of its output's step that the integer k stands for, 2k or 2k less the sign of k. Takes one step for
/// each output, and neither a range nor levels.
double kernels_round_dependent(const struct kernels_rounding *rounding);

#endif
