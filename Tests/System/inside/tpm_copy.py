"""A machine with another TPM, or with none, has a copy of the other machine's disk."""
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
    def are_refused(why):
        for person in sealed.EVERYBODY:
            sealed.is_refused(person, "status", why=why)
            sealed.is_refused(person, "token", "work", "--min-ttl", f"{provider.LIFETIME}s", why=why)
        run("thumblatch", "device-secret", "test", status=6)
        run("systemctl", "stop", "thumblatchd.service")
        check(sealed.digests() == before, "a file was changed")

    are_refused("not the TPM that it was sealed with")
    with sealed.without_tpm():
        are_refused("there is none (/dev/tpmrm0)")


def recovered():
    return run("sh", "-c", f"thumblatch recover --code-stdin <{sealed.ESCROW} 2>&1")


@scenario
def rootOpensThemWithTheCode():
    with sealed.without_tpm():
        said = recovered()
        check("need the code again" in said, said)
        for person in sealed.EVERYBODY:
            sealed.brings_new_token(person)
        run("systemctl", "stop", "thumblatchd.service")


@scenario
def theCodeSealsASlotWithTheOtherTPM():
    said = recovered()
    check("opens it from now on" in said, said)
    os.unlink(sealed.ESCROW)
    run("systemctl", "stop", "thumblatchd.service")
    for person in sealed.EVERYBODY:
        sealed.brings_new_token(person)
    found = sealed.status()
    check(found["open"] and found["counter"] == "current", str(found))


main()
