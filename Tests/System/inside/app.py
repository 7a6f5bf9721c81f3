"""The desktop app of its package, in Ada's session at the service: real logind, real PAM, virtual reader."""
import os
import subprocess

import household
from asking import TOKEN
from household import ACCOUNT, ADA, EMAIL, FINGER, is_valid, let_the_token_age
from people import is_armed, session_at_seat, touch
from scenarios import LIMIT, Failure, check, main, run, scenario, until
from screen import Desk

QUIET = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
PROGRAM = "/usr/bin/thumblatch-desktop"
UNIT = "app.service"
DESK = None


def sees(text):
    return DESK.run(f"app.sees({text!r})")


def misses(text):
    DESK.run(f"app.misses({text!r})")


def press(button):
    DESK.run(f"app.press({button!r})")


def type_password():
    sees("System password")
    DESK.run(f"app.type({ADA.password!r})")
    DESK.run(f"app.hides({ADA.password!r})")
    press("Continue")
    misses("System password")
    misses(ADA.password)


def open_app(*arguments):
    """Starts the app as a desktop does: as a unit of Ada's manager."""
    # As the driver's own programs; a picture shows a state, not the way to it.
    variables = [f"--setenv={name}" for name in ("GSK_RENDERER=cairo", "GDK_BACKEND=x11")]
    DESK.manager("systemd-run", "--quiet", "--collect", f"--unit={UNIT}", *variables,
                 PROGRAM, *arguments)
    process = DESK.manager("systemctl", "show", "--value", "--property=MainPID", UNIT).strip()
    try:
        DESK.run(f"app.attach({process})")
    except Failure as failure:
        journal = run("journalctl", "--no-pager", "--output=cat", "--lines=60")
        raise Failure(f"{failure}\n{journal}") from None


def unlock():
    sees("The Vault Is Locked")
    press("Unlock")
    sees("Touch the fingerprint reader to unlock the vault")
    until(is_armed, "the reader is not armed")
    touch(FINGER)
    sees(f"{ACCOUNT}, ")


def state():
    return household.account()


def asking(*options):
    """A program of Ada's manager that asks for a token that only a refresh can bring."""
    run("systemctl", "restart", "thumblatchd.service")
    let_the_token_age()
    return subprocess.Popen(
        ["systemd-run", "--quiet", "--wait", "--pipe", "--collect", "--user", "--machine=ada@", *TOKEN, *options],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@scenario
def theAppShowsTheAccountsOfTheService():
    open_app()
    sees(f"{ACCOUNT}, ")
    DESK.run(f"app.click({ACCOUNT!r}, 'list item')")
    sees(EMAIL)
    DESK.picture("app-account", "app.picture({!r})")
    DESK.run("app.click('Health', 'list item')")
    sees("Look Again")
    DESK.picture("app-health", "app.picture({!r})")


@scenario
def protectionIsSwitchedByTheSystemPassword():
    DESK.run(f"app.click({ACCOUNT!r}, 'list item')")
    DESK.run("app.press('Presence protection', 'check box')")
    press("Type Password Instead")
    type_password()
    sees(f"{ACCOUNT}, Ready · not protected · dev")
    check(not state()["presence_protection"], "it is protected")
    DESK.run("app.press('Presence protection', 'check box')")
    sees("Touch the fingerprint reader")
    until(is_armed, "the reader is not armed")
    touch(FINGER)
    sees(f"{ACCOUNT}, Ready · protected · dev")
    check(state()["presence_protection"], "it is not protected")


@scenario
def thePromptOfAProgramIsShownInTheApp():
    caller = asking()
    sees(f"Touch the fingerprint reader to use account '{ACCOUNT}'")
    DESK.picture("app-prompt", "app.picture({!r})")
    until(is_armed, "the reader is not armed")
    touch(FINGER)
    given, said = caller.communicate(timeout=LIMIT)
    check(is_valid(given.strip()), f"no token: {said}")
    misses("Touch the fingerprint reader")
    caller = asking()
    sees("Touch the fingerprint reader")
    press("Deny")
    given, said = caller.communicate(timeout=LIMIT)
    check(given == "" and "cancelled" in said, f"not denied: {said}")
    until(lambda: not is_armed(), "the reader stays armed")


@scenario
def aLockedScreenTakesTheAccountsFromTheTree():
    session = session_at_seat(ADA)
    # The engine that ended has closed the unlock window.
    unlock()
    run("loginctl", "lock-session", session)
    sees("The Vault Is Locked")
    misses(ACCOUNT)
    run("loginctl", "unlock-session", session)
    unlock()


@scenario
def thePrivateFormShowsAVaultOfHerOwn():
    DESK.manager("systemctl", "stop", UNIT)
    open_app("--private")
    sees("No Accounts Yet")
    misses(ACCOUNT)
    store = ADA.thumblatch("--private", "store", "forge", "--host", "git.example.org")
    store.expect("Secret of forge").type("a-secret-of-ada").end()
    sees("forge, Ready · not protected")
    DESK.run("app.click('forge', 'list item')")
    DESK.run("app.press('Presence protection', 'check box')")
    type_password()
    sees("forge, Ready · protected")
    DESK.picture("app-private", "app.picture({!r})")
    accounts = [account["name"] for account in household.status()["accounts"]]
    check(accounts == [ACCOUNT], f"the service has {accounts}")


@scenario
def itsRemovalLeavesTheServiceAlone():
    DESK.manager("systemctl", "stop", UNIT)
    DESK.close()
    run("apt-get", "remove", "--yes", "thumblatch-desktop", env=QUIET)
    check(not os.path.exists(PROGRAM), "the app is still there")
    check(state()["name"] == ACCOUNT, "the account is gone")


def begin():
    global DESK
    household.begin()
    run("apt-get", "install", "--yes", "/opt/thumblatch-desktop.deb", env=QUIET)
    check(run("dpkg", "--verify", "thumblatch-desktop") == "", "a file is not as it was packed")
    check("not found" not in run("ldd", PROGRAM), "a library is missing")
    if DESK:
        DESK.manager("systemctl", "stop", UNIT, status=None)
        DESK.close()
    DESK = Desk(ADA, "/windows.py")


main(begin)
