import System
import TestSupport
import Testing

/// A program between a person and the service, which cuts moves of accounts at a step.
final class TransferCutter {
  private let person: Customer
  private let program: Run
  private let input: Descriptor
  private let folder: String

  /// Puts the program between this person and the service.
  init(_ bench: ServiceBench, _ person: Customer) throws {
    self.person = person
    folder = bench.base + "/cutter"
    try shell("install -d -m 755 \(folder)")
    let (near, far) = try UnixSocket.pair()
    input = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    program = try Run(
      "/usr/bin/python3",
      [
        BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers/transfer-cutter.py",
        folder, bench.socket, "\(person.user.user)",
      ],
      environment: person.environment,
      input: theirs.number
    )
    try program.waitForOutput()
    person.socket = folder + "/io.thumblatch.Vault"
  }

  deinit {
    input.shutDown()
    _ = try? program.child.wait()
  }

  /// Moves are cut in this way from now on, as transfer-cutter.py says.
  func cut(_ mode: String) throws { try shell("printf '%s' '\(mode)' >\(folder)/mode") }

  /// Runs a move with its check; the move is cut in this way.
  func move(_ words: [String], _ mode: String, exit status: Int32 = 0) throws -> String {
    try cut(mode)
    let terminal = try person.terminal(list: words)
    try terminal.expect("System password for")
    try terminal.enter(person.systemPassword)
    return try terminal.end(status)
  }
}
