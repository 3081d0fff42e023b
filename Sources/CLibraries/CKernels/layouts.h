#pragma once

#include "layout.h"

// What a layout consists of, and walks over arrays of different layouts.

enum { MAX_RANK = KERNELS_MAX_RANK, CHANNELS = KERNELS_CHANNEL_BLOCK, MAX_BLOCKS = 2 };

/// Neighbours along an axis that stand side by side. Inner blocks are filled up with zeros.
struct block {
  int axis;
  int64_t size;
};

struct kernels_layout {
  int rank;
  /// Whether only the sizes are known.
  bool is_any;
  /// For weights in a form of their own: how many floats that has; 0 otherwise.
  int64_t opaque_count;
  /// Whether that form is the one of Winograd's algorithm.
  bool is_winograd;
  int64_t sizes[MAX_RANK];
  /// The distances between neighbors, or between blocks of them.
  int64_t strides[MAX_RANK];
  /// Where the first element lies.
  int64_t offset;
  /// The blocks, the innermost last; at most one an axis.
  int block_count;
  struct block blocks[MAX_BLOCKS];
};

static inline int64_t ceiling(int64_t count, int64_t step) { return (count + step - 1) / step; }
static inline int64_t smaller(int64_t first, int64_t second) {
  return first < second ? first : second;
}
static inline int64_t larger(int64_t first, int64_t second) {
  return first > second ? first : second;
}

/// How many elements along an axis stand in one block; 1 without blocks.
int64_t layout_block(const struct kernels_layout *layout, int axis);

/// The distance between neighbors inside of a block, or in an axis without blocks.
int64_t layout_inner_stride(const struct kernels_layout *layout, int axis);

/// A layout of these axes, the outermost first in `order`, around blocks.
struct kernels_layout layout_make(
    int rank, const int64_t *sizes, const int *order, int block_count, const struct block *blocks);

/// `[batch, channels, spatial...]` with the channels in blocks.
struct kernels_layout layout_channels_blocked(int rank, const int64_t *sizes);

/// `[batch, channels, spatial...]` with the channels innermost.
struct kernels_layout layout_channels_last(int rank, const int64_t *sizes);

/// The axes in their own order.
struct kernels_layout layout_row_major(int rank, const int64_t *sizes);

/// Other sizes in the order, and in the blocks, of `model`.
struct kernels_layout layout_like(
    const struct kernels_layout *model, const struct kernels_layout *sizes);

kernels_layout *layout_copy(const struct kernels_layout *layout);

bool layout_is_padded(const struct kernels_layout *layout);

// --- Walks over the elements that several arrays have at the same indices.

enum { WALK_ARRAYS = 4, WALK_AXES = 2 * MAX_RANK };

/// Some elements at equal distances in two directions, the inner one last. `strides[axis][array]`.
struct patch {
  int64_t counts[2];
  int64_t strides[2][WALK_ARRAYS];
};

/// What is done with a patch; `elements` are where it begins in each array.
typedef void patch_function(
    void *context, const struct patch *patch, float *const elements[WALK_ARRAYS]);

/// A walk, planned once. Arrays with an axis of size 1, where others have more, are repeated along it.
/// The first array decides the order.
struct walk {
  int arrays;
  /// One for each combination of whole blocks and the rest behind them.
  int region_count;
  struct region {
    int axes;
    int64_t counts[WALK_AXES];
    int64_t strides[WALK_AXES][WALK_ARRAYS];
    int64_t offsets[WALK_ARRAYS];
  } regions[1 << MAX_BLOCKS];
};

/// Returns false when the layouts' blocks do not fit each other.
bool walk_plan(struct walk *walk, int arrays, const struct kernels_layout *const *layouts);

/// Walks on the caller's threads; patches are done in any order.
void walk_run(
    const struct walk *walk, float *const *addresses, patch_function *function, void *context);
