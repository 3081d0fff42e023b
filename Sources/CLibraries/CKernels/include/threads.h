#ifndef WEIGHBRIDGE_THREADS_H
#define WEIGHBRIDGE_THREADS_H

// A thread pool. It belongs to the process, is started on first use, and sleeps when there is nothing to do.

/// Sets the number of threads that work for the calling thread, including itself.
void kernels_use_threads(int count);

/// The number of threads that work for the calling thread.
int kernels_thread_count(void);

/// Calls `body` for 0 to `count` - 1, in any order, and waits for all of the calls.
///
/// Idle threads take the next index, so a preempted thread delays only one call. Nested calls, and calls made
/// while the pool works for another caller, are executed by the calling thread alone.
void kernels_parallel(int count, void (*body)(void *context, int index), void *context);

#endif
