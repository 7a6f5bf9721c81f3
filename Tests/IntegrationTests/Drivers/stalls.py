"""How long a program with windows does not respond, and how often it wakes. windows.py uses it."""
import os
import subprocess
import sys
import time

# Asks the app of a process for something that no cache has, again and again, until its input ends. Prints
# the longest time of an answer in milliseconds, less the time that the answer waited for the machine. The longer
# one of two times is subtracted, because they overlap:
# - the time for which the app's main thread could run and had no processor (the second number of schedstat);
# - the lateness of a thread that only sleeps: the bus and this program wait for the processor as long. A timer is
#   always late by some microseconds, so less than 1 ms is not counted.
ASKING = """
import select, sys, threading, time, gi
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi
desktop = Atspi.get_desktop(0)
apps = [desktop.get_child_at_index(index) for index in range(desktop.get_child_count())]
Atspi.set_timeout(30000, 30000)
stat = "/proc/%s/task/%s/schedstat" % (sys.argv[1], sys.argv[1])
late, ticks, ticked = 0, 0, threading.Condition()
def sleep():
    global late, ticks
    while True:
        begin = time.monotonic()
        time.sleep(0.002)
        with ticked:
            over = time.monotonic() - begin - 0.002
            late, ticks = late + (over if over >= 0.001 else 0), ticks + 1
            ticked.notify()
threading.Thread(target=sleep, daemon=True).start()
def queued():
    with open(stat) as file:
        return int(file.read().split()[1]) / 1e9
def lateness():
    with ticked:
        next_tick = ticks + 1
        ticked.wait_for(lambda: ticks >= next_tick)  # It tells what has passed until this instant.
        return late
frame = next(app.get_child_at_index(0) for app in apps if app and app.get_process_id() == int(sys.argv[1]))
print("ready", flush=True)
longest = 0
while not select.select([sys.stdin], [], [], 0.002)[0]:
    before, waited, begin = late, queued(), time.monotonic()
    frame.get_extents(Atspi.CoordType.WINDOW)
    took, waited = time.monotonic() - begin, queued() - waited
    longest = max(longest, took - max(waited, lateness() - before))
print(round(1000 * longest))
"""


class Stalls:
    """Measures the main loop of `app` during other actions, with a process of its own, and the
    threads of `app` while it is idle."""

    def watch(self):
        """Begins to measure."""
        self.watcher = subprocess.Popen(
            (sys.executable, "-c", ASKING, str(self.app.pid)), env=self.desktop.environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self.watcher.stdout.readline() == "ready\n"

    def longest_stall(self):
        """The longest time since `watch` in which the app did not respond, in milliseconds."""
        return int(self.watcher.communicate(timeout=LIMIT)[0])

    def waits(self):
        """The threads of the app, and how often each has waited (proc_pid_status(5))."""
        tasks, found = "/proc/%d/task/" % self.app.pid, {}
        for task in os.listdir(tasks):
            try:
                with open(tasks + task + "/comm") as name, open(tasks + task + "/status") as status:
                    count = next(line for line in status if line.startswith("voluntary_ctxt_switches"))
                    found[task + " " + name.read().strip()] = int(count.split()[1])
            except (FileNotFoundError, ProcessLookupError):
                pass  # The thread has ended.
        return found

    def awake(self, seconds):
        """The threads that wake during some seconds, after the app has become idle: a tooltip may
        appear first."""
        def is_still():
            before = self.waits()
            time.sleep(2)
            return before == self.waits()
        self.until(is_still, "a thread wakes each second")
        before = self.waits()
        time.sleep(seconds)
        return sorted(name for name, count in self.waits().items() if before.get(name) != count)
