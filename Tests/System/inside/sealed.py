"""The machine key of the service: the people whose vaults it opens."""
import contextlib
import json
import os
import pwd
import subprocess

import provider
from household import ACCOUNT, ADA, BOB, TOUCH, ask_anew, last_line
from people import TOO_OFTEN
from scenarios import LIMIT, STATE, check, run

EVERYBODY = (ADA, BOB)
NODE, ASIDE = "/dev/tpmrm0", "/run/tpm-node"
ESCROW = "/root/escrow"
# Accounts without protection, of users without a session.
CROWD = [f"crowd{number}" for number in range(20)]
PROMPT = "System password for"


def status():
    """The status of the machine key, as root sees it."""
    return json.loads(run("thumblatch", "device-secret", "status", "--json"))


def address(user):
    return f"{user}@example.org"


def make_bob():
    """Bob has a protected account, without a finger."""
    provider.call("POST", "/auth/register", {"email": address("bob"), "password": provider.PASSWORD})
    login = BOB.thumblatch("login", ACCOUNT, "--provider", "dev")
    login.expect("-mail").type(address("bob"))
    login.expect("assword").type(provider.PASSWORD)
    login.end()
    BOB.thumblatch("presence", "enable", ACCOUNT).expect(PROMPT).type(BOB.password).end()
    BOB.thumblatch("lock").end()


def as_member(user, *arguments):
    there = pwd.getpwnam(user)
    return ["setpriv", f"--reuid={there.pw_uid}", f"--regid={there.pw_gid}", "--clear-groups",
            "env", "-i", f"HOME={there.pw_dir}", "PATH=/usr/bin:/bin", "thumblatch", *arguments]


def make_crowd():
    for user in CROWD:
        run("useradd", "--create-home", user)
        run(*as_member(user, "register", ACCOUNT, "--provider", "dev", "--email", address(user),
                       "--password-stdin"), text=provider.PASSWORD + "\n")


def crowd_asks(users=tuple(CROWD)):
    """All of them ask for a new token at the same moment."""
    commands = [subprocess.Popen(as_member(user, "token", ACCOUNT, "--min-ttl", f"{provider.LIFETIME}s"),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True) for user in users]
    for user, command in zip(users, commands):
        said = command.communicate(timeout=LIMIT)[0].strip()
        check(command.returncode == 0, f"{user}: exit {command.returncode}: {said}")
        # A note may stand before it.
        email = provider.call("GET", "/auth/me", token=said.splitlines()[-1])["email"]
        check(email == address(user), f"no token: {user}")


def brings_new_token(person):
    """A refresh of a person's account, which the system password allows."""
    while True:
        command = ask_anew(person=person)
        met = command.first_of(TOUCH, PROMPT, TOO_OFTEN)
        if met != TOO_OFTEN:
            break
        command.end(status=None)
    if met == TOUCH:
        command.type("").expect(PROMPT)
    token = last_line(command.type(person.password))
    check(provider.call("GET", "/auth/me", token=token)["email"] == address(person.user), "no token")
    person.thumblatch("lock").end()


def digests():
    """The digests of all files from which a vault is opened."""
    found = []
    for directory, _, files in os.walk(STATE):
        found += [os.path.join(directory, name) for name in files
                  if name in ("vault.db", "device-secret") or "machine-key" in directory]
    check(found, "there is no vault")
    return run("sha256sum", *sorted(found))


def is_refused(person, *words, why="there is none (/dev/tpmrm0)"):
    """The message for a person if the vault does not open."""
    said = person.thumblatch(*words).end(status=6)
    for part in (why, "thumblatch recover --code"):
        check(part in said.replace("\n", " "), said)


@contextlib.contextmanager
def without_tpm():
    """Takes the device away, as on a machine whose firmware hides the TPM."""
    open(ASIDE, "w", encoding="ascii").close()
    run("mount", "--bind", NODE, ASIDE)
    run("umount", NODE)
    os.unlink(NODE)
    try:
        yield
    finally:
        open(NODE, "w", encoding="ascii").close()
        run("mount", "--bind", ASIDE, NODE)
        run("umount", ASIDE)
        os.unlink(ASIDE)


def stop():
    run("systemctl", "stop", "thumblatchd.service")


@contextlib.contextmanager
def nothing_changes():
    """No file changes; the engine begins and ends in between."""
    stop()
    before = digests()
    yield
    stop()
    check(digests() == before, "a file was changed")


def all_are_refused(why):
    for person in EVERYBODY:
        is_refused(person, "status", why=why)
    run("thumblatch", "device-secret", "test", status=6)


def all_go_on():
    for person in EVERYBODY:
        brings_new_token(person)
    found = status()
    check(found["open"] and found["counter"] == "current", str(found))
