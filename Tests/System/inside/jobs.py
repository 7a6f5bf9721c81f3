"""Prompts of programs that belong to no session at the desk: units, containers, jobs, and programs that came
over the network. The rules for units, as systemd and the kernel name them.

The agent here is a connection of Ada's session that makes an agent's calls."""
import os
import shutil
import subprocess

import household
from asking import POLICY, TOKEN, Agent, policy_as_before, refused, write_rules
from calls import Conversation
from household import ACCOUNT, ADA, is_valid, let_the_token_age
from people import Person, touch
from scenarios import check, main, run, scenario, until

FAR = Person("ada", ADA.password, "remote")
# As a container manager starts a program of another user, without a user namespace.
BOX = ("unshare", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--fork", "--mount-proc",
       "setpriv", "--reuid=ada", "--regid=ada", "--init-groups")


@scenario
def overTheNetworkAndWithoutASessionNothingIsShown():
    agent, far = Agent(), Conversation(FAR)
    refused(far, "NoDesktop", "remote session")
    far.close()
    rule = "[Caller job]\nunit = job-*.service\ndesktop = user\n"
    everyone = "[Policy]\ndesktop = user\n"
    with policy_as_before() as before:
        for number, (policy, inside) in enumerate(((everyone, ()), (rule, ()), (everyone, BOX))):
            with open(POLICY, "w", encoding="utf-8") as file:
                file.write(before)
            let_the_token_age()
            run(*unit(f"job-{number}", *inside), status=7)
            write_rules(policy)
            caller = subprocess.Popen(unit(f"job-{number}", *inside), stdout=subprocess.PIPE, text=True)
            shown = agent.begin()
            check("not of your session" in shown["requester"], shown)
            touch(household.FINGER)
            agent.talk.expect("passed")
            check(is_valid(caller.communicate()[0].strip()), "no token")
            agent.talk.send("NextPrompt")
        let_the_token_age()
        write_rules(rule)
        run(*unit("other"), status=7)
    agent.close()


def unit(name, *inside):
    """A command that runs as Ada in a unit of the system, or inside a container that root makes there."""
    user = [] if inside else ["--uid=ada"]
    return ["systemd-run", "--quiet", "--wait", "--pipe", "--collect", *user, f"--unit={name}",
            *inside, *TOKEN]


@scenario
def aJobOfCronIsShownIfTheRuleAllowsUsersWithoutASession():
    agent = Agent()
    output, ended = "/home/ada/job", "/home/ada/job.end"
    job = f"@reboot {' '.join(TOKEN)} >{output} 2>&1; echo $? >{ended}.new; mv {ended}.new {ended}\n"
    run("crontab", "-u", "ada", "-", text=job)

    def start():
        # cron(8) runs such jobs when it starts, once for each boot.
        os.unlink("/run/crond.reboot")
        run("systemctl", "restart", "cron.service")

    def result():
        until(lambda: os.path.exists(ended), "the job did not end")
        with open(output, encoding="utf-8") as shown, open(ended, encoding="utf-8") as status:
            found = shown.read(), status.read().strip()
        os.unlink(ended)
        return found

    with policy_as_before():
        let_the_token_age()
        start()
        text, code = result()
        check(code == "7" and "no session" in text, f"{code}: {text}")
        check(not agent.talk.has_reply(), "a prompt was shown")
        write_rules("[Policy]\ndesktop = user\n")
        start()
        shown = agent.begin()
        check("not of your session" in shown["requester"], shown)
        touch(household.FINGER)
        agent.talk.expect("passed")
        text, code = result()
        check(code == "0" and is_valid(text.splitlines()[-1]), f"exit {code}, no token")
    run("crontab", "-u", "ada", "-r")
    os.unlink(output)
    agent.close()


@scenario
def aTerminalMultiplexerOverTheNetworkStaysRemote():
    """Like tmux: a server that has left its terminal, and starts a program in the scope of the
    session or in one of the user's manager."""
    agent = Agent()
    output, ended = "/home/ada/detached", "/home/ada/detached.end"
    token = " ".join(TOKEN)
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
    ask = [*unit, f"--setenv=THUMBLATCH_SOCKET={socket}", *TOKEN]
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
        return run("systemd-run", "--quiet", "--wait", "--collect", "--pipe", *manager, f"--unit={unit}",
                   "thumblatch", "token", *options, status=status)

    with policy_as_before():
        nightly = ("[Caller nightly]\nunit = nightly-*.service\naccounts = " + ACCOUNT +
                   "\npresence = never-ask\nreason = required\n")
        write_rules(nightly)
        let_the_token_age()
        as_ada = ("--uid=ada",)
        token("nightly-1", ACCOUNT, manager=as_ada, status=11)
        token("nightly-2", "nobody", "--reason", "sync", manager=as_ada, status=11)
        token("nightly-3", *TOKEN[2:], "--reason", "sync", manager=as_ada, status=7)
        given = token("nightly-4", ACCOUNT, "--reason", "sync", manager=as_ada, status=0)
        check(is_valid(given.strip()), "no token")
        token("daily", ACCOUNT, manager=as_ada, status=0)
        # systemd puts `_` before the names of these control groups.
        for unit in ("memory", "_own"):
            write_rules(f"[Caller escaped]\nunit = {unit}.service\nreason = required\n")
            token(unit, ACCOUNT, manager=as_ada, status=11)
        write_rules("[Caller other]\nunit = _memory.service\nreason = required\n")
        token("memory", ACCOUNT, manager=as_ada, status=0)
        write_rules(nightly)
        # A unit of Ada's own manager may have any name.
        token("nightly-5", ACCOUNT, manager=("--user", "--machine=ada@"), status=0)
        ADA.type("thumblatch", "rule", "test", "nightly-6.service").expect("nightly").end()


@scenario
def aJobEscapesItsRuleThroughItsUsersServiceManager():
    """Unless its unit hides the sockets of that manager, as thumblatch.conf(5) says."""
    token = f"thumblatch token {ACCOUNT}"
    outside = (f"XDG_RUNTIME_DIR=/run/user/{ADA.uid} systemd-run --user --quiet --wait --pipe --collect "
               + token)

    def job(command, *properties, status):
        return run("systemd-run", "--quiet", "--wait", "--pipe", "--collect", "--uid=ada", *properties,
                   "--unit=nightly", "sh", "-c", command, status=status)

    with policy_as_before():
        write_rules("[Caller nightly]\nunit = nightly.service\nreason = required\n")
        job(token, status=11)
        check(is_valid(job(outside, status=0).strip()), "no token")
        job(outside, "--property=InaccessiblePaths=-/run/user", status=1)


def begin():
    household.begin()
    FAR.arrive()


main(begin)
