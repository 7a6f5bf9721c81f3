"""A relay between the clients of a private vault and its engine that kills the engine at a call.

usage: engine-cutter.py STATE METHOD WHEN

It moves the engine's socket from the directory STATE into $HOME, and listens in its place. It kills the
engine at the first call of METHOD. WHEN is "before" if the engine must not get the call, and "after" if it
must have answered. No client gets the answer. Then this program ends, so a client starts the next engine.
"""
import os
import select
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
    pid = struct.unpack("iII", engine.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    process = os.pidfd_open(pid)
    signal.pidfd_send_signal(process, signal.SIGKILL)
    # A descriptor of a process is readable once the process has ended, and its locks are free.
    ended = select.poll()
    ended.register(process, select.POLLIN)
    ended.poll()
    os.unlink(NAME)
    os._exit(0)


def carry(client, engine):
    """Forwards whole messages until one side closes the connection."""
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
    signal.alarm(90)  # If the call does not come, this program still ends.
    os.rename(NAME, MOVED)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(NAME)
    listener.listen()
    print("ready", flush=True)
    while True:
        threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()


main()
