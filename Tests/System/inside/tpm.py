"""The TPM, which is swtpm behind the terminal at /dev/tpmrm0.

The last scenarios add it to what opens the vaults. Then it has faults (tpm_faults.py), the machine is
rebooted (tpm_boot.py), and its disk is copied to a machine without that TPM (tpm_copy.py)."""
import base64
import contextlib
import grp
import json
import os
import socket
import subprocess

import sealed
import tpm_kills
from household import ADA, BOB, begin
from scenarios import STATE, check, main, no_unit_of_ours_failed, run, scenario

PLACE = "/run/thumblatch/secret"
SECRET, AUTHORIZATION = (base64.b64encode(bytes([letter]) * 32).decode() for letter in b"sa")
# Asks as the user of the engine.
CALLER = """
import socket, sys
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    connection.sendall(sys.argv[2].encode() + bytes(1))
    answer = b""
    while not answer.endswith(bytes(1)) and (more := connection.recv(65536)):
        answer += more
    print(answer.rstrip(bytes(1)).decode())
"""


def message(method, **parameters):
    return json.dumps({"method": "io.thumblatch.Helper." + method, "parameters": parameters})


def ask(method, **parameters):
    said = run("setpriv", "--reuid=thumblatch", "--regid=thumblatch", "--clear-groups",
               "python3", "-c", CALLER, PLACE, message(method, **parameters))
    reply = json.loads(said)
    check("error" not in reply, said)
    return reply["parameters"]


def has_tpm():
    reply = ask("GetTPM")
    check(reply.get("outcome") == "done" and reply["maker"] == "IBM", f"{reply}")


@scenario
def theUnitTellsOfTheTPM():
    has_tpm()


@scenario
def theUnitSealsAndOpens():
    sealed = ask("SealSecret", secret=SECRET, authorization=AUTHORIZATION)
    check(sealed.pop("outcome") == "done", f"{sealed}")
    opened = ask("OpenSecret", **sealed, authorization=AUTHORIZATION)
    check(opened == {"outcome": "done", "secret": SECRET}, "it did not open")
    refused = ask("OpenSecret", **sealed, authorization=SECRET)
    check(refused == {"outcome": "failed", "reason": "wrong_authorization"}, f"{refused}")


@scenario
def itAnswersNobodyButTheEngine():
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(PLACE)
        with contextlib.suppress(BrokenPipeError):
            connection.sendall(message("GetTPM").encode() + b"\0")
        with contextlib.suppress(ConnectionResetError):
            check(connection.recv(100) == b"", "root has an answer")
    other = subprocess.run(["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "python3",
                            "-c", CALLER, PLACE, message("GetTPM")], stderr=subprocess.PIPE, text=True)
    check("PermissionError" in other.stderr, other.stderr)


@scenario
def aMachineWithoutATPMSaysSo():
    with sealed.without_tpm():
        reply = ask("GetTPM")
        check(reply == {"outcome": "failed", "reason": "absent"}, f"{reply}")
        no_unit_of_ours_failed()
    has_tpm()


@scenario
def twoPeopleHaveProtectedAccountsAndManyOthersOne():
    sealed.make_bob()
    sealed.make_crowd()
    check(sealed.status()["tier"] == "file", str(sealed.status()))
    check(sealed.status()["tpm"], f"the engine sees no TPM: {sealed.status()}")


@scenario
def aUserMayNotAddIt():
    ADA.thumblatch("device-secret", "add", "tpm").end(status=11)


@scenario
def aKillBeforeTheKeyIsMadeLeavesTheVaultsAsTheyWere():
    tpm_kills.before_the_key_is_made()


@scenario
def anEngineThatIsKilledAfterThatIsFollowedByOneThatGoesOn():
    with tpm_kills.taken_back():
        tpm_kills.after_the_key_is_made()
    check(sealed.status()["tier"] == "file", str(sealed.status()))


@scenario
def rootAddsItForAllUsersAndTheCodeGoesToAnEscrow():
    said = run("sh", "-c", "umask 077; exec thumblatch device-secret add tpm --recovery-to 3"
               f" 3>{sealed.ESCROW} 2>&1")
    with open(sealed.ESCROW, encoding="ascii") as file:
        code = file.read().strip()
    check(len(code) == 42 and code not in said, "the code is not only in the escrow")
    # Root has one too, if it has asked the service for anything.
    vaults = [name for name in os.listdir(f"{STATE}/users") if name.isdigit()]
    check(len(vaults) - ("0" in vaults) == 2 + len(sealed.CROWD), str(vaults))
    check(f"re-encrypted {len(vaults)} vaults" in said, said)
    check(sealed.status()["tier"] == "tpm", str(sealed.status()))
    check("opens" in run("thumblatch", "device-secret", "test"), "the slot does not open")
    check(code not in run("journalctl", "--no-pager", "--unit=thumblatch*"), "the journal has the code")
    for person in (ADA, BOB):
        sealed.brings_new_token(person)


def processes_for_the_tpm():
    return int(run("systemctl", "show", "--property=NAccepted", "--value", "thumblatch-secret.socket"))


@scenario
def oneProcessOpensTheKeyAndReadsTheCounter():
    run("systemctl", "stop", "thumblatchd.service")
    before = processes_for_the_tpm()
    ADA.thumblatch("account", "list").end()
    more = processes_for_the_tpm() - before
    check(more == 1, f"the opening took {more} processes")
    found = sealed.status()
    check(found["open"] and found["counter"] == "current", str(found))


@scenario
def rootReplacesTheRecoveryCode():
    """From here on, the escrow has the new code."""
    old = [slot["id"] for slot in sealed.status()["slots"] if slot["kind"] == "recovery"]
    check(len(old) == 1, str(old))
    test = "thumblatch device-secret test --code-stdin"
    said = run("sh", "-c", "umask 077; exec thumblatch device-secret add recovery --recovery-to 3"
               f" 3>{sealed.ESCROW}.new 2>&1")
    check("Added a recovery code" in said, said)
    with open(f"{sealed.ESCROW}.new", encoding="ascii") as file:
        code = file.read().strip()
    check(len(code) == 42 and code not in said, "the code is not only in the escrow")
    for place in (sealed.ESCROW, f"{sealed.ESCROW}.new"):
        run("sh", "-c", f"{test} <{place}")
    run("thumblatch", "device-secret", "remove", old[0])
    run("sh", "-c", f"{test} <{sealed.ESCROW}", status=6)
    run("sh", "-c", f"{test} <{sealed.ESCROW}.new")
    os.replace(f"{sealed.ESCROW}.new", sealed.ESCROW)


@scenario
def aMachineWithoutTheGroupGetsIt():
    run("userdel", "tss", status=None)
    run("groupdel", "tss", status=None)
    check("tss" not in {group.gr_name for group in grp.getgrall()}, "the group is still there")
    run("systemd-sysusers", "thumblatch.conf")
    os.chown(sealed.NODE, 0, grp.getgrnam("tss").gr_gid)
    has_tpm()


main(begin)
