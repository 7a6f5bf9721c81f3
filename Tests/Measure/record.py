"""Keeps the output of a measuring script in .github/BENCHMARKS.md, with command, date and
machine."""
import datetime
import io
import os
import platform
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILE = os.path.join(TOP, ".github/BENCHMARKS.md")


class Tee(io.TextIOBase):
    """Writes to two places."""

    def __init__(self, shown, kept):
        super().__init__()
        self.shown, self.kept = shown, kept

    def write(self, text):
        self.kept.write(text)
        return self.shown.write(text)

    def flush(self):
        self.shown.flush()


def machine():
    with open("/proc/meminfo", encoding="utf-8") as file:
        memory = int(re.search(r"MemTotal: +(\d+)", file.read())[1]) / 2**20
    with open("/etc/os-release", encoding="utf-8") as file:
        system = re.search(r'^PRETTY_NAME="?([^"\n]+)', file.read(), re.M)[1]
    return f"{os.cpu_count()} processors, {memory:.0f} GiB, {platform.machine()}, {system}"


def block(name, command, text):
    today = datetime.date.today().isoformat()
    return f"<!-- {name} -->\n`{command}` on {today}, {machine()}:\n\n```\n{text.rstrip()}\n```\n<!-- /{name} -->"


def recorded(script, main):
    """Runs `main`, without the argument --record. With it, a run that passes is kept."""
    if "--record" not in sys.argv:
        return main()
    sys.argv.remove("--record")
    command = " ".join([f"Scripts/{script}", *sys.argv[1:]])
    kept = io.StringIO()
    sys.stdout = Tee(sys.stdout, kept)
    status = main()
    sys.stdout = sys.stdout.shown
    with open(FILE, encoding="utf-8") as file:
        page = file.read()
    new, count = re.subn(f"<!-- {script} -->.*<!-- /{script} -->",
                         lambda _: block(script, command, kept.getvalue()), page, flags=re.S)
    if status == 0 and count == 1:
        with open(FILE, "w", encoding="utf-8") as file:
            file.write(new)
    else:
        print(f"{script}: not recorded", file=sys.stderr)
    return status
