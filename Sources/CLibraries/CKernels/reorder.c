#include <stdlib.h>
#include <string.h>

#include "convolutions.h"

// Copies between layouts, optionally scaled, and concatenations, which are copies into parts.

struct reorder {
  kernels_primitive primitive;
  struct walk walk;
  bool is_cleared;
  /// Scales along the leading axes; NULL if there are none.
  float *scales;
};

enum { SIDE = 16 };

/// Copies elements that are contiguous along rows in the target and along columns in the source.
INLINE void transpose(
    const struct patch *patch, float *target, const unaligned_float *source, int64_t rows,
    int64_t columns) {
  const int64_t to = patch->strides[0][0], from = patch->strides[1][1];
  for (int64_t column = 0; column < columns; column += SIDE) {
    const int64_t width = smaller(SIDE, columns - column);
    for (int64_t row = 0; row < rows; row += SIDE) {
      const int64_t height = smaller(SIDE, rows - row);
      for (int64_t line = row; line < row + height; line++) {
        for (int64_t position = column; position < column + width; position++) {
          target[line * to + position] = source[line + position * from];
        }
      }
    }
  }
}

INLINE void copy_patch_body(
    void *context, const struct patch *patch, float *const elements[WALK_ARRAYS]) {
  const bool is_scaled = context;
  const int64_t rows = patch->counts[0], columns = patch->counts[1];
  const int64_t to = patch->strides[1][0], from = patch->strides[1][1];
  if (!is_scaled && to == 1 && patch->strides[0][1] == 1 && columns > 1 && from > 1) {
    return transpose(patch, elements[0], elements[1], rows, columns);
  }
  for (int64_t row = 0; row < rows; row++) {
    float *target = elements[0] + row * patch->strides[0][0];
    const unaligned_float *source = elements[1] + row * patch->strides[0][1];
    if (is_scaled) {
      const float *scales = elements[2] + row * patch->strides[0][2];
      for (int64_t column = 0; column < columns; column++) {
        target[column * to] = source[column * from] * scales[column * patch->strides[1][2]];
      }
    } else if (to == 1 && from == 1) {
      memcpy(target, source, (size_t)columns * sizeof *target);
    } else {
      for (int64_t column = 0; column < columns; column++) target[column * to] = source[column * from];
    }
  }
}

VARIANTS(
    copy_patch, (void *context, const struct patch *patch, float *const elements[WALK_ARRAYS]),
    (context, patch, elements))

/// Clears a padded target, so that only the elements need to be written.
static void clear(const struct kernels_layout *layout, float *target) {
  const size_t before = (size_t)layout->offset * sizeof *target;
  memset((char *)target + before, 0, kernels_layout_byte_count(layout) - before);
}

static void run_reorder(const kernels_primitive *primitive, const struct call *call) {
  const struct reorder *reorder = (const struct reorder *)primitive;
  float *target = call->arguments[kernels_role_target];
  if (reorder->is_cleared) clear(&primitive->layouts[kernels_role_target], target);
  float *const addresses[] = {target, call->arguments[kernels_role_source], reorder->scales};
  walk_run(&reorder->walk, addresses, copy_patch, reorder->scales);
}

static void release_reorder(kernels_primitive *primitive) {
  free(((struct reorder *)primitive)->scales);
}

/// The layout of the scales: broadcast along all but the leading axes.
static struct kernels_layout scale_layout(
    const struct kernels_layout *source, bool has_groups) {
  int64_t sizes[MAX_RANK];
  for (int axis = 0; axis < source->rank; axis++) {
    sizes[axis] = axis == 0 || (axis == 1 && has_groups) ? source->sizes[axis] : 1;
  }
  return layout_row_major(source->rank, sizes);
}

kernels_primitive *kernels_reorder(
    const kernels_layout *source, const kernels_layout *target, bool has_groups, const float *scales,
    int count) {
  switch (target->form) {
  case FORM_WINOGRAD: return winograd_reorder(source, target, scales, count);
  case FORM_GROUPS: return count > 0 ? NULL : kernels_reorder_groups(source, target);
  case FORM_ORDERED: break;
  }
  struct reorder *reorder = calloc(1, sizeof *reorder);
  if (!reorder) return NULL;
  reorder->primitive = (kernels_primitive){
    .name = "reorder", .run = run_reorder, .release = release_reorder};
  primitive_set(&reorder->primitive, kernels_role_source, source);
  primitive_set(&reorder->primitive, kernels_role_target, target);
  reorder->is_cleared = layout_is_padded(target);
  const struct kernels_layout factors = scale_layout(source, has_groups);
  const struct kernels_layout *layouts[] = {target, source, &factors};
  bool is_planned = walk_plan(&reorder->walk, count > 0 ? 3 : 2, layouts);
  if (count > 0 && is_planned) {
    const size_t size = kernels_layout_byte_count(&factors);
    is_planned = size == (size_t)count * sizeof *scales && (reorder->scales = malloc(size));
    if (is_planned) memcpy(reorder->scales, scales, size);
  }
  if (is_planned) return &reorder->primitive;
  kernels_primitive_free(&reorder->primitive);
  return NULL;
}

struct padding {
  kernels_primitive primitive;
  struct walk walk;
  float fill_value;
};

static void run_padding(const kernels_primitive *primitive, const struct call *call) {
  const struct padding *padding = (const struct padding *)primitive;
  float *target = call->arguments[kernels_role_target];
  const size_t size = kernels_layout_byte_count(&primitive->layouts[kernels_role_target]);
  if (padding->fill_value == 0) memset(target, 0, size);
  for (size_t position = 0; padding->fill_value != 0 && position < size / sizeof *target; position++) {
    target[position] = padding->fill_value;
  }
  float *const addresses[] = {target, call->arguments[kernels_role_source]};
  walk_run(&padding->walk, addresses, copy_patch, NULL);
}

kernels_primitive *kernels_pad(
    const kernels_layout *source, const kernels_layout *target, const int64_t *before,
    float fill_value) {
  const struct kernels_layout full = layout_like(source, target);
  if (!kernels_layout_is_dense(source) || (fill_value != 0 && layout_is_padded(&full))) return NULL;
  struct padding *padding = calloc(1, sizeof *padding);
  kernels_layout *part = kernels_layout_part(&full, source->sizes, before);
  const struct kernels_layout *layouts[] = {part, source};
  if (!padding || !part || !walk_plan(&padding->walk, 2, layouts)) {
    free(padding);
    kernels_layout_free(part);
    return NULL;
  }
  kernels_layout_free(part);
  padding->primitive = (kernels_primitive){.name = "padding", .run = run_padding};
  padding->fill_value = fill_value;
  primitive_set(&padding->primitive, kernels_role_source, source);
  primitive_set(&padding->primitive, kernels_role_target, &full);
  return &padding->primitive;
}

struct concatenation {
  kernels_primitive primitive;
  bool is_cleared;
  int count;
  struct walk walks[];
};

static void run_concatenation(const kernels_primitive *primitive, const struct call *call) {
  const struct concatenation *all = (const struct concatenation *)primitive;
  float *target = call->arguments[kernels_role_target];
  if (all->is_cleared) clear(&primitive->layouts[kernels_role_target], target);
  for (int index = 0; index < call->count; index++) {
    const struct kernels_argument *argument = &call->all[index];
    if (argument->role != kernels_role_source) continue;
    float *const addresses[] = {target, argument->address};
    walk_run(&all->walks[argument->number], addresses, copy_patch, NULL);
  }
}

/// The layout of the result: that of the first source, if all sources can be parts of it.
static struct kernels_layout joint_layout(
    int axis, int count, const kernels_layout *const *sources, const kernels_layout *target) {
  if (!target->is_any) return *target;
  const struct kernels_layout *first = sources[0];
  const int64_t block = layout_block(first, axis);
  bool fits = kernels_layout_is_dense(first);
  for (int index = 0; index < count; index++) {
    const bool is_last = index == count - 1;
    fits &= layout_block(sources[index], axis) == block
        && (is_last || sources[index]->sizes[axis] % block == 0);
  }
  if (!fits) return layout_row_major(target->rank, target->sizes);
  return layout_like(first, target);
}

kernels_primitive *kernels_concatenation(
    int axis, int count, const kernels_layout *const *sources, const kernels_layout *target) {
  const struct kernels_layout joint = joint_layout(axis, count, sources, target);
  struct concatenation *all = calloc(1, sizeof *all + (size_t)count * sizeof *all->walks);
  if (!all) return NULL;
  all->primitive = (kernels_primitive){.name = "concatenation", .run = run_concatenation};
  primitive_set(&all->primitive, kernels_role_target, &joint);
  all->is_cleared = layout_is_padded(&joint);
  all->count = count;
  int64_t offsets[MAX_RANK] = {0};
  for (int index = 0; index < count; index++) {
    kernels_layout *part = kernels_layout_part(&joint, sources[index]->sizes, offsets);
    const struct kernels_layout *layouts[] = {part, sources[index]};
    const bool is_planned = part && walk_plan(&all->walks[index], 2, layouts);
    kernels_layout_free(part);
    if (!is_planned) {
      kernels_primitive_free(&all->primitive);
      return NULL;
    }
    offsets[axis] += sources[index]->sizes[axis];
  }
  return &all->primitive;
}
