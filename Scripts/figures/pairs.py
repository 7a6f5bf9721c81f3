"""Runs of several commands in turn, so that a busy machine is equally slow for each."""

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
