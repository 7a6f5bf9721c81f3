"""The provider: Scripts/dev-backend, and what it has committed."""
import collections
import hashlib
import json
import os
import subprocess
import threading

PASSWORD = "correct horse battery staple"


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Provider:
    """A server that rotates each refresh token and revokes the whole family when one is reused."""

    def __init__(self, script, directory, lifetime):
        self.path = os.path.join(directory, "ledger")
        self.process = subprocess.Popen(
            [script, "--port", "0", "--pipe", "--access-lifetime", str(lifetime),
             "--reuse", "revoke", "--ledger", self.path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.url = self.process.stdout.readline().split()[-1]
        self.lock = threading.Lock()
        self.read_to = 0
        self.access_tokens = {}  # SHA-256 -> the entry that gave it out
        self.entries = collections.defaultdict(list)  # e-mail -> entries, oldest first

    def update(self):
        """Reads what has been added to the ledger; called with the lock held."""
        with open(self.path, "rb") as file:
            file.seek(self.read_to)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self.read_to += len(line)
                entry = json.loads(line)
                self.entries[entry["email"]].append(entry)
                if entry["access_token"]:
                    self.access_tokens[entry["access_token"]] = entry

    def issue(self, token):
        """The entry of an access token; None if the provider has never given it out."""
        with self.lock:
            self.update()
            return self.access_tokens.get(sha256(token))

    def history(self, email):
        with self.lock:
            self.update()
            return list(self.entries[email])

    def rotations(self):
        with self.lock:
            self.update()
            return sum(e["did"] == "refresh" for of in self.entries.values() for e in of)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
