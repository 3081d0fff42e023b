#include "library.h"

#ifdef ONEDNN_IS_KNOWN

#include <stdlib.h>

/// A layout's descriptor, or NULL for an argument that is left out.
static const dnnl_memory_desc_t *descriptor(const onednn_layout *layout) {
  return layout ? &layout->descriptor : NULL;
}

static const dnnl_alg_kind_t functions[] = {
  [onednn_function_abs] = dnnl_eltwise_abs,
  [onednn_function_clip] = dnnl_eltwise_clip,
  [onednn_function_elu] = dnnl_eltwise_elu,
  [onednn_function_exp] = dnnl_eltwise_exp,
  [onednn_function_gelu_erf] = dnnl_eltwise_gelu_erf,
  [onednn_function_gelu_tanh] = dnnl_eltwise_gelu_tanh,
  [onednn_function_hardswish] = dnnl_eltwise_hardswish,
  [onednn_function_linear] = dnnl_eltwise_linear,
  [onednn_function_log] = dnnl_eltwise_log,
  [onednn_function_logistic] = dnnl_eltwise_logistic,
  [onednn_function_logsigmoid] = dnnl_eltwise_logsigmoid,
  [onednn_function_mish] = dnnl_eltwise_mish,
  [onednn_function_relu] = dnnl_eltwise_relu,
  [onednn_function_round] = dnnl_eltwise_round,
  [onednn_function_soft_relu] = dnnl_eltwise_soft_relu,
  [onednn_function_sqrt] = dnnl_eltwise_sqrt,
  [onednn_function_square] = dnnl_eltwise_square,
  [onednn_function_swish] = dnnl_eltwise_swish,
  [onednn_function_tanh] = dnnl_eltwise_tanh,
};

static const dnnl_alg_kind_t poolings[] = {
  [onednn_pooling_max] = dnnl_pooling_max,
  [onednn_pooling_mean] = dnnl_pooling_avg_exclude_padding,
  [onednn_pooling_mean_with_padding] = dnnl_pooling_avg_include_padding,
};

static const dnnl_alg_kind_t combinations[] = {
  [onednn_combination_add] = dnnl_binary_add,
  [onednn_combination_subtract] = dnnl_binary_sub,
  [onednn_combination_multiply] = dnnl_binary_mul,
  [onednn_combination_divide] = dnnl_binary_div,
  [onednn_combination_max] = dnnl_binary_max,
  [onednn_combination_min] = dnnl_binary_min,
};

/// Attributes with which the caller provides working memory.
static dnnl_primitive_attr_t make_attributes(struct onednn_post_operations post) {
  dnnl_primitive_attr_t attributes = NULL;
  if (onednn.primitive_attr_create(&attributes) != dnnl_success) return NULL;
  onednn.primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
  dnnl_post_ops_t operations = NULL;
  if (post.count > 0 && onednn.post_ops_create(&operations) == dnnl_success) {
    for (int index = 0; index < post.count; index++) {
      const struct onednn_post_operation *operation = &post.operations[index];
      if (operation->is_sum) {
        onednn.post_ops_append_sum(operations, 1);
      } else {
        onednn.post_ops_append_eltwise(
            operations, 1, functions[operation->function], operation->alpha, operation->beta);
      }
    }
    onednn.primitive_attr_set_post_ops(attributes, operations);
    onednn.post_ops_destroy(operations);
  }
  return attributes;
}

static const struct onednn_post_operations nothing = {NULL, 0};

/// The primitive of a description, which it takes over.
static onednn_primitive *make(dnnl_primitive_desc_t description) {
  onednn_primitive *result = calloc(1, sizeof *result);
  if (result) {
    result->descriptor = description;
    if (onednn.primitive_create(&result->primitive, description) == dnnl_success
        && onednn.stream_create(&result->stream, onednn.engine, dnnl_stream_default_flags)
            == dnnl_success) {
      return result;
    }
    if (result->primitive) onednn.primitive_destroy(result->primitive);
    free(result);
  }
  onednn.primitive_desc_destroy(description);
  return NULL;
}

/// The primitive of an operation, when its description could be made.
static onednn_primitive *make_operation(
    dnnl_status_t status, const void *operation, struct onednn_post_operations post) {
  if (status != dnnl_success) return NULL;
  const dnnl_primitive_attr_t attributes = make_attributes(post);
  if (!attributes) return NULL;
  dnnl_primitive_desc_t description = NULL;
  status = onednn.primitive_desc_create(
      &description, operation, attributes, onednn.engine, NULL);
  onednn.primitive_attr_destroy(attributes);
  return status == dnnl_success ? make(description) : NULL;
}

onednn_primitive *onednn_convolution(
    const onednn_layout *source, const onednn_layout *weights, const onednn_layout *bias,
    const onednn_layout *target, struct onednn_window window,
    struct onednn_post_operations post, bool is_winograd) {
  dnnl_convolution_desc_t operation;
  const dnnl_status_t status = onednn.dilated_convolution_forward_desc_init(
      &operation, dnnl_forward_inference,
      is_winograd ? dnnl_convolution_winograd : dnnl_convolution_direct, descriptor(source),
      descriptor(weights), descriptor(bias), descriptor(target), window.strides,
      window.dilation, window.before, window.after);
  return make_operation(status, &operation, post);
}

onednn_primitive *onednn_transposed_convolution(
    const onednn_layout *source, const onednn_layout *weights, const onednn_layout *bias,
    const onednn_layout *target, struct onednn_window window,
    struct onednn_post_operations post) {
  dnnl_deconvolution_desc_t operation;
  const dnnl_status_t status = onednn.dilated_deconvolution_forward_desc_init(
      &operation, dnnl_forward_inference, dnnl_deconvolution_direct, descriptor(source),
      descriptor(weights), descriptor(bias), descriptor(target), window.strides,
      window.dilation, window.before, window.after);
  return make_operation(status, &operation, post);
}

onednn_primitive *onednn_pooling(
    enum onednn_pooling kind, const onednn_layout *source, const onednn_layout *target,
    struct onednn_window window) {
  dnnl_pooling_v2_desc_t operation;
  const dnnl_status_t status = onednn.pooling_v2_forward_desc_init(
      &operation, dnnl_forward_inference, poolings[kind], descriptor(source),
      descriptor(target), window.strides, window.size, window.dilation, window.before,
      window.after);
  return make_operation(status, &operation, nothing);
}

onednn_primitive *onednn_dense(
    const onednn_layout *source, const onednn_layout *weights, const onednn_layout *bias,
    const onednn_layout *target, struct onednn_post_operations post) {
  dnnl_inner_product_desc_t operation;
  const dnnl_status_t status = onednn.inner_product_forward_desc_init(
      &operation, dnnl_forward_inference, descriptor(source), descriptor(weights),
      descriptor(bias), descriptor(target));
  return make_operation(status, &operation, post);
}

onednn_primitive *onednn_product(
    const onednn_layout *first, const onednn_layout *second, const onednn_layout *target) {
  dnnl_matmul_desc_t operation;
  const dnnl_status_t status = onednn.matmul_desc_init(
      &operation, descriptor(first), descriptor(second), NULL, descriptor(target));
  return make_operation(status, &operation, nothing);
}

onednn_primitive *onednn_elementwise(
    enum onednn_function function, float alpha, float beta, const onednn_layout *layout) {
  dnnl_eltwise_desc_t operation;
  const dnnl_status_t status = onednn.eltwise_forward_desc_init(
      &operation, dnnl_forward_inference, functions[function], descriptor(layout), alpha, beta);
  return make_operation(status, &operation, nothing);
}

onednn_primitive *onednn_binary(
    enum onednn_combination combination, const onednn_layout *first,
    const onednn_layout *second, const onednn_layout *target) {
  dnnl_binary_desc_t operation;
  const dnnl_status_t status = onednn.binary_desc_init(
      &operation, combinations[combination], descriptor(first), descriptor(second),
      descriptor(target));
  return make_operation(status, &operation, nothing);
}

onednn_primitive *onednn_reorder(
    const onednn_layout *source, const onednn_layout *target, bool groups, const float *scales,
    int count) {
  const dnnl_primitive_attr_t attributes = make_attributes(nothing);
  if (!attributes) return NULL;
  dnnl_status_t status = dnnl_success;
  if (count > 0) {
    status = onednn.primitive_attr_set_output_scales(attributes, count, groups ? 3 : 1, scales);
  }
  dnnl_primitive_desc_t description = NULL;
  if (status == dnnl_success) {
    status = onednn.reorder_primitive_desc_create(
        &description, descriptor(source), onednn.engine, descriptor(target), onednn.engine,
        attributes);
  }
  onednn.primitive_attr_destroy(attributes);
  return status == dnnl_success ? make(description) : NULL;
}

onednn_primitive *onednn_concatenation(
    int axis, int count, const onednn_layout *const *sources, const onednn_layout *target) {
  const dnnl_primitive_attr_t attributes = make_attributes(nothing);
  dnnl_memory_desc_t *descriptors = calloc((size_t)count, sizeof *descriptors);
  dnnl_primitive_desc_t description = NULL;
  dnnl_status_t status = dnnl_out_of_memory;
  if (attributes && descriptors) {
    for (int index = 0; index < count; index++) descriptors[index] = sources[index]->descriptor;
    status = onednn.concat_primitive_desc_create(
        &description, descriptor(target), count, axis, descriptors, attributes, onednn.engine);
  }
  free(descriptors);
  if (attributes) onednn.primitive_attr_destroy(attributes);
  return status == dnnl_success ? make(description) : NULL;
}

onednn_primitive *onednn_softmax(const onednn_layout *layout, int axis, bool is_logarithm) {
  dnnl_softmax_v2_desc_t operation;
  const dnnl_status_t status = onednn.softmax_v2_forward_desc_init(
      &operation, dnnl_forward_inference,
      is_logarithm ? dnnl_softmax_log : dnnl_softmax_accurate, descriptor(layout),
      descriptor(layout), axis);
  return make_operation(status, &operation, nothing);
}

onednn_primitive *onednn_batch_normalization(const onednn_layout *layout, float epsilon) {
  dnnl_batch_normalization_desc_t operation;
  const dnnl_status_t status = onednn.batch_normalization_forward_desc_init(
      &operation, dnnl_forward_inference, descriptor(layout), epsilon,
      dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift);
  return make_operation(status, &operation, nothing);
}

onednn_primitive *onednn_recurrent(
    enum onednn_cell cell, bool is_reversed, struct onednn_recurrent_layouts layouts) {
  dnnl_rnn_desc_t operation;
  const dnnl_rnn_direction_t direction =
      is_reversed ? dnnl_unidirectional_right2left : dnnl_unidirectional_left2right;
  const dnnl_status_t status =
      cell == onednn_cell_lstm
      ? onednn.lstm_forward_desc_init(
            &operation, dnnl_forward_inference, direction, descriptor(layouts.source),
            descriptor(layouts.state), descriptor(layouts.cell_state),
            descriptor(layouts.weights), descriptor(layouts.state_weights),
            descriptor(layouts.bias), descriptor(layouts.target),
            descriptor(layouts.last_state), descriptor(layouts.last_cell_state), 0)
      : onednn.lbr_gru_forward_desc_init(
            &operation, dnnl_forward_inference, direction, descriptor(layouts.source),
            descriptor(layouts.state), descriptor(layouts.weights),
            descriptor(layouts.state_weights), descriptor(layouts.bias),
            descriptor(layouts.target), descriptor(layouts.last_state), 0);
  return make_operation(status, &operation, nothing);
}

void onednn_primitive_free(onednn_primitive *primitive) {
  if (!primitive) return;
  onednn.stream_destroy(primitive->stream);
  onednn.primitive_destroy(primitive->primitive);
  onednn.primitive_desc_destroy(primitive->descriptor);
  free(primitive);
}

onednn_layout *onednn_primitive_layout(const onednn_primitive *primitive, int role) {
  const dnnl_memory_desc_t *found = onednn.primitive_desc_query_md(
      primitive->descriptor, dnnl_query_exec_arg_md, role);
  if (!found || found->ndims == 0) return NULL;
  onednn_layout *layout = calloc(1, sizeof *layout);
  if (layout) layout->descriptor = *found;
  return layout;
}

const char *onednn_primitive_name(const onednn_primitive *primitive) {
  const char *name = NULL;
  onednn.primitive_desc_query(primitive->descriptor, dnnl_query_impl_info_str, 0, &name);
  return name ? name : "";
}

#endif
