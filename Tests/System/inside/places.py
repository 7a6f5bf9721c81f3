"""The caller's location decides whether a finger counts, and whose unlock window is open. The
locations are the seat, the user's own manager, and the network, each as logind knows it."""
import json

import provider
import household
from household import ACCOUNT, ADA, BOB, brings_token, is_valid, last_line, let_the_token_age, status
from people import Person, is_armed, session_at_seat, touch
from scenarios import check, main, run, scenario, show, until
from sleep import asleep

FAR = Person("ada", ADA.password, "remote")
TOKEN = ["token", ACCOUNT, "--min-ttl", f"{provider.LIFETIME}s"]
POLICY = "/etc/thumblatch/thumblatch.conf"
# A sandbox that maps only the person's own number: the files of root are those of nobody there.
SANDBOX = ("bwrap", "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--die-with-parent")


def ask(person, *options, inside=()):
    """A person requests a token that only a refresh can bring. `inside` is a program that runs the
    command."""
    let_the_token_age()
    return person.type(*inside, "thumblatch", *TOKEN, *options)


def unlock(person):
    first = "Touch the fingerprint reader" if person is ADA else "System password for"
    command = person.thumblatch_after_a_pause(first, "unlock")
    if person is ADA:
        command.type("").expect("System password for")
    command.type(person.password).end()
    check(is_unlocked(person), "no window was opened")


def is_unlocked(person):
    """Whether the window of a person's location is open. Unlike a token, this opens no prompt."""
    return status(person)["unlocked"]


def wait_until_locked(*persons):
    for person in persons:
        until(lambda who=person: not is_unlocked(who), "a window is still open")


@scenario
def overTheNetworkNoFingerCountsAndThePersonIsToldWhy():
    command = ask(FAR)
    command.expect("remote session").expect("System password for").type(ADA.password)
    brings_token(command)


@scenario
def whatACallerSetsForItselfDoesNotCount():
    command = ask(FAR, inside=("env", "XDG_SESSION_ID=1", "XDG_SEAT=seat0", "XDG_VTNR=1"))
    command.expect("remote session").expect("System password for").type(ADA.password)
    command.end()


@scenario
def inASandboxWhereRootIsNobodyTheServiceIsBelieved():
    command = ADA.type(*SANDBOX, "stat", "-c", "%u", "/run/thumblatch")
    check(last_line(command) == "65534", "the sandbox shows root")
    command = ask(ADA, inside=SANDBOX)
    command.expect("Touch the fingerprint reader")
    touch("right-index")
    brings_token(command)
    brings_token(ADA.type(*SANDBOX, "thumblatch", "token", ACCOUNT))


@scenario
def aTerminalInTheUsersManagerIsAtTheDisplaySession():
    command = ask(ADA.move_into_manager())
    command.expect("Touch the fingerprint reader")
    touch("right-index")
    brings_token(command)


@scenario
def aWindowIsOpenAtThePlaceWhereItWasOpened():
    unlock(ADA)
    check(is_valid(last_line(ask(ADA, "--no-input"))), "not at the seat itself")
    check(is_valid(last_line(ask(ADA.move_into_manager(), "--no-input"))), "not in the manager")
    check(not is_unlocked(FAR), "it is shown over the network")
    ask(FAR, "--no-input").end(status=7)


@scenario
def whoIsMovedIntoTheUsersManagerSitsAtTheDesk():
    """As SECURITY.md says: the user's manager serves every program of the user."""
    ADA.leave_manager()
    check(is_valid(last_line(ask(FAR.move_into_manager(), "--no-input"))), "it does not")


@scenario
def theEndOfTheSessionOverTheNetworkEndsItsWindowAlone():
    unlock(FAR)
    check(is_valid(last_line(ask(FAR, "--no-input"))), "no window over the network")
    run("systemctl", "stop", "person-ada-remote.service")
    FAR.arrive()
    check(not is_unlocked(FAR), "another session has its window")
    check(is_valid(last_line(ask(ADA, "--no-input"))), "the one at the seat went with it")


@scenario
def aLockedScreenEndsAllOfThem():
    unlock(FAR)
    run("loginctl", "lock-sessions")
    wait_until_locked(ADA, FAR)
    ask(ADA, "--no-input").end(status=7)
    run("loginctl", "unlock-sessions")


@scenario
def aLockedScreenGivesUpWhatIsAsked():
    command = ADA.thumblatch("unlock")
    command.expect("Touch the fingerprint reader")
    until(is_armed, "the reader was never armed")
    run("loginctl", "lock-sessions")
    until(lambda: not is_armed(), "the reader stays armed")
    command.end(status=None)
    check(not is_unlocked(ADA), "a window was opened")


@scenario
def anotherSessionAtTheSeatEndsTheWindowThere():
    unlock(ADA)
    run("loginctl", "activate", session_at_seat(BOB))
    wait_until_locked(ADA)
    command = ADA.thumblatch("unlock")
    command.expect("not active").expect("System password for").type(ADA.password)
    command.end()
    run("loginctl", "activate", session_at_seat(ADA))


@scenario
def sleepEndsThemAsWell():
    unlock(FAR)
    with asleep():
        # Sleep waited for it, so the window is closed without a further wait.
        check(not is_unlocked(ADA) and not is_unlocked(FAR), "a window was open during sleep")


@scenario
def whatIsAskedIsGivenUpBeforeSleep():
    command = ADA.thumblatch("unlock")
    command.expect("Touch the fingerprint reader")
    until(is_armed, "the reader was never armed")
    with asleep():
        check(not is_armed(), "the reader is armed during sleep")
    command.end(status=3)
    check(not is_unlocked(ADA), "a window was opened")


@scenario
def whereThePolicyDeniesThemNobodyIsAskedOverTheNetwork():
    engine = show("thumblatchd.service", "MainPID")
    with open(POLICY, encoding="utf-8") as file:
        before = file.read()
    with open(POLICY, "w", encoding="utf-8") as file:
        file.write("[Policy]\nremote = deny\n")
    try:
        ask(FAR).expect("remote = deny").end(status=11)
        command = ADA.thumblatch_after_a_pause("Touch the fingerprint reader", *TOKEN)
        touch("right-index")
        command.end()
        # A valid token needs no prompt.
        check(is_valid(FAR.thumblatch("token", ACCOUNT).end()), "no token over the network")
        check(show("thumblatchd.service", "MainPID") == engine, "it is another engine")
    finally:
        with open(POLICY, "w", encoding="utf-8") as file:
            file.write(before)


def change(person, what, *words):
    """Changes a rule of the policy, with the password for the shown change."""
    command = person.thumblatch_after_a_pause("change the policy", "policy", *words)
    command.expect(what).expect("System password for").type(person.password)
    command.end()


@scenario
def aUserMayDenyThemForHimselfAndTakeThatBackAtTheSeatAlone():
    unlock(FAR)
    change(ADA, "remote: the machine's", "remote", "deny")
    try:
        check(not is_unlocked(FAR), "the earlier window is still open")
        ask(FAR).expect("your own rule").end(status=11)
        FAR.thumblatch("policy", "remote", "default").expect("your own rule").end(status=11)
        run("systemctl", "restart", "thumblatchd.service")
        ask(FAR).expect("your own rule").end(status=11)
        rules = json.loads(BOB.thumblatch("policy", "remote", "--json").end())["rules"]
        check(rules[0]["holds"] == "password", "it is another user's rule as well")
        ADA.thumblatch("policy", "window", "11m").expect(POLICY).end(status=11)
    finally:
        change(ADA, "remote: deny", "remote", "default")
    unlock(FAR)
    ADA.thumblatch("lock").end()


def begin():
    household.begin()
    FAR.arrive()


main(begin)
