#!/usr/bin/env python3
"""Makes a connection to the engine that outlives its process.

usage: dead-caller.py SOCKET USER ENGINE [REUSER]

A process of USER connects and ends, but another process holds the socket open. ENGINE is the
engine's process ID. With REUSER the engine is stopped, and a process of that user gets the number
of the ended process. Only then does the engine accept the connection. Prints the engine's answer to
a call, or `refused` if the engine hangs up.
"""
import os
import signal
import socket
import sys
import time


def as_user(user, body):
    child = os.fork()
    if child:
        return child
    try:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        body()
    finally:
        os._exit(0)


def reuse(number, user):
    """Makes a process of this user with this number, which waits for its end."""
    limit = time.monotonic() + 120
    while time.monotonic() < limit:
        with open("/proc/sys/kernel/ns_last_pid", "w") as last:
            last.write(str(number - 1))
        child = as_user(user, lambda: signal.pause())
        if child == number:
            return child
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    raise SystemExit("the number was not to be had")


path, user, engine = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
caller = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
reused = None
if len(sys.argv) > 4:
    os.kill(engine, signal.SIGSTOP)
try:
    process = as_user(user, lambda: caller.connect(path))
    os.waitpid(process, 0)
    if len(sys.argv) > 4:
        reused = reuse(process, int(sys.argv[4]))
finally:
    os.kill(engine, signal.SIGCONT)
caller.settimeout(60)
try:
    caller.sendall(b'{"method":"io.thumblatch.Vault.GetStatus"}\0')
    answer = caller.recv(65536)
except (BrokenPipeError, ConnectionResetError):
    answer = b""
print(answer.decode() if answer else "refused")
if reused:
    os.kill(reused, signal.SIGKILL)
