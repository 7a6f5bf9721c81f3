// The least work that a server in C could do. It answers each message that ends with a NUL with the
// same reply, on one thread, without parsing the message.
//
// usage: floor SOCKET REPLY
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv) {
  static char room[1 << 16];
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (argc != 3 || strlen(argv[1]) >= sizeof address.sun_path) return 2;
  strcpy(address.sun_path, argv[1]);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), events = epoll_create1(0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) return 1;
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, ready[64];
  epoll_ctl(events, EPOLL_CTL_ADD, listener, &event);
  puts("ready");
  fflush(stdout);
  for (;;) {
    int count = epoll_wait(events, ready, 64, -1);
    for (int i = 0; i < count; i++) {
      int fd = ready[i].data.fd;
      if (fd == listener) {
        while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
          event = (struct epoll_event){.events = EPOLLIN | EPOLLRDHUP, .data.fd = fd};
          epoll_ctl(events, EPOLL_CTL_ADD, fd, &event);
        }
        continue;
      }
      ssize_t got = recv(fd, room, sizeof room, 0);
      if (got <= 0) close(fd);
      else if (room[got - 1] == 0) send(fd, argv[2], strlen(argv[2]) + 1, MSG_NOSIGNAL);
    }
  }
}
