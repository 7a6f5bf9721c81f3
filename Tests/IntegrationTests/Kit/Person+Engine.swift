import Glibc
import System
import TestSupport
import Testing

// The engine of a private vault.
extension Someone {
  /// Starts an engine that asks the test's logind; a client starts one that asks the machine's.
  func startEngine(asking bus: DesktopBus) throws {
    try endEngine()
    let start = try shell(
      """
      rm -f \(home)/report; mkfifo \(home)/report
      mkdir -p -m 700 \(state)
      DBUS_SYSTEM_BUS_ADDRESS=\(bus.address) setsid \(programs)/thumblatchd --private \
        </dev/null >/dev/null 2>&1 3<\(state) 4>\(home)/report &
      head -c 1 \(home)/report
      """
    )
    try #require(try start.succeeded() == "L")
  }

  /// Kills the engine, and returns its process; there may be several for a moment, or none.
  @discardableResult
  func killEngine() throws -> [Int32] {
    let engines = processes(in: programs, named: "thumblatchd")
    for process in engines {
      kill(process, SIGKILL)
      try waitForEnd(process)
    }
    return engines
  }

  /// Whether a directory gets the note of a process of this person.
  func isNoted(_ process: some BinaryInteger, in notes: String) -> Bool {
    eventually {
      let names = (try? Directory(path: notes).names()) ?? []
      return names.contains { $0.hasPrefix("\(user.user).\(process).") }
    }
  }
}

extension Person {
  /// Gives the provider a minute for an answer, which a test delays while it examines the programs.
  func allowLongAnswers() throws {
    try shell("echo 'timeout = 60s' >>~/.config/thumblatch/providers.d/dev.conf").succeeded()
  }
}
