#ifndef WEIGHBRIDGE_THREADS_H
#define WEIGHBRIDGE_THREADS_H

// Threads that share work. They belong to the process, are started when they are first needed, and
// sleep when there is nothing to do.

/// Sets how many threads work for the calling thread from now on, itself included.
void kernels_use_threads(int count);

/// How many threads work for the calling thread.
int kernels_thread_count(void);

/// Calls `body` for 0 to `count` - 1, in any order, and waits for all of them.
///
/// Whoever is free takes the next index, so that a thread that loses its core delays one call only.
/// Calls from inside of `body`, and those made while the threads work for another caller, are computed
/// by the calling thread alone.
void kernels_parallel(int count, void (*body)(void *context, int index), void *context);

#endif
