"""The time of a unit that does nothing: programs for comparison, which the host has built."""
import re
import select
import socket
import time

from scenarios import check, run

FLOORS = "/opt/system-test/floors"
UNITS = "/run/systemd/system"
# Seconds before each measured action: caches are as cold, and the disk is as idle.
PAUSE = 2
FIGURES = {}


def tell(name, value):
    FIGURES[name] = value
    print(f"measured {name}: {value:.2f} ms", flush=True)


def milliseconds(action):
    begun = time.perf_counter()
    action()
    return (time.perf_counter() - begun) * 1000


def measure(times, name, action):
    """Adds a time to those of a name, after the pause."""
    select.select([], [], [], PAUSE)
    times.setdefault(name, []).append(milliseconds(action))


def connect(name):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(f"/run/{name}")
        connection.sendall(b".")
        check(connection.recv(1) == b".", "it does not answer")


def start_unit(name, program, helper="exchange"):
    """A program of ours in the sandbox of a helper, started by each connection."""
    with open(f"/usr/lib/systemd/system/thumblatch-{helper}@.service", encoding="utf-8") as file:
        unit = re.sub("^ExecStart=.*", f"ExecStart={FLOORS}/{program}", file.read(), flags=re.M)
    with open(f"{UNITS}/{name}@.service", "w", encoding="utf-8") as file:
        file.write(unit)
    with open(f"{UNITS}/{name}.socket", "w", encoding="utf-8") as file:
        file.write(f"[Socket]\nListenStream=/run/{name}\nAccept=yes\nTriggerLimitIntervalSec=0\n")
    run("systemctl", "daemon-reload")
    run("systemctl", "start", f"{name}.socket")
    connect(name)
