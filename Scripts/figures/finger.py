"""Enrolls and checks a finger with a virtual reader."""

import socket
import statistics
import time

# From Check to `passed`, in milliseconds.
CHECK_LIMIT = 9


def touch(path, finger):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        reader = socket.socket(socket.AF_UNIX)
        try:
            reader.connect(path)
            reader.sendall(b"SCAN " + finger)
            while reader.recv(64):
                pass
            return
        except OSError:
            time.sleep(0.0005)
        finally:
            reader.close()
    raise TimeoutError("the reader was never armed")


def enroll(engine, reader, password):
    prompt = engine.call("EnrollFinger", finger="right-index")["parameters"]["prompt"]
    engine.call("Check", prompt=prompt, method="password")
    engine.call("Respond", prompt=prompt, text=password)
    engine.send("EnrollFinger", more=True, finger="right-index", prompt=prompt)
    for _ in range(5):
        touch(reader, b"right-index")
    reply = engine.receive()
    while reply.get("continues"):
        reply = engine.receive()
    assert reply["parameters"]["event"] == "done", reply


def measure_check(engine, reader, runs):
    """The password is not measured: PAM decides how long it takes."""
    times = []
    uses = []
    for _ in range(runs):
        # As a client that shows the prompt at once: the helper starts with the prompt.
        prompt = engine.call("TestPresence", ask=True)["parameters"]["prompt"]
        begun = time.perf_counter()
        engine.send("Check", more=True, prompt=prompt, method="fingerprint")
        touch(reader, b"right-index")
        reply = engine.receive()
        while reply.get("continues"):
            reply = engine.receive()
        assert reply["parameters"]["event"] == "passed", reply
        times.append((time.perf_counter() - begun) * 1000)
        assert "error" not in engine.call("TestPresence", prompt=prompt)
        uses.append((time.perf_counter() - begun) * 1000)
    median = statistics.median(times)
    line = (f"check, {runs} runs: from Check to passed {median:.1f} ms (median, limit {CHECK_LIMIT}), "
            f"{sorted(times)[int(len(times) * 0.95)]:.1f} ms (p95), "
            f"to its use {statistics.median(uses):.1f} ms (median)")
    print(line)
    return [line] if median > CHECK_LIMIT else []
