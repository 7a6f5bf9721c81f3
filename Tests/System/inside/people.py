"""People at this machine. Each has a login session (PAM, logind), a terminal for each typed
command, and a finger for the virtual reader.

As a program: people.py USER {local,remote,manager}. It is a service that runs commands for root
over a socket. For a local and a remote person it is root's service. It opens the session as
login(1) and sshd(8) do, and becomes the user. In the user's own manager it is a service of that
manager.
"""
import contextlib
import ctypes
import json
import os
import pwd
import select
import signal
import socket
import struct
import subprocess
import sys
import time

from scenarios import LIMIT, Failure, run
from terminal import Command, run_command

PLACE = "/run/people"
TOO_OFTEN = "too many prompts"
READER = "/run/virtual-reader/reader"
PEER_CREDENTIALS = struct.Struct("3i")


def open_session(user, remote):
    """A session of systemd-logind, by PAM (pam_systemd(8)), at the seat or from another machine."""
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


def place_of(user, kind):
    """The socket of a person's session."""
    if kind == "manager":
        return f"/run/user/{pwd.getpwnam(user).pw_uid}/people"
    return f"{PLACE}/{user}-{kind}"


def serve(user, kind):
    there, place = pwd.getpwnam(user), place_of(user, kind)
    if kind != "manager":
        os.makedirs(PLACE, mode=0o700, exist_ok=True)
        open_session(user, kind == "remote")
    if os.path.exists(place):
        os.unlink(place)  # of a session that has ended
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen(16)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        if kind != "manager":
            os.initgroups(user, there.pw_gid)
            os.setgid(there.pw_gid)
            os.setuid(there.pw_uid)
        os.chdir(there.pw_dir)
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                answer(connection, there)
            connection.close()


def answer(connection, there):
    """Carries out root's command in its own process."""
    command = json.loads(connection.recv(65536))
    if command[0] == "connect":
        lend_connection(connection, command[1])
    run_command(command, connection, there)


def lend_connection(connection, path):
    """Hands over a connection of this process, which lives as long as that connection is used."""
    with socket.socket(socket.AF_UNIX) as made, contextlib.suppress(OSError):
        made.connect(path)
        socket.send_fds(connection, [b"."], [made.fileno()])
    connection.recv(1)
    os._exit(0)


class Person:
    def __init__(self, user, password, kind="local"):
        self.user, self.password, self.kind = user, password, kind

    def arrive(self):
        """Makes the user if necessary, and logs in unless the session already exists."""
        if self.is_there():
            return
        if subprocess.run(["id", self.user], capture_output=True).returncode:
            run("useradd", "--create-home", "--shell", "/bin/bash", self.user)
            run("chpasswd", text=f"{self.user}:{self.password}\n")
        run("systemd-run", *self._service())

    def move_into_manager(self):
        """Starts a process in user@UID.service, where the terminals of GNOME and KDE run. Returns
        the person who types there."""
        moved = Person(self.user, self.password, "manager")
        if not moved.is_there():
            self.type(*moved._in_manager("systemd-run"), *moved._service()).end()
        return moved

    def leave_manager(self):
        """Ends the process in user@UID.service."""
        moved = Person(self.user, self.password, "manager")
        self.type(*self._in_manager("systemctl"), "stop", moved._unit).end()

    @property
    def _unit(self):
        return f"person-{self.user}-{self.kind}.service"

    def _in_manager(self, command):
        return ["env", f"XDG_RUNTIME_DIR=/run/user/{self.uid}", command, "--user"]

    def _service(self):
        return ["--quiet", "--collect", f"--unit={self._unit}", "--service-type=notify",
                "--property=NotifyAccess=all", "--", "python3", "-B", __file__, self.user, self.kind]

    def is_there(self):
        """Whether a process of that session listens."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(place_of(self.user, self.kind))
                connection.sendall(b'["connect", ""]')
            return True
        except (OSError, KeyError):  # KeyError: there is no such user
            return False

    @property
    def uid(self):
        return pwd.getpwnam(self.user).pw_uid

    def _ask(self, *command):
        """Sends a command to a process of the session. Returns its connection, and the descriptor
        that it gives."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(LIMIT)
        connection.connect(place_of(self.user, self.kind))
        connection.sendall(json.dumps(command).encode())
        _, given, _, _ = socket.recv_fds(connection, 1, 1)
        if not given:
            raise Failure(f"{self.user} could not {' '.join(command)}")
        return connection, given[0]

    def type(self, *command):
        """Types a command, and returns it with its screen."""
        return Command(*self._ask(*command))

    def lend_connection(self, path):
        """A socket that a process of this session has connected, and the connection that ends that
        process."""
        control, given = self._ask("connect", path)
        return control, socket.socket(fileno=given)

    def thumblatch(self, *arguments):
        return self.type("thumblatch", *arguments)

    def thumblatch_after_a_pause(self, text, *arguments):
        """Repeats the command until a text is on the screen, because a refused prompt is not opened
        again at once."""
        while True:
            command = self.thumblatch(*arguments)
            if command.first_of(text, TOO_OFTEN) == text:
                return command
            command.end(status=None)


def session_at_seat(person):
    lines = run("loginctl", "list-sessions", "--no-legend").splitlines()
    return next(words[0] for words in map(str.split, lines)
                if words[2] == person.user and "seat0" in words)


def is_armed():
    """Whether a program has the reader open."""
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(READER) == 0


def reader(command, last=None):
    """Sends the virtual reader a command, as soon as it is armed, and returns the process that has
    read it.

    A reader that closes before it has read the command resets the connection (unix(7)): the next
    one gets the command. The process `last` gets no command: it may still have the reader open, and
    would read the command without an effect.
    """
    deadline = time.monotonic() + LIMIT
    while True:
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(READER)
                process = PEER_CREDENTIALS.unpack(connection.getsockopt(
                    socket.SOL_SOCKET, socket.SO_PEERCRED, PEER_CREDENTIALS.size))[0]
                if process == last:
                    raise BlockingIOError
                connection.sendall(command.encode())
                while connection.recv(64):
                    pass
            except OSError:  # no program has it open
                if time.monotonic() > deadline:
                    raise Failure("the reader was never armed") from None
                select.select([], [], [], 0.02)
                continue
            return process


def touch(finger, last=None):
    return reader(f"SCAN {finger}", last)


if __name__ == "__main__":
    serve(*sys.argv[1:])
