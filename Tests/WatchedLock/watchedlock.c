#define _GNU_SOURCE
#include "watchedlock.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// The thread sanitizer sees an uncontended Swift Mutex, because its atomics are compiled into the
// caller. A contended one is locked and unlocked inside libswiftSynchronization. That library was
// built without the sanitizer, so each such lock would be reported as a race. These two functions
// replace the library's and report the order that the lock makes. This suppresses no report.

// From the sanitizer's runtime (sanitizer/tsan_interface.h). Absent in a build without it.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void watched_lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void watched_unlock(SELF void *mutex) __asm__(UNLOCK);

typedef SWIFT void (*lock_function)(uint32_t thread, SELF void *mutex);
typedef SWIFT void (*unlock_function)(SELF void *mutex);
static lock_function real_lock;
static unlock_function real_unlock;

void watchedlock_install(void) {
  real_lock = (lock_function)dlsym(RTLD_NEXT, LOCK);
  real_unlock = (unlock_function)dlsym(RTLD_NEXT, UNLOCK);
  if (!real_lock || !real_unlock) abort();
}

SWIFT void watched_lock(uint32_t thread, SELF void *mutex) {
  real_lock(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void watched_unlock(SELF void *mutex) {
  if (__tsan_release) __tsan_release(mutex);
  real_unlock(mutex);
}
