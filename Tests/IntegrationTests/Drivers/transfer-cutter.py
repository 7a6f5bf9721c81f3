#!/usr/bin/env python3
"""A relay between a private engine and the service that kills the engine at a step of a transfer.

usage: transfer-cutter.py DIRECTORY SERVICE USER

Listens as root at DIRECTORY/io.thumblatch.Vault, and passes each message on to the socket SERVICE as
the user with the id USER. DIRECTORY/mode says what happens at a TakeOver, or at the method that is
its second word: "before" kills the sender and passes nothing on, "after" kills it once the service has
answered, "lost" hangs up then, "pass" does neither. Ends with its input.
"""
import os
import selectors
import signal
import socket
import struct
import sys
import threading

DIRECTORY, SERVICE, USER = sys.argv[1], sys.argv[2], int(sys.argv[3])
NAME = DIRECTORY + "/io.thumblatch.Vault"


def serve(near, far):
    """Forwards whole messages until one side closes the connection."""
    sender = struct.unpack("iII", near.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    kept, cut = {near: b"", far: b""}, None
    with selectors.DefaultSelector() as ready:
        for end in near, far:
            ready.register(end, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                side = key.fileobj
                data = side.recv(65536)
                if not data:
                    return
                *messages, kept[side] = (kept[side] + data).split(b"\0")
                for message in messages:
                    if side is near:
                        mode, *method = open(DIRECTORY + "/mode").read().split()
                        name = method[0] if method else "TakeOver"
                        cut = mode if f'.{name}"'.encode() in message else None
                    if cut == "before" or side is far and cut in ("after", "lost"):
                        if cut != "lost":
                            os.kill(sender, signal.SIGKILL)
                        return
                    (far if side is near else near).sendall(message + b"\0")


def run(near, far):
    try:
        serve(near, far)
    except OSError:
        pass
    finally:
        near.close()
        far.close()


def main():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(NAME)
    os.chmod(NAME, 0o666)
    listener.listen()
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    print("ready", flush=True)
    while True:
        near = listener.accept()[0]
        far = socket.socket(socket.AF_UNIX)
        # The service sees the user, as it would without this program.
        os.seteuid(USER)
        far.connect(SERVICE)
        os.seteuid(0)
        threading.Thread(target=run, args=(near, far), daemon=True).start()


main()
