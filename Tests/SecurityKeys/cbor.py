"""CBOR (RFC 8949) as CTAP 2 writes it: integers, byte strings, texts, lists, maps, booleans."""


def head(major, value):
    for size, mark in ((1, 24), (2, 25), (4, 26), (8, 27)):
        if value < 24:
            return bytes([major << 5 | value])
        if value < 1 << 8 * size:
            return bytes([major << 5 | mark]) + value.to_bytes(size, "big")
    raise ValueError("too large")


def encode(value):
    if value is True or value is False:
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        text = value.encode()
        return head(3, len(text)) + text
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(encode, value))
    # CTAP's order of keys: by the length of their encoding, then by its bytes.
    items = sorted(((encode(key), item) for key, item in value.items()),
                   key=lambda pair: (len(pair[0]), pair[0]))
    return head(5, len(items)) + b"".join(key + encode(item) for key, item in items)


def decode(data, at=0):
    """One value, and the position after it."""
    major, extra = data[at] >> 5, data[at] & 31
    at += 1
    if extra >= 24 and major != 7:
        size = 1 << extra - 24
        extra = int.from_bytes(data[at:at + size], "big")
        at += size
    if major == 0:
        return extra, at
    if major == 1:
        return -1 - extra, at
    if major in (2, 3):
        part = data[at:at + extra]
        return (part if major == 2 else part.decode()), at + extra
    if major == 4:
        values = []
        for _ in range(extra):
            value, at = decode(data, at)
            values.append(value)
        return values, at
    if major == 5:
        values = {}
        for _ in range(extra):
            key, at = decode(data, at)
            values[key], at = decode(data, at)
        return values, at
    return {20: False, 21: True}[extra], at
