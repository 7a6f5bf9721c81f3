"""A notification server that shows nothing. desk.py uses it."""
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


