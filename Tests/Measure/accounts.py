"""A read of a valid token with one account and with a thousand, in two engines that are asked in
pairs.

Each pair is in random order, and takes a random account of the thousand.
"""
import os
import random
import statistics
import subprocess
import time

ACCOUNTS = 1000
# Times the read with one account.
LIMIT = 1.3
ROUNDS = 2000


def register(engine, name, provider):
    answer = engine.call("Register", account=name, email=name + "@accounts.example", name="A",
                         password="backend-password-1", provider=provider)
    assert "error" not in answer, answer


def microseconds(engine, name):
    parameters = {"account": name} if name else {}
    begun = time.perf_counter()
    answer = engine.call("AccessToken", **parameters)
    took = time.perf_counter() - begun
    assert "error" not in answer, answer
    return took * 1e6


def run_on(processors, *processes):
    """Lets every thread of these processes and of this program run on these processors only."""
    for process in (os.getpid(), *processes):
        for thread in os.listdir(f"/proc/{process}/task"):
            os.sched_setaffinity(int(thread), processors)


def measure(connect, engine, thumblatch, environment, directory):
    """Prints the medians, and returns those that exceed the limit.

    `engine` is the connection to the engine with only the account `me`. `connect` makes another
    connection.
    """
    state = os.path.join(directory, "thousand")
    subprocess.run([thumblatch, "status"], env={**environment, "THUMBLATCH_STATE_DIR": state},
                   check=True, capture_output=True)
    other = connect(os.path.join(state, "engine"))
    processes = [each.call("GetStatus")["parameters"]["process"] for each in (engine, other)]
    processors = os.sched_getaffinity(0)
    try:
        provider = engine.call("AccountProvider", account="me")["parameters"]["provider"]
        names = [f"a{index}" for index in range(ACCOUNTS)]
        for name in names:
            register(other, name, provider)
        other.call("SetDefaultAccount", account=names[0])
        # A program that is woken on another processor answers about 40 µs later. Which processor that
        # is differs from process to process, and would be measured instead of the read.
        run_on({min(processors)}, *processes)
        print(f"accounts, {ROUNDS} paired reads of a valid token, one account and {ACCOUNTS}, medians:")
        return [line for line in (
            compare("the same account each time", engine, other, ["me"], names[:1]),
            compare("any of them", engine, other, ["me"], names),
            compare("the default account", engine, other, [None], [None])) if line]
    finally:
        run_on(processors, processes[0])
        other.socket.close()
        os.kill(processes[1], 15)


def compare(what, engine, other, name, names):
    """Prints one line, and returns it if it exceeds the limit."""
    one, many = [], []
    for index in range(-len(names), ROUNDS):
        # Each is read once before it counts.
        chosen = names[index] if index < 0 else random.choice(names)
        reads = [(one, engine, name[0]), (many, other, chosen)]
        random.shuffle(reads)
        for times, connection, account in reads:
            took = microseconds(connection, account)
            if index >= 0:
                times.append(took)
    ratio = statistics.median(many) / statistics.median(one)
    line = (f"{what}: {statistics.median(one):.0f} and {statistics.median(many):.0f} µs, "
            f"{ratio:.2f} times (limit {LIMIT})")
    print("  " + line)
    return line if ratio > LIMIT else None
