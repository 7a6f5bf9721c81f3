"""One vault of Thumblatch, with its programs placed so that engine and exchange helper can be
traced."""
import json
import os
import re
import shutil
import signal
import time

import events
import processes
import traces

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
printf '%s\\n' $$ >>{work}/exchanges
[ -d {work}/exchange-plans ] || exec {program}
for plan in {work}/exchange-plans/*; do
  [ -e "$plan" ] || break
  mv "$plan" {work}/taken/exchange.$$ 2>/dev/null || continue
  exec {strace} -D -f -q -e signal=KILL -o {work}/traces/exchange.$$ \\
    $(cat {work}/taken/exchange.$$) {program}
done
exec {strace} -D -f -q -e signal=KILL -e trace={watched} -o {work}/traces/exchange.$$ {program}
"""

# The call that shows that an answer was kept. Once pwrite64 has returned the answer is in the slot:
# a kill cannot take away data that the kernel has.
STORED = {"pwrite64"}
WATCHED = ("getsockname", "sendto", "recvfrom", "pwrite64", "fdatasync")
NAMES = {"thumblatch": "bin", "thumblatch-cli": "bin", "thumblatchd": "engine",
         "thumblatch-exchange": "exchange"}
# Exit codes that the documents allow if a token is not available now.
LOGIN_REQUIRED, UNAVAILABLE, UNSAFE = 4, 5, 6


class Vault:
    """A state directory and everything that works on it."""

    account = "me"
    # How long a login may be uncertain before it counts as lost, in seconds.
    patience = 90
    tells_uncertain = True
    stored = STORED
    kept_codes = {0, UNAVAILABLE, LOGIN_REQUIRED}
    rejects = True

    def __init__(self, base, programs, provider, number, state=None):
        self.base, self.provider, self.way = base, provider, provider.way
        self.email = "vault%d@example.org" % number
        self.state = state or base + "/state"
        self.work = base + "/work"
        self.tokens = {}  # by scopes: the last one that was handed out
        # The exchange helpers that were ended while they waited for a request.
        self.dropped = set()
        # For accounts that sign in repeatedly: the provider's family of their tokens.
        self.families, self.logins = {}, 0
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
        # Every second vault waits until the access token expires before it repeats a lost refresh.
        reuse = "revokes" if number % 2 else "retry"
        with open(base + "/config/thumblatch/providers.d/dev.conf", "w") as file:
            settings = provider.settings() | {"refresh_reuse": reuse}
            file.write("\n".join(["[Provider]"] + ["%s = %s" % s for s in settings.items()]) + "\n")
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

    def sign_in(self):
        status, _, said = self.command(
            "login", self.account, "--provider", "dev", "--password", "--email", self.email,
            "--password-stdin", "--yes", given=self.provider.password + "\n")
        if status != 0:
            raise RuntimeError("login: exit %s: %s" % (status, said))

    def ask(self, rejected=None, account=None):
        """A token, newer than `rejected`."""
        return self.command("token", account or self.account, *(["--rejected"] if rejected else []),
                            given=rejected, name="check")

    def asker(self, index, place):
        """One of many concurrent callers. Some of them say that their token was refused."""
        scopes = self.provider.scopes[index % len(self.provider.scopes)]
        rejected = self.tokens.get(scopes) if index % 5 == 4 else None
        words = (["--scope", scopes] if scopes else []) + (["--rejected"] if rejected else [])
        if rejected:
            with open(place + ".in", "w") as file:
                file.write(rejected)
        process = processes.Process(self.words("token", self.account, *words), self.environment,
                                    place, given=place + ".in" if rejected else None)
        process.scopes = scopes
        return process

    def standing(self):
        """(state, cause), as `status` reports them."""
        status, text, _ = self.command("status", "--json")
        if status != 0:
            return None, None
        account = next(a for a in json.loads(text)["accounts"] if a["name"] == self.account)
        return account["state"], account["cause"]

    def is_lost(self, status):
        return status == LOGIN_REQUIRED

    def is_uncertain(self):
        return self.standing()[0] == "uncertain"

    def lost_rightly(self):
        """Whether the vault itself gives a lost answer as the reason, and no other reason."""
        return self.standing() == ("login-required", "answer lost")

    def is_whole(self):
        """None if the audit log and the store are intact. Otherwise the text of `audit verify` or
        `doctor`."""
        status, text, said = self.command("audit", "verify")
        return None if status == 0 else "audit verify: exit %s: %s %s" % (status, text, said)

    # MARK: Plans

    def prepare(self, engine=None, exchange=None):
        """Plans for the coming storm: options of strace for each engine and exchange helper that
        starts.

        None: they start untraced. An empty list traces exchange helpers without a kill.
        """
        if engine is not None:
            self.stop_engine()
        for name in ("taken", "traces"):
            for old in os.listdir("%s/%s" % (self.work, name)):
                os.unlink("%s/%s/%s" % (self.work, name, old))
        self.dropped.clear()
        self.plan("engine", engine)
        self.plan("exchange", exchange)

    def plan(self, name, plans):
        directory = "%s/%s-plans" % (self.work, name)
        shutil.rmtree(directory, ignore_errors=True)
        if name == "exchange":
            self.drop_spare()
        if plans is None:
            return
        os.mkdir(directory + ".new")
        for index, plan in enumerate(plans):
            with open("%s.new/%02d" % (directory, index), "w") as file:
                file.write(plan)
        os.rename(directory + ".new", directory)

    def planless(self):
        """Programs that start from now on run without a plan."""
        for name in ("engine", "exchange"):
            shutil.rmtree("%s/%s-plans" % (self.work, name), ignore_errors=True)
        self.drop_spare()

    def has_plans(self, kind):
        return bool(os.listdir("%s/%s-plans" % (self.work, kind)))

    def taken(self, kind):
        """(name, plan, trace) of each program that was started under a plan or traced."""
        found = []
        for name in sorted(os.listdir(self.work + "/traces")):
            if not name.startswith(kind) or name in self.dropped:
                continue
            plan = read("%s/taken/%s" % (self.work, name))
            found.append((name, plan, read("%s/traces/%s" % (self.work, name)) or ""))
        return found

    def wait_for_exchanges(self, seconds=45):
        """Waits until every traced exchange helper has ended, except the spare that an engine
        keeps.

        An exchange helper may outlive its engine.
        """
        deadline = time.monotonic() + seconds
        with events.Directory(self.work + "/traces") as traced:
            while True:
                waited = [handle for name, _, text in self.taken("exchange")
                          if not traces.has_finished(text) for handle in self.awaited(name)]
                try:
                    left = deadline - time.monotonic()
                    if not waited or left <= 0:
                        return not waited
                    # Checked again after a second, because a stopped process causes no event.
                    events.ready([traced.handle, *waited], min(left, 1))
                    traced.wait(0)
                finally:
                    for handle in waited:
                        os.close(handle)

    def awaited(self, name):
        """Descriptors of the processes whose end ends this trace: the exchange helper's, or its
        tracer's."""
        number = int(name.split(".")[1])
        if self.is_spare(number):
            return []
        try:
            handle = os.pidfd_open(number)
            if not processes.has_ended(handle, 0):
                return [handle]
            os.close(handle)
        except OSError:
            pass
        return [tracer for tracer in self.tracers(name) if not processes.end_stopped(tracer)]

    def tracers(self, name):
        """Descriptors of the strace processes of an exchange helper that has ended.

        An exchange helper may be killed, with its engine or as a spare, while strace still probes
        the kernel. The process of that probe then stays stopped, with the helper's descriptors.
        """
        path = re.escape(" %s/traces/%s " % (self.work, name))
        return processes.matching(re.compile(path))

    # MARK: Processes

    def engines(self):
        """Descriptors of the running engines."""
        # The list includes engines that lost the race for the vault and have ended.
        numbers = {int(number) for number in (read(self.work + "/engines") or "").split()}
        found = [processes.open_program(number, self.engine) for number in numbers]
        return [handle for handle in found if handle is not None]

    def kill_engine(self):
        return any([processes.end(handle, signal.SIGKILL) for handle in self.engines()])

    def stop_engine(self):
        for handle in self.engines():
            processes.end(handle, signal.SIGTERM, 15)
        with open(self.work + "/engines", "w"):
            pass

    def is_spare(self, number):
        """Whether this exchange helper waits for the next request: its engine runs, and it has no
        slot."""
        try:
            with open("/proc/%d/stat" % number) as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            engine = processes.open_program(parent, self.engine)
            if engine is None:
                return False
            os.close(engine)
            place = "/proc/%d/fd/" % number
            return not any(os.readlink(place + name).startswith(self.state + "/")
                           for name in os.listdir(place))
        except OSError:
            return False

    def drop_spare(self):
        """Ends the spare exchange helper of the engine, so that the next one starts under the
        current plans."""
        for word in (read(self.work + "/exchanges") or "").split():
            try:
                handle = os.pidfd_open(int(word))
            except OSError:
                continue
            if self.is_spare(int(word)):
                self.dropped.add("exchange." + word)
                processes.end(handle, signal.SIGKILL, 20)
                for tracer in self.tracers("exchange." + word):
                    processes.end(tracer, signal.SIGKILL)
            else:
                os.close(handle)

    def new_exchange(self, seen):
        """The name of an exchange helper that has started since. `seen` are the earlier ones."""
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

    # MARK: The calls to kill at

    def points(self):
        """All (call, number) of an engine and of an exchange helper, seen in three refreshes."""
        # If there are ID tokens, the keys for them are read as well.
        self.prepare(engine=["-e trace=all"], exchange=["-e trace=all"] * 5)
        token = None
        for _ in range(3):
            status, token, said = self.ask(token)
            if status != 0:
                raise RuntimeError("the census: exit %s: %s" % (status, said))
        self.stop_engine()
        self.wait_for_exchanges()
        # Engine: from the state lock on. Exchange helper: from the call on, before which it knows
        # of no token.
        engine = [traces.census(text, re.compile(r"flock\("), leave_out={"newfstatat", "execve"})
                  for _, _, text in self.taken("engine")]
        exchange = [traces.census(text, re.compile(r"recvmsg\("))
                    for _, _, text in self.taken("exchange")]
        self.planless()
        return {"engine": sorted(set().union(*engine)), "exchange": sorted(set().union(*exchange))}


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
