"""The package is installed over itself."""
import os

from scenarios import UNITS, check, main, run, scenario, show


@scenario
def anUpgradeLeavesTheSocketsListening():
    before = {unit: show(unit, "ActiveEnterTimestampMonotonic") for unit in UNITS}
    run("dpkg", "--install", "/opt/thumblatch.deb",
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    for unit in UNITS:
        check(show(unit, "ActiveState") == "active", f"{unit} is not active")
        check(show(unit, "ActiveEnterTimestampMonotonic") == before[unit], f"{unit} was restarted")


@scenario
def whatAnAdministratorSwitchedOffStaysOffThroughAnUpgrade():
    run("systemctl", "disable", "thumblatchd.socket")
    run("dpkg", "--install", "/opt/thumblatch.deb",
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    check(show("thumblatchd.socket", "UnitFileState") == "disabled", "it is enabled again")
    run("systemctl", "enable", "thumblatchd.socket")


main()
