#include "library.h"

#ifdef ONEDNN_IS_KNOWN

#include <stdlib.h>
#include <string.h>

/// Memory for a layout, for the caller to fill and to own.
static onednn_layout *make(void) { return calloc(1, sizeof(onednn_layout)); }

/// The layout when `status` says that it was made; frees it otherwise.
static onednn_layout *finish(onednn_layout *layout, dnnl_status_t status) {
  if (status == dnnl_success) return layout;
  free(layout);
  return NULL;
}

onednn_layout *onednn_layout_strided(int rank, const int64_t *extents, const int64_t *strides) {
  onednn_layout *layout = make();
  if (!layout) return NULL;
  return finish(
      layout, onednn.memory_desc_init_by_strides(
                  &layout->descriptor, rank, extents, dnnl_f32, strides));
}

onednn_layout *onednn_layout_any(int rank, const int64_t *extents) {
  onednn_layout *layout = make();
  if (!layout) return NULL;
  return finish(
      layout, onednn.memory_desc_init_by_tag(
                  &layout->descriptor, rank, extents, dnnl_f32, dnnl_format_tag_any));
}

onednn_layout *onednn_layout_blocked(int rank, const int64_t *extents) {
  static const dnnl_format_tag_t tags[] = {
    [3] = dnnl_aBc16b, [4] = dnnl_aBcd16b, [5] = dnnl_aBcde16b,
  };
  onednn_layout *layout = rank >= 3 && rank <= 5 ? make() : NULL;
  if (!layout) return NULL;
  return finish(
      layout, onednn.memory_desc_init_by_tag(
                  &layout->descriptor, rank, extents, dnnl_f32, tags[rank]));
}

onednn_layout *onednn_layout_blocked_weights(const int64_t *extents) {
  onednn_layout *layout = make();
  if (!layout) return NULL;
  return finish(
      layout, onednn.memory_desc_init_by_tag(
                  &layout->descriptor, 4, extents, dnnl_f32, dnnl_ABcd16b32a));
}

onednn_layout *onednn_layout_permuted(const onednn_layout *source, const int *axes) {
  onednn_layout *layout = make();
  if (!layout) return NULL;
  // The library wants to know where each axis goes, not where it comes from.
  int places[ONEDNN_MAX_RANK];
  for (int axis = 0; axis < source->descriptor.ndims; axis++) places[axes[axis]] = axis;
  return finish(
      layout, onednn.memory_desc_permute_axes(&layout->descriptor, &source->descriptor, places));
}

onednn_layout *onednn_layout_reshaped(
    const onednn_layout *source, int rank, const int64_t *extents) {
  onednn_layout *layout = make();
  if (!layout) return NULL;
  return finish(
      layout,
      onednn.memory_desc_reshape(&layout->descriptor, &source->descriptor, rank, extents));
}

onednn_layout *onednn_layout_part(
    const onednn_layout *source, const int64_t *extents, const int64_t *offsets) {
  onednn_layout *layout = make();
  if (!layout) return NULL;
  return finish(
      layout, onednn.memory_desc_init_submemory(
                  &layout->descriptor, &source->descriptor, extents, offsets));
}

void onednn_layout_free(onednn_layout *layout) { free(layout); }

bool onednn_layout_equal(const onednn_layout *first, const onednn_layout *second) {
  return onednn.memory_desc_equal(&first->descriptor, &second->descriptor);
}

int onednn_layout_extents(const onednn_layout *layout, int64_t *extents) {
  const dnnl_memory_desc_t *descriptor = &layout->descriptor;
  memcpy(extents, descriptor->dims, (size_t)descriptor->ndims * sizeof(int64_t));
  return descriptor->ndims;
}

size_t onednn_layout_size(const onednn_layout *layout) {
  return onednn.memory_desc_get_size(&layout->descriptor);
}

bool onednn_layout_is_opaque(const onednn_layout *layout) {
  return layout->descriptor.format_kind != dnnl_blocked;
}

bool onednn_layout_is_dense(const onednn_layout *layout) {
  const dnnl_memory_desc_t *descriptor = &layout->descriptor;
  size_t size = sizeof(float);
  for (int axis = 0; axis < descriptor->ndims; axis++) size *= descriptor->padded_dims[axis];
  return descriptor->format_kind == dnnl_blocked && descriptor->offset0 == 0
      && size == onednn_layout_size(layout);
}

void onednn_layout_strides(const onednn_layout *layout, int64_t *strides) {
  const dnnl_memory_desc_t *descriptor = &layout->descriptor;
  memcpy(
      strides, descriptor->format_desc.blocking.strides,
      (size_t)descriptor->ndims * sizeof(int64_t));
}

#endif
