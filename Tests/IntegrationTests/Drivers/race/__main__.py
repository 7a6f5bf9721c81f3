"""The race kit: the tries, the threads and the report. See options.py."""
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import traceback

import login
import options
import other
import processes
import provider
import thumblatch
import tracing
from plans import Plans
from storm import Storm
from table import Table, last_line


class Length:
    """The mean duration of storms, so that random moments fall into them."""

    mean = 1.0

    def __call__(self, seconds):
        self.mean = 0.8 * self.mean + 0.2 * min(seconds, 10)


class Run:
    """The whole run: everything that is tried, by many threads."""

    def __init__(self, given, directory):
        self.options, self.directory = given, directory
        self.table, self.random = Table(), random.Random(given.seed)
        self.plans = Plans(given, self.random)
        self.lock, self.stopped = threading.Lock(), threading.Event()
        self.providers, self.vaults, self.threads = [], [], []

    # MARK: Vaults

    def start_providers(self):
        kinds = {"password": provider.PasswordBackend, "oidc": provider.OpenIDProvider}
        for way in kinds if self.options.provider == "both" else [self.options.provider]:
            self.providers.append(kinds[way](self.directory, self.options.access_lifetime))

    def vault(self, number, at, state=None):
        base = "%s/%d" % (self.directory, number)
        os.mkdir(base, 0o700)
        if self.options.tool:
            made = other.Vault(base, self.options, at, number)
        else:
            made = thumblatch.Vault(base, self.programs, at, number, state)
        with self.lock:
            self.vaults.append(made)
        at.add_user(made.email)
        made.sign_in()
        return made

    def place_programs(self):
        """Copies the programs to the vaults' file system, so that each vault can link them."""
        if self.options.tool:
            return
        self.programs = self.directory + "/programs"
        os.mkdir(self.programs, 0o755)
        for name in tracing.NAMES:
            shutil.copy2(os.path.join(self.options.programs, name), self.programs)

    def has_logins(self, at):
        """Whether sign-ins are tried too. Only root may trace a running engine."""
        return at.way == "oidc" and not self.options.tool and os.getuid() == 0

    # MARK: The run

    def storm(self, vault, length):
        with self.lock:
            seed = self.random.random()
        return Storm(vault, self.table, self.options.processes, random.Random(seed), length)

    def work(self, vault):
        length = Length()
        while not self.stopped.is_set() and (name := self.plans.next_task(vault)) is not None:
            if name.split()[0] in ("code", "device"):
                strikes = self.sign_in(vault, *name.split()[:2])
            else:
                strikes = self.refresh(vault, name, length)
            self.plans.note(vault, name, strikes)
            self.tell()

    def sign_in(self, vault, flow, victim):
        plan = self.plans.point(flow, victim)
        strikes = login.LoginStorm(vault, self.table, flow).run(**{victim: plan})
        self.plans.put_back(flow, victim, [plan], strikes)
        return strikes

    def refresh(self, vault, name, length):
        storm, plans, point = self.storm(vault, length), {}, self.plans.point
        if name == "fault":
            victim, *plan = self.plans.fault(vault.way)
            plans = {victim: [tuple(plan)], "is_fault": True}
        if name.startswith("engine by"):
            plans["engine"] = [point(vault.way, "engine") for _ in range(4)]
        if name.startswith("exchange"):
            plans["exchange"] = [point(vault.way, "exchange")] if "by call" in name else []
        if name == "exchange and engine by call":
            plans["engine"] = [point(vault.way, "engine")]
            # A new engine may have to read the provider's keys first.
            plans["exchange"] *= len(vault.provider.scopes)
        if name == "client by call":
            # Plan for all processes, because which one refreshes is not known in advance.
            plans["client_plans"] = [point(vault.way, "client")] * self.options.processes
        if name in ("engine", "client", "exchange"):
            plans["at_random"] = [name]
        strikes = storm.run(**plans)
        for victim in ("engine", "exchange") if name != "fault" else ():
            self.plans.put_back(vault.way, victim, set(plans.get(victim, ())), strikes)
        return strikes

    def full_disk(self, at, number):
        """A state directory on its own file system, filled up to the last pages."""
        state = "%s/full-%s" % (self.directory, at.way)
        os.mkdir(state, 0o700)
        if os.system("mount -t tmpfs -o size=2m,mode=0700 none '%s'" % state) != 0:
            return self.table.note_wrong("no tmpfs could be mounted")
        vault = self.vault(number, at, state)
        pages = [0, 3, 8, 16] if self.options.short else [*range(0, 24), 32, 48, 64]
        for turn, left in enumerate(pages):
            # The first round always runs, so that a busy machine has a full disk too.
            if self.stopped.is_set() or turn and self.plans.seconds() > self.options.seconds:
                return
            # An engine that starts now creates a new write-ahead log.
            vault.stop_engine()
            fill(state + "/filler", left)
            storm = self.storm(vault, Length())
            storm.count = min(storm.count, 10)
            storm.before_check = lambda: os.unlink(state + "/filler")
            storm.strikes = [("disk", "%d pages left" % left if left < 2 else "few pages left", 0)]
            storm.run(is_fault=True)

    def tell(self):
        if sys.stderr.isatty():
            print("\r%d of %d kills, %d s " % (
                self.plans.done(), self.options.kills, self.plans.seconds()), end="",
                file=sys.stderr)

    def guard(self, work, *words):
        try:
            work(*words)
        except processes.Stopped:
            pass
        except Exception as error:  # a driver that breaks must not look like a run that passed
            self.table.note_wrong("%s: %s: %s" % (
                getattr(words[0], "email", "") if words else "", type(error).__name__, error))
            self.stopped.set()
            traceback.print_exc()

    def run(self):
        self.place_programs()
        self.start_providers()
        count, begin = self.options.vaults, []
        # Two vaults of each provider in turn: of two, one repeats a lost refresh at once, and the
        # other does not.
        ways = [self.providers[n // 2 % len(self.providers)] for n in range(count)]
        vaults = [self.vault(number, at) for number, at in enumerate(ways)]
        for at in self.providers:
            first = next(vault for vault in vaults if vault.provider is at)
            self.plans.add_points(at.way, **first.points())
            if self.has_logins(at):
                for vault in vaults:
                    if vault.provider is at:
                        at.add_user("login-" + vault.email)
                for flow in ("code", "device"):
                    self.plans.add_points(flow, **login.points(first, self.table, flow))
        begin = [(self.work, vault) for vault in vaults]
        if not (self.options.no_faults or self.options.tool) and os.getuid() == 0:
            begin += [(self.full_disk, at, 1000 + n) for n, at in enumerate(self.providers)]
        self.threads = [threading.Thread(target=self.guard, args=words) for words in begin]
        for thread in self.threads:
            thread.daemon = True
            thread.start()
        for thread in self.threads:
            thread.join()
        for vault in vaults:
            flaw = vault.is_whole()
            if flaw:
                self.table.note_wrong("%s: %s" % (vault.email, flaw))

    def close(self):
        self.stopped.set()
        if any(thread.is_alive() for thread in self.threads):
            processes.stop()
        for thread in self.threads:
            if thread.is_alive():
                thread.join(60)
        for vault in self.vaults:
            vault.close()
        for at in self.providers:
            at.close()
            if os.path.ismount("%s/full-%s" % (self.directory, at.way)):
                os.system("umount -l '%s/full-%s'" % (self.directory, at.way))

    # MARK: The report

    def report(self):
        table = self.table
        if sys.stderr.isatty():
            print(file=sys.stderr)
        print(table.text())
        for explained, text in table.losses[:20]:
            print("lost, %s: %s" % ("explained" if explained else "unexplained", text))
        if len(table.losses) > 20:
            print("... and %d more" % (len(table.losses) - 20))
        for text in table.wrong[:20]:
            print("wrong: %s" % text)
        if len(table.wrong) > 20:
            print("... and %d more" % (len(table.wrong) - 20))
        for way, victims in sorted(self.plans.points.items()):
            for victim, points in sorted(victims.items()):
                print("%s, %s: killed at %d of the %d places in its calls" % (
                    way, victim, len(table.points[way, victim] & set(points)), len(points)))
        if not self.options.tool and os.getuid() != 0:
            print("left out, for only root could see why a login is lost, or fill a disk: "
                  "kills of the exchange and in logins, a full tmpfs")
        if table.logins:
            print("%d logins by code or device, %d of them committed by the provider" % (
                sum(table.logins.values()), table.logins[True]))
        print("%d storms of %d processes, %d refreshes, %d tokens handed out, %d s, seed %d" % (
            table.storms["password"] + table.storms["oidc"], self.options.processes,
            sum(at.rotations() for at in self.providers), table.tokens, self.plans.seconds(),
            self.options.seed))
        print(last_line(table), flush=True)


def fill(path, pages):
    """Uses up the file system except for this many pages."""
    with open(path, "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass
        size = os.fstat(file.fileno()).st_size
        file.truncate(max(0, size - size % 4096 - pages * 4096))


def main():
    given = options.arguments()
    directory = given.directory or tempfile.mkdtemp(prefix="tl-race-")
    os.makedirs(directory, exist_ok=True)
    run = Run(given, directory)
    # Treat SIGTERM like Ctrl-C: end the started processes first.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        run.run()
        run.report()
    except KeyboardInterrupt:
        print("race: interrupted", file=sys.stderr)
        return 130
    finally:
        run.close()
        if not given.directory:
            shutil.rmtree(directory, ignore_errors=True)
    if given.json:
        with open(given.json, "w") as file:
            json.dump({"rows": {" ".join(k): v for k, v in run.table.rows.items()},
                       "faults": {" ".join(k): v for k, v in run.table.faults.items()},
                       "losses": run.table.losses, "wrong": run.table.wrong}, file, indent=1)
    return 1 if run.table.failed() else 0


sys.exit(main())
