"""Faults of the TPM that opens the vaults, met by the installed units. Each ends before the next."""
import contextlib
import os
import struct
import subprocess

import sealed
from scenarios import check, main, run, scenario

# TPM 2.0 Library, part 2, sections 6.5.2, 6.13, 7.4 and 8.6.
CLEAR, CHANGE_AUTH, RESET_LOCKOUT, SET_LOCKOUT = 0x126, 0x129, 0x139, 0x13A
GET_CAPABILITY, PROPERTIES, PERMANENT, IN_LOCKOUT = 0x17A, 6, 0x200, 1 << 9
OWNER, LOCKOUT, PASSWORD = 0x40000001, 0x4000000A, 0x40000009
# Tries before the lockout, and the seconds in which one is forgotten and in which a lockout ends.
LIMITS = struct.pack(">III", 32, 7200, 86400)
OWNER_PASSWORD = b"of the owner"
# A TPM that gives random bytes, for which the library asks first, and is busy with all else (TPM_RC_RETRY).
# The terminal is its own, so that no helper gets it and hangs it up with its end.
BUSY = """
import fcntl, os, signal, struct, sys, termios, tty
signal.signal(signal.SIGHUP, signal.SIG_IGN)
master, slave = os.openpty()
fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
tty.setraw(slave)
print(os.ttyname(slave), flush=True)
buffer = b""
while True:
    buffer += os.read(master, 4096)
    while len(buffer) >= 10 and len(buffer) >= (size := struct.unpack(">I", buffer[2:6])[0]):
        code, buffer = struct.unpack(">I", buffer[6:10])[0], buffer[size:]
        os.write(master, struct.pack(">HIIHQ", 0x8001, 20, 0, 8, 7) if code == 0x17B
                 else struct.pack(">HII", 0x8001, 10, 0x922))
"""


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


@contextlib.contextmanager
def busy_tpm():
    """Puts a TPM that is busy in the place of the TPM."""
    there = os.stat(sealed.NODE)
    with subprocess.Popen(["python3", "-c", BUSY], stdout=subprocess.PIPE, text=True,
                          start_new_session=True) as other:
        try:
            device = other.stdout.readline().strip()
            os.chown(device, there.st_uid, there.st_gid)
            os.chmod(device, there.st_mode & 0o777)
            run("mount", "--bind", device, sealed.NODE)
            try:
                yield
            finally:
                run("umount", sealed.NODE)
        finally:
            other.kill()


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
def aBusyTPMIsAskedAgain():
    with nothing_changes(), busy_tpm():
        for person in sealed.EVERYBODY:
            said = person.thumblatch("status").end(status=5)
            check("the TPM is busy: try again" in said.replace("\n", " "), said)
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
