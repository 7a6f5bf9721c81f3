"""Shared code of the parts about agents: a connection that shows prompts, requests that need one,
and the policy that decides whose prompts are shown."""
import contextlib
import time

import provider
from calls import Conversation
from household import ACCOUNT, ADA, let_the_token_age
from scenarios import check, run, until

POLICY = "/etc/thumblatch/thumblatch.conf"
# Only a refresh can serve it.
TOKEN = ["thumblatch", "token", ACCOUNT, "--min-ttl", f"{provider.LIFETIME}s"]


class Agent:
    """A connection that waits for prompts, and shows one."""

    def __init__(self, person=ADA):
        self.talk = Conversation(person).send("NextPrompt")

    def prompt(self):
        error, parameters = self.talk.receive()
        check(error is None, f"no prompt: {error} {parameters}")
        return parameters["prompt"]

    def begin(self):
        prompt = self.prompt()
        self.talk.send("Check", more=True, prompt=prompt["prompt"], method="fingerprint")
        self.talk.expect("waiting")
        return prompt

    def close(self):
        self.talk.close()


def ask(talk):
    """A request that only a refresh can serve; its prompt."""
    let_the_token_age()
    error, parameters = talk.call("AccessToken", account=ACCOUNT, minimum_lifetime=provider.LIFETIME)
    check(error == "PresenceNeeded", f"{error} {parameters}")
    return parameters["prompt"]


def refused(talk, error, words):
    got, parameters = talk.call("AskAtDesktop", prompt=ask(talk))
    check(got == error and words in parameters["message"], f"{got} {parameters}")


def write_rules(text):
    """Replaces the policy. The engine remembers for 100 ms that the machine has no rules for callers
    (CallerRuleStatus.swift, freshness)."""
    with open(POLICY, "w", encoding="utf-8") as file:
        file.write(text)
    written = time.monotonic()
    until(lambda: time.monotonic() - written > 0.2, "the clock does not go on")


@contextlib.contextmanager
def policy_as_before():
    """Restores the policy at the end of the block. The value is its text."""
    with open(POLICY, encoding="utf-8") as file:
        before = file.read()
    try:
        yield before
    finally:
        with open(POLICY, "w", encoding="utf-8") as file:
            file.write(before)


def run_id(user):
    return int(run("id", "--user", user))
