"""A machine without the TPM has a copy of the other machine's disk."""
import os

import provider
import sealed
from household import arrive
from scenarios import STATE, check, main, run, scenario


@scenario
def theVaultsDoNotOpenHereAndNothingIsChanged():
    arrive()
    provider.start()
    run("chown", "--recursive", "thumblatch:thumblatch", STATE)
    before = sealed.digests()
    for person in sealed.EVERYBODY:
        sealed.is_refused(person, "status")
        sealed.is_refused(person, "token", "work", "--min-ttl", f"{provider.LIFETIME}s")
    run("thumblatch", "device-secret", "test", status=6)
    run("systemctl", "stop", "thumblatchd.service")
    check(sealed.digests() == before, "a file was changed")


@scenario
def rootOpensThemWithTheCode():
    said = run("sh", "-c", f"thumblatch recover --code-stdin <{sealed.ESCROW} 2>&1")
    check("need the code again" in said, said)
    for person in sealed.EVERYBODY:
        sealed.brings_new_token(person)
    os.unlink(sealed.ESCROW)


main()
