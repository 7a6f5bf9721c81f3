// Requests tokens from a server on a Unix socket, over many connections at once. Each connection
// sends its next call when it has its reply. It can also hold connections that never end their
// message.
//
// usage: client ask SOCKET CONNECTIONS SECONDS kept|each MESSAGE
//        client hold SOCKET CONNECTIONS SECONDS MESSAGE
//        client flood SOCKET PROCESSES SECONDS MESSAGE
//        client once SOCKET MESSAGE
//
// `ask` prints: requests, seconds, and microseconds of the 50th, 99th and 100th percentile. `kept`
// keeps its connections, `each` opens one for every call. MESSAGE is sent with a NUL if it is a
// Varlink call ("method"), else as it is. A reply ends with a NUL or with the connection. `hold`
// sends MESSAGE without an end on each connection. It opens another connection for each that is
// closed, until CONNECTIONS were opened. It prints how many were opened, the most that were open at
// once, and the longest life of one in milliseconds. It waits until all are closed, or SECONDS
// passed. `flood` makes that many processes connect and hang up without a pause, and prints how
// often they did. `once` prints the `access_token` of one reply.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct one {
  int fd;
  int64_t begun;
};

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static const char *message;
static size_t length;
static int events;
static char room[1 << 16];
static uint32_t *times;
static size_t count, most = 1 << 24;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// -1 if the server accepts no connection now.
static int connected(void) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
  if (errno != EAGAIN) fail("connect");
  close(fd);
  return -1;
}

static void watch(struct one *one) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = one};
  if (epoll_ctl(events, EPOLL_CTL_ADD, one->fd, &event) != 0) fail("epoll_ctl");
}

// If the server's queue is full, tries again until it accepts the connection.
static void open_one(struct one *one) {
  one->begun = now();
  while ((one->fd = connected()) < 0) {
    struct timespec pause = {.tv_nsec = 100000};
    nanosleep(&pause, NULL);
  }
  watch(one);
}

static void ask(struct one *one) {
  if (send(one->fd, message, length, MSG_NOSIGNAL) != (ssize_t)length) fail("send");
}

static int ascending(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

static void ask_many(int connections, double seconds, int keep) {
  struct one *ones = calloc(connections, sizeof *ones);
  times = malloc(most * sizeof *times);
  struct epoll_event ready[256];
  for (int i = 0; i < connections; i++) {
    open_one(&ones[i]);
    if (keep) ones[i].begun = now();
    ask(&ones[i]);
  }
  // The first tenth of the time is for warming up.
  int64_t begun = now(), counted = begun + seconds * 1e8, end = begun + seconds * 1.1e9, time = begun;
  while (time < end) {
    int got = epoll_wait(events, ready, 256, 60000);
    if (got <= 0) fail("no answer");
    for (int i = 0; i < got; i++) {
      struct one *one = ready[i].data.ptr;
      ssize_t part = recv(one->fd, room, sizeof room, 0);
      if (part < 0 && errno == EAGAIN) continue;
      if (part < 0) fail("recv");
      if (part == 0 && keep) {
        fprintf(stderr, "the server hung up\n");
        exit(1);
      }
      if (part > 0 && room[part - 1] != 0 && room[part - 1] != '}') continue;
      time = now();
      if (time >= counted && count < most) times[count++] = (time - one->begun) / 1000;
      if (keep) {
        one->begun = time;
      } else {
        close(one->fd);
        open_one(one);
      }
      ask(one);
    }
  }
  if (count == 0) fail("nothing was answered");
  qsort(times, count, sizeof *times, ascending);
  printf(
      "%zu %.3f %u %u %u\n", count, (time - counted) / 1e9, times[count / 2],
      times[count - 1 - count / 100], times[count - 1]);
}

static void hold_many(int connections, double seconds) {
  struct one *ones = calloc(connections, sizeof *ones);
  struct epoll_event ready[256];
  int opened = 0, open = 0, top = 0;
  int64_t longest = 0, end = now() + seconds * 1e9;
  while ((opened < connections || open > 0) && now() < end) {
    for (int i = 0; i < 64 && opened < connections; i++) {
      struct one *one = &ones[opened];
      one->fd = connected();
      if (one->fd < 0) break;
      one->begun = now();
      watch(one);
      send(one->fd, message, length - 1, MSG_NOSIGNAL);
      opened++;
      if (++open > top) top = open;
    }
    int got = epoll_wait(events, ready, 256, opened < connections ? 0 : 50);
    for (int i = 0; i < got; i++) {
      struct one *one = ready[i].data.ptr;
      int64_t lasted = now() - one->begun;
      if (lasted > longest) longest = lasted;
      close(one->fd);
      open--;
    }
  }
  printf("%d %d %lld %d\n", opened, top, (long long)(longest / 1000000), open);
}

static void flood(int processes, double seconds) {
  int sums[2];
  if (pipe(sums) != 0) fail("pipe");
  for (int i = 0; i < processes; i++) {
    if (fork() != 0) continue;
    int64_t end = now() + seconds * 1e9;
    uint64_t opened = 0;
    while (now() < end) {
      int fd = connected();
      if (fd < 0) continue;
      opened++;
      close(fd);
    }
    if (write(sums[1], &opened, sizeof opened) < 0) fail("write");
    exit(0);
  }
  close(sums[1]);
  uint64_t sum = 0, part;
  while (read(sums[0], &part, sizeof part) == sizeof part) sum += part;
  printf("%llu\n", (unsigned long long)sum);
}

static void ask_once(void) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != 0) fail("peer");
  if (send(fd, message, length, MSG_NOSIGNAL) != (ssize_t)length) fail("send");
  size_t got = 0;
  do {
    ssize_t part = recv(fd, room + got, sizeof room - got, 0);
    if (part <= 0) fail("recv");
    got += part;
  } while (room[got - 1] != 0);
  char *token = strstr(room, "\"access_token\":\"");
  if (token == NULL) exit(1);
  token += strlen("\"access_token\":\"");
  char *ending = strchr(token, '"');
  *ending = '\n';
  if (write(1, token, ending + 1 - token) < 0) exit(1);
}

int main(int argc, char **argv) {
  if (argc < 4 || strlen(argv[2]) >= sizeof address.sun_path) return 2;
  strcpy(address.sun_path, argv[2]);
  message = argv[argc - 1];
  length = strlen(message) + (strstr(message, "\"method\"") != NULL);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  events = epoll_create1(EPOLL_CLOEXEC);
  if (strcmp(argv[1], "ask") == 0 && argc == 7) {
    ask_many(atoi(argv[3]), atof(argv[4]), strcmp(argv[5], "kept") == 0);
  } else if (strcmp(argv[1], "hold") == 0 && argc == 6) {
    hold_many(atoi(argv[3]), atof(argv[4]));
  } else if (strcmp(argv[1], "flood") == 0 && argc == 6) {
    flood(atoi(argv[3]), atof(argv[4]));
  } else if (strcmp(argv[1], "once") == 0) {
    ask_once();
  } else {
    return 2;
  }
  return 0;
}
