#include "library.h"

#ifdef ONEDNN_IS_KNOWN

// An argument of ours is one of the library's.
_Static_assert(sizeof(struct onednn_argument) == sizeof(dnnl_exec_arg_t), "another layout");

onednn_memory *onednn_memory_make(const onednn_layout *layout, void *address) {
  dnnl_memory_t memory = NULL;
  const dnnl_status_t status =
      onednn.memory_create(&memory, &layout->descriptor, onednn.engine, address);
  return status == dnnl_success ? (onednn_memory *)memory : NULL;
}

void onednn_memory_free(onednn_memory *memory) { onednn.memory_destroy((dnnl_memory_t)memory); }

void onednn_memory_move(onednn_memory *memory, void *address) {
  onednn.memory_set_data_handle((dnnl_memory_t)memory, address);
}

bool onednn_run(
    const onednn_primitive *primitive, const struct onednn_argument *arguments, int count) {
  const dnnl_status_t status = onednn.primitive_execute(
      primitive->primitive, primitive->stream, count, (const dnnl_exec_arg_t *)arguments);
  return status == dnnl_success && onednn.stream_wait(primitive->stream) == dnnl_success;
}

#endif
