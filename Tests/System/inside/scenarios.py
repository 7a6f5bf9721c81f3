"""Shared code of the scenarios. They run as root in the machine, in the order of the file: a later
one finds the state that an earlier one has left."""
import contextlib
import os
import select
import subprocess
import sys
import time
import traceback

SCENARIOS = []
SOCKET = "/run/thumblatch/io.thumblatch.Vault"
STATE = "/var/lib/thumblatch"
LIMIT = 120  # seconds for any single step
UNITS = ["thumblatchd.socket", "thumblatch-presence.socket", "thumblatch-exchange.socket",
         "thumblatch-secret.socket"]


class Failure(Exception):
    """A promise was not kept."""


def scenario(function):
    SCENARIOS.append(function)
    return function


def check(true, why):
    if not true:
        raise Failure(why)


def run(*command, status=0, text=None, **options):
    """Runs a program. An exit status other than `status` is a failure, unless `status` is None."""
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL if text is None else None,
                          text=True, timeout=180, **options)
    if status is not None and done.returncode != status:
        raise Failure(f"{' '.join(command)}: exit {done.returncode}, expected {status}\n"
                      f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def show(unit, name):
    """A property of a unit."""
    return run("systemctl", "show", "--value", f"--property={name}", unit).strip()


def no_unit_of_ours_failed():
    failed = run("systemctl", "--failed", "--plain", "--no-legend").splitlines()
    ours = [line for line in failed if line.startswith("thumblatch")]
    check(not ours, f"failed: {ours}")


def until(condition, why, seconds=LIMIT):
    """Waits for a condition, and returns its value."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise Failure(why)
        select.select([], [], [], 0.05)
    return value


def main(begin=None, at_start=True):
    """Runs the scenarios that the calling file has registered, and prints a line for each.

    `begin` makes their initial state. It runs again after a failure, so that the next scenario does
    not fail for that reason. Without `at_start` it only does that: then the first scenarios make the
    state that it makes too."""
    if begin is not None and at_start:
        begin.__name__ = "whatThisPartBeginsWith"
        SCENARIOS.insert(0, begin)
    failed = 0
    for function in SCENARIOS:
        start = time.monotonic()
        try:
            function()
            took = time.monotonic() - start
            print(f"passed {function.__name__}" + f" ({took:.0f} s)" * (took > 5), flush=True)
        except Exception as error:  # whatever it is, the other scenarios still run
            failed += 1
            where = traceback.extract_tb(error.__traceback__)[1:2]
            line = f" (line {where[0].lineno})" if where else ""
            print(f"failed {function.__name__}: {type(error).__name__}{line}: {error}", flush=True)
            if begin is not None and function is not begin:
                with contextlib.suppress(Exception):  # the next scenario reports it
                    begin()
    sys.stdout.flush()
    os._exit(1 if failed else 0)
