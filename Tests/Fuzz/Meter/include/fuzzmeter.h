// What one input costs: CPU time of the thread, and the most memory that is held at once.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fuzzmeter_reading {
  // CLOCK_THREAD_CPUTIME_ID.
  int64_t nanoseconds;
  // Allocated since the start and not freed, at its highest. Without sanitizers, mapped memory
  // counts as well.
  int64_t bytes;
};

// Counts what this thread allocates from here on.
void fuzzmeter_start(void);
// Stops counting.
struct fuzzmeter_reading fuzzmeter_stop(void);

// Has a crash write the input of that moment to a file. The bytes stay the caller's.
void fuzzmeter_keep(int file);
void fuzzmeter_input(const uint8_t *bytes, size_t count);

// Tells libFuzzer that this run reached one of 64 marks, as if that were code.
void fuzzmeter_reach(unsigned mark);

// LLVMFuzzerMutate of libFuzzer; 0 in a program without libFuzzer.
size_t fuzzmeter_mutate(uint8_t *bytes, size_t count, size_t room);

#ifdef __cplusplus
}
#endif
