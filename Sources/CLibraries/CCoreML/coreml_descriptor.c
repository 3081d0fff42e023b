#include "ccoreml.h"

const ProtobufCMessageDescriptor *coreml_model_descriptor(void) {
  return &coreml__model__descriptor;
}

const ProtobufCMessageDescriptor *coreml_program_descriptor(void) {
  return &coreml__mlprogram__descriptor;
}

const ProtobufCMessageDescriptor *coreml_layer_descriptor(void) {
  return &coreml__neural_network_layer__descriptor;
}

const ProtobufCMessageDescriptor *coreml_weights_descriptor(void) {
  return &coreml__weight_params__descriptor;
}

const ProtobufCMessageDescriptor *coreml_mean_image_descriptor(void) {
  return &coreml__neural_network_mean_image__descriptor;
}
