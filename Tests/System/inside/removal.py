"""The package is removed, and deletes no sealed store unless an administrator says so."""
import os

from scenarios import STATE, UNITS, check, main, run, scenario, show

QUIET = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
KEPT = f"{STATE}/users/4711/vault.db"


def install():
    run("apt-get", "install", "--yes", "/opt/thumblatch.deb", env=QUIET)


def a_store():
    """A file in place of a store: its contents do not matter to the package."""
    os.makedirs(os.path.dirname(KEPT), mode=0o700, exist_ok=True)
    with open(KEPT, "w", encoding="utf-8") as file:
        file.write("sealed")


def begin():
    install()
    a_store()


@scenario
def aRemovalEndsTheServiceAndKeepsTheStores():
    run("apt-get", "remove", "--yes", "thumblatch", env=QUIET)
    for unit in [*UNITS, "thumblatchd.service"]:
        check(show(unit, "ActiveState") == "inactive", f"{unit} is still there")
    check(not os.path.exists("/run/thumblatch"), "a socket is still there")
    check(not os.path.exists("/usr/bin/thumblatch"), "the command is still there")
    check(os.path.exists(KEPT), "a store was destroyed")
    check(os.path.exists("/etc/thumblatch/thumblatch.conf"), "a setting was forgotten")


@scenario
def aNewInstallationListensAgain():
    install()
    for unit in UNITS:
        check(show(unit, "ActiveState") == "active", f"{unit} is not active")
    check(os.path.exists(KEPT), "a store was destroyed")


@scenario
def aPurgeThatAsksNobodyKeepsTheStores():
    said = run("sh", "-c", "apt-get purge --yes thumblatch 2>&1", env=QUIET)
    check(os.path.exists(KEPT), "a store was destroyed")
    check(STATE in said, f"not said where they are:\n{said}")
    check(not os.path.exists("/etc/thumblatch/thumblatch.conf"), "a setting is left")
    check("thumblatch" not in run("systemctl", "list-unit-files"), "a unit is left")


@scenario
def aPurgeAfterARemovalAsksAndNoKeepsTheStores():
    install()
    run("apt-get", "remove", "--yes", "thumblatch", env=QUIET)
    said = run("apt-get", "purge", "--yes", "thumblatch", text="no\n",
               env={**os.environ, "DEBIAN_FRONTEND": "teletype"})
    check("Destroy the sealed tokens" in said, f"no question was asked:\n{said}")
    check(os.path.exists(KEPT), "a store was destroyed against the answer")


@scenario
def aPurgeDestroysTheStoresByAnAdministratorsWord():
    install()
    run("debconf-set-selections", text="thumblatch thumblatch/destroy-vault boolean true\n")
    run("apt-get", "purge", "--yes", "thumblatch", env=QUIET)
    check(not os.path.exists(STATE), "the stores are still there")


@scenario
def thatWordDoesNotOutliveThePurge():
    install()
    a_store()
    run("apt-get", "purge", "--yes", "thumblatch", env=QUIET)
    check(os.path.exists(KEPT), "an earlier answer destroyed a store")


@scenario
def nothingIsLeftOfThePackage():
    # The last scenario has done so, unless it failed.
    run("dpkg", "--purge", "thumblatch", env=QUIET)
    # The units that systemd's managers loaded from the files disappear at their next reload.
    left = run("find", "/etc", "/usr", "/run", "-name", "*thumblatch*",
               "-not", "-path", "/run/systemd/*", "-not", "-path", "/run/user/*/systemd/*").split()
    # The virtual reader's setting and the provider belong to these scenarios.
    left.remove("/etc/systemd/system/thumblatch-presence@.service.d")
    left.remove("/etc/thumblatch")
    files = run("find", "/etc/thumblatch", "-type", "f").split()
    check(files == ["/etc/thumblatch/providers.d/dev.conf"], str(files))
    check(left == [], str(left))


main(begin)
