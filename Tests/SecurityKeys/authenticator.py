"""The commands of a security key (CTAP 2.1, section 6): information, credentials, assertions, PIN."""
import base64
import hashlib
import hmac
import json
import os
import struct

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import cbor
from pin import PINProtocol, point

# The flags of authenticator data: touched, verified, with a credential, with extensions.
UP, UV, AT, ED = 1, 4, 0x40, 0x80
RETRIES, BOOT_RETRIES = 8, 3
# The most credentials of one request, and the most bytes of a message.
MOST_CREDENTIALS, MOST_MESSAGE = 8, 1200


class Refusal(Exception):
    """An error of CTAP, by its code."""


def say(word):
    print(word, flush=True)


class Key:
    def __init__(self, path, options):
        self.path = path
        self.options = options
        self.protocols = {1: PINProtocol(1), 2: PINProtocol(2)}
        self.boot_retries = BOOT_RETRIES
        self.permissions = 0
        self.domain = None
        self.counts = True
        self.flags = None
        self.forges = False
        # Whether the key's own check of the person is blocked, until a right PIN.
        self.blocked = False
        self.state = {"credentials": {}, "retries": RETRIES, "pin": None, "counter": 0}
        if os.path.exists(path):
            with open(path) as file:
                self.state = json.load(file)
        if "--pin" in options and self.state["pin"] is None:
            pin = os.environ["KEY_PIN"].encode()
            self.state["pin"] = hashlib.sha256(pin).digest()[:16].hex()
        self.save()

    def save(self):
        with open(self.path + ".new", "w") as file:
            json.dump(self.state, file)
        os.rename(self.path + ".new", self.path)

    def reset(self):
        self.state["credentials"] = {}
        self.save()
        say("reset")

    # What the key can do.

    def info(self):
        options = {"rk": True, "up": True, "plat": False, "pinUvAuthToken": True,
                   "clientPin": self.state["pin"] is not None}
        if "--verifies" in self.options:
            options["uv"] = True
        if "--always-verifies" in self.options:
            options["alwaysUv"] = True
        extensions = [] if "--no-secret" in self.options else ["hmac-secret"]
        return {1: ["FIDO_2_0", "FIDO_2_1"], 2: extensions, 3: bytes(range(16)), 4: options,
                5: MOST_MESSAGE, 6: [2, 1], 7: MOST_CREDENTIALS, 8: 128,
                0x0A: [{"alg": -7, "type": "public-key"}]}

    def answer(self, request, line):
        if len(request) > MOST_MESSAGE:
            raise Refusal(0x39)
        command, body = request[0], request[1:]
        parameters = cbor.decode(body)[0] if body else {}
        # The excludeList of makeCredential, and the allowList of getAssertion.
        if len(parameters.get({1: 5, 2: 3}.get(command), [])) > MOST_CREDENTIALS:
            raise Refusal(0x15)
        handlers = {1: self.make, 2: self.sign, 4: lambda *_: self.info(), 6: self.client_pin}
        if command not in handlers:
            raise Refusal(0x01)
        result = handlers[command](parameters, line)
        return b"\0" + (b"" if result is None else cbor.encode(result))

    # The person: touch, built-in check, PIN.

    def verified(self, parameters, numbers, permission, data, line):
        """Whether the person is verified, by a PIN's token or the key's own sensor."""
        options, signature, version = (parameters.get(number) for number in numbers)
        if signature is not None:
            protocol = self.protocols.get(version)
            if protocol is None:
                raise Refusal(0x02)
            if not protocol.is_signed(protocol.token, data, signature):
                raise Refusal(0x33)
            if not self.permissions & permission:
                raise Refusal(0x33)
            return True
        wanted = (options or {}).get("uv", False)
        silent = (options or {}).get("up", True) is False
        always = "--always-verifies" in self.options and not silent
        if not wanted and not always:
            return False
        if "--verifies" not in self.options:
            raise Refusal(0x36 if always else 0x2C)
        if self.blocked:
            raise Refusal(0x3C)
        if line.touch() == "bad-finger":
            raise Refusal(0x3F)
        line.has_touched = True
        return True

    def client_pin(self, parameters, line):
        protocol = self.protocols.get(parameters.get(1))
        command = parameters[2]
        if command == 1:
            return {3: self.state["retries"], 4: self.boot_retries == 0}
        if protocol is None:
            raise Refusal(0x02)
        if command == 2:
            return {1: point(protocol.private.public_key())}
        secret = protocol.agree(parameters[3])
        if command in (5, 9):
            self.demand_pin(protocol, secret, parameters[6])
            self.permissions = parameters.get(9, 3)
            self.domain = parameters.get(10)
        elif command == 6:
            if self.blocked:
                raise Refusal(0x3C)
            if "--verifies" not in self.options or line.touch() == "bad-finger":
                raise Refusal(0x3F)
            line.has_touched = True
            self.permissions = parameters.get(9, 3)
        else:
            raise Refusal(0x3E)
        protocol.token = os.urandom(32)
        return {2: protocol.encrypt(secret, protocol.token)}

    def demand_pin(self, protocol, secret, sealed):
        if self.state["pin"] is None:
            raise Refusal(0x35)
        if self.state["retries"] == 0:
            raise Refusal(0x32)
        if self.boot_retries == 0:
            raise Refusal(0x34)
        self.state["retries"] -= 1
        self.boot_retries -= 1
        self.save()
        if protocol.decrypt(secret, sealed).hex() != self.state["pin"]:
            protocol.renew()
            if self.state["retries"] == 0:
                raise Refusal(0x32)
            raise Refusal(0x34 if self.boot_retries == 0 else 0x31)
        self.state["retries"], self.boot_retries = RETRIES, BOOT_RETRIES
        self.blocked = False
        self.save()

    # Credentials and assertions.

    def authenticated(self, domain, flags, rest=b""):
        if self.counts:
            self.state["counter"] += 1
            self.save()
        return (hashlib.sha256(domain.encode()).digest() + bytes([flags])
                + struct.pack(">I", self.state["counter"]) + rest)

    def signature(self, credential, data):
        private = serialization.load_der_private_key(base64.b64decode(credential["key"]), None)
        return private.sign(data, ec.ECDSA(hashes.SHA256()))

    def make(self, parameters, line):
        client, domain = parameters[1], parameters[2]["id"]
        # CTAP 2.1, section 6.1.2: an empty signature of the PIN asks only for a touch.
        if parameters.get(8) == b"":
            line.touch()
            raise Refusal(0x35 if self.state["pin"] is None else 0x31)
        verified = self.verified(parameters, (7, 8, 9), 1, client, line)
        for known in parameters.get(5, []):
            if self.known(known["id"], domain):
                line.touch()
                raise Refusal(0x19)
        if {"alg": -7, "type": "public-key"} not in parameters[4]:
            raise Refusal(0x26)
        line.touch()
        private = ec.generate_private_key(ec.SECP256R1())
        name = os.urandom(48)
        numbers = private.public_key().public_numbers()
        public = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        der = private.private_bytes(serialization.Encoding.DER, serialization.PrivateFormat.PKCS8,
                                    serialization.NoEncryption())
        credential = {"key": base64.b64encode(der).decode(), "domain": domain,
                      "plain": os.urandom(32).hex(), "verified": os.urandom(32).hex()}
        self.state["credentials"][name.hex()] = credential
        flags = UP | AT | (UV if verified else 0)
        rest = bytes(range(16)) + struct.pack(">H", len(name)) + name + cbor.encode(public)
        if (parameters.get(6) or {}).get("hmac-secret"):
            flags |= ED
            rest += cbor.encode({"hmac-secret": True})
        data = self.authenticated(domain, flags, rest)
        say("made")
        return {1: "packed", 2: data, 3: {"alg": -7, "sig": self.signature(credential, data + client)}}

    def known(self, name, domain):
        credential = self.state["credentials"].get(name.hex())
        return credential if credential and credential["domain"] == domain else None

    def sign(self, parameters, line):
        domain, client = parameters[1], parameters[2]
        options = parameters.get(5) or {}
        verified = self.verified(parameters, (5, 6, 7), 2, client, line)
        names = [known["id"] for known in parameters.get(3, [])]
        name = next((name for name in names if self.known(name, domain)), None)
        if name is None:
            # CTAP 2.1, section 6.2.2: the person shows presence before this answer, unless silent.
            if options.get("up", True):
                line.touch()
            raise Refusal(0x2E)
        credential = self.known(name, domain)
        flags = UV if verified else 0
        extension = (parameters.get(4) or {}).get("hmac-secret")
        if options.get("up", True):
            line.touch()
            flags |= UP
        elif extension:
            raise Refusal(0x2B)
        else:
            say("silent")
        rest = b""
        if extension:
            flags |= ED
            rest = cbor.encode({"hmac-secret": self.secret(credential, extension, verified)})
        if self.flags is not None and options.get("up", True):
            flags, self.flags = self.flags, None
        data = self.authenticated(domain, flags, rest)
        if options.get("up", True):
            say("signed")
        return {1: {"id": name, "type": "public-key"}, 2: data,
                3: self.signature(credential, data + client)}

    def secret(self, credential, extension, verified):
        protocol = self.protocols[extension.get(4, 1)]
        shared = protocol.agree(extension[1])
        if not protocol.is_signed(shared[0], extension[2], extension[3]):
            raise Refusal(0x33)
        salts = protocol.decrypt(shared, extension[2])
        key = bytes.fromhex(credential["verified" if verified else "plain"])
        values = b"".join(hmac.digest(key, salts[at:at + 32], "sha256") for at in range(0, len(salts), 32))
        if self.forges:
            self.forges, values = False, bytes(byte ^ 1 for byte in values)
        return protocol.encrypt(shared, values)
