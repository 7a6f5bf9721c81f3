// Connects to a server under the many uids of one user namespace (user_namespaces(7)), as a person
// with a range in /etc/subuid can.
//
// usage: crowd SOCKET FIRST COUNT SECONDS silent|half|calls|again MESSAGE      as root
//
// It maps COUNT uids from FIRST on, connects under each of them once, and holds the connections
// that the server leaves open. `silent` sends nothing, `half` MESSAGE without its end, `calls`
// MESSAGE once a second. `again` sends nothing, and opens another connection, under the next uid,
// for each that is closed. It prints "ready" when all have connected. After SECONDS, or at the end
// of its input, it prints how many connections were opened, the most that were open at once, and
// how many are open.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static const char *message;
static size_t length;
static int events, count, next, opened, open_now, top;
static int *held;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void map(pid_t process, const char *file, unsigned first) {
  char path[64], line[64];
  snprintf(path, sizeof path, "/proc/%d/%s", process, file);
  snprintf(line, sizeof line, "0 %u %d\n", first, count);
  int fd = open(path, O_WRONLY);
  if (fd < 0 || write(fd, line, strlen(line)) < 0) fail(path);
  close(fd);
}

// Goes on in a child that is root of its own user namespace.
static void enter(unsigned first) {
  int made[2], mapped[2];
  char byte;
  if (pipe(made) != 0 || pipe(mapped) != 0) fail("pipe");
  pid_t child = fork();
  if (child < 0) fail("fork");
  if (child > 0) {
    close(made[1]);
    close(mapped[0]);
    if (read(made[0], &byte, 1) != 1) exit(1);
    map(child, "uid_map", first);
    map(child, "gid_map", first);
    close(mapped[1]);
    int status;
    waitpid(child, &status, 0);
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  close(mapped[1]);
  if (unshare(CLONE_NEWUSER) != 0) fail("unshare");
  if (write(made[1], "x", 1) != 1) fail("write");
  if (read(mapped[0], &byte, 1) != 0) fail("read");
  if (setresgid(0, 0, 0) != 0 || setresuid(0, 0, 0) != 0) fail("setresuid");
}

// The kernel records the effective uid of connect(2). -1 if the server takes no connection now.
static int connected(void) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  if (setresuid(-1, next % count, -1) != 0) fail("setresuid");
  int status = connect(fd, (struct sockaddr *)&address, sizeof address);
  if (setresuid(-1, 0, -1) != 0) fail("setresuid");
  if (status == 0) return fd;
  if (errno != EAGAIN) fail("connect");
  close(fd);
  return -1;
}

static int open_one(int half) {
  int fd = connected();
  if (fd < 0) return 0;
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.fd = fd};
  if (epoll_ctl(events, EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll_ctl");
  if (half) send(fd, message, length - 1, MSG_NOSIGNAL);
  held[fd] = 1;
  next++;
  opened++;
  if (++open_now > top) top = open_now;
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 7 || strlen(argv[1]) >= sizeof address.sun_path) return 2;
  strcpy(address.sun_path, argv[1]);
  count = atoi(argv[3]);
  double end = now() + atof(argv[4]), called = 0;
  int half = strcmp(argv[5], "half") == 0, again = strcmp(argv[5], "again") == 0;
  int calls = strcmp(argv[5], "calls") == 0, is_ready = 0;
  message = argv[6];
  length = strlen(message) + 1;
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  held = calloc(limit.rlim_max + 1, sizeof *held);
  enter(strtoul(argv[2], NULL, 10));
  events = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event input = {.events = EPOLLIN | EPOLLRDHUP, .data.fd = 0};
  epoll_ctl(events, EPOLL_CTL_ADD, 0, &input);
  struct epoll_event ready[256];
  static char room[1 << 16];
  while (now() < end) {
    for (int i = 0; i < 64 && opened < count; i++) {
      if (!open_one(half)) break;
    }
    if (opened >= count && !is_ready) {
      is_ready = 1;
      printf("ready\n");
      fflush(stdout);
    }
    if (calls && now() - called > 1) {
      called = now();
      for (rlim_t fd = 0; fd < limit.rlim_max; fd++) {
        if (held[fd]) send(fd, message, length, MSG_NOSIGNAL);
      }
    }
    int got = epoll_wait(events, ready, 256, opened < count ? 0 : 50);
    for (int i = 0; i < got; i++) {
      int fd = ready[i].data.fd;
      if (fd == 0) goto done;
      if (recv(fd, room, sizeof room, 0) > 0) continue;
      close(fd);
      held[fd] = 0;
      open_now--;
      if (again && opened >= count) open_one(half);
    }
  }
done:
  printf("%d %d %d\n", opened, top, open_now);
  return 0;
}
