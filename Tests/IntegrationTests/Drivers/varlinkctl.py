"""A replacement for systemd's varlinkctl on machines without it.

usage: varlinkctl.py info SOCKET
       varlinkctl.py introspect SOCKET INTERFACE
       varlinkctl.py call [--more] SOCKET METHOD [PARAMETERS]

As sd-varlink does, it refuses a message with another member than error, parameters and continues, or
with one of another type.
"""
import json
import socket
import sys

TYPES = {"error": str, "parameters": dict, "continues": bool}


def replies(path, method, parameters, more=False):
    """Sends a call, and yields each reply."""
    call = {"method": method, "parameters": parameters}
    if more:
        call["more"] = True
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall(json.dumps(call, separators=(",", ":")).encode() + b"\0")
        received = b""
        while True:
            while b"\0" not in received:
                chunk = connection.recv(65536)
                if not chunk:
                    sys.exit("Failed to issue call: Connection reset by peer")
                received += chunk
            message, received = received.split(b"\0", 1)
            reply = json.loads(message)
            for name, value in reply.items():
                assert isinstance(value, TYPES[name]), name
            if "error" in reply:
                print(json.dumps(reply.get("parameters", {})))
                sys.exit(f"Method call failed: {reply['error']}")
            yield reply.get("parameters", {})
            if not reply.get("continues"):
                return


arguments = sys.argv[1:]
more = "--more" in arguments
if more:
    arguments.remove("--more")
verb, path, *rest = arguments
service = "org.varlink.service."
if verb == "info":
    answers = replies(path, service + "GetInfo", {})
elif verb == "introspect":
    answers = replies(path, service + "GetInterfaceDescription", {"interface": rest[0]})
else:
    answers = replies(path, rest[0], json.loads(rest[1]) if rest[1:] else {}, more)
for answer in answers:
    print(answer["description"] if verb == "introspect" else json.dumps(answer))
