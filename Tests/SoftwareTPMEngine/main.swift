// The engine on a machine with a TPM of software: the file `tpm` beside the program holds its seed,
// one digit. Without the file there is no TPM.

import Glibc
import HelperClient
import MachineFiles
import MachineKey
import ScriptedTPM
import System
import VaultServer

func installedTPM() -> any TPMSealing {
  guard let path = try? ThisProcess.programDirectory(),
    let file = try? Directory(path: path).openForReading("tpm"),
    let digit = try? file.read(atMost: 1).first
  else { return NoTPM() }
  return ScriptedTPM(seed: digit)
}

/// Runs the service with the options of `thumblatchd`.
func service(_ arguments: [String]) -> Int32 {
  var options: [String: String] = [:]
  for index in stride(from: 0, to: arguments.count - 1, by: 2) {
    options[arguments[index]] = arguments[index + 1]
  }
  let route = HelperRoute.sockets(directory: options["--run-directory"] ?? "/run/thumblatch")
  return ServiceEngine.run(
    idleSeconds: options["--idle"].flatMap { Int64($0) } ?? ServiceEngine.idleSeconds,
    exchange: ExchangeHelperExchange(by: route),
    check: HelperPresence(by: route),
    tpm: installedTPM(),
    rules: options["--configuration"].map {
      MachineConfiguration(MachineDirectory(path: $0, owners: [0, ThisProcess.user]))
    } ?? MachineConfiguration()
  )
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "--service" { exit(service(Array(arguments.dropFirst()))) }
exit(
  PrivateEngine.run(
    directory: Descriptor(owning: 3),
    report: Descriptor(owning: 4),
    exchange: ExchangeHelperExchange(by: .children),
    check: HelperPresence(by: .children),
    tpm: installedTPM()
  )
)
