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

#if defined(__x86_64__)
/// Detects what the processor supports, up to a level.
static void detect_up_to(enum level most) {
  __builtin_cpu_init();
  kernels_known_level = PORTABLE;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) kernels_known_level = AVX2;
  if (kernels_known_level == AVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
      && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
    kernels_known_level = AVX512;
  }
  if (kernels_known_level > most) kernels_known_level = most;
  switch (kernels_known_level) {
  case AVX512:
    kernels_has_byte_products = __builtin_cpu_supports("avx512vnni");
    kernels_has_bfloat16_products = __builtin_cpu_supports("avx512bf16");
    return;
  case AVX2: kernels_has_byte_products = __builtin_cpu_supports("avxvnni"); return;
  case PORTABLE: return;
  }
}
#else
static void detect_up_to(enum level most) {
  (void)most;  // there is one level
#if defined(__ARM_FEATURE_DOTPROD)
  kernels_has_byte_products = true;
#elif defined(__aarch64__) && defined(__linux__)
  enum { ASIMDDP = 1 << 20 };  // HWCAP_ASIMDDP in the kernel's header
  kernels_has_byte_products = getauxval(AT_HWCAP) & ASIMDDP;
#endif
}
#endif

__attribute__((constructor)) static void detect(void) {
  static const struct {
    const char *name;
    enum level level;
    bool has_products;
  } limits[] = {
    {"portable", PORTABLE, false}, {"avx2", AVX2, false}, {"avx2_vnni", AVX2, true},
    {"avx512", AVX512, false}};
  const char *name = getenv("WEIGHBRIDGE_MAX_ISA");
  for (size_t i = 0; name && i < sizeof limits / sizeof *limits; i++) {
    if (strcmp(name, limits[i].name)) continue;
    detect_up_to(limits[i].level);
    if (!limits[i].has_products) kernels_has_byte_products = kernels_has_bfloat16_products = false;
    return;
  }
  detect_up_to(AVX512);
}

bool kernels_are_portable(void) {
#if defined(__x86_64__)
  return kernels_level() == PORTABLE;
#else
  return false;
#endif
}
