// The wall of this room: no other one joins the server to the helpers
// and to the service.
//
// The engine of the private vault or of the service, selected by the arguments.

import Glibc
import HelperClient
import MachineFiles
import ServiceClient
import System
import VaultServer

func refuse(_ why: String) -> Never {
  try? Descriptor(owning: 2).write("thumblatchd: \(why)\n")
  exit(2)
}

/// Runs the service: `--service [--run-directory DIRECTORY] [--configuration DIRECTORY] [--idle
/// SECONDS]`.
///
/// The starter of the engine decides the locations of its helpers and of the machine's rules; the
/// environment does not.
func service(_ arguments: [String]) -> Int32 {
  var directory = "/run/thumblatch"
  var rules = MachineConfiguration()
  var idle = ServiceEngine.idleSeconds
  var rest = arguments[...]
  while let option = rest.popFirst() {
    guard let value = rest.popFirst() else { refuse("\(option) needs a value") }
    switch option {
    case "--run-directory" where value.hasPrefix("/"): directory = value
    case "--configuration" where value.hasPrefix("/"):
      // Only a person that starts a separate engine can name a directory that is not root's.
      rules = MachineConfiguration(MachineDirectory(path: value, owners: [0, ThisProcess.user]))
    case "--idle":
      guard let seconds = Int64(value), seconds >= 0 else { refuse("--idle takes whole seconds") }
      idle = seconds
    default: refuse("\(option) \(value) is not understood")
    }
  }
  let route = HelperRoute.sockets(directory: directory)
  return ServiceEngine.run(
    idleSeconds: idle,
    exchange: ExchangeHelperExchange(by: route),
    check: HelperPresence(by: route),
    tpm: SecretHelper(by: route),
    rules: rules
  )
}

/// Checks the configuration: `--check-config [--configuration DIRECTORY or FILE]`.
func checkConfiguration(_ arguments: [String]) -> Int32 {
  switch arguments.first {
  case nil: return ConfigurationReport.run(nil)
  case "--configuration" where arguments.count == 2 && arguments[1].hasPrefix("/"):
    return ConfigurationReport.run(arguments[1])
  default: refuse("--check-config takes only --configuration with an absolute path")
  }
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "--private" where arguments.count == 1:
  exit(
    PrivateEngine.run(
      directory: Descriptor(owning: 3),
      report: Descriptor(owning: 4),
      exchange: ExchangeHelperExchange(by: .children),
      check: HelperPresence(by: .children),
      tpm: SecretHelper(by: .children),
      keys: KeySecretHelper(by: .children),
      service: ServiceSocket()
    )
  )
case "--check-config": exit(checkConfiguration(Array(arguments.dropFirst())))
case "--service": exit(service(Array(arguments.dropFirst())))
default:
  refuse(
    "thumblatch or the socket unit starts this program; only --check-config is for use by hand"
  )
}
