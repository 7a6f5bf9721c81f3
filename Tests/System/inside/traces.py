"""What secrets leave behind in the service: in the memory of its programs, in the middle of what they
do and after it, and in the journal."""
import contextlib
import glob
import io
import json
import os

import memory
import provider
from household import ACCOUNT, ADA, ask_anew, is_valid, token
from people import touch
from scenarios import check, main, run, scenario, until

SECRETS = "/run/traces.json"
PROGRAMS = ("thumblatchd", "thumblatch-presence", "thumblatch-exchange", "thumblatch-cli")


def running():
    """The processes of the programs, each with its name."""
    for path in glob.glob("/proc/[0-9]*/exe"):
        try:
            name = os.path.basename(os.readlink(path).removesuffix(" (deleted)"))
        except OSError:
            continue  # it has ended
        if name in PROGRAMS:
            yield name, int(path.split("/")[2])


def search(*names):
    """Looks through all of them that run; those that are named must be among them."""
    found = list(running())
    check({name for name, _ in found} >= set(names), f"not running: {names}: {found}")
    for name, process in found:
        for secret, (count, forms, places) in memory.scan(memory.load(SECRETS), process).items():
            check(count == 0, f"{name} holds the {secret}: {forms} {places}")
        with open(f"/proc/{process}/limits", encoding="utf-8") as file:
            core = [line.split()[4:6] for line in file if line.startswith("Max core")][0]
        check(core == ["0", "0"], f"{name} may leave a core file: {core}")
        # proc(5): the files of a process that may not be dumped belong to root.
        check(os.stat(f"/proc/{process}/status").st_uid == 0, f"{name} may be dumped")


def settle():
    until(lambda: {name for name, _ in running()} == {"thumblatchd"}, "a helper does not end")


@scenario
def theSearchFindsWhatIsThere():
    with open(os.open(SECRETS, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
        json.dump({"refresh token": provider.MARK, "provider's password": provider.PASSWORD,
                   "system password": ADA.password}, file)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        is_missing = memory.prove(SECRETS)
    check(not is_missing, said.getvalue())


@scenario
def theEngineHoldsTheTokenThatItGives():
    # That the search looks at the right memory: an access token is kept as long as it is valid.
    given = token()
    engine = [process for name, process in running() if name == "thumblatchd"]
    found = memory.scan({"access token": given.encode()}, *engine)["access token"]
    check(found[0] > 0, "it is not found")


@scenario
def noSecretIsInPlainMemoryWhileAFingerIsAwaitedAndAfterIt():
    command = ask_anew()
    command.expect("Touch the fingerprint reader")
    until(lambda: "thumblatch-presence" in dict(running()), "nobody is asked")
    search("thumblatchd", "thumblatch-presence", "thumblatch-cli")
    touch("right-index")
    check(is_valid(command.end().splitlines()[-1]), "the provider does not know the token")
    settle()
    search("thumblatchd")


@scenario
def noSecretIsInPlainMemoryWhileATokenIsRefreshedAndAfterIt():
    provider.hold_refresh()
    command = ask_anew()
    command.expect("Touch the fingerprint reader")
    touch("right-index")
    provider.wait_for_refresh()
    search("thumblatchd", "thumblatch-exchange", "thumblatch-cli")
    provider.release()
    check(is_valid(command.end().splitlines()[-1]), "the provider does not know the token")
    settle()
    search("thumblatchd")


@scenario
def noPasswordIsLeftOfACheckAndOfASignIn():
    command = ADA.thumblatch("unlock")
    command.expect("Touch the fingerprint reader").type("")
    command.expect("assword").type(ADA.password)
    command.end()
    ADA.thumblatch("lock").end()
    command = ADA.thumblatch("login", ACCOUNT)
    command.expect("assword").type(provider.PASSWORD)
    command.end()
    settle()
    search("thumblatchd")


@scenario
def theJournalHoldsNoSecret():
    for words in (["--output=export"], ["--output=json", "--all"]):
        told = run("journalctl", "--no-pager", *words).encode()
        check(len(told) > 1000, "the journal is empty")
        for secret, (count, forms, _) in memory.look(memory.load(SECRETS), told).items():
            check(count == 0, f"the journal holds the {secret}: {forms}")


@scenario
def noCoreFileWasLeft():
    found = glob.glob("/var/lib/systemd/coredump/*") + glob.glob("/core*")
    check(found == [], str(found))
    os.unlink(SECRETS)


main()
