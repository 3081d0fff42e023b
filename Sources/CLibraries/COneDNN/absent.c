#include "library.h"

// Built without the library's header, everything says that the library is not there. Nothing but the
// first three is ever called: what the others take cannot be made.
#ifndef ONEDNN_IS_KNOWN

#pragma clang diagnostic ignored "-Wunused-parameter"

const char *onednn_load(void) { return "built without the header of oneDNN 2 (libdnnl-dev)"; }

void onednn_set_threads(int count) {}

void onednn_parallel(int count, void (*body)(void *, int), void *context) {
  for (int index = 0; index < count; index++) body(context, index);
}

onednn_layout *onednn_layout_strided(
    int rank, const int64_t *extents, const int64_t *strides) { return NULL; }

onednn_layout *onednn_layout_any(int rank, const int64_t *extents) { return NULL; }

onednn_layout *onednn_layout_blocked(int rank, const int64_t *extents) { return NULL; }

onednn_layout *onednn_layout_blocked_weights(const int64_t *extents) { return NULL; }

onednn_layout *onednn_layout_permuted(const onednn_layout *layout, const int *axes) { return NULL; }

onednn_layout *onednn_layout_reshaped(
    const onednn_layout *layout, int rank, const int64_t *extents) { return NULL; }

onednn_layout *onednn_layout_part(
    const onednn_layout *layout, const int64_t *extents, const int64_t *offsets) { return NULL; }

void onednn_layout_free(onednn_layout *layout) {}

bool onednn_layout_equal(const onednn_layout *first, const onednn_layout *second) { return false; }

int onednn_layout_extents(const onednn_layout *layout, int64_t *extents) { return 0; }

size_t onednn_layout_size(const onednn_layout *layout) { return 0; }

bool onednn_layout_is_dense(const onednn_layout *layout) { return false; }

bool onednn_layout_is_opaque(const onednn_layout *layout) { return false; }

void onednn_layout_strides(const onednn_layout *layout, int64_t *strides) {}

onednn_primitive *onednn_convolution(
    const onednn_layout *source, const onednn_layout *weights, const onednn_layout *bias, const
    onednn_layout *target, struct onednn_window window, struct onednn_post_operations post, bool
    is_winograd) { return NULL; }

onednn_primitive *onednn_transposed_convolution(
    const onednn_layout *source, const onednn_layout *weights, const onednn_layout *bias, const
    onednn_layout *target, struct onednn_window window, struct onednn_post_operations post) { return
    NULL; }

onednn_primitive *onednn_pooling(
    enum onednn_pooling kind, const onednn_layout *source, const onednn_layout *target, struct
    onednn_window window) { return NULL; }

onednn_primitive *onednn_dense(
    const onednn_layout *source, const onednn_layout *weights, const onednn_layout *bias, const
    onednn_layout *target, struct onednn_post_operations post) { return NULL; }

onednn_primitive *onednn_product(
    const onednn_layout *first, const onednn_layout *second, const onednn_layout *target) { return
    NULL; }

onednn_primitive *onednn_elementwise(
    enum onednn_function function, float alpha, float beta, const onednn_layout *layout) { return
    NULL; }

onednn_primitive *onednn_binary(
    enum onednn_combination combination, const onednn_layout *first, const onednn_layout *second,
    const onednn_layout *target) { return NULL; }

onednn_primitive *onednn_reorder(
    const onednn_layout *source, const onednn_layout *target, bool groups, const float *scales, int
    count) { return NULL; }

onednn_primitive *onednn_concatenation(
    int axis, int count, const onednn_layout *const *sources, const onednn_layout *target) { return
    NULL; }

onednn_primitive *onednn_softmax(
    const onednn_layout *layout, int axis, bool is_logarithm) { return NULL; }

onednn_primitive *onednn_batch_normalization(
    const onednn_layout *layout, float epsilon) { return NULL; }

onednn_primitive *onednn_recurrent(
    enum onednn_cell cell, bool is_reversed, struct onednn_recurrent_layouts layouts) { return NULL;
    }

void onednn_primitive_free(onednn_primitive *primitive) {}

onednn_layout *onednn_primitive_layout(const onednn_primitive *primitive, int role) { return NULL; }

const char *onednn_primitive_name(const onednn_primitive *primitive) { return ""; }

onednn_memory *onednn_memory_make(const onednn_layout *layout, void *address) { return NULL; }

void onednn_memory_free(onednn_memory *memory) {}

void onednn_memory_move(onednn_memory *memory, void *address) {}

bool onednn_run(
    const onednn_primitive *primitive, const struct onednn_argument *arguments, int count) { return
    false; }

#endif
