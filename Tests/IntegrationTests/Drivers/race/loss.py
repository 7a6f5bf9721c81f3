"""Whether a lost login is one that nobody can prevent.

A provider that revokes on reuse and has committed token n+1 loses the login if whoever asked dies
before n+1 is stored. Shown by two witnesses that do not know each other: the provider's ledger and
the trace of the program that asked.
"""
import traces


def explain(provider, email, since, killed, stored):
    """(whether it is explained, why), from the traces of the exchanges that were killed.

    `stored` are the calls of which the first to return has stored the answer.
    """
    history = [e for e in provider.history(email) if e["at"] >= since]
    reuses = [e for e in history if e["did"] == "reuse"]
    if not reuses:
        return False, "the provider's ledger shows no reuse: it had committed nothing"
    reused = reuses[0]["presented"]
    rotation = next((e for e in provider.history(email)
                     if e["did"] == "refresh" and e["presented"] == reused), None)
    if rotation is None:
        return False, "the provider's ledger shows no refresh with the token that was reused"
    return explain_entry(rotation, killed, stored)


def explain_entry(rotation, killed, stored):
    """Whether the tokens that this entry of the ledger gave out can have come into the hands of none."""
    if not stored:
        return False, "nothing is known to have stored the answer"
    for name, text in killed.items():
        if rotation["port"] not in traces.local_ports(text):
            continue
        line = traces.completed(text, stored)
        if line:
            return False, "%s was killed after it had stored the answer: %s" % (name, line)
        return True, "committed at %.3f to port %d; %s was killed before it had stored it" % (
            rotation["at"], rotation["port"], name)
    return False, "no trace of a killed exchange shows port %s, which got the answer" % (
        rotation["port"])
