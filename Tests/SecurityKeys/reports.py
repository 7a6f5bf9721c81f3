"""The reports of a security key on a pty (CTAP 2.1, section 11.2), and the lines of its person."""
import os
import select
import struct
import sys
import time
import tty

from authenticator import BOOT_RETRIES, Key, Refusal, say

REPORT = 64
INIT, CBOR, CANCEL, KEEPALIVE, ERROR, PING = 0x86, 0x90, 0x91, 0xBB, 0xBF, 0x81
# How long the key waits for a touch, in seconds: longer than each program that asks for one.
PATIENCE = 120


class Line:
    def __init__(self, options):
        self.master, slave = os.openpty()
        tty.setraw(slave)
        # The slave stays open here: else the master sees an end when a client closes it.
        self.slave = slave
        self.name = os.ttyname(slave)
        self.received = b""
        self.typed = b""
        self.touches = []
        self.channel = None
        # Whether the key's own check of the person was the touch of the next request.
        self.has_touched = False
        self.error = None
        self.key = Key(options[0], options[1:])

    def wait(self, seconds):
        """Reads bytes from the client or from the person; false if there were none."""
        readable, _, _ = select.select([self.master, 0], [], [], seconds)
        if 0 in readable:
            data = os.read(0, 4096)
            if not data:
                sys.exit(0)
            self.typed += data
            while b"\n" in self.typed:
                text, self.typed = self.typed.split(b"\n", 1)
                self.person(text.decode().split())
        if self.master in readable:
            self.received += os.read(self.master, 4096)
        return bool(readable)

    def person(self, words):
        if words[0] in ("touch", "bad-finger"):
            self.touches.append(words[0])
        elif words[0] == "answer":
            self.error = int(words[1], 0)
        elif words[0] == "flags":
            self.key.flags = int(words[1], 0)
        elif words[0] == "block":
            self.key.blocked = True
        elif words[0] == "forge":
            self.key.forges = True
        elif words[0] == "reset":
            self.key.reset()
        elif words[0] == "counter":
            self.key.counts = False
        elif words[0] == "replug":
            self.key.boot_retries = BOOT_RETRIES
        elif words[0] == "unplug":
            sys.exit(0)

    def report(self):
        """One report of the client, without the report number in front; `None` if none is whole."""
        if len(self.received) <= REPORT:
            return None
        report, self.received = self.received[1:REPORT + 1], self.received[REPORT + 1:]
        return report

    def send(self, channel, command, data):
        packet = struct.pack(">IBH", channel, command, len(data)) + data[:57]
        os.write(self.master, packet.ljust(REPORT, b"\0"))
        data = data[57:]
        sequence = 0
        while data:
            packet = struct.pack(">IB", channel, sequence) + data[:59]
            os.write(self.master, packet.ljust(REPORT, b"\0"))
            data, sequence = data[59:], sequence + 1

    def touch(self):
        """Lights the key until it is touched: the person's word, or a refusal."""
        if self.has_touched:
            self.has_touched = False
            return "touch"
        say("touch")
        end = time.monotonic() + PATIENCE
        while not self.touches:
            left = end - time.monotonic()
            if left <= 0:
                say("timeout")
                raise Refusal(0x2F)
            if not self.wait(min(left, 0.1)):
                self.send(self.channel, KEEPALIVE, b"\x02")
            report = self.report()
            if report and struct.unpack(">IB", report[:5]) == (self.channel, CANCEL):
                say("cancelled")
                raise Refusal(0x2D)
            if report and report[4] & 0x80:
                self.send(struct.unpack(">I", report[:4])[0], ERROR, b"\x06")
        say("touched")
        return self.touches.pop(0)

    def message(self):
        while (report := self.report()) is None:
            self.wait(None)
        channel, command, count = struct.unpack(">IBH", report[:7])
        if not command & 0x80:
            return None
        data = report[7:]
        sequence = 0
        while len(data) < count:
            while (report := self.report()) is None:
                self.wait(None)
            if struct.unpack(">IB", report[:5]) != (channel, sequence):
                self.send(channel, ERROR, b"\x04")
                return None
            data, sequence = data + report[5:], sequence + 1
        return channel, command, data[:count]

    def serve(self):
        say(self.name)
        while True:
            message = self.message()
            if message is None:
                continue
            channel, command, data = message
            if command == INIT:
                reply = data[:8] + struct.pack(">IBBBBB", 0x01020304, 2, 1, 0, 0, 0x04)
                self.send(channel, INIT, reply)
            elif command == PING:
                self.send(channel, PING, data)
            elif command == CBOR:
                self.channel = channel
                self.send(channel, CBOR, self.answer(data))
            elif command != CANCEL:
                self.send(channel, ERROR, b"\x01")

    def answer(self, data):
        error, self.error = self.error, None
        try:
            if error is not None:
                raise Refusal(error)
            return self.key.answer(data, self)
        except Refusal as refusal:
            return bytes([refusal.args[0]])
        except (KeyError, IndexError, ValueError, TypeError):
            return b"\x12"
