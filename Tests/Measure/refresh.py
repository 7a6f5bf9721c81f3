"""A rotated refresh in the private form, with and without a spare exchange helper.

The result is the time without the POST. It is compared with one POST, one slot write and one commit
of a C program in the same run.
"""
import json
import os
import statistics
import subprocess
import time
import urllib.request

FLOOR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "floors/refresh.c")
# Milliseconds.
LIMITS = {"helper started ahead": 4, "cold": 20}
# Seconds before each request, because an account may be refreshed again only after some time.
PAUSE = 2
# The full lifetime of a new token, so that a token that is a second old is too short.
LIFETIME = 3600


def processes_of(path):
    """The processes that run a program."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{process}/exe") == path:
                found.append(int(process))
        except OSError:
            pass  # it has ended
    return found


def spare(path, used):
    """The spare exchange helper, when it has begun to wait. It is added to the known ones."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for process in set(processes_of(path)) - used:
            with open(f"/proc/{process}/wchan", encoding="ascii") as file:
                if "poll" in file.read():
                    used.add(process)
                    return process
        time.sleep(0.01)
    raise TimeoutError("no helper was started ahead")


def proportional_size(process):
    """The size in MiB (proc(5), smaps_rollup)."""
    try:
        with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
            size = next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        return f"{size / 1024:.1f} MiB"
    except PermissionError:
        return "not for this user to see"


class Floor:
    """Milliseconds of a POST, a slot write and a commit of a C program."""

    def __init__(self, directory, port):
        program = os.path.join(directory, "refresh-floor")
        subprocess.run(["cc", "-O2", "-o", program, FLOOR, "-lsqlite3"], check=True)
        body = json.dumps({"email": "floor@example.org", "password": "floor"}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{port}/auth/register", body,
                                         {"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request) as answer:
            token = json.load(answer)["refresh_token"]
        self.process = subprocess.Popen(
            [program, str(port), os.path.join(directory, "slot"),
             os.path.join(directory, "floor.db")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.process.stdin.write(token + "\n")
        self.rounds = []

    def round(self):
        # The same pause as before a refresh: caches are as cold, and the disk is as idle.
        time.sleep(PAUSE)
        self.process.stdin.write("\n")
        self.rounds.append([int(word) / 1e6 for word in self.process.stdout.readline().split()])

    def medians(self):
        self.process.stdin.close()
        self.process.wait()
        return [statistics.median(column) for column in zip(*self.rounds)]


def measure(engine, helper, directory, issuer, runs):
    """Refreshes over a connection to the engine. `helper` is its path. Returns the
    figures beyond their limits."""
    def refresh():
        time.sleep(PAUSE)
        begun = time.perf_counter()
        reply = engine.call("AccessToken", account="me", minimum_lifetime=LIFETIME)
        assert "access_token" in reply["parameters"], reply
        return (time.perf_counter() - begun) * 1000

    times = {name: [] for name in LIMITS}
    floor = Floor(directory, issuer.rsplit(":", 1)[1])
    used = set()
    refresh()
    for _ in range(runs):
        size = proportional_size(spare(helper, used))
        times["helper started ahead"].append(refresh())
        os.kill(spare(helper, used), 9)
        times["cold"].append(refresh())
        floor.round()
    post, slot, commit = floor.medians()
    print(f"refresh, {runs} runs each, medians:")
    print(f"  C: POST {post:.2f} ms, slot write {slot:.2f} ms, commit {commit:.2f} ms")
    broken = []
    for name, taken in times.items():
        whole = statistics.median(taken)
        own = whole - post
        print(f"  {name:<22} {whole:7.2f} ms, own part {own:6.2f} ms (at most {LIMITS[name]})")
        if own > LIMITS[name]:
            broken.append(f"refresh, {name}: own part {own:.2f} ms")
    print(f"  the exchange helper that waits: PSS {size}")
    return broken
