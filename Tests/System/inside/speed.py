"""The time of other tools' helpers, compared with the front's. The time of a rotated refresh by the
service, compared with the minimum of any unit with Accept=yes. This part is not one of the other runs,
because its figures also depend on the machine."""
import os
import select
import statistics
import subprocess

import provider
import tools
from asking import policy_as_before, write_rules
from calls import Conversation
from floors import FIGURES, FLOORS, PAUSE, connect, measure, start_unit, tell
from household import ACCOUNT, ADA, begin
from paths import refresh, spare_taken, spares, valid_token
from scenarios import check, main, run, scenario, until

RUNS = 30
TOOL_RUNS = 100
# Limits in milliseconds, without the POST: with a spare exchange helper. Without a spare, beyond a unit
# with the same sandbox that loads libcurl.
AHEAD, BEYOND_LIBRARIES = 4, 5
# With a rule for other programs, a valid token may take this many times as long as without rules:
# over a kept connection, and over a new one, whose process is examined.
RULED = {"kept": 1.1, "each": 2.5}
RULED_ROUNDS = 7


@scenario
def aToolsHelperTakesHardlyLongerThanATokenTakes():
    shown = ADA.type("python3", "-B", "/opt/system-test/tools.py", ACCOUNT, str(TOOL_RUNS)).end()
    for line in shown.splitlines():
        print(f"measured {line}", flush=True)
    broken = [line for line in shown.splitlines() if line.startswith(tools.BEYOND)]
    check(shown.startswith("tools, ") and not broken, f"{broken or shown}")


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
def aRefreshTakesWhatItMay():
    """The programs of comparison are started in turn with the refreshes: the time for the start of
    a unit differs from one minute to the next."""
    for name in ("bare", "libraries"):
        start_unit(name, name)
    talk = Conversation(ADA)
    times = {}
    measure(times, "first", lambda: refresh(talk))
    for _ in range(RUNS):
        size = spare_taken()
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


def set_own_rule(value):
    change = ADA.thumblatch("policy", "caller.night.unit", value)
    change.expect("System password for").type(ADA.password).end()


@scenario
def aRuleForOthersCostsHardlyAnything():
    """A rule for other programs, and rules that hold for the program, in turn with none.

    Only the first has a limit: a program under a rule gets its token from the vault itself.
    """
    times = {}
    with policy_as_before() as before:
        for _ in range(RULED_ROUNDS):
            for name, rules, own in (("no", "", False), ("others", "unit = other-*.service\n", False),
                                     ("machine", "unit = ruled-*.service\n", False), ("own", "", True)):
                write_rules(before + (f"\n[Caller night]\n{rules}" if rules else ""))
                if own:
                    set_own_rule("ruled-*.service")
                for way in RULED:
                    times.setdefault((name, way), []).append(valid_token(way, "ruled-1"))
                if own:
                    set_own_rule("default")
    for way in RULED:
        for name in ("others", "machine", "own"):
            pairs = zip(times[name, way], times["no", way])
            ratio = statistics.median(ruled / free for ruled, free in pairs)
            free = statistics.median(times["no", way])
            print(f"measured a valid token by a {way} connection, under a rule ({name}): "
                  f"{ratio:.2f} times {free:.0f} µs", flush=True)
            check(name != "others" or ratio <= RULED[way], f"it is more than {RULED[way]} times")


main(lambda: begin(protected=False))
