#ifndef WEIGHBRIDGE_PRIMITIVES_H
#define WEIGHBRIDGE_PRIMITIVES_H

// Primitives: computations on float32 arrays, planned once for given layouts and then run on any memory with
// these layouts, with the threads of the caller. The results depend on the instruction set of the processor,
// but not on the number of threads.
//
// Functions that create a primitive return NULL when it is not supported here or memory cannot be allocated.
// A primitive is immutable and may be shared between threads.

#include "layout.h"

/// Whether kernels use only the baseline instruction set although faster variants exist: because the
/// processor lacks the instructions, or because WEIGHBRIDGE_MAX_ISA excludes them.
bool kernels_are_portable(void);

typedef struct kernels_primitive kernels_primitive;

/// The role of a primitive's argument.
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
  /// A second copy of the result, as 8-bit integers or bfloat16.
  kernels_role_quantized_target,
  /// Working memory.
  kernels_role_scratchpad,
};

/// An elementwise function of x; some have parameters alpha and beta.
enum kernels_function {
  kernels_function_abs,
  /// min(max(x, alpha), beta)
  kernels_function_clip,
  /// x above 0, else alpha * (e^x - 1)
  kernels_function_elu,
  /// 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x
  kernels_function_erf,
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
  /// x above 0, else alpha * x; with an alpha of 0, 0 also for -infinity
  kernels_function_relu,
  kernels_function_softplus,
  kernels_function_sqrt,
  /// x * logistic(alpha * x)
  kernels_function_swish,
  kernels_function_tanh,
};

/// Applies a function to contiguous elements in place. NaN stays NaN.
void kernels_apply(
    enum kernels_function function, float alpha, float beta, float *elements, int64_t count);

/// A post-operation, applied to a primitive's result before it is stored: a function, or the sum with the
/// previous contents of the target.
struct kernels_post_operation {
  bool is_sum;
  enum kernels_function function;
  float alpha, beta;
};

struct kernels_post_operations {
  const struct kernels_post_operation *operations;
  int count;
};

/// A window that slides over the spatial axes, with one entry per axis. A dilation of 1 means no gaps;
/// padding may be negative.
struct kernels_window {
  const int64_t *size, *strides, *dilation, *before, *after;
};

/// A convolution of `[batch, channels, spatial...]` with one to three spatial axes; weights are `[out, in,
/// spatial...]` or `[groups, out, in, spatial...]`. `bias` is NULL if there is none. A source whose channels are in
/// blocks is read as it is; in place of any other order the primitive chooses one.
///
/// An infinite or NaN input affects only the outputs of its group whose window covers it.
kernels_primitive *kernels_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post);

/// A convolution fused with the depthwise convolution of its result, which is computed a few rows at a time
/// and never stored in full. Its roles are those of the first convolution, plus the second's weights, bias
/// and target.
///
/// @param first, second Primitives created by `kernels_convolution`; they must outlive the result.
kernels_primitive *kernels_convolution_pair(
    const kernels_primitive *first, const kernels_primitive *second);

/// A transposed convolution, with weights in the same order as for a convolution.
kernels_primitive *kernels_transposed_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post);

/// `[rows, in]` times `[out, in]`, plus `[out]`.
kernels_primitive *kernels_dense(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_post_operations post);

/// `[batch..., m, k]` times `[batch..., k, n]`; batch axes may be broadcast from size 1.
kernels_primitive *kernels_product(
    const kernels_layout *first, const kernels_layout *second, const kernels_layout *target);

enum kernels_pooling {
  /// Ignores NaN; -infinity if there is nothing else.
  kernels_pooling_max,
  /// The same, at least 0 for a window that extends beyond the edges: the padding is zeros.
  kernels_pooling_max_with_padding,
  /// NaN if there is one.
  kernels_pooling_max_or_nan,
  kernels_pooling_mean,
  kernels_pooling_mean_with_padding,
};

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
  /// NaN if either is NaN.
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

/// Pads a dense array with a constant; the array begins at `before` in the target. The target's order is left
/// open.
kernels_primitive *kernels_pad(
    const kernels_layout *source, const kernels_layout *target, const int64_t *before,
    float fill_value);

/// Concatenates arrays along an axis; the role of a source is its index.
kernels_primitive *kernels_concatenation(
    int axis, int count, const kernels_layout *const *sources, const kernels_layout *target);

/// Softmax along an axis, or its logarithm.
kernels_primitive *kernels_softmax(const kernels_layout *layout, int axis, bool is_logarithm);

/// Normalizes each of `[rows, size]` by its mean and variance, which are accumulated in double, with a scale and
/// a shift for each of `size`.
kernels_primitive *kernels_layer_normalization(
    const kernels_layout *layout, double epsilon);

/// Normalizes each channel of `[batch, channels, ...]` by mean and variance, with a scale and a shift.
kernels_primitive *kernels_batch_normalization(const kernels_layout *layout, float epsilon);

void kernels_primitive_free(kernels_primitive *primitive);

/// A copy of the layout of an argument, which the caller owns; NULL when there is no such argument.
kernels_layout *kernels_primitive_layout(const kernels_primitive *primitive, enum kernels_role role);

/// The name of the implementation, for example `blocked convolution`. Valid as long as the primitive.
const char *kernels_primitive_name(const kernels_primitive *primitive);

/// An argument of a call: its role and its address.
struct kernels_argument {
  int role;
  /// The index of a source of a concatenation.
  int number;
  void *address;
};

/// Runs a primitive and waits until it is done.
void kernels_run(
    const kernels_primitive *primitive, const struct kernels_argument *arguments, int count);

#endif
