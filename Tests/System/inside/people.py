"""People at this machine: each with a login session of their own (PAM, logind), a terminal for each
command that they type, and a finger for the virtual reader.

As a program: people.py USER {local,remote}, as a service; it opens the session as login(1) and
sshd(8) do, becomes the user, and runs what root asks for at /run/people/USER.
"""
import contextlib
import ctypes
import json
import os
import pty
import pwd
import select
import signal
import socket
import subprocess
import sys
import time

from scenarios import Failure, run

LIMIT = 60  # seconds that anything may take
PLACE = "/run/people"
TOO_OFTEN = "this was asked too often just now"
READER = "/run/virtual-reader/reader"


def open_session(user, remote):
    """A session of systemd-logind, by PAM (pam_systemd(8)); at the seat, or from another machine."""
    library = ctypes.CDLL("libpam.so.0")
    conversation = (ctypes.c_void_p * 2)()
    handle = ctypes.c_void_p()
    steps = [lambda: library.pam_start(b"person", user.encode(), conversation,
                                       ctypes.byref(handle))]
    if remote:
        steps.append(lambda: library.pam_set_item(handle, 4, b"192.0.2.1"))  # PAM_RHOST
    else:
        steps.append(lambda: library.pam_putenv(handle, b"XDG_SEAT=seat0"))
    steps += [lambda: library.pam_putenv(handle, b"XDG_SESSION_TYPE=tty"),
              lambda: library.pam_putenv(handle, b"XDG_SESSION_CLASS=user"),
              lambda: library.pam_open_session(handle, 0)]
    for number, step in enumerate(steps):
        if result := step():
            raise SystemExit(f"people: PAM answers {result} at step {number}")


def serve(user, kind):
    os.makedirs(PLACE, mode=0o700, exist_ok=True)
    open_session(user, kind == "remote")
    place = f"{PLACE}/{user}-{kind}"
    if os.path.exists(place):
        os.unlink(place)  # of a session that has ended
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen(16)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        there = pwd.getpwnam(user)
        os.initgroups(user, there.pw_gid)
        os.setgid(there.pw_gid)
        os.setuid(there.pw_uid)
        os.chdir(there.pw_dir)
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                run_command(connection, there)
            connection.close()


def run_command(connection, there):
    """One command in a terminal of its own, which is handed over; then its exit status."""
    command = json.loads(connection.recv(65536))
    if command[0] == "connect":
        return lend_connection(connection, command[1])
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(command[0], command, {
            "HOME": there.pw_dir, "USER": there.pw_name, "LOGNAME": there.pw_name,
            "PATH": "/usr/bin:/bin", "TERM": "dumb", "LANG": "C.UTF-8"})
    socket.send_fds(connection, [b"."], [terminal])
    os.close(terminal)
    status = os.waitpid(child, 0)[1]
    ended = "dumped" if os.WCOREDUMP(status) else os.waitstatus_to_exitcode(status)
    connection.sendall(json.dumps(ended).encode())
    os._exit(0)


def lend_connection(connection, path):
    """A connection of this process, which is handed over, and lives for as long as that is used."""
    with socket.socket(socket.AF_UNIX) as made:
        made.connect(path)
        socket.send_fds(connection, [b"."], [made.fileno()])
    connection.recv(1)
    os._exit(0)


class Command:
    """A command that somebody has typed; `shown` is what stands on the screen."""

    def __init__(self, connection, terminal):
        self.connection, self.terminal, self.shown = connection, terminal, ""

    def _read(self, deadline, wanted):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
            raise Failure(f"waited for {wanted}; on the screen: {self.shown[-1500:]!r}")
        try:
            data = os.read(self.terminal, 65536)
        except OSError:
            data = b""
        self.shown += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)

    def expect(self, text):
        """Waits until a text stands on the screen, then forgets all up to it."""
        deadline = time.monotonic() + LIMIT
        while text not in self.shown:
            if not self._read(deadline, text) and text not in self.shown:
                raise Failure(f"ended without {text!r}; on the screen: {self.shown[-1500:]!r}")
        self.shown = self.shown[self.shown.index(text) + len(text):]
        return self

    def first_of(self, *texts):
        """Waits until one of some texts stands on the screen, forgets all up to it, and says which."""
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
        """Waits for the end, and returns what is left on the screen."""
        deadline = time.monotonic() + LIMIT
        while self._read(deadline, "the end"):
            pass
        os.close(self.terminal)
        self.connection.settimeout(LIMIT)
        ended = json.loads(self.connection.recv(64) or b"null")
        self.connection.close()
        if status is not None and ended != status:
            raise Failure(f"exit {ended}, expected {status}; on the screen: {self.shown[-1500:]!r}")
        return self.shown.strip()


class Person:
    def __init__(self, user, password, kind="local"):
        self.user, self.password, self.kind = user, password, kind

    def arrive(self):
        """Makes the user where there is none, and logs in."""
        if subprocess.run(["id", self.user], capture_output=True).returncode:
            run("useradd", "--create-home", "--shell", "/bin/bash", self.user)
            run("chpasswd", text=f"{self.user}:{self.password}\n")
        run("systemd-run", "--quiet", "--collect", f"--unit=person-{self.user}-{self.kind}",
            "--service-type=notify", "--property=NotifyAccess=all", "--",
            "python3", "-B", __file__, self.user, self.kind)

    @property
    def uid(self):
        return pwd.getpwnam(self.user).pw_uid

    def _ask(self, *command):
        """Has a process of the session do something; its connection, and the descriptor that it gives."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(LIMIT)
        connection.connect(f"{PLACE}/{self.user}-{self.kind}")
        connection.sendall(json.dumps(command).encode())
        _, given, _, _ = socket.recv_fds(connection, 1, 1)
        if not given:
            raise Failure(f"{self.user} could not {' '.join(command)}")
        return connection, given[0]

    def type(self, *command):
        """Types a command; the screen is the answer's."""
        return Command(*self._ask(*command))

    def lend_connection(self, path):
        """A socket that a process of this session has connected, and what ends that process."""
        control, given = self._ask("connect", path)
        return control, socket.socket(fileno=given)

    def thumblatch(self, *arguments):
        return self.type("thumblatch", *arguments)

    def thumblatch_after_a_pause(self, text, *arguments):
        """The same until a text stands on the screen: who was refused is not asked again at once."""
        while True:
            command = self.thumblatch(*arguments)
            if command.first_of(text, TOO_OFTEN) == text:
                return command
            command.end(status=None)


def is_armed():
    """Whether somebody has the reader open."""
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(READER) == 0


def reader(command):
    """Tells the virtual reader something, as soon as it is armed."""
    deadline = time.monotonic() + LIMIT
    while True:
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(READER)
                connection.sendall(command.encode())
            except OSError:  # nobody has it open, or nobody any more
                if time.monotonic() > deadline:
                    raise Failure("the reader was never armed") from None
                select.select([], [], [], 0.02)
                continue
            with contextlib.suppress(ConnectionResetError):
                while connection.recv(64):
                    pass
            return


def touch(finger):
    reader(f"SCAN {finger}")


if __name__ == "__main__":
    serve(*sys.argv[1:])
