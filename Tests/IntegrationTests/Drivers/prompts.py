"""The prompts of the desktop app on a screen in memory. windows.py uses it."""
import os
import signal
import subprocess
import threading
import time

TITLES = ("Presence Check", "Anwesenheitspr\u00fcfung")


class Prompts:
    """The part of windows.py for windows other than the main window."""

    def awaits_focus(self, name, title="Presence Check"):
        """Waits until a control of the window with this title has its focus; returns the text that
        a screen reader speaks after the name of the control. The accessibility bus does not say
        which of several windows is active."""
        focused = self.atspi.StateType.FOCUSED

        def found():
            for node in self.below(title):
                if node.get_state_set().contains(focused) and name in node.get_name():
                    return [node.get_description() or ""]
        return self.until(found, "no focus on " + name)[0]

    def place(self, title=None):
        """The position of a window's content on the screen: of the active window, or of the one
        with a title."""
        window = self.search("--onlyvisible", title)[-1] if title else self.tool("getactivewindow").strip()
        lines = self.tool("getwindowgeometry", "--shell", window).split()
        return [int(line.split("=")[1]) for line in lines[1:5]]

    def is_viewable(self, title):
        """Whether a window with this title is on the screen, and not minimized."""
        return bool(self.search("--onlyvisible", title))

    def search(self, *words):
        try:
            return self.tool("search", *words[:-1], "--name", "^%s$" % words[-1]).split()
        except Exception:
            return []  # xdotool fails if it finds none.

    def minimize(self):
        """Minimizes the main window, and waits until it is gone."""
        self.tool("windowminimize", self.window())
        return self.until(lambda: not self.is_viewable("Thumblatch"), "not minimized")

    def shows_whole(self, text, role="label"):
        """Waits until a prompt shows a text whole: a longer one is scrolled."""
        def is_whole():
            label = pane = self.in_prompt(role, text)
            while pane and pane.get_role_name() != "scroll pane":
                pane = pane.get_parent()
            if not pane:
                return False
            (_, top, _, height), (_, begin, _, room) = self.extents(label), self.extents(pane)
            return begin <= top and top + height <= begin + room
        return self.until(is_whole, "the prompt scrolls")

    def contrast(self, name, role=None):
        """The contrast of a text in the main window by WCAG 2: of the pixel that differs most from the commonest one."""
        def linear(level):
            return level / 12.92 if level <= 0.03928 else ((level + 0.055) / 1.055) ** 2.4

        def light(pixel):
            return sum(part * linear(level / 255) for part, level in zip((0.0722, 0.7152, 0.2126), pixel))
        self.tool("mousemove", "1295", "895")  # The pointer is no text.
        self.stand_still()
        left, top, width, height = self.extents(self.find(role, name))
        x, y, across = self.place("Thumblatch")[:3]
        # GTK draws a border around the content, which the extents do not count.
        border = (across - self.extents(self.find("frame", "Thumblatch"))[2]) // 2
        x, y = x + border, y + border
        rows = [self.screen.row(y + top + line)[4 * (x + left):4 * (x + left + width)] for line in range(height)]
        pixels = [row[at:at + 3] for row in rows for at in range(0, len(row), 4)]
        behind = light(max(set(pixels), key=pixels.count))
        return max((max(behind, other) + 0.05) / (min(behind, other) + 0.05) for other in map(light, set(pixels)))

    def freeze(self, is_frozen):
        """Stops the window manager, without which no window appears, or lets it continue."""
        manager = next(child for child in self.desktop.children if "openbox" in child.args[0])
        os.kill(manager.pid, signal.SIGSTOP if is_frozen else signal.SIGCONT)

    def lies_within(self, name, title, role=None):
        """Whether a text is completely within its window, and the window within the screen."""
        left, top, width, height = self.extents(self.find(role, name))
        x, y, across, down = self.place(title)
        return (x >= 0 and y >= 0 and x + across <= self.screen.width and y + down <= self.screen.height
                and left >= 0 and top >= 0 and left + width <= across and top + height <= down)

    def marks(self, name, role=None, place=None):
        """The columns and rows of those pixels of a control that differ much from their left neighbor, in the
        active window or in one at a place."""
        left, top, width, height = self.extents(self.in_prompt(role, name) or self.find(role, name))
        x, y = (place or self.place())[:2]
        rows = [self.screen.row(y + top + line)[4 * (x + left) + 1:4 * (x + left + width):4]
                for line in range(height)]
        return [(column, line) for line, row in enumerate(rows)
                for column, (a, b) in enumerate(zip(row, row[1:])) if abs(a - b) > 60]

    def types_visibly(self, name):
        """Whether wide letters take more space than narrow ones in the field of the active window;
        dots would not."""
        def width(letter):
            self.key("ctrl+a")
            self.type(letter * 10)
            self.stand_still()
            # The end of the field is further to the right.
            return max(column for column, _ in self.marks(name, "text") if column < 200)
        return width("W") > 1.5 * width("i")

    def prompt_takes_keys(self, title="Presence Check"):
        """Waits until the prompt has the keyboard; otherwise a space would press the button below
        it."""
        def is_there():
            try:
                return self.tool("getactivewindow", "getwindowname").strip() == title
            except subprocess.CalledProcessError:
                return False  # No window is active, or it went.
        return self.until(is_there, "the keyboard is not at the prompt")

    def picture_above(self, text, title):
        """The pixels of the picture of 64 rows that lies 12 rows above a text of a window."""
        left, top, width, _ = self.extents(self.find("label", text))
        x, y = self.place(title)[:2]
        return [self.screen.row(y + line)[4 * (x + left):4 * (x + left + width)] for line in range(top - 76, top - 12)]

    def has_picture(self, text, title):
        """Whether something is drawn there: the rows of a plain area are equal."""
        return self.until(lambda: len(set(self.picture_above(text, title))) > 10, "no picture above " + text)

    def has_icon(self, title, window):
        """Whether an icon is drawn above the title of a page: many of the rows there are not of one color."""
        def lines():
            left, top, width, _ = self.extents(self.find("label", title))
            x, y = self.place(window)[:2]
            columns = slice(4 * (x + left), 4 * (x + left + width))
            rows = [self.screen.row(y + line)[columns] for line in range(top - 112, top - 12)]
            return sum(row != row[:4] * (len(row) // 4) for row in rows)
        return self.until(lambda: lines() > 30, "no icon above " + title)

    def picture_moves(self, seconds):
        """Whether the picture of the prompt changes within some seconds, besides the first one, in which the colors
        of a window that becomes active may fade."""
        time.sleep(1)
        before, end = self.picture_above("Requested ", "Presence Check"), time.monotonic() + seconds
        while time.monotonic() < end:
            if self.picture_above("Requested ", "Presence Check") != before:
                return True
            time.sleep(0.05)
        return False

    def count_pictures(self, seconds):
        """How many different pictures the prompt shows within some seconds."""
        found, end = set(), time.monotonic() + seconds
        while time.monotonic() < end:
            found.add(b"".join(self.picture_above("Requested ", "Presence Check")))
            time.sleep(0.01)
        return len(found)

    def type_secret(self, text, name=None):
        """Types into a field of the active window, or into that with the focus, and waits until a dot is drawn
        for each letter."""
        name = name or self.focused()
        empty = len(self.marks(name, "text"))
        self.type(text)
        return self.until(lambda: len(self.marks(name, "text")) >= empty + 4 * len(text),
                          "no dots for what was typed")

    def is_blurred_elsewhere(self, text, role=None):
        """Whether a text of the active window is hidden while another window has the focus."""
        place = self.place()
        self.until(lambda: len(self.marks(text, role, place)) > 50, "not readable")
        self.leave()
        return self.until(lambda: not self.marks(text, role, place), "still readable")

    def type_elsewhere(self, text, key="Return", act=None):
        """Types a key repeatedly without a window, while something else is done, until a text is
        shown, and then for longer than the pause after which keys count. False if the text
        disappeared, or a control of its window got the focus."""
        self.leave()
        if act:  # Otherwise the window with the text may be there already.
            self.until(lambda: not self.has_keys(), "the keyboard is at the app")
        is_over = threading.Event()

        def typing():
            while not is_over.is_set():
                self.tool("key", key)
        thread = threading.Thread(target=typing)
        thread.start()
        try:
            if act:
                act()
            self.find(None, text)
            self.tool("key", "--repeat", "50", "--delay", "20", key)
            focused = self.atspi.StateType.FOCUSED
            return bool(self.shown(None, text)) and not any(
                node.get_state_set().contains(focused) for node in self.below("Presence Check"))
        finally:
            is_over.set()
            thread.join()

    def below(self, title):
        """The nodes of the windows with this title. It looks at no other window."""
        found = []
        # Each window is the child of the application.
        for window in self.nodes(is_deep=False):
            if window.get_name() == title and window.get_role_name() in ("dialog", "frame"):
                found.append(window)
        for window in found:
            yield from self.walk(window)

    def in_prompt(self, role, name):
        """The node with this role and this text in its name that a prompt shows; None if there is none."""
        try:
            return next((node for title in TITLES for node in self.below(title) if node.get_role_name() == role
                         and name in node.get_name() and self.extents(node)[2] > 0), None)
        except self.glib.Error:
            return None  # A prompt went while it was read.

    def hides(self, text):
        """Waits until a prompt is open and no prompt has this text, shown or not. It looks at no other window."""
        def is_hidden():
            nodes = [node for title in TITLES for node in self.below(title)]
            return nodes and not any(text in each for each in self.told(nodes))
        return self.until(is_hidden, "no prompt, or a prompt still tells " + text)

    def answer(self, secret, name="System password"):
        """Types a secret into a prompt, where no program on the accessibility bus can read it, and
        continues. It examines only the prompt, which ends after 30 seconds: examining all windows
        may take some of them."""
        self.until(lambda: self.in_prompt("text", name), "no prompt asks for " + name)
        self.prompt_takes_keys()
        self.type_secret(secret, name)
        self.hides(secret)
        self.until(lambda: self.in_prompt("push button", "Continue"), "no button").get_action_iface().do_action(0)

    def lines(self, text):
        """The lines of the label with this text."""
        def found():
            label = self.find("label", text).get_text_iface()
            lines = [self.atspi.Text.get_string_at_offset(label, at, self.atspi.TextGranularity.LINE)
                     for at in range(self.atspi.Text.get_character_count(label))]
            return [content for _, content in sorted({(line.start_offset, line.content) for line in lines})]
        return self.steadily(found)

    def fonts(self, text):
        """The parts of the label with this text, each with its font."""
        def found():
            label = self.find("label", text).get_text_iface()
            count, parts, start = self.atspi.Text.get_character_count(label), [], 0
            while start < count:
                kinds, _, end = self.atspi.Text.get_attribute_run(label, start, True)
                parts.append([self.atspi.Text.get_text(label, start, end), kinds.get("family-name", "")])
                start = max(end, start + 1)
            return parts
        return self.steadily(found)
