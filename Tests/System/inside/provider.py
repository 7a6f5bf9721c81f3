"""The provider in the machine: the development backend, on its loopback."""
import json
import runpy
import select
import sys
import time
import urllib.error
import urllib.request

from scenarios import Failure, run, show

PORT = 8000
URL = f"http://127.0.0.1:{PORT}"
PASSWORD = "backend-password-1"
LIFETIME = 600  # of an access token, in seconds
# Stands in each refresh token. In two parts: this file itself is among what is searched for it.
MARK = "sealed-" + "away-7f3ab2"


def start():
    """Starts it as a service where it does not run; it keeps its users over a restart of the machine."""
    if show("provider.service", "ActiveState") == "active":
        return
    run("systemd-run", "--quiet", "--collect", "--unit=provider", "--service-type=exec", "--",
        "python3", "-B", __file__)
    deadline = time.monotonic() + 60
    while True:
        try:
            call("GET", "/_control/sessions")
            return
        except urllib.error.URLError:
            if time.monotonic() > deadline:
                raise Failure("the provider does not listen") from None
            select.select([], [], [], 0.05)


def call(method, path, body=None, token=None):
    """A request; the answer's JSON."""
    request = urllib.request.Request(URL + path, method=method)
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def hold_refresh():
    """The next refresh waits until `release`, and is carried out before that."""
    hold("/auth/refresh")


def hold(path, **fault):
    """The next request of a path waits until `release`; with a `status` it comes to nothing then."""
    call("POST", "/_control/clear", {})
    call("POST", "/_control", {"next": [{"path": path, "hold": True, "count": 1, **fault}]})


def wait_for_refresh():
    wait_for("/auth/refresh")


def wait_for(path):
    call("POST", "/_control/wait", {"path": path, "count": 1, "timeout": 50})


def release():
    call("POST", "/_control/release", {})


def refreshes():
    """Those since the log was cleared."""
    requests = call("GET", "/_control/log")["requests"]
    return [entry for entry in requests if entry["path"] == "/auth/refresh"]


def serve():
    """The backend in this process: the mark must not stand in a command line either."""
    sys.argv = ["dev-backend", "--port", str(PORT), "--state", "/var/tmp/provider.json",
                "--access-lifetime", str(LIFETIME), "--marker", MARK]
    runpy.run_path("/opt/system-test/dev-backend", run_name="__main__")


if __name__ == "__main__":
    serve()
