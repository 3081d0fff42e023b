#include "primitive.h"

#include <stdlib.h>
#include <string.h>

void primitive_set(
    kernels_primitive *primitive, enum kernels_role role, const struct kernels_layout *layout) {
  primitive->has_role[role] = true;
  primitive->layouts[role] = *layout;
}

void primitive_set_bytes(kernels_primitive *primitive, enum kernels_role role, int64_t bytes) {
  const int64_t count = ceil_div(bytes, sizeof(float));
  const struct kernels_layout layout = layout_row_major(1, &count);
  primitive_set(primitive, role, &layout);
}

void primitive_request(kernels_primitive *primitive, int64_t count) {
  primitive_set_bytes(primitive, kernels_role_scratchpad, count * (int64_t)sizeof(float));
}

void kernels_primitive_free(kernels_primitive *primitive) {
  if (primitive && primitive->release) primitive->release(primitive);
  free(primitive);
}

kernels_layout *kernels_primitive_layout(
    const kernels_primitive *primitive, enum kernels_role role) {
  return primitive->has_role[role] ? layout_copy(&primitive->layouts[role]) : NULL;
}

const char *kernels_primitive_name(const kernels_primitive *primitive) { return primitive->name; }

void kernels_run(
    const kernels_primitive *primitive, const struct kernels_argument *arguments, int count) {
  struct call call = {.all = arguments, .count = count};
  for (int index = 0; index < count; index++) {
    if (arguments[index].number == 0) {
      call.arguments[arguments[index].role] = arguments[index].address;
    }
  }
  primitive->run(primitive, &call);
}

static void clear_patch(
    void *context, const struct patch *patch, float *const elements[WALK_ARRAYS]) {
  (void)context;
  for (int64_t row = 0; row < patch->counts[0]; row++) {
    for (int64_t position = 0; position < patch->counts[1]; position++) {
      elements[0][row * patch->strides[0][0] + position * patch->strides[1][0]] = 0;
    }
  }
}

void clear_padding(const struct kernels_layout *layout, float *elements) {
  const struct block block = layout->blocks[0];
  const int64_t filled = layout->block_count == 1 ? layout->sizes[block.axis] % block.size : 0;
  if (filled == 0) return;
  // The padding of the last block, as an axis without blocks.
  struct kernels_layout rest = *layout;
  rest.block_count = 0;
  rest.offset += layout->sizes[block.axis] / block.size * layout->strides[block.axis] + filled;
  rest.sizes[block.axis] = block.size - filled;
  rest.strides[block.axis] = 1;
  const struct kernels_layout *layouts[] = {&rest};
  struct walk walk;
  if (walk_plan(&walk, 1, layouts)) walk_run(&walk, (float *[]){elements}, clear_patch, NULL);
}
