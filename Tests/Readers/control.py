#!/usr/bin/python3
"""The results of plain libfprint for each recording here, without the project's programs.

usage: control.py RECORDINGS RESULTS

For each recording that plain libfprint replays, RESULTS gets NAME.facts, with one fact a line.
`steps` are the recorded steps between open and close. `matches` is the verdict that a check must
reach. `scan` says whether the finger is swiped over the reader or pressed on it. `crashes` names an event that plain libfprint does not survive. RESULTS also gets NAME.print,
a print of the recorded finger. `not-played` names each other recording, with the reason.

A reader of images has one recorded image. Its print is made of five copies of that image, by the
matcher of libfprint's virtual reader.
"""
import concurrent.futures
import json
import os
import resource
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PLAIN = os.path.join(HERE, "plain.py")
# A replay needs a second of CPU time. One that never ends uses all that it gets, so this limit does
# not depend on the load of the machine. The second limit is for a replay that sleeps.
PROCESSOR_SECONDS = 15
SECONDS = 300

# The recorded steps of readers that store prints. A second verification is part of the first.
STEPS = {
    "elanmoc": "enroll list verify identify delete",
    "focaltech_moc": "enroll list verify identify delete",
    "fpcmoc": "clear enroll list verify identify delete",
    "goodixmoc": "clear enroll list verify identify delete",
    "realtek": "clear enroll list verify identify delete",
    "synaptics": "clear enroll suspend verify delete",
    "egismoc": "list clear list enroll list verify identify enroll list enroll list delete list clear list",
}


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))


def run(*command, **options):
    """Runs a program, and returns its output, or the reason of its failure."""
    # The session ends with all programs that the replay has started.
    with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, start_new_session=True, preexec_fn=limit, **options) as child:
        try:
            output, errors = child.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return None, f"it does not end within {SECONDS} s"
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None, f"it does not end within {PROCESSOR_SECONDS} s of the processor"
    if child.returncode < 0:
        return None, f"signal {-child.returncode}"
    if child.returncode != 0:
        lines = [
            line for line in errors.split("\n") if "rror:" in line and "umockdev" not in line
        ] or [f"exit status {child.returncode}"]
        return None, lines[-1].strip()[:200]
    return output, None


def replayed(recording, *command, **options):
    replay = os.path.join(HERE, "replay.py")
    return run("/usr/bin/python3", replay, recording, "/usr/bin/python3", *command, **options)


def play(recordings, results, name):
    recording = os.path.join(recordings, name)
    target = os.path.join(results, name)
    facts = {}
    if os.path.exists(script := os.path.join(recording, "custom.py")):
        driver = name.split("-")[0]
        _, failure = replayed(recording, script)
        facts = {"steps": STEPS.get(driver)}
        if driver == "egismoc":
            facts["finger"] = "left-index"
        if not facts["steps"]:
            failure = failure or "its steps are not known"
    else:
        output, failure = replayed(recording, PLAIN, "capture", target)
        if not failure:
            *reader, scan = json.loads(output.strip().split("\n")[-1])
            _, failure = run("/usr/bin/python3", PLAIN, "print", target, *reader)
        if not failure:
            output, failure = replayed(recording, PLAIN, "identify", target)
        if not failure:
            facts = {"matches": output.strip().split("\n")[-1], "scan": scan}
            environment = dict(
                os.environ, READER_PRELOAD=os.path.join(results, "steps.so"), READER_UNPLUG="armed",
                READER_EAGER="1")
            _, end = replayed(recording, PLAIN, "identify", target, env=environment)
            if end and end.startswith("signal"):
                facts["crashes"] = "unplugged"
    if failure:
        return f"{name}: {failure}"
    with open(target + ".facts", "w") as file:
        file.write("".join(f"{name} {value}\n" for name, value in facts.items()))
    return None


def main():
    recordings, results = sys.argv[1:]
    names = sorted(
        name for name in os.listdir(recordings)
        if os.path.exists(os.path.join(recordings, name, "device"))
        or os.path.exists(os.path.join(recordings, name, "device-spi")))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failures = [why for why in pool.map(lambda name: play(recordings, results, name), names) if why]
    with open(os.path.join(results, "not-played"), "w") as file:
        file.write("".join(why + "\n" for why in failures))
    print(f"control: plain libfprint plays {len(names) - len(failures)} of {len(names)} recordings")
    for why in failures:
        print(f"control: not played here: {why}")


main()
