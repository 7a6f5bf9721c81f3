"""A program between the installed helper and the TPM, as on the bus of the chip: it reads along, or has a
key of its own."""
import base64
import json
import os

import sealed
from scenarios import check, main, run, scenario
from sealed import all_are_refused, all_go_on, nothing_changes
from tpm_kills import relay

LOG = "/root/tpm-messages"
# TPM 2.0 Library, part 2, section 6.5.2.
START_SESSION = 0x176
# Calls the helper as the engine does: the arguments are method and parameters.
CALL = """
import json, socket, sys
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect("/run/thumblatch/secret")
    call = {"method": "io.thumblatch.Helper." + sys.argv[1], "parameters": json.load(sys.stdin)}
    connection.sendall(json.dumps(call).encode() + bytes(1))
    answer = b""
    while not answer.endswith(bytes(1)):
        answer += connection.recv(65536)
print(json.dumps(json.loads(answer.rstrip(bytes(1)))["parameters"]))
"""


def call(method, **parameters):
    said = run("setpriv", "--reuid=thumblatch", "--regid=thumblatch", "--clear-groups",
               "python3", "-c", CALL, method, text=json.dumps(parameters))
    reply = json.loads(said)
    check(reply.pop("outcome") == "done", f"{method} has failed")
    return reply


def messages():
    with open(LOG, encoding="ascii") as file:
        return [bytes.fromhex(line) for line in file]


def text(value):
    return base64.b64encode(value).decode()


@scenario
def aTapSeesNeitherTheSecretNorItsAuthorization():
    secret, authorization = os.urandom(32), os.urandom(32)
    with relay() as way:
        way.say(f"log {LOG}")
        parts = call("SealSecret", secret=text(secret), authorization=text(authorization))
        opened = call("OpenSecret", authorization=text(authorization), **parts)
    check(opened["secret"] == text(secret), "another secret was opened")
    seen = messages()
    # The TPM gets this part again to open it.
    part = base64.b64decode(parts["private_part"])
    check(any(part in one for one in seen), f"{len(seen)} messages, and none with the sealed part")
    for value in (secret, authorization):
        check(not any(value[:8] in one for one in seen), "it was seen")


@scenario
def anotherKeyIsRefusedBeforeASession():
    with nothing_changes(), relay() as way:
        way.say(f"log {LOG}")
        way.say("forge")
        all_are_refused("this is not the TPM that it was sealed with")
    seen = [int.from_bytes(one[6:10]) for one in messages()]
    check(seen, "it was not asked")
    check(START_SESSION not in seen, "a session was begun with another key")
    all_go_on()


@scenario
def aVaultOpensThroughAProgramThatOnlyReadsAlong():
    """The counterpart of the scenario before."""
    with relay() as way:
        way.say(f"log {LOG}")
        sealed.brings_new_token(sealed.EVERYBODY[0])
    check(START_SESSION in [int.from_bytes(one[6:10]) for one in messages()], "no session was begun")
    os.unlink(LOG)
    all_go_on()


main()
