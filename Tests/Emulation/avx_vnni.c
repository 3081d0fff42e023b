// Runs the int8 convolutions that are compiled for AVX-VNNI, also on a processor without it, and compares
// them with those for AVX2, bit by bit. `make test-avx-vnni` builds and runs it.
//
// Where VPDPBUSD in its VEX form is an illegal instruction, the signal's handler does in its place what
// Intel's manual (volume 2, VPDPBUSD) says.

#define _GNU_SOURCE

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "layout.h"
#include "processor.h"
#include "quantization.h"
#include "threads.h"

// --- The instruction.

static long emulated;

/// The numbers of general registers in instructions.
static const int general[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                              REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/// Where the halves of the vector registers stand in what XSAVE stores.
enum { LOW_HALVES = 160, FEATURES = 512, HIGH_HALVES = 576, HALF = 16 };

static void read_vector(const char *state, int number, void *vector) {
  memcpy(vector, state + LOW_HALVES + HALF * number, HALF);
  memcpy((char *)vector + HALF, state + HIGH_HALVES + HALF * number, HALF);
}

static void write_vector(char *state, int number, const void *vector) {
  memcpy(state + LOW_HALVES + HALF * number, vector, HALF);
  memcpy(state + HIGH_HALVES + HALF * number, (const char *)vector + HALF, HALF);
  // The registers hold something else than zeros.
  *(uint64_t *)(state + FEATURES) |= 7;
}

static int32_t read_displacement(const uint8_t **next) {
  int32_t value;
  memcpy(&value, *next, sizeof value);
  *next += sizeof value;
  return value;
}

/// The address in an operand whose ModRM byte stands before `next`, which is moved behind it.
static const void *find_operand(const greg_t *registers, const uint8_t **next, int index, int base) {
  const int mode = (*next)[-1] >> 6, number = (*next)[-1] & 7;
  int64_t address = 0;
  bool has_displacement = mode == 2;
  if (number == 4) {
    const uint8_t scaled = *(*next)++;
    const int own = (scaled >> 3 & 7) + index;
    if (own != 4) address += registers[general[own]] << (scaled >> 6);
    if ((scaled & 7) == 5 && mode == 0) {
      has_displacement = true;
    } else {
      address += registers[general[(scaled & 7) + base]];
    }
  } else if (number == 5 && mode == 0) {
    // Seen from the end of the instruction.
    const int32_t distance = read_displacement(next);
    return *next + distance;
  } else {
    address += registers[general[number + base]];
  }
  if (mode == 1) address += (int8_t)*(*next)++;
  if (has_displacement) address += read_displacement(next);
  return (const void *)address;
}

/// VPDPBUSD ymm1, ymm2, ymm3/m256: VEX.256.66.0F38.W0 50 /r.
static void emulate(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
  const uint8_t *code = (const uint8_t *)machine->gregs[REG_RIP];
  if (code[0] != 0xC4 || (code[1] & 31) != 2 || (code[2] & 0x87) != 5 || code[3] != 0x50) {
    static const char message[] = "an illegal instruction other than VPDPBUSD\n";
    _exit(write(STDERR_FILENO, message, sizeof message - 1) < 0 ? 2 : 1);
  }
  // These bits of the prefix are inverted.
  const int reg = (code[4] >> 3 & 7) + (code[1] & 0x80 ? 0 : 8);
  const int index = code[1] & 0x40 ? 0 : 8, base = code[1] & 0x20 ? 0 : 8;
  char *state = (char *)machine->fpregs;
  const uint8_t *next = code + 5;
  int32_t sums[8];
  uint8_t first[32];
  int8_t second[32];
  read_vector(state, reg, sums);
  read_vector(state, ~code[2] >> 3 & 15, first);
  if (code[4] >> 6 == 3) {
    read_vector(state, (code[4] & 7) + base, second);
  } else {
    memcpy(second, find_operand(machine->gregs, &next, index, base), sizeof second);
  }
  for (int byte = 0; byte < 32; byte++) sums[byte / 4] += first[byte] * second[byte];
  write_vector(state, reg, sums);
  machine->gregs[REG_RIP] = (greg_t)next;
  emulated++;
}

// --- The convolutions.

enum { MOST_CHANNELS = 128, MOST_PIXELS = 256, MOST_WEIGHTS = 1 << 17 };

/// Height, width, input and output channels, the side of the window, and the groups of channels.
struct wanted {
  int64_t height, width, inputs, outputs, window, groups;
};

struct result {
  float floats[MOST_PIXELS * MOST_CHANNELS];
  uint8_t octets[MOST_PIXELS * MOST_CHANNELS];
};

static void *aligned(size_t size) { return aligned_alloc(64, (size + 63) / 64 * 64); }

/// Convolves the same made-up numbers each time.
static void convolve(const struct wanted *wanted, bool has_byte_products, struct result *result) {
  kernels_known_level = AVX2;
  kernels_has_byte_products = has_byte_products;
  memset(result, 0, sizeof *result);
  const int64_t taps = wanted->window * wanted->window;
  kernels_layout *source = kernels_layout_any(
      4, (int64_t[]){1, wanted->inputs, wanted->height, wanted->width});
  kernels_layout *target = kernels_layout_any(
      4, (int64_t[]){1, wanted->outputs, wanted->height, wanted->width});
  const int64_t sides[] = {wanted->window, wanted->window}, ones[] = {1, 1};
  const int64_t borders[] = {wanted->window / 2, wanted->window / 2};
  enum { ZERO_POINT = 77 };
  const struct kernels_quantized_weights kernel = {
    wanted->outputs, wanted->inputs / wanted->groups, taps, wanted->groups, false};
  kernels_primitive *primitive = kernels_quantized_convolution(
      source, target, (struct kernels_window){sides, ones, ones, borders, borders}, false, kernel,
      (struct kernels_quantization){false, 1, ZERO_POINT},
      (struct kernels_post_operations){0},
      (struct kernels_quantized_result){
        .stores_floats = true, .stores_reduced = true, .quantization = {false, 0.5f, 30}});
  srand(1);
  const int64_t bytes = wanted->height * wanted->width * kernels_quantized_pixel_size(wanted->inputs, false);
  uint8_t *image = aligned((size_t)bytes + 64);
  for (int64_t byte = 0; byte < bytes; byte++) image[byte] = (uint8_t)rand();
  static int8_t weights[MOST_WEIGHTS];
  for (int64_t own = 0; own < wanted->outputs * kernel.in * taps; own++) {
    weights[own] = (int8_t)rand();
  }
  int8_t *packed = aligned(kernels_packed_size(&kernel));
  float scales[MOST_CHANNELS + 32] = {0}, bias[MOST_CHANNELS + 32] = {0};
  kernels_pack_quantized(weights, &kernel, packed);
  for (int64_t channel = 0; channel < wanted->outputs; channel++) {
    scales[channel] = 1e-4f * (float)(channel + 1);
    bias[channel] = (float)channel;
  }
  float *scratch = aligned(1 << 20);
  kernels_run(
      primitive,
      (struct kernels_argument[]){
        {kernels_role_source, 0, image}, {kernels_role_weights, 0, packed},
        {kernels_role_scale, 0, scales}, {kernels_role_bias, 0, bias}, {kernels_role_target, 0, result->floats},
        {kernels_role_quantized_target, 0, result->octets}, {kernels_role_scratchpad, 0, scratch}},
      7);
  kernels_primitive_free(primitive);
  kernels_layout_free(source);
  kernels_layout_free(target);
  free(image);
  free(packed);
  free(scratch);
}

int main(void) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    printf("skipped: this processor has no AVX2\n");
    return 0;
  }
  const struct sigaction action = {.sa_sigaction = emulate, .sa_flags = SA_SIGINFO};
  sigaction(SIGILL, &action, NULL);
  kernels_use_threads(1);
  static const struct wanted all[] = {
    {3, 13, 12, 40, 3, 1}, {1, 1, 6, 2, 1, 1}, {5, 7, 64, 64, 1, 1}, {4, 5, 3, 16, 3, 1},
    {2, 11, 37, 125, 3, 1}, {1, 6, 16, 16, 1, 1}, {6, 6, 5, 7, 5, 1}, {7, 13, 40, 40, 3, 40},
    {6, 11, 64, 64, 5, 64}, {9, 8, 17, 17, 7, 17},
  };
  static struct result want, got;
  int status = 0;
  for (size_t number = 0; number < sizeof all / sizeof *all; number++) {
    const struct wanted *wanted = &all[number];
    convolve(wanted, false, &want);
    convolve(wanted, true, &got);
    const bool is_same = !memcmp(&want, &got, sizeof want);
    if (!is_same) status = 1;
    printf(
        "%lld x %lld, %lld to %lld channels in %lld groups, %lld x %lld: %s\n", (long long)wanted->height,
        (long long)wanted->width, (long long)wanted->inputs, (long long)wanted->outputs,
        (long long)wanted->groups, (long long)wanted->window, (long long)wanted->window,
        is_same ? "same" : "DIFFERENT");
  }
  const bool is_native = __builtin_cpu_supports("avxvnni");
  if (emulated == 0 && !is_native) status = 1;
  printf("%ld instructions emulated\n", emulated);
  return status;
}
