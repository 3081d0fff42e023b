#ifdef __linux__

#include <dlfcn.h>
#include <stdio.h>

// The system's static libraries (libjpeg, libpng, libhdf5) were compiled for programs, which have their own
// copies of `stdout` and `stderr`; a shared library has none. libweighbridge is therefore linked with both
// names defined as the variables below (see Scripts/build-library.sh).
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
