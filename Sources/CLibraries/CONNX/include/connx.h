// The umbrella header of CONNX. Everything it includes is generated.
#pragma once

#include "onnx.pb-c.h"

// The message of a whole file, for those who check its syntax.
const ProtobufCMessageDescriptor *onnx_model_descriptor(void);

// The message of a tensor, whose elements stay in the file.
const ProtobufCMessageDescriptor *onnx_tensor_descriptor(void);

// The message of a graph, which is written separately.
const ProtobufCMessageDescriptor *onnx_graph_descriptor(void);
