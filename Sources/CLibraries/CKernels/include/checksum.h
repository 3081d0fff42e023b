#ifndef WEIGHBRIDGE_CHECKSUM_H
#define WEIGHBRIDGE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// Adds bytes to a CRC-32C (RFC 3720) before its final complement, by the processor's own instruction.
///
/// @return The number of bytes that were added: a multiple of 8, and 0 where the processor has no such instruction.
size_t checksum_crc32c(uint32_t *crc, const uint8_t *bytes, size_t count);

#endif
