#!/usr/bin/env python3
"""Runs a command as a user in a user namespace whose map root writes.

usage: user-namespace.py USER MAP COMMAND...

MAP has lines of user_namespaces(7), INSIDE:OUTSIDE:COUNT, separated by commas. Without one, no user is
mapped. The command keeps the number of this process.
"""
import ctypes
import os
import sys

CLONE_NEWUSER = 0x10000000


def main():
    user, lines = int(sys.argv[1]), sys.argv[2]
    text = "".join(line.replace(":", " ") + "\n" for line in lines.split(",") if line)
    begin, began = os.pipe()
    done, finish = os.pipe()
    process = os.getpid()
    writer = os.fork()
    if writer == 0:
        # Root writes the map once the namespace is there.
        os.close(began)
        if os.read(begin, 1) == b"x" and text:
            with open(f"/proc/{process}/uid_map", "w") as file:
                file.write(text)
        os._exit(0)
    os.close(finish)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    os.write(began, b"x")
    os.read(done, 1)
    os.waitpid(writer, 0)
    for number in begin, began, done:
        os.close(number)
    os.execv(sys.argv[3], sys.argv[3:])


main()
