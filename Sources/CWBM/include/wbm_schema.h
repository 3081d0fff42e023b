// The compiled schema of the .wbm header.
#pragma once

#include <stddef.h>

/// A serialized google.protobuf.FileDescriptorSet of Schemas/wbm.proto.
extern const unsigned char wbm_schema[];

/// The size of `wbm_schema` in bytes.
extern const size_t wbm_schema_size;
