"""The desktop app against an empty window of libadwaita: the time to the first frame, and the memory.

Both run in turn on one screen in memory, whose picture is a file: a frame is there when a point in the
middle of the window is drawn.
"""

import os
import statistics
import subprocess
import sys
import time

from .programs import TOP, compiled, output

sys.path.insert(0, os.path.join(TOP, "Tests/IntegrationTests/Drivers"))
from screen import Screen
from session import Desktop

# Times the empty window.
FIRST_FRAME, MEMORY = 1.2, 1.3
# Seconds.
PATIENCE, STILL = 20, 1
ACCOUNTS = 10


class Stage:
    """The screen, and the programs on it, one at a time."""

    def __init__(self, directory):
        os.mkdir(directory, 0o700)
        self.desktop = Desktop(directory)
        self.screen = Screen(directory + "/Xvfb_screen0")

    def point(self):
        return self.screen.row(300)[4 * 400:4 * 401]

    def wait(self, holds):
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > deadline:
                raise TimeoutError("the screen does not change")
            time.sleep(0.0002)

    def show(self, *command):
        """The milliseconds from the start of a program to its first frame, and the memory in kB:
        the resident set, and its anonymous part."""
        empty = self.point()
        begun = time.perf_counter()
        process = self.desktop.start(*command)
        self.wait(lambda: self.point() != empty)
        took = (time.perf_counter() - begun) * 1000
        memory = still_memory(process.pid)
        process.terminate()
        process.wait()
        self.desktop.children.remove(process)
        self.wait(lambda: self.point() == empty)
        return took, *memory


def memory_of(process):
    """The resident set, and its anonymous part. The app prevents other reads of its memory, but not
    this."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        sizes = {words[0]: int(words[1]) for words in map(str.split, file) if len(words) > 1 and words[0] in (
            "VmRSS:", "RssAnon:")}
    return sizes["VmRSS:"], sizes["RssAnon:"]


def still_memory(process):
    """The memory when it has not changed for some time, and everything is drawn."""
    memory, since = memory_of(process), time.monotonic()
    while time.monotonic() - since < STILL:
        time.sleep(0.05)
        now = memory_of(process)
        if now != memory:
            memory, since = now, time.monotonic()
    return memory


def measure(engine, directory, programs, environment, runs):
    """Prints the medians, and returns those beyond their limit. `engine` has the account `me`."""
    provider = engine.call("AccountProvider", account="me")["parameters"]["provider"]
    for number in range(1, ACCOUNTS):
        answer = engine.call("Register", account=f"window-{number}", name="A",
                             email=f"window-{number}@example.org", password="backend-password-1",
                             provider=provider)
        assert "error" not in answer, answer
    flags = output(["pkg-config", "--cflags", "--libs", "libadwaita-1"]).split()
    floor = [compiled(directory, "Tests/Measure/floors/window.c", *flags)]
    app = [os.path.join(programs, "thumblatch-desktop"), "--private"]
    before = dict(os.environ)
    os.environ.update(environment)
    stage = None
    try:
        stage = Stage(os.path.join(directory, "screen"))
        rounds = [(stage.show(*floor), stage.show(*app)) for _ in range(runs + 1)][1:]
    finally:
        if stage:
            stage.desktop.end()
        os.environ.clear()
        os.environ.update(before)
    print(f"window, {runs} runs each in turn, {ACCOUNTS} accounts, medians:")
    lines = [told(name, unit, index, limit, rounds) for name, unit, index, limit in (
        ("first frame", "ms", 0, FIRST_FRAME), ("resident memory", "kB", 1, MEMORY),
        ("of that, no file's", "kB", 2, None))]
    return [line for line in lines if line]


def told(name, unit, index, limit, rounds):
    """Prints one line, and returns it if it exceeds the limit."""
    empty, own = (statistics.median(pair[which][index] for pair in rounds) for which in (0, 1))
    ratio = statistics.median(app[index] / floor[index] for floor, app in rounds)
    line = (f"{name:<18} empty window {empty:.0f} {unit}, app {own:.0f} {unit}, {ratio:.2f} times"
            + (f" (limit {limit})" if limit else ""))
    print("  " + line)
    return line if limit and ratio > limit else None
