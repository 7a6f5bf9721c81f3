"""A session with a screen in memory, for programs with windows. windows.py and desk.py use it."""
import os
import subprocess
import time

# How long a look may wait, in seconds. A busy machine may take seconds for one look at all windows.
LIMIT = 120


def manage_windows(directory, start):
    """Starts openbox, and waits until it manages windows.

    A window that comes before that is shown only after another event, which may never come."""
    ready = directory + "/managed"
    os.mkfifo(ready)
    start("openbox", "--startup", "sh -c 'echo >%s'" % ready)
    with open(ready) as pipe:
        pipe.read()


class Desktop:
    """The programs of the desktop, before AT-SPI looks for its bus."""

    def __init__(self, directory, address=None):
        """`address` is that of an existing session bus; without it, one is started."""
        self.directory, self.children = directory, []
        self.errors = open(directory + "/errors", "wb")
        self.environment = {
            **os.environ, "XDG_RUNTIME_DIR": directory, "GSK_RENDERER": "cairo", "GDK_BACKEND": "x11",
            "DBUS_SESSION_BUS_ADDRESS": address or "unix:path=%s/session-bus" % directory, "GSETTINGS_BACKEND": "memory",
            "GTK_A11Y": "atspi", "NO_AT_BRIDGE": "0", "XDG_CONFIG_HOME": directory,
        }
        # A picture shows a state, not the way to it.
        self.animate(False)
        reading, writing = os.pipe()
        size = os.environ.get("SCREEN_SIZE", "1300x900") + "x24"
        self.start("Xvfb", "-displayfd", str(writing), "-screen", "0", size, "-nolisten", "tcp", "-noreset",
                   "-fbdir", directory, keep=[writing])
        os.close(writing)
        with os.fdopen(reading) as pipe:
            self.environment["DISPLAY"] = ":" + pipe.readline().strip()
        if not address:
            self.start_bus()
        # As a child it ends the bus of AT-SPI with itself.
        self.start("/usr/libexec/at-spi-bus-launcher")
        # xdotool changes the keyboard for a letter that it lacks, and programs learn that too late.
        subprocess.run(("setxkbmap", "de"), env=self.environment, check=True, stderr=self.errors)
        self.manage()
        os.environ.update(self.environment)

    def manage(self):
        manage_windows(self.directory, self.start)

    def start_bus(self):
        bus = self.start("dbus-daemon", "--session", "--address=" + self.environment["DBUS_SESSION_BUS_ADDRESS"],
                         "--nofork", "--nopidfile", "--print-address=1", output=subprocess.PIPE)
        bus.stdout.readline()

    def animate(self, is_on):
        """Sets whether programs that start from now on use animations."""
        os.makedirs(self.directory + "/gtk-4.0", exist_ok=True)
        with open(self.directory + "/gtk-4.0/settings.ini", "w") as settings:
            settings.write("[Settings]\ngtk-enable-animations=%d\n" % is_on)

    def start(self, *command, keep=(), output=subprocess.DEVNULL, **more):
        child = subprocess.Popen(command, env={**self.environment, **more}, stdin=subprocess.DEVNULL,
                                 stdout=output, stderr=self.errors, pass_fds=keep)
        self.children.append(child)
        return child

    def end(self):
        for child in reversed(self.children):
            child.terminate()
            child.wait()


class Wayland(Desktop):
    """The same by Wayland. The screen shows the one window of weston, in which the programs have theirs; it gives
    them the keys and the pointer of the screen."""

    def manage(self):
        self.environment.update(GDK_BACKEND="wayland", WAYLAND_DISPLAY="wayland-test")
        weston = self.start("weston", "--backend=x11-backend.so", "--use-pixman", "--width=1300", "--height=900",
                            "--socket=wayland-test", "--idle-time=0", "--no-config")
        while not os.path.exists(self.directory + "/wayland-test"):
            if weston.poll() is not None:
                raise RuntimeError("weston has ended")
            time.sleep(0.02)


