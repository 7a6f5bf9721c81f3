"""The request log and the faults on demand."""

import json
import threading

from .sessions import Refusal


class Control:
    """The request log, the planned faults, and the threads that wait for either."""

    def __init__(self, backend, log_file):
        self.backend, self.log_file = backend, log_file
        self.changed = threading.Condition()
        self.log, self.faults = [], []
        self.releases = self.connections = 0

    def count_connection(self, difference):
        with self.changed:
            self.connections += difference

    def arrived(self, entry):
        with self.changed:
            self.log.append(entry)
            self.changed.notify_all()

    def finished(self, entry):
        if self.log_file:
            with self.changed:
                self.log_file.write(json.dumps(entry) + "\n")
                self.log_file.flush()

    def fault_for(self, path):
        with self.changed:
            for fault in self.faults:
                if fault.get("path", "*") in ("*", path):
                    fault["count"] = fault.get("count", 1) - 1
                    if fault["count"] <= 0:
                        self.faults.remove(fault)
                    # A release counts from here, before the request shows in the log.
                    return {**fault, "releases": self.releases}
        return {}

    def hold(self, before):
        with self.changed:
            self.changed.wait_for(lambda: self.releases > before, timeout=120)

    def call(self, name, given):
        with self.changed:
            if name == "next":
                self.faults += given.get("next", [])
            elif name == "log":
                return {"requests": self.log, "connections": self.connections}
            elif name == "sessions":
                return self.backend.counts()
            elif name == "clear":
                self.log, self.faults, self.connections = [], [], 0
            elif name == "wait":
                def count():
                    return sum(given.get("path", "*") in ("*", e["path"]) for e in self.log)
                wanted = given.get("count", 1)
                self.changed.wait_for(lambda: count() >= wanted, given.get("timeout", 50))
                return {"arrived": count()}
            elif name == "release":
                self.releases += 1
                self.changed.notify_all()
            elif name == "advance-clock":
                seconds = given.get("seconds", self.backend.options.access_lifetime)
                self.backend.offset += seconds
            else:
                raise Refusal(404, "not_found", "no such control call")
        return {"ok": True}
