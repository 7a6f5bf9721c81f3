"""The package is installed, and its files and units are as documented."""
import grp
import os
import pwd
import re
import stat

from scenarios import STATE, UNITS, check, main, run, scenario, show

PROGRAMS = ["thumblatch", "thumblatch-cli", "thumblatchd", "thumblatch-presence",
            "thumblatch-exchange", "thumblatch-secret"]


def begin():
    run("apt-get", "install", "--yes", "/opt/thumblatch.deb",
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


@scenario
def thePackageIsInstalledWithAllThatItNeeds():
    check(run("dpkg", "--verify", "thumblatch") == "", "a file is not as it was packed")
    check(run("thumblatch", "--version").strip() != "", "no version")


@scenario
def theProgramsFindTheirLibraries():
    for name in PROGRAMS:
        # The front is static, for which ldd(1) fails.
        is_static = name == "thumblatch"
        linked = run("ldd", f"/usr/libexec/thumblatch/{name}", status=1 if is_static else 0)
        check(is_static or "=> /" in linked and "not found" not in linked, f"{name}: {linked}")


@scenario
def nobodyButRootMayChangeWhatIsInstalled():
    files = run("dpkg", "--listfiles", "thumblatch").split()
    check(len(files) > 20, "the package is nearly empty")
    for file in files:
        there = os.lstat(file)
        check((there.st_uid, there.st_gid) == (0, 0), f"{file} is not root's")
        if not stat.S_ISLNK(there.st_mode):
            check(not there.st_mode & 0o6022, f"{file} has mode {there.st_mode:o}")


@scenario
def theServicesUserHasNoShellAndNoPassword():
    user = pwd.getpwnam("thumblatch")
    check(user.pw_uid < 1000, f"uid {user.pw_uid} is a person's")
    check(user.pw_shell.endswith("nologin"), user.pw_shell)
    check(run("passwd", "--status", "thumblatch").split()[1] == "L", "its password is not locked")
    check(grp.getgrgid(user.pw_gid).gr_mem == [], "its group has members")


@scenario
def theSocketsListenAndNothingRunsYet():
    for unit in UNITS:
        check(show(unit, "ActiveState") == "active", f"{unit} is not active")
        check(show(unit, "UnitFileState") == "enabled", f"{unit} is not enabled")
    check(show("thumblatchd.service", "ActiveState") == "inactive", "the engine runs unasked")


@scenario
def theSocketsBelongToThoseWhoMayConnect():
    engine = pwd.getpwnam("thumblatch").pw_uid
    directory = os.lstat("/run/thumblatch")
    check((directory.st_uid, directory.st_gid, stat.S_IMODE(directory.st_mode)) == (0, 0, 0o755),
          "/run/thumblatch is not root's 0755")
    wanted = {"io.thumblatch.Vault": (0, 0o666), "presence": (engine, 0o600),
              "exchange": (engine, 0o600), "secret": (engine, 0o600)}
    check(set(os.listdir("/run/thumblatch")) == {*wanted, "agents"}, str(os.listdir("/run/thumblatch")))
    agents = os.lstat("/run/thumblatch/agents")
    check((agents.st_uid, agents.st_mode) == (engine, stat.S_IFDIR | 0o755), f"agents: {agents}")
    for name, (owner, mode) in wanted.items():
        there = os.lstat(f"/run/thumblatch/{name}")
        check(stat.S_ISSOCK(there.st_mode), f"{name} is no socket")
        check((there.st_uid, stat.S_IMODE(there.st_mode)) == (owner, mode),
              f"{name}: uid {there.st_uid}, mode {there.st_mode:o}")
    with open("/proc/net/unix", encoding="utf-8") as table:
        check(not re.search(r"@\S*thumblatch", table.read()), "there is an abstract socket")


@scenario
def theUnitsAreAsExposedAsPromised():
    for unit, limit in (("thumblatchd.service", 1.0), ("thumblatch-presence@x.service", 1.5),
                        ("thumblatch-exchange@x.service", 1.5),
                        ("thumblatch-secret@x.service", 1.5)):
        report = run("systemd-analyze", "security", "--no-pager", unit)
        found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", report)
        check(found and float(found[1]) <= limit, f"{unit}: {found and found[1]}")


@scenario
def theUnitsAreWithoutFault():
    said = run("systemd-analyze", "verify", "--man=no", *UNITS, "thumblatchd.service",
               "thumblatch-presence@x.service", "thumblatch-exchange@x.service",
               "thumblatch-secret@x.service")
    check(said == "", said)


@scenario
def theManualAndTheCompletionsKnowEveryVerb():
    words = {tuple(word for word in line.split() if re.fullmatch(r"[a-z-]+", word))[:2]
             for line in re.findall(r"^  ([a-z].*?)  ", run("thumblatch", "--help"), re.M)}
    # The words of another program's command.
    words = {tuple(word for word in verb if word != "--") for verb in words}
    check(len(words) > 25, f"the help names {len(words)} verbs")
    with open("/opt/system-test/thumblatch.1", encoding="utf-8") as page:
        manual = re.sub(r"\\f[BIR]", "", page.read()).replace("\\-", "-")
    for words_of_verb in words:
        verb = " ".join(words_of_verb)
        check(verb in manual, f"thumblatch(1) does not tell of {verb}")
    for place in ("bash-completion/completions/thumblatch", "zsh/vendor-completions/_thumblatch",
                  "fish/vendor_completions.d/thumblatch.fish"):
        with open(f"/usr/share/{place}", encoding="utf-8") as file:
            text = file.read()
        for words_of_verb in words:
            for word in words_of_verb:
                check(re.search(rf"\b{word}\b", text), f"{place} does not know {word}")


@scenario
def theStoreIsNobodyElses():
    check(not os.path.exists(STATE) or os.stat(STATE).st_mode & 0o077 == 0, "others may look in")


main(begin)
