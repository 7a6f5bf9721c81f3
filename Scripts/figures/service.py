"""The service in a file system of this run, with two accounts of one user."""

import os
import pwd
import re
import select
import shutil
import signal
import socket
import subprocess

from .programs import TOP, output

RUN = "/run/thumblatch"
SOCKET = RUN + "/io.thumblatch.Vault"
# Users that every Debian has: one holds connections, the other is served.
CROWD, SERVED = 1, 2
UNIT = os.path.join(TOP, "Sources/Installed/usr/lib/systemd/system/thumblatchd.socket")


def backlog():
    """The queue of the listener, as the unit says (listen(2))."""
    with open(UNIT) as file:
        return int(re.search(r"^Backlog=(\d+)$", file.read(), re.MULTILINE)[1])


def as_user(user):
    return {"user": user, "group": user, "extra_groups": [], "cwd": "/"}


def make_store(directory, programs, backend, state):
    """Two accounts of SERVED, made by an engine of its own as that user, and moved to the service."""
    own = os.path.join(directory, "own")
    os.mkdir(own, 0o700)
    os.chown(own, SERVED, SERVED)
    environment = {"THUMBLATCH_STATE_DIR": own + "/state", "XDG_CONFIG_HOME": own, "HOME": own,
                   "PATH": "/usr/bin:/bin"}
    front = [os.path.join(programs, "thumblatch"), "--private"]
    options = {"env": environment, "user": SERVED, "group": SERVED, "extra_groups": [], "cwd": "/"}
    output([*front, "provider", "add", "dev", "--kind", "password-backend", "--issuer",
            backend.issuer], **options)
    for name in ("me", "slow"):
        output([*front, "register", name, "--provider", "dev", "--email", f"{name}@example.org",
                "--name", "A", "--password-stdin"], input="backend-password-1\n", **options)
    engine = socket.socket(socket.AF_UNIX)
    engine.connect(own + "/state/engine")
    credentials = engine.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    process = int.from_bytes(credentials[:4], "little")
    engine.close()
    handle = os.pidfd_open(process)
    os.kill(process, signal.SIGTERM)
    select.select([handle], [], [], 30)
    os.close(handle)
    place = os.path.join(state, "users", str(SERVED))
    os.makedirs(os.path.dirname(place), 0o700)
    shutil.copytree(own + "/state", place, ignore=shutil.ignore_patterns("engine"))
    with open(os.open(place + "/owner", os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write(pwd.getpwuid(SERVED).pw_name + "\n")
    for folder, _, names in os.walk(os.path.join(state, "users")):
        for path in [folder, *(os.path.join(folder, name) for name in names)]:
            os.chown(path, 0, 0)


class Service:
    """The engine of the machine, as root, at the service's own path in a file system of this run."""

    def __init__(self, programs, state):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(SOCKET)
        os.chmod(SOCKET, 0o666)
        listener.listen(backlog())
        program = os.path.join(programs, "thumblatchd")
        self.process = subprocess.Popen(
            ["sh", "-c", f'LISTEN_PID=$$ exec "{program}" --service --run-directory "{RUN}"'],
            env={"STATE_DIRECTORY": state, "LISTEN_FDS": "1", "PATH": "/usr/bin:/bin"}, pass_fds=[3],
            preexec_fn=lambda: os.dup2(listener.fileno(), 3), stderr=subprocess.DEVNULL)
        listener.close()

    def memory(self, figure):
        with open(f"/proc/{self.process.pid}/smaps_rollup") as file:
            return int(re.search(figure + r": +(\d+) kB", file.read())[1])

    def forget_peak(self):
        """Makes the peak the present memory (proc_pid_clear_refs(5))."""
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as file:
            file.write("5")

    def peak(self):
        """The most memory since then, as the kernel has counted it, in KiB."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read())[1])

    def processor_time(self):
        """The CPU time in seconds, which for a call is the same on a busy machine."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.terminate()
        self.process.wait()


class Peak:
    """The peak memory of the engine within the block, in KiB."""

    def __init__(self, service):
        self.service, self.most = service, 0

    def __enter__(self):
        self.service.forget_peak()
        return self

    def __exit__(self, *_):
        self.most = self.service.peak()
