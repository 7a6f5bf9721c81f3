"""Each person of the machine walks over every path, socket and bus name, with no finger at the
reader. No person gets another person's token."""
import json
import os
import pwd

import provider
from household import ACCOUNT, ADA, BOB, begin, token
from scenarios import check, main, run, scenario

PLANTED = "/var/tmp/planted"


def walk(person, texts):
    there = pwd.getpwnam(person.user)
    # On standard input, because the texts must not stand in a command line that is walked over.
    said = run("setpriv", f"--reuid={there.pw_uid}", f"--regid={there.pw_gid}", "--init-groups",
               "--reset-env", "python3", "-B", "/opt/system-test/walker.py",
               text=json.dumps([person is ADA, *texts]))
    result = json.loads(said)
    check(result["files"] > 100 and result["sockets"] > 3, f"hardly walked: {result}")
    check(result["calls"] > 40 and result["names"] > 1, f"hardly walked: {result}")
    # Only Ada gets prompts, because Bob has no protected account.
    check(person is BOB or result["with_prompt"] > 20, f"hardly walked: {result}")
    return result["found"]


@scenario
def anotherUserWalksEverywhereAndFindsNoToken():
    access_token = token()
    found = walk(BOB, [provider.MARK, access_token, ADA.password])
    check(found == [], str(found))


@scenario
def theOwnerWalksEverywhereAndFindsNoRefreshToken():
    found = walk(ADA, [provider.MARK])
    check(found == [], str(found))


@scenario
def theWalkFindsWhatIsThere():
    # Otherwise the two scenarios above would prove nothing.
    with open(PLANTED, "w", encoding="utf-8") as file:
        file.write(f"...{provider.MARK}...")
    os.chmod(PLANTED, 0o644)
    found = walk(BOB, [provider.MARK])
    os.unlink(PLANTED)
    check([PLANTED in place for place in found] == [True], f"found: {found}")
    found = walk(ADA, [f'"account":"{ACCOUNT}"'])
    check(any("GetAccount" in place or "AccessToken" in place for place in found), f"found: {found}")


main(begin)
