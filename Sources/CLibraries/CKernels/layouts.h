#pragma once

#include "layout.h"

// The representation of a layout, and iteration over arrays with different layouts.

/// A float that may be unaligned, such as a weight in a mapped file.
typedef float unaligned_float __attribute__((aligned(1)));

enum { MAX_RANK = KERNELS_MAX_RANK, CHANNELS = KERNELS_CHANNEL_BLOCK, MAX_BLOCKS = 2 };

/// A contiguous block of elements along an axis. The last block is padded with zeros.
struct block {
  int axis;
  int64_t size;
};

/// The form of weights: elements in some order, or opaque for groups of channels that fill no blocks, for
/// Winograd's algorithm.
enum form { FORM_ORDERED, FORM_GROUPS, FORM_WINOGRAD };

struct kernels_layout {
  int rank;
  /// Whether only the sizes are known.
  bool is_any;
  /// The number of floats of weights in an opaque form; 0 otherwise.
  int64_t opaque_count;
  enum form form;
  int64_t sizes[MAX_RANK];
  /// The strides of elements, or of blocks along a blocked axis.
  int64_t strides[MAX_RANK];
  /// The offset of the first element.
  int64_t offset;
  /// The blocks, innermost last; at most one for each axis.
  int block_count;
  struct block blocks[MAX_BLOCKS];
};

static inline int64_t ceil_div(int64_t count, int64_t step) { return (count + step - 1) / step; }
static inline int64_t smaller(int64_t first, int64_t second) {
  return first < second ? first : second;
}
static inline int64_t larger(int64_t first, int64_t second) {
  return first > second ? first : second;
}

/// The block size along an axis; 1 if it is not blocked.
int64_t layout_block(const struct kernels_layout *layout, int axis);

/// The stride of elements within a block, or along an unblocked axis.
int64_t layout_inner_stride(const struct kernels_layout *layout, int axis);

/// A layout with its axes in `order`, the outermost first, around the blocks.
struct kernels_layout layout_make(
    int rank, const int64_t *sizes, const int *order, int block_count, const struct block *blocks);

/// `[batch, channels, spatial...]` with the channels in blocks.
struct kernels_layout layout_channels_blocked(int rank, const int64_t *sizes);

/// `[batch, channels, spatial...]` with the channels innermost.
struct kernels_layout layout_channels_last(int rank, const int64_t *sizes);

/// Row-major order, without blocks.
struct kernels_layout layout_row_major(int rank, const int64_t *sizes);

/// A layout with these sizes, in the order and with the blocks of `model`.
struct kernels_layout layout_like(
    const struct kernels_layout *model, const struct kernels_layout *sizes);

kernels_layout *layout_copy(const struct kernels_layout *layout);

bool layout_is_padded(const struct kernels_layout *layout);

// --- Iteration over corresponding elements of several arrays.

enum { WALK_ARRAYS = 4, WALK_AXES = 2 * MAX_RANK };

/// A two-dimensional grid of elements, the inner axis last: `strides[axis][array]`.
struct patch {
  int64_t counts[2];
  int64_t strides[2][WALK_ARRAYS];
};

/// Processes a patch; `elements` are its first elements in each array.
typedef void patch_function(
    void *context, const struct patch *patch, float *const elements[WALK_ARRAYS]);

/// A planned iteration. Arrays are broadcast along axes where they have size 1. The first array determines
/// the order.
struct walk {
  int arrays;
  /// One region for each combination of full blocks and remainders.
  int region_count;
  struct region {
    int axes;
    int64_t counts[WALK_AXES];
    int64_t strides[WALK_AXES][WALK_ARRAYS];
    int64_t offsets[WALK_ARRAYS];
  } regions[1 << MAX_BLOCKS];
};

/// Returns false when the blocks of the layouts are incompatible.
bool walk_plan(struct walk *walk, int arrays, const struct kernels_layout *const *layouts);

/// Runs with the threads of the caller, in any order of patches.
void walk_run(
    const struct walk *walk, float *const *addresses, patch_function *function, void *context);
