"""Runs of several commands in turn, so that a busy machine is equally slow for each."""

import os
import statistics
import subprocess
import time


def paired(commands, runs, inputs=None, **options):
    """Runs the commands in turn, and gives each one's wall times in milliseconds.

    `inputs` holds the standard input of each command as bytes.
    """
    times = [[] for _ in commands]
    for run in range(runs + 5):
        for index, command in enumerate(commands):
            stdin = source(inputs[index]) if inputs else None
            begun = time.perf_counter()
            subprocess.run(command, stdin=stdin, stdout=subprocess.DEVNULL, check=True, **options)
            if run >= 5:
                times[index].append((time.perf_counter() - begun) * 1000)
            if stdin is not None:
                os.close(stdin)
    return times


def source(content):
    """The read end of a pipe that holds these bytes, as a tool gives them to its helper."""
    read, write = os.pipe()
    os.write(write, content)
    os.close(write)
    return read


def report(name, times, floor):
    """Prints the times of a command, and gives their ratio to those of another one."""
    ratio = statistics.median(a / b for a, b in zip(times, floor))
    print(f"  {name:<34} {statistics.median(times):7.3f} ms   {ratio:5.2f} × the floor")
    return ratio
