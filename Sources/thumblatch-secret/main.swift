// The wall of this room: it names the keys that are plugged in, and no other ones.

import SecretProgram
import SecurityKey

SecretProgram.run(keys: .plugged)
