#define _GNU_SOURCE

#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

// Each thread of a job has a range of its indices, in one word: the end of the range, and the next index.
// Whoever atomically increments the word owns the index that it read, if there is one, so no lock is needed.
// A thread takes its own range first: it then computes about the same part of consecutive layers, which is in
// its own cache. The description of the job is stored next to the word, and does not change while any index
// is being worked on. Moving a cache line from one core to another takes a few hundred nanoseconds, as long
// as some layers take, so a thread finds everything that it needs in one line, which nobody else reads
// meanwhile.

enum {
  COUNT_BITS = 20,
  MAX_INDICES = 1 << (COUNT_BITS - 1),
  MAX_THREADS = 256,
  /// How often a thread polls for the next job, or for the completion of the last index, before it looks at
  /// the time.
  POLLS = 64,
  /// How long it polls before it sleeps, in nanoseconds: somewhat longer than waking up takes.
  POLL_DURATION = 100000,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;

/// The work of a thread, in a cache line of its own.
struct range {
  _Alignas(64) atomic_uint_least64_t word;
  /// The sequence number of the job.
  atomic_uint_least64_t job;
  void (*body)(void *, int);
  void *context;
  /// The number of indices of the job, and of threads that it uses.
  int count;
  atomic_int threads;
};

static struct {
  /// Held by the thread that the pool works for, which alone accesses the following members.
  atomic_flag is_taken;
  int started;
  uint64_t job;
  pthread_t threads[MAX_THREADS];
  /// The core of the caller when the others were last kept off it, or -1.
  int caller_core;
#if defined(__linux__)
  /// The cores on which the threads may run, the caller's among them.
  cpu_set_t cores;
#endif
  /// The number of completed indices, and whether the caller sleeps until all are.
  _Alignas(64) atomic_int done;
  atomic_bool caller_sleeps;
  _Alignas(64) atomic_int sleepers;
  /// Whether there are more threads than cores.
  atomic_bool is_crowded;
  struct range ranges[MAX_THREADS];
} pool = {.is_taken = ATOMIC_FLAG_INIT, .caller_core = -1};

static _Thread_local int thread_limit = 1;
static _Thread_local bool is_working;

static int range_end(uint64_t word) { return (int)(word >> COUNT_BITS & ((1 << COUNT_BITS) - 1)); }
static int range_next(uint64_t word) { return (int)(word & ((1 << COUNT_BITS) - 1)); }

static void pause_briefly(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  // It takes some cycles, as x86's pause does. yield takes none on cores with one hardware thread.
  __asm__ volatile("isb");
#endif
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// Waits for an imminent event. Returns whether it happened in time. A thread that yields its core loses it for
/// the whole time slice of any other process there, so it only does that to threads of its own.
#define WAIT_FOR(condition) \
  ({ \
    bool has_happened = (condition); \
    for (int64_t end = has_happened ? 0 : now() + POLL_DURATION; !has_happened && now() < end;) { \
      for (int poll = 0; poll < POLLS && !has_happened; poll++) { \
        pause_briefly(); \
        has_happened = (condition); \
      } \
      if (!has_happened && atomic_load(&pool.is_crowded)) sched_yield(); \
    } \
    has_happened; \
  })

/// Processes the indices of a range until there are none left, and only then updates the count of completed
/// ones: otherwise threads would contend for its cache line after every index.
static void work_on(struct range *range) {
  int done = 0, count = 0;
  for (;;) {
    uint64_t word = atomic_load(&range->word);
    if (range_next(word) >= range_end(word)) break;
    word = atomic_fetch_add(&range->word, 1);
    if (range_next(word) >= range_end(word)) break;
    count = range->count;
    range->body(range->context, range_next(word));
    done++;
  }
  if (done > 0 && atomic_fetch_add(&pool.done, done) + done == count
      && atomic_load(&pool.caller_sleeps)) {
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&ended);
    pthread_mutex_unlock(&lock);
  }
}

/// Works as one of `threads` threads: on its own range, then on what is left of the others.
static void work(int thread, int threads) {
  for (int step = 0; step < threads; step++) work_on(&pool.ranges[(thread + step) % threads]);
}

static void *run_thread(void *argument) {
  const int thread = (int)(intptr_t)argument;
  struct range *own = &pool.ranges[thread];
  uint64_t last_job = 0;
  is_working = true;
  for (;;) {
    if (!WAIT_FOR(atomic_load(&own->job) != last_job)) {
      pthread_mutex_lock(&lock);
      atomic_fetch_add(&pool.sleepers, 1);
      while (atomic_load(&own->job) == last_job) pthread_cond_wait(&begun, &lock);
      atomic_fetch_sub(&pool.sleepers, 1);
      pthread_mutex_unlock(&lock);
    }
    last_job = atomic_load(&own->job);
    work(thread, atomic_load(&own->threads));
  }
  return NULL;
}

/// A forked child does not have the threads, whatever they were doing: resets the pool.
static void forget(void) {
  pthread_mutex_init(&lock, NULL);
  pthread_cond_init(&begun, NULL);
  pthread_cond_init(&ended, NULL);
  pool.started = 0;
  pool.caller_core = -1;
  for (int thread = 0; thread < MAX_THREADS; thread++) atomic_store(&pool.ranges[thread].word, 0);
  atomic_store(&pool.sleepers, 0);
  atomic_flag_clear(&pool.is_taken);
}

static void forget_when_forked(void) { pthread_atfork(NULL, NULL, forget); }

/// Starts threads until there are `count` besides the caller, as far as the system allows.
static void start(int count) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, forget_when_forked);
  pthread_attr_t attributes;
  if (pool.started >= count || pthread_attr_init(&attributes)) return;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  while (pool.started < count) {
    const int number = pool.started + 1;
    void *const argument = (void *)(intptr_t)number;
    if (pthread_create(&pool.threads[pool.started], &attributes, run_thread, argument)) break;
    pool.started++;
  }
  pthread_attr_destroy(&attributes);
#if defined(__linux__)
  if (sched_getaffinity(0, sizeof pool.cores, &pool.cores)) CPU_ZERO(&pool.cores);
  atomic_store(&pool.is_crowded, CPU_COUNT(&pool.cores) <= pool.started);
  pool.caller_core = -1;
#endif
}

/// Keeps the threads off the core of the caller, if there are enough other cores. The scheduler tends to wake
/// a thread on the core of its waker, and to leave both there for milliseconds while other cores are idle.
static void keep_off_caller(void) {
#if defined(__linux__)
  const int core = sched_getcpu();
  if (core < 0 || core == pool.caller_core) return;
  pool.caller_core = core;
  cpu_set_t cores = pool.cores;
  CPU_CLR((size_t)core, &cores);
  if (CPU_COUNT(&cores) < pool.started) cores = pool.cores;
  for (int thread = 0; thread < pool.started; thread++) {
    pthread_setaffinity_np(pool.threads[thread], sizeof cores, &cores);
  }
#endif
}

void kernels_use_threads(int count) {
  thread_limit = count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : count;
}

int kernels_thread_count(void) { return thread_limit; }

/// Waits until all indices are done.
static void wait_for(int count) {
  if (WAIT_FOR(atomic_load(&pool.done) == count)) return;
  pthread_mutex_lock(&lock);
  atomic_store(&pool.caller_sleeps, true);
  while (atomic_load(&pool.done) != count) pthread_cond_wait(&ended, &lock);
  atomic_store(&pool.caller_sleeps, false);
  pthread_mutex_unlock(&lock);
}

static void share(int count, void (*body)(void *, int), void *context) {
  start(thread_limit - 1);
  keep_off_caller();
  const int threads = thread_limit;
  pool.job++;
  atomic_store_explicit(&pool.done, 0, memory_order_relaxed);
  for (int thread = 0; thread < threads; thread++) {
    struct range *range = &pool.ranges[thread];
    range->body = body;
    range->context = context;
    range->count = count;
    atomic_store_explicit(&range->threads, threads, memory_order_relaxed);
    const uint64_t first = (uint64_t)count * (uint64_t)thread / (uint64_t)threads;
    const uint64_t end = (uint64_t)count * (uint64_t)(thread + 1) / (uint64_t)threads;
    atomic_store_explicit(&range->word, end << COUNT_BITS | first, memory_order_release);
    atomic_store_explicit(&range->job, pool.job, memory_order_release);
  }
  // A thread announces that it is going to sleep before it checks the job number again.
  atomic_thread_fence(memory_order_seq_cst);
  if (atomic_load(&pool.sleepers) > 0) {
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&begun);
    pthread_mutex_unlock(&lock);
  }
  is_working = true;
  work(0, threads);
  is_working = false;
  wait_for(count);
}

void kernels_parallel(int count, void (*body)(void *, int), void *context) {
  int first = 0;
  if (thread_limit > 1 && count > 1 && !is_working
      && !atomic_flag_test_and_set(&pool.is_taken)) {
    first = count < MAX_INDICES ? count : MAX_INDICES;
    share(first, body, context);
    atomic_flag_clear(&pool.is_taken);
  }
  for (int index = first; index < count; index++) body(context, index);
}
