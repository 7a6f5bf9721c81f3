import System
import UserNames

// The exchange helper: one HTTP request in on descriptor 0, one answer out. It never prints.
do throws(SystemError) {
  try Confinement.enter()
} catch {
  exitProcess(1)
}
/// The engine's user.
///
/// Without arguments it is this process's user, because the engine is the parent. With `--service
/// [--engine NAME]` it is the user with that name.
func engineUser(_ arguments: [String]) -> UInt32? {
  switch arguments.count {
  case 0: ThisProcess.user
  case 1 where arguments[0] == "--service": UserNames.user(named: "thumblatch")
  case 3 where arguments[0] == "--service" && arguments[1] == "--engine":
    UserNames.user(named: arguments[2])
  default: nil
  }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard let engine = engineUser(arguments) else { exitProcess(2) }
let isServed = ExchangeHelper(engine: engine, isService: !arguments.isEmpty).run()
exitProcess(isServed ? 0 : 1)
