"""What the installed programs open in a booted machine, compared with their AppArmor profiles.

The kernel of the test machine has no AppArmor. So strace(1) records the calls while the part
`profiles` runs, and each file that a call has used needs its permissions in the profile of its program."""
import contextlib
import glob
import os
import re
import subprocess
import tempfile

PROFILES = os.path.join(os.path.dirname(__file__), "../../Sources/Installed/etc/apparmor.d/thumblatch")
PROGRAMS = "/usr/libexec/thumblatch/"
CALLS = ("open,openat,creat,unlink,unlinkat,rename,renameat,renameat2,link,linkat,mkdir,mkdirat,rmdir,"
         "symlink,symlinkat,chmod,fchmodat,fchownat,truncate,connect,bind,socket,mmap,execve,"
         "clone,clone3,fork,vfork")
# A part that uses less proves nothing.
LEAST = {"thumblatchd": 200, "thumblatch-exchange": 100}
FAMILIES = {"thumblatchd": {"AF_UNIX"},
            "thumblatch-exchange": {"AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"}}


def pattern(rule):
    """The regular expression of a path in a profile (apparmor.d(5), Globbing)."""
    made, depth = "", 0
    for word in re.findall(r"\*\*|\[[^]]*\]|\\.|.", rule.replace("//", "/")):
        if word == "**":
            made += ".*"
        elif word == "*":
            made += "[^/]*"
        elif word == "?":
            made += "[^/]"
        elif word == "{":
            made, depth = made + "(?:", depth + 1
        elif word == "}":
            made, depth = made + ")", depth - 1
        elif word == "," and depth:
            made += "|"
        elif word[0] == "[":
            made += word
        else:
            made += re.escape(word[-1])
    return re.compile(made + r"\Z")


def rules():
    """The permissions and the paths of each profile, as the parser lists them."""
    dump = subprocess.run(["apparmor_parser", "--skip-kernel-load", "--skip-cache", "--quiet", "--debug",
                           PROFILES], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=True).stdout
    found, allowed = {}, []
    for line in dump.splitlines():
        if name := re.match(r"Name:\s+(\S+)$", line):
            allowed = found.setdefault(name[1], [])
        elif rule := re.match(r"Mode:\s+(\w+):\w*\s+Name:\s+\((.+)\)$", line):
            allowed.append((set(rule[1]), pattern(rule[2])))
    return found


def joined(place, name):
    """A path, of which `place` is the directory as strace shows it: `5</var/lib>`."""
    if name.startswith("/") or place is None:
        return name
    return place[place.index("<") + 1:-1].rstrip("/") + "/" + name


PLACE = r"((?:\d+|AT_FDCWD)<[^>]*>)"
OPEN = re.compile(rf'(?:open|openat|creat)\((?:{PLACE}, )?"([^"]*)"(?:, ([A-Z_|]+))?.*= \d+<([^>]*)>$')
MOVE = re.compile(rf'(?:rename|renameat2?)\((?:{PLACE}, )?"([^"]*)", (?:{PLACE}, )?"([^"]*)"')
LINK = re.compile(rf'(?:link|linkat)\((?:{PLACE}, )?"([^"]*)", (?:{PLACE}, )?"([^"]*)"')
CHANGE = re.compile(r"(?:unlink|unlinkat|mkdir|mkdirat|rmdir|symlinkat|chmod|fchmodat|fchownat|truncate)"
                    rf'\((?:{PLACE}, )?"([^"]*)"')
REACH = re.compile(r'(?:connect|bind)\(.*sun_path="([^"]*)"')
MAP = re.compile(r"mmap\(.*PROT_EXEC.*, \d+<([^>]*)>")


def uses(call):
    """The paths that a call has used, with the permissions that it needs."""
    if there := OPEN.match(call):
        flags, path = there[3] or "O_WRONLY", there[4]
        if "O_PATH" in flags:
            return [(path, "")]
        mode = "rw" if "O_RDWR" in flags else "w" if "O_WRONLY" in flags else "r"
        return [(path + "/" * ("O_DIRECTORY" in flags and path != "/"), mode)]
    if there := MOVE.match(call):
        return [(joined(there[1], there[2]), "rw"), (joined(there[3], there[4]), "w")]
    if there := LINK.match(call):
        return [(joined(there[3], there[4]), "l")]
    if there := CHANGE.match(call):
        return [(joined(there[1], there[2]), "w")]
    if there := REACH.match(call):
        # The sockets of the helpers, through a descriptor of their directory.
        return [(re.sub(r"^/proc/self/fd/\d+/", "/run/thumblatch/", there[1]), "w")]
    if there := MAP.match(call):
        return [(there[1], "m")]
    return []


def threads(directory):
    """The program and the calls of each thread, by its number."""
    calls = {}
    for path in glob.glob(f"{directory}/calls.*"):
        with open(path, encoding="utf-8", errors="replace") as file:
            calls[path.rpartition(".")[2]] = file.read().splitlines()
    begun = {number: maker for maker, lines in calls.items() for line in lines
             if (made := re.match(r"(?:clone3?|v?fork)\(.*= \d+ /\* (\d+) in", line))
             and (number := made[1])}
    for number, lines in calls.items():
        yield program_of(number, begun, calls), lines


def program_of(number, begun, calls):
    """The name of our program if a unit of the service has started it; otherwise an empty text.

    A thread that has executed nothing itself runs the program of the thread that made it. A person's
    own engine has no profile."""
    while number in calls:
        for line in reversed(calls[number]):
            if started := re.match(rf'execve\("{PROGRAMS}([a-z-]+)", \[(.*)\], .*= 0$', line):
                return started[1] if '"--service"' in started[2] else ""
            if line.startswith("execve(") and line.endswith(" = 0"):
                return ""
        number = begun.get(number)
    return ""


def is_allowed(path, mode, allowed):
    # Files that are in no file system of the machine are not mediated.
    if not path.startswith("/") or path.startswith(("/memfd:", "/secretmem")):
        return True
    return mode <= set().union(*(modes for modes, rule in allowed if rule.match(path)))


def flaws(directory, profiles):
    """What was used without permission, and the number of uses of each program."""
    found, counts, used = set(), {}, {}
    for name, lines in threads(directory):
        if name not in profiles:
            continue
        # What came before belongs to the service manager.
        start = max((index for index, line in enumerate(lines) if line.startswith("execve(")), default=0)
        for line in lines[start:]:
            if " = -1 " in line:
                continue
            if family := re.match(r"socket\((AF_\w+)", line):
                if family[1] not in FAMILIES[name]:
                    found.add(f"{name}: a socket of {family[1]}")
            used.setdefault(name, []).extend(uses(line))
    for name, pairs in used.items():
        counts[name] = len(pairs)
        places = {path.rstrip("/") for path, _ in pairs}
        for path, mode in pairs:
            # A name below the descriptor of a directory, which was opened before.
            below = re.match(r"/proc/self/fd/\d+(/.+)$", path)
            paths = [place + below[1] for place in places] if below else [path]
            if not any(is_allowed(path, set(mode), profiles[name]) for path in paths):
                found.add(f"{name}: {path} {mode}")
    return found, counts


@contextlib.contextmanager
def watched(machine, count):
    """Compares what the machine's programs use in this time with their profiles."""
    with tempfile.TemporaryDirectory() as directory:
        tracer = subprocess.Popen(
            ["strace", "--follow-forks", "--output-separately", "--quiet=all", "--decode-fds=path",
             # The names of the files are numbers outside the machine, as are these.
             "--pidns-translation", f"--trace={CALLS}", f"--output={directory}/calls",
             f"--attach={machine.leader}"],
            stdin=subprocess.DEVNULL)
        try:
            yield
        finally:
            tracer.terminate()
            tracer.wait()
        profiles = rules()
        found, counts = flaws(directory, profiles)
        unruled, _ = flaws(directory, {name: [] for name in profiles})
        few = {name: counts.get(name, 0) for name, least in LEAST.items() if counts.get(name, 0) < least}
        # Without rules all is refused: otherwise the comparison has looked at nothing.
        if found or few or not unruled:
            count.tell(f"failed theProfilesAllowWhatTheProgramsUse {sorted(found)} {few}")
        else:
            count.tell(f"passed theProfilesAllowWhatTheProgramsUse {counts}")
