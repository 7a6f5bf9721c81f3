"""The port, and the control calls from standard input."""

import http.server
import json
import os
import socket
import sys
import threading

from .sessions import Refusal


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *arguments):
        self.is_open = threading.Event()
        super().__init__(*arguments)
        self.is_open.set()

    def close_port(self):
        if not self.is_open.is_set():
            return
        self.is_open.clear()
        self.shutdown()
        self.socket.shutdown(socket.SHUT_RDWR)
        # No other program gets the port while it is closed. A socket that does not listen refuses
        # connections.
        self.holder = socket.socket(self.address_family, self.socket_type)
        self.holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.holder.bind(self.socket.getsockname())
        self.server_close()

    def open_port(self):
        if self.is_open.is_set():
            return
        self.socket = socket.socket(self.address_family, self.socket_type)
        self.server_bind()
        self.server_activate()
        self.holder.close()
        self.is_open.set()

    def finish_request(self, request, client_address):
        self.control.count_connection(1)
        if self.tls:
            request.settimeout(20)
            try:
                request = self.tls.wrap_socket(request, server_side=True)
            except OSError:
                return  # no request was made: a refused certificate, or not TLS
        try:
            self.RequestHandlerClass(request, client_address, self)
        finally:
            request.close()

    def shutdown_request(self, request):
        self.close_request(request)  # without shutdown(2), which would end a reset politely

    def handle_error(self, request, client_address):
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            print("dev-backend: %s" % type(error).__name__, file=sys.stderr)


def serve_pipe(server):
    """Control calls from standard input. The server ends at the end of its input."""
    for line in sys.stdin:
        try:
            given = json.loads(line)
            answer = {"ok": True}
            if given.get("call") == "offline":
                server.close_port()
            elif given.get("call") == "online":
                server.open_port()
            else:
                answer = server.control.call(given.get("call"), given)
        except Refusal as refusal:
            answer = refusal.body
        print(json.dumps(answer), flush=True)
    os._exit(0)
