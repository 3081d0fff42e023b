// The compiled schema of the .wbm header, and the descriptor that reads it.
#pragma once

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

/// A serialized google.protobuf.FileDescriptorSet of Schemas/wbm.proto.
const unsigned char *wbm_schema(void);

/// The size of the schema in bytes.
size_t wbm_schema_size(void);

/// The descriptor of weighbridge.v1.Header.
const ProtobufCMessageDescriptor *wbm_header_descriptor(void);
