#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "primitive.h"
#include "threads.h"

// Matrix products of two activations.

struct product {
  kernels_primitive primitive;
  int64_t count, rows, depth, columns;
  /// The batch axes: their sizes, and the strides in the three arrays.
  int outer_axes;
  int64_t sizes[MAX_RANK], strides[MAX_RANK][3];
};

struct product_work {
  const struct product *all;
  const float *first, *second;
  float *target;
  int64_t cuts;
};

static void multiply_part(void *context, int index) {
  const struct product_work *work = context;
  const struct product *all = work->all;
  const struct kernels_layout *layouts = all->primitive.layouts;
  const struct kernels_layout *first = &layouts[kernels_role_source];
  const struct kernels_layout *second = &layouts[kernels_role_weights];
  const int last = first->rank - 1;
  int64_t matrix_index = index / work->cuts, offsets[3] = {0};
  for (int axis = all->outer_axes - 1; axis >= 0; axis--) {
    for (int array = 0; array < 3; array++) {
      offsets[array] += matrix_index % all->sizes[axis] * all->strides[axis][array];
    }
    matrix_index /= all->sizes[axis];
  }
  const int64_t cut = index % work->cuts;
  const int64_t start = all->rows * cut / work->cuts, end = all->rows * (cut + 1) / work->cuts;
  float *target = work->target + offsets[2] + start * all->columns;
  memset(target, 0, (size_t)((end - start) * all->columns) * sizeof *target);
  kernels_multiply(
      (int)(end - start), (int)all->columns, (int)all->depth, 1,
      (struct kernels_matrix){
        work->first + offsets[0] + start * first->strides[last - 1], first->strides[last - 1],
        first->strides[last]},
      (struct kernels_matrix){
        work->second + offsets[1], second->strides[last - 1], second->strides[last]},
      target, all->columns);
}

static void run_product(const kernels_primitive *primitive, const struct call *call) {
  const struct product *all = (const struct product *)primitive;
  struct product_work work = {
    .all = all, .first = call->arguments[kernels_role_source],
    .second = call->arguments[kernels_role_weights],
    .target = call->arguments[kernels_role_target], .cuts = 1,
  };
  const int64_t threads = kernels_thread_count();
  const bool is_large = all->rows * all->columns * all->depth * all->count > 1 << 18;
  if (is_large && all->count % threads) work.cuts = larger(1, smaller(all->rows / 16, threads));
  kernels_parallel((int)(all->count * work.cuts), multiply_part, &work);
}

kernels_primitive *kernels_product(
    const kernels_layout *first, const kernels_layout *second, const kernels_layout *target) {
  const int rank = first->rank;
  const struct kernels_layout plain = layout_row_major(rank, target->sizes);
  if (rank < 2 || second->rank != rank || first->block_count || second->block_count
      || first->is_any || second->is_any || !kernels_layout_equal(target, &plain)) {
    return NULL;
  }
  struct product *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive = (kernels_primitive){.name = "matrix product", .run = run_product};
  all->count = 1;
  all->rows = target->sizes[rank - 2];
  all->columns = target->sizes[rank - 1];
  all->depth = first->sizes[rank - 1];
  all->outer_axes = rank - 2;
  for (int axis = 0; axis < rank - 2; axis++) {
    all->count *= all->sizes[axis] = target->sizes[axis];
    all->strides[axis][0] = first->sizes[axis] == 1 ? 0 : first->strides[axis];
    all->strides[axis][1] = second->sizes[axis] == 1 ? 0 : second->strides[axis];
    all->strides[axis][2] = plain.strides[axis];
  }
  primitive_set(&all->primitive, kernels_role_source, first);
  primitive_set(&all->primitive, kernels_role_weights, second);
  primitive_set(&all->primitive, kernels_role_target, &plain);
  return &all->primitive;
}
