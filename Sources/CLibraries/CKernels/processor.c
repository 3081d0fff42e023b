#include "primitives.h"
#include "processor.h"

#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

enum level kernels_known_level;
bool kernels_has_byte_products;
bool kernels_has_bfloat16_products;

__attribute__((constructor)) static void detect(void) {
  enum level known = PORTABLE;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) known = AVX2;
  if (known == AVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
      && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
    known = AVX512;
  }
  kernels_has_byte_products = (known == AVX512 && __builtin_cpu_supports("avx512vnni"))
      || (known == AVX2 && __builtin_cpu_supports("avxvnni"));
  kernels_has_bfloat16_products = known == AVX512 && __builtin_cpu_supports("avx512bf16");
#elif defined(__ARM_FEATURE_DOTPROD)
  kernels_has_byte_products = true;
#elif defined(__aarch64__) && defined(__linux__)
  enum { ASIMDDP = 1 << 20 };  // HWCAP_ASIMDDP in the kernel's header
  kernels_has_byte_products = getauxval(AT_HWCAP) & ASIMDDP;
#endif
  const char *const names[] = {[PORTABLE] = "portable", [AVX2] = "avx2", [AVX512] = "avx512"};
  const char *limit = getenv("WEIGHBRIDGE_MAX_ISA");
  for (enum level level = PORTABLE; limit && level <= AVX512; level++) {
    if (strcmp(limit, names[level])) continue;
    if (known > level) known = level;
    kernels_has_byte_products = kernels_has_bfloat16_products = false;
  }
  kernels_known_level = known;
}

bool kernels_are_portable(void) {
#if defined(__x86_64__)
  return kernels_level() == PORTABLE;
#else
  return false;
#endif
}
