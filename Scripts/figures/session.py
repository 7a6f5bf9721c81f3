"""An app's session: a token in memory, and a session that is restored."""

import os
import shutil
import statistics
import subprocess

from .engine import Connection, stop
from .pairs import report
from .programs import TOP, compiled


def build_session_speed(programs):
    """Builds as Scripts/build does, and puts the program in the engine's directory."""
    build = ["swift", "build", "--package-path", TOP, "--configuration", "release",
             "--explicit-target-dependency-import-check", "error", "--static-swift-stdlib"]
    subprocess.run([*build, "--product", "SessionSpeed"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    found = subprocess.run([*build, "--show-bin-path"], check=True, capture_output=True, text=True)
    return shutil.copy(os.path.join(found.stdout.strip(), "SessionSpeed"), programs)


def measure_calls(program):
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    times = {}
    print("session, medians of 15 paired rounds of 1,000,000 calls:")
    for line in output.splitlines():
        words = line.split()
        if words[0] == "ratio":
            print(f"  accessToken() {statistics.median(times[words[1]]):.0f} ns, "
                  f"{words[2]} × the read of a locked dictionary with {words[1]}")
        else:
            times.setdefault(words[2], []).append(float(words[6]))


def milliseconds(command, environment):
    words = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True).stdout.split()
    assert words[-1] == "authenticated" or len(words) == 1, words
    return [int(word) / 1e6 for word in words if word != "authenticated"]


def measure_restore(program, directory, environment, runs):
    floor = compiled(directory, "Tests/Measure/floors/restore.c", "-static")
    engine = os.path.join(environment["THUMBLATCH_STATE_DIR"], "engine")
    rounds = [
        milliseconds([floor, engine], environment) + milliseconds([program, "restore"], environment)
        for _ in range(runs + 5)]
    names = ["C, connect and one call", "restore(), the first of a process", "restore() again"]
    times = list(zip(*rounds[5:]))
    print(f"session, {runs} fresh processes each, medians:")
    for name, own in zip(names, times):
        report(name, own, times[0])


def measure_start(program, environment, process):
    """The same while no engine runs; returns the process of the last one."""
    times = []
    for _ in range(20):
        stop(process)
        times.append(milliseconds([program, "restore"], environment)[0])
        engine = Connection(os.path.join(environment["THUMBLATCH_STATE_DIR"], "engine"))
        process = engine.call("GetStatus")["parameters"]["process"]
        engine.socket.close()
    print(f"  restore() that starts the engine   {statistics.median(times):7.3f} ms")
    return process
