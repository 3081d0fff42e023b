// Measures how many floating-point operations a second one core can do with fused multiply-add, from
// registers alone: the bound for every convolution. Prints GFLOP/s, the best of many rounds.
#include <stdio.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

enum { ROUNDS = 200, STEPS = 1 << 14, CHAINS = 12 };

// Chains that do not wait for each other, more than the units times their latency.
#define DEFINE_PEAK(NAME, WIDTH, TARGET)                                            \
  typedef float NAME##_vector __attribute__((vector_size(WIDTH * 4)));              \
  TARGET static double NAME(void) {                                                 \
    double best = 0;                                                                \
    for (int round = 0; round < ROUNDS; round++) {                                  \
      NAME##_vector sums[CHAINS] = {{0}};                                           \
      NAME##_vector factor = {0}, other = {0};                                      \
      factor += 0.999f, other += 0.001f;                                            \
      const double start = seconds();                                               \
      for (int step = 0; step < STEPS; step++) {                                    \
        _Pragma("unroll") for (int chain = 0; chain < CHAINS; chain++) {            \
          sums[chain] = sums[chain] * factor + other;                               \
          __asm__ volatile("" : "+v"(sums[chain]));                                 \
        }                                                                           \
      }                                                                             \
      const double speed = 2.0 * WIDTH * CHAINS * STEPS / (seconds() - start) / 1e9; \
      if (speed > best) best = speed;                                               \
    }                                                                               \
    return best;                                                                    \
  }

#ifdef __x86_64__
DEFINE_PEAK(peak_avx512, 16, __attribute__((target("avx512f"))))
DEFINE_PEAK(peak_avx2, 8, __attribute__((target("avx2,fma"))))

int main(void) {
  if (__builtin_cpu_supports("avx512f")) {
    printf("%.1f\n", peak_avx512());
  } else if (__builtin_cpu_supports("fma")) {
    printf("%.1f\n", peak_avx2());
  } else {
    fprintf(stderr, "the processor has no fused multiply-add\n");
    return 1;
  }
  return 0;
}
#else
int main(void) {
  fprintf(stderr, "only measured on x86-64\n");
  return 1;
}
#endif
