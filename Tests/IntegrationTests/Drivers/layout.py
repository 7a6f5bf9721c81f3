"""The layout of the desktop app, which layout.c examines from inside. windows.py uses it."""
import os
import signal
import time


class Layout:
    """The faults of the shown windows."""

    def probe(self):
        """The environment with which the app tells its faults; LAYOUT_PROBE names the built library."""
        library = os.environ.get("LAYOUT_PROBE")
        return {"LD_PRELOAD": library, "LAYOUT_REPORT": self.report()} if library else {}

    def report(self):
        return self.desktop.directory + "/layout"

    def faults(self):
        """The texts that are cut, and the controls that overlap."""
        report = self.report()
        if os.path.exists(report):
            os.unlink(report)
        os.kill(self.app.pid, signal.SIGUSR1)
        self.until(lambda: os.path.exists(report), "no report")
        with open(report) as file:
            return sorted(set(file.read().splitlines()))

    def layout(self):
        """The faults that stay: a page that was just resized gets its place in the next frames."""
        end = time.monotonic() + 2
        while True:
            found = self.faults()
            if not found or time.monotonic() > end:
                return found
            time.sleep(0.05)
