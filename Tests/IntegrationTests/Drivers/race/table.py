"""The counts, and their table."""
import collections
import threading

COLUMNS = ("kills", "recovered", "uncertain", "lost, explained", "lost, unexplained")


class Table:
    """Kills and faults by way, victim and call. Safe for many threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.rows = collections.defaultdict(collections.Counter)
        self.faults = collections.defaultdict(collections.Counter)
        self.tokens = 0
        self.logins = collections.Counter()  # by whether the provider had committed them
        self.storms = collections.Counter()
        self.points = collections.defaultdict(set)
        self.losses = []  # (explained, text)
        self.wrong = []

    def add(self, way, strikes, outcome, is_fault=False):
        """Adds one storm's kills. A lost login counts for one of them: the first of `strikes`."""
        with self.lock:
            self.storms[way] += 1
            rows = self.faults if is_fault else self.rows
            for index, (victim, call, number) in enumerate(strikes):
                row = rows[way, victim, call]
                row["kills"] += 1
                row["uncertain"] += outcome.uncertain and index == 0
                lost = outcome.lost and index == 0
                row["lost, explained"] += lost and outcome.explained
                row["lost, unexplained"] += lost and not outcome.explained
                row["recovered"] += not lost
                if number:
                    self.points[way, victim].add((call, number))
            if outcome.lost and not strikes:
                # Not a kill: two processes refreshed at once, or a token was forgotten.
                self.rows[way, "nobody", "-"]["lost, unexplained"] += 1

    def note_loss(self, vault, outcome, strikes):
        kills = ", ".join(
            "%s at %s" % (victim, "a random moment" if call == "random" else call + (
                " %d" % number if number else ""))
            for victim, call, number in strikes) or "none"
        with self.lock:
            self.losses.append((outcome.explained, "%s: %s; kills: %s" % (
                vault.email, outcome.why, kills)))

    def note_wrong(self, text):
        with self.lock:
            self.wrong.append(text)

    def count_token(self):
        with self.lock:
            self.tokens += 1

    def count_login(self, is_committed):
        with self.lock:
            self.logins[is_committed] += 1

    def total(self, name):
        return sum(row[name] for row in self.rows.values())

    def lost(self):
        return (sum(row[n] for rows in (self.rows, self.faults) for row in rows.values()
                    for n in COLUMNS[3:]))

    def failed(self):
        return bool(self.wrong) or any(
            row["lost, unexplained"] for rows in (self.rows, self.faults) for row in rows.values())

    def text(self):
        """Each call, then the faults, then the totals."""
        met = ("met",) + COLUMNS[1:]
        parts = [formatted(("way", "victim", "call"), COLUMNS, self.rows),
                 formatted(("way", "victim", "fault"), met, self.faults)]
        sums = collections.defaultdict(collections.Counter)
        for rows, name in ((self.rows, "%s killed"), (self.faults, "faults of the %s")):
            for (way, victim, _), row in rows.items():
                sums[way, name % victim].update(row)
        parts.append(formatted(("way", "sum"), ("number",) + COLUMNS[1:], sums))
        return "\n".join(part for part in parts if part)


def formatted(heads, columns, rows):
    if not rows:
        return ""
    body = [heads + columns] + [
        key + tuple(str(row[name]) for name in COLUMNS) for key, row in sorted(rows.items())]
    widths = [max(len(row[i]) for row in body) for i in range(len(body[0]))]
    return "".join("  ".join(
        cell.ljust(width) if i < len(heads) else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(row, widths))).rstrip() + "\n" for row in body)


def last_line(table):
    return "kills %d, logins lost %d, uncertain %d, recovered %d" % (
        table.total("kills"), table.lost(), table.total("uncertain"), table.total("recovered"))
