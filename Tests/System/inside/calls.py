"""The vault's own protocol (Varlink), one message at a time, for states in which no command
stops."""
import json
import select

from scenarios import LIMIT, SOCKET, Failure

VAULT = "io.thumblatch.Vault."


class HungUp(Failure):
    """The vault has ended the connection."""


class Conversation:
    """A connection to the vault that a process of a person's session has made, and keeps."""

    def __init__(self, person):
        self.control, self.socket = person.lend_connection(SOCKET)
        self.socket.settimeout(LIMIT)
        self.received = b""

    def send(self, method, /, more=False, **parameters):
        self.send_bytes(message(method, more=more, **parameters))
        return self

    def send_bytes(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            raise HungUp("the vault hung up") from None

    def receive(self):
        """The next reply: the name of its error, or None, and its parameters."""
        while b"\0" not in self.received:
            try:
                data = self.socket.recv(65536)
            except ConnectionResetError:
                data = b""
            except TimeoutError:
                raise Failure("the vault does not answer") from None
            if not data:
                raise HungUp("the vault hung up")
            self.received += data
        reply, _, self.received = self.received.partition(b"\0")
        reply = json.loads(reply)
        return (reply.get("error") or "").removeprefix(VAULT) or None, reply.get("parameters", {})

    def has_reply(self):
        """Whether data has come that was not received yet."""
        return bool(self.received or select.select([self.socket], [], [], 0)[0])

    def call(self, method, /, **parameters):
        return self.send(method, **parameters).receive()

    def expect(self, wanted):
        """The parameters of a reply with this error or event. Only waits may come before it."""
        error, parameters = self.receive()
        while wanted != "waiting" and parameters.get("event") == "waiting":
            error, parameters = self.receive()
        if wanted not in (error, parameters.get("event")):
            raise Failure(f"{error} {parameters}, expected {wanted}")
        return parameters

    def close(self):
        """Closes the connection, which also ends the process that has made it."""
        self.socket.close()
        self.control.close()


def message(method, /, more=False, **parameters):
    call = {"method": VAULT + method, "parameters": parameters}
    return json.dumps({**call, "more": True} if more else call).encode() + b"\0"
