"""One vault of Thumblatch, and the commands that work on it."""
import json
import os
import re

import processes
import traces
from tracing import TracedPrograms

# The call that shows that an answer was kept. Once pwrite64 has returned the answer is in the slot:
# a kill cannot take away data that the kernel has.
STORED = {"pwrite64"}
# Exit codes that the documents allow if a token is not available now.
LOGIN_REQUIRED, UNAVAILABLE, UNSAFE = 4, 5, 6


class Vault(TracedPrograms):
    """A state directory and everything that works on it."""

    account = "me"
    # How long a login may be uncertain before it counts as lost, in seconds.
    patience = 300
    tells_uncertain = True
    stored = STORED
    kept_codes = {0, UNAVAILABLE, LOGIN_REQUIRED}
    rejects = True

    def __init__(self, base, programs, provider, number, state=None):
        super().__init__(base, programs, state or base + "/state")
        self.provider, self.way = provider, provider.way
        self.email = "vault%d@example.org" % number
        self.tokens = {}  # by scopes: the last one that was handed out
        # For accounts that sign in repeatedly: the provider's family of their tokens.
        self.families, self.logins = {}, 0
        os.makedirs(base + "/config/thumblatch/providers.d")
        # Every second vault waits until the access token expires before it repeats a lost refresh.
        reuse = "revokes" if number % 2 else "retry"
        with open(base + "/config/thumblatch/providers.d/dev.conf", "w") as file:
            settings = provider.settings() | {"refresh_reuse": reuse}
            file.write("\n".join(["[Provider]"] + ["%s = %s" % s for s in settings.items()]) + "\n")
        self.environment = {
            "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": base,
            "XDG_CONFIG_HOME": base + "/config", "THUMBLATCH_STATE_DIR": self.state}

    # MARK: Commands

    def words(self, *more):
        return [self.base + "/bin/thumblatch", "--private", *more]

    def command(self, *words, given=None, name="command", seconds=150):
        """Runs a command: (exit status, standard output, standard error)."""
        place = "%s/out/%s" % (self.work, name)
        if given is not None:
            with open(place + ".in", "w") as file:
                file.write(given)
        process = processes.Process(
            self.words(*words), self.environment, place,
            given=place + ".in" if given is not None else None)
        return process.wait(seconds), process.text(".out").strip(), process.text(".err").strip()

    def sign_in(self):
        status, _, said = self.command(
            "login", self.account, "--provider", "dev", "--password", "--email", self.email,
            "--password-stdin", "--yes", given=self.provider.password + "\n")
        if status != 0:
            raise RuntimeError("login: exit %s: %s" % (status, said))

    def ask(self, rejected=None, account=None):
        """A token, newer than `rejected`."""
        return self.command("token", account or self.account, *(["--rejected"] if rejected else []),
                            given=rejected, name="check")

    def asker(self, index, place):
        """One of many concurrent callers. Some of them say that their token was refused."""
        scopes = self.provider.scopes[index % len(self.provider.scopes)]
        rejected = self.tokens.get(scopes) if index % 5 == 4 else None
        words = (["--scope", scopes] if scopes else []) + (["--rejected"] if rejected else [])
        if rejected:
            with open(place + ".in", "w") as file:
                file.write(rejected)
        process = processes.Process(self.words("token", self.account, *words), self.environment,
                                    place, given=place + ".in" if rejected else None)
        process.scopes = scopes
        return process

    def standing(self):
        """(state, cause), as `status` reports them."""
        status, text, _ = self.command("status", "--json")
        if status != 0:
            return None, None
        account = next(a for a in json.loads(text)["accounts"] if a["name"] == self.account)
        return account["state"], account["cause"]

    def is_lost(self, status):
        return status == LOGIN_REQUIRED

    def is_uncertain(self):
        return self.standing()[0] == "uncertain"

    def lost_rightly(self):
        """Whether the vault itself gives a lost answer as the reason, and no other reason."""
        return self.standing() == ("login-required", "answer lost")

    def is_whole(self):
        """None if the audit log and the store are intact. Otherwise the text of `audit verify` or
        `doctor`."""
        status, text, said = self.command("audit", "verify")
        return None if status == 0 else "audit verify: exit %s: %s %s" % (status, text, said)

    # MARK: The calls to kill at

    def points(self):
        """All (call, number) of an engine and of an exchange helper, seen in three refreshes."""
        # If there are ID tokens, the keys for them are read as well.
        self.prepare(engine=["-e trace=all"], exchange=["-e trace=all"] * 5)
        token = None
        for _ in range(3):
            status, token, said = self.ask(token)
            if status != 0:
                raise RuntimeError("the census: exit %s: %s" % (status, said))
        self.stop_engine()
        self.wait_for_exchanges()
        # Engine: from the state lock on. Exchange helper: from the call on, before which it knows
        # of no token.
        engine = [traces.census(text, re.compile(r"flock\("), leave_out={"newfstatat", "execve"})
                  for _, _, text in self.taken("engine")]
        exchange = [traces.census(text, re.compile(r"recvmsg\("))
                    for _, _, text in self.taken("exchange")]
        self.planless()
        return {"engine": sorted(set().union(*engine)), "exchange": sorted(set().union(*exchange))}
