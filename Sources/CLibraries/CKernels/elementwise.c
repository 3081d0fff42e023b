#include <math.h>
#include <stdlib.h>

#include "functions.h"
#include "primitive.h"
#include "threads.h"

// Elementwise functions, and binary elementwise operations.

#define EACH(expression)                                 \
  for (int64_t index = 0; index < count; index++) {      \
    const float x = elements[index];                     \
    elements[index] = (expression);                      \
  }                                                      \
  return

INLINE void apply_body(
    enum kernels_function function, float alpha, float beta, float *elements, int64_t count) {
  switch (function) {
  case kernels_function_abs: EACH(fabsf(x));
  case kernels_function_clip: EACH((x < alpha ? alpha : x) > beta ? beta : x < alpha ? alpha : x);
  case kernels_function_elu: EACH(x > 0 ? x : alpha * exponential_minus_1(x));
  case kernels_function_erf: EACH(error_function(x));
  case kernels_function_exp: EACH(exponential(x));
  case kernels_function_gelu_erf: EACH(gaussian_error_linear(x));
  case kernels_function_gelu_tanh:
    EACH(x * logistic(1.59576912f * (x + 0.044715f * x * x * x)));
  case kernels_function_hardswish:
    EACH(x * (x < -3 ? 0 : x > 3 ? 1 : (x + 3) * (1.0f / 6)));
  case kernels_function_linear: EACH(alpha * x + beta);
  case kernels_function_logistic: EACH(logistic(x));
  case kernels_function_logsigmoid: EACH(-softplus(-x));
  case kernels_function_mish: EACH(x * hyperbolic_tangent(softplus(x)));
  case kernels_function_relu:
    if (alpha == 0) {
      EACH(x < 0 ? 0 : x);
    }
    EACH(x > 0 ? x : alpha * x);
  case kernels_function_softplus: EACH(softplus(x));
  case kernels_function_sqrt: EACH(sqrtf(x));
  case kernels_function_swish: EACH(x * logistic(alpha * x));
  case kernels_function_tanh: EACH(hyperbolic_tangent(x));
  }
}

VARIANTS(
    apply, (enum kernels_function function, float alpha, float beta, float *elements, int64_t count),
    (function, alpha, beta, elements, count))

void kernels_apply(
    enum kernels_function function, float alpha, float beta, float *elements, int64_t count) {
  apply(function, alpha, beta, elements, count);
}

struct elementwise {
  kernels_primitive primitive;
  enum kernels_function function;
  float alpha, beta;
  int64_t count;
};

/// The number of elements that a thread takes at once.
enum { SHARE = 1 << 13 };

struct work {
  const struct elementwise *all;
  const float *source;
  float *target;
};

static void run_share(void *context, int index) {
  const struct work *work = context;
  const int64_t first = (int64_t)index * SHARE, count = smaller(SHARE, work->all->count - first);
  if (work->source != work->target) {
    memcpy(work->target + first, work->source + first, (size_t)count * sizeof *work->target);
  }
  apply(work->all->function, work->all->alpha, work->all->beta, work->target + first, count);
}

static void run_elementwise(const kernels_primitive *primitive, const struct call *call) {
  const struct elementwise *all = (const struct elementwise *)primitive;
  float *target = call->arguments[kernels_role_target];
  struct work work = {all, call->arguments[kernels_role_source], target};
  kernels_parallel((int)ceil_div(all->count, SHARE), run_share, &work);
  clear_padding(&primitive->layouts[kernels_role_target], target);
}

kernels_primitive *kernels_elementwise(
    enum kernels_function function, float alpha, float beta, const kernels_layout *layout) {
  if (!kernels_layout_is_dense(layout)) return NULL;
  struct elementwise *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive = (kernels_primitive){.name = "elementwise", .run = run_elementwise};
  primitive_set(&all->primitive, kernels_role_source, layout);
  primitive_set(&all->primitive, kernels_role_target, layout);
  all->function = function;
  all->alpha = alpha;
  all->beta = beta;
  all->count = (int64_t)(kernels_layout_byte_count(layout) / sizeof(float));
  return &all->primitive;
}

struct combination {
  kernels_primitive primitive;
  struct walk walk;
  enum kernels_combination combination;
};

#define COMBINE(expression)                                                     \
  for (int64_t row = 0; row < patch->counts[0]; row++) {                        \
    float *target = elements[0] + row * patch->strides[0][0];                   \
    const float *first = elements[1] + row * patch->strides[0][1];              \
    const float *second = elements[2] + row * patch->strides[0][2];             \
    if (are_dense && other == 0) {                                              \
      const float y = *second;                                                  \
      ELEMENTWISE                                                               \
      for (int64_t index = 0; index < columns; index++) {                       \
        const float x = first[index];                                           \
        target[index] = (expression);                                           \
      }                                                                         \
    } else if (are_dense && other == 1) {                                       \
      ELEMENTWISE                                                               \
      for (int64_t index = 0; index < columns; index++) {                       \
        const float x = first[index], y = second[index];                        \
        target[index] = (expression);                                           \
      }                                                                         \
    } else {                                                                    \
      for (int64_t index = 0; index < columns; index++) {                       \
        const float x = first[index * patch->strides[1][1]];                    \
        const float y = second[index * other];                                  \
        target[index * patch->strides[1][0]] = (expression);                    \
      }                                                                         \
    }                                                                           \
  }                                                                             \
  return

INLINE void combine_patch_body(
    void *context, const struct patch *patch, float *const elements[WALK_ARRAYS]) {
  const enum kernels_combination *combination = context;
  const int64_t columns = patch->counts[1], other = patch->strides[1][2];
  const bool are_dense = patch->strides[1][0] == 1 && patch->strides[1][1] == 1;
  switch (*combination) {
  case kernels_combination_add: COMBINE(x + y);
  case kernels_combination_subtract: COMBINE(x - y);
  case kernels_combination_multiply: COMBINE(x * y);
  case kernels_combination_divide: COMBINE(x / y);
  case kernels_combination_max: COMBINE(x != x ? x : x > y ? x : y);
  case kernels_combination_min: COMBINE(x != x ? x : x < y ? x : y);
  }
}

VARIANTS(
    combine_patch, (void *context, const struct patch *patch, float *const elements[WALK_ARRAYS]),
    (context, patch, elements))

static void run_combination(const kernels_primitive *primitive, const struct call *call) {
  const struct combination *all = (const struct combination *)primitive;
  float *const addresses[] = {
    call->arguments[kernels_role_target], call->arguments[kernels_role_source],
    call->arguments[kernels_role_second_source],
  };
  enum kernels_combination combination = all->combination;
  walk_run(&all->walk, addresses, combine_patch, &combination);
  clear_padding(&primitive->layouts[kernels_role_target], addresses[0]);
}

kernels_primitive *kernels_combine(
    enum kernels_combination combination, const kernels_layout *first, const kernels_layout *second,
    const kernels_layout *target) {
  struct combination *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive = (kernels_primitive){.name = "elementwise", .run = run_combination};
  primitive_set(&all->primitive, kernels_role_source, first);
  primitive_set(&all->primitive, kernels_role_second_source, second);
  primitive_set(&all->primitive, kernels_role_target, target);
  all->combination = combination;
  const struct kernels_layout *layouts[] = {target, first, second};
  if (walk_plan(&all->walk, 3, layouts)) return &all->primitive;
  kernels_primitive_free(&all->primitive);
  return NULL;
}
