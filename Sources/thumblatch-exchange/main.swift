import System
import UserNames

// The exchange helper: one HTTP request in on descriptor 0, one answer out. It never prints.
do throws(SystemError) {
  try Confinement.enter()
} catch {
  exitProcess(1)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard let engine = EngineUser.user(arguments: arguments) else { exitProcess(2) }
let isServed = ExchangeHelper(engine: engine, isService: !arguments.isEmpty).run()
exitProcess(isServed ? 0 : 1)
