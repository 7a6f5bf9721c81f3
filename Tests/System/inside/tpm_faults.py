"""Faults of the TPM that opens the vaults, met by the installed units. Each ends before the next."""
import contextlib
import os
import struct

import sealed
from scenarios import check, main, run, scenario

# TPM 2.0 Library, part 2, sections 6.5.2, 6.13, 7.4 and 8.6.
CLEAR, CHANGE_AUTH, RESET_LOCKOUT, SET_LOCKOUT = 0x126, 0x129, 0x139, 0x13A
GET_CAPABILITY, PROPERTIES, PERMANENT, IN_LOCKOUT = 0x17A, 6, 0x200, 1 << 9
OWNER, LOCKOUT, PASSWORD = 0x40000001, 0x4000000A, 0x40000009
# Tries before the lockout, and the seconds in which one is forgotten and in which a lockout ends.
LIMITS = struct.pack(">III", 32, 7200, 86400)
OWNER_PASSWORD = b"of the owner"


def answer(message):
    """What the TPM answers to one message; no helper talks to it at that time."""
    device = os.open(sealed.NODE, os.O_RDWR | os.O_NOCTTY)
    try:
        os.write(device, message)
        said = b""
        while len(said) < 10 or len(said) < struct.unpack(">I", said[2:6])[0]:
            said += os.read(device, 4096)
    finally:
        os.close(device)
    code = struct.unpack(">I", said[6:10])[0]
    check(code == 0, f"the TPM answers {code:#x} to {message.hex()}")
    return said


def command(code, handle, parameters=b"", password=b""):
    """A command that the hierarchy of a handle authorizes by its password."""
    session = struct.pack(">IHBH", PASSWORD, 0, 1, len(password)) + password
    body = struct.pack(">II", handle, len(session)) + session + parameters
    answer(struct.pack(">HII", 0x8002, 10 + len(body), code) + body)


def sized(value):
    return struct.pack(">H", len(value)) + value


def is_in_lockout():
    said = answer(struct.pack(">HIIIII", 0x8001, 22, GET_CAPABILITY, PROPERTIES, PERMANENT, 1))
    return bool(struct.unpack(">I", said[23:27])[0] & IN_LOCKOUT)


def stop():
    run("systemctl", "stop", "thumblatchd.service")


@contextlib.contextmanager
def nothing_changes():
    """No file changes; the engine begins and ends in between."""
    stop()
    before = sealed.digests()
    yield
    stop()
    check(sealed.digests() == before, "a file was changed")


def all_are_refused(why):
    for person in sealed.EVERYBODY:
        sealed.is_refused(person, "status", why=why)
    run("thumblatch", "device-secret", "test", status=6)


def all_go_on():
    for person in sealed.EVERYBODY:
        sealed.brings_new_token(person)
    found = sealed.status()
    check(found["open"] and found["counter"] == "current", str(found))


@scenario
def withoutTheTPMNoVaultOpens():
    with nothing_changes(), sealed.without_tpm():
        all_are_refused("there is none (/dev/tpmrm0)")
    all_go_on()


@scenario
def anOwnerPasswordIsTold():
    stop()
    command(CHANGE_AUTH, OWNER, sized(OWNER_PASSWORD))
    with nothing_changes():
        all_are_refused("has an owner password")
    command(CHANGE_AUTH, OWNER, sized(b""), OWNER_PASSWORD)
    all_go_on()


@scenario
def aLockoutStopsNothing():
    stop()
    # Without a try, the lockout begins at once.
    command(SET_LOCKOUT, LOCKOUT, struct.pack(">III", 0, 7200, 86400))
    check(is_in_lockout(), "the TPM is in no lockout")
    all_go_on()
    stop()
    check(is_in_lockout(), "the lockout has ended")
    command(SET_LOCKOUT, LOCKOUT, LIMITS)
    command(RESET_LOCKOUT, LOCKOUT)
    check(not is_in_lockout(), "the TPM stays in lockout")


@scenario
def aClearedTPMIsToldAndTheCodeSealsANewSlot():
    stop()
    command(CLEAR, LOCKOUT)
    with nothing_changes():
        all_are_refused("it was cleared")
    said = run("sh", "-c", f"thumblatch recover --code-stdin <{sealed.ESCROW} 2>&1")
    check("opens it from now on" in said, said)
    stop()
    all_go_on()


main()
