"""The commits of the token endpoint, one JSON line each, written before the answer.

If the server is killed, only the ledger remains: the user, the tokens (as SHA-256), the client's
port.
"""
import json
import time

from control import sha256


class Ledger:
    """Sign-ins, refreshes and reuses, as Scripts/dev-backend writes them."""

    def __init__(self, path, opener):
        self.file = open(path, "a", opener=opener)
        self.owners = {}  # SHA-256 of a refresh token -> (e-mail, family)
        self.used = set()  # tokens that were exchanged for another

    def enter(self, entry, answer, port, owner_of):
        """Records one answer of the token endpoint. `owner_of` gives the owner of a refresh
        token."""
        status, _, body = answer
        presented = entry["form"].get("refresh_token", "").removeprefix("sha256:") or None
        given = json.loads(body) if status == 200 else {}
        token = given.get("refresh_token")
        if token:
            kept = sha256(token)
            self.owners[kept] = owner_of(token)
            self.used |= {presented} - {None, kept}
            did = "refresh" if presented else "sign-in"
        elif presented in self.used:
            did, kept = "reuse", presented
        else:
            return
        email, family = self.owners[kept]
        access = given.get("access_token")
        self.file.write(json.dumps({
            "at": time.time(), "did": did, "email": email, "family": family, "port": port,
            "grant": entry["grant"], "scope": given.get("scope"), "presented": presented,
            "refresh_token": token and kept, "access_token": access and sha256(access)}) + "\n")
        self.file.flush()
