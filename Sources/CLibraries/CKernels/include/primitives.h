#ifndef WEIGHBRIDGE_PRIMITIVES_H
#define WEIGHBRIDGE_PRIMITIVES_H

// Primitives: computations on float32 arrays, planned once for given layouts and run on any memory of
// these layouts, on the caller's threads. The results depend on the processor's instructions, not on
// the number of threads.
//
// Functions that make a primitive return NULL when it cannot be computed here or there is no memory;
// what they return is never changed afterwards and may be used by several threads.

#include "layout.h"

/// Whether kernels use no more than what all processors of this kind have, though kernels for more are
/// at hand: this processor lacks it, or WEIGHBRIDGE_MAX_ISA says so.
bool kernels_are_portable(void);

typedef struct kernels_primitive kernels_primitive;

/// What an argument of a primitive is for.
enum kernels_role {
  kernels_role_source,
  kernels_role_second_source,
  kernels_role_target,
  kernels_role_weights,
  kernels_role_bias,
  kernels_role_second_weights,
  kernels_role_second_bias,
  kernels_role_mean,
  kernels_role_variance,
  kernels_role_scale,
  kernels_role_shift,
  /// The result once more, as 8-bit integers.
  kernels_role_quantized_target,
  /// Working memory.
  kernels_role_scratchpad,
};

/// A function of each element x, some with settings alpha and beta.
enum kernels_function {
  kernels_function_abs,
  /// min(max(x, alpha), beta)
  kernels_function_clip,
  /// x above 0, else alpha * (e^x - 1)
  kernels_function_elu,
  kernels_function_exp,
  kernels_function_gelu_erf,
  kernels_function_gelu_tanh,
  /// x * min(max(x / 6 + 1 / 2, 0), 1)
  kernels_function_hardswish,
  /// alpha * x + beta
  kernels_function_linear,
  kernels_function_logistic,
  kernels_function_logsigmoid,
  kernels_function_mish,
  /// x above 0, else alpha * x
  kernels_function_relu,
  kernels_function_softplus,
  kernels_function_sqrt,
  /// x * logistic(alpha * x)
  kernels_function_swish,
  kernels_function_tanh,
};

/// Replaces elements that stand side by side by a function of them. NaN stays NaN.
void kernels_apply(
    enum kernels_function function, float alpha, float beta, float *elements, int64_t count);

/// What is done to a primitive's result before it is stored: a function of it, or the sum with what
/// the target held before.
struct kernels_post_operation {
  bool is_sum;
  enum kernels_function function;
  float alpha, beta;
};

struct kernels_post_operations {
  const struct kernels_post_operation *operations;
  int count;
};

/// A window that slides over the spatial axes, one entry an axis. A dilation of 1 leaves nothing out;
/// padding may be negative.
struct kernels_window {
  const int64_t *size, *strides, *dilation, *before, *after;
};

/// A convolution of `[batch, channels, spatial...]` with one to three spatial axes; weights
/// `[out, in, spatial...]`, or `[groups, out, in, spatial...]`. Without a bias, that is NULL.
///
/// @param may_spread_nan Whether an input that is infinite or no number may reach outputs that do not
///   see it, which makes some faster.
kernels_primitive *kernels_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post, bool may_spread_nan);

/// A convolution and the depthwise convolution of its result, which is computed some rows at a time and never
/// stored as a whole. Its roles are those of the first, with the second's weights, bias and target.
///
/// @param first, second What `kernels_convolution` made; they must live as long as the result.
kernels_primitive *kernels_convolution_pair(
    const kernels_primitive *first, const kernels_primitive *second);

/// The transpose of a convolution, with weights in the same order.
kernels_primitive *kernels_transposed_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post);

/// `[rows, in]` times `[out, in]`, plus `[out]`.
kernels_primitive *kernels_dense(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_post_operations post);

/// `[batch..., m, k]` times `[batch..., k, n]`; the batch's sizes may be 1 on one side.
kernels_primitive *kernels_product(
    const kernels_layout *first, const kernels_layout *second, const kernels_layout *target);

enum kernels_pooling { kernels_pooling_max, kernels_pooling_mean, kernels_pooling_mean_with_padding };

/// Pooling of `[batch, channels, spatial...]`.
kernels_primitive *kernels_pool(
    enum kernels_pooling kind, const kernels_layout *source, const kernels_layout *target,
    struct kernels_window window);

/// A function of each element, in a dense layout; the target may be the source.
kernels_primitive *kernels_elementwise(
    enum kernels_function function, float alpha, float beta, const kernels_layout *layout);

enum kernels_combination {
  kernels_combination_add,
  kernels_combination_subtract,
  kernels_combination_multiply,
  kernels_combination_divide,
  kernels_combination_max,
  kernels_combination_min,
};

/// Two arrays, element by element; the second one may have sizes of 1.
kernels_primitive *kernels_combine(
    enum kernels_combination combination, const kernels_layout *first,
    const kernels_layout *second, const kernels_layout *target);

/// Another order of the elements in memory.
///
/// @param scales Factors along axis 0 of the array (along axes 0 and 1 when `has_groups` is true);
///   none when `count` is 0.
kernels_primitive *kernels_reorder(
    const kernels_layout *source, const kernels_layout *target, bool has_groups, const float *scales,
    int count);

/// A dense array amid others of one number; it begins at `before`. The target's order is open.
kernels_primitive *kernels_pad(
    const kernels_layout *source, const kernels_layout *target, const int64_t *before,
    float filling);

/// Arrays one behind the other; a source's role is its number.
kernels_primitive *kernels_concatenation(
    int axis, int count, const kernels_layout *const *sources, const kernels_layout *target);

/// e^x divided by its sum along an axis, or the logarithm of that.
kernels_primitive *kernels_softmax(const kernels_layout *layout, int axis, bool is_logarithm);

/// Normalization of `[batch, channels, ...]` for each channel by mean and variance, with a factor and
/// a summand.
kernels_primitive *kernels_batch_normalization(const kernels_layout *layout, float epsilon);

void kernels_primitive_free(kernels_primitive *primitive);

/// The layout of an argument, for another owner; NULL when there is no such argument.
kernels_layout *kernels_primitive_layout(const kernels_primitive *primitive, enum kernels_role role);

/// What computes it, for example `blocked convolution (AVX-512)`. Valid as long as the primitive.
const char *kernels_primitive_name(const kernels_primitive *primitive);

/// An argument of a call: what it is for (of a concatenation: which source), and where it lies.
struct kernels_argument {
  int role;
  /// Sources of a concatenation are told apart by this.
  int number;
  void *address;
};

/// Runs a primitive and waits for it.
void kernels_run(
    const kernels_primitive *primitive, const struct kernels_argument *arguments, int count);

#endif
