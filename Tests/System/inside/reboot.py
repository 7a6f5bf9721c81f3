"""The machine has been rebooted."""
import provider
from household import (ACCOUNT, ADA, BOB, arrive, ask_anew, ask_for_finger, brings_token, is_valid,
                       status, token)
from people import touch
from scenarios import UNITS, check, main, run, scenario, show


@scenario
def theSocketsListenAfterAReboot():
    for unit in UNITS:
        check(show(unit, "ActiveState") == "active", f"{unit} is not active")
    check(show("thumblatchd.service", "ActiveState") == "inactive", "the engine runs unasked")


@scenario
def accountsFingersAndProtectionAreThereAfterAReboot():
    provider.start()
    arrive()
    check(status()["enrolled_fingers"] == ["right-index"], str(status()))
    ask_anew("--no-input").end(status=7)
    command = ask_for_finger()
    touch("right-index")
    brings_token(command)
    check(is_valid(token()), "no token")
    BOB.thumblatch("token", ACCOUNT).end(status=9)


@scenario
def noUnitHasFailed():
    check(run("systemctl", "--failed", "--no-legend", "--plain") == "",
          run("systemctl", "--failed", "--plain"))


main()
