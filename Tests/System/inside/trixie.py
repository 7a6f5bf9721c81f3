"""The package of Debian 12 in Debian 13: one login, one protected refresh, the TPM, a security key, and its
removal."""
import http.server
import json
import os
import threading

import household
import sealed
from household import ACCOUNT, ADA, is_valid, status, token
from scenarios import SOCKET, STATE, UNITS, check, main, run, scenario, show
from software_keys import Key, enroll

VAULT = "io.thumblatch.Vault"
QUIET = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}


@scenario
def thisIsAnotherDebian():
    with open("/etc/os-release", encoding="utf-8") as file:
        check("VERSION_CODENAME=trixie" in file.read(), "it is not")
    # The libraries with a 64-bit time_t (libcurl4t64 and others) provide the previous names on this
    # architecture, because nothing has changed for it.
    listed = run("dpkg-query", "--show", "--showformat=${Package}\n", "libcurl4t64", "libssl3t64")
    check(len(listed.split()) == 2, listed)


@scenario
def aLoginAProtectedRefreshAndAnIntactLog():
    check(is_valid(token()), "no token")
    check(status()["engine"]["form"] == "service", str(status()))
    household.ask_anew("--no-input").end(status=7)
    ADA.thumblatch("audit", "verify").expect("The audit log is intact").end()


def varlinkctl(*words):
    """The output of Ada's varlinkctl, without colors."""
    return ADA.type("env", "SYSTEMD_COLORS=0", "SYSTEMD_PAGER=", "varlinkctl", *words).end()


@scenario
def varlinkctlKnowsTheVaultAndGetsATokenThere():
    shown = varlinkctl("info", SOCKET)
    check("thumblatchd" in shown and VAULT in shown, shown)
    shown = varlinkctl("introspect", SOCKET, VAULT)
    check(f"interface {VAULT}" in shown and "method AccessToken" in shown, shown[-3000:])
    parameters = json.dumps({"account": ACCOUNT})
    shown = varlinkctl("--json=short", "call", SOCKET, f"{VAULT}.AccessToken", parameters)
    reply = json.loads(shown)
    check(reply["account"] == ACCOUNT and reply["access_token"] == token(), str(reply.keys()))
    refused = ADA.type("varlinkctl", "call", SOCKET, f"{VAULT}.AccessToken", '{"account":"none"}')
    shown = refused.end(status=None)
    check(f"{VAULT}.NoSuchAccount" in shown, shown)


class Forge(http.server.BaseHTTPRequestHandler):
    """A git server that accepts only Bearer tokens, and logs its requests."""

    authorizations = []

    def log_message(self, *_):
        pass

    def do_GET(self):
        given = self.headers.get("Authorization")
        self.authorizations.append(given)
        if given != f"Bearer {self.server.token}":
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Bearer realm="forge"')
            body = b""
        else:
            self.send_response(200)
            # The dumb protocol of gitprotocol-http(5): one branch.
            body = f"{'5' * 40}\trefs/heads/main\n".encode()
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@scenario
def gitTakesABearerTokenThatNoHelperStores():
    """Git knows such tokens since version 2.46. The helper calls them ephemeral."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forge) as forge:
        forge.token = token()
        threading.Thread(target=forge.serve_forever, daemon=True).start()
        origin = f"http://localhost:{forge.server_address[1]}"
        ADA.thumblatch("host", "add", origin, ACCOUNT).end()
        git = ["env", "GIT_TERMINAL_PROMPT=0", "git", "-c", "credential.helper=thumblatch",
               "-c", "credential.helper=store"]
        shown = ADA.type(*git, "ls-remote", f"{origin}/app.git").end()
        forge.shutdown()
    check("refs/heads/main" in shown, shown)
    bearer = f"Bearer {forge.token}"
    check(set(Forge.authorizations) == {None, bearer}, str(Forge.authorizations))
    check(not os.path.exists("/home/ada/.git-credentials"), "another helper has stored the token")
    ADA.thumblatch("host", "remove", origin).end()


@scenario
def theTPMOpensTheVault():
    run("sh", "-c",
        f"umask 077; exec thumblatch device-secret add tpm --recovery-to 3 3>{sealed.ESCROW}")
    sealed.stop()
    sealed.brings_new_token(ADA)
    check(sealed.status()["tier"] == "tpm", str(sealed.status()))
    with sealed.nothing_changes(), sealed.without_tpm():
        sealed.is_refused(ADA, "status")


@scenario
def aSecurityKeyIsEnrolledAndItsTouchPasses():
    key = Key(0)
    enroll(key, "blue")
    command = household.ask_anew()
    key.touch()
    check(is_valid(household.last_line(command)), "no token")
    ADA.thumblatch("lock").end()


@scenario
def doctorFindsNoProblemOfThisSystem():
    shown = ADA.thumblatch("doctor", "--json").end(status=None)
    check('"problem"' not in shown.replace('"problems"', ""), shown[-3000:])


@scenario
def itsUnitsDoNotFail():
    check(run("systemctl", "--failed", "--no-legend", "--plain") == "",
          run("systemctl", "--failed", "--plain"))


@scenario
def itIsRemovedAndThePurgeKeepsTheStores():
    run("apt-get", "remove", "--yes", "thumblatch", env=QUIET)
    for unit in [*UNITS, "thumblatchd.service"]:
        check(show(unit, "ActiveState") == "inactive", f"{unit} is still there")
    run("apt-get", "purge", "--yes", "thumblatch", env=QUIET)
    check(os.path.exists(f"{STATE}/users/{ADA.uid}/vault.db"), "a store was destroyed")
    check("thumblatch" not in run("systemctl", "list-unit-files"), "a unit is left")


# A login, an enrolled finger, protection, and a refresh by that finger.
main(household.begin)
