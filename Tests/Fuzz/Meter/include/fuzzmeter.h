// The cost of one input: CPU time of the thread, and its peak memory.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fuzzmeter_reading {
  // CLOCK_THREAD_CPUTIME_ID.
  int64_t nanoseconds;
  // The peak of memory allocated since the start and not freed. Without sanitizers, mapped memory
  // counts as well.
  int64_t bytes;
};

// Counts the allocations of this thread from here on.
void fuzzmeter_start(void);
// Stops counting.
struct fuzzmeter_reading fuzzmeter_stop(void);

// Makes a crash write the current input to a file. The caller keeps the bytes.
void fuzzmeter_keep(int file);
void fuzzmeter_input(const uint8_t *bytes, size_t count);

// Tells libFuzzer that this run reached one of 64 marks, as if that were code.
void fuzzmeter_reach(unsigned mark);

// LLVMFuzzerMutate of libFuzzer. 0 in a program without libFuzzer.
size_t fuzzmeter_mutate(uint8_t *bytes, size_t count, size_t room);

#ifdef __cplusplus
}
#endif
