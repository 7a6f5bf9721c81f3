"""One vault of Thumblatch: its programs, so placed that engine and exchange can be traced."""
import json
import os
import re
import shutil
import signal
import time

import processes
import traces
from provider import PASSWORD

ENGINE_WRAPPER = """#!/bin/sh
# Starts the engine, under the next planned kill while there are plans.
printf '%s\\n' $$ >>{work}/engines
[ -d {work}/engine-plans ] || exec {program} "$@"
# One at a time, so that no plan goes to an engine that finds another before it.
exec 9>>{work}/engine-lock
flock -n 9 || exit 0
for plan in {work}/engine-plans/*; do
  [ -e "$plan" ] || break
  mv "$plan" {work}/taken/engine.$$
  # -b execve: the exchange, which is started by the engine, is not traced along with it.
  exec {strace} -D -f -b execve -q -e signal=KILL -o {work}/traces/engine.$$ \\
    $(cat {work}/taken/engine.$$) {program} "$@"
done
exec {program} "$@"
"""

EXCHANGE_WRAPPER = """#!/bin/sh
# Starts the exchange, traced and under the next planned kill while there are plans.
[ -d {work}/exchange-plans ] || exec {program}
for plan in {work}/exchange-plans/*; do
  [ -e "$plan" ] || break
  mv "$plan" {work}/taken/exchange.$$ 2>/dev/null || continue
  exec {strace} -D -f -q -e signal=KILL -o {work}/traces/exchange.$$ \\
    $(cat {work}/taken/exchange.$$) {program}
done
exec {strace} -D -f -q -e signal=KILL -e trace={watched} -o {work}/traces/exchange.$$ {program}
"""

# What shows that an answer was kept: once pwrite64 has returned it is in the slot, for a kill takes
# nothing away that the kernel has got.
STORED = {"pwrite64"}
WATCHED = ("getsockname", "sendto", "recvfrom", "pwrite64", "fdatasync")
NAMES = {"thumblatch": "bin", "thumblatch-cli": "bin", "thumblatchd": "engine",
         "thumblatch-exchange": "exchange"}
# Exit codes that the documents allow to a token that cannot be had just now.
LOGIN_REQUIRED, UNAVAILABLE, UNSAFE = 4, 5, 6


class Vault:
    """A state directory and everything that works on it."""

    account = "me"
    # So long a login may be uncertain before that counts as lost, in seconds.
    patience = 90
    tells_uncertain = True
    stored = STORED
    kept_codes = {0, UNAVAILABLE, LOGIN_REQUIRED}

    def __init__(self, base, programs, provider, number, state=None):
        self.base, self.provider = base, provider
        self.email = "vault%d@example.org" % number
        self.state = state or base + "/state"
        self.work = base + "/work"
        self.token = None
        os.makedirs(base + "/config/thumblatch/providers.d")
        for name in ("bin", "engine", "exchange", "state"):
            os.mkdir(base + "/" + name, 0o700)
        for name in ("taken", "traces", "out"):
            os.makedirs(self.work + "/" + name)
        for name, place in NAMES.items():
            copy(os.path.join(programs, name), os.path.join(base, place, name))
        self.engine = base + "/engine/thumblatchd"
        self.exchange = base + "/exchange/thumblatch-exchange"
        script(base + "/bin/thumblatchd", ENGINE_WRAPPER.format(
            work=self.work, program=self.engine, strace=traces.STRACE))
        script(base + "/engine/thumblatch-exchange", EXCHANGE_WRAPPER.format(
            work=self.work, program=self.exchange, strace=traces.STRACE,
            watched=",".join(WATCHED)))
        # Every other vault waits for the access token's end before it repeats a lost refresh.
        reuse = "revokes" if number % 2 else "retry"
        with open(base + "/config/thumblatch/providers.d/dev.conf", "w") as file:
            file.write("[Provider]\nkind = password-backend\nissuer = %s\nrefresh_reuse = %s\n" % (
                provider.url, reuse))
        self.environment = {
            "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": base,
            "XDG_CONFIG_HOME": base + "/config", "THUMBLATCH_STATE_DIR": self.state}

    # MARK: Commands

    def words(self, *more):
        return [self.base + "/bin/thumblatch", "--private", *more]

    def command(self, *words, given=None, name="command", seconds=150):
        """Runs a command: (exit status, standard output, standard error)."""
        place = "%s/out/%s" % (self.work, name)
        if given is not None:
            with open(place + ".in", "w") as file:
                file.write(given)
        process = processes.Process(
            self.words(*words), self.environment, place,
            given=place + ".in" if given is not None else None)
        return process.wait(seconds), process.text(".out").strip(), process.text(".err").strip()

    def sign_in(self, verb="login"):
        words = [verb, self.account, "--provider", "dev", "--email", self.email,
                 "--password-stdin"] + (["--yes"] if verb == "login" else [])
        status, _, said = self.command(*words, given=PASSWORD + "\n")
        if status != 0:
            raise RuntimeError("%s: exit %s: %s" % (verb, status, said))

    def ask(self):
        return self.command("token", self.account, name="check")

    def asker(self, index, place, given=None):
        """One of many that ask at the same time; some of them say that their token was refused."""
        rejects = index % 5 == 4 and self.token
        if rejects:
            with open(place + ".in", "w") as file:
                file.write(self.token)
        return processes.Process(
            self.words("token", self.account, *(["--rejected"] if rejects else [])),
            self.environment, place, given=place + ".in" if rejects else None)

    def standing(self):
        """(state, cause) as `status` tells them."""
        status, text, _ = self.command("status", "--json")
        if status != 0:
            return None, None
        account = json.loads(text)["accounts"][0]
        return account["state"], account["cause"]

    def is_lost(self, status):
        return status == LOGIN_REQUIRED

    def is_uncertain(self):
        return self.standing()[0] == "uncertain"

    def lost_rightly(self):
        """Whether the vault itself says that an answer was lost, and not something else."""
        return self.standing() == ("login-required", "answer lost")

    def is_whole(self):
        """Whether the trail is, and what `doctor` says of the store; the text where not."""
        status, text, said = self.command("audit", "verify")
        return None if status == 0 else "audit verify: exit %s: %s %s" % (status, text, said)

    # MARK: Plans

    def prepare(self, engine=None, exchange=None):
        """Plans for the coming storm: options of strace for each engine and exchange that starts.

        None: they start untraced. An empty list traces exchanges without a kill.
        """
        if engine is not None:
            self.stop_engine()
        for name in ("taken", "traces"):
            for old in os.listdir("%s/%s" % (self.work, name)):
                os.unlink("%s/%s/%s" % (self.work, name, old))
        for name, plans in (("engine", engine), ("exchange", exchange)):
            directory = "%s/%s-plans" % (self.work, name)
            shutil.rmtree(directory, ignore_errors=True)
            if plans is None:
                continue
            os.mkdir(directory + ".new")
            for index, plan in enumerate(plans):
                with open("%s.new/%02d" % (directory, index), "w") as file:
                    file.write(plan)
            os.rename(directory + ".new", directory)

    def planless(self):
        """What starts from here on runs as it does for everyone."""
        for name in ("engine", "exchange"):
            shutil.rmtree("%s/%s-plans" % (self.work, name), ignore_errors=True)

    def has_plans(self, kind):
        return bool(os.listdir("%s/%s-plans" % (self.work, kind)))

    def taken(self, kind):
        """(name, plan, trace) of each program that was started under a plan or traced."""
        found = []
        for name in sorted(os.listdir(self.work + "/traces")):
            if not name.startswith(kind):
                continue
            plan = read("%s/taken/%s" % (self.work, name))
            found.append((name, plan, read("%s/traces/%s" % (self.work, name)) or ""))
        return found

    def wait_for_exchanges(self, seconds=45):
        """Until every traced exchange has ended: it may outlive its engine."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if all(traces.has_finished(text) for _, _, text in self.taken("exchange")):
                return True
            time.sleep(0.02)
        return False

    # MARK: Processes

    def engines(self):
        """Descriptors of the engines that run."""
        # Those that lost the race for the vault are among them, and gone.
        numbers = (read(self.work + "/engines") or "").split()
        found = [processes.open_program(int(n), self.engine) for n in set(numbers)]
        return [handle for handle in found if handle is not None]

    def kill_engine(self):
        return any([processes.end(handle, signal.SIGKILL) for handle in self.engines()])

    def stop_engine(self):
        for handle in self.engines():
            processes.end(handle, signal.SIGTERM, 15)
        with open(self.work + "/engines", "w"):
            pass

    def new_exchange(self, seen):
        """The name of an exchange that has started since; `seen` are those before."""
        for name in os.listdir(self.work + "/traces"):
            if name.startswith("exchange.") and name not in seen:
                seen.add(name)
                return name
        return None

    def kill_exchange(self, name):
        handle = processes.open_program(int(name.split(".")[1]), self.exchange)
        return handle is not None and processes.end(handle, signal.SIGKILL)

    def close(self):
        for handle in self.engines():
            processes.end(handle, signal.SIGKILL)

    # MARK: What there is to be killed at

    def points(self):
        """All (call, number) of an engine and of an exchange, seen in three refreshes."""
        self.prepare(engine=["-e trace=all"], exchange=["-e trace=all"] * 3)
        for _ in range(3):
            status, _, said = self.ask()
            if status != 0:
                raise RuntimeError("the census: exit %s: %s" % (status, said))
        self.stop_engine()
        self.wait_for_exchanges()
        # From the state lock on; from the call on, before which an exchange knows of no token.
        engine = [traces.census(text, re.compile(r"flock\("), leave_out={"newfstatat", "execve"})
                  for _, _, text in self.taken("engine")]
        exchange = [traces.census(text, re.compile(r"recvmsg\("))
                    for _, _, text in self.taken("exchange")]
        self.planless()
        return (sorted(set().union(*engine)), sorted(set().union(*exchange)))


def copy(source, target):
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def script(path, text):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o755)


def read(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return None
