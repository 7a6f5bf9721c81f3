"""Storms of processes that want one account's token at once, while some of them are killed.

There are two providers: a password backend (Scripts/dev-backend), and django-oauth-toolkit with
OpenID Connect (Tests/Providers). Both rotate the refresh token with each refresh, and end the login
when a used one comes back. Each writes what it has committed into a ledger. Each vault is one login
in its own directory, and many are tried side by side. In each storm 50 processes ask for a token at
the same time (with OpenID Connect for two sets of scopes). SIGKILL ends one of these:

  client     one of them,
  engine     the process that holds the vault,
  exchange   the exchange helper, which has sent the request and waits for the answer.

The kill comes at the N-th openat, write, pwrite64, fdatasync, unlinkat, renameat, sendmsg, ... of
the process (strace(1)), or at a random moment (the rows `random`). A census finds the calls, and N
walks over all of them, with a row for each call. Up to three engines that start next are killed as
well, in their recovery. Then a new process must get a token that was made after the storm:
`recovered`. If the vault does not know the outcome of the last request it says so, waits and tries
once more: `uncertain` counts these among the others.

The ways `code` and `device` are sign-ins. Once the person has consented, the engine or its exchange
helper is killed at each call of the redemption. If the provider had committed the login, a new
process must have it. Otherwise it must have the previous state. A lost login is

  explained      if the provider's ledger shows that it had committed the next token, and the trace
                 of the killed exchange helper shows that it got that answer's connection and died
                 before the write into the slot had returned. With such a provider no program can
                 do better;
  unexplained    otherwise: the run has failed.

A kill of only clients and engines can never explain a loss. The run also fails if a process hangs
or ends with a wrong status. It fails if a process gets a token that the provider does not know, or
that is for another set of scopes. It fails if the audit log is not intact at the end. Instead of a
kill there are also faults: a write without space (ENOSPC), an fsync that fails (EIO), and a full
state directory (tmpfs). Run it as root, because other users cannot trace these programs. Without
root only engines and clients are killed, only in refreshes, and no disk is filled.

The same storms can try another tool by its commands:

  --tool 'COMMAND'        prints a valid access token, refreshed if it has expired
  --tool-login 'COMMAND'  signs in as {email}; the password is the first line of standard input
  --tool-engine REGEX     its background processes, by their command lines; killed as `engine`
  --tool-stored CALLS     the token command is the exchange itself, and has stored the answer when
                          the first of these calls has returned: its losses may be explained. Each
                          command is traced then. Without it no loss is explained.

In these, {url} is the provider, {issuer} its issuer, {account} a name for the login, {email} its
user, and {state} its directory, which is also HOME. With --provider password the tool speaks the
protocol of `Scripts/dev-backend --help`. With --provider oidc it speaks OAuth 2.0, as
`Tests/Providers/run --help` says: the client is `thumblatch`, without a secret, and the password
grant is allowed.

An example, from the top of this project's tree. Tests/IntegrationTests/Drivers/naive-refresher
keeps its login in a JSON file, as many tools do, and loses it in the first storm:

  Scripts/race --kills 40 --processes 10 \\
    --tool 'Tests/IntegrationTests/Drivers/naive-refresher token {url} {state}/login.json' \\
    --tool-login 'Tests/IntegrationTests/Drivers/naive-refresher login {url} {email} {state}/login.json'

ends with 1, and with lines such as

  lost, unexplained: vault1@example.org: nothing is known to have stored the answer; kills: client at a
  random moment, client at a random moment

With `naive-refresher --lock` in both places one process refreshes at a time, and only kills lose a
login. With `--tool-stored write` its write counts as the storing of the answer. Then the kit
explains the kills between the provider's answer and that write, and the run ends with 0. The same
tool at an OpenID provider: `--provider oidc`, and `naive-refresher --oauth` with {issuer} for
{url}.

Exit status: 0 no login was lost that could have been kept; 1 one was, or another check failed; 2
usage.
"""
import argparse
import os
import random

import traces
import tracing
from provider import SOURCES


def arguments():
    parser = argparse.ArgumentParser(
        prog="Scripts/race", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--kills", type=int, help="go on until so many kills have hit (default 1000)")
    add("--short", action="store_true", help="a sample of everything, in about a minute")
    add("--provider", choices=["password", "oidc", "both"],
        help="where the logins are (default: both; of another tool: password)")
    add("--seconds", type=float, help="begin no storm after so long")
    add("--processes", type=int, default=50, help="that ask at once in each storm (default 50)")
    add("--vaults", type=int, help="logins tried side by side (default 8; short: 4)")
    add("--access-lifetime", type=int, default=2, help="of access tokens, in seconds (default 2)")
    add("--no-exchange", action="store_true", help="kill engines and clients only")
    add("--at", metavar="CALLS", help="kill at these calls only, and never at random")
    add("--no-faults", action="store_true", help="kills only")
    add("--seed", type=int, help="of all that is random; printed, so that it can be given again")
    add("--programs", help="their directory (default: what was built last)")
    add("--directory", help="for the logins (default: a new one in TMPDIR, removed in the end)")
    add("--json", metavar="FILE", help="write all counts and what was wrong")
    add("--tool", metavar="COMMAND")
    add("--tool-login", metavar="COMMAND")
    add("--tool-engine", metavar="REGEX")
    add("--tool-stored", metavar="CALLS")
    options = parser.parse_args()
    if bool(options.tool) != bool(options.tool_login):
        parser.error("--tool and --tool-login belong together")
    options.provider = options.provider or ("password" if options.tool else "both")
    if options.tool and options.provider == "both":
        parser.error("--tool speaks to one --provider")
    if not os.access(traces.STRACE, os.X_OK):
        parser.error("%s is missing: Scripts/setup installs it" % traces.STRACE)
    if not options.tool:
        options.programs = programs(options, parser)
    # The project's programs cannot be traced by the same user, so no loss could be explained.
    options.no_exchange |= not options.tool and os.getuid() != 0
    options.kills = options.kills or (60 if options.short else 1000)
    options.vaults = options.vaults or (4 if options.short else 8)
    options.seconds = options.seconds or (25 if options.short else float("inf"))
    options.seed = random.randrange(1 << 32) if options.seed is None else options.seed
    return options


def programs(options, parser):
    """The directory of the programs: the newest build, unless the options name one."""
    places = [options.programs] if options.programs else [
        SOURCES + "/.build/thumblatch/bin", SOURCES + "/.build/release", SOURCES + "/.build/debug"]
    whole = [os.path.abspath(place) for place in places
             if all(os.path.exists(os.path.join(place, name)) for name in tracing.NAMES)]
    if not whole:
        parser.error("no programs in %s: Scripts/build makes them" % " or ".join(places))
    return max(whole, key=lambda place: os.path.getmtime(place + "/thumblatchd"))
