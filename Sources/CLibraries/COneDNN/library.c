#include "library.h"

#ifdef ONEDNN_IS_KNOWN

#include <dlfcn.h>
#include <pthread.h>

struct onednn_library onednn;

static const char *failure;

static void load(void) {
  void *library = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    failure = "libdnnl.so.2 is not installed (Debian: libdnnl2)";
    return;
  }
  failure = "libdnnl.so.2 lacks functions of oneDNN 2.6";
#define ONEDNN_FIND(name)                                                        \
  onednn.name = (__typeof__(dnnl_##name) *)dlsym(library, "dnnl_" #name);        \
  if (!onednn.name) return;
  ONEDNN_FUNCTIONS(ONEDNN_FIND)
#undef ONEDNN_FIND
  // Its threads are those of OpenMP; a symbol is looked for in what the library needs, too.
  onednn.set_threads = (void (*)(int))dlsym(library, "omp_set_num_threads");
  onednn.thread_number = (int (*)(void))dlsym(library, "omp_get_thread_num");
  onednn.thread_count = (int (*)(void))dlsym(library, "omp_get_num_threads");
  onednn.parallel = (void (*)(void (*)(void *), void *, unsigned, unsigned))dlsym(
      library, "GOMP_parallel");
  if (onednn.engine_create(&onednn.engine, dnnl_cpu, 0) != dnnl_success) return;
  failure = NULL;
}

const char *onednn_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return failure;
}

void onednn_set_threads(int count) {
  if (onednn.set_threads) onednn.set_threads(count);
}

/// What the threads share.
struct work {
  void (*body)(void *, int);
  void *context;
  int count;
};

static void run_part(void *argument) {
  const struct work *work = argument;
  const int step = onednn.thread_count();
  for (int index = onednn.thread_number(); index < work->count; index += step) {
    work->body(work->context, index);
  }
}

void onednn_parallel(int count, void (*body)(void *, int), void *context) {
  struct work work = {body, context, count};
  if (count > 1 && onednn.parallel && onednn.thread_number && onednn.thread_count) {
    onednn.parallel(run_part, &work, 0, 0);
  } else {
    for (int index = 0; index < count; index++) body(context, index);
  }
}

#endif
