// The minimum of a read of a token: one file is opened and read, and the text behind its first 44
// bytes is written.
//
// usage: token FILE
#include <fcntl.h>
#include <unistd.h>
int main(int count, char **arguments) {
  static char bytes[65536];
  int file = open(arguments[1], O_RDONLY | O_CLOEXEC);
  ssize_t got = read(file, bytes, sizeof bytes);
  return got < 44 || write(1, bytes + 44, got - 44) < 0;
}
