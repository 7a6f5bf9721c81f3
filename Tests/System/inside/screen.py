"""Ada's desktop: a screen in memory with openbox, notification-daemon and xdotool, on the bus of her user
manager.

The programs are those of the host. They run in a root of their own (Tests/System/run.py), in this machine
and as Ada. Their driver is the one of the rootless tests."""
import contextlib
import json
import os
import select
import shutil
import subprocess

from scenarios import LIMIT, Failure, run

ROOT = "/opt/desk/root"
PLACE = "/tmp/desk"
PICTURES = "/var/tmp/pictures"
UNIT = "desk.service"


class Desk:
    def __init__(self, person, driver="/driver.py"):
        """`driver` is a file below the root (Tests/System/run.py)."""
        self.person = person
        self.bus = f"/run/user/{person.uid}"
        shutil.rmtree(PLACE, ignore_errors=True)
        run("install", "--directory", "--mode=700", f"--owner={person.user}", PLACE)
        self.process = subprocess.Popen(
            ["systemd-run", "--quiet", "--pipe", "--wait", "--collect", f"--unit={UNIT}",
             f"--uid={person.uid}", f"--property=RootDirectory={ROOT}", "--property=MountAPIVFS=yes",
             f"--property=BindPaths={self.bus} /tmp",
             "--property=BindReadOnlyPaths=/etc/passwd /etc/machine-id", "--", "/usr/bin/python3", "-B", driver, PLACE,
             f"unix:path={self.bus}/bus"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        # As a desktop does that starts its programs as units.
        self.manager("systemctl", "set-environment", f"DISPLAY={self._receive()['display']}")

    def _receive(self):
        # The driver has a limit of its own for each look.
        if not select.select([self.process.stdout], [], [], 5 * LIMIT)[0]:
            raise Failure("the desktop does not answer")
        return json.loads(self.process.stdout.readline() or "{}")

    def manager(self, program, *arguments, status=0):
        """Runs a program with Ada's own service manager."""
        return run(program, "--user", f"--machine={self.person.user}@", *arguments, status=status)

    def run(self, expression):
        """Does something at the desk, as the driver names it."""
        self.process.stdin.write(expression + "\n")
        self.process.stdin.flush()
        answer = self._receive()
        if "value" not in answer:
            raise Failure(f"{expression}: {answer.get('error', 'the driver has ended')}")
        return answer["value"]

    def picture(self, name, expression="desk.picture({!r})"):
        """Keeps a picture of the screen."""
        self.run(expression.format(f"{PLACE}/{name}.png"))
        os.makedirs(PICTURES, exist_ok=True)
        shutil.copy(f"{PLACE}/{name}.png", PICTURES)

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait(LIMIT)
        self.manager("systemctl", "unset-environment", "DISPLAY")


def watching():
    """The agents that the engine has noted. They watch the directory of the calls before they connect."""
    found = []
    for process in (name.split(".")[1] for name in os.listdir("/run/thumblatch/agents") if "." in name):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            if b"agent" in words[1:] and words[0].endswith(b"thumblatch"):
                found.append(int(process))
        except OSError:
            pass  # it has ended
    return found
