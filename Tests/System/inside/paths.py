"""The paths of a running engine that are measured: a valid token, and a refresh by an exchange helper that
was started ahead."""
import json

import provider
from calls import VAULT
from floors import FLOORS
from household import ACCOUNT
from scenarios import SOCKET, check, run, show, until

USED = set()


def spares():
    """The exchange helpers that wait for a first request, each the main process of a unit."""
    said = run("systemctl", "list-units", "--plain", "--no-legend", "thumblatch-exchange@*.service")
    numbers = [int(show(line.split()[0], "MainPID")) for line in said.splitlines()]
    return [number for number in numbers if number and number not in USED and is_waiting(number)]


def is_waiting(number):
    try:
        with open(f"/proc/{number}/wchan", encoding="ascii") as file:
            return "poll" in file.read()
    except (FileNotFoundError, ProcessLookupError):
        return False


def spare_with_size():
    """An exchange helper that waits, and its memory in kB; `None` if there is none. The one of the last
    refresh may still end."""
    for number in spares():
        try:
            with open(f"/proc/{number}/smaps_rollup", encoding="ascii") as file:
                return number, next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return None


def spare_taken():
    """Waits for the exchange helper of the next refresh, and returns its memory in kB."""
    spare, size = until(spare_with_size, "no helper was started ahead")
    USED.add(spare)
    return size


def refresh(talk):
    """A token that is a second old is not valid for so long."""
    error, parameters = talk.call("AccessToken", account=ACCOUNT, minimum_lifetime=provider.LIFETIME)
    check(error is None, f"{error} {parameters}")


def valid_token(way, unit):
    """Microseconds from the call of a program in a unit of the system to its token, the median."""
    call = json.dumps({"method": VAULT + "AccessToken", "parameters": {"account": ACCOUNT}})
    said = run("systemd-run", "--quiet", "--wait", "--pipe", "--collect", "--uid=ada",
               f"--unit={unit}", f"{FLOORS}/client", "ask", SOCKET, "1", "0.5", way, call)
    return int(said.split()[2])
