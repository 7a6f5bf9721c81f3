#!/usr/bin/env python3
"""A TPM device: a raw pseudo-terminal in front of swtpm.

usage: bridge.py DIRECTORY [--tap FILE]

The state of the TPM and its sockets are in DIRECTORY, where a stopped one goes on. Each message is copied
whole. As the kernel does for /dev/tpmrm0, everything that a client has left loaded is flushed before the
next conversation, which begins with the probe of the device TCTI. (The terminal's close(2) says less: a
child that was forked in between may hold it for a moment.) --tap writes all messages into a file, before they
are changed, one per line.

The first line of the output is the path of the device. Then each line of the input is a command, which is
answered by one line:

  reset             ends swtpm by SIGKILL, and starts it again
  left              ends the conversation of a client that has gone: the handles that it has left loaded
  indices           the NV indices that are defined
  fail CODE N [CC]  answers the next N commands (of this code) with a response code
  answer CC LIE     changes the next response to a command; LIE is key, name, or flip
  hold CC           holds the next command; a second line, `held`, follows when it is there
  release           lets it go on
  lose              lets it go on, and drops the answer of the TPM
  garbage           answers every command with bytes that are no response, from now on
  silence N         answers none of the next N commands

Numbers are hexadecimal. It ends with its input, and swtpm with it.
"""
import fcntl
import hashlib
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import tty

FLUSH, GET_CAPABILITY = 0x165, 0x17A
# Tss2_Tcti_Device_Init: TPM2_GetRandom of 8 bytes.
PROBE = bytes.fromhex("80010000000c0000017b0008")
# Objects, loaded sessions, saved sessions.
LOADED = (0x80000000, 0x02000000, 0x03000000)
INDICES = 0x01000000
# The point of P-256 whose private key is 1.
X = bytes.fromhex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
Y = bytes.fromhex("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")


class Chip:
    """swtpm, with the connection of one conversation."""

    def __init__(self, directory):
        self.path = os.path.join(directory, "tpm")
        self.state = os.path.join(directory, "state")
        os.makedirs(self.state, exist_ok=True)
        self.connection = None
        self.start()

    def start(self):
        for path in (self.path, self.path + ".ctrl"):
            if os.path.exists(path):
                os.unlink(path)
        self.process = subprocess.Popen(
            ["/usr/bin/swtpm", "socket", "--tpm2", "--tpmstate", "dir=" + self.state,
             "--server", "type=unixio,path=" + self.path,
             "--ctrl", "type=unixio,path=" + self.path + ".ctrl",
             "--flags", "not-need-init,startup-clear"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.connect()
        self.leave()

    def connect(self):
        while self.connection is None:
            if self.process.poll() is not None:
                raise SystemExit("bridge: swtpm ended")
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(self.path)
                self.connection = connection
            except OSError:  # it does not listen yet
                connection.close()
                select.select([], [], [], 0.01)

    def leave(self):
        """Lets other programs talk to swtpm, which has one client at a time."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def reset(self):
        self.end()
        self.start()

    def end(self):
        self.leave()
        self.process.kill()
        self.process.wait()

    def ask(self, message):
        self.connect()
        self.connection.sendall(message)
        answer = b""
        while len(answer) < 10 or len(answer) < struct.unpack(">I", answer[2:6])[0]:
            more = self.connection.recv(65536)
            if not more:
                raise SystemExit("bridge: swtpm closed the connection")
            answer += more
        return answer

    def handles(self, first):
        """The handles of a kind."""
        answer = self.ask(struct.pack(">HIIIII", 0x8001, 22, GET_CAPABILITY, 1, first, 64))
        count = struct.unpack(">I", answer[15:19])[0]
        return list(struct.unpack(f">{count}I", answer[19:19 + 4 * count]))

    def flush(self):
        found = [handle for first in LOADED for handle in self.handles(first)]
        for handle in found:
            self.ask(struct.pack(">HIII", 0x8001, 14, FLUSH, handle))
        return found


def listed(handles):
    return " ".join(f"{handle:x}" for handle in handles) or "nothing"


def with_own_key(public):
    """A marshalled public area (TPMT_PUBLIC) with the point in place of its own."""
    return public[:-68] + struct.pack(">H", 32) + X + struct.pack(">H", 32) + Y


def lie_about_key(answer, lie):
    """Puts another key into a response with a public area: with that key's name, or the true one."""
    made = struct.unpack(">H", answer[:2])[0] == 0x8002
    start = 18 if made else 10
    count = struct.unpack(">H", answer[start:start + 2])[0]
    public = answer[start + 2:start + 2 + count]
    forged = with_own_key(public)
    changed = answer.replace(public, forged)
    if lie == "key":
        name, own = ((b"\x00\x0b" + hashlib.sha256(area).digest()) for area in (public, forged))
        changed = changed.replace(name, own)
    return changed


class Bridge:
    def __init__(self, directory, tap):
        self.chip = Chip(directory)
        self.tap = open(tap, "a", encoding="ascii") if tap else None
        self.left, self.failing, self.lies = [], [], {}
        self.hold, self.held, self.silent, self.is_garbage = None, None, 0, False
        self.buffer = b""
        # No client gets the terminal as its own: the bridge has it.
        os.setsid()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self.master, self.slave = os.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        tty.setraw(self.slave)
        self.device = os.ttyname(self.slave)

    def told(self, direction, message):
        if self.tap:
            print(direction, message.hex(), file=self.tap, flush=True)

    def run(self):
        print(self.device, flush=True)
        lines = b""
        while True:
            wanted = [0] + ([] if self.held else [self.master])
            ready = select.select(wanted, [], [])[0]
            if 0 in ready:
                data = os.read(0, 65536)
                if not data:
                    break
                lines += data
                while b"\n" in lines:
                    line, lines = lines.split(b"\n", 1)
                    print(self.command(*line.decode().split()), flush=True)
                continue
            if self.master in ready:
                self.buffer += os.read(self.master, 65536)
                self.messages()
        self.chip.end()

    def end_conversation(self):
        """Frees the objects that a client has left, and drops its unread bytes."""
        self.held = None
        self.left = self.chip.flush()
        termios.tcflush(self.slave, termios.TCIFLUSH)
        self.chip.leave()

    def messages(self):
        while len(self.buffer) >= 10:
            count = struct.unpack(">I", self.buffer[2:6])[0]
            if len(self.buffer) < count:
                return
            message, self.buffer = self.buffer[:count], self.buffer[count:]
            code = struct.unpack(">I", message[6:10])[0]
            if message == PROBE:
                self.end_conversation()
            self.told(">", message)
            if code == self.hold:
                self.hold, self.held = None, message
                print("held", flush=True)
                return
            self.answer(message, code)

    def answer(self, message, code):
        if self.silent > 0:
            self.silent -= 1
            return
        if self.is_garbage:
            answer = b"no TPM answers like this\n"
        else:
            answer = self.response(message, code)
        self.told("<", answer)
        os.write(self.master, answer)

    def response(self, message, code):
        if self.failing and self.failing[0][1] in (None, code):
            return struct.pack(">HII", 0x8001, 10, self.failing.pop(0)[0])
        answer = self.chip.ask(message)
        lie = self.lies.pop(code, None)
        if lie is None:
            return answer
        if lie == "flip":
            return answer[:-1] + bytes([answer[-1] ^ 1])
        return lie_about_key(answer, lie)

    def command(self, word, *rest):
        if word == "reset":
            self.chip.reset()
            return self.device
        if word == "left":
            # The client may have gone before its last message was answered.
            while select.select([self.master], [], [], 0)[0]:
                os.read(self.master, 65536)
            self.buffer = b""
            self.end_conversation()
            return listed(self.left)
        if word == "indices":
            return listed(self.chip.handles(INDICES))
        if word == "fail":
            self.failing = [(int(rest[0], 16), int(rest[2], 16) if rest[2:] else None)] * int(rest[1], 16)
        elif word == "answer":
            self.lies[int(rest[0], 16)] = rest[1]
        elif word == "hold":
            self.hold = int(rest[0], 16)
        elif word in ("release", "lose"):
            message, self.held = self.held, None
            code = struct.unpack(">I", message[6:10])[0]
            if word == "release":
                self.answer(message, code)
            else:
                self.response(message, code)
        elif word == "silence":
            self.silent = int(rest[0], 16)
        elif word == "garbage":
            self.is_garbage = True
        else:
            return f"no command {word}"
        return "done"


def main():
    directory, *options = sys.argv[1:]
    bridge = Bridge(directory, options[1] if options[:1] == ["--tap"] else None)
    try:
        bridge.run()
    finally:
        bridge.chip.process.kill()


main()
