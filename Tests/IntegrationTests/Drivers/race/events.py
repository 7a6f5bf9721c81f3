"""Waits for events: a file that appears or is closed (inotify(7)), or a flag that is set."""
import ctypes
import os
import select
import time

MODIFY, CLOSE_WRITE, CREATE, MOVED_TO = 0x2, 0x8, 0x100, 0x80
libc = ctypes.CDLL(None, use_errno=True)


class Flag:
    """Like threading.Event, with a descriptor that is readable once the flag is set."""

    def __init__(self):
        self.handle = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)

    def set(self):
        os.eventfd_write(self.handle, 1)

    def is_set(self):
        return self.wait(0)

    def wait(self, seconds):
        return bool(ready([self.handle], seconds))

    def __del__(self):
        os.close(self.handle)


class Directory:
    """Watches a directory for new files and for files closed after a write."""

    def __init__(self, path, mask=CLOSE_WRITE | CREATE | MOVED_TO):
        self.handle = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self.handle < 0 or libc.inotify_add_watch(self.handle, path.encode(), mask) < 0:
            raise OSError(ctypes.get_errno(), "inotify", path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.handle)

    def wait(self, seconds, flag=None):
        """Waits for an event. False if the flag was set or the time has passed."""
        handles = [self.handle] + ([flag.handle] if flag else [])
        if self.handle not in ready(handles, seconds):
            return False
        os.read(self.handle, 1 << 16)
        return True


def ready(handles, seconds):
    poll = select.poll()
    for handle in handles:
        poll.register(handle, select.POLLIN)
    return [handle for handle, _ in poll.poll(max(0, seconds) * 1000)]


def until(condition, path, seconds):
    """Whether the condition came true in time. It is checked whenever a file comes or is closed."""
    deadline = time.monotonic() + seconds
    with Directory(path) as directory:
        # Checked after the watch has begun, so that no event is missed.
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0 or not directory.wait(left):
                return condition()
    return True
