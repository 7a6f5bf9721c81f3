"""What is counted, and how it is shown."""
import collections
import threading

COLUMNS = ("kills", "recovered", "uncertain", "lost, explained", "lost, unexplained")


class Table:
    """Kills and faults by victim and call; safe for many threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.rows = collections.defaultdict(collections.Counter)
        self.faults = collections.defaultdict(collections.Counter)
        self.ends = collections.Counter()
        self.tokens = 0
        self.storms = 0
        self.points = collections.defaultdict(set)
        self.losses = []  # (explained, text)
        self.wrong = []

    def add(self, strikes, outcome, is_fault=False):
        """One storm's kills. A login that is lost counts for one of them: the first of `strikes`."""
        with self.lock:
            rows = self.faults if is_fault else self.rows
            for index, (victim, call, number) in enumerate(strikes):
                row = rows[victim, call]
                row["kills"] += 1
                row["uncertain"] += outcome.uncertain and index == 0
                lost = outcome.lost and index == 0
                row["lost, explained"] += lost and outcome.explained
                row["lost, unexplained"] += lost and not outcome.explained
                row["recovered"] += not lost
                if number:
                    self.points[victim].add((call, number))
            if outcome.lost and not strikes:
                # No kill at all: two processes that refreshed at once, or a forgotten token.
                self.rows["nobody", "-"]["lost, unexplained"] += 1

    def note_loss(self, explained, text):
        with self.lock:
            self.losses.append((explained, text))

    def note_wrong(self, text):
        with self.lock:
            self.wrong.append(text)

    def kills(self):
        with self.lock:
            return sum(row["kills"] for row in self.rows.values())

    def total(self, name):
        return sum(row[name] for row in self.rows.values())

    def lost(self):
        return (sum(row[n] for rows in (self.rows, self.faults) for row in rows.values()
                    for n in COLUMNS[3:]))

    def failed(self):
        return bool(self.wrong) or any(
            row["lost, unexplained"] for rows in (self.rows, self.faults) for row in rows.values())

    def text(self):
        lines = []
        for title, rows in (("victim", self.rows), ("fault", self.faults)):
            if not rows:
                continue
            heads = (title, "call") + COLUMNS
            if title == "fault":
                heads = (title, "call", "met") + COLUMNS[1:]
            body = [(v, c) + tuple(str(row[n]) for n in COLUMNS)
                    for (v, c), row in sorted(rows.items())]
            widths = [max(len(r[i]) for r in [heads] + body) for i in range(len(heads))]
            for row in [heads] + body:
                lines.append("  ".join(
                    cell.ljust(width) if i < 2 else cell.rjust(width)
                    for i, (cell, width) in enumerate(zip(row, widths))).rstrip())
            lines.append("")
        return "\n".join(lines)

    def last_line(self):
        return "kills %d, logins lost %d, uncertain %d, recovered %d" % (
            self.total("kills"), self.lost(), self.total("uncertain"), self.total("recovered"))
