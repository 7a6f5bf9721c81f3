"""Runs the scenarios of the service in a machine that Tests/System/machine.py boots.

usage: run.py TREE PACKAGE PROGRAMS [PART...]

TREE is the path that Tests/System/tree prints, PACKAGE the .deb, and PROGRAMS a directory with the
presence program for virtual readers. A PART is one of PARTS, MEASURES or SUITES, a file of
Tests/System/inside. Without a PART, all PARTS and SUITES run.
"""
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time

from machine import Failure, Machine
from package_checks import hardening, lintian, profiles
from profile_trace import watched

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
# In this order: "use" begins with an empty service, and "removal" ends it. Each of the others makes
# its initial state (household.begin).
PARTS = ["package", "use", "profiles", "desktop", "trouble", "walk", "upgrade", "places", "agents", "jobs",
         "desk", "app", "keys", "moments", "traces", "traps", "fleet", "reboot", "tpm", "removal"]
# These run only if they are named.
MEASURES = ["speed", "tpm_speed"]
# Parts in a machine of their own, of another suite of Debian, after the others.
SUITES = ["trixie"]
DESK = "/opt/desk/root"
PICTURES = "/var/tmp/pictures"


class Count:
    def __init__(self):
        self.passed, self.failed, self.failures = 0, 0, []

    def tell(self, line):
        word = line.partition(" ")[0]
        self.passed += word == "passed"
        if word == "failed":
            self.failed += 1
            self.failures.append(line)
        print(line, flush=True)


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
                          ("windows", ("screen", "session", "starts", "focus", "prompts", "stalls",
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


def run_part(machine, part, count, *what):
    """Each line that a part prints is a scenario's. A part without its last word has failed.

    `what` are the package and the programs, for a part with a second machine."""
    print(f"-- {part}", flush=True)
    start = time.monotonic()
    if part == "reboot":
        prepared = machine.run("python3", "-B", "/opt/system-test/household.py")
        count.tell(f"{'failed' if prepared.returncode else 'passed'} whatTheRebootBeginsWith"
                   + prepared.stdout[-2000:].replace("\n", " "))
        machine.reboot()
    if part == "fleet":
        with collector(machine) as other:
            run_scenarios(machine, part, count)
            run_scenarios(other, "collector", count)
    else:
        run_scenarios(machine, part, count)
    if part == "tpm":
        run_scenarios(machine, "tpm_bus", count)
        run_scenarios(machine, "tpm_faults", count)
        machine.change_identity()
        machine.reboot()
        run_scenarios(machine, "tpm_boot", count)
        with copy_of_disk(machine, *what) as other:
            run_scenarios(other, "package", count)
            # No program of it writes there yet.
            for path in ("/var/lib/thumblatch", "/var/tmp/provider.json", "/root/escrow"):
                other.copy(machine.path(path), path)
            run_scenarios(other, "tpm_copy", count)
    print(f"   {time.monotonic() - start:.0f} s", flush=True)


@contextlib.contextmanager
def collector(machine):
    """A second machine beside this one, which collects its journal."""
    other = Machine(machine.tree, "thumblatch-collector")
    try:
        other.copy(os.path.join(HERE, "inside"), "/opt/system-test")
        other.boot(beside=machine)
        other.run("mkdir", "--parents", "/var/log/journal/remote")
        other.run("systemd-run", "--quiet", "--unit=collector", "--service-type=exec",
                  "/usr/lib/systemd/systemd-journal-remote", "--listen-http=127.0.0.1:19532",
                  "--output=/var/log/journal/remote/", "--split-mode=host")
        yield other
    finally:
        other.close()


@contextlib.contextmanager
def copy_of_disk(machine, package, programs):
    """A second machine with the package, and with another TPM."""
    other = Machine(machine.tree, "thumblatch-copy")
    try:
        prepare(other, package, programs)
        other.add_tpm()
        other.boot()
        yield other
    finally:
        other.close()


def run_scenarios(machine, part, count):
    command = machine.enter("python3", "-B", f"/opt/system-test/{part}.py")
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as process:
        passed, failed = count.passed, count.failed
        for line in process.stdout:
            count.tell(line.rstrip())
    if count.failed != failed:
        return
    if process.returncode:
        count.tell(f"failed {part}: it ended with status {process.returncode}")
    elif count.passed == passed:
        count.tell(f"failed {part}: it has tried nothing")


def tell_journal(machine):
    print(machine.run("journalctl", "--merge", "--no-pager", "--lines=200", "--unit=thumblatch*").stdout)


def run_suite(suite, package, programs, count):
    """The package in a machine of another suite, whose tree is made first if there is none."""
    made = subprocess.run([os.path.join(HERE, "tree"), suite], stdout=subprocess.PIPE, text=True)
    if made.returncode:
        return count.tell(f"failed theTreeOf_{suite}")
    machine = Machine(made.stdout.strip())
    try:
        prepare(machine, package, programs)
        machine.add_tpm()
        machine.add_key(0)
        machine.boot()
        before = count.failed
        for part in ("package", suite):
            run_part(machine, part, count)
        if count.failed != before:
            tell_journal(machine)
    except Failure as failure:
        count.tell(f"failed theMachine: {failure}")
    finally:
        machine.close()


def run_parts(tree, package, programs, parts, count):
    machine = Machine(tree)
    try:
        prepare(machine, package, programs)
        if set(parts) & set(MEASURES):
            prepare_floors(machine)
        machine.add_tpm()
        machine.add_key(0)
        machine.add_key(1, "--always-verifies", "--pin", pin="8261")
        machine.boot()
        for part in PARTS + MEASURES:
            if part in (parts or PARTS) or part == "package":
                with watched(machine, count) if part == "profiles" else contextlib.nullcontext():
                    run_part(machine, part, count, package, programs)
        keep_pictures(machine)
        if count.failed:
            tell_journal(machine)
    except Failure as failure:
        count.tell(f"failed theMachine: {failure}")
    finally:
        machine.close()


def main():
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    tree, package, programs, *parts = sys.argv[1:]
    if unknown := set(parts) - {*PARTS, *MEASURES, *SUITES}:
        print(f"no such part: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    # So that the machine ends as well.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    count, start = Count(), time.monotonic()
    packages = [package, desktop_app(package)]
    lintian(packages, count)
    hardening(packages, count)
    profiles(package, count)
    if not parts or set(parts) - set(SUITES):
        run_parts(tree, package, programs, parts, count)
    for suite in SUITES:
        if suite in (parts or SUITES):
            run_suite(suite, package, programs, count)
    for line in count.failures:
        print(f"system-test: error: {line}")
    print(f"system-test: {time.monotonic() - start:.0f} s")
    print(f"{count.passed} passed, {count.failed} failed")
    return 1 if count.failed or not count.passed else 0


sys.exit(main())
