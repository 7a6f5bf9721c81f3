"""Prompts of programs without a terminal, which an agent shows for the service: the file by which
the service calls the agents of a user, and the choice of the agent.

The display of an agent is tested in desk.py and Tests/IntegrationTests/Agent/AgentTests.swift. Here the
agent is a connection of Ada's session that makes an agent's calls."""
import os
import signal
import subprocess

import household
import provider
from asking import TOKEN, Agent, ask, refused, run_id
from calls import Conversation
from household import ACCOUNT, ADA, BOB, begin, is_valid, let_the_token_age
from people import is_armed, session_at_seat, touch
from scenarios import check, main, run, scenario, until
from screen import watching

CALLS = "/run/thumblatch/agents"


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
    # The agent program starts when it is called, and ends: there is no notification server here.
    agent = ADA.type("thumblatch", "agent")
    until(watching, "the agent does not watch")
    let_the_token_age()
    caller = subprocess.Popen(["systemd-run", "--quiet", "--wait", "--pipe", "--user", "--machine=ada@",
                               *TOKEN], stderr=subprocess.PIPE, text=True)
    agent.expect("no prompt was shown")
    check(os.path.exists(f"{CALLS}/{run_id('ada')}"), "no agent was called")
    shown = caller.communicate()[1]
    check(caller.returncode == 7 and "the agent of your session has ended" in shown, shown)
    for process in watching():
        os.kill(process, signal.SIGTERM)
    agent.end()


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


main(begin)
