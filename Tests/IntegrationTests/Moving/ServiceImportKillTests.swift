import System
import TestSupport
import Testing

/// A private engine is killed at each step of a move into the service.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ServiceImportKillTests {
  /// A person whose private engine reaches the service through a program that cuts transfers.
  private final class Mover {
    let bench: ServiceBench
    let person: Customer
    private let backend: DevBackend
    private let cutter: TransferCutter

    init() throws {
      bench = try ServiceBench()
      backend = try DevBackend()
      person = try Customer(bench, backend: backend)
      try person.run(
        "register",
        "me",
        "--private",
        "--provider",
        "dev",
        "--email",
        "me@example.org",
        "--password-stdin",
        input: "backend-password\n"
      ).succeeded()
      cutter = try TransferCutter(bench, person)
    }

    /// Runs `service import`, which is cut in this way.
    func move(_ mode: String, exit status: Int32 = 0) throws -> String {
      try cutter.move(["service", "import"], mode, exit: status)
    }

    /// Whether the own vault uses no account, and says what to do.
    func demandOpen() throws {
      let refused = try person.run("token", "me", "--private")
      #expect(refused.end == .exited(6))
      for words in [["token", "me"], ["status"], ["doctor"]] {
        let shown = try person.run(words + ["--private"]).text
        #expect(shown.contains("on their way into the service"), "\(words)")
        #expect(shown.contains("thumblatch service import --cancel"), "\(words)")
      }
    }

    /// Whether only the service has the account, and can refresh it.
    func demandMoved() throws {
      #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
      #expect(try person.run("token", "me", "--private").end == .exited(9))
    }
  }

  @Test
  func beforeTheServiceHasThemTheSameCommandFinishesIt() throws {
    let mover = try Mover()
    #expect(try !mover.move("before", exit: 5).contains("moved"))
    try mover.demandOpen()
    #expect(try mover.person.run("token", "me").end == .exited(9))
    #expect(try mover.move("pass").contains("moved 1 account"))
    try mover.demandMoved()
  }

  @Test
  func beforeTheServiceHasThemThereIsAWayBack() throws {
    let mover = try Mover()
    _ = try mover.move("before", exit: 5)
    let back = try mover.person.run("service", "import", "--cancel").succeeded()
    #expect(back.contains("as before"))
    let known = try mover.person.run("token", "me", "--private").succeeded()
    let fresh = try mover.person.run("token", "me", "--private", "--rejected", input: known)
    #expect(try fresh.succeeded().hasPrefix("at_") && fresh.text != known)
    #expect(try mover.person.run("status", "--private").succeeded().contains("me"))
    #expect(try mover.move("pass").contains("moved 1 account"))
    try mover.demandMoved()
  }

  @Test
  func afterTheServiceHasThemTheOnlyWayIsForward() throws {
    let mover = try Mover()
    #expect(try !mover.move("after", exit: 5).contains("moved"))
    try mover.demandOpen()
    #expect(try mover.person.run("token", "me").succeeded().hasPrefix("at_"))
    let refused = try mover.person.run("service", "import", "--cancel")
    #expect(refused.end == .exited(11))
    #expect(refused.text.contains("the service has the accounts already"))
    try mover.demandOpen()
    #expect(try mover.move("pass").contains("moved 1 account"))
    try mover.demandMoved()
  }

  @Test
  func aLostAnswerIsAskedForAtOnce() throws {
    let mover = try Mover()
    #expect(try mover.move("lost").contains("moved 1 account"))
    try mover.demandMoved()
  }
}
