#define _GNU_SOURCE
#include "clinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/epoll.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Debian 12's headers define both numbers; older ones lack the socket option.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

static int result(long value) { return value < 0 ? -errno : (int)value; }

const char *clinux_environment(size_t index) {
  for (size_t i = 0; environ != NULL && environ[i] != NULL; i++) {
    if (i == index) return environ[i];
  }
  return NULL;
}

int clinux_memfd(void) { return result(memfd_create("thumblatch", MFD_CLOEXEC)); }

int clinux_memfd_secret(void) { return result(syscall(SYS_memfd_secret, O_CLOEXEC)); }

int clinux_rename_new(int directory, const char *from, const char *to) {
  // RENAME_NOREPLACE of linux/fs.h.
  return result(syscall(SYS_renameat2, directory, from, directory, to, 1u));
}

int clinux_getrandom(void *buffer, size_t count) {
  unsigned char *at = buffer;
  while (count > 0) {
    ssize_t got = getrandom(at, count, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      return -errno;
    }
    at += got;
    count -= (size_t)got;
  }
  return 0;
}

int clinux_openat_beneath(int directory, const char *path, int flags, mode_t mode) {
  struct open_how how = {
      .flags = (uint64_t)(flags | O_CLOEXEC),
      .mode = (flags & O_CREAT) ? mode : 0,
      .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH,
  };
  return result(syscall(SYS_openat2, directory, path, &how, sizeof how));
}

int clinux_openat(int directory, const char *path, int flags, mode_t mode) {
  return result(openat(directory, path, flags | O_CLOEXEC, mode));
}

int64_t clinux_filesystem_type(int fd) {
  struct statfs status;
  if (fstatfs(fd, &status) != 0) return -errno;
  return (int64_t)(uint32_t)status.f_type;
}

int clinux_socketpair(int fds[2]) {
  return result(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
}
int clinux_unix_socket(void) { return result(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }
int clinux_accept(int fd) {
  return result(accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
}
int clinux_set_nonblocking(int fd, int on) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return -errno;
  return result(fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK));
}
int clinux_fcntl_dupfd(int fd, int lowest) { return result(fcntl(fd, F_DUPFD_CLOEXEC, lowest)); }

int clinux_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -errno;
  if (size != sizeof peer) return -EPROTO;
  *pid = peer.pid;
  *uid = peer.uid;
  *gid = peer.gid;
  return 0;
}

int clinux_peer_pidfd(int fd) {
  int pidfd = -1;
  socklen_t size = sizeof pidfd;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) != 0) return -errno;
  return pidfd;
}
int clinux_pidfd_open(pid_t pid) { return result(syscall(SYS_pidfd_open, pid, 0)); }

ssize_t clinux_send(int fd, const void *bytes, size_t count, int passed) {
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (passed >= 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.space;
    message.msg_controllen = sizeof control.space;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &passed, sizeof passed);
  }
  for (;;) {
    ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (errno != EINTR) return -errno;
  }
}

ssize_t clinux_receive(int fd, void *bytes, size_t count, int *passed) {
  struct iovec part = {.iov_base = bytes, .iov_len = count};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int) * 4)];
  } control;
  struct msghdr message = {
      .msg_iov = &part,
      .msg_iovlen = 1,
      .msg_control = control.space,
      .msg_controllen = sizeof control.space,
  };
  *passed = -1;
  ssize_t got;
  do {
    got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return -errno;
  int many = (message.msg_flags & MSG_CTRUNC) != 0;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t descriptors = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < descriptors; i++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof descriptor);
      if (*passed == -1 && !many) {
        *passed = descriptor;
      } else {
        close(descriptor);
        many = 1;
      }
    }
  }
  if (many) {
    if (*passed != -1) close(*passed);
    *passed = -1;
    return -EPROTO;
  }
  return got;
}

int clinux_set_not_dumpable(void) { return result(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)); }
int clinux_set_no_new_privileges(void) { return result(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)); }

enum { most_descriptors = 16 };

// Whether the descriptor numbers used here exceed this process's limit.
static int beyond_limit(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur <= most_descriptors + 1;
}

// Runs between vfork and exec, in memory that still belongs to the parent. So it makes only
// async-signal-safe calls (signal-safety(7)) and writes only to this stack. It does not return.
static _Noreturn void become(
    const char *path, char *const argv[], char *const envp[], const char *directory,
    const int *sources, int count, int session, mode_t mask, pid_t parent, int report) {
  // Move all sources to high numbers first, so that none is overwritten before its turn.
  int moved[most_descriptors];
  int report_moved = fcntl(report, F_DUPFD_CLOEXEC, most_descriptors + 1);
  if (report_moved < 0) goto failed;
  report = report_moved;
  for (int i = 0; i < count; i++) {
    moved[i] = sources[i] >= 0 ? fcntl(sources[i], F_DUPFD_CLOEXEC, most_descriptors + 1)
                               : open("/dev/null", O_RDWR | O_CLOEXEC);
    if (moved[i] < 0) goto failed;
  }
  for (int i = 0; i < count; i++) {
    if (moved[i] == i) {
      if (fcntl(i, F_SETFD, 0) != 0) goto failed;
    } else if (dup2(moved[i], i) < 0) {
      goto failed;
    }
  }
  // Everything else closes at exec; the report pipe must stay open until then.
  if (syscall(SYS_close_range, (unsigned)count, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */) != 0) goto failed;
  if ((session & 3) && setsid() < 0) goto failed;
  if (session & 2) {
    pid_t second = _Fork();
    if (second < 0) goto failed;
    if (second > 0) _exit(0);
  }
  // The child's mask is independent of the caller's, which could expose new files or lock out their
  // owner.
  umask(mask);
  if (directory != NULL && chdir(directory) != 0) goto failed;
  for (int signal = 1; signal < NSIG; signal++) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(signal, &standard, NULL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (session & 4) {
    if (prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) != 0) goto failed;
    // A parent that ended earlier no longer sends a signal.
    if (getppid() != parent) _exit(127);
  }
  execve(path, argv, envp);
failed:;
  // fcntl(2), F_DUPFD: EINVAL means that the number is beyond RLIMIT_NOFILE.
  int code = errno == EINVAL && beyond_limit() ? EMFILE : errno;
  ssize_t ignored = write(report, &code, sizeof code);
  (void)ignored;
  _exit(127);
}

pid_t clinux_spawn(
    const char *path, char *const argv[], char *const envp[], const char *directory,
    const int *sources, int count, int session, mode_t mask) {
  if (count < 0 || count > most_descriptors) return -EINVAL;
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return -errno;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // fork(2) would copy the page tables, and stop the other threads during that time. After vfork(2)
  // the parent waits until the child has its own memory. No signal handler runs in either, since
  // all signals are blocked.
  pid_t parent = getpid();
  pid_t pid = vfork();
  if (pid == 0) {
    become(path, argv, envp, directory, sources, count, session, mask, parent, report[1]);
  }
  int fork_error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(report[1]);
  if (pid < 0) {
    close(report[0]);
    return -fork_error;
  }
  int code = 0;
  ssize_t got;
  do {
    got = read(report[0], &code, sizeof code);
  } while (got < 0 && errno == EINTR);
  close(report[0]);
  if (got == 0 && !(session & 2)) return pid;
  int status;
  clinux_wait(pid, 1, &status);
  if (got == 0) return 0;
  return got == sizeof code ? -code : -EIO;
}

pid_t clinux_wait(pid_t pid, int block, int *status) {
  for (;;) {
    pid_t ended = waitpid(pid, status, block ? 0 : WNOHANG);
    if (ended >= 0) return ended;
    if (errno != EINTR) return -errno;
  }
}
int clinux_status_exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
int clinux_status_signal(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }

int clinux_epoll_create(void) { return result(epoll_create1(EPOLL_CLOEXEC)); }
int clinux_epoll_set(int epoll, int fd, uint32_t events, uint64_t token, int add) {
  struct epoll_event event = {.data.u64 = token};
  if (events & 1) event.events |= EPOLLIN | EPOLLRDHUP;
  if (events & 2) event.events |= EPOLLOUT;
  return result(epoll_ctl(epoll, add ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event));
}
int clinux_epoll_remove(int epoll, int fd) {
  return result(epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL));
}
int clinux_epoll_wait(
    int epoll, uint64_t *tokens, uint32_t *events, int capacity, int timeout_ms) {
  struct epoll_event ready[64];
  if (capacity > 64) capacity = 64;
  int count = epoll_wait(epoll, ready, capacity, timeout_ms);
  if (count < 0) return errno == EINTR ? 0 : -errno;
  for (int i = 0; i < count; i++) {
    tokens[i] = ready[i].data.u64;
    events[i] = 0;
    if (ready[i].events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) events[i] |= 1;
    if (ready[i].events & EPOLLOUT) events[i] |= 2;
    if (ready[i].events & (EPOLLHUP | EPOLLERR)) events[i] |= 4;
  }
  return count;
}
int clinux_route_changes(void) {
  int number = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (number < 0) return -errno;
  struct sockaddr_nl address = {
    .nl_family = AF_NETLINK,
    .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR |
                 RTMGRP_IPV6_ROUTE,
  };
  if (bind(number, (struct sockaddr *)&address, sizeof address) == 0) return number;
  int code = errno;
  close(number);
  return -code;
}

int clinux_eventfd(void) { return result(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int clinux_termination_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  int failed = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (failed != 0) return -failed;
  return result(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int clinux_disable_core_dumps(void) {
  struct rlimit none = {0, 0};
  return result(setrlimit(RLIMIT_CORE, &none));
}

int clinux_set_core_limit(uint64_t soft, uint64_t *before) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_CORE, &limit) != 0) return -errno;
  if (before != NULL) *before = limit.rlim_cur;
  limit.rlim_cur = soft;
  return result(setrlimit(RLIMIT_CORE, &limit));
}

static int64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  // clock_gettime(2) fails only for an unknown clock or a bad pointer.
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
int64_t clinux_boottime(void) { return nanoseconds(CLOCK_BOOTTIME); }
int64_t clinux_realtime(void) { return nanoseconds(CLOCK_REALTIME); }

int clinux_raise_limits(void) {
  static const int limits[] = {RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_DATA};
  for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct rlimit limit;
    if (getrlimit(limits[i], &limit) != 0) return -errno;
    if (limit.rlim_cur == limit.rlim_max) continue;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(limits[i], &limit) != 0) return -errno;
  }
  return 0;
}
int64_t clinux_limit(int which) {
  static const int limits[] = {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_NPROC,
                               RLIMIT_DATA,   RLIMIT_STACK};
  struct rlimit limit;
  if (which < 0 || which > 5 || getrlimit(limits[which], &limit) != 0) return -1;
  return limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > INT64_MAX ? -1 : (int64_t)limit.rlim_cur;
}
int64_t clinux_raise_descriptors(uint64_t most) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -errno;
  rlim_t wanted = limit.rlim_max < most ? limit.rlim_max : (rlim_t)most;
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = wanted;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return -errno;
  }
  return (int64_t)(limit.rlim_cur < most ? limit.rlim_cur : (rlim_t)most);
}
