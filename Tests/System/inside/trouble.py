"""Faults while a token is refreshed."""
import os
import subprocess

import provider
from household import (ACCOUNT, ADA, ask_anew, begin, is_valid, last_line, newer_token, protect,
                       token)
from people import is_armed, touch
from scenarios import check, main, run, scenario, show, until


def engine():
    return int(show("thumblatchd.service", "MainPID"))


@scenario
def protectionIsSwitchedOffByAFinger():
    protect(True)
    disable = ADA.thumblatch("presence", "disable", ACCOUNT)
    disable.expect("Touch the fingerprint reader")
    touch("right-index")
    disable.end()


def revoked():
    """The number of logins that the provider has ended."""
    return provider.call("GET", "/_control/sessions")["revoked"]


@scenario
def anEngineThatIsKilledInMidRefreshLosesNothing():
    known, before = token(), revoked()
    killed = engine()
    provider.hold_refresh()
    command = ask_anew()
    provider.wait_for_refresh()
    os.kill(killed, 9)
    until(lambda: engine() not in (0, killed), "no other engine came")
    provider.release()
    command.end(status=None)
    check(is_valid(newer_token(known)), "the provider does not know the token")
    # The command asks the next engine again. If the exchange has ended by then, the engine needs
    # another refresh for the requested lifetime.
    check(len(provider.refreshes()) in (1, 2), f"{len(provider.refreshes())} refreshes")
    check(is_valid(last_line(ask_anew())), "the next refresh failed")
    check(revoked() == before, "a token came twice")


@scenario
def aStopWaitsForTheExchangeThatIsUnderWay():
    known, before = token(), revoked()
    stopped = engine()
    provider.hold_refresh()
    command = ask_anew()
    provider.wait_for_refresh()
    stop = subprocess.Popen(["systemctl", "stop", "thumblatchd.service"],
                            stderr=subprocess.DEVNULL)
    until(lambda: show("thumblatchd.service", "ActiveState") == "deactivating", "no stop began")
    check(os.path.exists(f"/proc/{stopped}"), "it did not wait")
    provider.release()
    check(stop.wait(60) == 0, "the stop failed")
    check(show("thumblatchd.service", "Result") == "success", "it was killed")
    command.end(status=None)
    check(is_valid(newer_token(known)), "the provider does not know the token")
    check(len(provider.refreshes()) == 1, f"{len(provider.refreshes())} refreshes")
    check(revoked() == before, "a token came twice")


@scenario
def aKilledCheckLeavesThePromptToAnother():
    command = ADA.thumblatch("presence", "test")
    command.expect("Touch the fingerprint reader")
    until(is_armed, "the reader was never armed")
    run("systemctl", "kill", "--signal=KILL", "thumblatch-presence@*")
    command.end(status=None)
    command = ADA.thumblatch_after_a_pause("Touch the fingerprint reader", "presence", "test")
    touch("right-index")
    command.end()
    until(lambda: run("systemctl", "--failed", "--no-legend", "--plain") == "", "a unit has failed")


main(lambda: begin(protected=False))
