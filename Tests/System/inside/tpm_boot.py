"""The machine with the TPM has been rebooted, with another machine id."""
import provider
import sealed
from household import ADA, arrive, ask_for_finger, brings_token
from people import touch
from scenarios import check, main, run, scenario, show


@scenario
def theMachineHasAnotherIdentity():
    with open("/opt/machine-id", encoding="ascii") as file:
        earlier = file.read().strip()
    present = run("systemd-id128", "machine-id").strip()
    check(len(earlier) == 32 and len(present) == 32, f"no machine id: {earlier!r} {present!r}")
    check(present != earlier, f"the machine id is still {present}")


@scenario
def twentyUsersOpenTheirVaultsAtOnceAfterTheBoot():
    check(show("thumblatchd.service", "ActiveState") == "inactive", "the engine runs unasked")
    provider.start()
    sealed.crowd_asks()
    check(sealed.status()["open"], str(sealed.status()))


@scenario
def protectedAccountsAreRefreshedAgain():
    provider.start()
    arrive()
    command = ask_for_finger()
    touch("right-index")
    brings_token(command)
    ADA.thumblatch("lock").end()
    for person in sealed.EVERYBODY:
        sealed.brings_new_token(person)
        said = person.thumblatch("status").end()
        check("TPM (or the recovery code)" in said.replace("\n", " "), said)
    check("opens" in run("thumblatch", "device-secret", "test"), "the slot does not open")


@scenario
def manyEnginesOpenThemOneAfterTheOther():
    for _ in range(20):
        run("systemctl", "stop", "thumblatchd.service")
        check("opens" in run("thumblatch", "device-secret", "test"), "the slot does not open")


@scenario
def noUnitHasFailed():
    check(run("systemctl", "--failed", "--no-legend", "--plain") == "",
          run("systemctl", "--failed", "--plain"))
    # A copy of the disk then has the whole store.
    run("systemctl", "stop", "thumblatchd.service")


main()
