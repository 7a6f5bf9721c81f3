"""Walks, as the user who starts it, over everything that this user may open, connect to or call.
Records each place where one of the given texts came back. No finger touches the reader.

usage: walker.py TEXT...; the answer is JSON: how much was walked, and what was found.
"""
import json
import os
import re
import select
import socket
import stat
import subprocess
import sys
import time

VAULT = "/run/thumblatch/io.thumblatch.Vault"
LARGEST = 64 << 20
LIFETIME = 600  # of the provider's tokens, in seconds: only a refresh brings such a token
PATIENCE = 60  # seconds for an answer of the vault, and until it asks again
# These belong to the kernel. The processes in /proc are visited separately.
SKIPPED = {"/proc", "/sys"}
# Changes to the user's own account. They reveal nothing, and would end the walk.
DESTRUCTIVE = {"Logout", "LogoutAll", "RemoveAccount", "RenameAccount"}
LAST = ("Respond", "Check", "Cancel")
VALUES = {"account": "work", "prompt": None, "method": "fingerprint", "accounts": [], "name": "walk",
          "finger": "left-index", "minimum_lifetime": LIFETIME, "keep": False, "local": True,
          "flow": "browser", "redirect": "http://127.0.0.1:9/callback", "email": "ada@example.org",
          "password": "walk", "text": "walk", "exportable": True, "duration": 60, "login": "walk",
          "query": "code=walk", "rejected": None, "scope": None, "audience": None, "since": 0,
          "provider": None, "refresh_ahead": None, "wait": False, "user": "ada"}


class Walk:
    def __init__(self, texts):
        self.texts = [text.encode() for text in texts]
        self.found, self.counts = [], {"files": 0, "sockets": 0, "calls": 0, "with_prompt": 0,
                                   "names": 0}

    def look(self, where, data):
        self.found += [f"{where}: {text.decode()[:12]}" for text in self.texts if text in data]

    def files(self):
        for directory, below, names in os.walk("/"):
            below[:] = [name for name in below if os.path.join(directory, name) not in SKIPPED]
            for name in names:
                self.file(os.path.join(directory, name))
        # The files of processes that can hold secrets. The rest of /proc is the kernel's.
        for process in filter(str.isdigit, os.listdir("/proc")):
            for name in ("environ", "cmdline", "maps", "stack", "mem", "auxv", "io"):
                self.file(f"/proc/{process}/{name}")
            try:
                for number in os.listdir(f"/proc/{process}/fd"):
                    self.file(f"/proc/{process}/fd/{number}")
            except OSError:
                pass

    def file(self, path):
        # This process got the texts, and so did its parent.
        own = {str(os.getpid()), str(os.getppid()), "self", "thread-self"}
        if path.startswith("/proc/") and path.split("/")[2] in own:
            return
        try:
            there = os.stat(path)
            if not stat.S_ISREG(there.st_mode) or there.st_size > LARGEST:
                return
            with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
                self.counts["files"] += 1
                self.look(path, file.read(LARGEST))
        except OSError:
            pass

    def sockets(self):
        with open("/proc/net/unix", encoding="utf-8", errors="replace") as table:
            paths = {line.split()[-1] for line in table if re.search(r" [/@]\S+$", line.rstrip())}
        call = {"method": "io.thumblatch.Vault.AccessToken",
                "parameters": {"account": "work", "minimum_lifetime": LIFETIME}}
        check = {"method": "io.thumblatch.Helper.Check", "more": True, "parameters": {
            "method": "fingerprint", "timeout": 1000}}
        for path in sorted(paths):
            for message in (call, check):
                answer = self.ask("\0" + path[1:] if path[0] == "@" else path, message)
                if answer is not None:
                    self.counts["sockets"] += 1
                    self.look(f"{path} {message['method']}", answer)

    @staticmethod
    def ask(address, *messages, seconds=1):
        """The answer within some seconds, or None if the connection is refused."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(seconds)
            try:
                connection.connect(address)
                answer = b""
                for message in messages:
                    connection.sendall(json.dumps(message).encode() + b"\0")
                while data := connection.recv(65536):
                    answer += data
                    if answer.count(b"\0") >= len(messages) and b'"continues"' not in answer:
                        break
                return answer
            except TimeoutError:
                return answer
            except OSError:
                return None

    def methods(self, user_has_account):
        """Each method of the vault, with and without the number of an unanswered prompt."""
        text = self.ask(VAULT, {"method": "org.varlink.service.GetInterfaceDescription",
                                "parameters": {"interface": "io.thumblatch.Vault"}}, seconds=PATIENCE)
        description = json.loads(text.rstrip(b"\0"))["parameters"]["description"]
        description = re.sub(r"#.*", "", description)
        methods = re.findall(r"^method (\w+)\(([^)]*(?:\([^)]*\)[^)]*)*?)\)\s*->", description, re.M)
        messages = []
        for more in ({}, {"more": True}):
            for name, parameters in methods:
                if user_has_account and name in DESTRUCTIVE:
                    continue
                names = re.findall(r"(\w+):", parameters)
                given = {key: VALUES[key] for key in names if VALUES.get(key) is not None}
                message = {**more, "method": f"io.thumblatch.Vault.{name}", "parameters": given}
                messages.append((message, "prompt" in names))
        # This one first, because a caller with that many requests soon gets no more prompts.
        self.with_prompt([message for message, takes_prompt in messages if takes_prompt])
        for message, _ in messages:
            self.call(message)

    def with_prompt(self, messages):
        """Methods on a connection whose prompt is open, and has not been passed."""
        needed = {"method": "io.thumblatch.Vault.AccessToken",
                  "parameters": {"account": "work", "minimum_lifetime": LIFETIME}}
        deadline = time.monotonic() + PATIENCE
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            try:
                connection.connect(VAULT)
                answer = b""
                while b"Vault.Busy" in answer or not answer:
                    if time.monotonic() > deadline:
                        return
                    connection.sendall(json.dumps(needed).encode() + b"\0")
                    answer = connection.recv(65536)
                    self.look("AccessToken", answer)
                    select.select([], [], [], 0.1)
                prompt = json.loads(answer.rstrip(b"\0")).get("parameters", {}).get("prompt")
                if not prompt:
                    return
                # The methods that end the prompt, or wait for a person, come last.
                for message in sorted(messages, key=lambda one: one["method"].endswith(LAST)):
                    parameters = {**message["parameters"], "prompt": prompt}
                    data = json.dumps({**message, "parameters": parameters}).encode() + b"\0"
                    connection.sendall(data)
                    self.counts["with_prompt"] += 1
                    data = b'"continues"'
                    while b'"continues"' in data and (data := connection.recv(65536)):
                        self.look(message["method"] + " with a prompt", data)
            except OSError:
                pass

    def call(self, message):
        answer = self.ask(VAULT, message)
        self.counts["calls"] += 1
        self.look(message["method"], answer or b"")

    def bus(self):
        listed = subprocess.run(["busctl", "list", "--acquired", "--no-legend", "--no-pager"],
                                capture_output=True, text=True, timeout=30).stdout
        for name in (line.split()[0] for line in listed.splitlines()):
            self.counts["names"] += 1
            if "humblatch" in name:
                self.found.append(f"a bus name: {name}")
            for command in (["tree", name], ["introspect", name, "/"]):
                said = subprocess.run(["busctl", "--no-pager", "--timeout=2", *command],
                                      capture_output=True, timeout=30)
                self.look(f"bus {name}", said.stdout + said.stderr)


def main():
    has_account, *texts = json.load(sys.stdin)
    walk = Walk(texts)
    walk.files()
    walk.sockets()
    walk.methods(has_account)
    walk.bus()
    print(json.dumps({**walk.counts, "found": walk.found}))


main()
