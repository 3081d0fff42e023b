// The umbrella header of CCoreML. Everything it includes is generated.
#pragma once

#include "coreml.pb-c.h"

// The message of a whole file.
const ProtobufCMessageDescriptor *coreml_model_descriptor(void);

// The message of an ML Program.
const ProtobufCMessageDescriptor *coreml_program_descriptor(void);

// The message of a layer of a network.
const ProtobufCMessageDescriptor *coreml_layer_descriptor(void);

// The messages whose numbers are too many to copy.
const ProtobufCMessageDescriptor *coreml_weights_descriptor(void);
const ProtobufCMessageDescriptor *coreml_mean_image_descriptor(void);
