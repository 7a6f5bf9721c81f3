// The minimum of a restored session: a connection to the engine, and one call that is answered.
//
// usage: restore SOCKET
// It prints the nanoseconds from socket() to the end of the answer.
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
int main(int count, char **arguments) {
  static char answer[65536];
  char call[] = "{\"method\":\"io.thumblatch.Vault.Watch\",\"parameters\":{\"account\":\"me\"}}";
  struct sockaddr_un engine = {.sun_family = AF_UNIX};
  strncpy(engine.sun_path, arguments[1], sizeof engine.sun_path - 1);
  struct timespec begun, ended;
  clock_gettime(CLOCK_BOOTTIME, &begun);
  int own = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(own, (struct sockaddr *)&engine, sizeof engine) < 0) return 1;
  if (send(own, call, sizeof call, 0) < 0) return 1;
  ssize_t got = 0, part;
  do {
    part = recv(own, answer + got, sizeof answer - got, 0);
    if (part <= 0) return 1;
    got += part;
  } while (answer[got - 1] != 0);
  clock_gettime(CLOCK_BOOTTIME, &ended);
  printf("%lld\n", (ended.tv_sec - begun.tv_sec) * 1000000000LL + ended.tv_nsec - begun.tv_nsec);
  return strstr(answer, "error") != NULL;
}
