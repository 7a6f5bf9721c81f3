"""The ways in which the desktop app starts. windows.py uses it."""
import os
import subprocess
import sys
import time

NAME = "io.thumblatch.Desktop.Private"
PATH = "/io/thumblatch/Desktop/Private"
SERVER = "org.freedesktop.Notifications"


class Stranger:
    """A program that the bus has started."""

    def __init__(self, pid):
        self.pid = pid

    def wait(self, limit):
        end = time.monotonic() + limit
        while os.path.exists("/proc/%d" % self.pid):
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired("the app", limit)
            time.sleep(0.01)


class Starts:
    """The starts of the app, with or without a window."""

    def call(self, name, path, interface, method, types, *values):
        from gi.repository import Gio, GLib
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        return bus.call_sync(name, path, interface, method, GLib.Variant(types, values), None, 0,
                             LIMIT * 1000).unpack()

    def bus(self, method, types, *values):
        return self.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method,
                         types, *values)[0]

    def runs(self):
        """Whether the app runs."""
        return self.bus("NameHasOwner", "(s)", NAME)

    def follow(self):
        """Makes the running app the one whose windows are examined."""
        self.app = Stranger(self.bus("GetConnectionUnixProcessID", "(s)", NAME))

    def attach(self, process):
        """Uses an app that was started elsewhere, and waits for its window."""
        self.app = Stranger(process)
        return self.find("frame", "Thumblatch") is not None

    def ask(self, action=None):
        """Requests a window or an action of the app over the bus, which starts the app if it does
        not run. An action without a window ends it again."""
        application = (NAME, PATH, "org.freedesktop.Application")
        if action is None:
            self.call(*application, "Activate", "(a{sv})", {})
        else:
            self.call(*application, "ActivateAction", "(sava{sv})", action, [], {})
        if action not in ("quit", "lock"):
            self.follow()

    def hide(self, command):
        """Starts the app by a command line without a window, and waits until it runs."""
        self.desktop.start("/bin/sh", "-c", "exec " + command)
        self.until(self.runs, "the app does not run")
        self.follow()

    def again(self, *options):
        """Starts the app a second time; returns the exit code."""
        child = self.desktop.start(*sys.argv[2:], *options)
        code = child.wait(LIMIT)
        self.desktop.children.remove(child)
        return code

    def start_other(self, *command):
        """Starts another program of the desktop."""
        self.other = self.desktop.start(*command)

    def end_other(self):
        self.desktop.children.remove(self.other)
        self.other.terminate()
        self.other.wait(LIMIT)

    def take_notices(self):
        """Starts a notification server that remembers what it is to show."""
        self.desktop.start("/usr/bin/python3", "-m", "dbusmock", "--session", "--template", "notification_daemon",
                           "--parameters", '{"capabilities": "actions body"}')
        self.until(lambda: self.bus("NameHasOwner", "(s)", SERVER), "no notification server")

    def serve(self, method, types, *values):
        return self.call(SERVER, "/org/freedesktop/Notifications", "org.freedesktop.DBus.Mock", method, types, *values)

    def notice(self, text):
        """Waits for a notification with this text; returns its title, its text and the labels of its actions."""
        def found():
            for _, values in self.serve("GetMethodCalls", "(s)", "Notify")[0]:
                if text in values[4]:
                    return [values[3], values[4]] + values[5][1::2]
        return self.until(found, "no notification " + text)

    def choose(self, action):
        """Chooses an action of the first notification, as its server tells it."""
        from gi.repository import GLib
        values = [GLib.Variant("u", 1), GLib.Variant("s", action)]
        self.serve("EmitSignal", "(sssav)", SERVER, "ActionInvoked", "us", values)

    def windows(self):
        """The names of the windows that are shown."""
        return self.steadily(lambda: [node.get_name() for role in ("frame", "dialog") for node in self.shown(role)])

    def enlarge(self, factor):
        """Makes the text larger in the app that is opened next."""
        subprocess.run(("xprop", "-root", "-f", "RESOURCE_MANAGER", "8s", "-set", "RESOURCE_MANAGER",
                        "Xft.dpi:\t%d" % (96 * factor)), env=self.desktop.environment, check=True)
