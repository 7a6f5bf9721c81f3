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
# Occurs in each refresh token. In two parts, because the search for it covers this file.
MARK = "sealed-" + "away-7f3ab2"


def start():
    """Starts the provider as a service if it does not run. It keeps its users over a reboot of the
    machine."""
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
    """Sends a request, and returns the JSON of the answer."""
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
    """Makes the next refresh wait until `release`. It is carried out before the wait."""
    hold("/auth/refresh")


def hold(path, **fault):
    """Makes the next request of a path wait until `release`. With a `status` it then fails with
    that status."""
    call("POST", "/_control/clear", {})
    call("POST", "/_control", {"next": [{"path": path, "hold": True, "count": 1, **fault}]})


def wait_for_refresh():
    wait_for("/auth/refresh")


def wait_for(path):
    call("POST", "/_control/wait", {"path": path, "count": 1, "timeout": 50})


def release():
    call("POST", "/_control/release", {})


def refreshes():
    """The refreshes since the log was cleared."""
    requests = call("GET", "/_control/log")["requests"]
    return [entry for entry in requests if entry["path"] == "/auth/refresh"]


def serve():
    """Runs the backend in this process, because the mark must not be in a command line either."""
    sys.argv = ["dev-backend", "--port", str(PORT), "--state", "/var/tmp/provider.json",
                "--access-lifetime", str(LIFETIME), "--marker", MARK]
    runpy.run_path("/opt/system-test/dev-backend", run_name="__main__")


if __name__ == "__main__":
    serve()
