#!/usr/bin/env python3
"""Many processes of the command line at the same time, against one vault.

usage: same-time.py PROGRAM ISSUER READER PASSWORD PROCESSES SECONDS

Keeps PROCESSES commands running for SECONDS, each a randomly drawn verb; on a slow machine until enough of
them have ended. Half of them run at their own terminal, where the system password is typed. An enrolled
finger, and sometimes an unknown one, touches the reader whenever it is armed. Every verb of the help must
occur. Prints one JSON object: how often each verb ended with which status, and everything that should not
have happened.
"""
import collections
import json
import os
import pathlib
import pty
import random
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time

from verbs import ACCOUNTS, VERBS

PROGRAM, ISSUER, READER, PASSWORD = sys.argv[1:5]
PROCESSES, SECONDS = int(sys.argv[5]), float(sys.argv[6])
# A command may take this long: an orphaned exchange helper, the queue ahead, and its own time.
LIMIT = 150
# All imports move this password.
pathlib.Path.home().joinpath(".git-credentials").write_text("https://ann:word@i1.org\n")
# How many commands must have ended, and how many times SECONDS a slow machine has for them.
MOST, LONGER = 700, 10
# How long the last commands have to end by themselves.
PATIENCE = 10

ends = collections.Counter()
wrong = []
tokens = {}
done = threading.Event()
stopped = []


def known_verbs():
    """The verbs that the program's own help lists."""
    text = subprocess.run([PROGRAM, "-h"], capture_output=True, text=True, check=True).stdout
    listed = text[:text.index("Options of every verb")]
    return {re.sub(r" [A-Z\[].*", "", line[2:].split("  ")[0]).strip()
            for line in listed.splitlines() if re.match(r"  [a-z]", line)}


class Command:
    """One command, at its own terminal or without a terminal."""

    def __init__(self, words, given, at_terminal):
        self.text, self.terminal, self.answered, self.interrupted = "", None, 0, False
        self.wants_password = random.random() < 0.5
        feed, keep = os.pipe()
        os.write(keep, (given or "").encode() + b"\n")
        os.close(keep)
        errors, self.errors = os.pipe()[::-1]
        line, opened = [PROGRAM] + words, [feed, errors]
        if at_terminal:
            self.terminal, side = pty.openpty()
            opened.append(side)
            # The first terminal that a session leader opens becomes its controlling terminal.
            line = ["/bin/sh", "-c", 'exec 3<>"$0"; exec "$@"', os.ttyname(side)] + line
        # No Python code runs in the child before exec: a thread may have held a lock at the fork.
        self.child = subprocess.Popen(
            line, stdin=feed, stdout=errors, stderr=errors, start_new_session=True)
        for number in opened:
            os.close(number)

    def run(self, interrupt_after):
        """Answers the command's questions and returns its exit status, or None if it had to be
        killed."""
        begun = time.monotonic()
        watched = [self.errors] + ([self.terminal] if self.terminal is not None else [])
        while watched:
            left = begun + (interrupt_after or LIMIT) - time.monotonic()
            ready = select.select(watched, [], [], max(0, min(left, 0.5)))[0]
            for number in ready:
                try:
                    data = os.read(number, 65536)
                except OSError:
                    data = b""
                if not data:
                    watched = [] if number == self.errors else watched[:1]
                self.text += data.decode(errors="replace")
            if ready and self.terminal is not None:
                self.answer()
            if stopped and time.monotonic() > stopped[0] + PATIENCE and not self.interrupted:
                interrupt_after = 0.001
            took = time.monotonic() - begun
            if interrupt_after and took >= interrupt_after and self.child.poll() is None:
                self.interrupted = True
                self.child.send_signal(signal.SIGINT)
                interrupt_after = None
                begun = time.monotonic()
            elif took >= LIMIT:
                # It still runs, or another process keeps its output open.
                self.child.kill()
                self.child.wait()
                return None
        return self.child.wait()

    def answer(self):
        new = self.text[self.answered:]
        reply = None
        if "assword:" in new:
            reply = PASSWORD
        elif "[y/N]" in new:
            reply = "y"
        elif "[Y/n/q]" in new:
            reply = "q"
        elif "Press Enter when you are ready" in new:
            reply = ""
        elif "Touch the fingerprint reader" in new and self.wants_password:
            reply = ""
        if reply is not None:
            self.answered = len(self.text)
            try:
                os.write(self.terminal, reply.encode() + b"\n")
            except OSError:
                pass

    def close(self):
        os.close(self.errors)
        if self.terminal is not None:
            os.close(self.terminal)


def worker(verbs, weights, due):
    while not done.is_set():
        try:
            verb = due.pop()
        except IndexError:
            verb = random.choices(verbs, weights)[0]
        _, words, given, allowed = VERBS[verb]
        at_terminal = random.random() < 0.5
        line = verb.split() + words()
        line += [] if at_terminal or "--json" in line else random.choice([["--no-input"], []])
        interrupt = random.uniform(0, 0.5) if verb == "agent" or random.random() < 0.03 else None
        if verb == "token --rejected":
            given = tokens.get(next(word for word in line if word in ACCOUNTS), "at_unknown")
        command = Command(line, given, at_terminal)
        status = command.run(interrupt)
        command.close()
        ends[verb, status] += 1
        if verb.startswith("token") and status == 0:
            name = next(word for word in line if word in ACCOUNTS)
            tokens[name] = re.findall(r"at_[\w-]+", command.text)[-1]
        # Ctrl-C before the program has begun ends it by the signal itself.
        fine = status in allowed or (status in (130, -signal.SIGINT) and command.interrupted)
        if not fine or "internal" in command.text.lower() or MARKER in command.text \
                and verb != "release":
            wrong.append({"verb": " ".join(line), "status": status,
                          "text": command.text.replace(MARKER, "(token)")[-600:]})


def fingers():
    """Touches the reader whenever it is armed."""
    while not done.is_set():
        try:
            with socket.socket(socket.AF_UNIX) as reader:
                reader.settimeout(1)
                reader.connect(READER)
                finger = "a-stranger" if random.random() < 0.1 else "right-index"
                reader.sendall(f"SCAN {finger}".encode())
                reader.recv(1)
        except OSError:
            pass
        done.wait(0.02)


MARKER = os.environ["MARKER"]


def main():
    listed = known_verbs()
    mixed = {verb for verb in VERBS if verb.split(" --")[0] in listed}
    missing = listed - {verb.split(" --")[0] for verb in VERBS}
    verbs = sorted(mixed)
    weights = [VERBS[verb][0] for verb in verbs]
    # Each verb once, and then by its weight.
    due = random.sample(verbs, len(verbs))
    threads = [threading.Thread(target=worker, args=(verbs, weights, due))
               for _ in range(PROCESSES)]
    threads.append(threading.Thread(target=fingers))
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    time.sleep(SECONDS)
    while time.monotonic() < begun + LONGER * SECONDS and (due or sum(list(ends.values())) < MOST):
        time.sleep(1)
    stopped.append(time.monotonic())
    done.set()
    for thread in threads:
        thread.join()
    took = time.monotonic() - begun
    counts = collections.defaultdict(dict)
    for (verb, status), count in sorted(ends.items(), key=str):
        counts[verb][str(status)] = count
    print(json.dumps({
        "ends": counts, "total": sum(ends.values()), "took": round(took), "wrong": wrong[:20],
        "wrong_count": len(wrong), "never_tried": sorted(set(verbs) - {v for v, _ in ends}),
        "not_mixed": sorted(missing)}))


main()
