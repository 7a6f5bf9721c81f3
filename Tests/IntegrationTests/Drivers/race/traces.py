"""The traces of strace(1): the calls at which a kill can strike, and the prevented calls."""
import collections
import re

STRACE = "/usr/bin/strace"

# The calls that change or pass data, names, locks, messages and processes. Other calls (memory,
# futex, timers) have no effect outside the process: a kill there is a kill at a random moment.
WRITE_PATH = set("""
    open openat openat2 close read pread64 write pwrite64 writev pwritev ftruncate fallocate
    fsync fdatasync sync_file_range unlink unlinkat rename renameat renameat2 link linkat mkdir
    mkdirat flock fcntl newfstatat socket socketpair bind listen connect accept4 setsockopt
    getsockopt getsockname sendto sendmsg recvfrom recvmsg poll shutdown dup2 clone clone3 vfork
    execve getrandom exit_group""".split())

LINE = re.compile(r"^(\d+) +(\w+)\(")
RESULT = re.compile(r"^(\d+) +(?:(\w+)\(|<\.\.\. (\w+) resumed).*\) += (\d+)")


def census(text, mark, leave_out=()):
    """Each (call, number) from the first call that matches `mark` on.

    The number counts the call in one thread from the program's start, as strace does with `when=`.
    """
    counts, points, begun = collections.Counter(), set(), False
    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        thread, call = match.groups()
        counts[thread, call] += 1
        begun = begun or bool(mark.search(line))
        if begun and call in WRITE_PATH and call not in leave_out:
            points.add((call, counts[thread, call]))
    return sorted(points)


def kill_at(call, number, also=()):
    """The options that kill before the call is carried out, so that N = 1, 2, ... covers every
    state."""
    return "-e trace=%s -e inject=%s:signal=KILL:when=%d" % (
        ",".join(sorted({call, *also})), call, number)


def fail_at(call, error, number):
    return "-e trace=%s -e inject=%s:error=%s:when=%d" % (call, call, error, number)


def was_killed_at(text, call):
    """Whether the traced program was killed at this call."""
    return "+++ killed by SIGKILL" in text and any(
        re.search(r"\b%s\(.*(= \?|<unfinished \.\.\.>|\?\?\?\?)" % call, line)
        for line in text.splitlines())


def has_finished(text):
    return "+++ " in text


def completed(text, calls):
    """The line of the first of these calls that returned without an error, or None if none did."""
    for line in text.splitlines():
        match = RESULT.match(line)
        # Data that goes into a connection is not stored.
        if match and (match.group(2) or match.group(3)) in calls and "<TCP" not in line:
            return line
    return None


def local_ports(text):
    """The local ports of the traced program: from getsockname(2), or from strace's own -yy."""
    found = re.findall(r"getsockname\(.*?sin6?_port=htons\((\d+)\)", text)
    return {int(port) for port in found + re.findall(r"<TCP(?:v6)?:\[[^]>]*?:(\d+)->", text)}
