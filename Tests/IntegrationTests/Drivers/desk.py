"""A real desktop without a screen: Xvfb, openbox, notification-daemon and a session bus of one user.

usage: python3 -c "$(cat screen.py session.py notifications.py desk.py)" DIRECTORY [ADDRESS]

ADDRESS is that of the user's session bus. Without it, a bus is started. Each line of standard input is an
expression. Its value is the answer, as one line of JSON. The programs end with the input.
"""
import json
import os
import subprocess
import sys
import threading
import time

from gi.repository import Gio, GLib

LIMIT = 60


class Desk(Pictures):
    """The programs of the desktop, and the messages that a monitor of its bus has seen."""

    def __init__(self, directory, address=None):
        self.directory = directory
        self.children, self.server = [], None
        self.changed = threading.Condition()
        self.notified, self.shown, self.signals = {}, [], []
        self.clients, self.closed, self.typed = set(), set(), set()
        self.address = address or "unix:path=%s/bus" % directory
        reading, writing = os.pipe()
        self.start("Xvfb", "-displayfd", str(writing), "-screen", "0", "900x600x24", "-nolisten", "tcp",
                   "-noreset", "-fbdir", directory, keep=[writing])
        os.close(writing)
        with os.fdopen(reading) as pipe:
            self.display = ":" + pipe.readline().strip()
        self.screen = Screen(directory + "/Xvfb_screen0")
        # xdotool changes the keyboard for a letter that it lacks, and programs learn that too late.
        self.tool("setxkbmap", "de")
        if not address:
            self.start("dbus-daemon", "--session", "--address=" + self.address, "--nofork", "--nopidfile",
                       "--print-address=1", output=subprocess.PIPE).stdout.readline()
        manage_windows(directory, self.start)
        self.bus, self.monitor = self.connect(), self.connect()
        self.watch()
        self.start_server()

    def start(self, *command, keep=(), output=subprocess.DEVNULL):
        environment = {
            "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": self.directory,
            "XDG_RUNTIME_DIR": self.directory, "DBUS_SESSION_BUS_ADDRESS": self.address,
            "DISPLAY": getattr(self, "display", ""),
        }
        child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=subprocess.DEVNULL, pass_fds=keep)
        self.children.append(child)
        return child

    def start_server(self):
        self.server = self.start("/usr/lib/notification-daemon/notification-daemon")
        self.until(lambda: self.call("org.freedesktop.DBus", "/org/freedesktop/DBus",
                                     "org.freedesktop.DBus", "NameHasOwner", "(s)", NAME)[0])

    def connect(self):
        kinds = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        return Gio.DBusConnection.new_for_address_sync(self.address, kinds, None, None)

    def call(self, name, path, interface, method, kinds, *values, on=None):
        return (on or self.bus).call_sync(
            name, path, interface, method, GLib.Variant(kinds, values) if kinds else None, None,
            Gio.DBusCallFlags.NONE, LIMIT * 1000, None).unpack()

    def until(self, is_done):
        if not self.wait(LIMIT, is_done):
            raise TimeoutError(self.shown[-4:], self.signals[-8:])
        return is_done()

    def wait(self, seconds, is_done):
        limit = time.monotonic() + seconds
        # The lock is not held: a call waits for the thread that reports the monitor's messages.
        while not is_done():
            if time.monotonic() > limit:
                return False
            with self.changed:
                self.changed.wait(0.02)
        return True

    # What programs say to the server

    def watch(self):
        self.is_watching = False
        self.monitor.add_filter(self.saw)
        self.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Monitoring",
                  "BecomeMonitor", "(asu)", [], 0, on=self.monitor)
        self.is_watching = True

    def saw(self, connection, message, incoming):
        with self.changed:
            body = message.get_body().unpack() if message.get_body() else ()
            if message.get_member() == "Notify":
                self.notified[message.get_sender(), message.get_serial()] = body
                self.clients.add(message.get_sender())
            elif message.get_member() in ("ActionInvoked", "NotificationClosed"):
                self.signals.append([message.get_member(), *body])
                if message.get_sender() != self.bus.get_unique_name() and len(body) == 2 \
                        and message.get_member() == "NotificationClosed":
                    self.closed.add(body[0])
            key = message.get_destination(), message.get_reply_serial()
            if incoming and key in self.notified:
                asked = self.notified.pop(key)
                self.closed.discard(body[0])
                self.shown.append({"id": body[0], "body": asked[4], "actions": asked[5][1::2],
                                   "keys": asked[5][0::2], "hints": asked[6]})
            self.changed.notify_all()
        # A monitor that answers a call is disconnected.
        return None if self.is_watching else message

    def await_shown(self, text, above=0):
        """The first notification with a text and an id, or a change of it."""
        def found():
            return [each for each in self.shown[above:] if text in each["body"]]
        return self.until(found)[0]

    def count(self):
        return len(self.shown)

    def await_signal(self, *signal, times=1):
        self.until(lambda: self.signals.count(list(signal)) >= times)

    # What the person does

    def tool(self, *command):
        return subprocess.run(command, env={**os.environ, "DISPLAY": self.display}, check=True,
                              capture_output=True, text=True, timeout=LIMIT).stdout

    def click(self, label):
        """Clicks a button of the open notification, when it is the only one and has this label."""
        count, wanted = len(self.signals), []

        def is_clicked():
            # The server shows one notification at a time. It may change while this looks for its button.
            shown = [each for each in self.shown if {each["id"]} == self.open()][-1:]
            labels = shown[0]["actions"] if shown else []
            if label in labels and not has_come() and (place := self.button(label, labels)):
                wanted.append(["ActionInvoked", shown[0]["id"], shown[0]["keys"][labels.index(label)]])
                self.tool("xdotool", "mousemove", *map(str, place), "click", "1")
                self.wait(1, has_come)  # The first click may only have entered the button.
            return has_come()

        def has_come():
            return any(signal in wanted for signal in self.signals[count:])
        self.until(is_clicked)

    def click_text(self):
        """Clicks on the text of the open notification, as a person does to put it away."""
        shown = self.open()
        def is_closed():
            if windows := self.search("--class", "notification"):
                left, top, *_ = self.place(windows[0])
                self.tool("xdotool", "mousemove", str(left + 40), str(top + 30), "click", "1")
            return bool(shown & self.closed)
        self.until(is_closed)

    def open(self):
        """The ids of the notifications that are not closed."""
        return {each["id"] for each in self.shown} - self.closed - {0}

    def await_open(self, count):
        self.until(lambda: len(self.open()) == count)

    def button(self, label, labels):
        """The middle of a button, when the server has drawn as many words as there are labels, and
        no longer moves them. The last line of the text is drawn first, and looks like a button."""
        self.tool("xdotool", "mousemove", "0", "599")
        found = self.buttons()
        self.wait(0.3 if len(labels) == 1 else 0, lambda: False)
        if not found or found != self.buttons() or len(found[0]) != len(labels):
            return None
        return sum(found[0][labels.index(label)]) // 2, found[1]

    def buttons(self):
        """Where the words of the notification's buttons are; None if no notification is on the screen."""
        windows = self.search("--class", "notification")
        if len(windows) != 1:
            return None
        left, top, width, height = self.place(windows[0])
        # Without the round corners. A space between words is narrower than one between buttons.
        return self.screen.words(left + 20, top + 20, left + width - 20, top + height - 12, gap=14)

    def place(self, window):
        """The left and upper edge of a window, its width and its height."""
        lines = self.tool("xdotool", "getwindowgeometry", "--shell", window).split()
        return [int(line.split("=")[1]) for line in lines[1:5]]  # behind WINDOW

    def type(self, text):
        """Types into the next window of pinentry, and presses Enter."""
        self.focus()
        self.tool("xdotool", "type", text)
        self.tool("xdotool", "key", "Return")

    def press(self, key):
        self.focus()
        self.tool("xdotool", "key", key)

    def focus(self):
        """Waits until the next window of pinentry has the keyboard."""
        def is_focused():
            windows = [each for each in self.windows() if each not in self.typed]
            focus = self.tool("xdotool", "getwindowfocus").strip()
            if focus not in windows:
                return False
            self.typed.add(focus)
            return True
        self.until(is_focused)

    def search(self, *what):
        """The visible windows of this kind."""
        found = subprocess.run(["xdotool", "search", "--onlyvisible", *what], text=True,
                               env={**os.environ, "DISPLAY": self.display}, capture_output=True)
        return found.stdout.split()

    def windows(self):
        """The windows of pinentry."""
        found = self.search("--name", "^Thumblatch$")
        # A later program may get the number of a window that is gone.
        self.typed &= set(found)
        return found

    def has_window(self):
        return bool(self.windows())

    def await_window(self):
        self.until(self.has_window)

    def await_no_window(self):
        self.until(lambda: not self.has_window())

    # What other programs of the user do

    def forge(self, member, *values):
        """Sends a signal in the server's name from another program, to all and to each client."""
        kinds = "(us)" if member == "ActionInvoked" else "(uu)"
        for name in (None, *self.clients):
            self.bus.emit_signal(name, PATH, NAME, member, GLib.Variant(kinds, values))
        self.bus.flush_sync(None)
        self.await_signal(member, *values, times=1 + len(self.clients))

    def kill_server(self):
        self.server.kill()
        self.server.wait()
        self.closed |= self.open()

    def replace_server(self, number, *capabilities):
        """Replaces the real server with one that answers each notification with the same id."""
        self.kill_server()
        self.false = FalseServer(self.connect(), number, capabilities or ("actions", "body"))
        self.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                  "(su)", NAME, 4, on=self.false.bus)

    def close(self, number):
        self.call(NAME, PATH, NAME, "CloseNotification", "(u)", number)

    def close_last(self):
        self.close(self.shown[-1]["id"])

    def programs(self, name):
        """The processes of a name on this desktop."""
        found = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/comm" % process) as comm, open("/proc/%s/environ" % process) as variables:
                    if comm.read().strip() == name and self.address in variables.read():
                        found.append(int(process))
            except OSError:
                continue
        return found

    def kill(self, name):
        for process in self.programs(name):
            os.kill(process, 9)

    def end(self):
        for child in reversed(self.children):
            child.kill()
            child.wait()


def main():
    desk = Desk(*sys.argv[1:])
    print(json.dumps({"display": desk.display, "address": desk.address}), flush=True)
    try:
        for line in sys.stdin:
            try:
                print(json.dumps({"value": eval(line, {"desk": desk})}), flush=True)
            except Exception as error:  # the test says what failed
                print(json.dumps({"error": repr(error)}), flush=True)
    finally:
        desk.end()


main()
