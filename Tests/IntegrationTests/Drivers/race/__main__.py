"""Storms of processes that want one account's token at once, while others of them are killed.

The provider (Scripts/dev-backend) rotates the refresh token with each refresh and ends the login when
a used one comes back; it writes what it has committed into a ledger. Each vault is one login in a
directory of its own; many are tried side by side. In each storm 50 processes ask for a token at the
same time, and

  client     one of them,
  engine     the process that holds the vault,
  exchange   the process that has sent the refresh and waits for the answer

is killed with SIGKILL: at its N-th openat, write, pwrite64, fdatasync, unlinkat, renameat, sendmsg,
... (strace(1); a census finds which there are, and N walks over all of them; a row for each call), or
at a random moment (the rows `random`). Up to three engines that start next are killed as well, in
their recovery. Then a new process must get a token that was made after the storm: `recovered`. Where
the vault does not know what became of the last answer it says so, waits and tries once more:
`uncertain` counts these among the others. A login that is lost is

  explained      where the provider's ledger shows that it had committed the next token, and the trace
                 of the killed exchange shows that it got that answer's connection and died before the
                 write into the slot had returned. No program can do better with such a provider;
  unexplained    otherwise: the run has failed.

A kill of clients and engines alone can never be explained. The run fails as well where a process hangs
or ends as it should not, where a token is handed out that the provider does not know, or where the
trail is not whole in the end. Without a kill the same is done with faults: a write that finds no space
(ENOSPC), an fsync that fails (EIO), a state directory that is full (tmpfs). Run it as root: others
cannot look into these programs; only engines and clients are killed then, and no disk is filled.

Another tool is tried with the same storms by its commands:

  --tool 'COMMAND'        prints a valid access token, refreshed where it has expired
  --tool-login 'COMMAND'  signs in as {email}; the password is the first line of standard input
  --tool-engine REGEX     its processes of the background, by their command lines; killed as `engine`
  --tool-stored CALLS     the token command is the exchange itself, and has kept the answer when the
                          first of these calls has returned: its losses may be explained. Each command
                          is traced then. Without it no loss is explained.

{account}, {email}, {url} (the provider) and {state} (the directory of this login, which is also HOME)
are put in. It speaks the provider's protocol: `Scripts/dev-backend --help`. An example, which loses
most of its logins; with `--lock` it loses those that are killed:

  Scripts/race --kills 40 --processes 10 \\
    --tool 'Tests/IntegrationTests/Drivers/naive-refresher token {url} {state}/login.json' \\
    --tool-login 'Tests/IntegrationTests/Drivers/naive-refresher login {url} {email} {state}/login.json'

Exit status: 0 no login was lost that need not have been; 1 one was, or another thing was wrong; 2 usage.
"""
import argparse
import collections
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
import urllib.request

import other
import thumblatch
import traces
from provider import PASSWORD, Provider
from storm import Storm
from table import Table

SOURCES = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../.."))
# How many of a hundred kills go to whom. What is last is tried last.
SHARES = {"engine by call": 45, "exchange by call": 15, "engine": 14, "client": 12,
          "exchange and engine by call": 8, "exchange": 6}
FAULTS = [("engine", call, error) for call, error in (
    ("pwrite64", "ENOSPC"), ("pwrite64", "EIO"), ("fdatasync", "EIO"), ("fsync", "EIO"),
    ("write", "ENOSPC"), ("ftruncate", "EIO"), ("renameat", "EIO"), ("unlinkat", "EIO"))]
FAULTS += [("exchange", "pwrite64", "ENOSPC"), ("exchange", "pwrite64", "EIO"),
           ("exchange", "fdatasync", "EIO"), ("exchange", "pread64", "EIO")]


def arguments():
    parser = argparse.ArgumentParser(
        prog="Scripts/race", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--kills", type=int, help="go on until so many kills have hit (default 1000)")
    add("--short", action="store_true", help="a sample of everything, in less than a minute")
    add("--seconds", type=float, help="begin no storm after so long")
    add("--processes", type=int, default=50, help="that ask at once in each storm (default 50)")
    add("--vaults", type=int, help="logins tried side by side (default 8; short: 4)")
    add("--access-lifetime", type=int, default=2, help="of access tokens, in seconds (default 2)")
    add("--no-exchange", action="store_true", help="kill engines and clients only")
    add("--at", metavar="CALLS", help="kill at these calls only, and never at random")
    add("--no-faults", action="store_true", help="kills only")
    add("--seed", type=int, help="of all that is random; printed, so that it can be given again")
    add("--programs", help="their directory (default: what was built last)")
    add("--directory", help="for the logins (default: a new one in TMPDIR, removed in the end)")
    add("--json", metavar="FILE", help="write all counts and what was wrong")
    add("--tool", metavar="COMMAND")
    add("--tool-login", metavar="COMMAND")
    add("--tool-engine", metavar="REGEX")
    add("--tool-stored", metavar="CALLS")
    options = parser.parse_args()
    if bool(options.tool) != bool(options.tool_login):
        parser.error("--tool and --tool-login belong together")
    if not os.access(traces.STRACE, os.X_OK):
        parser.error("%s is missing: Scripts/setup installs it" % traces.STRACE)
    if not options.tool:
        options.programs = programs(options, parser)
    # Its programs show their memory to no tracer of the same user: no loss could be explained.
    options.no_exchange |= not options.tool and os.getuid() != 0
    options.kills = options.kills or (60 if options.short else 1000)
    options.vaults = options.vaults or (4 if options.short else 8)
    options.seconds = options.seconds or (30 if options.short else float("inf"))
    options.seed = random.randrange(1 << 32) if options.seed is None else options.seed
    return options


def programs(options, parser):
    """The directory of the programs: the one that was built last, unless one is named."""
    places = [options.programs] if options.programs else [
        SOURCES + "/.build/thumblatch/bin", SOURCES + "/.build/release", SOURCES + "/.build/debug"]
    whole = [os.path.abspath(place) for place in places
             if all(os.path.exists(os.path.join(place, name)) for name in thumblatch.NAMES)]
    if not whole:
        parser.error("no programs in %s: Scripts/build makes them" % " or ".join(places))
    return max(whole, key=lambda place: os.path.getmtime(place + "/thumblatchd"))


class Length:
    """How long storms take, so that random moments fall into them."""

    mean = 1.0

    def __call__(self, seconds):
        self.mean = 0.8 * self.mean + 0.2 * min(seconds, 10)


class Run:
    """Everything that is tried, by many threads."""

    def __init__(self, options, directory):
        self.options, self.directory = options, directory
        self.table, self.random = Table(), random.Random(options.seed)
        self.provider = Provider(
            SOURCES + "/Scripts/dev-backend", directory, options.access_lifetime)
        self.lock, self.stopped = threading.Lock(), threading.Event()
        self.begun = time.monotonic()
        self.hits, self.given = collections.Counter(), collections.Counter()
        self.points, self.walks, self.vaults, self.threads = {}, {}, [], []
        self.fault_count, self.tries = 0, collections.Counter()

    # MARK: Vaults

    def vault(self, number, state=None):
        base = "%s/%d" % (self.directory, number)
        os.mkdir(base, 0o700)
        if self.options.tool:
            made = other.Vault(base, self.options, self.provider, number)
            body = json.dumps({"email": made.email, "password": PASSWORD}).encode()
            urllib.request.urlopen(
                urllib.request.Request(self.provider.url + "/auth/register", body)).close()
            made.sign_in()
        else:
            made = thumblatch.Vault(base, self.programs, self.provider, number, state)
            made.sign_in("register")
        with self.lock:
            self.vaults.append(made)
        return made

    def place_programs(self):
        """A copy on the file system of the vaults, of which each takes links."""
        if self.options.tool:
            return
        self.programs = self.directory + "/programs"
        os.mkdir(self.programs, 0o755)
        for name in thumblatch.NAMES:
            shutil.copy2(os.path.join(self.options.programs, name), self.programs)

    # MARK: What comes next

    def shares(self, vault):
        wanted = dict(SHARES)
        if self.options.tool:
            wanted = {"client by call": 60, "client": 30, "engine": 30}
            if not vault.may_kill_engine:
                del wanted["engine"]
        elif self.options.no_exchange:
            wanted = {name: share for name, share in wanted.items() if "exchange" not in name}
        if self.options.at:
            wanted = {name: share for name, share in wanted.items() if "by call" in name}
        if not (self.options.no_faults or self.options.tool):
            wanted["fault"] = 10
        return wanted

    def next_task(self, vault):
        """Whoever is furthest behind his share; None when there are kills enough."""
        with self.lock:
            # Storms that are under way will bring some more.
            done = sum(self.hits[n] for n in self.hits if n != "fault")
            late = time.monotonic() - self.begun > self.options.seconds
            if done >= self.options.kills or late or self.stopped.is_set():
                return None
            wanted = self.shares(vault)
            name = min(wanted, key=lambda n: (max(self.hits[n], self.given[n] / 2)) / wanted[n])
            self.given[name] += 1
            return name

    def point(self, victim):
        """The next (call, number, options) of the walk over all of a victim's calls."""
        with self.lock:
            if not self.walks.get(victim):
                walk = list(self.points[victim])
                self.random.shuffle(walk)
                self.walks[victim] = walk
            call, number = self.walks[victim].pop()
            also = thumblatch.WATCHED if victim == "exchange" else ()
            if victim == "client":
                also = [c for c in (self.options.tool_stored or "").split(",") if c]
                also += other.WATCHED
            return call, number, traces.kill_at(call, number, also)

    def put_back(self, victim, planned, strikes):
        """Places that this storm did not come to: a call's number differs with who asks when."""
        for call, number, _ in planned:
            self.tries[victim, call, number] += 1
            if (victim, call, number) in strikes:
                self.tries[victim, call, number] = 0
            elif self.tries[victim, call, number] % 6:
                self.walks[victim].insert(0, (call, number))

    def fault(self):
        with self.lock:
            victim, call, error = FAULTS[self.fault_count % len(FAULTS)]
            numbers = [n for c, n in self.points[victim] if c == call] or [1]
            self.fault_count += 1
            number = self.random.choice(numbers)
            return victim, call, number, traces.fail_at(call, error, number)

    # MARK: The run

    def storm(self, vault, length):
        return Storm(vault, self.table, self.options.processes,
                     random.Random(self.random.random()), length)

    def work(self, vault):
        length = Length()
        while (name := self.next_task(vault)) is not None:
            storm, plans = self.storm(vault, length), {}
            if name == "fault":
                victim, *plan = self.fault()
                plans = {victim: [tuple(plan)], "is_fault": True}
            if name.startswith("engine by"):
                plans["engine"] = [self.point("engine") for _ in range(4)]
            if name.startswith("exchange"):
                plans["exchange"] = [self.point("exchange")] if "by call" in name else []
            if name == "exchange and engine by call":
                plans["engine"] = [self.point("engine")]
            if name == "client by call":
                # All of them: nobody knows which one will be the one that refreshes.
                plans["client_plans"] = [self.point("client")] * self.options.processes
            if name in ("engine", "client", "exchange"):
                plans["at_random"] = [name]
            strikes = storm.run(**plans)
            with self.lock:
                self.hits[name] += len(strikes)
                for victim in ("engine", "exchange") if name != "fault" else ():
                    self.put_back(victim, plans.get(victim, ()), strikes)
            self.tell()

    def full_disk(self):
        """The state directory on a file system of its own, filled to the last pages."""
        number = 1000
        state = "%s/full" % self.directory
        os.mkdir(state, 0o700)
        if os.system("mount -t tmpfs -o size=2m,mode=0700 none '%s'" % state) != 0:
            return self.table.note_wrong("no tmpfs could be mounted")
        vault = self.vault(number, state)
        pages = [0, 3, 8, 16] if self.options.short else [*range(0, 24), 32, 48, 64]
        for left in pages:
            if self.stopped.is_set():
                return
            # An engine that begins now makes its write-ahead log anew.
            vault.stop_engine()
            fill(state + "/filler", left)
            storm = self.storm(vault, Length())
            storm.count = min(storm.count, 10)
            storm.before_check = lambda: os.unlink(state + "/filler")
            storm.strikes = [("disk", "%d pages left" % left if left < 2 else "few pages left", 0)]
            storm.run(is_fault=True)

    def tell(self):
        if sys.stderr.isatty():
            done = sum(self.hits[n] for n in self.hits if n != "fault")
            print("\r%d of %d kills, %d s " % (
                done, self.options.kills, time.monotonic() - self.begun), end="", file=sys.stderr)

    def guard(self, work, *words):
        try:
            work(*words)
        except Exception as error:  # a driver that breaks must not look like a run that passed
            self.table.note_wrong("%s: %s: %s" % (
                getattr(words[0], "email", "") if words else "", type(error).__name__, error))
            self.stopped.set()
            traceback.print_exc()

    def run(self):
        self.place_programs()
        first = self.vault(0)
        engine, exchange = first.points()
        self.points = ({"client": engine} if self.options.tool
                       else {"engine": engine, "exchange": exchange})
        if self.options.at:
            calls = self.options.at.split(",")
            self.points = {victim: [point for point in points if point[0] in calls]
                           for victim, points in self.points.items()}
        vaults = [first] + [self.vault(n) for n in range(1, self.options.vaults)]
        threads = self.threads
        threads += [threading.Thread(target=self.guard, args=(self.work, v)) for v in vaults]
        if not (self.options.no_faults or self.options.tool) and os.getuid() == 0:
            threads.append(threading.Thread(target=self.guard, args=(self.full_disk,)))
        for thread in threads:
            thread.daemon = True
            thread.start()
        for thread in threads:
            thread.join()
        for vault in vaults:
            flaw = vault.is_whole()
            if flaw:
                self.table.note_wrong("%s: %s" % (vault.email, flaw))

    def close(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join(20)
        for vault in self.vaults:
            vault.close()
        self.provider.close()
        if os.path.ismount(self.directory + "/full"):
            os.system("umount -l '%s/full'" % self.directory)

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
        for victim, points in sorted(self.points.items()):
            print("%s: killed at %d of the %d places in its calls" % (
                victim, len(table.points[victim] & set(points)), len(points)))
        if not self.options.tool and os.getuid() != 0:
            print("left out, for only root could see why a login is lost, or fill a disk: "
                  "kills of the exchange, a full tmpfs")
        print("%d storms of %d processes, %d refreshes, %d tokens handed out, %d s, seed %d" % (
            table.storms, self.options.processes, self.provider.rotations(), table.tokens,
            time.monotonic() - self.begun, self.options.seed))
        print(table.last_line(), flush=True)


def fill(path, pages):
    """Uses up the file system but for so many pages."""
    with open(path, "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass
        size = os.fstat(file.fileno()).st_size
        file.truncate(max(0, size - size % 4096 - pages * 4096))


def main():
    options = arguments()
    directory = options.directory or tempfile.mkdtemp(prefix="tl-race-")
    os.makedirs(directory, exist_ok=True)
    run = Run(options, directory)
    # As Ctrl-C: what was started is ended before this is.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        run.run()
        run.report()
    except KeyboardInterrupt:
        print("race: interrupted", file=sys.stderr)
        return 130
    finally:
        run.close()
        if not options.directory:
            shutil.rmtree(directory, ignore_errors=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"rows": {"%s %s" % k: v for k, v in run.table.rows.items()},
                       "faults": {"%s %s" % k: v for k, v in run.table.faults.items()},
                       "losses": run.table.losses, "wrong": run.table.wrong}, file, indent=1)
    return 1 if run.table.failed() else 0


sys.exit(main())
