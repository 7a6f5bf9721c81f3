"""What a machine gets before its first boot, and what is kept of it at the end."""
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
DESK = "/opt/desk/root"
PICTURES = "/var/tmp/pictures"


def desktop_app(package):
    """The package of the desktop app, which Scripts/package puts beside the other one."""
    return package.replace("/thumblatch_", "/thumblatch-desktop_")


def prepare(machine, package, programs):
    machine.copy(package, "/opt/thumblatch.deb")
    machine.copy(desktop_app(package), "/opt/thumblatch-desktop.deb")
    machine.copy(os.path.join(HERE, "inside"), "/opt/system-test")
    # The figures that Scripts/measure also measures in the private form.
    for name in ("Scripts/figures/pairs.py", "Tests/Measure/tools.py"):
        machine.copy(os.path.join(PROJECT, name), f"/opt/system-test/{os.path.basename(name)}")
    # A process in a user's manager runs it too, whatever the umask was when the tree was unpacked.
    subprocess.run(["chmod", "--recursive", "a+rX", machine.path("/opt")], check=True)
    # The development backend, and the package that it imports.
    for name in ("dev-backend", "backend"):
        machine.copy(os.path.join(PROJECT, "Scripts", name), f"/opt/system-test/{name}")
    machine.copy(os.path.join(PROJECT, "Sources/Installed/usr/share/man/man1/thumblatch.1"),
                 "/opt/system-test/thumblatch.1")
    # Never part of the package: a presence check by libfprint's virtual reader, with the same
    # stack.
    machine.copy(os.path.join(programs, "thumblatch-presence"), "/opt/virtual/thumblatch-presence")
    machine.copy(os.path.join(PROJECT, "Sources/Installed/etc/pam.d/thumblatch"),
                 "/opt/virtual/pam.d/thumblatch")
    machine.write("/opt/virtual/virtual-reader.conf",
                  "FP_VIRTUAL_DEVICE=/run/virtual-reader/reader\n")
    machine.write("/etc/systemd/system/thumblatch-presence@.service.d/virtual-reader.conf",
                  "[Service]\nExecStart=\n"
                  "ExecStart=/opt/virtual/thumblatch-presence --service\n"
                  "ReadWritePaths=/run/virtual-reader\n")
    # A session as login(1) and sshd(8) open it, for people without a terminal to log in at.
    machine.write("/etc/pam.d/person", "session required pam_systemd.so\n")
    # The longest limit: an upgrade and a search of memory take a while before a held answer is released.
    machine.write("/etc/thumblatch/providers.d/dev.conf", "[Provider]\nkind = password-backend\n"
                  "issuer = http://127.0.0.1:8000\ntimeout = 60s\n")
    machine.write("/etc/tmpfiles.d/virtual-reader.conf", "d /run/virtual-reader 0700 root root -\n")
    prepare_sleep(machine)
    prepare_desk(machine)


def prepare_floors(machine):
    """Programs for comparison, built here: the machine has no compiler, but the same libraries."""
    os.makedirs(machine.path("/opt/system-test/floors"), exist_ok=True)
    for source, options in (
            ("Measure/floors/refresh.c", ["-lsqlite3"]), ("Measure/floors/bare.c", ["-static"]),
            ("Measure/floors/libraries.c", ["-lcurl"]),
            ("IntegrationTests/Drivers/load/client.c", ["-static"])):
        name = os.path.basename(source).removesuffix(".c")
        subprocess.run(["cc", "-O2", "-o", machine.path(f"/opt/system-test/floors/{name}"),
                        os.path.join(PROJECT, "Tests", source), *options], check=True)


def prepare_sleep(machine):
    """Lets systemd-logind put this machine to sleep.

    The kernel does not really sleep, and the scenarios wake the machine
    (Tests/System/inside/sleep.py)."""
    machine.write("/opt/sleep/allow", "set -e\nmount -o remount,rw /sys\nmkdir -p /sys/power\n"
                  "mount -t tmpfs tmpfs /sys/power\necho freeze mem >/sys/power/state\n"
                  "echo '[s2idle]' >/sys/power/mem_sleep\nmount -o remount,ro /sys\n")
    machine.write("/etc/systemd/system/allow-sleep.service",
                  "[Service]\nType=oneshot\nExecStart=/bin/sh /opt/sleep/allow\n")
    machine.write("/etc/systemd/system/systemd-logind.service.d/sleep.conf",
                  "[Unit]\nRequires=allow-sleep.service\nAfter=allow-sleep.service\n")
    # However slow the machine is: sleep waits for the holders of inhibitors.
    machine.write("/etc/systemd/logind.conf.d/sleep.conf", "[Login]\nInhibitDelayMaxSec=60\n")
    machine.write("/opt/sleep/sleep", "[ -p /run/sleep/wake ] || exit 0\n"
                  "echo >/run/sleep/asleep && read word </run/sleep/wake\n")
    machine.write("/etc/systemd/system/systemd-suspend.service.d/sleep.conf",
                  "[Service]\nExecStart=\nExecStart=/bin/sh /opt/sleep/sleep\n")


def prepare_desk(machine):
    """A root with the programs of a desktop, which this host has (Tests/System/inside/screen.py).

    It is below a directory that people of the machine cannot enter."""
    for path in ("/usr", "/etc/alternatives", "/etc/fonts", "/etc/xdg"):
        machine.share(path, DESK + path)
    for name in ("bin", "lib", "lib64"):
        os.symlink("usr/" + name, machine.path(f"{DESK}/{name}"))
    for name in ("dev", "proc", "run", "sys", "tmp"):
        os.mkdir(machine.path(f"{DESK}/{name}"))
    drivers = os.path.join(PROJECT, "Tests/IntegrationTests/Drivers")
    for driver, names in (("driver", ("screen", "session", "notifications", "desk")),
                          ("windows", ("screen", "session", "starts", "focus", "prompts", "stalls", "layout",
                                        "windows"))):
        text = ""
        for name in names:
            with open(f"{drivers}/{name}.py", encoding="utf-8") as file:
                text += file.read()
        machine.write(f"{DESK}/{driver}.py", text)
    os.chmod(machine.path(DESK), 0o755)
    os.chmod(machine.path(os.path.dirname(DESK)), 0o700)


def keep_pictures(machine):
    """Keeps pictures of the screen where THUMBLATCH_PICTURES says, for a person to look at."""
    directory = os.environ.get("THUMBLATCH_PICTURES")
    if directory and os.path.isdir(machine.path(PICTURES)):
        for name in os.listdir(machine.path(PICTURES)):
            # Without its mode: other users write there too.
            shutil.copyfile(os.path.join(machine.path(PICTURES), name), os.path.join(directory, name))
