import TestSupport
import Testing

@testable import TokenVault

/// The store digest detects changed rows although the count of changes stays the same.
@Suite(.timeLimit(.minutes(10)))
struct StoreDigestTests {
  private func edit(_ bench: Bench, _ sql: String) throws {
    let program = """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1], isolation_level=None)
      store.executescript(sys.argv[2])
      if store.total_changes != 1:
          sys.exit("not one row was changed")
      """
    try run("/usr/bin/python3", ["-c", program, bench.scratch.path + "/vault.db", sql])
  }

  @Test(arguments: [
    "UPDATE accounts SET protection = 1 - protection",
    "UPDATE prints SET id = randomblob(16)",
    "DELETE FROM prints",
    "INSERT INTO prints SELECT randomblob(16), owner, 'left-thumb', driver, device, sealed, "
      + "enrolled_at FROM prints",
    "INSERT INTO security_keys SELECT randomblob(16), owner, 'blue', x'00', 0 FROM prints",
  ])
  func aChangedRowIsDetected(_ sql: String) async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    if let vault {
      try await bench.signIn(vault)
      try await bench.enroll(vault)
    }
    vault = nil
    vault = try await bench.open()
    #expect(await vault?.freshness == .current)
    vault = nil
    try edit(bench, sql)
    #expect(try await bench.open().freshness == .boxesChanged)
  }
}
