// Preloaded into the program by FaultTests: makes one call of a function of the C library fail, be
// short, or be the last thing that the process does.
//
//   FAULT_CALL    the function
//   FAULT_NUMBER  which of its calls, from 1
//   FAULT_KIND    the error's number, "short", "kill"; or "cut" and "change", which do that to an input
//   FAULT_INPUT   the input
//   FAULT_COUNTS  a file that gets a line "function calls" for each function when the process exits
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum call {
  CALL_WRITE, CALL_PWRITE, CALL_FSYNC, CALL_FDATASYNC, CALL_FTRUNCATE, CALL_RENAME, CALL_LINK,
  CALL_MMAP, CALL_COPY, CALL_SYNC_RANGE, CALL_TEMPORARY, CALL_MKDIR, CALL_EXCHANGE, CALL_COUNT
};

static const char *const names[CALL_COUNT] = {
  "write", "pwrite", "fsync", "fdatasync", "ftruncate", "rename", "link",
  "mmap", "copy_file_range", "sync_file_range", "open", "mkdir", "renameat2",
};

static atomic_int counts[CALL_COUNT];
static atomic_int reported;

enum fault { NONE, FAIL, SHORT };

// Cuts a file to half of it, or changes its last byte, as another process might.
static void meddle(const char *path, int cuts) {
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  off64_t size = lseek64(file, 0, SEEK_END);
  char byte = 'x';
  if (cuts ? syscall(SYS_ftruncate, file, size / 2) : syscall(SYS_pwrite64, file, &byte, 1, size - 1) - 1)
    abort();
  close(file);
}

// Counts a call and says what becomes of it.
static enum fault next(enum call call) {
  int number = atomic_fetch_add(&counts[call], 1) + 1;
  const char *wanted = getenv("FAULT_CALL"), *at = getenv("FAULT_NUMBER");
  const char *kind = getenv("FAULT_KIND");
  if (!wanted || !at || !kind || strcmp(wanted, names[call]) || atoi(at) != number) return NONE;
  if (!strcmp(kind, "kill")) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  const char *input = getenv("FAULT_INPUT");
  if (input) {
    meddle(input, !strcmp(kind, "cut"));
    return NONE;
  }
  if (!strcmp(kind, "short")) return SHORT;
  errno = atoi(kind);
  return FAIL;
}

// Half of a count, for a call that does less than it was asked for.
static size_t half(size_t count) { return count > 1 ? count / 2 : count; }

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int descriptor, const void *bytes, size_t count) {
  enum fault fault = next(CALL_WRITE);
  if (fault == FAIL) return -1;
  return REAL(write)(descriptor, bytes, fault == SHORT ? half(count) : count);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  enum fault fault = next(CALL_PWRITE);
  if (fault == FAIL) return -1;
  return REAL(pwrite64)(descriptor, bytes, fault == SHORT ? half(count) : count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

int fsync(int descriptor) { return next(CALL_FSYNC) == FAIL ? -1 : REAL(fsync)(descriptor); }

int fdatasync(int descriptor) {
  return next(CALL_FDATASYNC) == FAIL ? -1 : REAL(fdatasync)(descriptor);
}

int ftruncate64(int descriptor, off64_t size) {
  return next(CALL_FTRUNCATE) == FAIL ? -1 : REAL(ftruncate64)(descriptor, size);
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

int rename(const char *from, const char *to) {
  return next(CALL_RENAME) == FAIL ? -1 : REAL(rename)(from, to);
}

int renameat2(
    int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  if (next(CALL_EXCHANGE) == FAIL) return -1;
  return REAL(renameat2)(from_folder, from, to_folder, to, flags);
}

int mkdir(const char *path, mode_t mode) {
  return next(CALL_MKDIR) == FAIL ? -1 : REAL(mkdir)(path, mode);
}

int link(const char *from, const char *to) {
  return next(CALL_LINK) == FAIL ? -1 : REAL(link)(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  return next(CALL_LINK) == FAIL ? -1 : REAL(linkat)(from_folder, from, to_folder, to, flags);
}

// Memory without a file is the allocator's; that it can end is another matter.
void *mmap64(void *address, size_t size, int protection, int flags, int descriptor, off64_t offset) {
  if (descriptor >= 0 && next(CALL_MMAP) == FAIL) return MAP_FAILED;
  return REAL(mmap64)(address, size, protection, flags, descriptor, offset);
}

void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
  return mmap64(address, size, protection, flags, descriptor, offset);
}

ssize_t copy_file_range(
    int source, off64_t *from, int target, off64_t *to, size_t count, unsigned flags) {
  enum fault fault = next(CALL_COPY);
  if (fault == FAIL) return -1;
  return REAL(copy_file_range)(source, from, target, to, fault == SHORT ? half(count) : count, flags);
}

int sync_file_range(int descriptor, off64_t offset, off64_t count, unsigned flags) {
  if (next(CALL_SYNC_RANGE) == FAIL) return -1;
  return REAL(sync_file_range)(descriptor, offset, count, flags);
}

// Opening for reading is left alone: that is an input that is not there.
static int opened(const char *path, int flags, unsigned mode) {
  int writes = (flags & O_ACCMODE) != O_RDONLY;
  if (writes && next(CALL_TEMPORARY) == FAIL) return -1;
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

#define MODE(flags, mode)                            \
  unsigned mode = 0;                                 \
  if (flags & (O_CREAT | __O_TMPFILE)) {             \
    va_list list;                                    \
    va_start(list, flags);                           \
    mode = va_arg(list, unsigned);                   \
    va_end(list);                                    \
  }

int open(const char *path, int flags, ...) {
  MODE(flags, mode)
  return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE(flags, mode)
  return opened(path, flags, mode);
}

static void report(void) {
  const char *path = getenv("FAULT_COUNTS");
  if (!path || atomic_exchange(&reported, 1)) return;
  FILE *file = fopen(path, "we");
  if (!file) return;
  int total[CALL_COUNT];
  for (int call = 0; call < CALL_COUNT; call++) total[call] = atomic_load(&counts[call]);
  for (int call = 0; call < CALL_COUNT; call++) fprintf(file, "%s %d\n", names[call], total[call]);
  fclose(file);
}

__attribute__((destructor)) static void finish(void) { report(); }

void _exit(int status) {
  report();
  syscall(SYS_exit_group, status);
  for (;;) pause();
}
