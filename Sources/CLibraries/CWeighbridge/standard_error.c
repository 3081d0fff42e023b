#ifdef __linux__

#include <dlfcn.h>
#include <stdio.h>

// Archives of the system (libjpeg, libpng, libhdf5) were not compiled for shared libraries and read
// `stderr` where a program would have a copy of it. In libweighbridge, where they are linked, the name
// stands for this copy; it says nothing else.
FILE *standard_error;

__attribute__((constructor)) static void find_standard_error(void) {
  FILE **found = dlsym(RTLD_NEXT, "stderr");
  if (found) standard_error = *found;
}

#endif
