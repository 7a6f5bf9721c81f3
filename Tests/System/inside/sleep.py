"""The machine's sleep, as systemd-logind makes it. Sleep waits for the holders of inhibitors, and
then lasts until a scenario ends it."""
import contextlib
import os
import select

from scenarios import LIMIT, check, run, until

PLACE = "/run/sleep"
LOGIND = ["org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"]


@contextlib.contextmanager
def asleep():
    """Within the block the machine sleeps. The work that must end before sleep has ended."""
    os.makedirs(PLACE, mode=0o700, exist_ok=True)
    for name in ("asleep", "wake"):
        if not os.path.exists(f"{PLACE}/{name}"):
            os.mkfifo(f"{PLACE}/{name}", 0o600)
    told = os.open(f"{PLACE}/asleep", os.O_RDONLY | os.O_NONBLOCK)
    try:
        run("busctl", "call", *LOGIND, "Suspend", "b", "false")
        check(select.select([told], [], [], LIMIT)[0], "it does not fall asleep")
        os.read(told, 64)
        try:
            yield
        finally:
            with open(f"{PLACE}/wake", "w", encoding="utf-8") as wake:
                wake.write("up\n")
            until(lambda: not is_preparing(), "it does not wake up")
    finally:
        os.close(told)


def is_preparing():
    said = run("busctl", "get-property", *LOGIND, "PreparingForSleep")
    return said.split() != ["b", "false"]
