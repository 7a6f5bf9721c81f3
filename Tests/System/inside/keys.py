"""Security keys in software behind the terminals that stand at /dev/hidraw0 and /dev/hidraw1. The second
one wants its PIN each time."""
import json

from asking import policy_as_before, write_rules
from household import ADA, FINGER, ask_for_finger, begin, brings_token, status
from people import Person, touch
from scenarios import check, main, no_unit_of_ours_failed, run, scenario, until
from software_keys import PIN, PINNED, Key, enroll, plug

FAR = Person("ada", ADA.password, "remote")
BOTH = "Touch the fingerprint reader or the security key to test"


BLUE, RED = Key(0), Key(1)


def test(text=BOTH):
    return ADA.thumblatch_after_a_pause(text, "presence", "test")


def passes(command, means):
    check(f"passed, by {means}" in command.end(), "by another means")


def by_finger(command):
    """A person touches the reader again if nothing happens: a check that ends just then may read a touch."""
    touch(FINGER)
    while command.first_of("passed, by ", "still waiting") != "passed, by ":
        touch(FINGER)
    check(command.end().startswith("fingerprint"), "by another means")


@scenario
def aKeyIsEnrolledByATouch():
    enroll(BLUE, "blue")
    check(status()["enrolled_keys"] == ["blue"], f"{status()}")
    check("security key is enrolled" in ADA.thumblatch("doctor").end(status=None), "doctor is silent")


@scenario
def aTouchBringsAProtectedToken():
    plug(BLUE)
    command = ask_for_finger()
    BLUE.touch()
    brings_token(command)
    ADA.thumblatch("lock").end()
    records = json.loads(ADA.thumblatch("audit", "--json").end())["records"]
    check(any(one["event"] == "presence-check" and one.get("method") == "key" for one in records),
          f"{records[-4:]}")


@scenario
def aFingerPassesTheSamePromptAndEndsTheLight():
    plug(BLUE)
    command = test()
    BLUE.wait("touch")
    by_finger(command)
    BLUE.wait("cancelled")


@scenario
def aFingerThatMissesLeavesTheKeyLit():
    plug(BLUE)
    command = test()
    BLUE.wait("touch")
    touch("left-thumb")
    command.expect("The finger did not match")
    BLUE.touch()
    passes(command, "security key")
    check("cancelled" not in BLUE.told()[BLUE.heard:], "the light went out")


@scenario
def anAnswerWithoutATouchIsRefused():
    plug(BLUE)
    BLUE.say("flags 0")
    command = test()
    BLUE.touch()
    command.expect("does not prove a touch")
    by_finger(command)


@scenario
def noKeyCountsFromAfar():
    plug(BLUE)
    FAR.arrive()
    command = FAR.thumblatch_after_a_pause("finger or security key counts from here", "presence", "test")
    command.expect("System password for").type(ADA.password)
    passes(command, "system password")
    check("touch" not in BLUE.told()[BLUE.heard:], "the key was lit")
    run("systemctl", "stop", "person-ada-remote.service")


@scenario
def anotherKeyIsNotLit():
    plug(RED)
    command = test()
    command.expect("enrolled here")
    by_finger(command)
    check("touch" not in RED.told()[RED.heard:], "the key was lit")


@scenario
def aKeyWithAPINAsksForItAfterATouch():
    enroll(RED, "red", "--with-pin")
    RED.listen()
    command = test()
    RED.touch()
    command.expect(PINNED).type(PIN)
    RED.touch()
    passes(command, "security key")


def only_a_pin_passes():
    plug(BLUE)
    command = test()
    command.expect("has no PIN")
    by_finger(command)
    plug(RED)
    command = test()
    RED.touch()
    command.expect(PINNED).type(PIN)
    RED.touch()
    passes(command, "security key")


@scenario
def theRuleDemandsMoreThanATouch():
    with policy_as_before() as before:
        write_rules(before.replace("[Policy]", "[Policy]\nkey = verify", 1))
        only_a_pin_passes()
    change = ADA.thumblatch("policy", "key", "verify")
    change.expect("System password for").type(ADA.password).end()
    only_a_pin_passes()
    change = ADA.thumblatch("policy", "key", "default")
    change.expect("System password for").type(ADA.password).end()


@scenario
def wrongPINsBlockTheKeyAndTheReaderIsLeft():
    for tries in (3, 3, 2):
        plug(RED)
        command = test()
        RED.touch()
        for _ in range(tries):
            command.expect(PINNED).type("0000")
        command.expect("must be reset" if tries == 2 else "unplug it and plug it in again")
        by_finger(command)
        RED.say("replug")


@scenario
def aKeyThatIsPulledOutLeavesTheReader():
    plug(BLUE)
    command = test()
    BLUE.wait("touch")
    BLUE.say("unplug")
    command.expect("The security key is not available")
    by_finger(command)
    no_unit_of_ours_failed()


@scenario
def theNextPromptSaysThatNoKeyIsThere():
    plug()
    command = test()
    command.expect("no security key is plugged in")
    by_finger(command)


@scenario
def aLostKeyIsRemoved():
    for name in ("blue", "red"):
        command = ADA.thumblatch("keys", "remove", name)
        command.expect("System password for").type(ADA.password).end()
    check(status()["enrolled_keys"] == [], f"{status()}")
    plug()
    by_finger(test("Touch the fingerprint reader to test"))


main(begin)
