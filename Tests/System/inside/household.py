"""Who lives at this machine, and what the scenarios say of their tokens."""
import datetime
import json
import time

import provider
from people import TOO_OFTEN, Person, touch
from scenarios import check, until

# In two parts: the scenarios themselves are among what is searched for them.
ADA = Person("ada", "adas-" + "system-password-1")
BOB = Person("bob", "bobs-" + "system-password-1")
ACCOUNT = "work"
EMAIL = "ada@example.org"
# What must not be found anywhere.
PLANTED = {"refresh token": provider.MARK.encode(),
           "provider's password": provider.PASSWORD.encode(),
           "system password": ADA.password.encode()}


def arrive():
    """Both log in at the seat, which belongs to who came last: to Ada."""
    BOB.arrive()
    ADA.arrive()


def token():
    """Ada's valid access token, without anything else."""
    text = ADA.thumblatch("token", ACCOUNT).end()
    check(text and " " not in text and "\n" not in text, f"no token alone: {text[:200]!r}")
    return text


def is_valid(access_token):
    """Whether the provider takes the token for Ada's."""
    return provider.call("GET", "/auth/me", token=access_token)["email"] == EMAIL


def last_line(command):
    return command.end().splitlines()[-1].strip()


def brings_token(command):
    """The last that a command shows is an access token which the provider takes for Ada's."""
    check(is_valid(last_line(command)), "the provider does not know the token")


def status(person=ADA):
    return json.loads(person.thumblatch("status", "--json").end())


def enroll_finger():
    """Ada teaches the vault her right index finger."""
    command = ADA.thumblatch_after_a_pause("Password:", "fingers", "enroll", "right-index")
    command.type(ADA.password)
    for number in range(1, 6):
        touch("right-index")
        if number < 5:
            command.expect(f"{number} of 5")
    command.end()


def ask_anew(*options):
    """Ada asks for a token that only a refresh can bring: as long-lived as one that comes just now.
    The one that is there must have been there for a second."""
    until(lambda: expiry() - time.time() < provider.LIFETIME - 1, "the token does not grow older")
    return ADA.thumblatch("token", ACCOUNT, "--min-ttl", f"{provider.LIFETIME}s", *options)


def ask_for_finger():
    """The same up to the question, with a pause where she was asked too often."""
    while (command := ask_anew()).first_of("Touch the fingerprint reader", TOO_OFTEN) == TOO_OFTEN:
        command.end(status=None)
    return command


def expiry():
    account = json.loads(ADA.thumblatch("status", ACCOUNT, "--json").end())["accounts"][0]
    moment = account["access_token_expires_at"].replace("Z", "+00:00")
    return datetime.datetime.fromisoformat(moment).timestamp()
