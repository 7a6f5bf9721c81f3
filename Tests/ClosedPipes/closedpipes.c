#include "closedpipes.h"

#include <signal.h>

// A test that writes to a program which has just ended gets EPIPE. The signal that comes with it would
// end all tests of the run, and name none of them. What a test starts has the usual signals again
// (clinux_spawn).
__attribute__((constructor)) static void ignore_closed_pipes(void) { signal(SIGPIPE, SIG_IGN); }
