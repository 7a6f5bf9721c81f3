"""Security keys in software, and the person who touches them. keys.py has most of the scenarios."""
from household import ADA
from scenarios import until

READERS = "/opt/virtual/virtual-reader.conf"
LINE = "FP_VIRTUAL_DEVICE=/run/virtual-reader/reader\n"
PIN = "8261"
PINNED = "PIN of the security key"


class Key:
    """A security key in software, and the person who uses it."""

    def __init__(self, number):
        self.number, self.heard = number, 0

    def say(self, word):
        with open(f"/opt/keys/{self.number}/say", "w", encoding="ascii") as pipe:
            pipe.write(word + "\n")

    def told(self):
        with open(f"/opt/keys/{self.number}/told", encoding="ascii") as file:
            return file.read().split()

    def listen(self):
        """Discards the reports of the key until now."""
        self.heard = len(self.told())

    def wait(self, word):
        until(lambda: word in self.told()[self.heard:], f"key {self.number} does not tell {word!r}")

    def touch(self):
        self.wait("touch")
        self.listen()
        self.say("touch")


def plug(*keys):
    """These are plugged in from here on, in addition to the reader."""
    with open(READERS, "w", encoding="ascii") as file:
        file.write(LINE + "".join(f"KEY=/dev/hidraw{key.number}\n" for key in keys))
    for key in keys:
        key.listen()


def enroll(key, name, *options):
    plug(key)
    command = ADA.thumblatch("keys", "enroll", name, *options)
    if options:
        command.expect(PINNED).type(PIN)
    command.expect("System password for").type(ADA.password)
    key.touch()
    command.expect(f"'{name}' is enrolled").end()
