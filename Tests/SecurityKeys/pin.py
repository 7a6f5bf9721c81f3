"""The PIN protocols 1 and 2 of CTAP 2.1 (section 6.5), on the key's side."""

import hashlib
import hmac
import os

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def point(public):
    """A COSE key of ECDH-ES + HKDF-256."""
    numbers = public.public_numbers()
    return {1: 2, 3: -25, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}


class PINProtocol:
    def __init__(self, version):
        self.version = version
        self.renew()

    def renew(self):
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.token = os.urandom(32)

    def agree(self, cose):
        numbers = ec.EllipticCurvePublicNumbers(
            int.from_bytes(cose[-2], "big"), int.from_bytes(cose[-3], "big"), ec.SECP256R1())
        z = self.private.exchange(ec.ECDH(), numbers.public_key())
        if self.version == 1:
            digest = hashlib.sha256(z).digest()
            return digest, digest
        prk = hmac.digest(bytes(32), z, "sha256")
        return (hmac.digest(prk, b"CTAP2 HMAC key\x01", "sha256"),
                hmac.digest(prk, b"CTAP2 AES key\x01", "sha256"))

    def encrypt(self, secret, plain):
        iv = bytes(16) if self.version == 1 else os.urandom(16)
        box = Cipher(algorithms.AES(secret[1]), modes.CBC(iv)).encryptor()
        return (b"" if self.version == 1 else iv) + box.update(plain) + box.finalize()

    def decrypt(self, secret, data):
        iv = bytes(16)
        if self.version == 2:
            iv, data = data[:16], data[16:]
        box = Cipher(algorithms.AES(secret[1]), modes.CBC(iv)).decryptor()
        return box.update(data) + box.finalize()

    def is_signed(self, key, message, signature):
        code = hmac.digest(key, message, "sha256")
        return hmac.compare_digest(code[:16] if self.version == 1 else code, signature)
