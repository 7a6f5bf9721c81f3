"""The programs, the user and the provider of the demo."""

import os
import pwd
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile

from .hands import Reader, Terminal

# Only of this run: as root it opens a real account.
PASSWORD = secrets.token_urlsafe(12)
ACCESS_LIFETIME = 13  # seconds; `token` wants 10, so that a token is due after three


class Demo:
    def __init__(self, programs, backend):
        self.backend_program = backend
        self.directory = tempfile.mkdtemp(prefix="tl-demo-", dir="/tmp")
        os.chmod(self.directory, 0o755)
        self.programs = os.path.join(self.directory, "programs")
        shutil.copytree(programs, self.programs)
        self.user = None
        self.backend = None
        if os.geteuid() == 0:
            self.make_user()
        else:
            self.use_password_file()
        self.home = os.path.join(self.directory, "home")
        os.mkdir(self.home, 0o700)
        if self.user:
            os.chown(self.home, self.user.pw_uid, self.user.pw_gid)
        self.environment = {
            "HOME": self.home, "PATH": "/usr/bin:/bin", "TERM": os.environ.get("TERM", "dumb"),
            "LANG": "C.UTF-8",
        }
        self.reader = Reader(os.path.join(self.home, "reader"))
        with open(os.path.join(self.programs, "virtual-reader.conf"), "w") as file:
            file.write(f"FP_VIRTUAL_DEVICE={self.reader.path}\n")

    def make_user(self):
        name = f"tldemo{os.getpid()}"
        # Scripts/test finds the users of an interrupted run by their comment.
        subprocess.run([
            "useradd", "--no-create-home", "--comment", tempfile.gettempdir(),
            "--shell", "/usr/sbin/nologin", name], check=True)
        self.user = pwd.getpwnam(name)
        subprocess.run(["chpasswd"], input=f"{name}:{PASSWORD}", text=True, check=True)

    def use_password_file(self):
        modules = "/usr/lib/x86_64-linux-gnu/pam_wrapper/pam_matrix.so"
        found = subprocess.run(
            ["sh", "-c", "ls /usr/lib/*/pam_wrapper/pam_matrix.so"], capture_output=True, text=True)
        modules = found.stdout.split()[0] if found.stdout.split() else modules
        passwords = os.path.join(self.directory, "passwords")
        with open(passwords, "w") as file:
            file.write(f"{pwd.getpwuid(os.getuid()).pw_name}:{PASSWORD}:thumblatch\n")
        with open(os.path.join(self.programs, "pam.d", "thumblatch"), "w") as file:
            file.write(f"auth required {modules} passdb={passwords}\n")
            file.write(f"account required {modules} passdb={passwords}\n")

    def become_user(self):
        if self.user:
            os.initgroups(self.user.pw_name, self.user.pw_gid)
            os.setgid(self.user.pw_gid)
            os.setuid(self.user.pw_uid)
        os.chdir("/")

    def start_backend(self):
        self.backend = subprocess.Popen(
            [sys.executable, self.backend_program, "--port", "0",
             "--access-lifetime", str(ACCESS_LIFETIME)],
            stdout=subprocess.PIPE, text=True)
        return self.backend.stdout.readline().split()[-1]

    def close(self):
        if self.backend:
            self.backend.terminate()
            self.backend.wait()
        self.end_engine()
        if self.user:
            subprocess.run(["userdel", self.user.pw_name], check=False, capture_output=True)
        shutil.rmtree(self.directory, ignore_errors=True)

    def end_engine(self):
        """Ends the engine by its process ID: by itself it would end only after idle minutes."""
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                if os.readlink(f"/proc/{name}/exe").startswith(self.programs):
                    os.kill(int(name), signal.SIGTERM)
                    wait = os.pidfd_open(int(name))
                    select.select([wait], [], [], 60)
                    os.close(wait)
            except OSError:
                pass

    def run(self, *arguments):
        return Terminal(self, list(arguments))
