"""The race kit: what is tried, by how many threads, and what is told of it; options.py says all."""
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

import options
import other
import processes
import thumblatch
import traces
from provider import PASSWORD, Provider
from storm import Storm
from table import Table

# How many of a hundred kills go to whom. What is last is tried last.
SHARES = {"engine by call": 45, "exchange by call": 15, "engine": 14, "client": 12,
          "exchange and engine by call": 8, "exchange": 6}
FAULTS = [("engine", call, error) for call, error in (
    ("pwrite64", "ENOSPC"), ("pwrite64", "EIO"), ("fdatasync", "EIO"), ("fsync", "EIO"),
    ("write", "ENOSPC"), ("ftruncate", "EIO"), ("renameat", "EIO"), ("unlinkat", "EIO"))]
FAULTS += [("exchange", "pwrite64", "ENOSPC"), ("exchange", "pwrite64", "EIO"),
           ("exchange", "fdatasync", "EIO"), ("exchange", "pread64", "EIO")]


class Length:
    """How long storms take, so that random moments fall into them."""

    mean = 1.0

    def __call__(self, seconds):
        self.mean = 0.8 * self.mean + 0.2 * min(seconds, 10)


class Run:
    """Everything that is tried, by many threads."""

    def __init__(self, given, directory):
        self.options, self.directory = given, directory
        self.table, self.random = Table(), random.Random(given.seed)
        self.provider = Provider(
            options.SOURCES + "/Scripts/dev-backend", directory, given.access_lifetime)
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
        except processes.Stopped:
            pass
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
        if any(thread.is_alive() for thread in self.threads):
            processes.stop()
        for thread in self.threads:
            if thread.is_alive():
                thread.join(60)
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
    given = options.arguments()
    directory = given.directory or tempfile.mkdtemp(prefix="tl-race-")
    os.makedirs(directory, exist_ok=True)
    run = Run(given, directory)
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
        if not given.directory:
            shutil.rmtree(directory, ignore_errors=True)
    if given.json:
        with open(given.json, "w") as file:
            json.dump({"rows": {"%s %s" % k: v for k, v in run.table.rows.items()},
                       "faults": {"%s %s" % k: v for k, v in run.table.faults.items()},
                       "losses": run.table.losses, "wrong": run.table.wrong}, file, indent=1)
    return 1 if run.table.failed() else 0


sys.exit(main())
