#include "connx.h"

const ProtobufCMessageDescriptor *onnx_model_descriptor(void) {
  return &onnx__model_proto__descriptor;
}

const ProtobufCMessageDescriptor *onnx_tensor_descriptor(void) {
  return &onnx__tensor_proto__descriptor;
}

const ProtobufCMessageDescriptor *onnx_graph_descriptor(void) {
  return &onnx__graph_proto__descriptor;
}
