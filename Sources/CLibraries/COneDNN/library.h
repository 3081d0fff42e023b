#pragma once

#include "onednn.h"

#if __has_include(<dnnl.h>)
#include <dnnl.h>
#endif

#if defined(DNNL_VERSION_MAJOR) && DNNL_VERSION_MAJOR == 2
#define ONEDNN_IS_KNOWN 1

// The library's functions that are used, by their names without `dnnl_`.
#define ONEDNN_FUNCTIONS(FUNCTION)                \
  FUNCTION(batch_normalization_forward_desc_init) \
  FUNCTION(binary_desc_init)                      \
  FUNCTION(concat_primitive_desc_create)          \
  FUNCTION(dilated_convolution_forward_desc_init) \
  FUNCTION(dilated_deconvolution_forward_desc_init)\
  FUNCTION(eltwise_forward_desc_init)             \
  FUNCTION(engine_create)                         \
  FUNCTION(inner_product_forward_desc_init)       \
  FUNCTION(lbr_gru_forward_desc_init)             \
  FUNCTION(lstm_forward_desc_init)                \
  FUNCTION(matmul_desc_init)                      \
  FUNCTION(memory_create)                         \
  FUNCTION(memory_desc_equal)                     \
  FUNCTION(memory_desc_get_size)                  \
  FUNCTION(memory_desc_init_by_strides)           \
  FUNCTION(memory_desc_init_by_tag)               \
  FUNCTION(memory_desc_init_submemory)            \
  FUNCTION(memory_desc_permute_axes)              \
  FUNCTION(memory_desc_reshape)                   \
  FUNCTION(memory_destroy)                        \
  FUNCTION(memory_set_data_handle)                \
  FUNCTION(pooling_v2_forward_desc_init)          \
  FUNCTION(post_ops_append_eltwise)               \
  FUNCTION(post_ops_append_sum)                   \
  FUNCTION(post_ops_create)                       \
  FUNCTION(post_ops_destroy)                      \
  FUNCTION(primitive_attr_create)                 \
  FUNCTION(primitive_attr_destroy)                \
  FUNCTION(primitive_attr_set_output_scales)      \
  FUNCTION(primitive_attr_set_post_ops)           \
  FUNCTION(primitive_attr_set_scratchpad_mode)    \
  FUNCTION(primitive_create)                      \
  FUNCTION(primitive_desc_create)                 \
  FUNCTION(primitive_desc_destroy)                \
  FUNCTION(primitive_desc_query)                  \
  FUNCTION(primitive_desc_query_md)               \
  FUNCTION(primitive_destroy)                     \
  FUNCTION(primitive_execute)                     \
  FUNCTION(reorder_primitive_desc_create)         \
  FUNCTION(softmax_v2_forward_desc_init)          \
  FUNCTION(stream_create)                         \
  FUNCTION(stream_destroy)                        \
  FUNCTION(stream_wait)

/// The library, once `onednn_load` has returned NULL.
struct onednn_library {
#define ONEDNN_MEMBER(name) __typeof__(dnnl_##name) *name;
  ONEDNN_FUNCTIONS(ONEDNN_MEMBER)
#undef ONEDNN_MEMBER
  void (*set_threads)(int);
  void (*parallel)(void (*)(void *), void *, unsigned, unsigned);
  int (*thread_number)(void);
  int (*thread_count)(void);
  dnnl_engine_t engine;
};

extern struct onednn_library onednn;

struct onednn_layout {
  dnnl_memory_desc_t descriptor;
};

struct onednn_primitive {
  dnnl_primitive_desc_t descriptor;
  dnnl_primitive_t primitive;
  dnnl_stream_t stream;
};
#endif
