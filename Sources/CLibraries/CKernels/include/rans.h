#ifndef WEIGHBRIDGE_RANS_H
#define WEIGHBRIDGE_RANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Range asymmetric numeral systems (J. Duda, "Asymmetric numeral systems", arXiv:1311.2540) over bytes:
// interleaved lanes with 32-bit states, renormalized by 16-bit words; frequencies sum to 4,096.
// Schemas/wbm.md has the layout to the bit.

enum { RANS_SLOTS = 4096, RANS_MAXIMUM_LANES = 32 };

/// Fills the table of slots: the symbol in bits 0 to 7, its frequency minus 1 in bits 8 to 19, and the offset
/// of the slot from the symbol's first slot in bits 20 to 31.
///
/// - frequencies: 256 values.
/// Returns whether they sum to RANS_SLOTS; the table is complete only then.
bool rans_make_slots(const uint16_t *frequencies, uint32_t *slots);

/// Encodes symbols.
///
/// - lanes: A power of 2 up to RANS_MAXIMUM_LANES; symbol i belongs to lane i mod lanes.
/// - bytes: Has a capacity of 4 * lanes + 2 * count bytes.
/// Returns the number of bytes written. Every symbol must have a nonzero frequency.
size_t rans_encode(const uint8_t *symbols, size_t count, const uint16_t *frequencies,
                   unsigned lanes, uint8_t *bytes);

/// Decodes symbols; never reads out of bounds, whatever the bytes are.
///
/// Returns whether the bytes are exactly what an encoder writes for this many symbols.
bool rans_decode(const uint8_t *bytes, size_t byte_count, const uint32_t *slots, unsigned lanes,
                 uint8_t *symbols, size_t count);

#endif
