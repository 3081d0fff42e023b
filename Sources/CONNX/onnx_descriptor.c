#include "connx.h"

const ProtobufCMessageDescriptor *onnx_model_descriptor(void) {
  return &onnx__model_proto__descriptor;
}
