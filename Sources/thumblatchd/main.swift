import Glibc
import HelperClient
import System
import VaultServer

func refuse(_ why: String) -> Never {
  try? Descriptor(owning: 2).write("thumblatchd: \(why)\n")
  exit(2)
}

/// `--service [--run-directory DIRECTORY] [--idle SECONDS]`: who starts the engine decides where its
/// helpers are; no environment does.
func service(_ arguments: [String]) -> Int32 {
  var directory = "/run/thumblatch"
  var idle = ServiceEngine.idleSeconds
  var rest = arguments[...]
  while let option = rest.popFirst() {
    guard let value = rest.popFirst() else { refuse("\(option) needs a value") }
    switch option {
    case "--run-directory" where value.hasPrefix("/"): directory = value
    case "--idle":
      guard let seconds = Int64(value), seconds >= 0 else { refuse("--idle takes whole seconds") }
      idle = seconds
    default: refuse("\(option) \(value) is not understood")
    }
  }
  let route = HelperRoute.sockets(directory: directory)
  return ServiceEngine.run(
    idleSeconds: idle,
    exchange: CourierExchange(by: route),
    check: HelperPresence(by: route)
  )
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "--private" where arguments.count == 1:
  exit(
    PrivateEngine.run(
      directory: Descriptor(owning: 3),
      report: Descriptor(owning: 4),
      exchange: CourierExchange(by: .children),
      check: HelperPresence(by: .children)
    )
  )
case "--service": exit(service(Array(arguments.dropFirst())))
default:
  refuse("this program is started by thumblatch or its socket unit; it is not called by hand")
}
