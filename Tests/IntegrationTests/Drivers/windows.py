"""The windows of the desktop app, as a screen reader finds them: AT-SPI, on a screen in memory.

usage: python3 -c "$(cat screen.py session.py starts.py focus.py prompts.py stalls.py layout.py windows.py)" DIRECTORY PROGRAM [ARGUMENT ...]
       python3 -c "$(cat ...)" DIRECTORY ADDRESS

It starts Xvfb, a session bus and openbox, and runs PROGRAM with this process's environment. ADDRESS is that
of a session bus that is there, for an app that is started elsewhere. Each line of standard input is an
expression. Its value is the answer, as one line of JSON. All ends with the input.
"""
import json
import os
import subprocess
import sys
import time


class Windows(Starts, Focus, Prompts, Stalls, Layout):
    """The app's windows."""

    def __init__(self, desktop):
        # The bus of AT-SPI is that of the environment at the import.
        import gi
        gi.require_version("Atspi", "2.0")
        from gi.repository import Atspi, GLib
        self.desktop, self.atspi, self.glib = desktop, Atspi, GLib
        # An app that finds no registry at its start looks for none later.
        self.until(lambda: Atspi.get_desktop(0).get_child_count() >= 0, "there is no registry")
        self.app, self.screen = None, Screen(desktop.directory + "/Xvfb_screen0")

    def animate(self):
        """Turns animations on in the app that is opened next."""
        self.desktop.animate(True)

    def open(self, **environment):
        """Starts the app, and waits for its window."""
        self.app = self.desktop.start(*sys.argv[2:], **self.probe(), **environment)
        return self.find("frame", "Thumblatch") is not None

    def quit(self):
        """Ends the app with its keyboard shortcut; returns its exit code."""
        # A thread of libdispatch's pool wakes once a second, also if nothing happens.
        pool = [name for name in self.waits() if "qos" in name]
        if pool:
            raise AssertionError("the app has a pool of threads: %s" % pool)
        self.key("ctrl+q")
        try:
            code = self.app.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise TimeoutError("the key does not end the app; there is %s" % self.summary())
        self.desktop.children.remove(self.app)
        return code

    # What is there

    def nodes(self, is_deep=True):
        """All nodes of the app's windows, in order; each needs some messages. If not `is_deep`,
        only the windows."""
        while self.glib.MainContext.default().iteration(False):
            pass
        desktop = self.atspi.get_desktop(0)
        for index in range(desktop.get_child_count()):
            application = desktop.get_child_at_index(index)
            if application is not None and application.get_process_id() == self.app.pid:
                application.clear_cache()  # With those of all nodes below.
                # The newest window first: a prompt waits for 30 seconds, and the main window has many nodes.
                for number in reversed(range(application.get_child_count())):
                    window = application.get_child_at_index(number)
                    if window is not None:
                        yield window
                        yield from self.walk(window) if is_deep else ()

    def walk(self, node):
        for index in range(node.get_child_count()):
            child = node.get_child_at_index(index)
            if child is None:
                continue
            yield child
            yield from self.walk(child)

    def shown(self, role=None, name=None):
        """The nodes with this role, and with this text in their name, that are on the screen."""
        return list(self.matching(role, name))

    def matching(self, role, name):
        for node in self.nodes():
            try:
                if name and name not in node.get_name() or role and node.get_role_name() != role:
                    continue
                is_shown = self.extents(node)[2] > 0
            except self.glib.Error:
                continue  # It went while it was read.
            if is_shown:
                yield node

    def extents(self, node):
        # GTK does not know the place of its windows on the screen.
        box = node.get_extents(self.atspi.CoordType.WINDOW)
        return [box.x, box.y, box.width, box.height]

    def until(self, is_done, what):
        limit = time.monotonic() + LIMIT
        while True:
            begin = time.monotonic()
            try:
                value = is_done()
            except (self.glib.Error, subprocess.CalledProcessError):
                value = None  # A control or a window went.
            if value:
                return value
            end = time.monotonic()
            if end > limit:
                raise TimeoutError("%s; there is %s" % (what, self.summary()))
            # The app gets about half of the time.
            time.sleep(min(max(0.01, end - begin), 0.25))

    def steadily(self, read):
        """The result of a read during which no node disappeared."""
        return self.until(lambda: [read()], "nodes come and go")[0]

    def find(self, role, name):
        return self.until(lambda: next(self.matching(role, name), None), "no %s %s" % (role, name))

    def sees(self, name, role=None):
        """Waits for a text."""
        return self.find(role, name).get_name()

    def misses(self, name):
        """Waits until no node has this text, shown or not."""
        return self.until(lambda: not any(name in text for text in self.texts()), "still " + name)

    def texts(self):
        """Everything on the accessibility bus: the names, descriptions and texts of all nodes."""
        return self.told(self.nodes())

    def told(self, nodes):
        found = []
        for node in nodes:
            found += [node.get_name() or "", node.get_description() or ""]
            text = node.get_text_iface()
            if text is not None:
                found.append(self.atspi.Text.get_text(text, 0, -1))
        return [text for text in found if text]

    def summary(self):
        return sorted({"%s: %s" % (node.get_role_name(), node.get_name()) for node in self.shown()})

    def nameless(self):
        """The controls on the screen that a screen reader cannot name."""
        roles = ("push button", "toggle button", "check box", "text", "list item", "list box", "progress bar", "switch")
        return self.steadily(lambda: [
            "%s %s" % (node.get_role_name(), node.get_name()) for node in self.shown()
            if node.get_role_name() in roles
            and (not node.get_name() or node.get_name().startswith(("Gtk", "Adw")))])

    def overflowing(self):
        """The texts and buttons that extend beyond the side of their window, and the buttons that
        extend beyond the bottom of a window without scrolling: a prompt or a dialog. Hidden nodes
        are outside the window. A label without a text is called GtkLabel. A page that is wider than
        the window makes that wider."""
        width = self.extents(self.find("frame", "Thumblatch"))[2]
        if width > self.width:
            return ["the window is %d pixels wide instead of %d" % (width, self.width)]
        return self.steadily(lambda: [name for window in self.toplevels() for name in self.cut(window)])

    def toplevels(self):
        """The app's windows that are shown."""
        application = next(self.nodes()).get_parent()
        windows = [application.get_child_at_index(index) for index in range(application.get_child_count())]
        return [window for window in windows if window is not None and self.extents(window)[2] > 0]

    def cut(self, window):
        """The texts and buttons of a window that extend beyond its side or its bottom."""
        width, height = self.extents(window)[2:]
        scrolls = window.get_name() == "Thumblatch"
        for node in self.walk(window):
            role, name = node.get_role_name(), node.get_name()
            if role not in ("label", "push button") or name == "GtkLabel":
                continue
            left, top, across, down = self.extents(node)
            is_over = left < 0 < left + across or left < width < left + across
            if is_over or role == "push button" and not scrolls and across > 0 and top + down > height:
                yield "%s: %s" % (window.get_name(), name)

    def widest(self, name):
        """The width of the widest label with this text."""
        return self.steadily(lambda: max(
            self.extents(node)[2] for node in self.shown("label", name) if node.get_name() == name))

    def is_on(self, name):
        """Whether a switch is on."""
        node = self.find("check box", name)
        return node.get_state_set().contains(self.atspi.StateType.CHECKED)

    # What the person does

    def press(self, name, role="push button"):
        """Presses a button, as a screen reader does."""
        return self.find(role, name).get_action_iface().do_action(0)

    def tool(self, *command):
        return subprocess.run(("xdotool",) + command, env=self.desktop.environment, check=True,
                              capture_output=True, text=True, timeout=LIMIT).stdout

    def click(self, name, role=None):
        x, y, width, height = self.extents(self.find(role, name))
        self.takes_keys()
        window = self.tool("getactivewindow").strip()
        self.tool("mousemove", "--window", window, str(x + width // 2), str(y + height // 2), "click", "1")

    def point_at_toasts(self):
        """Holds the pointer where toasts are shown: one below it stays, and the next ones wait."""
        width, height = self.extents(self.find("frame", "Thumblatch"))[2:]
        self.tool("mousemove", "--window", self.window(), str(width // 2), str(height - 45))

    def takes_keys(self):
        """Waits until a window of the app has the keyboard: a closing window keeps it for a moment."""
        return self.until(self.has_keys, "the keyboard is at no window of the app")

    def has_keys(self):
        """Whether a window of the app has the keyboard."""
        try:
            focused, active = self.tool("getwindowfocus"), self.tool("getactivewindow")
            return focused == active and self.tool("getwindowpid", active.strip()).strip() == str(self.app.pid)
        except subprocess.CalledProcessError:
            return False  # No window is active, or it went.

    def key(self, *keys):
        self.takes_keys()
        self.tool("key", "--clearmodifiers", *keys)

    def type(self, text):
        self.takes_keys()
        self.tool("type", "--clearmodifiers", "--delay", "1", text)

    def window(self):
        return self.until(lambda: self.tool("search", "--onlyvisible", "--name", "^Thumblatch$").split()[-1],
                          "there is no main window")

    def resize(self, width, height):
        """Resizes the window, and waits until it has this size: a higher page makes it higher."""
        window = self.window()
        self.tool("windowmove", "--sync", window, "0", "0")
        self.tool("windowsize", window, str(width), str(height))
        frame = self.find("frame", "Thumblatch")
        def is_resized():
            across, down = self.extents(frame)[2:]
            return abs(across - width) < 20 and down < height + 20
        self.until(is_resized, "not resized")
        self.width = width

    def leave(self):
        """Moves the focus from the app to the desktop behind it."""
        self.tool("mousemove", "1295", "895", "click", "1")

    def come_back(self):
        """Moves the focus to the app's window."""
        self.tool("windowactivate", self.window())

    def edges(self, name):
        """The number of pixels of a text on the screen that differ much from their left
        neighbor."""
        left, top, width, height = self.extents(self.find(None, name))
        place = self.tool("getwindowgeometry", "--shell", self.window()).split()
        x, y = (int(line.split("=")[1]) for line in place[1:3])  # behind WINDOW
        rows = [self.screen.row(y + top + line)[4 * (x + left) + 1:4 * (x + left + width):4]
                for line in range(height)]
        return sum(abs(a - b) > 60 for row in rows for a, b in zip(row, row[1:]))

    def stand_still(self):
        def is_still():
            before = self.screen.map[:]
            time.sleep(0.1)
            return before == self.screen.map[:]
        self.until(is_still, "the screen does not stand still")

    def picture(self, path):
        """Writes a picture of the screen, when it no longer changes."""
        self.stand_still()
        self.screen.write(path)


def main():
    session = Wayland if os.environ.get("XDG_SESSION_TYPE") == "wayland" else Desktop
    desktop = session(sys.argv[1], sys.argv[2] if sys.argv[2].startswith("unix:") else None)
    try:
        windows = Windows(desktop)
        print(json.dumps({"ready": True, "display": desktop.environment["DISPLAY"]}), flush=True)
        for line in sys.stdin:
            try:
                value = eval(line, {"app": windows})
                answer = {"value": value if isinstance(value, (str, int, float, bool, list, dict)) else None}
            except Exception as error:
                answer = {"error": "%s: %s" % (type(error).__name__, error)}
            print(json.dumps(answer), flush=True)
    finally:
        desktop.end()


main()
