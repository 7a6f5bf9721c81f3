"""The package of Debian 12 in Debian 13: one login, one protected refresh, and its removal."""
import os

import household
from household import ADA, is_valid, status, token
from scenarios import STATE, UNITS, check, main, run, scenario, show

QUIET = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}


@scenario
def thisIsAnotherDebian():
    with open("/etc/os-release", encoding="utf-8") as file:
        check("VERSION_CODENAME=trixie" in file.read(), "it is not")
    # The libraries with a 64-bit time_t (libcurl4t64 and others) provide the previous names on this
    # architecture, because nothing has changed for it.
    listed = run("dpkg-query", "--show", "--showformat=${Package}\n", "libcurl4t64", "libssl3t64")
    check(len(listed.split()) == 2, listed)


@scenario
def aLoginAProtectedRefreshAndAnIntactLog():
    check(is_valid(token()), "no token")
    check(status()["engine"]["form"] == "service", str(status()))
    household.ask_anew("--no-input").end(status=7)
    ADA.thumblatch("audit", "verify").expect("The audit log is intact").end()


@scenario
def doctorFindsNoProblemOfThisSystem():
    shown = ADA.thumblatch("doctor", "--json").end(status=None)
    check('"problem"' not in shown.replace('"problems"', ""), shown[-3000:])


@scenario
def itsUnitsDoNotFail():
    check(run("systemctl", "--failed", "--no-legend", "--plain") == "",
          run("systemctl", "--failed", "--plain"))


@scenario
def itIsRemovedAndThePurgeKeepsTheStores():
    run("apt-get", "remove", "--yes", "thumblatch", env=QUIET)
    for unit in [*UNITS, "thumblatchd.service"]:
        check(show(unit, "ActiveState") == "inactive", f"{unit} is still there")
    run("apt-get", "purge", "--yes", "thumblatch", env=QUIET)
    check(os.path.exists(f"{STATE}/users/{ADA.uid}/vault.db"), "a store was destroyed")
    check("thumblatch" not in run("systemctl", "list-unit-files"), "a unit is left")


# A login, an enrolled finger, protection, and a refresh by that finger.
main(household.begin)
