"""`device-secret add tpm` is killed at each step, with the installed units. tpm.py has the scenarios.

A relay before the TPM holds one of its commands, so that a kill meets that step. The codes are in
TPM 2.0 Library, part 2, section 6.5.2."""
import contextlib
import json
import os
import select
import struct
import subprocess

import provider
import sealed
from household import ADA, BOB
from scenarios import LIMIT, STATE, check, run, show, until

CREATE_PRIMARY, CREATE, LOAD, UNSEAL = "131", "153", "157", "15e"
DEFINE, CHANGE_AUTH, INCREMENT, READ = "12a", "13b", "134", "14e"
ENGINE, HELPERS = "thumblatchd.service", "thumblatch-secret@*.service"
CODE, COPY, USERS = "/root/killed-escrow", "/root/before-kills", "/var/tmp/provider.json"
KEY = f"{STATE}/machine-key"
DROP_IN = f"/run/systemd/system/{ENGINE}.d/kills.conf"


class Relay:
    """The relay in the place of the TPM (tpm_relay.py)."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["python3", "-B", "/opt/system-test/tpm_relay.py", sealed.NODE], bufsize=0,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self.said = b""
        there, device = os.stat(sealed.NODE), self.line()
        os.chown(device, there.st_uid, there.st_gid)
        os.chmod(device, there.st_mode & 0o777)
        run("mount", "--bind", device, sealed.NODE)

    def end(self):
        run("umount", sealed.NODE)
        self.process.stdin.close()
        self.process.wait(LIMIT)

    def line(self):
        while b"\n" not in self.said:
            check(select.select([self.process.stdout], [], [], LIMIT)[0], "the relay says nothing")
            more = os.read(self.process.stdout.fileno(), 4096)
            check(more, "the relay has ended")
            self.said += more
        line, self.said = self.said.split(b"\n", 1)
        return line.decode()

    def say(self, words):
        self.process.stdin.write(words.encode() + b"\n")

    @contextlib.contextmanager
    def hold(self, codes, *command):
        """Runs a command until the TPM holds the last of these, which come in this order."""
        self.say(f"hold {codes[0]}")
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as client:
            try:
                for code in codes[1:]:
                    check(self.line() == "held", "it was not held")
                    self.say(f"hold {code}")
                    self.say("release")
                check(self.line() == "held", "it was not held")
                yield client
            finally:
                client.kill()


@contextlib.contextmanager
def relay():
    """Replaces the TPM with the relay. A killed engine is not followed by another one at once, because
    only then the helper that it leaves has the TPM for itself."""
    run("systemctl", "stop", ENGINE)
    os.makedirs(os.path.dirname(DROP_IN), exist_ok=True)
    with open(DROP_IN, "w", encoding="ascii") as file:
        file.write("[Service]\nRestart=no\n")
    run("systemctl", "daemon-reload")
    made = Relay()
    try:
        yield made
    finally:
        run("systemctl", "stop", ENGINE)
        made.end()
        os.unlink(DROP_IN)
        run("systemctl", "daemon-reload")
        run("systemctl", "reset-failed", ENGINE, status=None)


def adding():
    return "sh", "-c", ("umask 077; exec thumblatch device-secret add tpm --recovery-to 3"
                        f" 3>{CODE} 2>&1")


def helpers():
    return run("systemctl", "list-units", "--no-legend", "--plain",
               "--state=active,activating,deactivating", HELPERS).strip()


def kill_engine(client):
    """Kills the engine. Its client first, so that it does not start another one."""
    client.kill()
    client.wait(LIMIT)
    run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", ENGINE)
    until(lambda: show(ENGINE, "ActiveState") in ("failed", "inactive"), "the engine was not killed")


def kill_helper():
    check(helpers(), "no helper runs")
    run("systemctl", "kill", "--signal=KILL", HELPERS)
    until(lambda: not helpers(), "the helper was not killed")


def let_helper_end(way):
    """The helper of a killed engine ends by itself."""
    way.say("release")
    until(lambda: not helpers(), "the helper of a killed engine stays")


def everybody_is_served():
    sealed.crowd_asks()
    for person in (ADA, BOB):
        sealed.brings_new_token(person)


def is_as_before(code, user):
    """A vault opens without the TPM, and nothing is left of the key and its counter."""
    found = sealed.status()
    check(found["tier"] == "file" and not found["slots"], f"{code}: {found}")
    # The next engine removes the counter while it serves calls.
    until(lambda: not [name for name in os.listdir(STATE) if name.startswith("machine-key")],
          f"{code}: something is left")
    run("systemctl", "stop", ENGINE)
    with sealed.without_tpm():
        sealed.crowd_asks([user])
        run("systemctl", "stop", ENGINE)


def before_the_key_is_made():
    """Kills engine or helper at each of the commands before the directory of the key has its name."""
    users = iter(sealed.CROWD)
    for code in (CREATE_PRIMARY, CREATE, LOAD, UNSEAL, DEFINE, INCREMENT, READ):
        with relay() as way:
            with way.hold([code], *adding()) as client:
                kill_engine(client)
            let_helper_end(way)
            # It removes a counter that was defined.
            until(lambda: sealed.status() and not os.path.exists(f"{STATE}/machine-key.counter"),
                  f"{code}: the counter stays")
        is_as_before(code, next(users))
    for code in (CREATE_PRIMARY, CREATE, LOAD, UNSEAL):
        with relay() as way, way.hold([code], *adding()) as client:
            kill_helper()
            way.say("lose")
            said = client.communicate(timeout=LIMIT)[0]
            check(client.returncode == 5 and "cannot reach the helper for the TPM" in said, said)
        is_as_before(code, next(users))
    everybody_is_served()


def left():
    """The users whose vaults still open by their file (MachineKeyState.swift); `None` for all."""
    with open(f"{KEY}/state", "rb") as file:
        state = file.read()
    if state[32] & 0x7F == 1:
        return None
    places = range(33, len(state) - 32, 12)
    return {struct.unpack("<I", state[place:place + 4])[0] for place in places}


def status_is_true():
    """The status that users see, while the key is added."""
    users = left()
    # The engine waits for the held command of the TPM for 10 s.
    for user in sealed.CROWD[::5]:
        found = json.loads(run(*sealed.as_member(user, "device-secret", "status", "--json")))
        uid = int(run("id", "--user", user))
        true = "adding" if users is None or uid in users else "tpm"
        check(found["tier"] == true, f"{user}: {found}, left: {users}")
    return users


STATUS = ["thumblatch", "device-secret", "status"]


def after_the_key_is_made():
    """Kills one engine after the other, each at a later step. The last one adds the TPM for all."""
    with relay() as way:
        with way.hold([INCREMENT, CREATE_PRIMARY], *adding()) as client:
            kill_engine(client)
            kill_helper()
            way.say("lose")
        for codes in ([UNSEAL], [CHANGE_AUTH]):
            with way.hold(codes, *STATUS) as client:
                check(status_is_true() is None, f"{codes}: vaults are listed too early")
                kill_engine(client)
            let_helper_end(way)
        with way.hold([INCREMENT], *STATUS) as client:
            users = status_is_true()
            check(users is not None, "no vault is under the key")
            kill_engine(client)
        let_helper_end(way)
        check(users, "all vaults are under the key: nothing is left to kill")
        with way.hold([INCREMENT], *STATUS) as client:
            check(len(status_is_true()) <= len(users), "a vault left the key")
            kill_helper()
            way.say("lose")
            client.communicate(timeout=LIMIT)
        until(lambda: sealed.status()["tier"] == "tpm", "the TPM is not added for all")
        check(left() == set(), f"left: {left()}")
    all_are_under_the_key()


def all_are_under_the_key():
    until(lambda: sealed.status()["open"], "the key is not opened")
    found = sealed.status()
    check(found["counter"] == "current", str(found))
    check(sorted(slot["kind"] for slot in found["slots"]) == ["recovery", "tpm"], str(found))
    run("sh", "-c", f"thumblatch device-secret test --code-stdin <{CODE}")
    everybody_is_served()
    for person in (ADA, BOB):
        said = person.thumblatch("status").end()
        check("TPM (or the recovery code)" in said.replace("\n", " "), said)
    run("systemctl", "stop", ENGINE)
    with sealed.without_tpm():
        for person in (ADA, BOB):
            sealed.is_refused(person, "status")
        run("systemctl", "stop", ENGINE)


@contextlib.contextmanager
def taken_back():
    """Takes everything back at the end: a provider that replaces refresh tokens has a copy too."""
    units = ("thumblatchd.socket", ENGINE)
    run("systemctl", "stop", *units, "provider.service")
    run("rm", "-rf", COPY)
    run("cp", "-a", STATE, COPY)
    run("cp", "-a", USERS, f"{COPY}.json")
    provider.start()
    run("systemctl", "start", units[0])
    try:
        yield
    finally:
        run("systemctl", "stop", *units, "provider.service")
        run("sh", "-c", f"find {STATE} -mindepth 1 -delete && cp -a {COPY}/. {STATE}"
            f" && rm -r {COPY}")
        os.rename(f"{COPY}.json", USERS)
        if os.path.exists(CODE):
            os.unlink(CODE)
        provider.start()
        run("systemctl", "start", units[0])
