"""Runs of a fuzzer: new inputs, their cost, and the inputs that are kept."""

import glob
import os
import re
import shutil
import signal
import subprocess
import time
import zipfile

from .target import BUILD, ENVIRONMENT, Failure

# Longer inputs are not kept in the tree.
LONGEST = 4096


def examine(target, programs, scratch, seconds, seed):
    """Runs one fuzzer for some seconds, and measures its inputs in the build without sanitizers."""
    work, before, suspects, artifacts = (os.path.join(scratch, target.name, part)
                                         for part in ("work", "found", "suspects", "artifacts"))
    for directory in (work, before, suspects, artifacts, target.findings, target.seeds):
        os.makedirs(directory, exist_ok=True)
    if os.path.exists(target.archive):
        with zipfile.ZipFile(target.archive) as archive:
            archive.extractall(before)
    log = os.path.join(BUILD, target.name + ".log")
    end = time.monotonic() + seconds
    with open(log, "w", encoding="utf-8", errors="replace") as output:
        # After a finding the rest of the time is used as well, at most twice.
        for attempt in range(3):
            left = max(1, round(end - time.monotonic()))
            # With a value profile, half of a comparison that holds counts as progress.
            options = ["-use_value_profile=1", f"-max_total_time={left}", f"-seed={seed + attempt}",
                       f"-artifact_prefix={artifacts}/", work, target.seeds, before]
            went_well = fuzz(target, programs[0], options, suspects, artifacts, output)
            if went_well or seed == 1 or end - time.monotonic() < 5:
                break
    inputs = [suspects, work, before, target.seeds]
    measure(target, programs[1], inputs, log)
    swell = [f"--swell={max(1, seconds // 5)}", f"--seed={seed}", f"--keep={artifacts}"]
    measure(target, programs[1], [*swell, *inputs], log, os.path.join(artifacts, "swollen-crash"))
    return target


def fuzz(target, program, options, suspects, artifacts, output):
    """One run of libFuzzer; False if an input ended it."""
    environment = {**ENVIRONMENT, "FUZZ_SUSPECTS": suspects}
    start = time.monotonic()
    child = subprocess.Popen(
        [program, *target.options(), *options],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace")
    tail, why = [], None
    for line in child.stdout:
        output.write(line)
        tail = tail[-30:] + [line]
        if line.startswith(("fuzz: ", "SUMMARY: ", "Fatal error", "ERROR: ")) and why is None:
            why = line.strip()
        match = re.match(r"#(\d+)\s.*cov: (\d+) ft: (\d+)", line)
        if match:
            target.coverage, target.features = match.group(2), match.group(3)
        match = re.match(r"stat::number_of_executed_units:\s+(\d+)", line)
        if match:
            target.runs += int(match.group(1))
    code = child.wait()
    target.seconds += time.monotonic() - start
    if code == 0:
        return True
    # Inputs that are slow with sanitizers are measured without them later.
    inputs = [name for name in os.listdir(artifacts) if not name.startswith("slow-unit-")]
    if not inputs:
        raise Failure(f"{target.name} ended with {code}:\n{''.join(tail)}")
    for name in inputs:
        path = os.path.join(artifacts, name)
        target.find(path, why or f"ended with {code}")
        os.remove(path)
    return False


def measure(target, program, arguments, log, crash=None):
    """Examines inputs in the build without sanitizers, which decides about time.

    A crash leaves its input in the file `crash`, or its path in the last line.
    """
    child = subprocess.Popen(
        [program, "--target=" + target.name, *arguments], env=ENVIRONMENT,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        errors="replace")
    try:
        lines, errors = child.communicate(timeout=900)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGABRT)
        lines, errors = child.communicate()
        errors = "does not end\n" + errors
    with open(log, "a", encoding="utf-8", errors="replace") as output:
        output.write(lines + errors)
    last = None
    for line in lines.splitlines():
        cost = re.match(r"(.*) \d+ bytes, ([0-9.]+) ms, (\d+) KiB: (\w+)$", line)
        swollen = re.match(r"swollen: (\d+) inputs", line)
        if cost:
            path, milliseconds, kibibytes, verdict = cost.groups()
            target.slowest = max(target.slowest, float(milliseconds))
            if verdict != "ok":
                target.find(path, f"{milliseconds} ms, {kibibytes} KiB")
        elif swollen:
            target.swollen = int(swollen.group(1))
        else:
            last = line.strip()
    path = crash if crash and os.path.exists(crash) else last
    if child.returncode < 0 and path:
        target.find(path, errors.partition("\n")[0] or f"ended with {child.returncode}")
    elif child.returncode not in (0, 1):
        raise Failure(f"{target.name}: {errors}")


def keep(target, program, scratch):
    """Writes the archive again, with the inputs that reach code that no seed reaches."""
    merged, work, before = (os.path.join(scratch, target.name, part)
                            for part in ("merged", "work", "found"))
    shutil.copytree(target.seeds, merged)
    for path in glob.glob(glob.escape(work) + "/*"):
        if os.path.getsize(path) > LONGEST:
            os.remove(path)
    subprocess.run(
        # Without counters: an edge counts once, however often it is taken.
        [program, *target.options(), "-use_counters=0", "-set_cover_merge=1", merged, before, work],
        env=ENVIRONMENT, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    os.makedirs(os.path.dirname(target.archive), exist_ok=True)
    with zipfile.ZipFile(target.archive, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(set(os.listdir(merged)) - set(os.listdir(target.seeds))):
            with open(os.path.join(merged, name), "rb") as file:
                # Without a time, so that the same inputs make the same archive.
                archive.writestr(zipfile.ZipInfo(name), file.read(), zipfile.ZIP_DEFLATED)
