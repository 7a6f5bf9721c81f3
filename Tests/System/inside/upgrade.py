"""The package is installed over itself."""
import os
import subprocess

import provider
from household import ACCOUNT, ADA, ask_for_finger, begin, is_valid, newer_token, token
from people import touch
from scenarios import UNITS, check, main, run, scenario, show, until

QUIET = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
AGAIN = ["dpkg", "--install", "/opt/thumblatch.deb"]
STOP = "/var/tmp/enough"
LOOP = (f"n=0; while [ ! -e {STOP} ]; do thumblatch token {ACCOUNT} >/dev/null || echo refused; "
        "n=$((n+1)); done; echo after $n")


@scenario
def anUpgradeLeavesTheSocketsListening():
    before = {unit: show(unit, "ActiveEnterTimestampMonotonic") for unit in UNITS}
    run(*AGAIN, env=QUIET)
    for unit in UNITS:
        check(show(unit, "ActiveState") == "active", f"{unit} is not active")
        check(show(unit, "ActiveEnterTimestampMonotonic") == before[unit], f"{unit} was restarted")


@scenario
def anUpgradeIsNotNoticedByWhoAsksForTokens():
    check(is_valid(token()), "no token to begin with")
    before = show("thumblatchd.service", "MainPID")
    command = ADA.type("sh", "-c", LOOP)
    run(*AGAIN, env=QUIET)
    check(show("thumblatchd.service", "MainPID") not in ("0", before), "the old engine goes on")
    with open(STOP, "w", encoding="utf-8"):
        pass
    said = command.end()
    os.unlink(STOP)
    check("refused" not in said and int(said.split()[-1]) > 3, said)


@scenario
def anUpgradeWaitsForTheRefreshThatIsUnderWay():
    known = token()
    provider.hold_refresh()
    command = ask_for_finger()
    touch("right-index")
    provider.wait_for_refresh()
    upgrade = subprocess.Popen(AGAIN, env=QUIET, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    until(lambda: show("thumblatchd.service", "ActiveState") == "deactivating", "no restart began")
    provider.release()
    check(upgrade.wait(120) == 0, "the upgrade failed")
    command.end(status=None)
    check(is_valid(newer_token(known)), "the provider does not know the token")
    check(len(provider.refreshes()) == 1, f"{len(provider.refreshes())} refreshes")


@scenario
def whatAnAdministratorSwitchedOffStaysOffThroughAnUpgrade():
    run("systemctl", "disable", "thumblatchd.socket")
    run(*AGAIN, env=QUIET)
    check(show("thumblatchd.socket", "UnitFileState") == "disabled", "it is enabled again")
    run("systemctl", "enable", "thumblatchd.socket")


main(begin)
