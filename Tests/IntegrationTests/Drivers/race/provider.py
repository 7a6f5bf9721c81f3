"""The providers, and what they have committed."""
import collections
import hashlib
import json
import os
import subprocess
import threading
import urllib.request

PASSWORD = "correct horse battery staple"
SOURCES = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../.."))


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Provider:
    """A server that rotates each refresh token and revokes the whole family when one is reused."""

    def __init__(self, words, ledger):
        self.ledger = ledger
        self.process = subprocess.Popen(
            words + ["--ledger", ledger], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            start_new_session=True)
        said = self.process.stdout.readline()
        if not said.startswith("listening on "):
            raise RuntimeError("%s did not start" % words[0])
        self.url = said.split()[-1]
        self.lock, self.pipe = threading.Lock(), threading.Lock()
        self.read_to = 0
        self.access_tokens = {}  # SHA-256 -> the entry that gave it out
        self.entries = collections.defaultdict(list)  # e-mail -> entries, oldest first

    def call(self, name, **given):
        """One control call, as the server's --help lists them."""
        with self.pipe:
            self.process.stdin.write(json.dumps({"call": name, **given}) + "\n")
            self.process.stdin.flush()
            answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError("%s: %s" % (name, answer["error"]))
        return answer

    def update(self):
        """Reads what has been added to the ledger. The caller holds the lock."""
        with open(self.ledger, "rb") as file:
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
        """The entry of an access token, or None if the provider never issued it."""
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


class PasswordBackend(Provider):
    """Scripts/dev-backend."""

    way, password = "password", PASSWORD
    # The scopes that may be requested for a token, in addition to the usual ones.
    scopes = (None,)

    def __init__(self, directory, lifetime):
        super().__init__([SOURCES + "/Scripts/dev-backend", "--port", "0", "--pipe",
                          "--access-lifetime", str(lifetime), "--reuse", "revoke"],
                         directory + "/ledger-password")
        self.issuer = self.url

    def add_user(self, email):
        body = json.dumps({"email": email, "password": PASSWORD}).encode()
        urllib.request.urlopen(
            urllib.request.Request(self.url + "/auth/register", body)).close()

    def settings(self):
        return {"kind": "password-backend", "issuer": self.issuer}


class OpenIDProvider(Provider):
    """django-oauth-toolkit: Tests/Providers."""

    way, password, client = "oidc", "provider-password", "thumblatch"
    scopes = (None, "openid read")

    def __init__(self, directory, lifetime):
        super().__init__([SOURCES + "/Tests/Providers/run", "--refresh", "protect",
                          "--access-lifetime", str(lifetime)], directory + "/ledger-oidc")
        self.issuer = self.url + "/o"

    def add_user(self, email):
        self.call("add-user", email=email)

    def settings(self):
        return {"kind": "oidc", "issuer": self.issuer, "client_id": self.client,
                "scope": "openid profile email read", "password_grant": "true",
                "refresh_scope": "any",
                "device_authorization_endpoint": self.issuer + "/device-authorization/"}
