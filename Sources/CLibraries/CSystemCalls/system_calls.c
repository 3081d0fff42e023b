#include "system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __linux__
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#endif

int system_open_unnamed(const char *folder, unsigned mode) {
#ifdef O_TMPFILE
  return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
#else
  (void)folder, (void)mode;
  errno = ENOSYS;
  return -1;
#endif
}

ptrdiff_t system_copy_range(
    int source, int64_t source_offset, int target, int64_t target_offset, size_t count) {
#ifdef __linux__
  off64_t from = source_offset, to = target_offset;
  return copy_file_range(source, &from, target, &to, count, 0);
#else
  (void)source, (void)source_offset, (void)target, (void)target_offset, (void)count;
  errno = ENOSYS;
  return -1;
#endif
}

int system_exchange(const char *first, const char *second) {
#ifdef __linux__
  return renameat2(AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE);
#elif defined(__APPLE__)
  return renamex_np(first, second, RENAME_SWAP);
#else
  (void)first, (void)second;
  errno = ENOSYS;
  return -1;
#endif
}

int system_reserve(int descriptor, int64_t count) {
#ifdef __linux__
  return fallocate(descriptor, 0, 0, count);
#else
  (void)descriptor, (void)count;
  errno = ENOSYS;
  return -1;
#endif
}

int system_start_writing(int descriptor, int64_t offset, int64_t count) {
#ifdef __linux__
  return sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
#else
  (void)descriptor, (void)offset, (void)count;
  errno = ENOSYS;
  return -1;
#endif
}

#ifdef __linux__
static int release_segments(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size, (void)context;
  uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    // One that can be written may hold what the file does not.
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    uintptr_t start = object->dlpi_addr + segment->p_vaddr;
    uintptr_t first = start & ~(page_size - 1);
    madvise((void *)first, start - first + segment->p_memsz, MADV_DONTNEED);
  }
  return 0;
}
#endif

void system_release_code(void) {
#ifdef __linux__
  dl_iterate_phdr(release_segments, NULL);
#endif
}

void system_keep_freed_memory(void) {
#ifdef __GLIBC__
  // The largest blocks that a thread's heap can have; larger ones are mapped and given back as before.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}
