"""One sign-in by code or by device, and its outcome. The engine or the exchange helper is killed
after the provider has committed the sign-in.

The driver is the client here. It attaches strace(1) to the engine between the person's consent and
the call that redeems it. So the engine's calls are counted from there.
"""
import argparse
import importlib.util
import json
import os
import re
import signal
import socket
import struct
import subprocess
import time

import events
import loss
import processes
import thumblatch
import traces
import tracing
from provider import SOURCES
from storm import LIMIT, Outcome, last_words, pause, told_wait

REDIRECT = "http://127.0.0.1:8400/callback"  # no server listens there, and no request goes there
NO_ACCOUNT = 9


def load(path):
    spec = importlib.util.spec_from_file_location("sign_in", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pages = load(SOURCES + "/Tests/Providers/sign-in.py")


class Connection:
    """A client of the engine: Varlink, each message ended by a NUL."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT)
        self.socket.connect(path)
        self.rest = b""

    def peer(self):
        """The process that listens."""
        given = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return struct.unpack("3i", given)[0]

    def send(self, method, more=False, **parameters):
        call = {"method": "io.thumblatch.Vault." + method, "parameters": parameters}
        self.socket.sendall(json.dumps(call | ({"more": True} if more else {})).encode() + b"\0")

    def reply(self, before=lambda: None):
        """The last reply to a call, or None if the engine has gone. `before` runs before a read."""
        while True:
            while b"\0" not in self.rest:
                before()
                try:
                    data = self.socket.recv(65536)
                except ConnectionError:
                    return
                if not data:
                    return
                self.rest += data
            line, self.rest = self.rest.split(b"\0", 1)
            reply = json.loads(line)
            if not reply.get("continues"):
                return reply

    def call(self, method, **parameters):
        self.send(method, **parameters)
        reply = self.reply()
        if reply is None or "error" in reply:
            raise RuntimeError("%s: %s" % (method, reply))
        return reply["parameters"]


class Tracer:
    """strace(1), attached to a running process."""

    def __init__(self, number, plan, path):
        self.path, self.handle = path, os.pidfd_open(number)
        self.process = subprocess.Popen(
            # -b execve: the exchange helper, which the engine starts, is not traced along with it.
            [traces.STRACE, "-f", "-b", "execve", "-e", "signal=KILL", "-o", path, *plan.split(),
             "-p", str(number)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True)
        said = self.process.stderr.readline()
        if "attached" not in said:
            raise RuntimeError("strace: %s" % said)

    def wait(self, handle):
        """Waits until the handle is readable or the kill has struck. Then the tracer ends.

        The killed process may be a child on its way to its exec. A tracer left in place would kill
        each further child as well.
        """
        with events.Directory(os.path.dirname(self.path), events.MODIFY) as traced:
            while self.handle is not None:
                if "+++ killed by SIGKILL" in (tracing.read(self.path) or ""):
                    self.end(1)
                    return
                if handle in events.ready([handle, traced.handle], LIMIT):
                    return
                traced.wait(0)

    def end(self, seconds):
        """Releases the process, unless it ends within that time."""
        if self.handle is None:
            return
        processes.has_ended(self.handle, seconds)
        os.close(self.handle)
        self.handle = None
        # Not by SIGTERM, because strace would wait for each thread to stop. A thread in vfork(2)
        # does not stop before its child has called exec, and strace holds that child. A killed
        # tracer releases all of them.
        self.process.kill()
        self.process.communicate()


class LoginStorm:
    """Signs in to an account of its own. Every second sign-in is to an account that is already
    signed in."""

    account = "other"

    def __init__(self, vault, table, flow):
        self.vault, self.table, self.flow = vault, table, flow
        self.email = "login-" + vault.email
        self.strikes, self.killed = [], {}

    def run(self, engine=None, exchange=None):
        """Returns the strikes that hit. `engine` and `exchange` are (call, number, options)."""
        begun, earlier = time.time(), self.vault.families.get(self.account)
        if exchange:
            # The engine then knows the provider's keys, and needs only that one exchange.
            self.vault.ask(self.vault.tokens.get(None))
        reply, seen = self.sign_in(engine and engine[2], exchange and exchange[2])
        if engine and traces.was_killed_at(seen, engine[0]):
            self.strikes.append(("engine", *engine[:2]))
        if not self.vault.wait_for_exchanges():
            self.wrong("an exchange did not end in its time")
        self.vault.planless()
        for name, plan, text in self.vault.taken("exchange"):
            if exchange and plan == exchange[2] and traces.was_killed_at(text, exchange[0]):
                self.strikes.insert(0, ("exchange", *exchange[:2]))
                self.killed[name] = text
        if not self.strikes and (reply is None or "error" in reply):
            self.wrong("nobody was killed, and the login ended with %s" % reply)
        outcome = self.check(begun, earlier)
        self.table.add(self.flow, self.strikes, outcome)
        if outcome.lost:
            self.table.note_loss(self.vault, outcome, self.strikes)
        return self.strikes

    def wrong(self, what):
        self.table.note_wrong("%s, %s: %s" % (self.vault.email, self.flow, what))

    # MARK: The sign-in

    def sign_in(self, engine_plan, exchange_plan):
        vault = self.vault
        vault.prepare()
        vault.command("status")  # which starts an engine
        connection = Connection(vault.state + "/engine")
        begin = {"account": self.account, "flow": "device" if self.flow == "device" else "browser",
                 "provider": {"name": "dev", "settings": vault.provider.settings()}}
        if self.flow == "code":
            login = connection.call("BeginLogin", redirect=REDIRECT, **begin)
            query = self.visit(login["url"]).split("?", 1)[1]
        else:
            login = connection.call("BeginLogin", **begin)
            vault.provider.call("devices", status="authorized", user=self.email,
                                user_code=login["user_code"])
        vault.plan("exchange", [exchange_plan] if exchange_plan else [])
        tracer = None
        if engine_plan:
            tracer = Tracer(connection.peer(), engine_plan, vault.work + "/traces/login")
        if self.flow == "code":
            connection.send("FinishLogin", login=login["login"], query=query)
        else:
            connection.send("AwaitLogin", more=True, login=login["login"])
        seen = ""
        if tracer:
            reply = connection.reply(lambda: tracer.wait(connection.socket.fileno()))
            tracer.end(0 if reply else 1)
            seen = tracing.read(tracer.path) or ""
        else:
            reply = connection.reply()
        connection.socket.close()
        return reply, seen

    def visit(self, url):
        """The address to which the provider redirects after its pages."""
        person = pages.Person(argparse.Namespace(
            url=url, user=self.email, password=self.vault.provider.password, ca=None, deny=False,
            user_code=None, print_redirect=True))
        person.sign_in()
        if not person.redirects.away:
            raise RuntimeError("the provider's pages do not lead back")
        return person.redirects.away

    # MARK: The outcome

    def check(self, begun, earlier):
        """If the provider has committed a sign-in, the vault must have it, with a working refresh
        token."""
        vault, outcome = self.vault, Outcome()
        now, deadline = time.time(), time.monotonic() + vault.patience
        status, said, old = None, "", None
        while time.monotonic() < deadline:
            status, token, said = vault.ask(old, self.account)
            # Read now: an exchange helper that outlived its engine ended before that answer.
            committed = [e for e in vault.provider.history(self.email)
                         if e["did"] == "sign-in" and e["at"] >= begun]
            wanted = committed[-1]["family"] if committed else earlier
            if status == 0:
                entry = self.judge_token(token)
                vault.families[self.account] = entry and entry["family"]
                # An entry from before the storm proves nothing. A newer one does.
                if entry and entry["at"] >= now:
                    if entry["family"] != wanted:
                        break
                    self.table.count_login(bool(committed))
                    self.forget_sometimes()
                    return outcome
                old = token
            elif status in (thumblatch.LOGIN_REQUIRED, NO_ACCOUNT):
                vault.families[self.account] = None
                if wanted is None:
                    self.table.count_login(False)
                    return outcome
                break
            elif status == thumblatch.UNAVAILABLE:
                pause(told_wait(said))
            else:
                self.wrong("a new client ended with %s: %s" % (status, last_words(said)))
                break
        outcome.lost = True
        self.table.count_login(bool(committed))
        if committed:
            outcome.explained, outcome.why = loss.explain_entry(
                committed[-1], self.killed, vault.stored)
        else:
            outcome.why = "the earlier login is lost: exit %s: %s" % (status, last_words(said))
        return outcome

    def judge_token(self, token):
        entry = self.vault.provider.issue(token) if token else None
        self.table.count_token()
        if entry is None or entry["email"] != self.email:
            self.wrong("a token was handed out that the provider does not know")
        return entry

    def forget_sometimes(self):
        """Every second sign-in is the first of its account."""
        self.vault.logins += 1
        if self.vault.logins % 2:
            status, _, said = self.vault.command(
                "account", "remove", self.account, "--local", "--yes")
            if status != 0:
                self.wrong("account remove: exit %s: %s" % (status, last_words(said)))
            self.vault.families[self.account] = None


def points(vault, table, flow):
    """All (call, number) of an engine that finishes a sign-in, and of its exchange helper."""
    engine, exchange = [], []
    for is_new in (True, False):
        # The first time the engine has to read the provider's keys as well.
        if is_new:
            vault.stop_engine()
        storm = LoginStorm(vault, table, flow)
        reply, seen = storm.sign_in("-e trace=all", "-e trace=all")
        if reply is None or "error" in reply:
            raise RuntimeError("the census of a %s login: %s" % (flow, reply))
        vault.wait_for_exchanges()
        engine.append(traces.census(seen, re.compile(""), leave_out={"newfstatat", "execve"}))
        exchange = [traces.census(text, re.compile(r"recvmsg\("))
                    for _, plan, text in vault.taken("exchange") if plan]
        vault.planless()
        vault.families[storm.account] = vault.provider.history(storm.email)[-1]["family"]
    return {"engine": sorted(set().union(*engine)), "exchange": sorted(set().union(*exchange))}
