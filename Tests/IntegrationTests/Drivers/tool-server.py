#!/usr/bin/env python3
"""A server over TLS that real tools reach with a token: git, registries of images, crates and Python's packages,
Kubernetes.

usage: tool-server.py DIRECTORY CERTIFICATE KEY

Serves the repositories of DIRECTORY/git by `git http-backend`, one image `app` by the distribution API
of OCI, one crate `app` by the sparse index /index/, one package `app` by /simple/, and /api of Kubernetes.
Each path needs a token that begins with at_, as a Bearer token or as the password of Basic. A token in
DIRECTORY/rejected, one a line, gets 401. Prints its port. What it was asked is in DIRECTORY/log, a line
each: the status, the scheme and user name of the Authorization, the path.
"""
import base64
import hashlib
import http.server
import io
import json
import os
import ssl
import subprocess
import sys
import tarfile
import threading
import zipfile

DIRECTORY, CERTIFICATE, KEY = sys.argv[1:4]
LOCK = threading.Lock()

CONFIG = json.dumps({"architecture": "amd64", "os": "linux", "config": {},
                     "rootfs": {"type": "layers", "diff_ids": []}}).encode()
MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def manifest(kind, config):
    return json.dumps({
        "schemaVersion": 2, "mediaType": kind, "layers": [],
        "config": {"mediaType": config, "digest": digest(CONFIG), "size": len(CONFIG)}}).encode()


MANIFEST = manifest(MANIFEST_TYPE, "application/vnd.oci.image.config.v1+json")
# That of an older docker, which does not accept the other one.
DOCKER_TYPE = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_MANIFEST = manifest(DOCKER_TYPE, "application/vnd.docker.container.image.v1+json")
# docker accepts no other registry.
VERSION = {"Docker-Distribution-API-Version": "registry/2.0"}
BLOBS = {digest(content): content for content in (CONFIG, MANIFEST, DOCKER_MANIFEST)}


def crate():
    """The crate `app`, as cargo packs it."""
    files = {"Cargo.toml": '[package]\nname = "app"\nversion = "1.0.0"\n', "src/lib.rs": ""}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo("app-1.0.0/" + name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


def wheel():
    """The package `app`, as pip and uv install it."""
    files = {"app.py": "", "METADATA": "Metadata-Version: 2.1\nName: app\nVersion: 1.0.0\n",
             "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n", "RECORD": ""}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name if name.endswith(".py") else f"app-1.0.0.dist-info/{name}", text)
    return packed.getvalue()


WHEEL, WHEEL_NAME = wheel(), "app-1.0.0-py3-none-any.whl"
CRATE = crate()
CRATE_ENTRY = json.dumps({"name": "app", "vers": "1.0.0", "deps": [], "features": {}, "yanked": False,
                          "cksum": hashlib.sha256(CRATE).hexdigest()}).encode() + b"\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def credential(self):
        """The scheme, the user name and the token of the request."""
        scheme, _, value = (self.headers.get("Authorization") or "none").partition(" ")
        if scheme != "Basic":
            return scheme, "-", value
        name, _, password = base64.b64decode(value).decode().partition(":")
        return scheme, name or "-", password

    def handle_request(self):
        scheme, name, token = self.credential()
        try:
            with open(DIRECTORY + "/rejected") as file:
                rejected = file.read().split("\n")
        except FileNotFoundError:
            rejected = []
        accepted = token.startswith("at_") and token not in rejected
        with LOCK, open(DIRECTORY + "/log", "a") as log:
            log.write(f"{200 if accepted else 401} {scheme} {name} {self.path}\n")
        if not accepted:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            return self.send(401, b"", {"WWW-Authenticate": 'Basic realm="tools"', **VERSION})
        if self.path.startswith("/git/"):
            return self.git()
        if self.path.startswith("/v2/"):
            return self.registry()
        if self.path.startswith(("/index/", "/crates/")):
            return self.crates()
        if self.path.startswith("/simple/"):
            return self.packages()
        versions = {"kind": "APIVersions", "versions": ["v1"]}
        self.send(200, json.dumps(versions).encode(), {"Content-Type": "application/json"})

    def send(self, status, body, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def git(self):
        path, _, query = self.path[len("/git"):].partition("?")
        given = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        environment = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": DIRECTORY + "/git",
            "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path, "QUERY_STRING": query,
            "REQUEST_METHOD": self.command, "REMOTE_USER": "person", "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": self.headers.get("Content-Type") or "",
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding") or "",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol") or "",
            # The repositories belong to the user that runs this server.
            "HOME": DIRECTORY, "GIT_CONFIG_NOSYSTEM": "1",
        }
        answer = subprocess.run(["git", "http-backend"], input=given, env=environment,
                                stdout=subprocess.PIPE, check=True).stdout
        head, _, body = answer.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send(int(headers.pop("Status", "200").split()[0]), body, headers)

    def registry(self):
        parts = self.path.split("/")
        if self.path == "/v2/":
            return self.send(200, b"{}", {"Content-Type": "application/json", **VERSION})
        if self.path == "/v2/app/tags/list":
            tags = {"name": "app", "tags": ["latest"]}
            return self.send(200, json.dumps(tags).encode(), {"Content-Type": "application/json"})
        accepted = str(self.headers.get_all("Accept"))
        is_of_docker = DOCKER_TYPE in accepted and MANIFEST_TYPE not in accepted
        latest = DOCKER_MANIFEST if is_of_docker else MANIFEST
        content = latest if parts[-1] == "latest" else BLOBS.get(parts[-1])
        if content is None:
            return self.send(404, b"", {})
        kinds = {MANIFEST: MANIFEST_TYPE, DOCKER_MANIFEST: DOCKER_TYPE}
        kind = kinds.get(content, "application/octet-stream")
        self.send(200, content, {"Content-Type": kind, "Docker-Content-Digest": digest(content)})

    def packages(self):
        content = {
            "/simple/app/": f'<a href="{WHEEL_NAME}">{WHEEL_NAME}</a>'.encode(),
            "/simple/app/" + WHEEL_NAME: WHEEL,
        }.get(self.path)
        kind = "text/html" if self.path.endswith("/") else "application/octet-stream"
        self.send(404 if content is None else 200, content or b"", {"Content-Type": kind})

    def crates(self):
        origin = "https://" + self.headers["Host"]
        settings = {"dl": origin + "/crates", "api": origin, "auth-required": True}
        content = {
            "/index/config.json": json.dumps(settings).encode(),
            "/index/3/a/app": CRATE_ENTRY,
            "/crates/app/1.0.0/download": CRATE,
        }.get(self.path)
        self.send(404 if content is None else 200, content or b"", {})

    do_GET = do_POST = do_HEAD = handle_request


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(CERTIFICATE, KEY)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
