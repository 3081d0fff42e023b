#ifdef __linux__

#include <dlfcn.h>
#include <stdio.h>

// Archives of the system (libjpeg, libpng, libhdf5) were not compiled for shared libraries and read
// `stdout` and `stderr` where a program would have copies of them. In libweighbridge, where they are
// linked, the names stand for these copies.
FILE *standard_output, *standard_error;

static void find(FILE **copy, const char *name) {
  FILE **found = dlsym(RTLD_NEXT, name);
  if (found) *copy = *found;
}

__attribute__((constructor)) static void find_streams(void) {
  find(&standard_output, "stdout");
  find(&standard_error, "stderr");
}

#endif
