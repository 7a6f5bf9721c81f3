"""A finger over a virtual reader, and one command in a terminal."""

import os
import pty
import select
import signal
import socket
import struct
import sys
import time

BOLD, DIM, RESET = ("\033[1m", "\033[2m", "\033[0m") if sys.stdout.isatty() else ("", "", "")


class Failure(Exception):
    """The demo failed."""


class Reader:
    """A finger over the virtual reader of libfprint (its `virtual_device` driver)."""

    def __init__(self, path):
        self.path, self.missed = path, None

    def touch(self, finger, again=False):
        """Scans a finger as soon as the reader is armed; `again`: by another process than the last one."""
        deadline = time.monotonic() + 60
        while True:
            with socket.socket(socket.AF_UNIX) as reader:
                try:
                    reader.connect(self.path)
                    process = struct.unpack("3i", reader.getsockopt(
                        socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
                    if again and process == self.missed:
                        raise BlockingIOError
                except OSError:
                    if time.monotonic() > deadline:
                        raise Failure("the reader was never armed")
                    select.select([], [], [], 0.02)
                    continue
                try:
                    reader.sendall(f"SCAN {finger}".encode())
                    while reader.recv(64):
                        pass
                except (BrokenPipeError, ConnectionResetError):
                    # It was closed before it read that: the next prompt opens it again.
                    continue
                self.missed = process
                return


class Terminal:
    """One command in a terminal of its own; its output is shown as it comes."""

    def __init__(self, demo, arguments):
        self.shown = ""
        self.exit = None
        print(f"{BOLD}$ thumblatch {' '.join(arguments)}{RESET}", flush=True)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            demo.become_user()
            program = os.path.join(demo.programs, "thumblatch")
            os.execve(program, ["thumblatch", *arguments], demo.environment)

    def _read(self):
        try:
            data = os.read(self.fd, 65536).decode(errors="replace")
        except OSError:
            data = ""
        if not data:
            self.exit = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            os.close(self.fd)
            return False
        self.shown += data
        sys.stdout.write(data.replace("\r\n", "\n"))
        sys.stdout.flush()
        return True

    def expect(self, text, seconds=120):
        """Waits until a text is on the screen, then discards everything up to it."""
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0] or not self._read():
                raise Failure(f"expected on the screen: {text!r}")
        self.shown = self.shown[self.shown.index(text) + len(text):]

    def type(self, text):
        os.write(self.fd, text.encode() + b"\n")

    def end(self, status=0, seconds=120):
        """Waits for the end; any status other than `status` fails the demo."""
        deadline = time.monotonic() + seconds
        while self.exit is None:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                os.kill(self.pid, signal.SIGKILL)
                raise Failure("the command did not end")
            self._read()
        if self.exit != status:
            raise Failure(f"exit status {self.exit}, expected {status}")
        print(f"{DIM}(exit {self.exit}){RESET}" if status else "", flush=True)
        return self.shown
