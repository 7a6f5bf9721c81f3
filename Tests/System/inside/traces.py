"""The secrets that remain in the memory of the service's programs, in the middle of their work and
after it."""
import contextlib
import glob
import io
import json
import os

import memory
import provider
from household import (ACCOUNT, ADA, EMAIL, PLANTED, ask_for_finger, begin, brings_token,
                       token)
from people import is_armed, touch
from scenarios import check, main, scenario, until

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
    """Searches all running programs. The named programs must be among them."""
    found = list(running())
    seen = {name for name, process in found if search_one(name, process)}
    check(seen >= set(names), f"not seen: {set(names) - seen}: {found}")


def search_one(name, process):
    """Searches one process. False if it ended in the meantime, as processes of short lookups do."""
    try:
        found = memory.scan(PLANTED, process)
        with open(f"/proc/{process}/limits", encoding="utf-8") as file:
            core = [line.split()[4:6] for line in file if line.startswith("Max core")][0]
        # proc(5): the files of an undumpable process belong to root.
        owner = os.stat(f"/proc/{process}/status").st_uid
    except (FileNotFoundError, ProcessLookupError):
        return False
    for secret, (count, forms, places) in found.items():
        check(count == 0, f"{name} holds the {secret}: {forms} {places}")
    check(core == ["0", "0"], f"{name} may leave a core file: {core}")
    check(owner == 0, f"{name} may be dumped")
    return True


def settle():
    """Waits for the end of current work. An exchange helper waits for the next request."""
    ended = ["thumblatchd"], ["thumblatch-exchange", "thumblatchd"]
    until(lambda: sorted(name for name, _ in running()) in ended, "a helper does not end")


@scenario
def theSearchFindsWhatIsThere():
    path = "/run/planted.json"
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
            json.dump({name: text.decode() for name, text in PLANTED.items()}, file)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            is_missing = memory.prove(path)
    finally:
        os.unlink(path)
    check(not is_missing, said.getvalue())


@scenario
def theEngineHoldsTheTokenThatItGives():
    # Control: the search examines the right memory. An access token is kept as long as it is valid.
    ADA.thumblatch("lock").end()
    given = token()
    engine = [process for name, process in running() if name == "thumblatchd"]
    found = memory.scan({"access token": given.encode()}, *engine)["access token"]
    check(found[0] > 0, "it is not found")


@scenario
def noSecretIsInPlainMemoryWhileAFingerIsAwaitedAndAfterIt():
    command = ask_for_finger()
    until(is_armed, "the reader was not armed")
    search("thumblatchd", "thumblatch-presence", "thumblatch-cli")
    touch("right-index")
    brings_token(command)
    settle()
    search("thumblatchd")


@scenario
def noSecretIsInPlainMemoryWhileATokenIsRefreshedAndAfterIt():
    provider.hold_refresh()
    command = ask_for_finger()
    touch("right-index")
    provider.wait_for_refresh()
    search("thumblatchd", "thumblatch-exchange", "thumblatch-cli")
    provider.release()
    brings_token(command)
    settle()
    search("thumblatchd")


@scenario
def noPasswordIsLeftOfACheckAndOfASignIn():
    command = ADA.thumblatch("unlock")
    command.expect("Touch the fingerprint reader").type("")
    command.expect("System password for").type(ADA.password)
    command.end()
    ADA.thumblatch("lock").end()
    command = ADA.thumblatch("login", ACCOUNT)
    command.expect("-mail").type(EMAIL)
    command.expect("assword").type(provider.PASSWORD)
    # The earlier token is not revoked without a check.
    command.end(status=12)
    settle()
    search("thumblatchd")


main(begin)
