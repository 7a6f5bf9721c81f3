"""What goes wrong while a token is refreshed."""
import os
import subprocess

import provider
from household import ACCOUNT, ADA, ask_anew, is_valid, last_line, token
from people import touch
from scenarios import check, main, run, scenario, show, until


def engine():
    return int(show("thumblatchd.service", "MainPID"))


@scenario
def protectionIsSwitchedOffByAFinger():
    disable = ADA.thumblatch("presence", "disable", ACCOUNT)
    disable.expect("Touch the fingerprint reader")
    touch("right-index")
    disable.end()


@scenario
def anEngineThatIsKilledInMidRefreshLosesNothing():
    check(is_valid(token()), "no token to begin with")
    killed = engine()
    provider.hold_refresh()
    command = ask_anew()
    provider.wait_for_refresh()
    os.kill(killed, 9)
    until(lambda: engine() not in (0, killed), "no other engine came")
    provider.release()
    command.end(status=None)
    check(is_valid(token()), "the answer of the refresh was lost")
    check(len(provider.refreshes()) == 1, f"{len(provider.refreshes())} refreshes")
    check(is_valid(last_line(ask_anew())), "the next refresh failed")
    check(provider.call("GET", "/_control/sessions")["revoked"] == 0, "a token came twice")


@scenario
def aStopWaitsForTheExchangeThatIsUnderWay():
    check(is_valid(token()), "no token to begin with")
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
    check(is_valid(token()), "the answer of the refresh was lost")
    check(len(provider.refreshes()) == 1, f"{len(provider.refreshes())} refreshes")
    check(provider.call("GET", "/_control/sessions")["revoked"] == 0, "a token came twice")


@scenario
def aKilledCheckLeavesThePromptToAnother():
    command = ADA.thumblatch("presence", "test")
    command.expect("Touch the fingerprint reader")
    until(lambda: os.path.exists("/run/virtual-reader/reader"), "the reader was never armed")
    run("systemctl", "kill", "--signal=KILL", "thumblatch-presence@*")
    command.end(status=None)
    command = ADA.thumblatch_after_a_pause("Touch the fingerprint reader", "presence", "test")
    touch("right-index")
    command.end()
    check(run("systemctl", "--failed", "--no-legend", "--plain") == "", "a unit has failed")


main()
