"""Searches the memory and the files of processes for secrets.

usage: memory.py keep FILE PID            writes the current memory of the process to FILE
       memory.py look SECRETS FILE...     how often each secret occurs in each file
       memory.py scan SECRETS PID...      both at once
       memory.py prove SECRETS            checks that each form of each secret would be found
       memory.py hold SECRETS             keeps all of them in memory until its input ends
       memory.py trace PID                whether a process of this user can be traced and read

SECRETS is a file: a JSON object of names and texts. A text that begins with "hex:" stands for
bytes. A line of the answer is `SOURCE: NAME COUNT`, with the forms and places of the finds. The
exit status is 1 if a secret was found. The search reads all memory that the process can write to,
and all memory without a file behind it. The process is stopped during the read. Unreadable memory
is an error, unless the kernel made it unreadable for every process (memfd_secret(2)), or it is the
kernel's own. Without memfd_secret(2) a process holds its secrets in a region that is locked and
neither dumped nor inherited. Root can read that region, so it is left out, and its size is printed.
"""
import bisect
import ctypes
import os
import re
import signal
import subprocess
import sys
import time

from forms import load, pieces, whole_forms

CHUNK = 1 << 22
KERNELS_OWN = ("[vvar]", "[vvar_vclock]", "[vsyscall]")


class Failure(Exception):
    """The search itself did not work."""


def wait_for_state(process, wanted):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with open(f"/proc/{process}/stat", "rb") as file:
            if file.read().rpartition(b") ")[2][:1] in wanted:
                return
        time.sleep(0.001)
    raise Failure(f"{process} does not stand still")


def mappings(process):
    """First address, end, permissions, name and the kernel's flags of each mapping."""
    line = None
    with open(f"/proc/{process}/smaps", encoding="utf-8", errors="replace") as file:
        for text in file:
            words = text.split(maxsplit=5)
            if re.fullmatch("[0-9a-f]+-[0-9a-f]+", words[0]):
                begin, end = (int(part, 16) for part in words[0].split("-"))
                name = words[5].strip() if len(words) > 5 else ""
                line = (begin, end, words[1], name)
            elif words[0] == "VmFlags:":
                yield *line, set(text.split()[1:])


def held(process, region):
    """The memory of a process: address, mapping, bytes. Sizes of locked regions are added to
    `region`."""
    before = os.stat(f"/proc/{process}/exe", follow_symlinks=False).st_ino
    with open(f"/proc/{process}/stat", "rb") as file:
        is_stopped = file.read().rpartition(b") ")[2][:1] in b"Tt"
    if not is_stopped:
        os.kill(process, signal.SIGSTOP)
    try:
        wait_for_state(process, b"Tt")
        with open(f"/proc/{process}/mem", "rb", 0) as memory:
            for begin, end, access, name, flags in mappings(process):
                if "w" not in access and name.startswith("/") and not name.startswith("/secretmem"):
                    continue
                if access.startswith("-") and name == "":
                    continue  # a guard page, or pages that an allocator has not used yet
                if {"dd", "dc", "lo"} <= flags and not name.startswith("/secretmem"):
                    region.append(end - begin)
                    continue
                try:
                    memory.seek(begin)
                    at = begin
                    while at < end:
                        data = memory.read(min(CHUNK, end - at))
                        if not data:
                            raise OSError("short")
                        yield at, name or "anonymous", data
                        at += len(data)
                except (OSError, OverflowError, ValueError) as error:
                    if not name.startswith("/secretmem") and name not in KERNELS_OWN:
                        raise Failure(f"{process}: {name} cannot be read: {error}") from error
        if before != os.stat(f"/proc/{process}/exe", follow_symlinks=False).st_ino:
            raise Failure(f"{process} became another program")
    finally:
        if not is_stopped:
            os.kill(process, signal.SIGCONT)


def keep(process, path):
    """Writes the memory of a process to a file: runs of pages, each after the name of its mapping.

    Returns how many bytes lie in locked regions, which are left out."""
    page = os.sysconf("SC_PAGE_SIZE")
    empty, total, region = bytes(page), 0, []
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        for at, name, data in held(process, region):
            follows = False
            for start in range(0, len(data), page):
                part = data[start:start + page]
                if part == empty:
                    follows = False
                    continue
                if not follows and start:
                    file.write(b"\0\n")
                if not follows:
                    file.write(f"<{at + start:x} {name}>\n".encode())
                file.write(part)
                total += len(part)
                follows = True
    if total < page:
        raise Failure(f"nothing could be read of {process}")
    return sum(region)


def look(secrets, data):
    """How often each secret occurs in some bytes, in which forms, and where."""
    answer, heads = {}, None
    for name, secret in secrets.items():
        count, forms, places = 0, set(), []
        for piece, form in pieces(secret).items():
            at = data.find(piece)
            while at >= 0:
                count += 1
                forms.add(form)
                if len(places) < 4:
                    if heads is None:
                        heads = [(head.end(), head[1].decode(errors="replace"))
                                 for head in re.finditer(rb"<([0-9a-f]+ [ -~]+?)>\n", data)]
                    last = bisect.bisect(heads, at, key=lambda head: head[0]) - 1
                    begin, mapping = heads[last] if last >= 0 else (0, "")
                    places.append(f"<{mapping}>+{at - begin:#x}")
                at = data.find(piece, at + 1)
        answer[name] = (count, sorted(forms), places)
    return answer


def tell(source, found):
    """Prints the finds, and returns how many secrets were found."""
    for name, (count, forms, places) in found.items():
        more = f" ({', '.join(forms)}; {', '.join(places)})" if count else ""
        print(f"{source}: {name} {count}{more}")
    return sum(count > 0 for count, _, _ in found.values())


def read(path):
    with open(path, "rb") as file:
        return file.read()


def scan(secrets, process, scratch="/run"):
    """The secrets that a process holds now."""
    path = os.path.join(scratch, f"memory-{os.getpid()}-{process}")
    try:
        keep(process, path)
        return look(secrets, read(path))
    finally:
        if os.path.exists(path):
            os.unlink(path)


def hold(secrets):
    """Keeps each form of each secret until the input ends."""
    kept = [bytearray(form) for secret in secrets.values() for _, form in whole_forms(secret)]
    # prctl(2), PR_SET_PTRACER: any process of this user may trace it, if tracing is restricted.
    ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1 & (1 << 64) - 1), 0, 0, 0)
    print(f"holds {len(kept)}", flush=True)
    sys.stdin.read()


def holder(path):
    """A process that holds the secrets of a file."""
    process = subprocess.Popen([sys.executable, "-B", os.path.abspath(__file__), "hold", path],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    if not process.stdout.readline().startswith(b"holds"):
        raise Failure("the process that is to be searched did not start")
    return process


def prove(path):
    """Whether a search finds each piece of each form in a process that holds them."""
    secrets = load(path)
    with holder(path) as process:
        copy = f"{path}.proof"
        try:
            keep(process.pid, copy)
            data = read(copy)
        finally:
            process.stdin.close()
            if os.path.exists(copy):
                os.unlink(copy)
    missing = [f"{name} as {form}" for name, secret in secrets.items()
               for piece, form in pieces(secret).items() if piece not in data]
    for line in missing:
        print(f"not found: {line}")
    print(f"{len(secrets)} secrets, {sum(len(pieces(one)) for one in secrets.values())} pieces")
    return bool(missing)


def trace(process):
    """Prints whether this user may attach to a process (ptrace(2)), and read its memory."""
    library = ctypes.CDLL(None, use_errno=True)
    library.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    attach, detach = 16, 17
    if library.ptrace(attach, process, None, None) == 0:
        os.waitpid(process, 0x40000000)  # __WALL
        library.ptrace(detach, process, None, None)
        print("traced")
    else:
        print("not traced:", os.strerror(ctypes.get_errno()))
    for name in ("mem", "environ", "maps", "syscall"):
        try:
            with open(f"/proc/{process}/{name}", "rb", 0) as file:
                if name != "mem":
                    file.read(1)
            print(f"{name} read")
        except OSError as error:
            print(f"{name} not read: {error.strerror}")


def main(words):
    verb, *rest = words or ["help"]
    if verb == "keep" and len(rest) == 2:
        locked = keep(int(rest[1]), rest[0])
        if locked:
            print(f"left out: {locked} bytes that are locked")
    elif verb == "look" and len(rest) > 1:
        secrets = load(rest[0])
        return min(1, sum([tell(os.path.basename(path), look(secrets, read(path)))
                           for path in rest[1:]]))
    elif verb == "scan" and len(rest) > 1:
        secrets = load(rest[0])
        return min(1, sum([tell(process, scan(secrets, int(process))) for process in rest[1:]]))
    elif verb == "prove" and len(rest) == 1:
        return int(prove(rest[0]))
    elif verb == "hold" and len(rest) == 1:
        hold(load(rest[0]))
    elif verb == "trace" and len(rest) == 1:
        trace(int(rest[0]))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        print(f"memory.py: {failure}", file=sys.stderr)
        sys.exit(3)
