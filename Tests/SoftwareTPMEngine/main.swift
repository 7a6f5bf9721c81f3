// The private engine on a machine with a TPM of software: the file `tpm` beside the program holds
// its seed, one digit. Without the file there is no TPM.

import Glibc
import HelperClient
import MachineKey
import SoftwareTPM
import System
import VaultServer

func installedTPM() -> any TPMSealing {
  guard let path = try? ThisProcess.programDirectory(),
    let file = try? Directory(path: path).openForReading("tpm"),
    let digit = try? file.read(atMost: 1).first
  else { return NoTPM() }
  return SoftwareTPM(seed: digit)
}

exit(
  PrivateEngine.run(
    directory: Descriptor(owning: 3),
    report: Descriptor(owning: 4),
    exchange: ExchangeHelperExchange(by: .children),
    check: HelperPresence(by: .children),
    tpm: installedTPM()
  )
)
