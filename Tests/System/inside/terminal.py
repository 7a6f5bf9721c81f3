"""A terminal for one command. One process leads its session and runs the command, and another one
types and reads. No output of the command is lost."""
import codecs
import fcntl
import json
import os
import select
import signal
import socket
import termios
import time

from scenarios import LIMIT, Failure

# Follows the last output of a command. No command prints it.
MARK = b"\0the command has ended\0"


def run_command(command, connection, there):
    """Runs one command in its own terminal, whose other side is handed over.

    This process leads the terminal's session, as a shell does. It keeps the terminal open until all
    output was read, because the kernel may drop unread output when the last side closes. The mark
    tells the reader that no more output follows.
    """
    other, terminal = os.openpty()
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    # tty(4): a background process that changes the terminal gets this signal.
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    child = os.fork()
    if child == 0:
        become_command(command, terminal, there)
    socket.send_fds(connection, [b"."], [other])
    os.close(other)
    status = os.waitpid(child, 0)[1]
    ended = "dumped" if os.WCOREDUMP(status) else os.waitstatus_to_exitcode(status)
    connection.sendall(json.dumps(ended).encode())
    os.write(terminal, MARK)
    connection.recv(1)  # the reader closes it when it has met the mark
    os._exit(0)


def become_command(command, terminal, there):
    os.setpgid(0, 0)
    os.tcsetpgrp(terminal, os.getpgrp())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    for number in range(3):
        os.dup2(terminal, number)
    os.closerange(3, 256)
    try:
        os.execvpe(command[0], command, {
            "HOME": there.pw_dir, "USER": there.pw_name, "LOGNAME": there.pw_name,
            "PATH": "/usr/bin:/bin", "TERM": "dumb", "LANG": "C.UTF-8"})
    finally:
        os._exit(127)


class Command:
    """A command that a person has typed. `shown` is the text on the screen."""

    def __init__(self, connection, terminal):
        self.connection, self.terminal, self.shown = connection, terminal, ""
        self.received, self.has_ended = b"", False
        # A character may arrive in two pieces.
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def _read(self, deadline, wanted):
        """Reads new output. False if no more follows."""
        if self.has_ended:
            return False
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
            raise Failure(f"waited for {wanted}; on the screen: {self.shown[-1500:]!r}")
        self.received += os.read(self.terminal, 65536)
        output, mark, _ = self.received.partition(MARK)
        self.has_ended = bool(mark)
        # This may be the beginning of the mark.
        kept = 0 if mark else len(output) - len(output.split(MARK[:1])[0])
        self.received = output[len(output) - kept:]
        self.shown += self.decoder.decode(output[:len(output) - kept], self.has_ended)
        self.shown = self.shown.replace("\r\n", "\n")
        return not self.has_ended

    def expect(self, text):
        """Waits until a text is on the screen, then discards everything up to it."""
        deadline = time.monotonic() + LIMIT
        while text not in self.shown:
            if not self._read(deadline, text) and text not in self.shown:
                raise Failure(f"ended without {text!r}; on the screen: {self.shown[-1500:]!r}")
        self.shown = self.shown[self.shown.index(text) + len(text):]
        return self

    def shows(self, text, seconds):
        """Whether a text is on the screen within the time. If so, discards everything up to it."""
        deadline = time.monotonic() + seconds
        try:
            while text not in self.shown and self._read(deadline, text):
                pass
        except Failure:
            return False
        self.expect(text)  # fails if the command has ended without it
        return True

    def first_of(self, *texts):
        """Waits until one of some texts is on the screen, discards everything up to it, and returns
        it."""
        deadline = time.monotonic() + LIMIT
        while not (there := [text for text in texts if text in self.shown]):
            if not self._read(deadline, texts) and not any(text in self.shown for text in texts):
                raise Failure(f"ended without one of {texts}; on the screen: {self.shown[-1500:]!r}")
        self.expect(there[0])
        return there[0]

    def type(self, text):
        os.write(self.terminal, text.encode() + b"\n")
        return self

    def interrupt(self):
        """Presses Ctrl-C, and waits for the end."""
        os.write(self.terminal, b"\x03")
        return self.end(status=130)

    def end(self, status=0):
        """Waits for the end, and returns the rest of the screen."""
        deadline = time.monotonic() + LIMIT
        while self._read(deadline, "the end"):
            pass
        self.connection.settimeout(LIMIT)
        ended = json.loads(self.connection.recv(64) or b"null")
        self.connection.close()
        os.close(self.terminal)
        if status is not None and ended != status:
            raise Failure(f"exit {ended}, expected {status}; on the screen: {self.shown[-1500:]!r}")
        return self.shown.strip()
