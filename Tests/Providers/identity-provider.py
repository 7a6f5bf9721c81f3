"""A real identity provider for tests, on loopback only: one process, its state in memory.

    Tests/Providers/run [options]            django-oauth-toolkit
    Tests/Providers/run --kind mock          oidc-provider-mock
    Tests/Providers/run --kind rest-auth     dj-rest-auth, a password backend

`run` starts this program in the environment of pinned packages that Scripts/setup makes. It prints
`listening on URL` as its first line, and ends when its standard input ends. By hand, keep a
terminal there, or use `sleep infinity | Tests/Providers/run`.

django-oauth-toolkit:
  issuer            URL/o; discovery lists only authorization, token, userinfo and JWKS (RS256);
                    RFC 8414 metadata (/.well-known/oauth-authorization-server/o) revocation as well.
                    By hand: device_authorization_endpoint URL/o/device-authorization/,
                    revocation_endpoint URL/o/revoke_token/ (the token endpoint is URL/o/token/)
  client_id         thumblatch: public, PKCE required; redirects to http://127.0.0.1:ANY/callback,
                    also with [::1] and localhost; code, device code, password, refresh, revocation.
                    thumblatch-confidential with the secret `client-secret`: the same, confidential
  user              ada@example.org (or grace@example.org), password `provider-password`
  scopes            openid profile email offline_access read write; RFC 8707 `resource`
  pages             /login/ has #username, #password, #sign-in; with --consent the next one has
                    #allow and #deny. The device page takes a user code, then `action` accept, deny.
                    sign-in.py drives them without a browser
oidc-provider-mock:
  issuer URL; any client_id with any client_secret (sent by basic); any redirect. No rotation (an
  answer to a refresh has no refresh_token), no revocation, no device code. A sign-in takes only
  `sub`. A denial comes back without `state`. Userinfo answers a bad token with 400.
dj-rest-auth:
  POST URL/auth/registration/ {email, password1, password2}, /auth/login/ {email, password},
  /auth/token/refresh/ {refresh}, /auth/logout/ {refresh}; GET /auth/user/. Answers have `access`,
  `refresh` and, except for a refresh, `user` {pk, email, first_name, ...}, without a lifetime. A
  used refresh token is on a blacklist: 401 with the `code` token_not_valid. There are no users at
  the start. Sliding tokens of simplejwt, one token for all: POST /auth/sliding/ {username,
  password} and /auth/sliding/refresh/ {token} answer `token`, with the lifetime of access tokens.

Control calls are JSON objects: one a line on standard input, {"call": NAME, ...}, each answered
with one line; or over HTTP, for instance
    curl -s URL/_control/counts
    curl -s URL/_control/next -d '{"next": [{"grant": "refresh_token", "status": 503, "count": 2}]}'
The calls:
  counts            token_requests, token_answers (200), refresh_requests, rotations,
                    live_refresh_tokens, refresh_tokens, live_access_tokens
  log               requests: method, path, status, committed, headers, query, form (secrets as
                    SHA-256), grant; connections: the number of all accepted ones
  clear             forgets log and faults
  wait              {path, grant, status, count, timeout}: until that many such requests arrived
  revoke            {user}: revokes all live refresh tokens (of that user) at the provider
  age               {seconds}: ages all tokens, codes and device codes
  rotate-keys       {keep}: sign with a new key; keep false takes the old one from the JWKS at once
  set               settings of django-oauth-toolkit, such as {"ROTATE_REFRESH_TOKEN": false,
                    "OIDC_ISS_ENDPOINT": "http://127.0.0.1:1/o"}
  add-user          {email}: one more, with the same password
  register-redirects  {uris}: the clients' redirect URIs from now on (django-oauth-toolkit)
  devices           {status: authorized, denied or expired, user, user_code}: sets all device codes
                    (or that one) to this status, for that user
  offline, online   stops listening; listens again at the same port
  certificate       {certificate, key}: serves with these PEM files from now on
  elsewhere         another host on this machine: url, connections, bytes that came there
  release           lets the requests go on that `hold` stopped
  next              faults: {"next": [FAULT, ...]}, each for the next `count` (1) requests with
                    its `path` (all) and its `grant` (all):
    status          a number (with `body`, `headers`); empty, html (`code`: 400, 403), garbage, huge
                    (`size`), redirect (`location`, `code`: 307), retry-after (429, `retry_after`),
                    half, hang, reset-before, reset-after; none: the true answer
    edit            members of the true answer that are set or (null) removed
    claims, key     claims of the ID token in the true answer, changed and signed again (`exp` and
                    `iat` are seconds from now; null removes one); key: other, or none
    delay, hold     seconds before the answer; wait for `release`
    commit          whether the request is carried out at all (default: true for a true answer, half
                    and reset-after)
"""
import argparse
import ipaddress
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import control as calls  # noqa: E402
import front  # noqa: E402
from ledger import Ledger  # noqa: E402

CERTIFICATES = """
umask 077; mkdir -p "$1"; cd "$1"; [ -e leaf.pem ] && exit
key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc"
openssl req -x509 $key -keyout ca.key -out ca.pem -days 2 -subj /CN=ca \
  -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
openssl req $key -keyout leaf.key -out leaf.csr -subj /CN=provider
echo 'subjectAltName=IP:127.0.0.1,IP:::1,DNS:localhost' >leaf.ext
openssl x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -extfile leaf.ext -days 2 -out leaf.pem
openssl pkey -in leaf.key -pubout -outform der | openssl dgst -sha256 -binary | openssl base64 |
  sed s,^,sha256//, >pin
"""


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--kind", default="toolkit", choices=["toolkit", "mock", "rest-auth"])
    add("--host", default="127.0.0.1", help="127.0.0.1 or ::1; others are refused")
    add("--port", type=int, default=0, help="default: a free one")
    add("--refresh", default="rotate", choices=["fixed", "rotate", "protect", "grace", "expire"],
        help="fixed: no rotation; rotate (default); protect: reuse revokes the family; grace: a used "
             "token gives the identical pair again for 120 s; expire: it ends an hour after its "
             "access token")
    add("--access-lifetime", type=int, default=900, metavar="SECONDS")
    add("--device-interval", type=int, default=1, metavar="SECONDS")
    add("--consent", action="store_true", help="ask after the sign-in, allow or deny")
    add("--response-iss", action="store_true", help="RFC 9207: iss in the redirect, and announced")
    add("--exact-redirects", action="store_true",
        help="compare the whole redirect URI, and before the sign-in: a port that is not registered is "
             "refused")
    add("--tls", nargs=2, metavar=("CERTIFICATE", "KEY"), help="https, with these PEM files")
    add("--tls-directory", metavar="DIRECTORY",
        help="https, with a private CA made there, if it is not yet: ca.pem, leaf.pem, leaf.key, pin")
    add("--log", metavar="FILE", help="append one JSON line a request")
    add("--ledger", metavar="FILE",
        help="append one JSON line a sign-in, refresh and reuse, before it is answered")
    options = parser.parse_args()
    if options.ledger and options.kind != "toolkit":
        parser.error("--ledger: only of the toolkit")
    try:
        if not ipaddress.ip_address(options.host).is_loopback:
            raise ValueError
    except ValueError:
        parser.error("--host: only a loopback address, this is no server for a network")
    return options


def private(path, flags):
    return os.open(path, flags, 0o600)


def main():
    options = arguments()
    tls = options.tls
    if options.tls_directory:
        directory = os.path.abspath(options.tls_directory)
        subprocess.run(["/bin/sh", "-ec", CERTIFICATES, "sh", directory],
                       stderr=subprocess.DEVNULL, check=True)
        tls = [directory + "/leaf.pem", directory + "/leaf.key"]
    server = front.Server(options.host, options.port, tls)
    shown = "[%s]" % options.host if ":" in options.host else options.host
    url = "http%s://%s:%d" % ("s" if tls else "", shown, server.port)
    if options.kind == "mock":
        from mock import Provider
    elif options.kind == "rest-auth":
        from rest_auth import Provider
    else:
        from toolkit import Provider
    control = calls.Control(
        None, open(options.log, "a", opener=private) if options.log else None,
        Ledger(options.ledger, private) if options.ledger else None)
    # The provider is created on the thread that uses it, because a database in memory belongs to
    # its thread.
    control.provider = control.worker.submit(Provider, options, url).result()
    control.server, server.token_path = server, control.provider.token_path
    server.control = control
    server.start()
    print("listening on " + url, flush=True)
    calls.serve_pipe(control)


if __name__ == "__main__":
    main()
