"""Speaks to a headless Chromium over a pipe: JSON messages ended by NUL (Chrome DevTools Protocol).
"""
import json
import os
import select
import subprocess
import sys
import time


class Refused(Exception):
    """Chromium refused a command, for example because the page was going away."""


class Chromium:
    def __init__(self, profile):
        commands, self.commands = os.pipe()
        self.events, events = os.pipe()

        def pipes():
            # Chromium reads descriptor 3 and writes 4.
            ours = os.dup2(commands, 60), os.dup2(events, 61)
            os.dup2(ours[0], 3)
            os.dup2(ours[1], 4)

        self.process = subprocess.Popen(
            ["/usr/bin/chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={profile}",
             "--remote-debugging-pipe", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(events)
        self.number, self.waiting, self.seen, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call(
            "Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def message(self, deadline=None):
        """The next message, or None if none came by the deadline."""
        while b"\0" not in self.waiting:
            left = None if deadline is None else max(0, deadline - time.monotonic())
            if not select.select([self.events], [], [], left)[0]:
                return None
            chunk = os.read(self.events, 1 << 20)
            if not chunk:
                sys.exit("chromium has ended")
            self.waiting += chunk
        text, self.waiting = self.waiting.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        call = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            call["sessionId"] = self.session
        os.write(self.commands, json.dumps(call).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise Refused(f"{method}: {message['error']}")
                return message["result"]
            self.seen.append(message)

    def wait_for(self, method):
        """The next event of this name, among the events that have come and those that will."""
        while True:
            for index, message in enumerate(self.seen):
                if message.get("method") == method:
                    del self.seen[index]
                    return message["params"]
            self.seen.append(self.message())

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        return answer["result"].get("value")

    def end(self):
        self.process.kill()
        self.process.wait()
