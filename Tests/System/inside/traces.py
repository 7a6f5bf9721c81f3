"""What secrets leave behind in the service: in the memory of its programs, and in the journal.

usage: traces.py MARKED   where MARKED is a file as memory.py takes it

The secrets of the file must have been used in this machine before, such as the password of a login
or the tokens that a provider gave. Nothing may have kept one of them: no engine, no helper that
still runs, no command, no journal, no core file.
"""
import glob
import os
import sys

import memory
from scenarios import check, main, run, scenario

MARKED = sys.argv[1]
PROGRAMS = ("thumblatchd", "thumblatch-presence", "thumblatch-exchange", "thumblatch-cli")


def running():
    """The processes of the programs."""
    for path in glob.glob("/proc/[0-9]*/exe"):
        try:
            name = os.path.basename(os.readlink(path).removesuffix(" (deleted)"))
        except OSError:
            continue  # it has ended
        if name in PROGRAMS:
            yield name, int(path.split("/")[2])


@scenario
def theSearchFindsWhatIsThere():
    check(not memory.prove(MARKED), "it does not")


@scenario
def noProgramOfTheServiceKeepsASecret():
    found = dict(running())
    check("thumblatchd" in found, "no engine runs")
    for name, process in running():
        for secret, (count, forms, places) in memory.scan(memory.load(MARKED), process).items():
            check(count == 0, f"{name} holds {secret}: {forms} {places}")


@scenario
def noProgramOfTheServiceLeavesACoreFile():
    for name, process in running():
        with open(f"/proc/{process}/limits", encoding="utf-8") as file:
            core = [line.split()[4:6] for line in file if line.startswith("Max core")][0]
        check(core == ["0", "0"], f"{name} may leave a core file: {core}")
        # proc(5): the files of a process that may not be dumped belong to root.
        check(os.stat(f"/proc/{process}/status").st_uid == 0, f"{name} may be dumped")


@scenario
def theJournalHoldsNoSecret():
    for words in (["--output=export"], ["--output=json", "--all"]):
        told = run("journalctl", "--no-pager", *words).encode()
        check(len(told) > 1000, "the journal is empty")
        for secret, (count, forms, _) in memory.look(memory.load(MARKED), told).items():
            check(count == 0, f"the journal holds {secret}: {forms}")


if __name__ == "__main__":
    main()
