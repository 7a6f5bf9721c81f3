"""The programs of one vault, placed so that engine and exchange helper can be traced and killed by
plan."""
import os
import re
import shutil
import signal
import time

import events
import processes
import traces

ENGINE_WRAPPER = """#!/bin/sh
# Starts the engine, under the next planned kill while there are plans.
printf '%s\\n' $$ >>{work}/engines
[ -d {work}/engine-plans ] || exec {program} "$@"
# One at a time, so that no plan is given to an engine that finds another plan first.
exec 9>>{work}/engine-lock
flock -n 9 || exit 0
for plan in {work}/engine-plans/*; do
  [ -e "$plan" ] || break
  mv "$plan" {work}/taken/engine.$$
  # -b execve: the exchange, which is started by the engine, is not traced along with it.
  exec {strace} -D -f -b execve -q -e signal=KILL -o {work}/traces/engine.$$ \\
    $(cat {work}/taken/engine.$$) {program} "$@"
done
exec {program} "$@"
"""

EXCHANGE_WRAPPER = """#!/bin/sh
# Starts the exchange, traced and under the next planned kill while there are plans.
printf '%s\\n' $$ >>{work}/exchanges
[ -d {work}/exchange-plans ] || exec {program}
for plan in {work}/exchange-plans/*; do
  [ -e "$plan" ] || break
  mv "$plan" {work}/taken/exchange.$$ 2>/dev/null || continue
  exec {strace} -D -f -q -e signal=KILL -o {work}/traces/exchange.$$ \\
    $(cat {work}/taken/exchange.$$) {program}
done
exec {strace} -D -f -q -e signal=KILL -e trace={watched} -o {work}/traces/exchange.$$ {program}
"""

WATCHED = ("getsockname", "sendto", "recvfrom", "pwrite64", "fdatasync")
NAMES = {"thumblatch": "bin", "thumblatch-cli": "bin", "thumblatchd": "engine",
         "thumblatch-exchange": "exchange"}


class TracedPrograms:
    """The directories, the wrappers, the plans and the processes of one vault."""

    def __init__(self, base, programs, state):
        self.base, self.state, self.work = base, state, base + "/work"
        # The exchange helpers that were ended while they waited for a request.
        self.dropped = set()
        for name in ("bin", "engine", "exchange", "state"):
            os.mkdir(base + "/" + name, 0o700)
        for name in ("taken", "traces", "out"):
            os.makedirs(self.work + "/" + name)
        for name, place in NAMES.items():
            copy(os.path.join(programs, name), os.path.join(base, place, name))
        self.engine = base + "/engine/thumblatchd"
        self.exchange = base + "/exchange/thumblatch-exchange"
        script(base + "/bin/thumblatchd", ENGINE_WRAPPER.format(
            work=self.work, program=self.engine, strace=traces.STRACE))
        script(base + "/engine/thumblatch-exchange", EXCHANGE_WRAPPER.format(
            work=self.work, program=self.exchange, strace=traces.STRACE,
            watched=",".join(WATCHED)))

    # MARK: Plans

    def prepare(self, engine=None, exchange=None):
        """Plans for the coming storm: options of strace for each engine and exchange helper that
        starts.

        None: they start untraced. An empty list traces exchange helpers without a kill.
        """
        if engine is not None:
            self.stop_engine()
        for name in ("taken", "traces"):
            for old in os.listdir("%s/%s" % (self.work, name)):
                os.unlink("%s/%s/%s" % (self.work, name, old))
        self.dropped.clear()
        self.plan("engine", engine)
        self.plan("exchange", exchange)

    def plan(self, name, plans):
        directory = "%s/%s-plans" % (self.work, name)
        shutil.rmtree(directory, ignore_errors=True)
        if name == "exchange":
            self.drop_spare()
        if plans is None:
            return
        os.mkdir(directory + ".new")
        for index, plan in enumerate(plans):
            with open("%s.new/%02d" % (directory, index), "w") as file:
                file.write(plan)
        os.rename(directory + ".new", directory)

    def planless(self):
        """Programs that start from now on run without a plan."""
        for name in ("engine", "exchange"):
            shutil.rmtree("%s/%s-plans" % (self.work, name), ignore_errors=True)
        self.drop_spare()

    def has_plans(self, kind):
        return bool(os.listdir("%s/%s-plans" % (self.work, kind)))

    def taken(self, kind):
        """(name, plan, trace) of each program that was started under a plan or traced."""
        found = []
        for name in sorted(os.listdir(self.work + "/traces")):
            if not name.startswith(kind) or name in self.dropped:
                continue
            plan = read("%s/taken/%s" % (self.work, name))
            found.append((name, plan, read("%s/traces/%s" % (self.work, name)) or ""))
        return found

    def wait_for_exchanges(self, seconds=120):
        """Waits until every traced exchange helper has ended, except the spare that an engine
        keeps.

        An exchange helper may outlive its engine.
        """
        deadline = time.monotonic() + seconds
        with events.Directory(self.work + "/traces") as traced:
            while True:
                waited = [handle for name, _, text in self.taken("exchange")
                          if not traces.has_finished(text) for handle in self.awaited(name)]
                try:
                    left = deadline - time.monotonic()
                    if not waited or left <= 0:
                        return not waited
                    # Checked again after a second, because a stopped process causes no event.
                    events.ready([traced.handle, *waited], min(left, 1))
                    traced.wait(0)
                finally:
                    for handle in waited:
                        os.close(handle)

    def awaited(self, name):
        """Descriptors of the processes whose end ends this trace: the exchange helper's, or its
        tracer's."""
        number = int(name.split(".")[1])
        if self.is_spare(number):
            return []
        try:
            handle = os.pidfd_open(number)
            if not processes.has_ended(handle, 0):
                return [handle]
            os.close(handle)
        except OSError:
            pass
        return [tracer for tracer in self.tracers(name) if not processes.end_stopped(tracer)]

    def tracers(self, name):
        """Descriptors of the strace processes of an exchange helper that has ended.

        An exchange helper may be killed, with its engine or as a spare, while strace still probes
        the kernel. The process of that probe then stays stopped, with the helper's descriptors.
        """
        path = re.escape(" %s/traces/%s " % (self.work, name))
        return processes.matching(re.compile(path))

    # MARK: Processes

    def engines(self):
        """Descriptors of the running engines."""
        # The list includes engines that lost the race for the vault and have ended.
        numbers = {int(number) for number in (read(self.work + "/engines") or "").split()}
        found = [processes.open_program(number, self.engine) for number in numbers]
        return [handle for handle in found if handle is not None]

    def kill_engine(self):
        return any([processes.end(handle, signal.SIGKILL) for handle in self.engines()])

    def stop_engine(self):
        for handle in self.engines():
            processes.end(handle, signal.SIGTERM, 15)
        with open(self.work + "/engines", "w"):
            pass

    def is_spare(self, number):
        """Whether this exchange helper waits for the next request: its engine runs, and it has no
        slot."""
        try:
            with open("/proc/%d/stat" % number) as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            engine = processes.open_program(parent, self.engine)
            if engine is None:
                return False
            os.close(engine)
            place = "/proc/%d/fd/" % number
            return not any(os.readlink(place + name).startswith(self.state + "/")
                           for name in os.listdir(place))
        except OSError:
            return False

    def drop_spare(self):
        """Ends the spare exchange helper of the engine, so that the next one starts under the
        current plans."""
        for word in (read(self.work + "/exchanges") or "").split():
            try:
                handle = os.pidfd_open(int(word))
            except OSError:
                continue
            if self.is_spare(int(word)):
                self.dropped.add("exchange." + word)
                processes.end(handle, signal.SIGKILL, 20)
                for tracer in self.tracers("exchange." + word):
                    processes.end(tracer, signal.SIGKILL)
            else:
                os.close(handle)

    def new_exchange(self, seen):
        """The name of an exchange helper that has started since. `seen` are the earlier ones."""
        for name in os.listdir(self.work + "/traces"):
            if name.startswith("exchange.") and name not in seen:
                seen.add(name)
                return name
        return None

    def kill_exchange(self, name):
        handle = processes.open_program(int(name.split(".")[1]), self.exchange)
        return handle is not None and processes.end(handle, signal.SIGKILL)

    def close(self):
        for handle in self.engines():
            processes.end(handle, signal.SIGKILL)


def copy(source, target):
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def script(path, text):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o755)


def read(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return None
