"""Runs of several commands in turn, so that a busy machine is equally slow for each."""

import statistics
import subprocess
import time


def paired(commands, runs, **options):
    """Runs the commands in turn, and gives each one's wall times in milliseconds."""
    times = [[] for _ in commands]
    for run in range(runs + 5):
        for index, command in enumerate(commands):
            begun = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True, **options)
            if run >= 5:
                times[index].append((time.perf_counter() - begun) * 1000)
    return times


def report(name, times, floor):
    ratio = statistics.median(a / b for a, b in zip(times, floor))
    print(f"  {name:<34} {statistics.median(times):7.3f} ms   {ratio:5.2f} × the floor")
