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

/// Starts writing a range of dirty pages to the disk without waiting (Linux: sync_file_range).
int system_start_writing(int descriptor, int64_t offset, int64_t count);

/// Gives the pages of the program's and its libraries' code back, and of their constants, wherever
/// they are as in their files (Linux: MADV_DONTNEED). What still runs comes back from the system's
/// cache of files, a few pages at a time.
void system_release_code(void);

/// Keeps freed memory for what is allocated next instead of giving its pages back to the system: for
/// work that allocates blocks of the same sizes again and again (glibc: mallopt).
void system_keep_freed_memory(void);

/// Has the processor bring a line into its caches; nothing happens where it cannot be read.
static inline void system_prefetch(const void *address) { __builtin_prefetch(address); }
