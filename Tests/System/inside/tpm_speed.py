"""The times of an engine whose vault needs the TPM, compared with a vault that does not: of its first
token, and of a valid token and a refresh later. It is not part of the other runs, because its figures
also depend on the machine."""
import base64
import contextlib
import json
import statistics

import provider
import sealed
from calls import Conversation
from floors import FIGURES, PAUSE, connect, measure, start_unit, tell
from household import ACCOUNT, ADA, begin
from paths import refresh, spare_taken, valid_token
from scenarios import STATE, Failure, check, main, run, scenario

RUNS = 8
# The limit in milliseconds in addition to the TPM's own time.
BEYOND = 60
# How often each later path is measured, and how many times the file tier's slower median it may take.
LATER_RUNS, LATER = 30, 1.2
# A copy of the directory, made before the TPM was added.
COPY = "/root/file-tier"
VALID, WARM = "a valid token of a running engine", "a refresh of a running engine"
REFRESH, STORED = "first refresh after the start", "first stored token after the start"
BARE = "a bare unit with the helper's sandbox"
# Seals a value, then opens it again and again: helpers that were started before, and others.
ASK = """
import json, select, socket, sys, time
runs, pause = int(sys.argv[1]), float(sys.argv[2])
value = sys.argv[3]

def ask(wait, method, **parameters):
    begun = time.perf_counter()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("/run/thumblatch/secret")
        if wait:
            select.select([], [], [], pause)
            begun = time.perf_counter()
        call = {"method": "io.thumblatch.Helper." + method, "parameters": parameters}
        connection.sendall(json.dumps(call).encode() + bytes(1))
        answer = b""
        while not answer.endswith(bytes(1)):
            answer += connection.recv(65536)
        took = (time.perf_counter() - begun) * 1000
    return took, json.loads(answer.rstrip(bytes(1)))["parameters"]

sealed = ask(False, "SealSecret", secret=value, authorization=value)[1]
assert sealed.pop("outcome") == "done"
rows = []
for _ in range(runs):
    row = []
    for wait in (True, False):
        select.select([], [], [], pause)
        took, opened = ask(wait, "OpenSecret", authorization=value, **sealed)
        assert opened["outcome"] == "done"
        row.append(took)
    rows.append(row)
print(json.dumps(rows))
"""


@scenario
def whatTheTPMAndItsUnitTake():
    value = base64.b64encode(bytes(32)).decode()
    said = run("setpriv", "--reuid=thumblatch", "--regid=thumblatch", "--clear-groups",
               "python3", "-c", ASK, str(RUNS), str(PAUSE / 2), value)
    waiting, started = zip(*json.loads(said))
    tell("TPM: open, by a helper that waits", statistics.median(waiting))
    tell("TPM: open, by a helper that is started", statistics.median(started))


def first(**parameters):
    """The first token of an engine, which the call starts."""
    talk = Conversation(ADA)
    error, reply = talk.call("AccessToken", account=ACCOUNT, **parameters)
    talk.close()
    check(error is None, f"{error} {reply}")


def rounds(tier):
    times = {}
    for _ in range(RUNS):
        run("systemctl", "stop", "thumblatchd.service")
        measure(times, REFRESH, lambda: first(minimum_lifetime=provider.LIFETIME))
        run("systemctl", "stop", "thumblatchd.service")
        measure(times, STORED, first)
        measure(times, BARE, lambda: connect("bare-secret"))
    tell_medians(tier, times)


def later_rounds(tier):
    """The paths of an engine that has opened the vault, and is no longer stopped."""
    talk, times = Conversation(ADA), {}
    refresh(talk)
    for _ in range(LATER_RUNS):
        times.setdefault(VALID, []).append(valid_token("each", "later-1") / 1000)
        # Without a helper that waits, the start of its unit would hide the difference.
        spare_taken()
        measure(times, WARM, lambda: refresh(talk))
    talk.close()
    tell_medians(tier, times)


def tell_medians(tier, times):
    for name, taken in times.items():
        tell(f"{tier}: {name}", statistics.median(taken))
        print(f"   {tier}: {name}: {min(taken):.2f} to {max(taken):.2f} ms", flush=True)


@scenario
def theFirstTokenComesInTime():
    start_unit("bare-secret", "bare", "secret")
    for measured in (rounds, later_rounds):
        measured("file")
    run("systemctl", "stop", "thumblatchd.socket", "thumblatchd.service")
    run("cp", "-a", STATE, COPY)
    run("systemctl", "start", "thumblatchd.socket")
    run("sh", "-c", f"umask 077; exec thumblatch device-secret add tpm --recovery-to 3 3>{sealed.ESCROW}")
    for measured in (rounds, later_rounds):
        measured("TPM")
    run("systemctl", "stop", "bare-secret.socket")
    own = FIGURES["TPM: open, by a helper that waits"]
    for name in (REFRESH, STORED):
        tell(f"TPM: {name}, beyond the TPM's own time", FIGURES[f"TPM: {name}"] - own)
        tell(f"{name}, beyond a vault without it and the TPM's own time",
             FIGURES[f"TPM: {name}"] - FIGURES[f"file: {name}"] - own)
    # The unit of the helper starts while that of the exchange does.
    beyond = FIGURES[f"TPM: {REFRESH}"] - FIGURES[f"file: {REFRESH}"] - own
    check(beyond <= BEYOND, f"the first refresh takes {beyond:.0f} ms more")
    # Nothing else is measured: the time that any unit with this sandbox takes is not the vault's.
    beyond = FIGURES[f"TPM: {STORED}"] - FIGURES[f"file: {STORED}"] - own - FIGURES[f"TPM: {BARE}"]
    tell(f"{STORED}, beyond a bare unit as well", beyond)
    check(beyond <= BEYOND, f"the first stored token takes {beyond:.0f} ms more than a bare unit")


def return_to_the_file_tier():
    run("systemctl", "stop", "thumblatchd.socket", "thumblatchd.service")
    run("sh", "-c", f"find {STATE} -mindepth 1 -delete && cp -a {COPY}/. {STATE} && rm -r {COPY}")
    run("systemctl", "start", "thumblatchd.socket")
    check(sealed.status()["tier"] == "file", str(sealed.status()))
    # The provider has replaced the refresh token of the copy, and then the account needs a login.
    talk = Conversation(ADA)
    with contextlib.suppress(Failure):
        refresh(talk)
    talk.close()
    begin(protected=False)


@scenario
def laterPathsAreUnchanged():
    # A machine may have become slower or faster since the first rounds.
    return_to_the_file_tier()
    later_rounds("file again")
    ratios = {}
    for name in (VALID, WARM):
        slower = max(FIGURES[f"file: {name}"], FIGURES[f"file again: {name}"])
        ratios[name] = FIGURES[f"TPM: {name}"] / slower
    for name, ratio in ratios.items():
        print(f"measured {name}: {ratio:.2f} times that of a vault without the TPM", flush=True)
    check(max(ratios.values()) <= LATER, f"more than {LATER} times: {ratios}")


main(lambda: begin(protected=False))
