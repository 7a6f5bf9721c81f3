"""An administrator sets rules by drop-ins, checks them, and gets the audit records in the journal."""
import contextlib
import glob
import json
import os
import pwd
import shutil
import socket
import subprocess
import time

import household
import provider
from household import ACCOUNT, ADA, BOB, brings_token, is_valid, status, token
from people import touch
from scenarios import STATE, check, main, run, scenario, show, until

RULES = "/etc/thumblatch"
DROP_IN = f"{RULES}/conf.d/10-fleet.conf"
ENGINE = "/usr/libexec/thumblatch/thumblatchd"
MESSAGE = "MESSAGE_ID=7f5c9a0e2d6b4c1f8a3e51d0b96c4e27"
UNIT = "_SYSTEMD_UNIT=thumblatchd.service"


@contextlib.contextmanager
def rules(text, path=DROP_IN, mode=0o644):
    """A drop-in, while the block runs."""
    try:
        write(path, text)
        os.chmod(path, mode)
        yield
    finally:
        # Their text would apply for two more seconds: the service reads a file without them first.
        write(path, "# No rules.\n")
        ADA.thumblatch("policy").end(status=None)
        os.unlink(path)


def check_rules(result):
    return run(ENGINE, "--check-config", status=result)


def records():
    """The audit records in the journal, oldest first."""
    run("journalctl", "--sync")
    lines = run("journalctl", "--output=json", "--no-pager", "--quiet", UNIT, MESSAGE)
    return [json.loads(line) for line in lines.splitlines()]


@scenario
def theInstalledConfigurationHasNoError():
    said = check_rules(0)
    check(said.endswith("no error\n") and "error:" not in said, said)


@scenario
def aMisspelledRuleIsNamedBeforeItTakesEffect():
    with rules("[Policy]\nwindow = 5\npresence = requird\n"):
        said = check_rules(2)
        check(f"error: {DROP_IN}:3: presence: must be" in said, said)
        # The service refuses by the same rule.
        shown = ADA.thumblatch("policy").end(status=None)
        check(f"{DROP_IN}:3" in shown.replace("\n", ""), shown)
    check_rules(0)


@scenario
def aFileThatOnlyRootMayReadIsAnErrorOfTheService():
    with rules("[Policy]\nwindow = 5\n", mode=0o600):
        check("10-fleet.conf: cannot be read" in check_rules(2), "not seen")
    with rules("[Policy]\nwindow = 5\n", mode=0o646):
        check("others may write to it" in check_rules(2), "not seen")


@scenario
def aFileIsCheckedBeforeItIsPutInItsPlace():
    with rules("[Policy]\nwindow = 500\n", path="/root/new.conf", mode=0o600):
        run(ENGINE, "--check-config", "--configuration", "/root/new.conf", status=2)
    with rules("[Policy]\nwindow = 50\n", path="/root/new.conf", mode=0o600):
        run(ENGINE, "--check-config", "--configuration", "/root/new.conf")


@scenario
def theLastDropInCountsAndThePolicyShowsItsOrigin():
    with rules("[Policy]\nwindow = 5\n"), rules("[Policy]\nwindow = 6\n", f"{RULES}/conf.d/20.conf"):
        shown = json.loads(ADA.thumblatch("policy", "--json").end())
        window = next(rule for rule in shown["rules"] if rule["key"] == "window")
        check((window["holds"], window["location"]) == (6, f"{RULES}/conf.d/20.conf:2"), str(window))
        check("ignored" in check_rules(0), "the replaced value is not named")


@scenario
def protectionThatIsRequiredCannotBeEnded():
    household.protect(True)
    with rules("[Policy]\npresence = required\nexportable = never\n"):
        shown = ADA.thumblatch("presence", "disable", ACCOUNT).end(status=11)
        check(f"{DROP_IN}:2" in shown.replace("\n", ""), shown)
        login = ADA.thumblatch("login", ACCOUNT, "--provider", "dev", "--exportable")
        login.expect("-mail").type(household.EMAIL)
        login.expect("assword").type(provider.PASSWORD)
        check(f"{DROP_IN}:3" in login.end(status=11).replace("\n", ""), "another reason")
        ADA.thumblatch("release", ACCOUNT).end(status=11)
        check("presence = required" in ADA.thumblatch("doctor").end(status=None), "doctor is silent")


@scenario
def anUnprotectedAccountIsNotUsedUntilItIsProtected():
    household.protect(False)
    with rules("[Policy]\npresence = required\n"):
        check(is_valid(token()), "its valid token is withheld")
        household.ask_anew().end(status=11)
        household.protect(True)
        command = household.ask_for_finger()
        touch(household.FINGER)
        brings_token(command)


@scenario
def onlyProvidersOfTheMachineMayBeSignedInTo():
    own = "/home/ada/.config/thumblatch/providers.d"
    ADA.type("mkdir", "--parents", own).end()
    shutil.copy(f"{RULES}/providers.d/dev.conf", f"{own}/mine.conf")
    shutil.chown(f"{own}/mine.conf", "ada")
    with rules("[Policy]\nproviders = dev\n"):
        shown = ADA.thumblatch("login", "other", "--provider", "mine")
        shown.expect("-mail").type(household.EMAIL)
        shown.expect("assword").type("anything")
        check("is not allowed; allowed: dev" in shown.end(status=11), "another reason")
    os.unlink(f"{own}/mine.conf")


@scenario
def noVaultIsMadeBesideTheService():
    for path, text in ((DROP_IN, "[Policy]\nprivate = never\n"),
                       (f"{RULES}/thumblatch.conf", None)):
        with contextlib.ExitStack() as stack:
            if text:
                stack.enter_context(rules(text, path))
            else:
                with open(path, encoding="utf-8") as file:
                    before = file.read()
                stack.callback(lambda: write(f"{RULES}/thumblatch.conf", before))
                write(path, before.replace("[Policy]", "[Policy]\n  private=never"))
            for command in (["token", ACCOUNT], ["token"], ["status"], ["token", ACCOUNT, "--helper"]):
                shown = BOB.thumblatch("--private", *command).end(status=11)
                check("are not allowed (private in" in shown.replace("\n", ""), shown)
            check(not os.path.exists("/home/bob/.local/state/thumblatch"), "a vault was made")
            check(is_valid(token()), "the service is refused too")
    BOB.thumblatch("--private", "status").end()
    check(run("pgrep", "--uid", "bob", "thumblatchd"), "no private engine runs")
    with rules("[Policy]\nprivate = never\n"):
        BOB.thumblatch("--private", "status").end(status=11)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


@scenario
def eachAuditRecordIsInTheJournalWithTheHeadOfTheChain():
    sent = [record for record in records() if record["THUMBLATCH_USER"] == str(ADA.uid)]
    shown = json.loads(ADA.thumblatch("audit", "verify", "--json").end())
    last = max(sent, key=lambda record: int(record["THUMBLATCH_SEQUENCE"]))
    check(int(last["THUMBLATCH_SEQUENCE"]) == shown["last"], f"{last} {shown}")
    check(last["THUMBLATCH_HEAD"] == shown["head"], f"{last} {shown}")
    log = json.loads(ADA.thumblatch("audit", "--json").end())["records"]
    known = {int(record["THUMBLATCH_SEQUENCE"]): record for record in sent}
    for record in log[-20:]:
        there = known[record["number"]]
        check((there["THUMBLATCH_EVENT"], there["THUMBLATCH_OUTCOME"], there.get("THUMBLATCH_ACCOUNT"))
              == (record["event"], record["outcome"], record["account"]), f"{there} {record}")


@scenario
def theJournalNamesTheRuleOfAProgram():
    with rules(f"[Caller night]\nunit = night-*.service\naccounts = {ACCOUNT}\nreason = required\n"):
        unit = ["systemd-run", "--quiet", "--wait", "--pipe", "--collect", "--uid=ada"]
        until(lambda: "night" in ADA.thumblatch("rule", "list").end(), "the rule is not read")
        # The engine remembers for 100 ms that the machine has no rules for callers.
        read = time.monotonic()
        until(lambda: time.monotonic() - read > 0.2, "the clock does not go on")
        run(*unit, "--unit=night-1", "thumblatch", "token", ACCOUNT, "--reason", "nightly sync")
        run(*unit, "--unit=night-2", "thumblatch", "token", "other", "--reason", "nightly sync", status=11)
        with subprocess.Popen([*unit, "--unit=night-3", "cat"], stdin=subprocess.PIPE):
            process = until(lambda: int(show("night-3.service", "MainPID")), "it does not run")
            said = json.loads(run("thumblatch", "rule", "test", str(process), "--json"))
        check(said["rules"] == ["night"] and said["limits"]["reason"] == "required", str(said))
    # The engine stores its counts when it ends, and the next one sends them.
    run("systemctl", "stop", "thumblatchd.service")
    ADA.thumblatch("status").end()

    def are_named():
        details = [record.get("THUMBLATCH_DETAIL", "") for record in records()
                   if record["THUMBLATCH_USER"] == str(ADA.uid)]
        return all(any(part in detail for detail in details) for part in (
            'stated reason "nightly sync", rule "night"', 'outside the rule "night"'))

    until(are_named, "the journal does not name the rule")


@scenario
def aValidTokenHasNoRecord():
    before = len(records())
    for _ in range(5):
        token()
    check(len(records()) == before, "it has")


@scenario
def aForgedRecordIsNotOneOfTheService():
    before = len(records())
    forged = f"{MESSAGE}\nTHUMBLATCH_EVENT=release\nTHUMBLATCH_SEQUENCE=1\nMESSAGE=audit: forged\n" \
             f"{UNIT}\n"
    bob = pwd.getpwnam("bob").pw_uid
    if (child := os.fork()) == 0:
        os.setuid(bob)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal:
            journal.sendto(forged.encode(), "/run/systemd/journal/socket")
            os._exit(0)
    os.waitpid(child, 0)
    run("journalctl", "--sync")
    check("forged" in run("journalctl", "--no-pager", "--quiet", MESSAGE), "it did not arrive")
    check(len(records()) == before, "it counts as one of the service")


@scenario
def aJournalThatIsStoppedNeitherBlocksNorFailsACall():
    sockets = ["systemd-journald.socket", "systemd-journald-dev-log.socket",
               "systemd-journald-audit.socket"]
    run("systemctl", "stop", *sockets, "systemd-journald.service", status=None)
    try:
        household.refresh(True)
    finally:
        run("systemctl", "start", *sockets[:2], "systemd-journald.service", status=None)
    household.refresh(True)
    # The next engine sends the rest, without the pause after a refusal.
    run("systemctl", "stop", "thumblatchd.service")
    household.refresh(True)
    log = {record["number"] for record in json.loads(ADA.thumblatch("audit", "--json").end())["records"]}

    def missing():
        sent = {int(record["THUMBLATCH_SEQUENCE"]) for record in records()
                if record["THUMBLATCH_USER"] == str(ADA.uid)}
        return set(sorted(log)[-20:]) - sent

    until(lambda: not missing(), "records were not sent")


@scenario
def aLeaverIsRemovedAsOftenAsItIsAsked():
    run("useradd", "--create-home", "leaver")
    uid = str(pwd.getpwnam("leaver").pw_uid)
    run("runuser", "-u", "leaver", "--", "thumblatch", "status")
    check(os.path.exists(f"{STATE}/users/{uid}"), "there is no vault")
    run("userdel", "--remove", "leaver")
    remove = ["thumblatch", "user", "remove", "leaver", "--yes", "--json"]
    check(json.loads(run(*remove, "--if-exists"))["removed"] is True, "not removed")
    check(not os.path.exists(f"{STATE}/users/{uid}"), "the vault is there")
    check(json.loads(run(*remove, "--if-exists"))["removed"] is False, "removed again")
    run(*remove, status=9)
    run("thumblatch", "user", "remove", uid, "--yes", "--if-exists")


@scenario
def aLogThatWasCutIsSentToTheCollector():
    """The collector (collector.py) finds it: the restored vault is consistent in itself."""
    place = f"{STATE}/users/{ADA.uid}"

    def engine_stops():
        run("systemctl", "stop", "thumblatchd.service")

    def events():
        for _ in range(2):
            ADA.thumblatch_after_a_pause("Touch the fingerprint reader", "unlock").type("") \
                .expect("System password for").type(ADA.password).end()
            ADA.thumblatch("lock").end()

    ADA.thumblatch("lock").end()
    engine_stops()
    shutil.rmtree("/var/tmp/old", ignore_errors=True)
    run("cp", "--archive", place, "/var/tmp/old")
    events()
    engine_stops()
    run("mv", place, "/var/tmp/new")
    run("mv", "/var/tmp/old", place)
    events()
    shown = json.loads(ADA.thumblatch("audit", "verify", "--json").end())
    check(shown["whole"], "the vault itself sees it")
    engine_stops()
    run("rm", "--recursive", place)
    run("mv", "/var/tmp/new", place)
    check(status()["problem"] is None, str(status()["problem"]))
    run("journalctl", "--sync")
    run("/usr/lib/systemd/systemd-journal-upload", "--url=http://127.0.0.1:19532", "--follow=no",
        "--save-state=/var/tmp/uploaded")
    check(glob.glob("/var/tmp/uploaded*"), "nothing was uploaded")


main(household.begin)
