#include <math.h>
#include <stdlib.h>

#include "functions.h"
#include "primitive.h"
#include "threads.h"

// Softmax along an axis, and normalization of each channel.

struct softmax {
  kernels_primitive primitive;
  bool is_logarithm;
  /// The numbers of elements before the axis, along it and after it.
  int64_t outer, length, inner;
};

/// The number of contiguous vectors that are computed together, where the axis is not the last one.
enum { LANES = 64 };

/// The number of partial results of a row, so that loops can be vectorized.
enum { PARTS = 16 };

/// The largest element; NaN is ignored.
INLINE float largest_of_row(const float *source, int64_t length) {
  float found[PARTS];
  for (int part = 0; part < PARTS; part++) found[part] = -INFINITY;
  int64_t position = 0;
  for (; position + PARTS <= length; position += PARTS) {
    for (int part = 0; part < PARTS; part++) {
      const float element = source[position + part];
      found[part] = element > found[part] ? element : found[part];
    }
  }
  float largest = -INFINITY;
  for (; position < length; position++) largest = source[position] > largest ? source[position] : largest;
  for (int part = 0; part < PARTS; part++) largest = found[part] > largest ? found[part] : largest;
  return largest;
}

/// Computes the powers of PARTS elements, and adds them to as many sums.
INLINE void add_powers(
    const float *source, float *target, float largest, bool is_logarithm, float sums[PARTS]) {
  ELEMENTWISE
  for (int part = 0; part < PARTS; part++) {
    const float difference = source[part] - largest, power = exponential(difference);
    sums[part] += power;
    target[part] = is_logarithm ? difference : power;
  }
}

INLINE void normalize_row(const struct softmax *all, const float *source, float *target) {
  const int64_t length = all->length;
  const bool is_logarithm = all->is_logarithm;
  const float largest = largest_of_row(source, length);
  float sums[PARTS] = {0}, last[PARTS], sum = 0;
  int64_t position = 0;
  for (; position + PARTS <= length; position += PARTS) {
    add_powers(source + position, target + position, largest, is_logarithm, sums);
  }
  const int64_t rest = length - position;
  for (int part = 0; part < PARTS; part++) last[part] = part < rest ? source[position + part] : -INFINITY;
  if (rest > 0) {
    float own[PARTS] = {0};
    add_powers(last, last, largest, is_logarithm, own);
    for (int part = 0; part < rest; part++) {
      target[position + part] = last[part];
      sums[part] += own[part];
    }
  }
  for (int part = 0; part < PARTS; part++) sum += sums[part];
  const float factor = 1 / sum, logarithm = logf(sum);
  for (int64_t index = 0; index < length; index++) {
    target[index] = is_logarithm ? target[index] - logarithm : target[index] * factor;
  }
}

INLINE void normalize_lanes(
    const struct softmax *all, const float *source, float *target, int count) {
  float largest[LANES], sums[LANES], logarithms[LANES];
  for (int lane = 0; lane < count; lane++) {
    largest[lane] = -INFINITY;
    sums[lane] = 0;
  }
  for (int64_t position = 0; position < all->length; position++) {
    const float *row = source + position * all->inner;
    for (int lane = 0; lane < count; lane++) {
      largest[lane] = row[lane] > largest[lane] ? row[lane] : largest[lane];
    }
  }
  for (int64_t position = 0; position < all->length; position++) {
    const float *row = source + position * all->inner;
    float *result = target + position * all->inner;
    ELEMENTWISE
    for (int lane = 0; lane < count; lane++) {
      const float difference = row[lane] - largest[lane], power = exponential(difference);
      sums[lane] += power;
      result[lane] = all->is_logarithm ? difference : power;
    }
  }
  for (int lane = 0; lane < count; lane++) {
    logarithms[lane] = all->is_logarithm ? logf(sums[lane]) : 0;
    sums[lane] = all->is_logarithm ? 1 : 1 / sums[lane];
  }
  for (int64_t position = 0; position < all->length; position++) {
    float *result = target + position * all->inner;
    for (int lane = 0; lane < count; lane++) {
      result[lane] = result[lane] * sums[lane] - logarithms[lane];
    }
  }
}

struct softmax_work {
  const struct softmax *all;
  const float *source;
  float *target;
  /// The number of rows that are computed together, or of parts of the inner elements.
  int64_t share, parts;
};

INLINE void run_softmax_share_body(void *context, int index) {
  const struct softmax_work *work = context;
  const struct softmax *all = work->all;
  if (all->inner == 1) {
    const int64_t first = index * work->share, end = smaller(first + work->share, all->outer);
    for (int64_t row = first; row < end; row++) {
      normalize_row(all, work->source + row * all->length, work->target + row * all->length);
    }
  } else {
    const int64_t first = index % work->parts * LANES;
    const int64_t offset = index / work->parts * all->length * all->inner + first;
    normalize_lanes(
        all, work->source + offset, work->target + offset, (int)smaller(LANES, all->inner - first));
  }
}

VARIANTS(run_softmax_share, (void *context, int index), (context, index))

static void run_softmax(const kernels_primitive *primitive, const struct call *call) {
  const struct softmax *all = (const struct softmax *)primitive;
  struct softmax_work work = {
    .all = all, .source = call->arguments[kernels_role_source],
    .target = call->arguments[kernels_role_target],
    .share = larger(1, (1 << 12) / all->length), .parts = ceil_div(all->inner, LANES),
  };
  const int64_t count =
      all->inner == 1 ? ceil_div(all->outer, work.share) : all->outer * work.parts;
  kernels_parallel((int)count, run_softmax_share, &work);
}

kernels_primitive *kernels_softmax(const kernels_layout *layout, int axis, bool is_logarithm) {
  const struct kernels_layout plain = layout_row_major(layout->rank, layout->sizes);
  if (!kernels_layout_equal(layout, &plain)) return NULL;
  struct softmax *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive = (kernels_primitive){.name = "softmax", .run = run_softmax};
  primitive_set(&all->primitive, kernels_role_source, layout);
  primitive_set(&all->primitive, kernels_role_target, layout);
  all->is_logarithm = is_logarithm;
  all->outer = all->inner = 1;
  all->length = layout->sizes[axis];
  for (int other = 0; other < axis; other++) all->outer *= layout->sizes[other];
  for (int other = axis + 1; other < layout->rank; other++) all->inner *= layout->sizes[other];
  return &all->primitive;
}

struct layer_normalization {
  kernels_primitive primitive;
  int64_t rows, size;
  double epsilon;
};

INLINE double sum_of(const double parts[PARTS]) {
  double sum = 0;
  for (int part = 0; part < PARTS; part++) sum += parts[part];
  return sum;
}

INLINE void normalize_by_row(
    const struct layer_normalization *all, const float *source, const float *scales, const float *shifts,
    float *target) {
  const int64_t size = all->size, even = size / PARTS * PARTS;
  double sums[PARTS] = {0}, squares[PARTS] = {0};
  for (int64_t index = 0; index < even; index += PARTS) {
    for (int part = 0; part < PARTS; part++) sums[part] += (double)source[index + part];
  }
  for (int64_t index = even; index < size; index++) sums[index - even] += (double)source[index];
  const double mean = sum_of(sums) / (double)size;
  for (int64_t index = 0; index < even; index += PARTS) {
    for (int part = 0; part < PARTS; part++) {
      const double deviation = (double)source[index + part] - mean;
      squares[part] += deviation * deviation;
    }
  }
  for (int64_t index = even; index < size; index++) {
    const double deviation = (double)source[index] - mean;
    squares[index - even] += deviation * deviation;
  }
  const double factor = 1 / sqrt(sum_of(squares) / (double)size + all->epsilon);
  ELEMENTWISE
  for (int64_t index = 0; index < size; index++) {
    target[index] = (float)(((double)source[index] - mean) * factor) * scales[index] + shifts[index];
  }
}

struct layer_work {
  const struct layer_normalization *all;
  const struct call *call;
  int64_t share;
};

INLINE void normalize_rows_body(void *context, int index) {
  const struct layer_work *work = context;
  const struct layer_normalization *all = work->all;
  float *const *arguments = work->call->arguments;
  const int64_t first = index * work->share, end = smaller(first + work->share, all->rows);
  for (int64_t row = first; row < end; row++) {
    normalize_by_row(
        all, arguments[kernels_role_source] + row * all->size, arguments[kernels_role_scale],
        arguments[kernels_role_shift], arguments[kernels_role_target] + row * all->size);
  }
}

VARIANTS(normalize_rows, (void *context, int index), (context, index))

static void run_layer_normalization(const kernels_primitive *primitive, const struct call *call) {
  const struct layer_normalization *all = (const struct layer_normalization *)primitive;
  struct layer_work work = {all, call, larger(1, (1 << 14) / all->size)};
  kernels_parallel((int)ceil_div(all->rows, work.share), normalize_rows, &work);
}

kernels_primitive *kernels_layer_normalization(const kernels_layout *layout, double epsilon) {
  if (layout->rank != 2) return NULL;
  struct layer_normalization *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive = (kernels_primitive){
    .name = "layer normalization", .run = run_layer_normalization};
  all->rows = layout->sizes[0];
  all->size = layout->sizes[1];
  all->epsilon = epsilon;
  primitive_set(&all->primitive, kernels_role_source, layout);
  primitive_set(&all->primitive, kernels_role_target, layout);
  const struct kernels_layout list = layout_row_major(1, &layout->sizes[1]);
  primitive_set(&all->primitive, kernels_role_scale, &list);
  primitive_set(&all->primitive, kernels_role_shift, &list);
  return &all->primitive;
}

struct batch_normalization {
  kernels_primitive primitive;
  struct walk walk;
  float epsilon;
};

INLINE void normalize_patch_body(
    void *context, const struct patch *patch, float *const elements[WALK_ARRAYS]) {
  (void)context;
  const int64_t to = patch->strides[1][0], from = patch->strides[1][1];
  const int64_t step = patch->strides[1][2];
  for (int64_t row = 0; row < patch->counts[0]; row++) {
    float *target = elements[0] + row * patch->strides[0][0];
    const float *source = elements[1] + row * patch->strides[0][1];
    const float *factors = elements[2] + row * patch->strides[0][2];
    const float *summands = elements[3] + row * patch->strides[0][3];
    if (to == 1 && from == 1 && step <= 1) {
      ELEMENTWISE
      for (int64_t column = 0; column < patch->counts[1]; column++) {
        target[column] = source[column] * factors[column * step] + summands[column * step];
      }
    } else {
      for (int64_t column = 0; column < patch->counts[1]; column++) {
        target[column * to] = source[column * from] * factors[column * step] + summands[column * step];
      }
    }
  }
}

VARIANTS(
    normalize_patch, (void *context, const struct patch *patch, float *const elements[WALK_ARRAYS]),
    (context, patch, elements))

static void run_batch_normalization(const kernels_primitive *primitive, const struct call *call) {
  const struct batch_normalization *all = (const struct batch_normalization *)primitive;
  const int64_t channels = primitive->layouts[kernels_role_source].sizes[1];
  float *factors = call->arguments[kernels_role_scratchpad], *summands = factors + channels;
  for (int64_t channel = 0; channel < channels; channel++) {
    factors[channel] = (float)(
        call->arguments[kernels_role_scale][channel]
        / sqrt((double)call->arguments[kernels_role_variance][channel] + all->epsilon));
    summands[channel] = call->arguments[kernels_role_shift][channel]
        - call->arguments[kernels_role_mean][channel] * factors[channel];
  }
  float *target = call->arguments[kernels_role_target];
  float *const addresses[] = {target, call->arguments[kernels_role_source], factors, summands};
  walk_run(&all->walk, addresses, normalize_patch, NULL);
  clear_padding(&primitive->layouts[kernels_role_target], target);
}

kernels_primitive *kernels_batch_normalization(const kernels_layout *layout, float epsilon) {
  struct batch_normalization *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->primitive = (kernels_primitive){
    .name = "batch normalization", .run = run_batch_normalization};
  all->epsilon = epsilon;
  int64_t sizes[MAX_RANK];
  for (int axis = 0; axis < layout->rank; axis++) sizes[axis] = axis == 1 ? layout->sizes[1] : 1;
  const struct kernels_layout parameters = layout_row_major(layout->rank, sizes);
  const struct kernels_layout *layouts[] = {layout, layout, &parameters, &parameters};
  if (!walk_plan(&all->walk, 4, layouts)) {
    kernels_primitive_free(&all->primitive);
    return NULL;
  }
  primitive_set(&all->primitive, kernels_role_source, layout);
  primitive_set(&all->primitive, kernels_role_target, layout);
  const struct kernels_layout list = layout_row_major(1, &layout->sizes[1]);
  for (int role = kernels_role_mean; role <= kernels_role_shift; role++) {
    primitive_set(&all->primitive, (enum kernels_role)role, &list);
  }
  primitive_request(&all->primitive, 2 * layout->sizes[1]);
  return &all->primitive;
}
