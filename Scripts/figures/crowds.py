"""Many connections and messages of one user, while another user is served."""

import os
import pwd
import shutil
import subprocess
import time

from . import promises
from .answers import CALL, Result, ask
from .programs import compiled, ready
from .promises import promise
from .service import CROWD, SERVED, SOCKET, Peak, as_user, backlog

# The kinds of Tests/MessageCost/Filler.swift that one reads to their end in a message, and answers all the
# same. It has found those to cost the most that are named in Filler.few; how much they cost depends on the
# machine, so DEAREST of them are chosen here by what they take.
MARKS = "\u0301\u0323"
RUN = "a" + MARKS * 15
KINDS = {
    "members": "{%s}" % ",".join(f'"{i:x}":0' for i in range(7750)),
    "members with texts": "{%s}" % ",".join(f'"{i:x}":"a"' for i in range(6200)),
    "names of marks": "{%s}" % ",".join(f'"{i:04x}{MARKS * 15}":0' for i in range(930)),
    "long names": "{%s}" % ",".join(f'"{i:04x}{"t" * 116}":0' for i in range(500)),
    "texts": "[%s]" % ",".join(['"a"'] * 16_200),
    "texts of marks": "[%s]" % ",".join([f'"{RUN}"'] * 980),
    "numbers": "[%s]" % ",".join(["2.2250738585072011e-308"] * 2700),
    "hard numbers": "[%s]" % ",".join(["9007199254740993.00000000000000000000000000001"] * 1370),
    "long numbers": "[%s]" % ",".join(["1." + "5" * 509] * 125),
    "long integers": "[%s]" % ",".join(["7" * 300] * 213),
    "digits": "[%s]" % ",".join(["0"] * 32_000),
    # As many lists and objects as one reads: one for 16 bytes.
    "objects": "[%s]" % ",".join(['{"a":0,"bb":10}'] * 4000),
    "lists": "{%s}" % ",".join(f'"{i:04x}":["a","b"]' for i in range(3700)),
    "depth": "[%s]" % ",".join([r'{"aaaaaaaaaaa":' * 28 + "0" + "}" * 28] * 142),
    "marks": '"%s"' % (r"a\u0301\u0323" * 4990),
    "single marks": '"%s"' % (f"a{MARKS}" * 12_800),
    "runs of marks": '"%s"' % (RUN * 1050),
    "decomposing": '"%s"' % ("\u212b\u1f82" * 10_600),
    "pictures": '"%s"' % (r"\ud83d\ude00" * 5300),
    "escapes": '"%s"' % (r"\u0061" * 10_600),
    "words": '"%s"' % ("a " * 32_000),
}
DEAREST = 4
# As many as useradd(8) gives are 65,536.
UIDS, FIRST_UID = 8200, 200_000
# Linux lets one more than the backlog of a Unix socket wait.
WAITING = backlog() + 1
INFO = '{"method":"org.varlink.service.GetInfo"}'
# Users of this machine whose name the engine has not looked up: each one calls once.
NEWCOMERS = iter([user.pw_uid for user in pwd.getpwall() if user.pw_uid not in (0, CROWD, SERVED)])
FIRST = """
import socket, sys, time
begun = time.monotonic()
with socket.socket(socket.AF_UNIX) as client:
    client.settimeout(30)
    client.connect(sys.argv[1])
    client.sendall(sys.argv[2].encode() + bytes(1))
    assert client.recv(65536)
print(time.monotonic() - begun)
"""
LONG = '{"method":"io.thumblatch.Vault.GetStatus","parameters":{"x":"%s"}}' % ("a" * 65_000)


def ask_anyway(client, seconds, way):
    try:
        return ask(client, SOCKET, 1, seconds, way, CALL % "me")
    except subprocess.CalledProcessError:
        return Result("")


def measure_half(service, client, count, seconds):
    calm = {way: ask(client, SOCKET, 1, 1, way, CALL % "me") for way in ("kept", "each")}
    before = service.memory("Rss")
    service.forget_peak()
    holder = subprocess.Popen(
        [client, "hold", SOCKET, str(count), "300", CALL % "me"], stdout=subprocess.PIPE, text=True,
        **as_user(CROWD))
    served = {}
    for way in ("kept", "each"):
        served[way] = ask(client, SOCKET, 1, seconds, way, CALL % "me")
    opened, most, longest, left = (int(word) for word in holder.communicate(timeout=400)[0].split())
    grown = service.peak() - before
    print(f"half, {opened} connections of one user: at most {most} at once, the longest for "
          f"{longest / 1000:.2f} s, {left} left; memory grew by {grown / 1024:.1f} MiB")
    for way, name in (("kept", "another user's calls"), ("each", "with a connection each")):
        print(f"  {name:<24} p99 {served[way].p99:.2f} ms ({calm[way].p99:.2f} ms before), "
              f"longest {served[way].worst:.2f} ms")
        promise(served[way].p99 < 50 * promises.slack, "another user is served with p99 < 50 ms")
    promise(opened == count and left == 0 and longest < 3000 * promises.slack, "all of them are gone in 3 s")
    promise(grown < 16 * 1024, "memory grows by less than 16 MiB")


def dearest(client):
    """The messages that one connection has answered at the lowest rate."""
    found = []
    for name, value in KINDS.items():
        message = '{"method":"io.thumblatch.Vault.GetStatus","parameters":{"x":%s}}' % value
        assert 62_000 < len(message.encode()) < 65_536, (name, len(message.encode()))
        found.append((ask(client, SOCKET, 1, 0.3, "kept", message).rate, name, message))
    return sorted(found)[:DEAREST]


def measure_costly(service, client, seconds):
    """Each caller of the crowd sends its next message when it has received its reply."""
    print(f"costly, 120 connections of one user with messages of 64 KiB, {seconds} s each:")
    for _, name, message in dearest(client):
        # On a busy machine the crowd may end before the other user is served: then it works for longer.
        for longer in (3, 9, 27):
            crowd = subprocess.Popen(
                [client, "ask", SOCKET, "120", str(longer * seconds), "kept", message],
                stdout=subprocess.PIPE, text=True, **as_user(CROWD))
            time.sleep(seconds / 4)
            served = {way: ask(client, SOCKET, 1, seconds, way, CALL % "me") for way in ("kept", "each")}
            is_at_work = crowd.poll() is None
            rate = Result(crowd.communicate(timeout=300)[0]).rate
            if is_at_work or crowd.returncode != 0:
                break
        print(f"  {name:<18} {rate:6.0f}/s; another user's p99 {served['kept'].p99:.2f} ms, with a "
              f"connection each {served['each'].p99:.2f} ms, longest {served['kept'].worst:.2f} ms")
        promise(is_at_work and crowd.returncode == 0, "the messages are legal")
        for way in served:
            promise(served[way].p99 < 20 * promises.slack, f"another user has p99 < 20 ms beside {name}")


def copied(source, target):
    try:
        shutil.copy2(source, target, follow_symlinks=False)
    except FileNotFoundError:
        pass  # a temporary file of a program that adds a user


def measure_crowd(service, client, directory, seconds):
    crowd = compiled(directory, "Tests/IntegrationTests/Drivers/load/crowd.c")
    calm = {way: ask(client, SOCKET, 1, 1, way, CALL % "me") for way in ("kept", "each")}
    print(f"crowd, {UIDS} uids of a user namespace, {seconds} s each; before: p99 {calm['kept'].p99:.2f} ms, "
          f"with a connection each {calm['each'].p99:.2f} ms:")
    # A copy of /etc, seen in this mount namespace only. A mount on the file itself would end when another
    # program adds a user, which replaces the file.
    settings = os.path.join(directory, "etc")
    shutil.copytree("/etc", settings, symlinks=True, copy_function=copied)
    with open(os.path.join(settings, "subuid"), "w") as file:
        file.write(f"{pwd.getpwuid(CROWD).pw_name}:{FIRST_UID}:65536\n")
    subprocess.run(["mount", "--bind", settings, "/etc"], check=True)
    try:
        measure_ways(service, client, crowd, "of /etc/subuid", seconds)
    finally:
        subprocess.run(["umount", "--lazy", "/etc"], check=True)
    measure_ways(service, client, crowd, "without a name", seconds)


def first_answer(user):
    """The seconds until the first call of a user is answered; 30 if it is not."""
    done = subprocess.run(["/usr/bin/python3", "-c", FIRST, SOCKET, INFO], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, **as_user(user))
    return float(done.stdout or 30)


def measure_ways(service, client, crowd, place, seconds):
    for way in ("silent", "half", "calls", "again"):
        with Peak(service) as peak:
            holder = ready([crowd, SOCKET, str(FIRST_UID), str(UIDS), "120", way,
                            LONG if way == "half" else INFO])
            served = {one: ask_anyway(client, seconds, one) for one in ("kept", "each")}
            first = first_answer(next(NEWCOMERS))
            opened, most, left = (int(word) for word in holder.communicate("")[0].split())
        print(f"  {way:<6} {place:<15} {opened} opened, {left} left, at most {most}; memory "
              f"{peak.most / 1024:.0f} MiB; p99 {served['kept'].p99:.2f} ms, with a connection each "
              f"{served['each'].p99:.2f} ms, longest {served['each'].worst:.2f} ms; the first call of a user "
              f"{first * 1000:.0f} ms")
        # New connections that replace closed ones wait at the listener as well, and the engine may have
        # just accepted one more.
        promise(opened >= UIDS and left <= 64 + (WAITING + 1 if way == "again" else 0),
                "strangers have few connections in all")
        promise(peak.most < 96 * 1024, "the engine has less than 96 MiB")
        promise(first < 1 * promises.slack, f"a user that was not seen before is served beside {way}")
        for one in served:
            promise(served[one].p99 < 50 * promises.slack, f"another user has p99 < 50 ms beside {way}")


def measure_flood(client, seconds):
    """Connections that one user opens and closes immediately: they wait at the listener before
    those of others."""
    flood = subprocess.Popen([client, "flood", SOCKET, "2", str(3 * seconds), CALL % "me"],
                             stdout=subprocess.PIPE, text=True, **as_user(CROWD))
    time.sleep(seconds / 4)
    served = {way: ask_anyway(client, seconds, way) for way in ("kept", "each")}
    opened = int(flood.communicate(timeout=120)[0])
    print(f"flood, {opened / (3 * seconds):.0f} connections/s of one user: another user's p99 "
          f"{served['kept'].p99:.2f} ms, with a connection each {served['each'].p99:.2f} ms, longest "
          f"{served['each'].worst:.2f} ms")
    promise(served["kept"].p99 < 20 * promises.slack, "who is connected has p99 < 20 ms beside a flood")
    promise(served["each"].p99 < 100 * promises.slack, "who connects has p99 < 100 ms beside a flood")
