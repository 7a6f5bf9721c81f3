#!/usr/bin/python3
"""What plain libfprint makes of each recording on this machine, without any program of ours.

usage: control.py RECORDINGS RESULTS

For each recording that plays RESULTS gets NAME.facts, one fact a line: `steps`, what is recorded between
open and close, or `matches`, the verdict that a check has to come to, and `crashes`, what plain
libfprint does not survive; and NAME.print, a print of the
finger that was recorded. `not-played` names each other one, and why.

A reader of images has one image recorded. Its print is made of five copies of that, by the matcher of
libfprint's virtual reader.
"""
import concurrent.futures
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PLAIN = os.path.join(HERE, "plain.py")
SECONDS = 60

# What readers that store prints have recorded; a second verification is part of the first.
STEPS = {
    "elanmoc": "enroll list verify identify delete",
    "focaltech_moc": "enroll list verify identify delete",
    "fpcmoc": "clear enroll list verify identify delete",
    "goodixmoc": "clear enroll list verify identify delete",
    "realtek": "clear enroll list verify identify delete",
    "synaptics": "clear enroll suspend verify delete",
    "egismoc": "list clear list enroll list verify identify enroll list enroll list delete list clear list",
}


def run(*command, **options):
    """Runs a program; its output, or why it failed."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
            **options)
    except subprocess.TimeoutExpired:
        return None, f"it does not end within {SECONDS} s"
    if done.returncode < 0:
        return None, f"signal {-done.returncode}"
    if done.returncode != 0:
        lines = [
            line for line in done.stderr.split("\n") if "rror:" in line and "umockdev" not in line
        ] or [f"exit status {done.returncode}"]
        return None, lines[-1].strip()[:200]
    return done.stdout, None


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
            reader = json.loads(output.strip().split("\n")[-1])
            _, failure = run("/usr/bin/python3", PLAIN, "print", target, *reader)
        if not failure:
            output, failure = replayed(recording, PLAIN, "identify", target)
        if not failure:
            facts = {"matches": output.strip().split("\n")[-1]}
            environment = dict(
                os.environ, READER_PRELOAD=os.path.join(results, "steps.so"), READER_UNPLUG="armed")
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
