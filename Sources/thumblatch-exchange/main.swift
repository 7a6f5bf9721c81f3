import System

// The courier: one HTTP request in on descriptor 0, one answer out. It never prints.
do throws(SystemError) {
  try Confinement.enter()
} catch {
  exitProcess(1)
}
exitProcess(Courier().run() ? 0 : 1)
