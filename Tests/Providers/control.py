"""The control calls of an identity provider: its log, planned faults, and the waits for either.

identity-provider.py documents them.
"""
import concurrent.futures
import hashlib
import json
import os
import socket
import sys
import threading
import urllib.parse

# Parameters whose values are shown as SHA-256.
SECRET = {"refresh_token", "code", "code_verifier", "password", "client_secret", "device_code",
          "token", "access_token", "client_assertion"}


class Refusal(Exception):
    """A control call that cannot be carried out."""


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def parameters(text):
    """The parameters of a query or a form. A repeated name has a list."""
    found = {}
    for name, value in urllib.parse.parse_qsl(text, keep_blank_values=True):
        value = "sha256:" + sha256(value) if name in SECRET else value
        found[name] = value if name not in found else [*listed(found[name]), value]
    return found


def listed(value):
    return value if isinstance(value, list) else [value]


class Control:
    """The log, the planned faults, and the waits for either. The provider does the rest."""

    def __init__(self, provider, log_file=None, ledger=None):
        self.provider, self.log_file, self.ledger = provider, log_file, ledger
        self.changed = threading.Condition()
        self.log, self.faults = [], []
        self.releases = self.connections = 0
        self.server = self.elsewhere = None
        # One thread: the first caller wins a race, and SQLite has one connection.
        self.worker = concurrent.futures.ThreadPoolExecutor(1)

    def count_connection(self, difference):
        with self.changed:
            self.connections += difference

    def arrived(self, entry):
        with self.changed:
            self.log.append(entry)
            self.changed.notify_all()

    def finished(self, entry):
        with self.changed:
            self.changed.notify_all()
            if self.log_file:
                self.log_file.write(json.dumps(entry) + "\n")
                self.log_file.flush()

    def fault_for(self, entry):
        with self.changed:
            for fault in self.faults:
                if fault.get("path", "*") not in ("*", entry["path"]):
                    continue
                if fault.get("grant", entry["grant"]) != entry["grant"]:
                    continue
                fault["count"] = fault.get("count", 1) - 1
                if fault["count"] <= 0:
                    self.faults.remove(fault)
                # A release counts from here, before the request is visible in the log.
                return {**fault, "releases": self.releases}
        return {}

    def hold(self, before):
        with self.changed:
            self.changed.wait_for(lambda: self.releases > before, timeout=120)

    def matching(self, given):
        wanted = {name: given[name] for name in ("path", "grant", "status") if name in given}
        return sum(all(entry[name] == value for name, value in wanted.items())
                   for entry in self.log)

    def call(self, name, given):
        with self.changed:
            if name == "next":
                self.faults += given.get("next", [])
            elif name == "log":
                return {"requests": self.log, "connections": self.connections}
            elif name == "clear":
                self.log, self.faults, self.connections = [], [], 0
            elif name == "wait":
                wanted = given.get("count", 1)
                self.changed.wait_for(
                    lambda: self.matching(given) >= wanted, given.get("timeout", 50))
                return {"arrived": self.matching(given)}
            elif name == "release":
                self.releases += 1
                self.changed.notify_all()
            elif name == "elsewhere":
                self.elsewhere = self.elsewhere or Elsewhere()
                return self.elsewhere.report()
            elif name == "offline":
                self.server.close()
            elif name == "online":
                self.server.open()
            elif name == "certificate":
                self.server.present(given["certificate"], given["key"])
            else:
                return self.ask_provider(name, given)
        return {"ok": True}

    def ask_provider(self, name, given):
        found = getattr(self.provider, "call_" + str(name).replace("-", "_"), None)
        if not found:
            raise Refusal("no such control call")
        arguments = {key: value for key, value in given.items() if key != "call"}
        answer = self.worker.submit(found, **arguments).result() or {"ok": True}
        if name == "counts":
            tokens = [e for e in self.log if e["grant"]]
            answer["token_requests"] = len(tokens)
            answer["token_answers"] = sum(e["committed"] for e in tokens)
            answer["refresh_requests"] = sum(e["grant"] == "refresh_token" for e in tokens)
        return answer

    def answer(self, environ, entry, port):
        """The provider's answer to a request from a port: status, headers, body."""
        return self.worker.submit(self.carry_out, environ, entry, port).result()

    def carry_out(self, environ, entry, port):
        answer = run_application(self.provider.application, environ)
        if self.ledger and entry["grant"]:
            self.ledger.enter(entry, answer, port, self.provider.owner_of)
        return answer


def run_application(application, environ):
    """Runs one request through a WSGI application (PEP 3333)."""
    started = []

    def start_response(status, headers, exception=None):
        started[:] = [int(status.split()[0]), headers]

    chunks = application(environ, start_response)
    try:
        body = b"".join(chunks)
    finally:
        getattr(chunks, "close", lambda: None)()
    return started[0], started[1], body


class Elsewhere:
    """Another host, which should never receive anything."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        self.changed = threading.Condition()
        self.taken, self.own, self.bytes = [], 0, 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, address = self.listener.accept()
            with self.changed:
                self.taken.append(address[1])
                self.changed.notify_all()
            threading.Thread(target=self.take, args=(connection,), daemon=True).start()

    def take(self, connection):
        with connection:
            connection.settimeout(60)
            try:
                while data := connection.recv(65536):
                    with self.changed:
                        self.bytes += len(data)
                    connection.sendall(b"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")
            except OSError:
                pass

    def report(self):
        # Connections are accepted in order: after this one, all earlier ones are counted.
        with socket.create_connection(("127.0.0.1", self.port)) as own, self.changed:
            port = own.getsockname()[1]
            self.changed.wait_for(lambda: port in self.taken, timeout=60)
            self.taken.remove(port)
            return {"url": "http://127.0.0.1:%d" % self.port, "bytes": self.bytes,
                    "connections": len(self.taken)}


def serve_pipe(control):
    """Serves control calls from standard input. The server ends with its input."""
    for line in sys.stdin:
        try:
            given = json.loads(line)
            answer = control.call(given.get("call"), given)
        except Exception as error:  # reported to the caller, whatever it is
            answer = {"error": "%s: %s" % (type(error).__name__, error)}
        print(json.dumps(answer), flush=True)
    os._exit(0)
