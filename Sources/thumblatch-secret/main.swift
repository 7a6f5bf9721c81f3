// The wall of this room: it opens no other device.
//
// One request to the TPM: in on descriptor 0, its answer out. It never prints.

import Glibc
import System
import TPM
import UserNames

do throws(SystemError) {
  try Confinement.enter()
} catch {
  _exit(1)
}
let arguments = Array(CommandLine.arguments.dropFirst())
guard let engine = EngineUser.user(arguments: arguments) else { _exit(2) }
let isServed = SecretConversation(engine: engine, device: TPMDevice.path).run()
// Not exit(3): no exit handler of a library is needed, and the answer is sent.
_exit(isServed ? 0 : 1)
