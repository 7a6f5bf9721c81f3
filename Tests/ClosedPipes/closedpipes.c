#include "closedpipes.h"

#include <signal.h>

// A test that writes to a program which has just ended gets EPIPE. The signal with it would end all
// tests of the run, without naming one. A program that a test starts has the usual signals again
// (clinux_spawn).
__attribute__((constructor)) static void ignore_closed_pipes(void) { signal(SIGPIPE, SIG_IGN); }
