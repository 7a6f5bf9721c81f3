"""The forms in which a program may hold a secret."""
import base64
import json
import re
import urllib.parse

WINDOW = 16  # bytes: this much of a secret in one piece counts as the secret


def load(path):
    """The secrets of a file, as bytes."""
    with open(path, encoding="utf-8") as file:
        named = json.load(file)
    return {name: bytes.fromhex(text[4:]) if text.startswith("hex:") else text.encode()
            for name, text in named.items()}


def whole_forms(secret):
    """The ways in which a program may write a secret, as pairs of a name and bytes."""
    yield "plain", secret
    yield "hex", secret.hex().encode()
    yield "HEX", secret.hex().upper().encode()
    for shift in range(3):
        # The letters that stand only for bytes of the secret.
        code = base64.b64encode(bytes(shift) + secret)
        end = (shift + len(secret)) // 3 * 4
        code = code[(0, 2, 3)[shift]:end]
        yield f"base64+{shift}", code
        yield f"base64url+{shift}", code.translate(bytes.maketrans(b"+/", b"-_"))
    try:
        text = secret.decode()
    except UnicodeDecodeError:
        # A key, as HMAC keeps it (RFC 2104).
        yield "inner pad", bytes(byte ^ 0x36 for byte in secret)
        yield "outer pad", bytes(byte ^ 0x5c for byte in secret)
        return
    for plain in (True, False):
        once = json.dumps(text, ensure_ascii=plain)[1:-1]
        twice = json.dumps(once, ensure_ascii=plain)[1:-1]
        for form in (once, once.replace("/", "\\/"), twice, twice.replace("/", "\\/")):
            yield "JSON", form.encode()
    for form in (urllib.parse.quote(text, safe=""), urllib.parse.quote_plus(text)):
        yield "percent", form.encode()
        yield "percent", re.sub("%..", lambda code: code[0].lower(), form).encode()
    yield "UTF-16", text.encode("utf-16-le")
    yield "UTF-16", text.encode("utf-16-be")
    yield "UTF-32", text.encode("utf-32-le")


def pieces(secret):
    """The bytes to look for, each with the name of its form.

    Freed memory is overwritten in part, so each piece of a form counts."""
    found = {}
    for name, form in whole_forms(secret):
        if len(form) <= WINDOW:
            found.setdefault(form, name)
            continue
        for start in [*range(0, len(form) - WINDOW, WINDOW), len(form) - WINDOW]:
            found.setdefault(form[start:start + WINDOW], name)
    return found
