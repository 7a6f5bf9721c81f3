#!/usr/bin/env python3
"""Takes the role of the service manager: binds the sockets of the service as root, and starts the
programs. The engine starts on a connection if none runs. A helper starts for each connection to its
socket.

usage: service-manager.py PROGRAMS RUN STATE ENGINE-USER IDLE
           [--bus ADDRESS] [--without-peer-descriptors]

The administrator's files are in `machine` next to RUN. While there is a file `drop`, connections to
the exchange helper are accepted and dropped, as if there were too many. With --bus the engine looks
for logind on that bus. Prints a line when the sockets are bound. Exits at the end of its standard
input.
"""
import ctypes
import errno
import os
import platform
import pwd
import select
import signal
import socket
import struct
import sys

SO_PEERPIDFD = 77
# The user of the helpers without a user of their own: not used by any account, as with DynamicUser=.
HELPERS = 61999
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"}


def refuse_peer_descriptors():
    """Makes SO_PEERPIDFD fail as on a kernel before 6.5, for this process and its children."""
    number = {"x86_64": 55, "aarch64": 209}[platform.machine()]

    def statement(code, value):
        return struct.pack("HBBI", code, 0, 0, value)

    def jump(value, yes, no):
        return struct.pack("HBBI", 0x15, yes, no, value)

    program = b"".join([
        statement(0x20, 0),  # the system call's number
        jump(number, 0, 3),
        statement(0x20, 16 + 2 * 8),  # its third argument
        jump(SO_PEERPIDFD, 0, 1),
        statement(0x06, 0x00050000 | errno.ENOPROTOOPT),
        statement(0x06, 0x7FFF0000),
    ])
    code = ctypes.create_string_buffer(program, len(program))
    filter = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(22, 2, ctypes.create_string_buffer(filter, len(filter)), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    ours, theirs = socket.socketpair()
    try:
        ours.getsockopt(socket.SOL_SOCKET, SO_PEERPIDFD)
    except OSError as error:
        if error.errno == errno.ENOPROTOOPT:
            return
    raise SystemExit("SO_PEERPIDFD still works")


def listen(path, user, mode):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    os.umask(0o177)
    listener.bind(path)
    os.chown(path, user, 0)
    os.chmod(path, mode)
    listener.listen(128)
    return listener


def start(arguments, environment, user, group, descriptors):
    """Starts a program with these as its descriptors 0, 1, 2 ..."""
    child = os.fork()
    if child:
        return child
    try:
        high = [os.dup2(number, 100 + index) for index, number in enumerate(descriptors)]
        for index, number in enumerate(high):
            os.dup2(number, index)
        os.closerange(len(high), 1024)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.umask(0o022)
        os.setgroups([])
        os.setresgid(group, group, group)
        os.setresuid(user, user, user)
        os.setsid()
        environment["LISTEN_PID"] = str(os.getpid())
        os.execve(arguments[0], arguments, environment)
    finally:
        os._exit(127)


def serve(listener, helper, command, user, descriptors, drop):
    """Starts a helper for a connection; an exchange is dropped while the file `drop` is there."""
    connection, _ = listener.accept()
    if helper != "exchange" or not os.path.exists(drop):
        start(command, dict(ENVIRONMENT), user, user, [connection.fileno(), *descriptors])
    connection.close()


def main():
    programs, run, state, name, idle = sys.argv[1:6]
    engine_user = pwd.getpwnam(name)
    null = os.open("/dev/null", os.O_RDWR)
    log = os.open(os.path.dirname(run) + "/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    # The directory where the engine calls agents.
    agents = run + "/agents"
    os.mkdir(agents)
    os.chmod(agents, 0o755)
    os.chown(agents, engine_user.pw_uid, 0)
    engine_environment = {"LISTEN_FDS": "1", "STATE_DIRECTORY": state, "RUNTIME_DIRECTORY": agents}
    if "--bus" in sys.argv[6:]:
        engine_environment["DBUS_SYSTEM_BUS_ADDRESS"] = sys.argv[sys.argv.index("--bus") + 1]
    if "--without-peer-descriptors" in sys.argv[6:]:
        refuse_peer_descriptors()
    vault = listen(run + "/io.thumblatch.Vault", 0, 0o666)
    helpers = {
        listen(run + "/secret", engine_user.pw_uid, 0o600): (HELPERS, "secret"),
        listen(run + "/presence", engine_user.pw_uid, 0o600): (0, "presence"),
        listen(run + "/exchange", engine_user.pw_uid, 0o600): (HELPERS, "exchange"),
    }
    wake, waker = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(waker)
    print("bound", flush=True)
    engine = None
    while True:
        wanted = [0, wake] + list(helpers) + ([vault] if engine is None else [])
        ready = select.select(wanted, [], [])[0]
        if 0 in ready:
            break
        if wake in ready:
            os.read(wake, 512)
        while True:
            try:
                ended, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if ended == 0:
                break
            if ended == engine:
                engine = None
        if vault in ready and engine is None:
            engine = start(
                [programs + "/thumblatchd", "--service", "--run-directory", run, "--idle", idle,
                 "--configuration", os.path.dirname(run) + "/machine"],
                ENVIRONMENT | engine_environment,
                engine_user.pw_uid, engine_user.pw_gid, [null, null, log, vault.fileno()])
        for listener, (user, helper) in helpers.items():
            if listener in ready:
                serve(listener, helper, [f"{programs}/thumblatch-{helper}", "--service", "--engine", name],
                      user, [null, log], os.path.dirname(run) + "/drop")
    if engine is not None:
        os.kill(engine, signal.SIGKILL)


main()
