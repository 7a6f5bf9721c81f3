"""Storms of processes that want one account's token at once, while others of them are killed.

Two providers that rotate the refresh token with each refresh and end the login when a used one comes
back: a password backend (Scripts/dev-backend) and django-oauth-toolkit with OpenID Connect
(Tests/Providers); each writes what it has committed into a ledger. Each vault is one login in a
directory of its own; many are tried side by side. In each storm 50 processes ask for a token at the
same time (with OpenID Connect for two sets of scopes), and

  client     one of them,
  engine     the process that holds the vault,
  exchange   the process that has sent the request and waits for the answer

is killed with SIGKILL: at its N-th openat, write, pwrite64, fdatasync, unlinkat, renameat, sendmsg,
... (strace(1); a census finds which there are, and N walks over all of them; a row for each call), or
at a random moment (the rows `random`). Up to three engines that start next are killed as well, in
their recovery. Then a new process must get a token that was made after the storm: `recovered`. Where
the vault does not know what became of the last answer it says so, waits and tries once more:
`uncertain` counts these among the others. The ways `code` and `device` are sign-ins: once the person
has said yes, the engine or its exchange is killed at each call of what redeems that; a new process
must then have the login if the provider had committed it, and what was there before if not. A login
that is lost is

  explained      where the provider's ledger shows that it had committed the next token, and the trace
                 of the killed exchange shows that it got that answer's connection and died before the
                 write into the slot had returned. No program can do better with such a provider;
  unexplained    otherwise: the run has failed.

A kill of clients and engines alone can never be explained. The run fails as well where a process hangs
or ends as it should not, where a token is handed out that the provider does not know or that is for
another set of scopes, or where the trail is not whole in the end. Without a kill the same is done with
faults: a write that finds no space (ENOSPC), an fsync that fails (EIO), a state directory that is full
(tmpfs). Run it as root: others cannot look into these programs; only engines and clients are killed
then, in refreshes alone, and no disk is filled.

Another tool is tried with the same storms by its commands:

  --tool 'COMMAND'        prints a valid access token, refreshed where it has expired
  --tool-login 'COMMAND'  signs in as {email}; the password is the first line of standard input
  --tool-engine REGEX     its processes of the background, by their command lines; killed as `engine`
  --tool-stored CALLS     the token command is the exchange itself, and has kept the answer when the
                          first of these calls has returned: its losses may be explained. Each command
                          is traced then. Without it no loss is explained.

In these, {url} is the provider, {issuer} its issuer, {account} a name for the login, {email} its user,
and {state} its directory, which is also HOME. With --provider password the tool speaks the protocol
that `Scripts/dev-backend --help` tells; with --provider oidc OAuth 2.0, as `Tests/Providers/run --help`
does: the client is `thumblatch`, without a secret; the password grant is allowed.

An example, from the top of this project's tree. Tests/IntegrationTests/Drivers/naive-refresher keeps
its login in a JSON file, as many tools do, and loses it to the first storm:

  Scripts/race --kills 40 --processes 10 \\
    --tool 'Tests/IntegrationTests/Drivers/naive-refresher token {url} {state}/login.json' \\
    --tool-login 'Tests/IntegrationTests/Drivers/naive-refresher login {url} {email} {state}/login.json'

ends with 1, and with lines such as

  lost, unexplained: vault1@example.org: nothing is known to have stored the answer; kills: client at a
  random moment, client at a random moment

With `naive-refresher --lock` in both places one process refreshes at a time, and only kills lose a
login. Told that its write is what stores the answer (`--tool-stored write`), the kit explains those
that came between the provider's answer and that write, and the run ends with 0. The same tool at an
OpenID provider: `--provider oidc`, and `naive-refresher --oauth` with {issuer} for {url}.

Exit status: 0 no login was lost that need not have been; 1 one was, or another thing was wrong; 2 usage.
"""
import argparse
import os
import random

import thumblatch
import traces
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
    # Its programs show their memory to no tracer of the same user: no loss could be explained.
    options.no_exchange |= not options.tool and os.getuid() != 0
    options.kills = options.kills or (60 if options.short else 1000)
    options.vaults = options.vaults or (4 if options.short else 8)
    options.seconds = options.seconds or (25 if options.short else float("inf"))
    options.seed = random.randrange(1 << 32) if options.seed is None else options.seed
    return options


def programs(options, parser):
    """The directory of the programs: the one that was built last, unless one is named."""
    places = [options.programs] if options.programs else [
        SOURCES + "/.build/thumblatch/bin", SOURCES + "/.build/release", SOURCES + "/.build/debug"]
    whole = [os.path.abspath(place) for place in places
             if all(os.path.exists(os.path.join(place, name)) for name in thumblatch.NAMES)]
    if not whole:
        parser.error("no programs in %s: Scripts/build makes them" % " or ".join(places))
    return max(whole, key=lambda place: os.path.getmtime(place + "/thumblatchd"))
