"""Checks of the packages that need no machine."""
import glob
import os
import re
import subprocess
import tempfile


def lintian(packages, count):
    """Debian's own checker finds no error."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    found = subprocess.run(["lintian", "--fail-on=error", *packages], env=environment,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in found.stdout.splitlines():
        if re.match("[EWX]:", line):
            print(line)
    count.tell(("failed" if found.returncode else "passed") + " lintianFindsNoError")


def hardening(packages, count):
    """Each program is hardened.

    Its symbols are bound at its start and read-only from then on. Its stack holds no code, it looks
    for no library beside itself, and it runs at a random address (ET_DYN). It holds its part of the
    library of C++ (Scripts/build). Only thumblatch-secret links the library of the TPM.

    Only the front differs, on purpose: it is static, so that it has no symbols to bind, and at a
    fixed address (ET_EXEC). Package.swift gives the cost of a relocation at each of its starts."""
    flaws = []
    with tempfile.TemporaryDirectory() as root:
        for package in packages:
            subprocess.run(["dpkg-deb", "--extract", package, root], check=True)
        programs = sorted(glob.glob(root + "/usr/libexec/thumblatch/*"))
        for path in programs:
            told = subprocess.run(["readelf", "--wide", "--file-header", "--program-headers", "--dynamic",
                                   path], env={**os.environ, "LC_ALL": "C"},
                                  stdout=subprocess.PIPE, text=True, check=True).stdout
            is_front = os.path.basename(path) == "thumblatch"
            kind = re.search(r"^ *Type: +(\w+)", told, re.MULTILINE)
            if (kind is None or kind[1] != ("EXEC" if is_front else "DYN")
                    or ("NEEDED" in told) == is_front or not (is_front or "NOW" in told)
                    or ("libtss2" in told) != (os.path.basename(path) == "thumblatch-secret")
                    or "GNU_RELRO" not in told or re.search(r"NEEDED.*\[libstdc\+\+", told)
                    or re.search("R(UN)?PATH|GNU_STACK.* RWE", told)):
                flaws.append(os.path.basename(path))
    sound = len(programs) == 7 and not flaws
    count.tell(("passed" if sound else "failed") + " everyProgramIsHardened" + " ".join(["", *flaws]))


def modes(dump):
    """The permissions of each profile, by the paths as they are written: the parser's list of its
    rules."""
    found, profile = {}, ""
    for line in dump.splitlines():
        if name := re.match(r"Name:\s+(\S+)$", line):
            profile = found.setdefault(name[1], {})
        elif rule := re.match(r"Mode:\s+(\w+):\w+\s+Name:\s+\((.+)\)$", line):
            # The first rule of a path allows it; a rule that denies it is listed after all of
            # these.
            profile.setdefault(rule[2], rule[1])
    return found


def lacks(root, allowed):
    """The paths that the programs use but their profiles do not allow. A socket is used by the
    engine, and by the helper that listens on it if that has a profile."""
    flaws = []
    units = root + "/usr/lib/systemd/system/"
    for unit in sorted(glob.glob(units + "*.socket")):
        with open(unit, encoding="utf-8") as file:
            paths = re.findall(r"^ListenStream=(/run/\S+)$", file.read(), re.MULTILINE)
        helper = os.path.basename(unit).removesuffix(".socket")
        flaws += [f"{profile}:{path}" for profile in {"thumblatchd", helper} & set(allowed)
                  for path in paths or ["none"] if "w" not in allowed[profile].get(path, "")]
    # Whether the spare helper was replaced (SpareExchangeHelper.swift).
    flaws += [f"thumblatchd:{path}" for path in ("/usr/libexec/thumblatch/",
                                                 "/usr/libexec/thumblatch/thumblatch-exchange")
              if "r" not in allowed.get("thumblatchd", {}).get(path, "")]
    # A new device secret is linked (DeviceSecretFile.swift).
    stores = allowed.get("thumblatchd", {}).get("/var/lib/thumblatch/**", "")
    return flaws + [f"/var/lib/thumblatch/**:{mode}" for mode in "rwkl" if mode not in stores]


def profiles(package, count):
    """The AppArmor profiles can be compiled, the units name them, and the sockets are in them.

    This machine does not enforce them: that needs a kernel with AppArmor. profile_trace.py compares what
    the programs use with them."""
    with tempfile.TemporaryDirectory() as root:
        subprocess.run(["dpkg-deb", "--extract", package, root], check=True)
        path = root + "/etc/apparmor.d/thumblatch"
        parse = ["apparmor_parser", "--skip-kernel-load", "--skip-cache", "--quiet"]
        done = subprocess.run([*parse, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        names = subprocess.run([*parse, "--names", path], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True).stdout
        dump = subprocess.run([*parse, "--debug", path], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout
        flaws = lacks(root, modes(dump))
        # A parser that accepts everything would prove nothing.
        with open(path, "a", encoding="utf-8") as file:
            file.write("profile broken { /etc/** rwq, }\n")
        broken = subprocess.run([*parse, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        named = set()
        for unit in glob.glob(root + "/usr/lib/systemd/system/*.service"):
            with open(unit, encoding="utf-8") as file:
                named |= set(re.findall(r"^AppArmorProfile=-(\S+)$", file.read(), re.MULTILINE))
    sound = (done.returncode == 0 and broken.returncode != 0 and named and named == set(names.split())
             and not flaws)
    count.tell(("passed" if sound else "failed") + " theAppArmorProfilesAreSoundAndNamedByTheUnits"
               + ("" if sound else f" {done.stdout!r} {names!r} {named} {flaws}"))
