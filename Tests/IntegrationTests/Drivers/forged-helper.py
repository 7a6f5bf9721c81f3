#!/usr/bin/python3
"""A thumblatch-secret or thumblatch-presence that lies, in the program's place beside the engine.

Its TPM and its security key are the file `chip` in the person's home directory. The file `lie`
there has a method and the lie in its answer; without it, all answers are true. A lie is a JSON
object whose members replace those of the answer (null removes one), or a word:

  extra     sends the answer twice at once
  flood     sends the answer, and bytes without an end after it
  endless   sends bytes without the end of a message
  drip      sends a byte from time to time
  nothing   sends nothing for a minute
  close     closes the connection without an answer
  half      sends half of the answer, then closes
  empty     sends an empty message
  bytes     sends bytes that are not UTF-8
  deep      sends an answer in 10,000 arrays
  error     sends a Varlink error
  replay    sends the last answer to another method
  touches   sends steps of a touch without an end
  readies   sends steps of a reader without an end
  asks      sends questions without an end
"""
import base64
import hashlib
import json
import os
import socket
import time

HOME = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "home")
CHIP, LIE, LAST = (os.path.join(HOME, name) for name in ("chip", "lie", "last"))
PREFIX = "io.thumblatch.Helper."
NAME = b"\x00\x0b" + bytes(32)
# The lies that are one event again and again.
STEPS = {
    "touches": {"event": "touch"},
    "readies": {"event": "ready"},
    "asks": {"event": "ask", "text": "Password: ", "hidden": True},
}


def encoded(value):
    return base64.b64encode(value).decode()


def load(path, default):
    if not os.path.exists(path):
        return default
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def store(path, value):
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(value, file)
    os.rename(path + ".new", path)


def failed(reason):
    return {"outcome": "failed", "reason": reason}


def counter(chip, call, change):
    """The answer about a counter, whose index and authorization value the chip keeps."""
    index, found = str(call["index"]), chip["counters"].get(str(call["index"]))
    if found is None:
        return failed("no_counter")
    if found[1] != call["authorization"]:
        return failed("wrong_authorization")
    change(chip["counters"], index)
    return {"outcome": "done", "index": call["index"], "value": found[0]}


def increment(counters, index):
    counters[index][0] += 1


def truth(chip, method, call):
    if method == "GetTPM":
        return {"outcome": "done", "maker": "SW", "version": "1.0"}
    if method == "SealSecret":
        chip["secrets"].append([call["secret"], call["authorization"]])
        place = len(chip["secrets"]).to_bytes(8, "big")
        return {"outcome": "done", "parent_name": encoded(NAME), "private_part": encoded(place),
                "public_part": encoded(bytes(78))}
    if method == "OpenSecret":
        place = int.from_bytes(base64.b64decode(call["private_part"]), "big")
        secret, authorization = chip["secrets"][place - 1]
        if authorization != call["authorization"]:
            return failed("wrong_authorization")
        return {"outcome": "done", "secret": secret}
    if method == "DefineCounter":
        chip["counters"][str(call["index"])] = [1, call["authorization"]]
        return {"outcome": "done", "index": call["index"], "value": 1}
    if method == "ReadCounter":
        return counter(chip, call, lambda *_: None)
    if method == "IncrementCounter":
        return counter(chip, call, increment)
    if method == "ConfirmCounter":
        def renew(counters, index):
            counters[index][1] = call["next_authorization"]
        return counter(chip, call, renew)
    if method == "RemoveCounter":
        answer = counter(chip, call, lambda counters, index: counters.pop(index))
        return answer if answer == failed("wrong_authorization") else {"outcome": "done"}
    if method == "GetKey":
        return {"outcome": "done", "needs_pin": False}
    if method == "MakeKeySecret":
        parameters = b"\0" + (16).to_bytes(2, "little") + bytes(16) + bytes(32) + bytes(64)
        return {"event": "done", "parameters": encoded(parameters), "secret": key_secret()}
    if method == "OpenKeySecret":
        return {"event": "done", "place": 0, "secret": key_secret()}
    if method == "ListEnrolled":
        return {"source": "none", "fingers": [], "digests": []}
    if method == "Check":
        return {"event": "not_matched"}
    raise SystemExit(f"forged-helper: {method}")


def key_secret():
    return encoded(hashlib.sha256(b"key").digest())


def message(answer):
    return json.dumps({"parameters": answer}).encode() + b"\0"


def send_without_end(engine, data):
    while True:
        engine.sendall(data)


def tell(engine, answer, lie, last):
    """Sends the answer with its lie; returns whether another call may follow."""
    said = message(answer)
    if isinstance(lie, dict):
        for name, value in lie.items():
            answer[name] = value
            if value is None:
                del answer[name]
        engine.sendall(message(answer))
    elif lie == "extra":
        engine.sendall(said + said)
    elif lie == "flood":
        engine.sendall(said + b"x" * 65536)
        send_without_end(engine, b"x" * 65536)
    elif lie == "endless":
        send_without_end(engine, b"x" * 65536)
    elif lie == "drip":
        for byte in said[:-2] + b" " * 10000:
            engine.sendall(bytes([byte]))
            time.sleep(0.1)
    elif lie == "nothing":
        time.sleep(60)
    elif lie == "half":
        engine.sendall(said[:len(said) // 2])
    elif lie == "empty":
        engine.sendall(b"\0")
    elif lie == "bytes":
        engine.sendall(b'{"parameters": {"outcome": "\xff\xfe"}}\0')
    elif lie == "deep":
        engine.sendall(b'{"parameters": ' + b"[" * 10000 + b"]" * 10000 + b"}\0")
    elif lie == "error":
        engine.sendall(b'{"error": "io.thumblatch.Helper.None", "parameters": {}}\0')
    elif lie == "replay":
        engine.sendall(message(last))
    elif lie in STEPS:
        step = STEPS[lie]
        event = json.dumps({"parameters": step, "continues": True}).encode() + b"\0"
        send_without_end(engine, event * 1000)
    elif lie is None:
        engine.sendall(said)
    return lie is None


def serve(engine):
    data = b""
    while True:
        part = engine.recv(65536)
        if not part:
            return
        data += part
        while b"\0" in data:
            one, data = data.split(b"\0", 1)
            call = json.loads(one)
            method = call["method"].removeprefix(PREFIX)
            chip = load(CHIP, {"secrets": [], "counters": {}})
            answer = truth(chip, method, call.get("parameters", {}))
            store(CHIP, chip)
            answers = load(LAST, {})
            # The newest answer is the last one of the file.
            answers.pop(method, None)
            last = list(answers.values())[-1] if answers else {}
            store(LAST, answers | {method: answer})
            liar, lie = load(LIE, [None, None])
            if not tell(engine, answer, lie if liar == method else None, last):
                return


try:
    serve(socket.socket(fileno=0))
except (BrokenPipeError, ConnectionResetError):
    pass
