"""Processes that start cheaply and are killed by a descriptor, so that no other process is hit."""
import os
import select
import signal
import threading


# The running processes, and whether new ones may start. Hold `gate` to change either.
running = set()
stopping = threading.Event()
gate = threading.RLock()


class Stopped(Exception):
    """The run is being ended from outside."""


class Process:
    """A child whose output goes to files."""

    def __init__(self, words, environment, place, given=None):
        self.place, self.words, self.status, self.struck = place, words, None, False
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, given or "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, place + ".out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, place + ".err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
        with gate:
            if stopping.is_set():
                raise Stopped()
            self.pid = os.posix_spawn(
                words[0], words, environment, file_actions=actions, setsid=True,
                setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
            self.handle = os.pidfd_open(self.pid)
            running.add(self)

    def kill(self):
        """Kills it. False if it had already ended."""
        with gate:
            if self not in running or has_ended(self.handle, 0):
                return False
            self.struck = True
            signal.pidfd_send_signal(self.handle, signal.SIGKILL)
            return True

    def wait(self, seconds):
        """Its exit status, negative for a signal. If it has not ended in time it is killed, and the
        result is None."""
        in_time = has_ended(self.handle, seconds)
        if not in_time:
            signal.pidfd_send_signal(self.handle, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        with gate:
            running.discard(self)
            os.close(self.handle)
        self.status = status if in_time else None
        return self.status

    def text(self, ending):
        with open(self.place + ending, errors="replace") as file:
            return file.read()


def stop():
    """Ends all running processes, and prevents new ones."""
    with gate:
        stopping.set()
        for process in list(running):
            process.kill()


def has_ended(handle, seconds):
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def open_program(pid, program):
    """A descriptor of the process `pid` if it runs this program, otherwise None."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return None
    try:
        # Not by its link `exe`, which only root may read for an undumpable process.
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            words = file.read().split(b"\0")
        if words[0] == program.encode() and not has_ended(handle, 0):
            return handle
    except OSError:
        pass
    os.close(handle)
    return None


def end(handle, number, seconds=0):
    """Sends a signal and waits for the end. False if the process no longer exists."""
    try:
        signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        return False
    finally:
        ended = has_ended(handle, seconds) if seconds else True
        if not ended:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            has_ended(handle, 20)
        os.close(handle)
    return True


def end_stopped(handle):
    """Whether the process was stopped. Then it is killed, and the descriptor is closed."""
    try:
        with open("/proc/self/fdinfo/%d" % handle) as file:
            number = next(int(line.split()[1]) for line in file if line.startswith("Pid:"))
        with open("/proc/%d/stat" % number) as file:
            state = file.read().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state in "Tt" and end(handle, signal.SIGKILL)


def matching(pattern):
    """Descriptors of all processes of this user whose command line matches."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            handle = os.pidfd_open(int(name))
            with open("/proc/%s/cmdline" % name, "rb") as file:
                line = file.read().replace(b"\0", b" ").decode(errors="replace")
            if pattern.search(line) and os.stat("/proc/" + name).st_uid == os.getuid():
                found.append(handle)
                continue
            os.close(handle)
        except OSError:
            continue
    return found
