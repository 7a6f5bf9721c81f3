"""The promises of a run, and those that it missed."""

missed = []
# By how much a bound of time may be missed: a test shares the machine with whatever else runs.
slack = 1


def promise(kept, what):
    if not kept:
        missed.append(what)
