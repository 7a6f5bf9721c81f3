"""The time from the call of a program without a terminal to its notification at the desktop.

The server that gets the notification shows nothing, so that its own time does not count.
"""

import os
import select
import statistics
import subprocess
import sys
import time

from .engine import Connection, stop
from .finger import enroll, touch
from .programs import TOP

# Milliseconds.
LIMIT = 80
# Seconds before each refresh, because an account may be refreshed again only after some time.
PAUSE = 2


class Desktop:
    """The stand-ins of Tests/Measure/desktop.py."""

    def __init__(self, directory):
        os.mkdir(directory, 0o700)
        self.process = subprocess.Popen(
            ["/usr/bin/python3", os.path.join(TOP, "Tests/Measure/desktop.py"), directory],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.line()
        self.system = f"unix:path={directory}/system"
        self.environment = {"DBUS_SYSTEM_BUS_ADDRESS": self.system,
                            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={directory}/session"}

    def line(self):
        # Each line is read as soon as it is there, so that none waits behind another one.
        if not select.select([self.process.stdout], [], [], 30)[0]:
            raise TimeoutError("no notification arrived")
        return self.process.stdout.readline()

    def milliseconds_since(self, begun):
        """Until the next notification arrives."""
        return (int(self.line()) - begun) / 1e6

    def end(self):
        self.process.communicate()


def prompt_of(reply):
    return reply["parameters"]["prompt"]


def protect(engine, reader, account):
    prompt = prompt_of(engine.call("EnablePresence", account=account))
    engine.send("Check", more=True, prompt=prompt, method="fingerprint")
    touch(reader, b"right-index")
    while engine.receive().get("continues"):
        pass
    assert "error" not in engine.call("EnablePresence", account=account, prompt=prompt)
    engine.call("Lock")


def start(command, environment):
    """Starts a command without a terminal."""
    return subprocess.Popen(command, env=environment, start_new_session=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def command_times(command, environment, desktop, reader, runs, prepare):
    """The times from a command's start to its notification."""
    times = []
    for run in range(runs + 1):
        prepare()
        begun = time.monotonic_ns()
        process = start(command, environment)
        took = desktop.milliseconds_since(begun)
        touch(reader, b"right-index")
        said = process.communicate()[0]
        assert process.returncode == 0, said
        if run > 0:
            times.append(took)
    return times


def private_times(desktop, directory, environment, thumblatch, provider, reader, password, runs):
    """`thumblatch token` of a private vault, whose account is protected."""
    environment = {**environment, **desktop.environment, "THUMBLATCH_STATE_DIR": f"{directory}/private"}
    subprocess.run([thumblatch, "status"], env=environment, check=True, capture_output=True)
    engine = Connection(f"{directory}/private/engine")
    process = engine.call("GetStatus")["parameters"]["process"]
    try:
        answer = engine.call("Register", account="desk", email="desk@example.org", name="A",
                             password="backend-password-1", provider=provider)
        assert "error" not in answer, answer
        enroll(engine, reader, password)
        protect(engine, reader, "desk")
        # As long-lived as a new token, which the stored one is not any more.
        command = [thumblatch, "token", "desk", "--min-ttl", "3600s"]
        return command_times(command, environment, desktop, reader, runs, lambda: time.sleep(PAUSE))
    finally:
        engine.socket.close()
        stop(process)


class Service:
    """The service, and an agent of this user."""

    def __init__(self, desktop, directory, environment, programs):
        self.run = f"{directory}/run"
        for name in ("run", "state", "machine"):
            os.mkdir(f"{directory}/{name}", 0o700)
        self.environment = {**environment, **desktop.environment,
                            "THUMBLATCH_SOCKET": f"{self.run}/io.thumblatch.Vault"}
        self.thumblatch = os.path.join(programs, "thumblatch")
        self.agent = None
        self.manager = subprocess.Popen(
            [sys.executable, os.path.join(TOP, "Tests/IntegrationTests/Drivers/service-manager.py"), programs,
             self.run, f"{directory}/state", "root", "600", "--bus", desktop.system],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.manager.stdout.readline()  # it listens

    def start_agent(self):
        """Starts the agent again, and waits until it can be called. The agent is not connected then."""
        self.end_agent()
        self.agent = start([self.thumblatch, "agent"], self.environment)
        deadline = time.monotonic() + 10
        while not self.is_watching():
            if time.monotonic() > deadline:
                raise TimeoutError("the agent does not watch")
            time.sleep(0.002)

    def is_watching(self):
        place = f"/proc/{self.agent.pid}/fdinfo"
        for number in os.listdir(place):
            try:
                with open(f"{place}/{number}", encoding="ascii") as file:
                    if "inotify" in file.read():
                        return True
            except FileNotFoundError:
                pass  # it has just closed this one
        return False

    def end_agent(self):
        if self.agent:
            self.agent.terminate()
            self.agent.communicate()

    def end(self):
        self.end_agent()
        self.manager.communicate()


def call_times(service, engine, desktop, reader, runs):
    """AskAtDesktop, with an agent that waits for the next prompt."""
    times = []
    service.start_agent()
    for run in range(runs + 1):
        prompt = prompt_of(engine.call("TestPresence", ask=True))
        begun = time.monotonic_ns()
        engine.send("AskAtDesktop", prompt=prompt)
        took = desktop.milliseconds_since(begun)
        touch(reader, b"right-index")
        answer = engine.receive()
        assert "error" not in answer and "error" not in engine.call("TestPresence", prompt=prompt), answer
        # The first one has to call the agent.
        if run > 0:
            times.append(took)
    return times


def measure(engine, directory, programs, environment, reader, password, runs):
    """Prints the medians, and returns those that exceed the limit. `engine` has the account
    `me`."""
    print(f"desk, {runs} runs each, medians from the call to the arrival of its notification:")
    if os.geteuid() != 0:
        print("  not measured: only root can stand in for logind")
        return []
    directory = os.path.join(directory, "desk")
    os.mkdir(directory, 0o700)
    thumblatch = os.path.join(programs, "thumblatch")
    provider = engine.call("AccountProvider", account="me")["parameters"]["provider"]
    desktop = Desktop(f"{directory}/buses")
    service = None
    try:
        times = {"thumblatch token, private": private_times(
            desktop, directory, environment, thumblatch, provider, reader, password, runs)}
        service = Service(desktop, directory, environment, programs)
        theirs = Connection(service.environment["THUMBLATCH_SOCKET"])
        enroll(theirs, reader, password)
        times["AskAtDesktop, an agent waits"] = call_times(service, theirs, desktop, reader, runs)
        times["presence test, an agent is called"] = command_times(
            [thumblatch, "presence", "test"], service.environment, desktop, reader, runs, service.start_agent)
    finally:
        if service:
            service.end()
        desktop.end()
    return [line for line in (told(*each) for each in times.items()) if line]


def told(name, times):
    """Prints one line, and returns it if it exceeds the limit."""
    median = statistics.median(times)
    line = (f"{name:<34} {median:6.1f} ms (limit {LIMIT}), "
            f"{sorted(times)[int(len(times) * 0.95)]:.1f} ms (p95)")
    print("  " + line)
    return line if median > LIMIT else None
