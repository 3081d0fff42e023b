#include "checksum.h"

#include <string.h>

#include "processor.h"

#if defined(__x86_64__)
// Every processor with AVX2 has SSE4.2.
__attribute__((target("sse4.2"))) static size_t add_words(
  uint32_t *crc, const uint8_t *bytes, size_t count) {
  uint64_t sum = *crc;
  const size_t end = count / 8 * 8;
  for (size_t i = 0; i < end; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, 8);
    sum = __builtin_ia32_crc32di(sum, word);
  }
  *crc = (uint32_t)sum;
  return end;
}
#endif

size_t checksum_crc32c(uint32_t *crc, const uint8_t *bytes, size_t count) {
#if defined(__x86_64__)
  if (kernels_level() >= AVX2) return add_words(crc, bytes, count);
#endif
  (void)crc, (void)bytes, (void)count;
  return 0;
}
