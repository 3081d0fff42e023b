#include "layouts.h"

#include <stdlib.h>
#include <string.h>

kernels_layout *layout_copy(const struct kernels_layout *layout) {
  kernels_layout *copy = malloc(sizeof *copy);
  if (copy) *copy = *layout;
  return copy;
}

/// Sizes without strides; false when there are too many.
static bool begin(struct kernels_layout *layout, int rank, const int64_t *sizes) {
  memset(layout, 0, sizeof *layout);
  if (rank < 1 || rank > MAX_RANK) return false;
  layout->rank = rank;
  memcpy(layout->sizes, sizes, (size_t)rank * sizeof *sizes);
  return true;
}

kernels_layout *kernels_layout_strided(int rank, const int64_t *sizes, const int64_t *strides) {
  struct kernels_layout layout;
  if (!begin(&layout, rank, sizes)) return NULL;
  memcpy(layout.strides, strides, (size_t)rank * sizeof *strides);
  return layout_copy(&layout);
}

kernels_layout *kernels_layout_any(int rank, const int64_t *sizes) {
  struct kernels_layout layout;
  if (!begin(&layout, rank, sizes)) return NULL;
  layout.is_any = true;
  return layout_copy(&layout);
}

int64_t layout_block(const struct kernels_layout *layout, int axis) {
  for (int block = 0; block < layout->block_count; block++) {
    if (layout->blocks[block].axis == axis) return layout->blocks[block].size;
  }
  return 1;
}

int64_t layout_inner_stride(const struct kernels_layout *layout, int axis) {
  int64_t stride = 1;
  for (int block = layout->block_count - 1; block >= 0; block--) {
    if (layout->blocks[block].axis == axis) return stride;
    stride *= layout->blocks[block].size;
  }
  return layout->strides[axis];
}

/// The number of blocks of an axis, or of elements if it is not blocked.
static int64_t outer_count(const struct kernels_layout *layout, int axis) {
  return ceil_div(layout->sizes[axis], layout_block(layout, axis));
}

struct kernels_layout layout_make(
    int rank, const int64_t *sizes, const int *order, int block_count, const struct block *blocks) {
  struct kernels_layout layout;
  begin(&layout, rank, sizes);
  layout.block_count = block_count;
  int64_t stride = 1;
  for (int block = 0; block < block_count; block++) {
    layout.blocks[block] = blocks[block];
    stride *= blocks[block].size;
  }
  for (int position = rank - 1; position >= 0; position--) {
    layout.strides[order[position]] = stride;
    stride *= outer_count(&layout, order[position]);
  }
  return layout;
}

struct kernels_layout layout_row_major(int rank, const int64_t *sizes) {
  int order[MAX_RANK];
  for (int axis = 0; axis < rank; axis++) order[axis] = axis;
  return layout_make(rank, sizes, order, 0, NULL);
}

struct kernels_layout layout_channels_blocked(int rank, const int64_t *sizes) {
  int order[MAX_RANK];
  for (int axis = 0; axis < rank; axis++) order[axis] = axis;
  return layout_make(rank, sizes, order, 1, &(struct block){1, CHANNELS});
}

struct kernels_layout layout_channels_last(int rank, const int64_t *sizes) {
  int order[MAX_RANK] = {0};
  for (int axis = 2; axis < rank; axis++) order[axis - 1] = axis;
  order[rank - 1] = 1;
  return layout_make(rank, sizes, order, 0, NULL);
}

struct kernels_layout layout_like(
    const struct kernels_layout *model, const struct kernels_layout *sizes) {
  // The axes in memory order, outermost first; among axes with equal strides, those of size 1 come first.
  int order[MAX_RANK];
  for (int axis = 0; axis < model->rank; axis++) {
    int position = axis;
    for (; position > 0; position--) {
      const int other = order[position - 1];
      const bool is_outside = model->strides[other] < model->strides[axis]
          || (model->strides[other] == model->strides[axis] && model->sizes[other] > 1
              && model->sizes[axis] == 1);
      if (!is_outside) break;
      order[position] = other;
    }
    order[position] = axis;
  }
  return layout_make(sizes->rank, sizes->sizes, order, model->block_count, model->blocks);
}

kernels_layout *kernels_layout_permuted(const kernels_layout *source, const int *axes) {
  struct kernels_layout layout = *source;
  int places[MAX_RANK] = {0};
  for (int axis = 0; axis < source->rank; axis++) {
    layout.sizes[axis] = source->sizes[axes[axis]];
    layout.strides[axis] = source->strides[axes[axis]];
    places[axes[axis]] = axis;
  }
  for (int block = 0; block < source->block_count; block++) {
    layout.blocks[block].axis = places[source->blocks[block].axis];
  }
  return layout_copy(&layout);
}

/// Reshapes axes `first` to before `end` of `source` to axes `start` to before `stop` of `target`, which have
/// as many elements. Returns whether their order permits it.
static bool reshape(
    const struct kernels_layout *source, int first, int end, struct kernels_layout *target,
    int start, int stop) {
  int own = -1, counted = 0;
  bool is_blocked = false;
  for (int axis = first; axis < end; axis++) {
    if (source->sizes[axis] == 1 && layout_block(source, axis) == 1) continue;
    counted++;
    own = axis;
    is_blocked |= layout_block(source, axis) > 1;
  }
  if (is_blocked) {
    // A blocked axis is unchanged, and may only be surrounded by axes of size 1.
    if (counted != 1) return false;
    for (int axis = start; axis < stop; axis++) {
      const bool is_same = target->sizes[axis] == source->sizes[own] && own >= 0;
      target->strides[axis] = is_same ? source->strides[own] : 1;
      if (!is_same && target->sizes[axis] != 1) return false;
      for (int block = 0; is_same && block < source->block_count; block++) {
        if (source->blocks[block].axis == own) target->blocks[block].axis = axis;
      }
      if (is_same) own = -1;
    }
    return true;
  }
  int64_t stride = own < 0 ? 1 : source->strides[own], expected = -1;
  for (int axis = end - 1; axis >= first; axis--) {
    if (source->sizes[axis] == 1) continue;
    if (expected >= 0 && source->strides[axis] != expected) return false;
    expected = source->strides[axis] * source->sizes[axis];
  }
  for (int axis = stop - 1; axis >= start; axis--) {
    target->strides[axis] = stride;
    stride *= target->sizes[axis];
  }
  return true;
}

kernels_layout *kernels_layout_reshaped(
    const kernels_layout *source, int rank, const int64_t *sizes) {
  struct kernels_layout layout;
  if (source->opaque_count > 0 || !begin(&layout, rank, sizes)) return NULL;
  layout.offset = source->offset;
  layout.block_count = source->block_count;
  memcpy(layout.blocks, source->blocks, sizeof layout.blocks);
  // Matches groups of axes with equal numbers of elements.
  int first = 0, start = 0;
  while (first < source->rank || start < rank) {
    int end = first, stop = start;
    int64_t own = 1, other = 1;
    do {
      if (end < source->rank && (own <= other || stop == rank)) own *= source->sizes[end++];
      else if (stop < rank) other *= sizes[stop++];
      else return NULL;
    } while (own != other || end == first || stop == start);
    // Trailing axes of size 1 belong to the last group.
    bool is_last = true;
    for (int axis = end; axis < source->rank; axis++) is_last &= source->sizes[axis] == 1;
    for (int axis = stop; axis < rank; axis++) is_last &= sizes[axis] == 1;
    if (is_last) {
      end = source->rank;
      stop = rank;
    }
    if (!reshape(source, first, end, &layout, start, stop)) return NULL;
    first = end;
    start = stop;
  }
  return layout_copy(&layout);
}

kernels_layout *kernels_layout_part(
    const kernels_layout *source, const int64_t *sizes, const int64_t *offsets) {
  if (source->opaque_count > 0) return NULL;
  struct kernels_layout layout = *source;
  for (int axis = 0; axis < source->rank; axis++) {
    const int64_t block = layout_block(source, axis), end = offsets[axis] + sizes[axis];
    if (offsets[axis] % block || (end % block && end != source->sizes[axis])) return NULL;
    layout.sizes[axis] = sizes[axis];
    layout.offset += offsets[axis] / block * source->strides[axis];
  }
  return layout_copy(&layout);
}

void kernels_layout_free(kernels_layout *layout) { free(layout); }

bool kernels_layout_equal(const kernels_layout *first, const kernels_layout *second) {
  if (first->rank != second->rank || first->is_any != second->is_any
      || first->opaque_count != second->opaque_count
      || first->form != second->form || first->offset != second->offset
      || first->block_count != second->block_count
      || memcmp(first->sizes, second->sizes, sizeof first->sizes)) {
    return false;
  }
  for (int block = 0; block < first->block_count; block++) {
    if (first->blocks[block].axis != second->blocks[block].axis
        || first->blocks[block].size != second->blocks[block].size) {
      return false;
    }
  }
  for (int axis = 0; axis < first->rank; axis++) {
    if (outer_count(first, axis) > 1 && first->strides[axis] != second->strides[axis]) return false;
  }
  return true;
}

int kernels_layout_sizes(const kernels_layout *layout, int64_t *sizes) {
  memcpy(sizes, layout->sizes, (size_t)layout->rank * sizeof *sizes);
  return layout->rank;
}

/// The number of elements including padding.
static int64_t padded_count(const struct kernels_layout *layout) {
  int64_t count = 1;
  for (int axis = 0; axis < layout->rank; axis++) {
    count *= outer_count(layout, axis) * layout_block(layout, axis);
  }
  return count;
}

size_t kernels_layout_byte_count(const kernels_layout *layout) {
  if (layout->opaque_count > 0) return (size_t)layout->opaque_count * sizeof(float);
  int64_t inner = 1, last = 0;
  for (int block = 0; block < layout->block_count; block++) inner *= layout->blocks[block].size;
  for (int axis = 0; axis < layout->rank; axis++) {
    if (layout->sizes[axis] == 0) return 0;
    last += (outer_count(layout, axis) - 1) * layout->strides[axis];
  }
  return (size_t)(layout->offset + last + inner) * sizeof(float);
}

bool kernels_layout_is_dense(const kernels_layout *layout) {
  return !layout->is_any && layout->opaque_count == 0 && layout->offset == 0
      && (size_t)padded_count(layout) * sizeof(float) == kernels_layout_byte_count(layout);
}

bool kernels_layout_is_opaque(const kernels_layout *layout) { return layout->opaque_count > 0; }

bool layout_is_padded(const struct kernels_layout *layout) {
  for (int block = 0; block < layout->block_count; block++) {
    if (layout->sizes[layout->blocks[block].axis] % layout->blocks[block].size) return true;
  }
  return false;
}

void kernels_layout_strides(const kernels_layout *layout, int64_t *strides) {
  memcpy(strides, layout->strides, (size_t)layout->rank * sizeof *strides);
}
