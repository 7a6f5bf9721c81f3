"""The time of a rotated refresh by the service, compared with the minimum of any unit with
Accept=yes. It is not part of the other runs, because its figures also depend on the machine."""
import os
import re
import select
import socket
import statistics
import subprocess
import time

import provider
from calls import Conversation
from household import ACCOUNT, ADA, begin
from scenarios import check, main, run, scenario, show, until

FLOORS = "/opt/system-test/floors"
UNITS = "/run/systemd/system"
RUNS = 30
# Seconds before each request, because an account may be refreshed again only after some time.
PAUSE = 2
# Limits in milliseconds: without the POST, with a spare exchange helper. Beyond the bare unit,
# without a spare.
AHEAD, BEYOND_BARE = 4, 5
FIGURES = {}


def tell(name, value):
    FIGURES[name] = value
    print(f"measured {name}: {value:.2f} ms", flush=True)


def milliseconds(action):
    begun = time.perf_counter()
    action()
    return (time.perf_counter() - begun) * 1000


@scenario
def whatNoRefreshCanDoWithout():
    body = {"email": "floor@example.org", "password": "floor"}
    token = provider.call("POST", "/auth/register", body)["refresh_token"]
    os.makedirs("/var/tmp/floor", exist_ok=True)
    floor = subprocess.Popen(
        [f"{FLOORS}/refresh", str(provider.PORT), "/var/tmp/floor/slot", "/var/tmp/floor/db"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    floor.stdin.write(token + "\n")
    rows = []
    for _ in range(RUNS):
        # The same pause as before a refresh: caches are as cold, and the disk is as idle.
        select.select([], [], [], PAUSE)
        floor.stdin.write("\n")
        rows.append([int(word) / 1e6 for word in floor.stdout.readline().split()])
    floor.stdin.close()
    check(floor.wait() == 0, "the floor has failed")
    for name, column in zip(("POST", "slot write", "commit"), zip(*rows)):
        tell(f"C: {name}", statistics.median(column))


@scenario
def whatNoUnitWithAcceptCanDoWithout():
    """A bare program in the same sandbox: from connect(2) to its first byte."""
    with open("/usr/lib/systemd/system/thumblatch-exchange@.service", encoding="utf-8") as file:
        unit = re.sub("^ExecStart=.*", f"ExecStart={FLOORS}/bare", file.read(), flags=re.M)
    with open(f"{UNITS}/bare@.service", "w", encoding="utf-8") as file:
        file.write(unit)
    with open(f"{UNITS}/bare.socket", "w", encoding="utf-8") as file:
        file.write("[Socket]\nListenStream=/run/bare\nAccept=yes\nTriggerLimitIntervalSec=0\n")
    run("systemctl", "daemon-reload")
    run("systemctl", "start", "bare.socket")

    def connect():
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect("/run/bare")
            connection.sendall(b".")
            check(connection.recv(1) == b".", "it does not answer")

    connect()
    times = []
    for _ in range(RUNS):
        # As before a refresh.
        select.select([], [], [], PAUSE)
        times.append(milliseconds(connect))
    run("systemctl", "stop", "bare.socket")
    tell("bare unit with the same sandbox", statistics.median(times))


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
    except FileNotFoundError:
        return False


def refresh(talk):
    """Milliseconds of a refresh: a token that is a second old does not live so long."""
    select.select([], [], [], PAUSE)
    begun = time.perf_counter()
    error, parameters = talk.call("AccessToken", account=ACCOUNT, minimum_lifetime=provider.LIFETIME)
    taken = (time.perf_counter() - begun) * 1000
    check(error is None, f"{error} {parameters}")
    return taken


@scenario
def aRefreshTakesWhatItMay():
    talk = Conversation(ADA)
    refresh(talk)
    ahead, cold = [], []
    for _ in range(RUNS):
        spare = until(spares, "no courier was started ahead")[0]
        with open(f"/proc/{spare}/smaps_rollup", encoding="ascii") as file:
            size = next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        USED.add(spare)
        ahead.append(refresh(talk))
        os.kill(until(spares, "no courier was started ahead")[0], 9)
        until(lambda: not spares(), "it was not killed")
        cold.append(refresh(talk))
    talk.close()
    print(f"measured the exchange helper that waits: PSS {size / 1024:.1f} MiB")
    tell("refresh, courier started ahead", statistics.median(ahead))
    tell("its own part", statistics.median(ahead) - FIGURES["C: POST"])
    tell("refresh, cold", statistics.median(cold))
    tell("its own part, cold", statistics.median(cold) - FIGURES["C: POST"])
    check(FIGURES["its own part"] <= AHEAD, f"its own part is more than {AHEAD} ms")
    most = FIGURES["bare unit with the same sandbox"] + BEYOND_BARE
    check(FIGURES["its own part, cold"] <= most, f"its own part, cold, is more than {most:.1f} ms")


main(lambda: begin(protected=False))
