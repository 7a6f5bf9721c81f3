"""oidc-agent, the program for comparison with the calls."""

import http.server
import json
import os
import re
import signal
import subprocess
import threading

from .programs import output

AGENT_CALL = '{"request":"access_token","account":"bench","min_valid_period":0}'


class Agent:
    """oidc-agent with one account, at a provider that gives everybody the same token."""

    def __init__(self, directory):
        self.home = os.path.join(directory, "agent")
        os.mkdir(self.home)

        class Provider(http.server.BaseHTTPRequestHandler):
            def answer(self, **members):
                body = json.dumps(members).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                own = f"http://127.0.0.1:{self.server.server_port}"
                self.answer(
                    issuer=own, token_endpoint=own + "/token", authorization_endpoint=own + "/auth",
                    userinfo_endpoint=own + "/me", jwks_uri=own + "/keys",
                    scopes_supported=["openid", "offline_access"], response_types_supported=["code"],
                    grant_types_supported=["authorization_code", "refresh_token"])

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.answer(access_token="a" * 400, token_type="Bearer", expires_in=36000,
                            scope="openid offline_access", refresh_token="r-1")

            def log_message(self, *_):
                pass

        self.provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
        threading.Thread(target=self.provider.serve_forever, daemon=True).start()
        environment = {"HOME": self.home, "OIDC_CONFIG_DIR": self.home, "PATH": "/usr/bin:/bin"}
        started = output(["oidc-agent", "--no-autoload"], env=environment)
        self.socket = re.search("OIDC_SOCK=([^;]+)", started)[1]
        self.process = int(re.search("OIDCD_PID=([0-9]+)", started)[1])
        output(
            ["oidc-gen", "bench", "--iss", f"http://127.0.0.1:{self.provider.server_port}",
             "--client-id", "c", "--client-secret", "s", "--scope", "openid offline_access",
             "--rt", "r-1", "--manual", "--no-save", "--confirm-default", "--pw-cmd", "echo pw"],
            env={**environment, "OIDC_SOCK": self.socket}, stdin=subprocess.DEVNULL, timeout=60)

    def end(self):
        os.kill(self.process, signal.SIGTERM)
        self.provider.shutdown()
