"""The time of a rotated refresh by the service, compared with the minimum of any unit with
Accept=yes. It is not part of the other runs, because its figures also depend on the machine."""
import json
import os
import select
import statistics
import subprocess

import provider
from asking import policy_as_before, write_rules
from calls import Conversation, VAULT
from floors import FIGURES, FLOORS, PAUSE, connect, measure, start_unit, tell
from household import ACCOUNT, ADA, begin
from scenarios import SOCKET, check, main, run, scenario, show, until

RUNS = 30
# Limits in milliseconds, without the POST: with a spare exchange helper. Without a spare, beyond a unit
# with the same sandbox that loads libcurl.
AHEAD, BEYOND_LIBRARIES = 4, 5
# A valid token beside a rule for other programs may take this many times what it takes without rules.
RULED = 1.1
# So may the first one of a connection, for which the rules are looked up: `thumblatch token` makes a
# connection for each.
RULED_CONNECTION = 2
RULED_ROUNDS = 7


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


def refresh(talk):
    """A token that is a second old does not live so long."""
    error, parameters = talk.call("AccessToken", account=ACCOUNT, minimum_lifetime=provider.LIFETIME)
    check(error is None, f"{error} {parameters}")


@scenario
def aRefreshTakesWhatItMay():
    """The programs of comparison are started in turn with the refreshes: what the start of a unit takes
    differs from one minute to the next."""
    for name in ("bare", "libraries"):
        start_unit(name, name)
    talk = Conversation(ADA)
    times = {}
    measure(times, "first", lambda: refresh(talk))
    for _ in range(RUNS):
        spare, size = until(spare_with_size, "no helper was started ahead")
        USED.add(spare)
        measure(times, "ahead", lambda: refresh(talk))
        measure(times, "bare", lambda: connect("bare"))
        measure(times, "libraries", lambda: connect("libraries"))
        os.kill(until(spares, "no helper was started ahead")[0], 9)
        until(lambda: not spares(), "it was not killed")
        measure(times, "cold", lambda: refresh(talk))
    talk.close()
    for name in ("bare", "libraries"):
        run("systemctl", "stop", f"{name}.socket")
    print(f"measured the exchange helper that waits: PSS {size / 1024:.1f} MiB")
    median = {name: statistics.median(taken) for name, taken in times.items()}
    tell("bare unit with the same sandbox", median["bare"])
    tell("the same with libcurl loaded", median["libraries"])
    tell("refresh, helper started ahead", median["ahead"])
    tell("its own part", median["ahead"] - FIGURES["C: POST"])
    tell("refresh, cold", median["cold"])
    tell("its own part, cold", median["cold"] - FIGURES["C: POST"])
    beyond = {name: statistics.median(cold - start for cold, start in zip(times["cold"], times[name]))
              - FIGURES["C: POST"] for name in ("bare", "libraries")}
    tell("its own part, cold, beyond the bare unit of the same round", beyond["bare"])
    tell("its own part, cold, beyond the unit with libcurl", beyond["libraries"])
    check(FIGURES["its own part"] <= AHEAD, f"its own part is more than {AHEAD} ms")
    # Which libraries libcurl needs is the distribution's choice.
    check(beyond["libraries"] <= BEYOND_LIBRARIES,
          f"its own part, cold, is more than {BEYOND_LIBRARIES} ms beyond a unit that loads libcurl")


def valid_token(way):
    """Microseconds from the call of a program in a unit of the system to its token, the median."""
    call = json.dumps({"method": VAULT + "AccessToken", "parameters": {"account": ACCOUNT}})
    said = run("systemd-run", "--quiet", "--wait", "--pipe", "--collect", "--uid=ada",
               "--unit=ruled-1", f"{FLOORS}/client", "ask", SOCKET, "1", "0.5", way, call)
    return int(said.split()[2])


def set_own_rule(value):
    change = ADA.thumblatch("policy", "caller.night.unit", value)
    change.expect("System password for").type(ADA.password).end()


@scenario
def aRuleForOthersCostsHardlyAnything():
    """A rule for other programs, and rules that hold for the program, in turn with none.

    Only the first has limits: a program under a rule has its token from the vault itself.
    """
    times = {}
    ways = ("kept", "each")
    with policy_as_before() as before:
        for _ in range(RULED_ROUNDS):
            for name, rules, own in (("no", "", False), ("others", "unit = other-*.service\n", False),
                                     ("machine", "unit = ruled-*.service\n", False), ("own", "", True)):
                write_rules(before + (f"\n[Caller night]\n{rules}" if rules else ""))
                if own:
                    set_own_rule("ruled-*.service")
                for way in ways:
                    times.setdefault((name, way), []).append(valid_token(way))
                if own:
                    set_own_rule("default")
    for way in ways:
        for name in ("others", "machine", "own"):
            pairs = zip(times[name, way], times["no", way])
            ratio = statistics.median(ruled / free for ruled, free in pairs)
            free = statistics.median(times["no", way])
            print(f"measured a valid token by a {way} connection, under a rule ({name}): "
                  f"{ratio:.2f} times {free:.0f} µs", flush=True)
            limit = {"kept": RULED, "each": RULED_CONNECTION}[way]
            check(name != "others" or ratio <= limit, f"it is more than {limit} times")


main(lambda: begin(protected=False))
