"""The programs are killed as a crash would kill them, while they hold secrets. No core is left, no
secret is printed, and interrupted work continues."""
import contextlib
import glob
import os
import signal

import memory
import provider
from household import (ACCOUNT, ADA, EMAIL, PLANTED, account, ask_for_finger, begin, is_valid,
                       newer_token, refresh, status, token)
from people import is_armed, touch
from scenarios import check, main, run, scenario, show, until

COMMAND = "/usr/libexec/thumblatch/thumblatch-cli"


def trap(units, number):
    """Sends a signal to the one process of some units, and waits until systemd reports its end."""
    run("journalctl", "--sync")
    cursor = run("journalctl", "--lines=0", "--show-cursor").split("cursor: ")[1].strip()
    # The journal shows whether the signal met a process. Other processes of the units may have
    # ended in the meantime.
    run("systemctl", "kill", "--kill-whom=main", f"--signal={number.name}", units, status=None)
    said = until(lambda: ending(cursor, units.rstrip("*")), f"{units} did not end")
    check(f"code=killed, status={number.value}/" in said, said)


def ending(cursor, unit):
    """The report of systemd about the end of a unit's process. Not by --unit, which needs the
    unit's whole name from an earlier entry."""
    run("journalctl", "--sync")
    lines = run("journalctl", "--no-pager", "--output=cat", f"--after-cursor={cursor}").splitlines()
    return next((line for line in lines if line.startswith(unit) and "Main process exited" in line), "")


@scenario
def aCoreWouldBeNoticed():
    said = run("sh", "-c", "systemd-run --wait --collect --property=LimitCORE=infinity"
               " --property=WorkingDirectory=/var/tmp python3 -c 'import os; os.abort()' 2>&1",
               status=None)
    check("code=dumped" in said, said)
    left = glob.glob("/var/tmp/core*")
    run("rm", "-f", *left)


@scenario
def anEngineThatTrapsInMidRefreshLeavesNothingAndLosesNothing():
    known = token()
    provider.hold_refresh()
    command = ask_for_finger()
    touch("right-index")
    provider.wait_for_refresh()
    trap("thumblatchd.service", signal.SIGTRAP)
    provider.release()
    look_at(command.end(status=None))
    until(lambda: show("thumblatchd.service", "ActiveState") == "active", "no other engine came")
    # Its answer is in the slot. The next caller gets it without another refresh.
    check(is_valid(newer_token(known)), "the provider does not know the token")
    check(len(provider.refreshes()) == 1, f"{len(provider.refreshes())} refreshes")


@scenario
def aCheckThatTrapsWithTheReaderArmedLetsNothingThrough():
    command = ADA.thumblatch("unlock")
    command.expect("Touch the fingerprint reader")
    until(is_armed, "the reader was not armed")
    trap("thumblatch-presence@*", signal.SIGSEGV)
    command.expect("is not available").expect("System password for")
    check(not status()["unlocked"], "a window was opened")
    look_at(command.type(ADA.password).end())
    ADA.thumblatch("lock").end()


@scenario
def aCheckThatTrapsWhileItAsksForThePasswordLetsNothingThrough():
    command = ADA.thumblatch_after_a_pause("Touch the fingerprint reader", "unlock")
    command.type("").expect("System password for")
    trap("thumblatch-presence@*", signal.SIGABRT)
    command.type(ADA.password).expect("ended without an").expect("System password for")
    check(not status()["unlocked"], "a window was opened")
    look_at(command.type(ADA.password).end())
    ADA.thumblatch("lock").end()


@scenario
def aHelperThatTrapsCostsNoTokens():
    provider.hold("/auth/refresh", status=503)
    command = ask_for_finger()
    touch("right-index")
    provider.wait_for("/auth/refresh")
    trap("thumblatch-exchange@*", signal.SIGILL)
    provider.release()
    look_at(command.expect("no answer").end(status=5))
    check(account()["state"] == "uncertain", str(account()))
    check(is_valid(token()), "the earlier token is gone")


@scenario
def theAccountIsRefreshedAgainAfterALostAnswer():
    refresh()


@scenario
def aCommandThatTrapsLeavesNothing():
    provider.hold("/auth/login", status=503)
    command = ADA.thumblatch("login", ACCOUNT)
    command.expect("-mail").type(EMAIL)
    command.expect("assword").type(provider.PASSWORD)
    provider.wait_for("/auth/login")
    for path in glob.glob("/proc/[0-9]*/exe"):
        with contextlib.suppress(OSError):  # it has ended
            if os.readlink(path) == COMMAND:
                os.kill(int(path.split("/")[2]), signal.SIGTRAP)
    look_at(command.end(status=-signal.SIGTRAP))
    provider.release()


@scenario
def theNextRequestWorks():
    command = ADA.thumblatch_after_a_pause("Touch the fingerprint reader", "presence", "test")
    touch("right-index")
    command.end()


def look_at(said):
    for secret, (count, forms, _) in memory.look(PLANTED, said.encode()).items():
        check(count == 0, f"on the screen stands the {secret}: {forms}")


@scenario
def theJournalHoldsNoSecret():
    run("journalctl", "--sync")
    for words in (["--output=export"], ["--output=json", "--all"]):
        told = run("journalctl", "--no-pager", *words).encode()
        check(len(told) > 1000, "the journal is empty")
        for secret, (count, forms, _) in memory.look(PLANTED, told).items():
            check(count == 0, f"the journal holds the {secret}: {forms}")


@scenario
def noCoreFileWasLeft():
    found = run("find", "/", "-xdev", "-name", "core*", "-newer", "/opt/thumblatch.deb", "-type",
                "f").split()
    found += glob.glob("/var/lib/systemd/coredump/*")
    check(found == [], str(found))


main(begin)
