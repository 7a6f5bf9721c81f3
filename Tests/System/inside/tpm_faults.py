"""Faults of the TPM that opens the vaults, met by the installed units. Each ends before the next."""
import contextlib
import glob
import os
import struct

import provider
import sealed
from household import ADA
from scenarios import STATE, check, main, run, scenario
from sealed import all_are_refused, all_go_on, nothing_changes, stop
from tpm_kills import relay

# TPM 2.0 Library, part 2, sections 6.5.2, 6.13, 7.4 and 8.6.
CLEAR, CHANGE_AUTH, RESET_LOCKOUT, SET_LOCKOUT = 0x126, 0x129, 0x139, 0x13A
GET_CAPABILITY, PROPERTIES, PERMANENT, IN_LOCKOUT = 0x17A, 6, 0x200, 1 << 9
OWNER, LOCKOUT, PASSWORD = 0x40000001, 0x4000000A, 0x40000009
# Tries before the lockout, and the seconds in which one is forgotten and in which a lockout ends.
LIMITS = struct.pack(">III", 32, 7200, 86400)
OWNER_PASSWORD = b"of the owner"
# TPM_RC_OBJECT_MEMORY, _SESSION_MEMORY, _SESSION_HANDLES, _NV_RATE, _RETRY and _NV_UNAVAILABLE, and
# TPM_RC_LOCKOUT (part 2, section 6.6.3).
BUSY, IS_LOCKED = ("902", "903", "905", "920", "922", "923"), "921"
NV_UNDEFINE, NV_DEFINE, NV_INCREMENT, PCR_READ, PCR_EXTEND = 0x122, 0x12A, 0x134, 0x17E, 0x182
SHA256 = 0x000B
# AUTHWRITE, a counter, AUTHREAD and NO_DA (part 2, section 13.4).
COUNTER_ATTRIBUTES = 1 << 2 | 1 << 4 | 1 << 18 | 1 << 25


def answer(message):
    """The TPM's answer to one message; no helper talks to it at that time."""
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


@scenario
def withoutTheTPMNoVaultOpens():
    with nothing_changes(), sealed.without_tpm():
        all_are_refused("there is none (/dev/tpmrm0)")
    all_go_on()


@contextlib.contextmanager
def closed_tpm():
    """Takes the device from the group of the helper."""
    there = os.stat(sealed.NODE)
    os.chown(sealed.NODE, 0, 0)
    os.chmod(sealed.NODE, 0o600)
    try:
        yield
    finally:
        os.chown(sealed.NODE, there.st_uid, there.st_gid)
        os.chmod(sealed.NODE, there.st_mode & 0o777)


@scenario
def aTPMThatIsClosedToTheHelpersGroupIsTold():
    with nothing_changes(), closed_tpm():
        all_are_refused("the engine may not open it (/dev/tpmrm0)")
    all_go_on()


def measured(register):
    """The SHA-256 value of a platform configuration register."""
    selection = struct.pack(">IHB", 1, SHA256, 3) + (1 << register).to_bytes(3, "little")
    return answer(struct.pack(">HII", 0x8001, 10 + len(selection), PCR_READ) + selection)[-32:]


@scenario
def aFirmwareUpdateStopsNothing():
    """It changes PCR 0, and one of the keys of Secure Boot PCR 7. No PCR is in the policy."""
    stop()
    for register in (0, 7):
        before = measured(register)
        command(PCR_EXTEND, register, struct.pack(">IH", 1, SHA256) + b"u" * 32)
        check(measured(register) != before, f"PCR {register} is the same")
    all_go_on()


def slot_of_tpm():
    """The slot that the TPM opens (MachineKeySlot.swift has the format)."""
    for path in glob.glob(f"{STATE}/machine-key/*"):
        with open(path, "rb") as file:
            if file.read(9) == b"TLSLOT01" + bytes([1]):
                return path
    raise AssertionError("the TPM has no slot")


def flip(path, place):
    with open(path, "r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 1]))


@scenario
def aSlotThatWasChangedIsToldUntilItIsRestored():
    stop()
    path = slot_of_tpm()
    with open(path, "rb") as file:
        kept = file.read()
    parameters = 47 + struct.unpack("<H", kept[45:47])[0]
    # A byte of the TPM's private part (TPMSlot.swift), and one of the salt that authorizes.
    for place, why in ((47 + 12 + 2 + 34 + 2 + 50, "slot of the machine key is damaged"),
                       (parameters, "do not belong together")):
        flip(path, place)
        try:
            with nothing_changes():
                all_are_refused(why)
        finally:
            stop()
            flip(path, place)
        with open(path, "rb") as file:
            check(file.read() == kept, "the slot is not restored")
        all_go_on()


@scenario
def aTPMThatRefusesForAWhileIsAskedAgain():
    says = {code: "the TPM is busy: try again" for code in BUSY}
    says[IS_LOCKED] = "the TPM is in lockout after failed authorizations: try again later"
    with nothing_changes(), relay() as way:
        for code, words in says.items():
            way.say(f"refuse {code}")
            said = ADA.thumblatch("status").end(status=5)
            check(words in said.replace("\n", " "), f"{code}: {said}")
            run("thumblatch", "device-secret", "test", status=5)
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


def nv_command(code, handle, index, parameters=b"", password=b""):
    """A command about an index, which the password of a handle authorizes."""
    session = struct.pack(">IHBH", PASSWORD, 0, 1, len(password)) + password
    body = struct.pack(">III", handle, index, len(session)) + session + parameters
    answer(struct.pack(">HII", 0x8002, 10 + len(body), code) + body)


@scenario
def aCounterThatIsDefinedAgainIsRefused():
    """The next scenario puts a slot and a counter in the place of these."""
    stop()
    ledger = f"{STATE}/machine-key/ledger"
    with open(ledger, "rb") as file:
        kept = file.read()
    # CounterLedger.swift has the format.
    index = struct.unpack("<I", kept[32:36])[0]
    area = struct.pack(">IHIHH", index, SHA256, COUNTER_ATTRIBUTES, 0, 8)
    for change in (lambda: nv_command(NV_UNDEFINE, OWNER, index),
                   lambda: command(NV_DEFINE, OWNER, sized(b"other") + sized(area)),
                   lambda: nv_command(NV_INCREMENT, index, index, password=b"other")):
        stop()
        change()
        words = ["token", "work", "--min-ttl", f"{provider.LIFETIME}s"]
        for person in sealed.EVERYBODY:
            said = person.thumblatch(*words).end(status=6).replace("\n", " ")
            check("counter was removed or replaced" in said, said)
            check("thumblatch recover" in said, said)
        for user in sealed.CROWD:
            run(*sealed.as_member(user, *words), status=6)
        check(sealed.status()["counter"] == "refused", str(sealed.status()))
        with open(ledger, "rb") as file:
            check(file.read() == kept, "the ledger was changed")


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
