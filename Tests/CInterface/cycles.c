// Memory after many cycles of opening, running and closing.

#include <malloc.h>
#include <unistd.h>

#include "check.h"

// Sanitizers keep what is freed, to notice when it is used.
#if defined(__SANITIZE_ADDRESS__)
#define KEEPS_FREED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEPS_FREED 1
#endif
#endif

static weighbridge_error error = WEIGHBRIDGE_INIT(weighbridge_error);

/// The bytes that malloc has given out, by itself and in mappings.
static size_t taken(void) {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// The pages of memory that the process has, in bytes.
static size_t resident(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  EXPECT(file && fscanf(file, "%*u %lu", &pages) == 1);
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void cycle(void) {
  weighbridge_model model = open_sample("WBM/Operators/dense.wbm");
  weighbridge_session session;
  EXPECT_OK(weighbridge_session_open(model, NULL, &session, &error));
  struct arrays arrays = make_arrays(model);
  EXPECT_OK(weighbridge_session_run(
      session, arrays.inputs, arrays.input_count, arrays.outputs, arrays.output_count, &error));
  EXPECT(arrays.outputs[1].byte_count == 2 * 3 * 70 * sizeof(float));
  char *text;
  EXPECT_OK(weighbridge_model_metadata(model, &text, &error));
  weighbridge_free(text);
  EXPECT(weighbridge_model_input(model, 99, &arrays.inputs[0], &error) != WEIGHBRIDGE_OK);
  EXPECT_OK(weighbridge_session_close(session, &error));
  EXPECT_OK(weighbridge_model_close(model, &error));
  free_arrays(&arrays);
}

void test_cycles(int count) {
  // Caches fill in the first tenth.
  const int warm = count / 10;
  size_t before = 0, pages = 0;
  for (int time = 0; time < count; time++) {
    if (time == warm) {
      before = taken();
      pages = resident();
    }
    cycle();
  }
  const long long grown = (long long)taken() - (long long)before;
  const long long more = (long long)resident() - (long long)pages;
  printf(
      "%d cycles: %zu bytes taken, %lld more than after %d; %zu resident, %lld more\n", count, taken(),
      grown, warm, resident(), more);
#ifdef KEEPS_FREED
  (void)grown, (void)more;
#else
  // Not a byte for each cycle, but for what threads come and go with; and malloc keeps pages as it likes.
  EXPECT(grown < count - warm + 4096);
  EXPECT(more < 4 << 20);
#endif
}
