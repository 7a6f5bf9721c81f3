"""The people of this machine, and the scenarios' checks of their tokens."""
import contextlib
import datetime
import json
import time
import urllib.error

import provider
from calls import Conversation
from people import TOO_OFTEN, Person, session_at_seat, touch
from scenarios import check, run, until

# In two parts, because the search for it covers the scenarios' own files.
ADA = Person("ada", "adas-" + "system-password-1")
BOB = Person("bob", "bobs-" + "system-password-1")
FINGER = "right-index"
ACCOUNT = "work"
EMAIL = "ada@example.org"
# The texts of a command when it asks for a finger, and when the retry rule makes it wait.
TOUCH = "Touch the fingerprint reader"
LOST = "the answer to the last refresh"
# These texts must not be found anywhere.
PLANTED = {"refresh token": provider.MARK.encode(),
           "provider's password": provider.PASSWORD.encode(),
           "system password": ADA.password.encode()}


def arrive():
    """Both log in at the seat, which is Ada's."""
    BOB.arrive()
    ADA.arrive()
    run("loginctl", "activate", session_at_seat(ADA))


def begin(protected=True):
    """Makes the initial state of each part, whatever the previous state was.

    Both people are here, and the provider answers. Ada's account is signed in with a new token, and
    protected if asked for. One finger is enrolled, no window is open, and no prompt was used yet.
    """
    provider.start()
    provider.release()
    provider.call("POST", "/_control/clear", {})
    arrive()
    run("loginctl", "unlock-sessions")
    # The count of prompts is in the engine's memory.
    run("systemctl", "restart", "thumblatchd.service")
    if account().get("state") in (None, "login-required", "signed-out"):
        sign_in()
    enroll_the_one_finger()
    protect(protected)
    refresh(protected)
    ADA.thumblatch("lock").end()


def account():
    """The vault's facts about Ada's account. Empty if there is no account."""
    return next((one for one in status()["accounts"] if one["name"] == ACCOUNT), {})


def sign_in():
    with contextlib.suppress(urllib.error.HTTPError):  # she has an account there
        provider.call("POST", "/auth/register", {"email": EMAIL, "password": provider.PASSWORD})
    login = ADA.thumblatch("login", ACCOUNT, "--provider", "dev")
    login.expect("-mail").type(EMAIL)
    login.expect("assword").type(provider.PASSWORD)
    login.end()


def enroll_the_one_finger():
    fingers = status()["enrolled_fingers"]
    for other in set(fingers) - {FINGER}:
        ADA.thumblatch("fingers", "delete", other).expect("System password for").type(ADA.password).end()
    if FINGER not in fingers:
        enroll_finger()


def protect(protected):
    """Switches protection on or off by the system password, if necessary."""
    if account()["presence_protection"] != protected:
        change = ADA.thumblatch("presence", "enable" if protected else "disable", ACCOUNT)
        change.expect(TOUCH).type("")
        change.expect("System password for").type(ADA.password).end()
        # The check that turns protection on opens the account's window.
        ADA.thumblatch("lock").end()


def refresh(protected=True):
    """Ada's account gets a new token, as soon as the retry rule allows it."""
    until(lambda: try_refresh(protected), "the account is not refreshed")
    check(account()["state"] == "ready", str(account()))


def try_refresh(protected):
    command = ask_anew()
    if protected:
        if command.first_of(TOUCH, LOST, TOO_OFTEN) != TOUCH:
            command.end(status=None)
            return False
        touch(FINGER)
    shown = command.end(status=None)
    if LOST in shown:
        return False
    check(is_valid(shown.splitlines()[-1].strip()), f"no token: {shown[-300:]!r}")
    return True


def token():
    """Ada's valid access token, without other text."""
    text = ADA.thumblatch("token", ACCOUNT).end()
    check(text and " " not in text and "\n" not in text, f"not only a token: {text[:200]!r}")
    return text


def is_valid(access_token):
    """Whether the provider accepts the token as Ada's."""
    return provider.call("GET", "/auth/me", token=access_token)["email"] == EMAIL


def newer_token(known):
    """A valid token that is not the known one, without a prompt for Ada: the result of an exchange
    that outlived its engine."""
    talk = Conversation(ADA)
    error, parameters = talk.call("AccessToken", account=ACCOUNT, rejected=known, ask=False)
    talk.close()
    check(error is None, f"no newer token: {error} {parameters}")
    check(parameters["access_token"] != known, "it is the previous token")
    return parameters["access_token"]


def last_line(command):
    return command.end().splitlines()[-1].strip()


def brings_token(command):
    """Expects that the last output is an access token that the provider accepts as Ada's."""
    check(is_valid(last_line(command)), "the provider does not know the token")


def status(person=ADA):
    return json.loads(person.thumblatch("status", "--json").end())


def enroll_finger():
    """Ada enrolls her right index finger."""
    command = ADA.thumblatch_after_a_pause("System password for", "fingers", "enroll", FINGER)
    command.type(ADA.password)
    for number in range(1, 6):
        touch(FINGER)
        if number < 5:
            command.expect(f"{number} of 5")
    command.end()


def let_the_token_age(person=ADA):
    """From here on a request for the full lifetime needs a refresh: the token is a second old."""
    until(lambda: expiry(person) - time.time() < provider.LIFETIME - 1, "the token does not grow older")


def ask_anew(*options, person=ADA):
    """A request for a token that only a refresh can bring: as long-lived as a brand-new one. The
    stored token must be at least a second old."""
    let_the_token_age(person)
    return person.thumblatch("token", ACCOUNT, "--min-ttl", f"{provider.LIFETIME}s", *options)


def ask_for_finger():
    """The same up to the prompt, with a pause if there were too many prompts."""
    while (command := ask_anew()).first_of(TOUCH, TOO_OFTEN) == TOO_OFTEN:
        command.end(status=None)
    return command


def expiry(person=ADA):
    found = json.loads(person.thumblatch("status", ACCOUNT, "--json").end())["accounts"][0]
    moment = found["access_token_expires_at"]
    if moment is None:
        return 0
    return datetime.datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp()


if __name__ == "__main__":
    begin()
