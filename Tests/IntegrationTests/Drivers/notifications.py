"""A notification server that shows nothing. desk.py uses it."""
import os
import threading

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"


class FalseServer:
    """Answers each notification with one id."""

    def __init__(self, bus, number, capabilities):
        self.bus, self.number, self.capabilities = bus, number, capabilities
        self.held = None
        description = Gio.DBusNodeInfo.new_for_xml("""<node><interface name="%s">
          <method name="GetCapabilities"><arg type="as" direction="out"/></method>
          <method name="Notify"><arg type="s"/><arg type="u"/><arg type="s"/><arg type="s"/><arg type="s"/>
            <arg type="as"/><arg type="a{sv}"/><arg type="i"/><arg type="u" direction="out"/></method>
          <method name="CloseNotification"><arg type="u"/></method></interface></node>""" % NAME)
        bus.register_object(PATH, description.interfaces[0], self.answer, None, None)
        threading.Thread(target=GLib.MainLoop().run, daemon=True).start()

    def answer(self, connection, sender, path, interface, method, values, invocation):
        if method == "Notify" and self.held is not None:
            self.held.append(invocation)
            return
        if method == "CloseNotification":
            self.send("NotificationClosed", "(uu)", 3)
        invocation.return_value({
            "Notify": GLib.Variant("(u)", (self.number,)), "CloseNotification": None,
            "GetCapabilities": GLib.Variant("(as)", (self.capabilities,)),
        }[method])

    def hold(self):
        """Answers no notification until `release`."""
        self.held = []

    def release(self):
        held, self.held = self.held, None
        for invocation in held:
            invocation.return_value(GLib.Variant("(u)", (self.number,)))

    def send(self, member, kinds, value):
        self.bus.emit_signal(None, PATH, NAME, member, GLib.Variant(kinds, (self.number, value)))
        self.bus.flush_sync(None)

    def act(self, key):
        """Reports an action, and closes the notification, as many servers do."""
        def report():
            self.send("ActionInvoked", "(us)", key)
            self.send("NotificationClosed", "(uu)", 2)
        # As in a server, no call is answered between the two.
        GLib.idle_add(report)


class Pictures:
    """Pictures of the notifications of a desk."""

    def picture(self, path):
        """Writes a picture of the screen with its notifications: as soon as there is one, because it may expire,
        and again until all stands still, because the server moves it to its place."""
        def is_written():
            if not self.search("--class", "notification"):
                if not self.open() and not os.path.exists(path):
                    raise LookupError("no notification is open")
                return os.path.exists(path)
            self.screen.write(path)
            before = self.screen.map[:]
            self.wait(0.3, lambda: False)
            return before == self.screen.map[:] and self.has_words()
        self.until(is_written)

    def has_words(self):
        """Whether the words of each notification are drawn."""
        places = [self.place(window) for window in self.search("--class", "notification")]
        return all(self.screen.words(left + 60, top + 10, left + width - 60, top + height - 10, gap=14)[0]
                   for left, top, width, height in places)


