"""A device in front of the machine's TPM: it copies each message whole, and can hold one.

usage: tpm_relay.py NODE

The first line of the output is the path of the device. Then each line of the input is a command:

  hold CC    holds the next command of the TPM with this code, a hexadecimal number, and prints `held`
  release    lets it go on
  lose       lets it go on, and drops the TPM's answer
  refuse RC  answers all but requests for random bytes with this code, a hexadecimal number
  forge      has the TPM make another parent key, as a program with a key of its own would
  pass       ends both
  log FILE   writes each message from now on into a file, in hexadecimal, a line each

It ends with its input. Like the bridge behind it (Tests/TPMTests/Bridge), it serves one conversation at
a time: what a dead client has not read is dropped before the next one.
"""
import fcntl
import os
import select
import signal
import struct
import sys
import termios
import tty

GET_RANDOM, CREATE_PRIMARY = 0x17B, 0x131
# The probe with which a conversation begins: TPM2_GetRandom of 8 bytes.
PROBE = bytes.fromhex("80010000000c0000017b0008")


def message(data):
    """The first whole message in these bytes, and the rest."""
    if len(data) < 10 or len(data) < (size := struct.unpack(">I", data[2:6])[0]):
        return None, data
    return data[:size], data[size:]


def code_of(one):
    return struct.unpack(">I", one[6:10])[0]


def with_other_key(one):
    """The command that makes a parent key, with 64 more bytes in `unique`: then it is another key.

    They follow the header, a handle, and three areas with their sizes: the authorization, the sensitive
    part, and the public part, whose last four bytes are the sizes of an empty point."""
    start = 14 + 4 + struct.unpack(">I", one[14:18])[0]
    start += 2 + struct.unpack(">H", one[start:start + 2])[0]
    size = struct.unpack(">H", one[start:start + 2])[0]
    end = start + 2 + size
    assert one[end - 4:end] == bytes(4), one.hex()
    point = 2 * (struct.pack(">H", 32) + b"k" * 32)
    one = (one[:start] + struct.pack(">H", size + 64) + one[start + 2:end - 4] + point + one[end:])
    return one[:2] + struct.pack(">I", len(one)) + one[6:]


class Relay:
    def __init__(self, node):
        self.chip = os.open(node, os.O_RDWR | os.O_NOCTTY)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        # Otherwise a client that opens the terminal would own it, and hang it up at its own end.
        self.master, self.slave = os.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        tty.setraw(self.slave)
        self.buffer, self.wanted, self.held = b"", None, None
        self.refusal, self.forges, self.log = None, False, None

    def run(self):
        print(os.ttyname(self.slave), flush=True)
        lines = b""
        while True:
            ready = select.select([0] + ([] if self.held else [self.master]), [], [])[0]
            if 0 in ready:
                data = os.read(0, 4096)
                if not data:
                    return
                lines += data
                while b"\n" in lines:
                    line, lines = lines.split(b"\n", 1)
                    self.command(*line.decode().split())
            elif self.master in ready:
                self.buffer += os.read(self.master, 65536)
                self.pass_on()

    def pass_on(self):
        while not self.held:
            one, self.buffer = message(self.buffer)
            if one is None:
                return
            if one == PROBE:
                termios.tcflush(self.slave, termios.TCIFLUSH)
            if code_of(one) == self.wanted:
                self.wanted, self.held = None, one
                print("held", flush=True)
            else:
                os.write(self.master, self.answer(one))

    def answer(self, one):
        if self.refusal and code_of(one) != GET_RANDOM:
            return struct.pack(">HII", 0x8001, 10, self.refusal)
        if self.forges and code_of(one) == CREATE_PRIMARY:
            one = with_other_key(one)
        os.write(self.chip, one)
        said, whole = b"", None
        while whole is None:
            said += os.read(self.chip, 65536)
            whole, said = message(said)
        if self.log:
            self.log.write(one.hex() + "\n" + whole.hex() + "\n")
            self.log.flush()
        return whole

    def command(self, word, *rest):
        match word, *rest:
            case "hold", code:
                self.wanted = int(code, 16)
            case "refuse", code:
                self.refusal = int(code, 16)
            case "forge", :
                self.forges = True
            case "pass", :
                self.refusal, self.forges = None, False
            case "log", path:
                self.log = open(path, "w", encoding="ascii")
            case _:
                self.let_go(word)

    def let_go(self, word):
        one, self.held = self.held, None
        said = self.answer(one)
        if word == "release":
            os.write(self.master, said)
        self.pass_on()


if __name__ == "__main__":
    Relay(sys.argv[1]).run()
