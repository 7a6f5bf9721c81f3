"""Runs the scenarios of the service in a machine that Tests/System/machine.py boots.

usage: run.py TREE PACKAGE PROGRAMS [PART...]

TREE is the path that Tests/System/tree prints, PACKAGE the .deb, and PROGRAMS a directory with the
presence program for virtual readers. A PART is one of PARTS, MEASURES or SUITES, a file of
Tests/System/inside. Without a PART, all PARTS and SUITES run.
"""
import contextlib
import os
import signal
import subprocess
import sys
import time

from machine import Failure, Machine
from package_checks import hardening, lintian, profiles
from preparation import desktop_app, keep_pictures, prepare, prepare_floors
from profile_trace import watched

HERE = os.path.dirname(os.path.abspath(__file__))
# In this order: "use" begins with an empty service, and "removal" ends it. Each of the others makes
# its initial state (household.begin).
PARTS = ["package", "use", "profiles", "desktop", "trouble", "walk", "upgrade", "places", "agents", "jobs",
         "desk", "app", "keys", "moments", "traces", "traps", "fleet", "reboot", "tpm", "removal"]
# These run only if they are named.
MEASURES = ["speed", "tpm_speed"]
# Parts in a machine of their own, of another suite of Debian, after the others.
SUITES = ["trixie"]


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
