"""Prompts at Ada's real desktop: the agent of the package in her session, a notification server, pinentry
and the service. Programs of her service manager ask, which have no terminal."""
import os
import shutil
import signal
import subprocess

import household
import provider
from household import ACCOUNT, ADA, BOB, FINGER, is_valid, let_the_token_age
from people import is_armed, session_at_seat, touch
from scenarios import LIMIT, check, main, run, scenario, until
from screen import Desk, watching
from sleep import asleep

AGENT = "thumblatch-agent.service"
# The unit that systemd makes of the entry in /etc/xdg/autostart.
AUTOSTARTED = "app-thumblatch\\x2dagent@autostart.service"
QUESTION = f"Touch the fingerprint reader to use account '{ACCOUNT}' (requested by"
CANCELLED = "the presence check was cancelled"
# A name that is markup, a command, a line feed of a window's protocol and an entity.
STRANGE = "<b>$(id)%0A&"
DESK = None


class Asker:
    """A program of Ada's manager that asks for a token that only a refresh can bring."""

    def __init__(self, *options, account=ACCOUNT, program=()):
        # The number of prompts is not tested here.
        run("systemctl", "restart", "thumblatchd.service")
        let_the_token_age()
        self.before = DESK.run("desk.count()")
        self.process = subprocess.Popen(
            ["systemd-run", "--quiet", "--wait", "--pipe", "--collect", "--user", "--machine=ada@",
             "--unit=asker", *program, "thumblatch", "token", account, "--min-ttl",
             f"{provider.LIFETIME}s", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def shown(self, text=QUESTION):
        """Waits for its notification, and for the reader."""
        number = DESK.run(f"desk.await_shown({text!r}, {self.before})")["id"]
        until(is_armed, "the reader is not armed")
        return number

    def opens_window(self):
        self.shown()
        DESK.run("desk.click('Type password')")
        DESK.run("desk.await_window()")

    def kill(self):
        DESK.manager("systemctl", "kill", "--signal=KILL", "asker.service")

    def gets_token(self):
        """Expects a token, and that nothing is left on the screen."""
        given, said = self.process.communicate(timeout=LIMIT)
        check(self.process.returncode == 0 and is_valid(given.strip()), f"no token: {said}")
        leaves_nothing()

    def gets_nothing(self, status=3, text=CANCELLED, left=0):
        """Expects an error, and that only this many notifications of ended programs remain."""
        given, said = self.process.communicate(timeout=LIMIT)
        check(given == "", "there is output")
        check(self.process.returncode == status and text in said, f"{self.process.returncode} {said}")
        leaves_nothing(left)


def leaves_nothing(others=0):
    DESK.run("desk.await_no_window()")
    DESK.run(f"desk.await_open({others})")
    until(lambda: not is_armed(), "the reader stays armed")


def the_next_one_passes():
    asker = Asker()
    asker.shown()
    touch(FINGER)
    asker.gets_token()


def start_agent(unit=AGENT):
    # A start would wait until systemd restarts it automatically.
    DESK.manager("systemctl", "restart", unit)
    until(watching, "the agent does not watch")


@scenario
def aTouchAnswersAProgramWithoutATerminal():
    asker = Asker()
    number = asker.shown()
    touch(FINGER)
    asker.gets_token()
    DESK.run(f"desk.await_signal('NotificationClosed', {number}, 3)")


@scenario
def otherProgramsCanOnlyEndTheCheck():
    DESK.run("desk.clients.clear()")  # They have ended, and get no signal.
    asker = Asker()
    number = asker.shown()
    for signal in ("'ActionInvoked', {}, 'deny'", "'ActionInvoked', {}, 'password'",
                   "'NotificationClosed', {}, 2"):
        DESK.run(f"desk.forge({signal.format(number)})")
    check(not DESK.run("desk.has_window()"), "a window has opened")
    touch(FINGER)
    asker.gets_token()
    # The server itself sends the signal of a closed notification, whichever program closes it.
    asker = Asker()
    DESK.run(f"desk.close({asker.shown()})")
    asker.gets_nothing()


@scenario
def theAutostartOfADesktopStartsTheAgentToo():
    DESK.manager("systemctl", "stop", AGENT)
    until(lambda: not watching(), "the agent goes on")
    start_agent(AUTOSTARTED)
    the_next_one_passes()
    DESK.manager("systemctl", "stop", AUTOSTARTED)
    until(lambda: not watching(), "the agent goes on")
    start_agent()


@scenario
def thePasswordIsTypedIntoAWindowAfterAClick():
    asker = Asker()
    asker.opens_window()
    DESK.run("desk.type('wrong')")
    DESK.run(f"desk.await_shown('Wrong password.', {asker.before})")
    DESK.run(f"desk.type({ADA.password!r})")
    asker.gets_token()


@scenario
def denyingSendsNothing():
    provider.call("POST", "/_control/clear", {})
    asker = Asker()
    asker.shown()
    DESK.run("desk.click('Deny')")
    asker.gets_nothing()
    check(provider.refreshes() == [], "a refresh was sent")
    the_next_one_passes()


@scenario
def theEndOfTheAgentEndsTheCheck():
    asker = Asker()
    asker.shown()
    for process in watching():
        os.kill(process, signal.SIGKILL)
    # Its notification stays without effect.
    asker.gets_nothing(text="the agent at the desktop has ended", left=1)
    # A server of that time shows one notification after the other.
    restart_server()
    start_agent()
    asker = Asker()
    asker.opens_window()
    for process in watching():
        os.kill(process, signal.SIGKILL)
    asker.gets_nothing(text="the agent at the desktop has ended", left=1)
    restart_server()
    start_agent()
    the_next_one_passes()


def restart_server():
    DESK.run("desk.kill_server()")
    DESK.run("desk.start_server()")


@scenario
def theEndOfTheNotificationServerEndsTheCheck():
    for begins in (Asker.shown, Asker.opens_window):
        asker = Asker()
        begins(asker)
        DESK.run("desk.kill_server()")
        asker.gets_nothing()
        DESK.run("desk.start_server()")
    the_next_one_passes()


@scenario
def theEndOfPinentryEndsTheCheck():
    asker = Asker()
    asker.opens_window()
    DESK.run("desk.kill('pinentry-gtk-2')")
    asker.gets_nothing()
    the_next_one_passes()


@scenario
def theEndOfTheProgramThatAsksTakesThePromptAway():
    for begins in (Asker.shown, Asker.opens_window):
        asker = Asker()
        begins(asker)
        asker.kill()
        asker.process.communicate(timeout=LIMIT)
        leaves_nothing()
    the_next_one_passes()


@scenario
def aLockedScreenEndsWhatIsShown():
    for begins in (Asker.shown, Asker.opens_window):
        asker = Asker()
        begins(asker)
        run("loginctl", "lock-session", session_at_seat(ADA))
        try:
            asker.gets_nothing()
        finally:
            run("loginctl", "unlock-session", session_at_seat(ADA))
    the_next_one_passes()


@scenario
def aSessionThatIsLeftShowsNothing():
    for begins in (Asker.shown, Asker.opens_window):
        asker = Asker()
        begins(asker)
        run("loginctl", "activate", session_at_seat(BOB))
        try:
            asker.gets_nothing()
            Asker().gets_nothing(status=7, text="not active")
        finally:
            run("loginctl", "activate", session_at_seat(ADA))
    the_next_one_passes()


@scenario
def sleepEndsWhatIsShown():
    for begins in (Asker.shown, Asker.opens_window):
        asker = Asker()
        begins(asker)
        with asleep():
            check(not is_armed(), "the reader is armed during sleep")
            asker.gets_nothing()
    the_next_one_passes()


@scenario
def sleepEndsAPromptAtATerminal():
    before = DESK.run("desk.count()")
    for password in (None, ADA.password):
        run("systemctl", "restart", "thumblatchd.service")
        command = household.ask_for_finger()
        until(is_armed, "the reader is not armed")
        if password:
            command.type("").expect("System password for")
        with asleep():
            check(not is_armed(), "the reader is armed during sleep")
        # The window stays until it is answered, but the right password no longer opens anything.
        if password:
            command.type(password)
        command.expect(CANCELLED)
        check("at_" not in command.end(status=3), "there is a token")
    check(DESK.run("desk.count()") == before, "it is shown at the desk")
    the_next_one_passes()


@scenario
def strangeNamesAndReasonsAreShownAsText():
    program = f"/tmp/{STRANGE}"
    shutil.copy("/bin/dash", program)
    reason = f"deploy {STRANGE} " + "x" * 170
    asker = Asker("--reason", reason, program=(program, "-c", '"$@"; exit $?', "-"))
    shown = STRANGE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    asker.shown(f'run by "{shown}", PID')
    DESK.picture("desk-notification")
    asker.opens_window()
    DESK.picture("desk-pinentry", "desk.screen.write({!r})")
    left, _, width, _ = DESK.run("desk.place(desk.windows()[0])")
    check(left >= 0 and left + width <= 900, f"the window leaves the screen: {left} {width}")
    DESK.run("desk.press('Escape')")
    asker.gets_nothing()
    os.unlink(program)
    # A longer name, or one that is not valid for an account, is refused and not shown.
    for asker in (Asker("--reason", "x" * 10_000), Asker(account=STRANGE), Asker(account="x" * 10_000)):
        asker.gets_nothing(status=2, text="error: ")
        check(DESK.run("desk.count()") == asker.before, "it is shown")
    the_next_one_passes()


@scenario
def theDeskIsCleared():
    DESK.manager("systemctl", "stop", AGENT)
    DESK.close()


def begin():
    global DESK
    household.begin()
    if DESK:
        for unit in ("asker.service", AGENT):
            DESK.manager("systemctl", "stop", unit, status=None)
        DESK.close()
    DESK = Desk(ADA)
    start_agent()


main(begin)
