#pragma once

#include <stdbool.h>

// What the processor can do, and functions that are compiled once for each kind.

#define INLINE static inline __attribute__((always_inline))

// Functions with vectors are inlined where the processor's features are known.
#pragma clang diagnostic ignored "-Wpsabi"

/// What the processor has, the most last.
enum level { PORTABLE, AVX2, AVX512 };

/// What is used: what the processor has, or less when WEIGHBRIDGE_MAX_ISA says `avx512`, `avx2` or
/// `portable`.
/// Known before anything of this library runs.
extern enum level kernels_known_level;

static inline enum level kernels_level(void) { return kernels_known_level; }

/// Whether the processor has dot products of bytes, AVX-512 VNNI or beside AVX2 AVX-VNNI, or on ARM SDOT; used
/// unless WEIGHBRIDGE_MAX_ISA names a level.
extern bool kernels_has_byte_products;

/// Whether the processor has dot products of bfloat16 in AVX-512; used unless WEIGHBRIDGE_MAX_ISA names a level.
extern bool kernels_has_bfloat16_products;

#if defined(__x86_64__)
#define TARGET_AVX2 __attribute__((target("avx2,fma")))
#define TARGET_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
#define TARGET_AVX_VNNI __attribute__((target("avxvnni,avx2,fma")))
#define TARGET_BFLOAT16 \
  __attribute__((target("avx512bf16,avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
#define TARGET_VNNI __attribute__((target("avx512vnni,avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))

/// A function `name` that runs `name_body`, an inlined function with the same parameters, as it is
/// compiled for this processor.
#define VARIANTS(name, parameters, arguments)                                          \
  static void name##_portable parameters { name##_body arguments; }                    \
  TARGET_AVX2 static void name##_avx2 parameters { name##_body arguments; }            \
  TARGET_AVX512 static void name##_avx512 parameters { name##_body arguments; }        \
  static void name parameters {                                                        \
    switch (kernels_level()) {                                                         \
    case AVX512: name##_avx512 arguments; return;                                      \
    case AVX2: name##_avx2 arguments; return;                                          \
    case PORTABLE: name##_portable arguments; return;                                  \
    }                                                                                  \
  }
#else
#if defined(__aarch64__)
#define TARGET_SDOT __attribute__((target("dotprod")))
#endif
#define VARIANTS(name, parameters, arguments) \
  static void name parameters { name##_body arguments; }
#endif
