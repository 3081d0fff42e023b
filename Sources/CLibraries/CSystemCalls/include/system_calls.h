// System calls that Swift's C library module does not show, because they are declared only under
// _GNU_SOURCE. Each returns -1 and sets errno to ENOSYS where the system has no such call.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Opens a file without a name in `folder` for reading and writing (Linux: O_TMPFILE).
int system_open_unnamed(const char *folder, unsigned mode);

/// Copies up to `count` bytes between files inside the kernel (Linux: copy_file_range).
/// Returns the number of bytes copied.
ptrdiff_t system_copy_range(
    int source, int64_t source_offset, int target, int64_t target_offset, size_t count);

/// Exchanges what stands under two names at once (Linux: renameat2, macOS: renamex_np).
int system_exchange(const char *first, const char *second);

/// Reserves the disk space of a file's first `count` bytes, which becomes its size (Linux: fallocate).
int system_reserve(int descriptor, int64_t count);

/// Starts writing a range of dirty pages to the disk without waiting (Linux: sync_file_range).
int system_start_writing(int descriptor, int64_t offset, int64_t count);

/// Releases the resident pages of code and constants of the program and its libraries, which are unchanged
/// from their files (Linux: MADV_DONTNEED). Pages that are needed again are read from the page cache, a few
/// at a time.
void system_release_code(void);

/// Keeps freed memory for later allocations instead of returning its pages to the system: for work that
/// repeatedly allocates blocks of the same sizes (glibc: mallopt).
void system_keep_freed_memory(void);

/// Prefetches a cache line; has no effect if the address cannot be read.
static inline void system_prefetch(const void *address) { __builtin_prefetch(address); }
