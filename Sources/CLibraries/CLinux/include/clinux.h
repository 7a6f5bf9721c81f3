// Functions that Glibc's Swift module does not import: variadic calls, macros and newer system
// calls. Every function returns 0 (or a count, a descriptor, a process id) on success and -errno on
// failure. So no caller reads errno after another call has changed it.
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// memfd_secret(2): memory that not even root can read through /proc/PID/mem.
int clinux_memfd_secret(void);
// The variable at an index of the environment, as `NAME=value`; NULL after the last (environ(7)).
const char *clinux_environment(size_t index);

// memfd_create(2): a file without a name, deleted with its last descriptor.
int clinux_memfd(void);
// getrandom(2), repeated until the buffer is full.
int clinux_getrandom(void *buffer, size_t count);
// Copies byte by byte, so that no byte is in a vector register afterwards.
void clinux_copy_secret(void *to, const void *from, size_t count);

// openat2(2) with RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH and O_CLOEXEC.
int clinux_openat_beneath(int directory, const char *path, int flags, mode_t mode);
// openat(2) with O_CLOEXEC.
int clinux_openat(int directory, const char *path, int flags, mode_t mode);
// renameat2(2) with RENAME_NOREPLACE, in one directory.
int clinux_rename_new(int directory, const char *from, const char *to);
// fstatfs(2): the file system's magic number.
int64_t clinux_filesystem_type(int fd);

int clinux_socketpair(int fds[2]);
int clinux_unix_socket(void);
int clinux_accept(int fd);
int clinux_set_nonblocking(int fd, int on);
int clinux_fcntl_dupfd(int fd, int lowest);

// SO_PEERCRED (unix(7)).
int clinux_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid);
// SO_PEERPIDFD (Linux 6.5): a descriptor.
int clinux_peer_pidfd(int fd);
int clinux_pidfd_open(pid_t pid);

// sendmsg(2) with MSG_NOSIGNAL; `passed` is sent by SCM_RIGHTS unless it is -1.
ssize_t clinux_send(int fd, const void *bytes, size_t count, int passed);
// recvmsg(2); `passed` gets one received descriptor (close-on-exec) or -1. More than one is
// -EPROTO, and all are closed.
ssize_t clinux_receive(int fd, void *bytes, size_t count, int *passed);

// prctl(2)
int clinux_set_not_dumpable(void);
int clinux_set_no_new_privileges(void);

// vfork(2), arrange descriptors, execve(2). `sources[i]` becomes descriptor `i` of the child (-1:
// /dev/null); all higher ones are closed. The signal mask is emptied and dispositions are reset.
// `directory` is the child's working directory. `session`: 1 calls setsid(2); 2 also makes the child
// an orphan that needs no wait; with 4 the child gets SIGTERM when the calling thread ends
// (PR_SET_PDEATHSIG(2const)). `mask` is its file mode mask (umask(2)). Returns the pid (0 with
// `session` 2) after execve(2) has succeeded.
pid_t clinux_spawn(
    const char *path, char *const argv[], char *const envp[], const char *directory,
    const int *sources, int count, int session, mode_t mask);
// waitpid(2) without EINTR. 0 while the child runs (with `block` == 0), else its pid; `status` is
// raw.
pid_t clinux_wait(pid_t pid, int block, int *status);
int clinux_status_exit_code(int status);  // -1 if ended by a signal
int clinux_status_signal(int status);     // 0 if it exited

// epoll(7) with one level-triggered descriptor for each call. `events`: 1 readable, 2 writable.
// Hang-up and error are reported as readable, so that read(2) tells which, and as 4.
int clinux_epoll_create(void);
int clinux_epoll_set(int epoll, int fd, uint32_t events, uint64_t token, int add);
int clinux_epoll_remove(int epoll, int fd);
int clinux_epoll_wait(
    int epoll, uint64_t *tokens, uint32_t *events, int capacity, int timeout_ms);
int clinux_eventfd(void);
// A listening TCP socket; its address is in memory order (one word of IPv4, four of IPv6).
struct clinux_listener {
  uint32_t words[4];
  int family;
  uint32_t user;
  uint32_t inode;
};
// Finds the TCP sockets that listen at a port, of IPv6 and optionally of IPv4 (sock_diag(7)).
// Returns their number; at most `room` are written.
ssize_t clinux_listeners(int ipv4, uint16_t port, struct clinux_listener *found, size_t room);

// A netlink(7) socket for changes of links, addresses and routes (rtnetlink(7)).
int clinux_route_changes(void);
// signalfd(2) for SIGINT, SIGTERM and SIGHUP. They are blocked for the whole process if this is
// called before a second thread starts.
int clinux_termination_signals(void);

// setrlimit(2) RLIMIT_NOFILE: raises it to the hard limit, at most to `most`; returns the new
// limit.
int64_t clinux_raise_descriptors(uint64_t most);
// setrlimit(2): raises the limits on file sizes and memory to their hard limits.
int clinux_raise_limits(void);
// getrlimit(2): 0 RLIMIT_NOFILE, 1 RLIMIT_FSIZE, 2 RLIMIT_AS, 3 RLIMIT_NPROC, 4 RLIMIT_DATA,
// 5 RLIMIT_STACK; -1 without a limit.
int64_t clinux_limit(int which);
// setrlimit(2) RLIMIT_CORE 0.
int clinux_disable_core_dumps(void);
// setrlimit(2) RLIMIT_CORE: sets the soft limit; `before` gets the earlier one unless it is NULL.
int clinux_set_core_limit(uint64_t soft, uint64_t *before);
// CLOCK_BOOTTIME / CLOCK_REALTIME in nanoseconds.
int64_t clinux_boottime(void);
int64_t clinux_realtime(void);

#ifdef __cplusplus
}
#endif
