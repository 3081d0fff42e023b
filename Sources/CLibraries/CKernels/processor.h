#pragma once

#include <stdbool.h>

// Processor features, and functions that are compiled once for each level.

#define INLINE static inline __attribute__((always_inline))

// Functions with vector arguments are inlined into callers with known processor features.
#pragma clang diagnostic ignored "-Wpsabi"

/// Before a loop without sums that, of the arrays it writes, reads only the element that it then replaces. The source of
/// such a loop may be its target, for which the compiler's own check of overlaps would choose a loop without vectors.
#define ELEMENTWISE _Pragma("clang loop vectorize(assume_safety)")

/// Instruction set levels, in ascending order.
enum level { PORTABLE, AVX2, AVX512 };

/// The level in use: that of the processor, or a lower one if WEIGHBRIDGE_MAX_ISA is `avx512`, `avx2_vnni`,
/// `avx2` or `portable`. Set before other code of this library runs.
extern enum level kernels_known_level;

static inline enum level kernels_level(void) { return kernels_known_level; }

/// Whether dot products of bytes are used (AVX-512 VNNI, AVX-VNNI with AVX2, or SDOT on ARM): if the
/// processor has them, unless WEIGHBRIDGE_MAX_ISA is `avx512`, `avx2` or `portable`.
extern bool kernels_has_byte_products;

/// Whether bfloat16 dot products are used (AVX512-BF16): if the processor has them, unless
/// WEIGHBRIDGE_MAX_ISA names a level.
extern bool kernels_has_bfloat16_products;

#if defined(__x86_64__)
#define TARGET_AVX2 __attribute__((target("avx2,fma")))
#define TARGET_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
#define TARGET_AVX_VNNI __attribute__((target("avxvnni,avx2,fma")))
#define TARGET_BFLOAT16 \
  __attribute__((target("avx512bf16,avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
#define TARGET_VNNI __attribute__((target("avx512vnni,avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))

/// Defines `name`, which calls the variant of the inline function `name_body`, with the same parameters, that
/// is compiled for this processor.
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
