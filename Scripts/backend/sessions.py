"""Users, sessions and the rules of rotation."""

import hashlib
import hmac
import json
import os
import re
import secrets
import threading
import time


class Refusal(Exception):
    """An error answer."""

    def __init__(self, status, error, message, headers=None):
        super().__init__(error)
        self.status, self.headers = status, headers or {}
        self.body = {"error": error, "message": message}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Backend:
    """Users, token families and the rules of rotation. Tokens are kept as SHA-256 only."""

    def __init__(self, options):
        self.options = options
        self.lock = threading.RLock()
        self.offset = 0.0  # what advance-clock has added
        self.users = {}  # email -> user
        self.families = {}  # id -> {"email", "revoked"}
        self.refresh_tokens = {}  # hash -> {"family", "used_at", "answer"}
        self.access_tokens = {}  # hash -> {"family", "expires"}
        self.ledger = open(options.ledger, "a", opener=private) if options.ledger else None
        self.peer = threading.local()  # the client's port of this thread's request
        if options.state != "none" and os.path.exists(options.state):
            with open(options.state) as file:
                kept = json.load(file)
            self.users, self.families = kept["users"], kept["families"]
            self.refresh_tokens = kept["refresh_tokens"]
            self.access_tokens = kept["access_tokens"]

    def now(self):
        return time.time() + self.offset

    def save(self):
        if self.options.state == "none":
            return
        kept = {name: getattr(self, name) for name in ("users", "families", "access_tokens")}
        kept["refresh_tokens"] = {
            name: {**token, "answer": None} for name, token in self.refresh_tokens.items()}
        new = self.options.state + ".new"
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(kept, file)
        os.replace(new, self.options.state)

    def enter(self, did, family, presented=None, refresh_token=None, access_token=None):
        """Writes one line to the ledger; a completed write(2) survives its process."""
        if not self.ledger:
            return
        tokens = {"presented": presented, "refresh_token": refresh_token,
                  "access_token": access_token}
        self.ledger.write(json.dumps({
            "at": time.time(), "did": did, "email": self.families[family]["email"],
            "family": family, "port": getattr(self.peer, "port", None),
            **{name: token and sha256(token) for name, token in tokens.items()}}) + "\n")
        self.ledger.flush()

    def hash_password(self, password, salt):
        return hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1).hex()

    def register(self, body):
        email, password = text(body, "email"), text(body, "password")
        name = body.get("name")
        if name is not None and not isinstance(name, str):
            raise Refusal(400, "invalid_request", "name is not text")
        if not re.fullmatch(r"[^@\s\x00-\x1f]+@[^@\s\x00-\x1f]+", email):
            raise Refusal(400, "invalid_request", "that is not an e-mail address")
        salt = secrets.token_bytes(16)
        hashed = self.hash_password(password, salt)
        with self.lock:
            if email.lower() in self.users:
                raise Refusal(409, "email_taken", "that e-mail address has an account")
            self.users[email.lower()] = {
                "salt": salt.hex(), "hash": hashed,
                "facts": {
                    "id": secrets.token_hex(8), "email": email, "name": name or email.split("@")[0],
                    "role": "user", "email_verified": False,
                    "created_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.now()))}}
            return 201, self.sign_in(email.lower())

    def login(self, body):
        email, password = text(body, "email").lower(), text(body, "password")
        with self.lock:
            user = self.users.get(email)
        # An unknown address costs as much time as a wrong password.
        salt = bytes.fromhex(user["salt"]) if user else bytes(16)
        hashed = self.hash_password(password, salt)
        if not user or not hmac.compare_digest(hashed, user["hash"]):
            raise Refusal(401, "invalid_credentials", "wrong e-mail address or password")
        with self.lock:
            return 200, self.sign_in(email)

    def sign_in(self, email):
        family = secrets.token_hex(8)
        self.families[family] = {"email": email, "revoked": False}
        return self.issue(family, self.new_refresh_token(family))

    def new_refresh_token(self, family):
        token = "rt_" + self.options.marker + secrets.token_urlsafe(48)
        self.refresh_tokens[sha256(token)] = {"family": family, "used_at": None, "answer": None}
        return token

    def issue(self, family, refresh_token, presented=None):
        access = "at_" + secrets.token_urlsafe(32)
        self.access_tokens[sha256(access)] = {
            "family": family, "expires": self.now() + self.options.access_lifetime}
        self.save()
        self.enter("refresh" if presented else "sign-in", family, presented, refresh_token, access)
        answer = {
            "access_token": access, "token_type": "Bearer",
            "expires_in": self.options.access_lifetime,
            "user": self.users[self.families[family]["email"]]["facts"]}
        if refresh_token:
            answer["refresh_token"] = refresh_token
        return answer

    def refresh(self, body):
        presented = text(body, "refresh_token")
        with self.lock:
            token = self.refresh_tokens.get(sha256(presented))
            if not token:
                raise Refusal(401, "invalid_grant", "no such refresh token")
            family = token["family"]
            if self.families[family]["revoked"]:
                raise Refusal(401, "invalid_grant", "the session was revoked")
            if self.options.no_rotation:
                same = presented if self.options.no_rotation == "same" else None
                return 200, self.issue(family, same, presented)
            if token["used_at"] is not None and self.options.reuse != "allow":
                age = self.now() - token["used_at"]
                if self.options.reuse == "grace" and age <= self.options.grace_seconds \
                        and token["answer"]:
                    return 200, token["answer"]  # the identical pair again
                self.revoke(family)
                self.enter("reuse", family, presented)
                raise Refusal(401, "invalid_grant", "reused: the whole session was revoked")
            token["used_at"] = self.now()
            answer = self.issue(family, self.new_refresh_token(family), presented)
            if self.options.reuse == "grace":
                token["answer"] = answer
            return 200, answer

    def revoke(self, family):
        self.families[family]["revoked"] = True
        self.save()

    def bearer(self, header):
        """The valid access token in an Authorization header."""
        kind, _, value = (header or "").partition(" ")
        with self.lock:
            token = self.access_tokens.get(sha256(value)) if kind.lower() == "bearer" else None
            if not token or token["expires"] <= self.now() \
                    or self.families[token["family"]]["revoked"]:
                raise Refusal(401, "invalid_token", "the access token is missing, wrong or expired",
                              {"WWW-Authenticate": 'Bearer error="invalid_token"'})
            return token

    def logout(self, header, body):
        with self.lock:
            known = self.refresh_tokens.get(sha256(str(body.get("refresh_token", ""))))
            self.revoke((known or self.bearer(header))["family"])
        return 200, {"message": "signed out"}

    def answer(self, method, path, header, body):
        posts = {"/auth/register": self.register, "/auth/login": self.login,
                 "/auth/refresh": self.refresh}
        gets = ("/auth/me", "/user/profile", "/auth/verify")
        if path in posts and method == "POST":
            return posts[path](body)
        if path == "/auth/logout" and method == "POST":
            return self.logout(header, body)
        if path in gets and method == "GET":
            token = self.bearer(header)
            facts = self.users[self.families[token["family"]]["email"]]["facts"]
            if path == "/auth/verify":
                left = int(token["expires"] - self.now())
                return 200, {"valid": True, "expires_in": left, "user": facts}
            return 200, facts
        if path in posts or path in gets or path == "/auth/logout":
            raise Refusal(405, "method_not_allowed", "use the other method")
        raise Refusal(404, "not_found", "no such path")

    def counts(self):
        with self.lock:
            live = [f for f in self.families.values() if not f["revoked"]]
            return {"users": len(self.users), "sessions": len(live),
                    "revoked": len(self.families) - len(live),
                    "access_tokens": sum(t["expires"] > self.now() and not
                                         self.families[t["family"]]["revoked"]
                                         for t in self.access_tokens.values())}


def text(body, name):
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise Refusal(400, "invalid_request", name + " is missing or not text")
    return value


def private(path, flags):
    return os.open(path, flags, 0o600)
