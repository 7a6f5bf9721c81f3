"""One storm: many processes that want a token at once, kills among them, and the outcome."""
import re
import threading
import time

import events
import loss
import processes
import thumblatch
import traces

# A program may take this long: an orphaned exchange helper, the queue ahead of it, and its own
# time.
LIMIT = 150
# How many small storms may follow a big one, and of how many processes.
WAVES, SMALL = 4, 6


class Outcome:
    """The result of a new client after a storm."""

    def __init__(self):
        self.lost = self.explained = self.uncertain = False
        self.why = ""


class Storm:
    """`kind` names the victims: a set of client, engine, exchange. `plans` names the calls, else
    the kill is at random."""

    def __init__(self, vault, table, processes, random, length):
        self.vault, self.table, self.count = vault, table, processes
        self.random, self.length = random, length
        self.strikes, self.killed = [], {}
        self.over = events.Flag()
        self.struck_exchange = None
        self.before_check = lambda: None

    def run(self, engine=None, exchange=None, at_random=(), client_plans=(), is_fault=False):
        """Returns the strikes that hit. `engine` and `exchange` are lists of (call, number,
        options)."""
        vault = self.vault
        vault.prepare(
            engine=None if engine is None else [options for _, _, options in engine],
            exchange=None if exchange is None else [options for _, _, options in exchange])
        begun = time.time()
        clients, killers = [], []
        for victim in at_random:
            killers.append(threading.Thread(
                target=getattr(self, "kill_" + victim), args=(clients,), daemon=True))
        for killer in killers:
            killer.start()
        for index in range(self.count):
            place = "%s/out/%d" % (vault.work, index)
            plan = client_plans[index] if index < len(client_plans) else None
            clients.append(vault.asker(index, place, **({"plan": plan} if plan else {})))
        ends = [client.wait(LIMIT) for client in clients]
        self.length(time.time() - begun)
        for wave in range(WAVES if engine and not is_fault else 0):
            # An engine that starts after a kill is killed in its recovery.
            if not vault.has_plans("engine"):
                break
            more = [vault.asker(index, "%s/out/%d-%d" % (vault.work, wave, index))
                    for index in range(SMALL)]
            ends += [client.wait(LIMIT) for client in more]
            clients += more
        self.over.set()
        for killer in killers:
            killer.join()
        self.judge_clients(clients, ends, is_fault)
        if exchange is not None and not vault.wait_for_exchanges():
            self.table.note_wrong("%s: an exchange did not end in its time" % vault.email)
        vault.planless()
        self.before_check()
        if is_fault:
            # The engine that met the fault must recover by itself.
            outcome = self.check(begun, vault.kept_codes | {thumblatch.UNSAFE})
            vault.stop_engine()
        elif engine:
            vault.stop_engine()
        self.collect(engine or (), exchange or (), clients, client_plans, is_fault)
        if not is_fault:
            outcome = self.check(begun, vault.kept_codes)
        self.table.add(vault.way, self.strikes, outcome, is_fault)
        if outcome.lost:
            self.table.note_loss(vault, outcome, self.strikes)
            vault.sign_in()
        return self.strikes

    # MARK: Random moments

    def moment(self):
        return self.random.uniform(0, 1.1 * self.length.mean)

    def kill_client(self, clients):
        begun = time.monotonic()
        for moment in sorted(self.moment() for _ in range(4)):
            self.over.wait(begun + moment - time.monotonic())
            alive = [c for c in list(clients) if not c.struck]
            if self.over.is_set() or not alive:
                return
            if self.random.choice(alive).kill():
                self.strikes.append(("client", "random", 0))

    def kill_engine(self, clients):
        for _ in range(2):
            if self.over.wait(self.moment() / 2):
                return
            if self.vault.kill_engine():
                self.strikes.append(("engine", "random", 0))

    def kill_exchange(self, clients):
        seen, wait = set(), self.random.uniform(0, 0.06)
        skip = self.random.choice([0, 0, 0, 1])
        with events.Directory(self.vault.work + "/traces") as traced:
            while not self.over.is_set():
                new = self.vault.new_exchange(seen)
                if new is None:
                    traced.wait(LIMIT, self.over)
                    continue
                if skip:
                    skip -= 1
                    continue
                self.over.wait(wait)
                if self.vault.kill_exchange(new):
                    self.struck_exchange = new
                    # First, because this kill lost the login if the login is lost.
                    self.strikes.insert(0, ("exchange", "random", 0))
                    return

    # MARK: The strikes

    def collect(self, engine, exchange, clients, client_plans, is_fault):
        by_options = {options: (call, number) for call, number, options in (*engine, *exchange)}
        for kind in ("exchange", "engine"):
            for name, plan, text in self.vault.taken(kind):
                call, number = by_options.get(plan, (None, 0))
                if is_fault:
                    hit = "(INJECTED)" in text
                elif call:
                    hit = traces.was_killed_at(text, call)
                else:
                    hit = name == self.struck_exchange
                if kind == "exchange" and "+++ killed by SIGKILL" in text and hit:
                    self.killed[name] = text
                if hit and call:
                    said = plan.split("error=")[1].split(":")[0] + " " if is_fault else ""
                    strike = (kind, said + call, number)
                    self.strikes.insert(0 if kind == "exchange" else len(self.strikes), strike)
        for client, plan in zip(clients, client_plans):
            text = self.vault.client_trace(client)
            if plan and plan[0] and traces.was_killed_at(text, plan[0]):
                self.strikes.insert(0, ("client", plan[0], plan[1]))
            if client.status in (-9, 137):
                self.killed["command %d" % client.pid] = text

    def judge_clients(self, clients, ends, is_fault):
        vault = self.vault
        allowed = vault.kept_codes | ({thumblatch.UNSAFE} if is_fault else set())
        for client, status in zip(clients, ends):
            if status is None:
                self.wrong("a client hung", client)
            elif status == 0:
                self.judge_token(client.text(".out").strip(), client)
            elif not (client.struck and status == -9) and status not in allowed:
                self.wrong("a client ended with %s" % status, client)

    def judge_token(self, token, client):
        scopes = getattr(client, "scopes", None)
        entry = self.vault.provider.issue(token) if token else None
        self.table.count_token()
        if entry is None or entry["email"] != self.vault.email:
            self.wrong("a token was handed out that the provider does not know", client)
        elif scopes and set(entry["scope"].split()) != set(scopes.split()):
            self.wrong("a token for %s was handed out as one for %s" % (entry["scope"], scopes))
        else:
            self.vault.tokens[scopes] = token
        return entry

    def wrong(self, what, client=None):
        said = last_words(client.text(".err")) if client else ""
        self.table.note_wrong("%s: %s%s" % (self.vault.email, what, said and ": " + said))

    # MARK: The new client

    def check(self, begun, allowed):
        """A new client must get a token that was issued after the storm, or say why that is
        impossible."""
        vault, outcome = self.vault, Outcome()
        now = time.time()
        deadline = time.monotonic() + vault.patience
        status, said, old = None, "", None
        while time.monotonic() < deadline:
            status, token, said = vault.ask(old) if vault.rejects else vault.ask()
            if status == 0:
                entry = self.judge_token(token, None)
                if entry and entry["at"] >= now:
                    return outcome
                if entry and not vault.rejects:
                    # A newer token is available once this one has expired.
                    pause(entry["at"] + vault.lifetime - time.time())
                old = token
                continue
            if vault.is_lost(status):
                break
            outcome.uncertain = outcome.uncertain or vault.is_uncertain()
            if status not in allowed:
                self.wrong("a new client ended with %s: %s" % (status, last_words(said)))
            pause(told_wait(said))
        outcome.lost = True
        if not vault.is_lost(status):
            outcome.why = "no token within %d s: exit %s: %s" % (
                vault.patience, status, last_words(said))
        elif not vault.lost_rightly():
            outcome.why = "login required, but not for a lost answer: %s" % last_words(said)
        else:
            # The client's own retry found the loss.
            outcome.uncertain = vault.tells_uncertain
            outcome.explained, outcome.why = loss.explain(
                vault.provider, vault.email, begun, self.killed, vault.stored)
        return outcome


def pause(seconds):
    processes.stopping.wait(max(0.02, seconds))


def told_wait(text):
    """The wait that the program asks for, in seconds."""
    found = re.search(r"try again in (?:(\d+)m ?)?(?:(\d+)s)?", text)
    minutes, seconds = (int(n or 0) for n in found.groups()) if found else (0, 0)
    return min(10, minutes * 60 + seconds) or 0.25


def last_words(text):
    return " ".join(text.strip().splitlines()[-2:])[-300:]
