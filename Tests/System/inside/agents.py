"""Prompts of programs without a terminal, which the service has an agent show: the file by which it calls
the agents of a user, and whose agent may show whose prompt, as logind knows the sessions.

What an agent puts on a screen is tried in desk.py and Tests/IntegrationTests/AgentTests.swift. Here it is a
connection of Ada's session that calls what an agent calls."""
import contextlib
import os
import shutil
import signal
import subprocess
import time

import household
import provider
from calls import Conversation
from household import ACCOUNT, ADA, BOB, is_valid, let_the_token_age
from people import Person, is_armed, session_at_seat, touch
from scenarios import check, main, run, scenario, until
from screen import watching

FAR = Person("ada", ADA.password, "remote")
POLICY = "/etc/thumblatch/thumblatch.conf"
CALLS = "/run/thumblatch/agents"


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


@scenario
def theProofOfThePersonAtTheDeskIsTheCallers():
    agent, talk = Agent(), Conversation(ADA)
    prompt = ask(talk)
    talk.send("AskAtDesktop", prompt=prompt)
    shown = agent.begin()
    check(shown["account"] == ACCOUNT and "not of your session" not in shown["requester"], shown)
    touch(household.FINGER)
    agent.talk.expect("passed")
    check(talk.receive() == (None, {}), "the caller is not told")
    error, parameters = talk.call("AccessToken", account=ACCOUNT, prompt=prompt,
                                  minimum_lifetime=provider.LIFETIME)
    check(error is None and is_valid(parameters["access_token"]), f"no token: {error}")
    agent.close()
    talk.close()


@scenario
def anAgentIsCalledByAFileThatOnlyTheEngineWrites():
    status = os.stat(CALLS)
    check((status.st_uid, status.st_mode & 0o777) == (run_id("thumblatch"), 0o755), f"{status}")
    talk = Conversation(ADA)
    refused(talk, "NoDesktop", "no agent runs in your session")
    talk.close()
    ADA.type("touch", f"{CALLS}/{run_id('bob')}").expect("Permission denied").end(status=1)
    # The program itself comes when it is called, and leaves: there is no notification server here.
    agent = ADA.type("thumblatch", "agent")
    until(watching, "the agent does not watch")
    let_the_token_age()
    caller = subprocess.Popen(["systemd-run", "--quiet", "--wait", "--pipe", "--user", "--machine=ada@",
                               "thumblatch", "token", ACCOUNT, "--min-ttl", f"{provider.LIFETIME}s"],
                              stderr=subprocess.PIPE, text=True)
    agent.expect("no prompt was shown")
    check(os.path.exists(f"{CALLS}/{run_id('ada')}"), "nobody was called")
    shown = caller.communicate()[1]
    check(caller.returncode == 7 and "the agent of your session has ended" in shown, shown)
    for process in watching():
        os.kill(process, signal.SIGTERM)
    agent.end()


def write_rules(text):
    """Replaces the policy. The engine remembers for 100 ms that the machine has no rules for callers
    (CallerRuleStatus.swift, freshness)."""
    with open(POLICY, "w", encoding="utf-8") as file:
        file.write(text)
    written = time.monotonic()
    until(lambda: time.monotonic() - written > 0.2, "the clock does not go on")


@contextlib.contextmanager
def policy_as_before():
    """Puts the policy back at the end. Its text is the value."""
    with open(POLICY, encoding="utf-8") as file:
        before = file.read()
    try:
        yield before
    finally:
        with open(POLICY, "w", encoding="utf-8") as file:
            file.write(before)


def run_id(user):
    return int(run("id", "--user", user))


@scenario
def overTheNetworkAndWithoutASessionNothingIsShown():
    agent, far = Agent(), Conversation(FAR)
    refused(far, "NoDesktop", "remote session")
    far.close()
    def unit(name):
        return ["systemd-run", "--quiet", "--wait", "--pipe", "--collect", "--uid=ada",
                f"--unit={name}", "thumblatch", "token", ACCOUNT, "--min-ttl", f"{provider.LIFETIME}s"]
    rule = "[Caller job]\nunit = job-*.service\ndesktop = user\n"
    with policy_as_before() as before:
        for number, policy in enumerate(("[Policy]\ndesktop = user\n", rule)):
            with open(POLICY, "w", encoding="utf-8") as file:
                file.write(before)
            let_the_token_age()
            run(*unit(f"job-{number}"), status=7)
            write_rules(policy)
            caller = subprocess.Popen(unit(f"job-{number}"), stdout=subprocess.PIPE, text=True)
            shown = agent.begin()
            check("not of your session" in shown["requester"], shown)
            touch(household.FINGER)
            agent.talk.expect("passed")
            check(is_valid(caller.communicate()[0].strip()), "no token")
            agent.talk.send("NextPrompt")
        let_the_token_age()
        run(*unit("other"), status=7)
    agent.close()


@scenario
def aTerminalMultiplexerOverTheNetworkStaysRemote():
    """As tmux: a server that has left its terminal, and starts a program in the scope of the session or in
    one of the user's manager."""
    agent = Agent()
    output, ended = "/home/ada/detached", "/home/ada/detached.end"
    token = f"thumblatch token {ACCOUNT} --min-ttl {provider.LIFETIME}s"
    scope = f"env XDG_RUNTIME_DIR=/run/user/{FAR.uid} systemd-run --user --scope --quiet --collect "
    for before in ("", scope):
        let_the_token_age()
        server = (f"exec >{output} 2>&1; {before}{token} </dev/null; "
                  f"echo $? >{ended}.new; mv {ended}.new {ended}")
        # The terminal stays until the server has left it, or its end would end the server (SIGHUP).
        FAR.type("sh", "-c", f"setsid --fork sh -c '{server}' | cat").end()
        until(lambda: os.path.exists(ended), "the program did not end")
        with open(output, encoding="utf-8") as shown, open(ended, encoding="utf-8") as status:
            text, code = shown.read(), status.read().strip()
        check(code == "7" and "remote session" in text, f"{code}: {text}")
        os.unlink(ended)
    check(not agent.talk.has_reply(), "a prompt was shown")
    os.unlink(output)
    agent.close()


@scenario
def aSocketThatAUnitOfTheSystemOpensComesUnderTheRuleOfTheUnit():
    agent = Agent()
    directory = "/run/thumblatch-job"
    socket = f"{directory}/tokens"
    os.makedirs(directory)
    shutil.chown(directory, "ada", "ada")
    unit = ["systemd-run", "--quiet", "--wait", "--pipe", "--collect", "--uid=ada"]
    ask = [*unit, f"--setenv=THUMBLATCH_SOCKET={socket}", "thumblatch", "token", ACCOUNT,
           "--min-ttl", f"{provider.LIFETIME}s"]
    with policy_as_before() as before:
        write_rules(before + "\n[Caller job]\nunit = job-*.service\ndesktop = user\n")
        for name, ruled in (("other-agent", False), ("job-agent", True)):
            opener = subprocess.Popen([*unit, f"--unit={name}", "thumblatch", "agent", "--socket",
                                       socket, "--name", "tokens", "--account", ACCOUNT])
            until(lambda: os.path.exists(socket) or opener.poll() is not None, "no socket was opened")
            check(opener.poll() is None, "the agent ended")
            let_the_token_age()
            if ruled:
                caller = subprocess.Popen(ask, stdout=subprocess.PIPE, text=True)
                agent.begin()
                touch(household.FINGER)
                agent.talk.expect("passed")
                check(is_valid(caller.communicate()[0].strip()), "no token")
            else:
                run(*ask, status=7)
            run("systemctl", "stop", f"{name}.service")
            opener.wait()
            until(lambda: not os.path.exists(socket), "the socket stayed")
    os.rmdir(directory)
    agent.close()


@scenario
def aRuleHoldsForTheUnitThatTheKernelNames():
    def token(unit, *options, manager=(), status):
        return run("systemd-run", "--quiet", "--wait", "--pipe", *manager, f"--unit={unit}",
                   "thumblatch", "token", *options, status=status)

    with policy_as_before():
        write_rules("[Caller nightly]\nunit = nightly-*.service\naccounts = " + ACCOUNT +
                    "\npresence = never-ask\nreason = required\n")
        let_the_token_age()
        as_ada = ("--uid=ada",)
        token("nightly-1", ACCOUNT, manager=as_ada, status=11)
        token("nightly-2", "nobody", "--reason", "sync", manager=as_ada, status=11)
        token("nightly-3", ACCOUNT, "--reason", "sync", "--min-ttl", f"{provider.LIFETIME}s",
              manager=as_ada, status=7)
        given = token("nightly-4", ACCOUNT, "--reason", "sync", manager=as_ada, status=0)
        check(is_valid(given.strip()), "no token")
        token("daily", ACCOUNT, manager=as_ada, status=0)
        # A unit of Ada's own manager may have any name.
        token("nightly-5", ACCOUNT, manager=("--user", "--machine=ada@"), status=0)
        ADA.type("thumblatch", "rule", "test", "nightly-6.service").expect("nightly").end()


@scenario
def aLockedScreenEndsWhatIsShown():
    agent, talk = Agent(), Conversation(ADA)
    talk.send("AskAtDesktop", prompt=ask(talk))
    agent.begin()
    until(is_armed, "the reader was never armed")
    run("loginctl", "lock-session", session_at_seat(ADA))
    try:
        error, parameters = talk.receive()
        check(error == "PresenceFailed", f"{error} {parameters}")
        until(lambda: not is_armed(), "the reader stays armed")
    finally:
        run("loginctl", "unlock-session", session_at_seat(ADA))
    talk.close()


@scenario
def nobodyElseIsGivenAPrompt():
    stranger, agent, talk = Agent(BOB), Agent(), Conversation(ADA)
    talk.send("AskAtDesktop", prompt=ask(talk))
    shown = agent.prompt()
    check(not stranger.talk.has_reply(), "Bob's program was given it")
    agent.talk.send("Cancel", prompt=shown["prompt"])
    error, parameters = talk.receive()
    check(error == "PresenceFailed" and parameters["outcome"] == "cancelled", f"{error} {parameters}")
    stranger.close()
    talk.close()


def begin():
    household.begin()
    FAR.arrive()


main(begin)
