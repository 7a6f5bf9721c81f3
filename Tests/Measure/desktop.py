#!/usr/bin/python3
"""Takes the role of a user's desktop: a notification server that shows nothing, and a logind with
one session, on two buses of this run (root).

usage: desktop.py DIRECTORY

The buses are DIRECTORY/session and DIRECTORY/system. A line is printed when both are ready, and the time
of each notification that arrives (CLOCK_MONOTONIC, in nanoseconds). It ends with its input.
"""
import os
import subprocess
import sys
import threading
import time

from gi.repository import Gio, GLib

NOTIFICATIONS = "org.freedesktop.Notifications"
LOGIND = "org.freedesktop.login1"
ROOT = "/org/freedesktop/login1"
SESSION, PERSON = ROOT + "/session/c1", ROOT + "/user/self"

CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path=%s</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
  </policy>
</busconfig>
"""

INTERFACES = """<node>
  <interface name="org.freedesktop.Notifications">
    <method name="GetCapabilities"><arg type="as" direction="out"/></method>
    <method name="Notify"><arg type="s"/><arg type="u"/><arg type="s"/><arg type="s"/><arg type="s"/>
      <arg type="as"/><arg type="a{sv}"/><arg type="i"/><arg type="u" direction="out"/></method>
    <method name="CloseNotification"><arg type="u"/></method>
  </interface>
  <interface name="org.freedesktop.login1.Manager">
    <method name="GetSessionByPID"><arg type="u"/><arg type="o" direction="out"/></method>
    <method name="GetUser"><arg type="u"/><arg type="o" direction="out"/></method>
    <method name="ListSessions"><arg type="a(susso)" direction="out"/></method>
    <method name="Inhibit"><arg type="s"/><arg type="s"/><arg type="s"/><arg type="s"/>
      <arg type="h" direction="out"/></method>
  </interface>
  <interface name="org.freedesktop.DBus.Properties">
    <method name="GetAll"><arg type="s"/><arg type="a{sv}" direction="out"/></method>
    <method name="Get"><arg type="s"/><arg type="s"/><arg type="v" direction="out"/></method>
  </interface>
</node>"""

PROPERTIES = {
    SESSION: {
        "Id": ("s", "c1"), "User": ("(uo)", (os.getuid(), PERSON)), "Active": ("b", True),
        "Remote": ("b", False), "Seat": ("(so)", ("seat0", ROOT + "/seat/seat0")), "Class": ("s", "user"),
        "State": ("s", "active"), "LockedHint": ("b", False),
    },
    PERSON: {"Display": ("(so)", ("c1", SESSION))},
}
ANSWERS = {
    "GetCapabilities": ("(as)", (["actions", "body"],)), "Notify": ("(u)", (7,)),
    "CloseNotification": ("()", ()), "GetSessionByPID": ("(o)", (SESSION,)), "GetUser": ("(o)", (PERSON,)),
    "ListSessions": ("(a(susso))", ([("c1", os.getuid(), "ada", "seat0", SESSION)],)),
}


def start_bus(path):
    """A bus, and a connection to it."""
    with open(path + ".conf", "w", encoding="utf-8") as file:
        file.write(CONFIGURATION % path)
    bus = subprocess.Popen(["dbus-daemon", "--config-file=" + path + ".conf", "--nofork", "--nopidfile",
                            "--print-address=1"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL)
    bus.stdout.readline()  # it listens
    kind = Gio.DBusConnectionFlags
    return bus, Gio.DBusConnection.new_for_address_sync(
        "unix:path=" + path, kind.AUTHENTICATION_CLIENT | kind.MESSAGE_BUS_CONNECTION, None, None)


def serve(connection, name, objects):
    """Owns a name on a bus, with objects of these paths and interfaces."""
    known = {each.name: each for each in Gio.DBusNodeInfo.new_for_xml(INTERFACES).interfaces}
    for path, interface in objects:
        connection.register_object(path, known[interface], answer, None, None)
    connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                         GLib.Variant("(su)", (name, 4)), None, Gio.DBusCallFlags.NONE, -1, None)


def answer(_connection, _sender, path, _interface, method, values, invocation):
    if method == "Notify":
        now = time.monotonic_ns()
        replaced = values.unpack()[1]
        invocation.return_value(GLib.Variant("(u)", (replaced or 7,)))
        if not replaced:
            print(now, flush=True)
    elif method == "Inhibit":
        ours, theirs = os.pipe()
        given = Gio.UnixFDList.new_from_array([theirs])
        invocation.return_value_with_unix_fd_list(GLib.Variant("(h)", (0,)), given)
        os.close(ours)
    elif method == "GetAll":
        found = {name: GLib.Variant(*value) for name, value in PROPERTIES[path].items()}
        invocation.return_value(GLib.Variant("(a{sv})", (found,)))
    elif method == "Get":
        found = GLib.Variant(*PROPERTIES[path][values.unpack()[1]])
        invocation.return_value(GLib.Variant("(v)", (found,)))
    else:
        invocation.return_value(GLib.Variant(*ANSWERS[method]))


def main():
    directory = sys.argv[1]
    (session, shown), (system, logind) = (start_bus(f"{directory}/{name}") for name in ("session", "system"))
    try:
        properties = "org.freedesktop.DBus.Properties"
        serve(shown, NOTIFICATIONS, [("/org/freedesktop/Notifications", NOTIFICATIONS)])
        serve(logind, LOGIND, [(ROOT, LOGIND + ".Manager"), (SESSION, properties), (PERSON, properties)])
        loop = GLib.MainLoop()
        threading.Thread(target=lambda: (sys.stdin.read(), loop.quit()), daemon=True).start()
        print("ready", flush=True)
        loop.run()
    finally:
        for bus in (session, system):
            bus.kill()
            bus.wait()


main()
