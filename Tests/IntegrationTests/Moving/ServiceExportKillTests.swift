import System
import TestSupport
import Testing

/// A private engine is killed at each step of a move out of the service.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ServiceExportKillTests {
  /// A person with an exportable account in the service.
  private final class Mover {
    let bench: ServiceBench
    let person: Customer
    let cutter: TransferCutter
    private let backend: DevBackend

    init() throws {
      bench = try ServiceBench()
      backend = try DevBackend()
      person = try Customer(bench, backend: backend)
      try person.makeExportable("me")
      cutter = try TransferCutter(bench, person)
      try cutter.cut("pass")
    }

    func move(_ mode: String, exit status: Int32 = 0) throws -> String {
      try cutter.move(["service", "export"], mode, exit: status)
    }

    /// Whether the service does not use the account, and says what to do.
    func demandOpen() throws {
      let known = try person.run("token", "me").succeeded()
      let refused = try person.run("token", "me", "--rejected", input: known)
      #expect(refused.end == .exited(6), "\(refused.text)")
      for shown in try [refused.text, person.run("status").text, person.run("doctor").text] {
        #expect(shown.contains("on the way into the private vault"), "\(shown)")
        #expect(shown.contains("thumblatch service export --cancel"), "\(shown)")
      }
    }

    /// Whether only the own vault has the account, and can refresh it.
    func demandMoved() throws {
      let known = try person.run("token", "me", "--private").succeeded()
      let fresh = try person.run("token", "me", "--private", "--rejected", input: known)
      #expect(try fresh.succeeded().hasPrefix("at_") && fresh.text != known)
      #expect(try person.run("token", "me").end == .exited(9))
    }
  }

  @Test
  func beforeTheServiceHandsThemOverAllIsAsBefore() throws {
    let mover = try Mover()
    #expect(try !mover.move("before HandOver", exit: 5).contains("moved"))
    #expect(try mover.person.run("token", "me").succeeded().hasPrefix("at_"))
    #expect(try mover.person.run("token", "me", "--private").end == .exited(9))
    #expect(try mover.move("pass").contains("moved 1 account"))
    try mover.demandMoved()
  }

  @Test
  func beforeTheOwnVaultHasThemTheSameCommandFinishesIt() throws {
    let mover = try Mover()
    #expect(try !mover.move("after HandOver", exit: 5).contains("moved"))
    try mover.demandOpen()
    #expect(try mover.person.run("token", "me", "--private").end == .exited(9))
    #expect(try mover.move("pass").contains("moved 1 account"))
    try mover.demandMoved()
  }

  @Test
  func beforeTheOwnVaultHasThemThereIsAWayBack() throws {
    let mover = try Mover()
    _ = try mover.move("after HandOver", exit: 5)
    let back = try mover.person.run("service", "export", "--cancel").succeeded()
    #expect(back.contains("as before"))
    let known = try mover.person.run("token", "me").succeeded()
    let fresh = try mover.person.run("token", "me", "--rejected", input: known)
    #expect(try fresh.succeeded().hasPrefix("at_") && fresh.text != known)
  }

  @Test(arguments: ["before EndHandOver", "after EndHandOver"])
  func onceTheOwnVaultHasThemTheSameCommandNeedsNoCheck(_ mode: String) throws {
    let mover = try Mover()
    #expect(try !mover.move(mode, exit: 5).contains("moved"))
    try mover.cutter.cut("pass")
    if mode.hasPrefix("before") {
      try mover.demandOpen()
      let refused = try mover.person.run("service", "export", "--cancel")
      #expect(refused.end == .exited(11))
      #expect(refused.text.contains("your private vault has the accounts already"))
    }
    let finished = try mover.person.run("service", "export", "--no-input").succeeded()
    #expect(finished.contains(mode.hasPrefix("before") ? "moved 1 account" : "moved 0 accounts"))
    try mover.demandMoved()
  }
}

extension Customer {
  /// Makes an account of the service that may leave it.
  func makeExportable(_ account: String) throws {
    try register(account)
    let address = "\(account)-\(user.name)@example.org"
    let words = ["login", account, "--email", address, "--exportable"]
    let terminal = try terminal(list: words)
    try terminal.expect("Password of \(address)")
    try terminal.enter("backend-password")
    try terminal.expect("System password for")
    try terminal.enter(systemPassword)
    _ = try terminal.end()
  }
}
