// The least program that a socket unit with Accept=yes can start: it answers the first byte, and
// ends.
#include <unistd.h>
int main(void) {
  char byte;
  return read(0, &byte, 1) != 1 || write(0, &byte, 1) != 1;
}
