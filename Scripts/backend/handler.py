"""One request: its answer, or the fault that was asked for."""

import http.server
import json
import re
import secrets
import socket
import struct
import time

from .sessions import Refusal, sha256

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
        control, path = self.server.control, self.path.split("?")[0]
        if path == "/_control" or path.startswith("/_control/"):
            control.count_connection(-1)
            try:
                name = path[len("/_control/"):] or "next"
                return self.send(200, control.call(name, self.read_json(self.read_body())))
            except Refusal as refusal:
                return self.send(refusal.status, refusal.body, refusal.headers)
        fault = control.fault_for(path)
        if fault.get("status") == "reset-before":
            return self.reset()
        entry = {"method": self.command, "path": path, "version": self.request_version,
                 "headers": [[n, redacted(n, v)] for n, v in self.headers.items()],
                 "refresh_token_sha256": None, "shape": "", "status": None, "committed": False}
        try:
            raw = self.read_body()
            entry["shape"] = shape(raw)
            control.arrived(entry)
            body = self.read_json(raw)
            if isinstance(body.get("refresh_token"), str):
                entry["refresh_token_sha256"] = sha256(body["refresh_token"])
        except Refusal as refusal:
            body, fault = refusal, {**fault, "commit": True}
        self.act(entry, fault, body)
        control.finished(entry)

    def act(self, entry, fault, body):
        """Carries the request out and answers, in the order and form that the fault requires."""
        status = fault.get("status")
        true_answer = status in (None, "half", "reset-after", "control-characters")
        commit = fault.get("commit", true_answer)
        answer = self.carry_out(entry, body) if commit else None
        if fault.get("hold"):
            self.server.control.hold(fault["releases"])
        time.sleep(fault.get("delay", 0))
        if true_answer and answer is None:
            answer = self.carry_out(entry, body)
        headers, chunked = fault.get("headers", {}), fault.get("chunked", False)
        if isinstance(status, int):
            made = {"error": "fault", "message": "a fault on demand"}
            answer = (status, fault.get("body", made).encode()
                      if "body" in fault else made, headers)
        elif status == "garbage":
            answer = (200, b"\x00\xff<html>{not json" + secrets.token_bytes(64), headers)
        elif status == "empty":
            answer = (200, b"", headers)
        elif status == "huge":
            answer = (200, b'{"access_token": "' + b"x" * fault.get("size", 1 << 20) + b'"}',
                      headers)
        elif status == "retry-after":
            seconds = str(fault.get("retry_after", 7))
            answer = (429, {"error": "rate_limited", "message": "slow down"},
                      {"Retry-After": seconds, **headers})
        elif status == "control-characters":
            made = {name: value[:8] + "\r\n\x1b[2J\x00" if name.endswith("_token") else value
                    for name, value in answer[1].items()}
            answer = (answer[0], made, headers)
        elif status == "hang":
            return self.connection.recv(1)  # until the client goes, or the timeout
        elif status == "reset-after":
            return self.reset()
        entry["status"] = answer[0]
        self.send(*answer, chunked=chunked, half=status == "half")

    def carry_out(self, entry, body):
        self.server.backend.peer.port = self.client_address[1]
        try:
            if isinstance(body, Refusal):
                raise body
            status, answer = self.server.backend.answer(
                entry["method"], entry["path"], self.headers.get("Authorization"), body)
            entry["committed"] = status < 300 and entry["method"] == "POST"
            return status, answer, {}
        except Refusal as refusal:
            return refusal.status, refusal.body, refusal.headers

    def read_body(self):
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit() or int(length) > LIMIT:
            raise Refusal(413, "too_large", "the body is too large")
        return self.rfile.read(int(length))

    def read_json(self, raw):
        if not raw:
            return {}
        try:
            body = json.loads(raw)
        except ValueError:
            raise Refusal(400, "invalid_request", "the body is not JSON")
        if not isinstance(body, dict):
            raise Refusal(400, "invalid_request", "the body is not a JSON object")
        return body

    def send(self, status, body, headers=None, chunked=False, half=False):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            self.send_response_only(status)
            if not isinstance(body, bytes):
                self.send_header("Content-Type", "application/json")
            length = ("Transfer-Encoding", "chunked") if chunked else ("Content-Length", len(data))
            for name, value in (*(headers or {}).items(), length, ("Connection", "close")):
                self.send_header(name, str(value))
            self.end_headers()
            if half:
                data = data[:len(data) // 2]
            for start in range(0, len(data), 8192) if chunked else ():
                part = data[start:start + 8192]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            if chunked:
                data = b"" if half else b"0\r\n\r\n"
            self.wfile.write(data if self.command != "HEAD" else b"")
        except OSError:
            pass  # the client has gone

    def reset(self):
        # SO_LINGER with 0 s: close(2) sends a reset instead of an end.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def redacted(name, value):
    """Authorization as a hash; a tool may send it as any scheme."""
    if name.lower() in ("authorization", "proxy-authorization", "cookie"):
        scheme, _, rest = value.partition(" ")
        return scheme + " sha256:" + sha256(rest)
    return value


def shape(raw):
    """The body as sent, byte for byte, except text that may be secret."""
    hidden = r'("(?!email"|name")[^"]*"\s*:\s*)"(?:[^"\\]|\\.)*"'
    found = re.sub(hidden, r'\1"..."', raw.decode(errors="replace"))
    return found if found.startswith("{") else "%d bytes" % len(raw)
