"""Whether a lost login could not have been prevented.

The provider revokes on reuse. If it has committed token n+1 and the client dies before n+1 is
stored, the login is lost. Two independent witnesses show it: the provider's ledger and the trace of
the program that sent the request.
"""
import traces


def explain(provider, email, since, killed, stored):
    """Returns (whether the loss is explained, why), from the traces of the killed exchange helpers.

    The first of the calls in `stored` that returns has stored the answer.
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
    """Whether no process can have received the tokens of this entry in the ledger."""
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
