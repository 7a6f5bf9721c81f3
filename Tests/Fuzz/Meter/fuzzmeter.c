#define _GNU_SOURCE
#include "fuzzmeter.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

static __thread bool counting;
static __thread int64_t held;
static __thread int64_t highest;
static __thread int64_t started;

static void count(int64_t bytes) {
  if (!counting) return;
  held += bytes;
  if (held > highest) highest = held;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

#if SANITIZED

// sanitizer/allocator_interface.h
int __sanitizer_install_malloc_and_free_hooks(
    void (*taken)(const volatile void *, size_t), void (*freed)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *bytes);

static void taken(const volatile void *bytes, size_t size) { count((int64_t)size); }

static void freed(const volatile void *bytes) {
  if (counting && bytes) count(-(int64_t)__sanitizer_get_allocated_size(bytes));
}

static void prepare(void) {
  static bool done;
  if (!done) __sanitizer_install_malloc_and_free_hooks(taken, freed);
  done = true;
}

#else

// The allocator of glibc under its internal names. The functions below replace it in the whole
// process (ld.so(8): the program comes first).
void *__libc_malloc(size_t size);
void __libc_free(void *bytes);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *bytes, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static void *taken(void *bytes) {
  if (counting && bytes) count((int64_t)malloc_usable_size(bytes));
  return bytes;
}

static void gone(void *bytes) {
  if (counting && bytes) count(-(int64_t)malloc_usable_size(bytes));
}

void *malloc(size_t size) { return taken(__libc_malloc(size)); }
void *calloc(size_t number, size_t size) { return taken(__libc_calloc(number, size)); }
void *memalign(size_t alignment, size_t size) { return taken(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

void free(void *bytes) {
  gone(bytes);
  __libc_free(bytes);
}

int posix_memalign(void **place, size_t alignment, size_t size) {
  void *bytes = memalign(alignment, size);
  if (!bytes) return ENOMEM;
  *place = bytes;
  return 0;
}

void *realloc(void *bytes, size_t size) {
  int64_t before = counting && bytes ? (int64_t)malloc_usable_size(bytes) : 0;
  void *other = __libc_realloc(bytes, size);
  if (other || size == 0) count(-before);
  return taken(other);
}

// Locked memory is mapped, not allocated. Mappings that malloc makes for itself do not come through
// here.
void *mmap(void *place, size_t size, int protection, int flags, int file, off_t offset) {
  void *mapped = (void *)syscall(SYS_mmap, place, size, protection, flags, file, offset);
  if (mapped != MAP_FAILED) count((int64_t)size);
  return mapped;
}

int munmap(void *place, size_t size) {
  long result = syscall(SYS_munmap, place, size);
  if (result == 0) count(-(int64_t)size);
  return (int)result;
}

static void prepare(void) {}

#endif

void fuzzmeter_start(void) {
  prepare();
  held = 0;
  highest = 0;
  counting = true;
  started = now();
}

struct fuzzmeter_reading fuzzmeter_stop(void) {
  struct fuzzmeter_reading reading = {now() - started, highest};
  counting = false;
  return reading;
}

static const uint8_t *input;
static size_t input_count;
static int kept = -1;

static void keep(int number) {
  // The handler is reset (SA_RESETHAND): the signal occurs again, and ends the process.
  if (write(kept, input, input_count) < 0) _exit(2);
}

void fuzzmeter_keep(int file) {
  static uint8_t space[1 << 16];
  const stack_t stack = {.ss_sp = space, .ss_size = sizeof space};
  const struct sigaction action = {
      .sa_handler = keep, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)};
  const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
  kept = file;
  sigaltstack(&stack, NULL);
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) {
    sigaction(signals[index], &action, NULL);
  }
}

void fuzzmeter_input(const uint8_t *bytes, size_t count) {
  input = bytes;
  input_count = count;
}

// libFuzzer interprets nonzero bytes here as reached code, and clears them before each run.
__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t marks[64];

void fuzzmeter_reach(unsigned mark) {
  if (mark < sizeof marks) marks[mark] = 1;
}

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t room) __attribute__((weak));

size_t fuzzmeter_mutate(uint8_t *bytes, size_t count, size_t room) {
  return LLVMFuzzerMutate ? LLVMFuzzerMutate(bytes, count, room) : 0;
}
