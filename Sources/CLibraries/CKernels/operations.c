#include "operations.h"

#include "layouts.h"

bool set_operations(struct operations *all, struct kernels_post_operations post) {
  *all = (struct operations){.rectifier = {.slope = 1, .limit = INFINITY}};
  bool has_rectifier = false;
  for (int index = 0; index < post.count; index++) {
    const struct kernels_post_operation *own = &post.operations[index];
    const bool is_first = !has_rectifier && all->function_count == 0;
    if (own->is_sum) {
      if (all->function_count > 0 || all->adds_first || all->adds_last) return false;
      all->adds_first = !has_rectifier;
      all->adds_last = has_rectifier;
    } else if (own->function == kernels_function_relu && is_first) {
      has_rectifier = true;
      all->rectifier.slope = own->alpha;
    } else if (own->function == kernels_function_clip && own->alpha == 0 && is_first) {
      has_rectifier = true;
      all->rectifier = (struct rectifier){.slope = 0, .limit = own->beta};
    } else if (all->function_count < MAX_FUNCTIONS) {
      all->functions[all->function_count++] = *own;
    } else {
      return false;
    }
  }
  return true;
}

void apply_functions(
    const struct operations *all, float *elements, int64_t count, int64_t valid) {
  for (int index = 0; index < all->function_count; index++) {
    const struct kernels_post_operation *own = &all->functions[index];
    kernels_apply(own->function, own->alpha, own->beta, elements, count);
  }
  // Padding channels stay 0, whatever the function of 0 is.
  for (int64_t start = 0; valid < CHANNELS && start < count; start += CHANNELS) {
    store(elements + start, keep_first(load(elements + start), valid));
  }
}
