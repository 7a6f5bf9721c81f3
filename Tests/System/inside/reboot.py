"""The machine has been started again."""
from scenarios import UNITS, check, main, run, scenario, show


@scenario
def theSocketsListenAfterAReboot():
    for unit in UNITS:
        check(show(unit, "ActiveState") == "active", f"{unit} is not active")


@scenario
def noUnitHasFailed():
    check(run("systemctl", "--failed", "--no-legend", "--plain") == "",
          run("systemctl", "--failed", "--plain"))


main()
