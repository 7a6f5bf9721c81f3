"""A connection to an engine, and the end of an engine."""

import json
import os
import select
import socket


class Connection:
    """Varlink: JSON messages that end with NUL."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.bytes = b""

    def send(self, name, /, more=False, **parameters):
        call = {"method": "io.thumblatch.Vault." + name, "parameters": parameters, "more": more}
        self.socket.sendall(json.dumps(call).encode() + b"\0")

    def receive(self):
        while b"\0" not in self.bytes:
            part = self.socket.recv(65536)
            if not part:
                raise EOFError("the engine closed the connection")
            self.bytes += part
        message, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(message)

    def call(self, name, /, **parameters):
        self.send(name, **parameters)
        return self.receive()


def stop(process):
    """Ends the engine, which is not a child of this program, and waits until it has ended."""
    handle = os.pidfd_open(process)
    os.kill(process, 15)
    select.select([handle], [], [])
    os.close(handle)
