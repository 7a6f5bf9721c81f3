"""An MCP server with its own authorization server, in fastmcp: RFC 9728, 8414, 7591, 8707 and 9207.

usage: mcp-server.py DIRECTORY. Prints its port. The server is at /mcp, and has one tool, `add`.
Refresh tokens rotate, and a second use of one ends all logins of its client.

DIRECTORY/log has a line of JSON for each request: method, path, status, the parameters, and the last
characters of the token. DIRECTORY/faults is an object of faults by path:

    {"status": 403, "headers": {NAME: VALUE}, "body": TEXT}   answers so; "size" fills the body
    {"edit": {NAME: VALUE}}                                   changes members of the JSON answer
    {"query": {NAME: VALUE}}                                  changes the redirect to the client

DIRECTORY/documents has the client metadata documents by their URL, in place of the web.

DIRECTORY/scope has scopes that a token must have in addition to those of its login.
"""

import json
import os
import pathlib
import socket
import sys
import urllib.parse

import uvicorn
from fastmcp import FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from mcp.server.auth.provider import AuthorizeError
from mcp.shared.auth import InvalidRedirectUriError, OAuthClientInformationFull

directory = pathlib.Path(sys.argv[1])
listener = socket.create_server(("127.0.0.1", 0))
ORIGIN = f"http://127.0.0.1:{listener.getsockname()[1]}"
RESOURCE = ORIGIN + "/mcp"
SCOPES = ["tools", "admin"]
SECRETS = {"code", "code_verifier", "refresh_token", "token", "client_secret"}


def read(name):
    path = directory / name
    return path.read_text() if path.exists() else ""


class Described(OAuthClientInformationFull):
    """A client whose ID is the URL of its metadata document."""

    def validate_redirect_uri(self, redirect_uri):
        # The port of a loopback redirect may vary (RFC 8252, section 7.3).
        def known(uri):
            parts = urllib.parse.urlsplit(str(uri))
            return parts.scheme, parts.hostname, parts.path

        if known(redirect_uri) not in [known(uri) for uri in self.redirect_uris]:
            raise InvalidRedirectUriError("another redirect URI")
        return redirect_uri


class Provider(InMemoryOAuthProvider):
    """Binds logins to the resource, and detects the reuse of a refresh token."""

    def __init__(self):
        super().__init__(
            base_url=ORIGIN,
            required_scopes=["tools"],
            client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=SCOPES),
            revocation_options=RevocationOptions(enabled=True),
        )
        self.used = {}

    async def get_client(self, client_id):
        document = json.loads(read("documents") or "{}").get(client_id)
        if document and client_id not in self.clients:
            self.clients[client_id] = Described.model_validate(document)
        return await super().get_client(client_id)

    async def authorize(self, client, params):
        if params.resource != RESOURCE:
            raise AuthorizeError("invalid_request", "another resource")
        return await super().authorize(client, params)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        self.used[refresh_token.token] = client.client_id
        return await super().exchange_refresh_token(client, refresh_token, scopes)

    async def load_refresh_token(self, client, refresh_token):
        if refresh_token in self.used:
            note({"path": "reuse"})
            for tokens in (self.access_tokens, self.refresh_tokens):
                for text in [t for t, o in tokens.items() if o.client_id == client.client_id]:
                    del tokens[text]
        return await super().load_refresh_token(client, refresh_token)


def note(entry):
    with open(directory / "log", "a") as log:
        log.write(json.dumps(entry) + "\n")


def parameters(text):
    pairs = urllib.parse.parse_qsl(text)
    return {name: value[-6:] if name in SECRETS else value for name, value in pairs}


class Watched:
    """Logs each request, and carries out its fault."""

    def __init__(self, app, provider):
        self.app, self.provider = app, provider

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        body = b""
        more = True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
        path = scope["path"]
        is_form = headers.get("content-type", "").startswith("application/x-www-form")
        entry = {
            "method": scope["method"], "path": path,
            "query": parameters(scope["query_string"].decode()),
            "form": parameters(body.decode()) if is_form else {},
            "token": headers.get("authorization", "")[-6:],
        }
        status, fields, answer = await self.answered(scope, headers, body, entry)
        note(entry | {"status": status})
        fields = [(n, v) for n, v in fields if n.lower() != b"content-length"]
        fields.append((b"content-length", str(len(answer)).encode()))
        await send({"type": "http.response.start", "status": status, "headers": fields})
        await send({"type": "http.response.body", "body": answer})

    async def answered(self, scope, headers, body, entry):
        fault = json.loads(read("faults") or "{}").get(entry["path"], {})
        if "status" in fault:
            text = fault.get("body", "x" * fault.get("size", 0))
            fields = [(n.encode(), v.encode()) for n, v in fault.get("headers", {}).items()]
            return fault["status"], fields, text.encode()
        kind = [(b"content-type", b"application/json")]
        if entry["path"] == "/token" and entry["form"].get("resource") != RESOURCE:
            return 400, kind, b'{"error": "invalid_target"}'
        missing = self.missing(headers)
        if entry["path"] == "/mcp" and missing:
            challenge = f'Bearer error="insufficient_scope", scope="{missing}"'
            return 403, [(b"www-authenticate", challenge.encode())], b""
        return self.edited(await self.original(scope, body), fault, entry["path"])

    def missing(self, headers):
        token = self.provider.access_tokens.get(headers.get("authorization", "")[len("Bearer "):])
        wanted = read("scope").split()
        return " ".join(s for s in wanted if token and s not in token.scopes)

    async def original(self, scope, body):
        sent = []

        async def receive():
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message):
            sent.append(message)

        await self.app(scope, receive, send)
        data = b"".join(m.get("body", b"") for m in sent[1:])
        return sent[0]["status"], list(sent[0]["headers"]), data

    def edited(self, answer, fault, path):
        status, fields, data = answer
        edit = dict(fault.get("edit", {}))
        if path == "/.well-known/oauth-authorization-server":
            edit.setdefault("authorization_response_iss_parameter_supported", True)
        if path.startswith("/.well-known/oauth-protected-resource"):
            edit.setdefault("scopes_supported", SCOPES)
        if edit and status in (200, 201):
            document = json.loads(data) | edit
            data = json.dumps({n: v for n, v in document.items() if v is not None}).encode()
        if path == "/authorize" and status == 302:
            fields = [
                (n, self.redirected(v, fault).encode() if n == b"location" else v) for n, v in fields
            ]
        return status, fields, data

    def redirected(self, location, fault):
        parts = urllib.parse.urlsplit(location.decode())
        query = dict(urllib.parse.parse_qsl(parts.query)) | {"iss": ORIGIN + "/"}
        query |= fault.get("query", {})
        query = {n: v for n, v in query.items() if v is not None}
        return parts._replace(query=urllib.parse.urlencode(query)).geturl()


provider = Provider()
server = FastMCP("test", auth=provider)


@server.tool
def add(a: int, b: int) -> int:
    return a + b


application = Watched(server.http_app(path="/mcp", json_response=True, stateless_http=True), provider)
print(ORIGIN.rsplit(":", 1)[1], flush=True)
os.environ.setdefault("NO_COLOR", "1")
uvicorn.Server(uvicorn.Config(application, log_level="error")).run(sockets=[listener])
