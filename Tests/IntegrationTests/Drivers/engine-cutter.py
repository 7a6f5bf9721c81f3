"""Stands between the clients of a private vault and its engine, and kills the engine at a call.

usage: engine-cutter.py STATE METHOD WHEN

It takes the place of the engine's socket in the directory STATE, and moves that into $HOME. It kills the
engine at the first call of METHOD: before the engine gets the call, or once it has answered, as WHEN says
("before", "after"). No client gets the answer. Then this program ends, and the next engine takes its place.
"""
import os
import selectors
import signal
import socket
import struct
import sys
import threading

STATE, METHOD, WHEN = sys.argv[1:]
NAME, MOVED = STATE + "/engine", os.path.expanduser("~/moved-engine")


def cut(engine):
    """Kills the engine. While this program listens, no client starts another one."""
    os.kill(struct.unpack("iII", engine.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0], signal.SIGKILL)
    os.unlink(NAME)
    os._exit(0)


def carry(client, engine):
    """Carries whole messages until one side hangs up."""
    kept, is_called = {client: b"", engine: b""}, False
    with selectors.DefaultSelector() as ready:
        for end in client, engine:
            ready.register(end, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                side = key.fileobj
                data = side.recv(65536)
                if not data:
                    return
                *messages, kept[side] = (kept[side] + data).split(b"\0")
                for message in messages:
                    is_called = is_called or side is client and f'.{METHOD}"'.encode() in message
                    if is_called and (WHEN == "before" or side is engine):
                        cut(engine)
                    (engine if side is client else client).sendall(message + b"\0")


def serve(client):
    with client, socket.socket(socket.AF_UNIX) as engine:
        try:
            engine.connect(MOVED)
            carry(client, engine)
        except OSError:
            pass  # One side is gone.


def main():
    signal.alarm(90)  # Nothing may wait for a call that does not come.
    os.rename(NAME, MOVED)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(NAME)
    listener.listen()
    print("ready", flush=True)
    while True:
        threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()


main()
