"""The next try: which program is killed, and at which call."""
import collections
import threading
import time

import other
import traces
import tracing

# How many of a hundred kills each victim gets. The last entry is tried last.
SHARES = {"engine by call": 45, "exchange by call": 15, "engine": 14, "client": 12,
          "exchange and engine by call": 8, "exchange": 6}
# These come first, if there is a browser or a device to sign in with.
LOGIN_SHARES = {"code engine by call": 22, "device engine by call": 14,
                "code exchange by call": 10, "device exchange by call": 6}
# A sample needs this many kills, if each kind has hit.
SAMPLE = 10
FAULTS = [("engine", call, error) for call, error in (
    ("pwrite64", "ENOSPC"), ("fdatasync", "EIO"), ("pwrite64", "EIO"), ("fsync", "EIO"),
    ("write", "ENOSPC"), ("ftruncate", "EIO"), ("renameat", "EIO"), ("unlinkat", "EIO"))]
FAULTS += [("exchange", "pwrite64", "ENOSPC"), ("exchange", "fdatasync", "EIO"),
           ("exchange", "pwrite64", "EIO"), ("exchange", "pread64", "EIO")]


def kind(name):
    """The kind of this share: client, engine, exchange, login or fault."""
    first = name.split()[0]
    return "login" if first in ("code", "device") else first


class Plans:
    """Shares and walks. A way is `password` or `oidc` for refreshes, or `code` or `device` for
    sign-ins."""

    def __init__(self, options, random):
        self.options, self.random = options, random
        self.lock, self.begun = threading.Lock(), time.monotonic()
        self.points = {}  # way -> victim -> [(call, number)]
        self.walks, self.tries = {}, collections.Counter()
        self.hits, self.given = collections.Counter(), collections.Counter()
        self.fault_counts = collections.Counter()

    def add_points(self, way, **points):
        calls = self.options.at and self.options.at.split(",")
        self.points[way] = {victim: [p for p in found if not calls or p[0] in calls]
                            for victim, found in points.items()}

    def done(self):
        return sum(count for (_, name), count in self.hits.items() if name != "fault")

    def seconds(self):
        return time.monotonic() - self.begun

    def shares(self, vault):
        wanted = dict(SHARES)
        if "code" in self.points and vault.way == "oidc":
            wanted = LOGIN_SHARES | wanted
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
        """The share that is furthest behind, or None if there are enough kills."""
        with self.lock:
            wanted = self.shares(vault)
            # Storms that are under way will add some more.
            if self.done() >= self.options.kills or self.seconds() > self.options.seconds:
                wanted = self.missing(wanted)
            if not wanted:
                return None
            name = min(wanted, key=lambda n: max(
                self.hits[vault.way, n], self.given[vault.way, n] / 2) / wanted[n])
            self.given[vault.way, name] += 1
            return name

    def missing(self, wanted):
        """With --short: the missing part of a sample, for at most sixteen times the time."""
        if not self.options.short or self.seconds() > 16 * self.options.seconds:
            return {}
        if self.done() < SAMPLE:
            return wanted
        hit = {kind(name) for (_, name), count in self.hits.items() if count}
        return {name: share for name, share in wanted.items() if kind(name) not in hit}

    def note(self, vault, name, strikes):
        with self.lock:
            self.hits[vault.way, name] += len(strikes)

    def point(self, way, victim):
        """The next (call, number, options) of the walk over all of a victim's calls."""
        with self.lock:
            if not self.walks.get((way, victim)):
                walk = list(self.points[way][victim])
                self.random.shuffle(walk)
                self.walks[way, victim] = walk
            call, number = self.walks[way, victim].pop()
            also = tracing.WATCHED if victim == "exchange" else ()
            if victim == "client":
                also = [c for c in (self.options.tool_stored or "").split(",") if c]
                also += other.WATCHED
            return call, number, traces.kill_at(call, number, also)

    def put_back(self, way, victim, planned, strikes):
        """Puts back the calls that this storm did not reach: a call's number differs with the order
        of callers."""
        with self.lock:
            for call, number, _ in planned:
                self.tries[way, victim, call, number] += 1
                if (victim, call, number) in strikes:
                    self.tries[way, victim, call, number] = 0
                elif self.tries[way, victim, call, number] % 6:
                    self.walks[way, victim].insert(0, (call, number))

    def fault(self, way):
        with self.lock:
            victim, call, error = FAULTS[self.fault_counts[way] % len(FAULTS)]
            numbers = [n for c, n in self.points[way][victim] if c == call] or [1]
            self.fault_counts[way] += 1
            number = self.random.choice(numbers)
            return victim, call, number, traces.fail_at(call, error, number)
