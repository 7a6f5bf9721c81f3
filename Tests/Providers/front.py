"""The server in front of an identity provider: HTTP, its log, and faults on demand.

identity-provider.py documents it.
"""
import http.server
import io
import json
import secrets
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse

from control import parameters, sha256

LIMIT = 64 * 1024  # the longest request body


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.serve()

    do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_GET

    def serve(self):
        self.close_connection = True
        path, _, query = self.path.partition("?")
        body = self.read_body()
        if body is None:
            return self.send(413, [], b"")
        if path.startswith("/_control/"):
            return self.serve_control(path[len("/_control/"):], body)
        form = self.headers.get("Content-Type", "").startswith("application/x-www-form-urlencoded")
        sent = parameters(body.decode(errors="replace")) if form else {}
        entry = {"method": self.command, "path": path, "version": self.request_version,
                 "headers": [[n, redacted(n, v)] for n, v in self.headers.items()],
                 "query": parameters(query), "form": sent,
                 "grant": sent.get("grant_type") if path == self.server.token_path else None,
                 "status": None, "committed": False}
        fault = self.server.control.fault_for(entry)
        if fault.get("status") == "reset-before":
            return self.reset()
        self.server.control.arrived(entry)
        try:
            self.act(entry, fault, query, body)
        finally:
            self.server.control.finished(entry)

    def serve_control(self, name, body):
        self.server.control.count_connection(-1)
        try:
            status, answer = 200, self.server.control.call(name, json.loads(body or "{}"))
        except Exception as error:  # reported to the caller, whatever it is
            status, answer = 400, {"error": "%s: %s" % (type(error).__name__, error)}
        data = json.dumps(answer, indent=1).encode() + b"\n"
        self.send(status, [("Content-Type", "application/json")], data)

    def act(self, entry, fault, query, body):
        """Carries out the request and answers it, in the order and the way of the fault."""
        kind = fault.get("status")
        true_answer = kind in (None, "half", "reset-after")
        answer = None
        if fault.get("commit", true_answer):
            answer = self.carry_out(entry, query, body)
        if fault.get("hold"):
            self.server.control.hold(fault["releases"])
        time.sleep(fault.get("delay", 0))
        if true_answer and answer is None:
            answer = self.carry_out(entry, query, body)
        more = list(fault.get("headers", {}).items())
        html = ("Content-Type", "text/html; charset=utf-8")
        json_type = ("Content-Type", "application/json")
        if isinstance(kind, int):
            made = fault.get("body", '{"error": "fault", "error_description": "on demand"}')
            answer = (kind, [json_type, *more], made.encode())
        elif kind == "empty":
            answer = (fault.get("code", 400), more, b"")
        elif kind == "html":
            answer = (fault.get("code", 403), [html, *more],
                      b"<!doctype html><title>Request blocked</title><h1>Request blocked</h1>")
        elif kind == "garbage":
            answer = (200, more, b"\x00\xff<html>{not json" + secrets.token_bytes(64))
        elif kind == "huge":
            answer = (200, [json_type, *more],
                      b'{"access_token": "' + b"x" * fault.get("size", 1 << 20) + b'"}')
        elif kind == "retry-after":
            answer = (429, [json_type, ("Retry-After", str(fault.get("retry_after", 7))), *more],
                      b'{"error": "slow_down_please"}')
        elif kind == "redirect":
            answer = (fault.get("code", 307), [("Location", fault["location"]), *more], b"")
        elif kind == "hang":
            return self.connection.recv(1)  # until the client goes, or the timeout
        elif kind == "reset-after":
            return self.reset()
        else:
            answer = self.edited(answer, fault)
        entry["status"] = answer[0]
        self.send(*answer, half=kind == "half")

    def edited(self, answer, fault):
        """The true answer, with changed members of its JSON object or of its ID token."""
        status, headers, body = answer
        if "edit" not in fault and "claims" not in fault:
            return answer
        members = json.loads(body)
        if "claims" in fault:
            resign = self.server.control.provider.resign
            members["id_token"] = self.server.control.worker.submit(
                resign, members["id_token"], fault["claims"], fault.get("key")).result()
        members.update(fault.get("edit", {}))
        members = {name: value for name, value in members.items() if value is not None}
        return status, headers, json.dumps(members).encode()

    def carry_out(self, entry, query, body):
        environ = {
            "REQUEST_METHOD": self.command, "SCRIPT_NAME": "", "QUERY_STRING": query,
            "PATH_INFO": urllib.parse.unquote(entry["path"], "latin-1"),
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)), "REMOTE_ADDR": self.client_address[0],
            "SERVER_NAME": self.server.host, "SERVER_PORT": str(self.server.port),
            "SERVER_PROTOCOL": self.request_version, "wsgi.version": (1, 0),
            "wsgi.url_scheme": "https" if self.server.tls else "http",
            "wsgi.input": io.BytesIO(body), "wsgi.errors": sys.stderr,
            "wsgi.multithread": False, "wsgi.multiprocess": False, "wsgi.run_once": False}
        for name, value in self.headers.items():
            name = "HTTP_" + name.upper().replace("-", "_")
            if name not in ("HTTP_CONTENT_TYPE", "HTTP_CONTENT_LENGTH"):
                environ[name] = value
        answer = self.server.control.answer(environ, entry, self.client_address[1])
        entry["committed"] = answer[0] < 300 and self.command == "POST"
        return answer

    def read_body(self):
        length = self.headers.get("Content-Length") or "0"
        return self.rfile.read(int(length)) if length.isdigit() and int(length) <= LIMIT else None

    def send(self, status, headers, body, half=False):
        try:
            self.send_response_only(status)
            for name, value in headers:
                if name.lower() not in ("content-length", "connection"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write((body[:len(body) // 2] if half else body)
                             if self.command != "HEAD" else b"")
        except OSError:
            pass  # the client has gone

    def reset(self):
        # SO_LINGER with 0 s: close(2) sends a reset instead of an end.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def redacted(name, value):
    """Header values that may be secret are shown as SHA-256."""
    if name.lower() in ("authorization", "proxy-authorization", "cookie"):
        scheme, _, rest = value.partition(" ")
        return scheme + " sha256:" + sha256(rest)
    return value


def server_context(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate, key)
    return context


class Server:
    """Accepts connections, each in its own thread. It can stop listening, and listen on the same
    port again."""

    def __init__(self, host, port, tls=None):
        self.host, self.port, self.tls = host, port, server_context(*tls) if tls else None
        self.control = self.token_path = None
        self.listener = self.listen()

    def listen(self):
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        listener = socket.create_server((self.host, self.port), family=family, backlog=256)
        self.port = listener.getsockname()[1]
        return listener

    def present(self, certificate, key):
        self.tls = server_context(certificate, key)

    def start(self):
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def open(self):
        self.listener = self.listen()
        self.holder.close()
        self.start()

    def close(self):
        # Only close(2) would not wake a thread in accept(2).
        self.listener.shutdown(socket.SHUT_RDWR)
        # No other program gets the port while it is closed. A socket that does not listen refuses
        # connections.
        self.holder = socket.socket(self.listener.family)
        self.holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.holder.bind(self.listener.getsockname())
        self.listener.close()

    def accept(self, listener):
        while True:
            try:
                connection, address = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.take, args=(connection, address), daemon=True).start()

    def take(self, connection, address):
        self.control.count_connection(1)
        try:
            if self.tls:
                connection.settimeout(20)
                connection = self.tls.wrap_socket(connection, server_side=True)
            Handler(connection, address, self)
        except OSError:
            pass  # the client has gone; a refused certificate makes no request
        finally:
            connection.close()
