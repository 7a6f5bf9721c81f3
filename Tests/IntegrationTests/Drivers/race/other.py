"""One vault of another tool, driven only by its commands."""
import os
import re
import shlex
import signal

import events
import processes
import traces
import tracing
from storm import pause

# The calls at which a process of another tool can be killed, from its first socket on.
WATCHED = ("getsockname", "sendto", "sendmsg", "recvfrom", "recvmsg")
MARK = re.compile(r"socket\(|connect\(")


class Vault:
    """A directory in which the tool keeps one login."""

    account = "me"
    # The time in seconds within which it must have a token again after a storm.
    patience = 60
    tells_uncertain = False
    # Another tool's exit codes are its own. What counts is whether it has a token in the end.
    kept_codes = set(range(-64, 256))
    rejects = False
    work = None

    def __init__(self, base, options, provider, number):
        self.base, self.options, self.provider = base, options, provider
        self.way, self.lifetime = provider.way, options.access_lifetime
        self.email = "vault%d@example.org" % number
        self.state, self.work, self.tokens = base + "/state", base + "/work", {}
        self.may_kill_engine = bool(options.tool_engine)
        self.stored = set(options.tool_stored.split(",")) if options.tool_stored else set()
        for name in ("state", "work/out"):
            os.makedirs("%s/%s" % (base, name))
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "HOME": self.state,
            "XDG_CONFIG_HOME": self.state + "/config", "XDG_STATE_HOME": self.state + "/state"}

    # MARK: Commands

    def known(self):
        return {"account": self.account, "email": self.email, "url": self.provider.url,
                "issuer": self.provider.issuer, "state": self.state}

    def words(self, template):
        words = [word.format(**self.known()) for word in shlex.split(template)]
        return [program_path(words[0]), *words[1:]]

    def start(self, template, place, given=None, plan=None):
        words = self.words(template)
        if plan is None and self.stored and template == self.options.tool:
            plan = "-e trace=" + ",".join(sorted(self.stored | set(WATCHED)))
        if plan is not None:
            remove(place + ".trace")
            # -D: the command stays our child, and the tracer ends with it.
            words = [traces.STRACE, "-D", "-f", "-q", "-yy", "-e", "signal=KILL",
                     "-o", place + ".trace", *plan.split(), *words]
        return processes.Process(words, self.environment, place, given=given)

    def run(self, template, name, given=None, plan=None):
        place = "%s/out/%s" % (self.work, name)
        if given is not None:
            with open(place + ".in", "w") as file:
                file.write(given)
        process = self.start(template, place, given and place + ".in", plan)
        status = process.wait(150)
        return status, process.text(".out").strip(), process.text(".err").strip()

    def sign_in(self):
        status, _, said = self.run(
            self.options.tool_login, "login", self.provider.password + "\n")
        if status != 0:
            raise RuntimeError("%s: exit %s: %s" % (self.options.tool_login, status, said))

    def ask(self):
        return self.run(self.options.tool, "check")

    def asker(self, index, place, plan=None):
        return self.start(self.options.tool, place, plan=plan[2] if plan else None)

    def client_trace(self, client):
        path = client.place + ".trace"
        if tracing.read(path) is None:
            return ""
        events.until(lambda: traces.has_finished(tracing.read(path)), self.work + "/out", 60)
        return tracing.read(path)

    def is_lost(self, status):
        """Whether the login is permanently lost because the provider has ended it."""
        history = self.provider.history(self.email)
        return status != 0 and bool(history) and history[-1]["did"] == "reuse"

    def is_uncertain(self):
        return False

    def lost_rightly(self):
        return True

    def is_whole(self):
        return None

    # MARK: Plans

    def prepare(self, engine=None, exchange=None):
        # The access token must have expired, or no refresh is needed.
        pause(self.options.access_lifetime + 0.1)

    def planless(self):
        pass

    def taken(self, kind):
        return []

    def wait_for_exchanges(self):
        return True

    def kill_engine(self):
        pattern = re.compile(self.options.tool_engine.format(**self.known()))
        return any([processes.end(handle, signal.SIGKILL)
                    for handle in processes.matching(pattern)])

    def close(self):
        if self.may_kill_engine:
            self.kill_engine()

    def points(self):
        """All (call, number) of the token command, from its first socket to its end."""
        self.prepare()
        status, _, said = self.run(self.options.tool, "census", plan="-e trace=all")
        if status != 0:
            raise RuntimeError("%s: exit %s: %s" % (self.options.tool, status, said))
        text = tracing.read(self.work + "/out/census.trace") or ""
        return {"client": traces.census(text, MARK, leave_out={"execve", "newfstatat"})}


def program_path(name):
    """The path of a program, looked up as a shell would."""
    if "/" in name:
        return os.path.abspath(name)
    for directory in os.environ.get("PATH", "").split(":"):
        if os.access(os.path.join(directory, name), os.X_OK):
            return os.path.join(directory, name)
    raise RuntimeError("%s is not in PATH" % name)


def remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
