#include <stdlib.h>

#include "quantized.h"
#include "threads.h"

// Elementwise operations on images of integers: they become float32 a few at a time.

/// The number of elements that are float32 at once, and that a thread takes at once.
enum { AT_ONCE = 1 << 10, SHARE = 1 << 14 };

struct quantized_elementwise {
  kernels_primitive primitive;
  /// The number of elements, including padding channels.
  int64_t count;
  int64_t channels, pixel_size;
  struct kernels_quantization operands[2];
  bool has_second;
  enum kernels_combination combination;
  struct kernels_quantized_result result;
  struct rounding rounding;
  struct kernels_post_operations post;
};

/// Loads up to 16 integers; the others are 0.
INLINE bytes16 load_bytes(const uint8_t *source, int64_t count) {
  bytes16 some = {0};
  if (count >= CHANNELS) {
    memcpy(&some, source, sizeof some);
  } else {
    memcpy(&some, source, (size_t)count);
  }
  return some;
}

INLINE void widen_body(
    const struct quantized_elementwise *all, const uint8_t *const sources[2], int64_t count, float *values) {
#pragma clang fp contract(off)
  for (int64_t index = 0; index < count; index += CHANNELS) {
    vector value = widen_integers(load_bytes(sources[0] + index, count - index), all->operands[0]);
    if (all->has_second) {
      const vector other = widen_integers(load_bytes(sources[1] + index, count - index), all->operands[1]);
      value = all->combination == kernels_combination_add ? value + other : value * other;
    }
    store(values + index, value);
  }
}
VARIANTS(
    widen,
    (const struct quantized_elementwise *all, const uint8_t *const sources[2], int64_t count, float *values),
    (all, sources, count, values))

INLINE void round_values_body(
    const float *values, int64_t count, const struct rounding *given, uint8_t *target) {
  const struct rounding rounding = *given;
  for (int64_t index = 0; index < count; index += CHANNELS) {
    const bytes16 rounded = round_to_integers(load(values + index), &rounding);
    memcpy(target + index, &rounded, (size_t)smaller(CHANNELS, count - index));
  }
}
VARIANTS(
    round_values, (const float *values, int64_t count, const struct rounding *given, uint8_t *target),
    (values, count, given, target))

/// Stores the elements from `first` on without those of padding channels.
static void store_channels(
    const struct quantized_elementwise *all, int64_t first, const float *values, int64_t count,
    float *target) {
  for (int64_t done = 0, next; done < count; done = next) {
    const int64_t pixel = (first + done) / all->pixel_size, channel = (first + done) % all->pixel_size;
    next = smaller(count, done + all->pixel_size - channel);
    const int64_t valid = smaller(next - done, all->channels - channel);
    if (valid <= 0) continue;
    memcpy(target + pixel * all->channels + channel, values + done, (size_t)valid * sizeof *target);
  }
}

struct elementwise_work {
  const struct quantized_elementwise *all;
  const struct call *call;
};

static void compute_share(void *context, int index) {
  const struct elementwise_work *work = context;
  const struct quantized_elementwise *all = work->all;
  float *const *arguments = work->call->arguments;
  _Alignas(64) float values[AT_ONCE];
  const int64_t end = smaller(all->count, ((int64_t)index + 1) * SHARE);
  for (int64_t first = (int64_t)index * SHARE; first < end; first += AT_ONCE) {
    const int64_t count = smaller(AT_ONCE, end - first);
    const uint8_t *sources[2] = {(const uint8_t *)arguments[kernels_role_source] + first};
    if (all->has_second) sources[1] = (const uint8_t *)arguments[kernels_role_second_source] + first;
    widen(all, sources, count, values);
    for (int number = 0; number < all->post.count; number++) {
      const struct kernels_post_operation *own = &all->post.operations[number];
      kernels_apply(own->function, own->alpha, own->beta, values, count);
    }
    if (all->result.stores_floats) {
      store_channels(all, first, values, count, arguments[kernels_role_target]);
    }
    if (all->result.stores_reduced) {
      round_values(
          values, count, &all->rounding, (uint8_t *)arguments[kernels_role_quantized_target] + first);
    }
  }
}

static void run_quantized_elementwise(const kernels_primitive *primitive, const struct call *call) {
  const struct quantized_elementwise *all = (const struct quantized_elementwise *)primitive;
  struct elementwise_work work = {all, call};
  kernels_parallel((int)ceil_div(all->count, SHARE), compute_share, &work);
}

static void release_quantized_elementwise(kernels_primitive *primitive) {
  free((void *)((struct quantized_elementwise *)primitive)->post.operations);
}

kernels_primitive *kernels_quantized_elementwise(
    const kernels_layout *plain, struct kernels_quantization first,
    const struct kernels_quantization *second, enum kernels_combination combination,
    struct kernels_post_operations post, struct kernels_quantized_result result) {
  for (int index = 0; index < post.count; index++) {
    if (post.operations[index].is_sum) return NULL;
  }
  struct quantized_elementwise *all = calloc(1, sizeof *all);
  const size_t size = (size_t)post.count * sizeof *post.operations;
  struct kernels_post_operation *operations = malloc(larger(1, (int64_t)size));
  if (!all || !operations) {
    free(all);
    free(operations);
    return NULL;
  }
  if (size > 0) memcpy(operations, post.operations, size);
  all->primitive = (kernels_primitive){
    .name = "int8 elementwise", .run = run_quantized_elementwise, .release = release_quantized_elementwise};
  all->post = (struct kernels_post_operations){operations, post.count};
  all->operands[0] = first;
  all->has_second = second != NULL;
  if (second) all->operands[1] = *second;
  all->combination = combination;
  all->result = result;
  if (result.stores_reduced) all->rounding = make_rounding(result.quantization);
  all->channels = plain->sizes[plain->rank - 1];
  all->pixel_size = kernels_quantized_pixel_size(all->channels, false);
  all->count = all->pixel_size;
  for (int axis = 0; axis < plain->rank - 1; axis++) all->count *= plain->sizes[axis];
  primitive_set(&all->primitive, kernels_role_target, plain);
  if (result.stores_reduced) {
    primitive_set_bytes(&all->primitive, kernels_role_quantized_target, all->count);
  }
  return &all->primitive;
}
