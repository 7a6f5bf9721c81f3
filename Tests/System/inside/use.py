"""Two people use the service, as the README describes it."""
import glob
import os
import pwd
import socket
import stat

import provider
from household import (ACCOUNT, ADA, BOB, EMAIL, arrive, ask_anew, ask_for_finger, begin,
                       brings_token, enroll_finger, is_valid, last_line, status, token)
from people import touch
from scenarios import SOCKET, STATE, check, main, run, scenario, show, until
from sealed import as_member


@scenario
def twoPeopleLogInAndOneHasAnAccountAtTheProvider():
    provider.start()
    arrive()
    provider.call("POST", "/auth/register", {"email": EMAIL, "password": provider.PASSWORD})
    check("seat0" in run("loginctl", "list-sessions", "--no-legend"), "no user sits at the seat")


@scenario
def aPersonSignsInAtTheTerminal():
    login = ADA.thumblatch("login", ACCOUNT, "--provider", "dev")
    login.expect("-mail").type(EMAIL)
    login.expect("assword").type(provider.PASSWORD)
    login.end()
    check(status()["engine"]["form"] == "service", f"not the service: {status()}")
    check(status()["memory"] != "ordinary", "its memory is not locked")
    check(is_valid(token()), "the provider does not know the token")


@scenario
def theEngineRunsAsAUserOfItsOwnWithNothing():
    engine = int(show("thumblatchd.service", "MainPID"))
    with open(f"/proc/{engine}/status", encoding="utf-8") as file:
        facts = dict(line.rstrip().split(":\t", 1) for line in file if ":\t" in line)
    check(facts["Uid"].split() == [str(pwd.getpwnam("thumblatch").pw_uid)] * 4, facts["Uid"])
    for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
        check(int(facts[name], 16) == 0, f"{name} is {facts[name]}")
    check((facts["NoNewPrivs"], facts["Seccomp"]) == ("1", "2"), "not confined")
    links = os.listdir(f"/proc/{engine}/root/sys/class/net")
    with open(f"/proc/{engine}/net/dev", encoding="utf-8") as file:
        interfaces = [line.split(":")[0].strip() for line in file if ":" in line]
    check(interfaces == ["lo"], f"it has {interfaces} ({links})")


@scenario
def theStoreIsTheEnginesAndHoldsNoTokenInPlain():
    place = f"{STATE}/users/{ADA.uid}"
    with open(f"{place}/owner", encoding="utf-8") as file:
        check(file.read().strip() == "ada", "the vault has another owner")
    for directory, _, files in os.walk(STATE):
        for path in [directory, *(os.path.join(directory, name) for name in files)]:
            there = os.lstat(path)
            check(there.st_uid == pwd.getpwnam("thumblatch").pw_uid, f"{path} is not the engine's")
            check(stat.S_IMODE(there.st_mode) & 0o077 == 0, f"{path} has mode {there.st_mode:o}")
            if stat.S_ISREG(there.st_mode):
                with open(path, "rb") as file:
                    check(provider.MARK.encode() not in file.read(), f"{path} holds it in plain")
    check(glob.glob("/home/ada/.local/state/thumblatch/*") == [], "a vault was made at home")


@scenario
def aFingerIsEnrolledByTheSystemPasswordAlone():
    wrong = ADA.thumblatch("fingers", "enroll", "right-index")
    wrong.expect("System password for").type("not-adas-password")
    # The command asks for it again.
    wrong.expect("System password for").interrupt()
    enroll_finger()
    check(status()["enrolled_fingers"] == ["right-index"], str(status()))


@scenario
def protectionIsSwitchedOnByTheSystemPassword():
    enable = ADA.thumblatch("presence", "enable", ACCOUNT)
    enable.expect("Touch the fingerprint reader").type("")
    enable.expect("System password for").type(ADA.password)
    enable.expect("the account is unlocked").end()
    ADA.thumblatch("lock").end()


@scenario
def aWrongPasswordIsCountedWhereTheAdministratorsStackCounts():
    own = "/opt/virtual/pam.d/thumblatch"  # the file that the virtual reader's program uses
    with open(own, encoding="utf-8") as file:
        stack = file.read()
    try:
        with open(own, "w", encoding="utf-8") as file:
            file.write("auth required pam_faillock.so preauth deny=10\n"
                       "auth sufficient pam_unix.so\n"
                       "auth optional pam_echo.so Come back later.\n"
                       "auth [default=die] pam_faillock.so authfail deny=10\n"
                       "account required pam_unix.so\n")
        command = ADA.thumblatch("presence", "test")
        command.expect("Touch the fingerprint reader").type("")
        # "press Enter for your password." is on the screen before the question.
        command.expect("System password for").type("not-adas-password")
        # A module's message is shown with a wrong password.
        command.expect("Wrong password (Come back later)").interrupt()
    finally:
        with open(own, "w", encoding="utf-8") as file:
            file.write(stack)
    check(os.path.getsize("/run/faillock/ada") > 0, "the attempt was not counted")


@scenario
def aProtectedTokenNeedsTheRightFinger():
    ask_anew("--no-input").end(status=7)
    command = ask_for_finger()
    missed = touch("a-stranger")
    command.expect("did not match")
    touch("right-index", missed)
    brings_token(command)


@scenario
def aProtectedTokenOpensByTheSystemPasswordOfWhoAsks():
    command = ask_anew()
    command.expect("Touch the fingerprint reader").type("")
    command.expect("System password for").type(ADA.password)
    brings_token(command)
    command = ask_anew()
    command.expect("Touch the fingerprint reader").type("")
    command.expect("System password for").type(BOB.password)
    check("at_" not in command.expect("Wrong password").interrupt(), "his password has opened it")


@scenario
def anotherUserGetsNothing():
    BOB.thumblatch("token", ACCOUNT).end(status=9)
    BOB.thumblatch("whoami", ACCOUNT).end(status=9)
    BOB.thumblatch("release", ACCOUNT).end(status=9)
    check(ACCOUNT not in BOB.thumblatch("account", "list").end(), "he sees her account")
    check(status(BOB)["enrolled_fingers"] == [], "he sees her fingers")


# The attacks that a compromised helper would try; a signal goes to the helper itself. Then it
# reports the outcomes, and aborts.
SIGNALS = ("os.kill(own, 0)", "signal.pthread_kill(threading.get_ident(), 0)",
           "signal.pidfd_send_signal(os.pidfd_open(own), 0)")
MANAGER = ("socket.socket(socket.AF_UNIX).connect('/run/systemd/private')",)
TAKEN_OVER = """import os, signal, socket, sys, threading
own, said = os.getpid(), []
for attempt in sys.argv[1:]:
    try:
        eval(attempt)
        said.append("done")
    except PermissionError:
        said.append("refused")
socket.socket(fileno=0).sendall(" ".join(said).encode())
os.abort()
"""


def report_of_taken_over(helper, attempts):
    """The outcomes that a helper reports of its attacks, in the sandbox of its unit."""
    place = f"/run/systemd/system/thumblatch-{helper}@.service.d"
    os.makedirs(place, exist_ok=True)
    with open("/opt/taken-over.py", "w", encoding="utf-8") as file:
        file.write(TAKEN_OVER)
    words = " ".join(f'"{attempt}"' for attempt in attempts)
    # systemd reads drop-ins in the order of their names; the last one counts.
    with open(f"{place}/zz.conf", "w", encoding="utf-8") as file:
        file.write(f"[Service]\nExecStart=\nExecStart=/usr/bin/python3 /opt/taken-over.py {words}\n")
    run("systemctl", "daemon-reload")
    engine = pwd.getpwnam("thumblatch").pw_uid
    try:
        with socket.socket(socket.AF_UNIX) as conversation:
            conversation.settimeout(60)
            os.setresuid(engine, engine, 0)
            conversation.connect(f"/run/thumblatch/{helper}")
            os.setresuid(0, 0, 0)
            said = b""
            while part := conversation.recv(64):
                said += part
        return said.decode().split()
    finally:
        os.setresuid(0, 0, 0)
        os.unlink(f"{place}/zz.conf")
        run("systemctl", "daemon-reload")


@scenario
def aHelperThatIsTakenOverEndsNoOther():
    said = report_of_taken_over("exchange", SIGNALS)
    check(said == ["refused"] * 3, f"it said {said}")


@scenario
def aPresenceHelperThatIsTakenOverHasNoSocketOfTheManager():
    said = report_of_taken_over("presence", MANAGER)
    check(said == ["refused"], f"it said {said}")


@scenario
def whatHasEndedLeavesNothingBehind():
    def listed():
        units = run("systemctl", "list-units", "--all", "--plain", "--no-legend", "thumblatch-*@*")
        return [line.split()[0] for line in units.splitlines()]

    until(lambda: all("exchange@" in unit for unit in listed()) and len(listed()) <= 1,
          "a conversation is still listed, beside the exchange helper that waits for the next request")
    check(run("systemctl", "--failed", "--no-legend", "--plain") == "", "a unit has failed")


@scenario
def theTrailSaysWhoAskedAndIsWhole():
    trail = ADA.thumblatch("audit", ACCOUNT).end()
    check("bash" in trail or "python3" in trail, f"it names no program:\n{trail}")
    ADA.thumblatch("audit", "verify").expect("The audit log is intact").end()


@scenario
def theJournalHoldsNoSecret():
    journal = run("journalctl", "--no-pager", "--output=export")
    check("thumblatchd" in journal, "nothing to look at")
    for secret in (provider.MARK, provider.PASSWORD, ADA.password, "not-adas-password"):
        check(secret not in journal, "a secret stands in it")


@scenario
def theJournalHasNoLineOfTheEngineThatIsInOrder():
    run("journalctl", "--sync")
    said = run("journalctl", "--no-pager", "--quiet", "--output=cat", "_COMM=thumblatchd",
               "_TRANSPORT=stdout")
    check(said == "", said[-2000:])


@scenario
def theEngineLeavesWhenIdleAndNobodyNotices():
    os.makedirs("/run/systemd/system/thumblatchd.service.d", exist_ok=True)
    with open("/run/systemd/system/thumblatchd.service.d/idle.conf", "w", encoding="utf-8") as file:
        file.write("[Service]\nExecStart=\n"
                   "ExecStart=/usr/libexec/thumblatch/thumblatchd --service --idle 1\n")
    try:
        run("systemctl", "daemon-reload")
        run("systemctl", "restart", "thumblatchd.service")
        for _ in range(3):
            until(lambda: show("thumblatchd.service", "ActiveState") == "inactive", "it does not leave")
            check(os.path.exists(SOCKET), "the socket went with it")
            check(is_valid(token()), "no token")
        check(show("thumblatchd.service", "Result") == "success", "it failed")
    finally:
        os.unlink("/run/systemd/system/thumblatchd.service.d/idle.conf")
        run("systemctl", "daemon-reload")
        run("systemctl", "restart", "thumblatchd.service")


@scenario
def aServiceThatIsStoppedIsNeverReplacedByAPrivateVault():
    run("systemctl", "stop", "thumblatchd.socket")
    try:
        check(show("thumblatchd.service", "ActiveState") == "inactive", "the engine still runs")
        for command in (["token", ACCOUNT], ["token"], ["status"], ["account", "list"]):
            ADA.thumblatch(*command).end(status=5)
        check(glob.glob("/home/ada/.local/state/thumblatch/*") == [], "a vault was made at home")
    finally:
        run("systemctl", "start", "thumblatchd.socket")
    check(is_valid(token()), "no token")


@scenario
def anAccountMovesIntoTheServiceAndOut():
    address = "moves@example.org"
    run(*as_member("ada", "register", "moves", "--private", "--provider", "dev", "--email", address,
                   "--password-stdin"), text=provider.PASSWORD + "\n")
    login = ADA.thumblatch("login", "moves", "--private", "--email", address, "--exportable")
    login.expect("assword of " + address).type(provider.PASSWORD)
    login.expect("System password for").type(ADA.password).end()
    for words, text, left, has in (
            ("import", "moved 1 account into the service", ["--private"], []),
            ("export", "moved 1 account into your own vault", [], ["--private"])):
        move = ADA.thumblatch("service", words)
        if move.first_of("System password for", "Touch the fingerprint reader") != "System password for":
            move.type("").expect("System password for")
        shown = move.type(ADA.password).end().replace("\n", " ")
        check(text in shown and "was not refreshed" not in shown, shown)
        ADA.thumblatch("token", "moves", *left).end(status=9)
        moved = last_line(ADA.thumblatch("token", "moves", *has))
        check(provider.call("GET", "/auth/me", token=moved)["email"] == address, "no token")
    ADA.thumblatch("account", "remove", "moves", "--private", "--yes").end(status=None)


main(begin, at_start=False)
