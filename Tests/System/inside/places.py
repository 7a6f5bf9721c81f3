"""Where a caller sits decides whether a finger counts, and whose unlock window is open: at the seat,
in the user's own manager, and over the network, each as logind knows it."""
import time

import provider
from household import ACCOUNT, ADA, expiry, is_valid
from people import Person, touch
from scenarios import check, main, run, scenario, until

FAR = Person("ada", ADA.password, "remote")
POLICY = "/etc/thumblatch/thumblatch.conf"


def ask(person, *options, inside=()):
    """Somebody asks for a token that only a refresh can bring; `inside` runs the program elsewhere."""
    until(lambda: expiry() - time.time() < provider.LIFETIME - 1, "the token does not grow older")
    return person.type(*inside, "thumblatch", "token", ACCOUNT, "--min-ttl",
                       f"{provider.LIFETIME}s", *options)


def in_manager():
    """Runs a program in user@UID.service, as the terminals of GNOME and KDE are."""
    return ("env", f"XDG_RUNTIME_DIR=/run/user/{ADA.uid}", "systemd-run", "--user", "--quiet",
            "--collect", "--wait", "--pty", "--")


def last_line(command):
    return command.end().splitlines()[-1].strip()


def unlock(person):
    command = person.thumblatch("unlock")
    if person is ADA:
        command.expect("Touch the fingerprint reader").type("")
    command.expect("assword").type(person.password)
    command.end()


@scenario
def overTheNetworkNoFingerCountsAndThePersonIsToldWhy():
    FAR.arrive()
    command = ask(FAR)
    command.expect("remote session").expect("assword").type(ADA.password)
    check(is_valid(last_line(command)), "the provider does not know the token")


@scenario
def whatACallerSetsForItselfDoesNotCount():
    command = ask(FAR, inside=("env", "XDG_SESSION_ID=1", "XDG_SEAT=seat0", "XDG_VTNR=1"))
    command.expect("remote session").expect("assword").type(ADA.password)
    command.end()


@scenario
def aTerminalInTheUsersManagerIsAtTheDisplaySession():
    command = ask(ADA, inside=in_manager())
    command.expect("Touch the fingerprint reader")
    touch("right-index")
    check(is_valid(last_line(command)), "the provider does not know the token")


@scenario
def aWindowIsOpenAtThePlaceWhereItWasOpened():
    unlock(ADA)
    check(is_valid(last_line(ask(ADA, "--no-input"))), "not at the seat itself")
    check(is_valid(last_line(ask(ADA, "--no-input", inside=in_manager()))), "not in the manager")
    ask(FAR, "--no-input").end(status=7)
    check("unlocked for" not in FAR.thumblatch("status").end(), "it is shown over the network")


@scenario
def whoIsMovedIntoTheUsersManagerSitsAtTheDesk():
    """As SECURITY.md says: the user's manager serves every program of the user."""
    check(is_valid(last_line(ask(FAR, "--no-input", inside=in_manager()))), "it does not")


@scenario
def theEndOfTheSessionOverTheNetworkEndsItsWindowAlone():
    unlock(FAR)
    check(is_valid(last_line(ask(FAR, "--no-input"))), "no window over the network")
    run("systemctl", "stop", "person-ada-remote.service")
    FAR.arrive()
    ask(FAR, "--no-input").end(status=7)
    check(is_valid(last_line(ask(ADA, "--no-input"))), "the one at the seat went with it")


@scenario
def aLockedScreenEndsAllOfThem():
    unlock(FAR)
    run("loginctl", "lock-sessions")
    for person in (ADA, FAR):
        until(lambda who=person: "unlocked" not in who.thumblatch("status").end(),
              "a window is still open")
        ask(person, "--no-input").end(status=7)
    run("loginctl", "unlock-sessions")


@scenario
def whereThePolicyDeniesThemNobodyIsAskedOverTheNetwork():
    with open(POLICY, encoding="utf-8") as file:
        before = file.read()
    with open(POLICY, "w", encoding="utf-8") as file:
        file.write("[Policy]\nremote = deny\n")
    try:
        run("systemctl", "restart", "thumblatchd.service")
        ask(FAR).expect("remote = deny").end(status=11)
        command = ask(ADA)
        command.expect("Touch the fingerprint reader")
        touch("right-index")
        command.end()
        # A token that is valid needs nobody.
        check(is_valid(FAR.thumblatch("token", ACCOUNT).end()), "no token over the network")
    finally:
        with open(POLICY, "w", encoding="utf-8") as file:
            file.write(before)
        run("systemctl", "restart", "thumblatchd.service")


main()
