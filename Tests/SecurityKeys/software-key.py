#!/usr/bin/python3
"""A security key in software (CTAP 2.1) behind a pty, for programs that open a hidraw node.

usage: software-key.py STATE [--pin] [--verifies] [--always-verifies]

STATE is a file that holds the key's credentials and PIN between runs; it is made if it is missing. The
first line of output is the path of the pty. Each further line says what happens: `touch` (the light is on),
`touched`, `silent`, `cancelled`, `timeout`, `made`, `signed`. Lines of input are the person and the workshop:

touch          touches the key, now or at its next request
bad-finger     does not pass the built-in check of the key, now or at its next request
block          blocks the built-in check of the key, as too many wrong fingers do, until a right PIN
answer CODE    answers the next request with this error, such as 0x36
flags BYTE     signs the next assertion with these flags instead of the true ones
forge          changes the secret of the next assertion
reset          forgets the credentials
counter        does not raise the counter any more: a copied key
replug         forgets what a key forgets without power: the wrong PINs since then
unplug         closes the pty and ends

`--pin`: the PIN of the key is the text of the environment's KEY_PIN. `--verifies`: the key checks a
finger itself. `--always-verifies`: it signs nothing without. `--no-secret`: it has no hmac-secret.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from reports import Line  # noqa: E402

Line(sys.argv[1:]).serve()
