#include "layouts.h"

#include <string.h>

#include "threads.h"

// A blocked axis becomes two: the blocks, and the elements within. The last block of an axis may be partly
// filled; then the full blocks and the remainder are separate regions.

/// An axis of the broadcast sizes.
struct axis {
  int64_t size, block;
};

/// Adds the axes of a region, recursing over the full blocks and the remainder of each axis.
static void add_regions(
    struct walk *walk, struct region region, const struct axis *axes, int rank, int axis,
    const struct kernels_layout *const *layouts) {
  if (axis == rank) {
    walk->regions[walk->region_count++] = region;
    return;
  }
  const int64_t size = axes[axis].size, block = axes[axis].block;
  for (int is_rest = 0; is_rest < 2; is_rest++) {
    struct region own = region;
    const int64_t outer = is_rest ? 1 : size / block, inner = is_rest ? size % block : block;
    if (outer == 0 || inner == 0) continue;
    for (int array = 0; array < walk->arrays; array++) {
      const struct kernels_layout *layout = layouts[array];
      const bool is_repeated = layout->sizes[axis] == 1 && size > 1;
      const bool has_blocks = layout_block(layout, axis) > 1;
      const int64_t step = is_repeated ? 0 : layout_inner_stride(layout, axis);
      const int64_t outer_step =
          is_repeated ? 0 : has_blocks ? layout->strides[axis] : block * layout->strides[axis];
      own.strides[own.axes][array] = outer_step;
      own.strides[own.axes + 1][array] = step;
      if (is_rest) own.offsets[array] += size / block * outer_step;
    }
    own.counts[own.axes] = outer;
    own.counts[own.axes + 1] = inner;
    own.axes += 2;
    add_regions(walk, own, axes, rank, axis + 1, layouts);
  }
}

static void swap_axes(struct region *region, int first, int second) {
  const int64_t count = region->counts[first];
  region->counts[first] = region->counts[second];
  region->counts[second] = count;
  for (int array = 0; array < WALK_ARRAYS; array++) {
    const int64_t stride = region->strides[first][array];
    region->strides[first][array] = region->strides[second][array];
    region->strides[second][array] = stride;
  }
}

/// Sorts the axes by descending stride of the first array, and merges adjacent axes that form one.
static void simplify(struct region *region, int arrays) {
  int kept = 0;
  for (int axis = 0; axis < region->axes; axis++) {
    if (region->counts[axis] > 1) swap_axes(region, kept++, axis);
  }
  region->axes = kept;
  for (int axis = 1; axis < kept; axis++) {
    for (int position = axis;
         position > 0 && region->strides[position - 1][0] < region->strides[position][0]; position--) {
      swap_axes(region, position - 1, position);
    }
  }
  int last = 0;
  for (int axis = 1; axis < kept; axis++) {
    bool is_one = true;
    for (int array = 0; array < arrays; array++) {
      is_one &= region->strides[last][array]
          == region->strides[axis][array] * region->counts[axis];
    }
    if (is_one) {
      region->counts[last] *= region->counts[axis];
      memcpy(region->strides[last], region->strides[axis], sizeof region->strides[last]);
    } else {
      swap_axes(region, ++last, axis);
    }
  }
  if (kept > 0) region->axes = last + 1;
}

bool walk_plan(struct walk *walk, int arrays, const struct kernels_layout *const *layouts) {
  memset(walk, 0, sizeof *walk);
  walk->arrays = arrays;
  struct axis axes[MAX_RANK];
  int blocked = 0;
  const int rank = layouts[0]->rank;
  for (int axis = 0; axis < rank; axis++) {
    axes[axis] = (struct axis){1, 1};
    for (int array = 0; array < arrays; array++) {
      const int64_t size = layouts[array]->sizes[axis], block = layout_block(layouts[array], axis);
      if (layouts[array]->is_any || layouts[array]->rank != rank) return false;
      if (size != 1 && axes[axis].size != 1 && size != axes[axis].size) return false;
      axes[axis].size = larger(axes[axis].size, size);
      if (block > 1 && axes[axis].block > 1 && block != axes[axis].block) return false;
      axes[axis].block = larger(axes[axis].block, block);
    }
    blocked += axes[axis].block > 1;
  }
  if (blocked > MAX_BLOCKS) return false;
  struct region region = {0};
  for (int array = 0; array < arrays; array++) region.offsets[array] = layouts[array]->offset;
  add_regions(walk, region, axes, rank, 0, layouts);
  for (int number = 0; number < walk->region_count; number++) {
    simplify(&walk->regions[number], arrays);
  }
  return true;
}

/// A region that is being processed by the threads.
struct work {
  const struct region *region;
  int arrays, outer_axes;
  /// The full extent of the two innermost axes, and how many of its rows make a patch.
  struct patch whole;
  int64_t rows, row_parts;
  /// The number of patches, and how many a thread takes at once.
  int64_t patches, share;
  float *const *addresses;
  patch_function *function;
  void *context;
};

static void run_share(void *context, int index) {
  const struct work *work = context;
  const struct region *region = work->region;
  const int64_t first = index * work->share, end = smaller(first + work->share, work->patches);
  for (int64_t number = first; number < end; number++) {
    struct patch patch = work->whole;
    float *elements[WALK_ARRAYS] = {0};
    const int64_t row = number % work->row_parts * work->rows;
    patch.counts[0] = smaller(work->rows, work->whole.counts[0] - row);
    for (int array = 0; array < work->arrays; array++) {
      elements[array] =
          work->addresses[array] + region->offsets[array] + row * patch.strides[0][array];
    }
    int64_t rest = number / work->row_parts;
    for (int axis = work->outer_axes - 1; axis >= 0; axis--) {
      const int64_t position = rest % region->counts[axis];
      rest /= region->counts[axis];
      for (int array = 0; array < work->arrays; array++) {
        elements[array] += position * region->strides[axis][array];
      }
    }
    work->function(work->context, &patch, elements);
  }
}

/// The minimum number of elements for a thread.
enum { SHARE = 1 << 14 };

/// Splits a long row into several, and returns the number of remaining elements.
static int64_t split_row(struct region *region) {
  const int64_t rest = region->counts[0] % SHARE;
  region->axes = 2;
  region->counts[0] /= SHARE;
  region->counts[1] = SHARE;
  for (int array = 0; array < WALK_ARRAYS; array++) {
    region->strides[1][array] = region->strides[0][array];
    region->strides[0][array] *= SHARE;
  }
  return rest;
}

static void run_region(
    const struct region *whole, int arrays, float *const *addresses, patch_function *function,
    void *context) {
  struct region region = *whole;
  if (region.axes == 1 && region.counts[0] >= 2 * SHARE) {
    struct region last = region;
    last.counts[0] = split_row(&region);
    for (int array = 0; array < arrays; array++) {
      last.offsets[array] += (whole->counts[0] - last.counts[0]) * whole->strides[0][array];
    }
    if (last.counts[0] > 0) run_region(&last, arrays, addresses, function, context);
  }
  struct work work = {
    .region = &region, .arrays = arrays, .addresses = addresses, .function = function,
    .context = context, .whole = {.counts = {1, 1}}, .patches = 1,
    .outer_axes = region.axes < 2 ? 0 : region.axes - 2,
  };
  for (int axis = work.outer_axes; axis < region.axes; axis++) {
    const int position = 2 - region.axes + axis;
    work.whole.counts[position] = region.counts[axis];
    memcpy(work.whole.strides[position], region.strides[axis], sizeof work.whole.strides[position]);
  }
  work.rows = larger(16, SHARE / work.whole.counts[1]);
  work.row_parts = ceil_div(work.whole.counts[0], work.rows);
  for (int axis = 0; axis < work.outer_axes; axis++) work.patches *= region.counts[axis];
  work.patches *= work.row_parts;
  work.share = larger(
      1, SHARE / (smaller(work.rows, work.whole.counts[0]) * work.whole.counts[1]));
  kernels_parallel((int)ceil_div(work.patches, work.share), run_share, &work);
}

void walk_run(
    const struct walk *walk, float *const *addresses, patch_function *function, void *context) {
  for (int number = 0; number < walk->region_count; number++) {
    run_region(&walk->regions[number], walk->arrays, addresses, function, context);
  }
}
