import System
import Testing

@testable import Storage

/// A kill cannot show that a step was on the disk before it was reported.
///
/// The order of the writer's calls shows it, for the bytes and for the names that lead to them.
@Suite(.timeLimit(.minutes(10)))
struct DurabilityTests {
  private func calls(_ scratch: Scratch, _ scenario: String) throws -> [String] {
    let trace = scratch.base + "/trace"
    let end = try run(
      "/usr/bin/strace",
      [
        "-f", "-y", "-qq", "-o", trace, "-e",
        "trace=write,pwrite64,fsync,fdatasync,linkat,renameat,ftruncate", try Writer.path(),
        scratch.path, scenario,
      ]
    )
    #expect(end == .exited(0))
    return String(decoding: try Files.contents(trace), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  /// Requires that the calls contain these, in this order, before the step is reported.
  private func demand(
    _ wanted: [(call: String, file: String)],
    before step: String,
    in calls: [String]
  ) throws {
    let end = try #require(
      calls.firstIndex { $0.contains("write(1<") && $0.contains("\"\(step)\\n\"") }
    )
    var rest = calls[..<end]
    for (call, file) in wanted {
      let found = try #require(
        rest.firstIndex { $0.contains(" \(call)(") && $0.contains(file) },
        "\(call) of \(file) before \(step)"
      )
      rest = rest[(found + 1)...]
    }
  }

  @Test
  func nothingOfAFreshVaultIsReportedBeforeItIsDurable() throws {
    let scratch = try Scratch()
    let calls = try calls(scratch, "fresh")
    let root = "<" + scratch.path + ">"
    let slot = "slots/" + Hexadecimal.text(accountID) + ">"
    try demand(
      [
        ("pwrite64", "/vault.db.new>"), ("fdatasync", "/vault.db.new>"), ("renameat", "vault.db"),
        ("fsync", root),
      ],
      before: "store",
      in: calls
    )
    try demand(
      [
        ("write", "/device-secret.new>"), ("fsync", "/device-secret.new>"),
        ("linkat", "device-secret"), ("fsync", root),
      ],
      before: "secret",
      in: calls
    )
    try demand(
      [("write", slot), ("fsync", slot), ("fsync", "/slots>")],
      before: "slot",
      in: calls
    )
    try demand(
      [("pwrite64", "/vault.db-wal>"), ("fdatasync", root), ("fdatasync", "/vault.db-wal>")],
      before: "account",
      in: calls
    )
    try demand(
      [
        ("write", "/rollback-counter.new>"), ("fsync", "/rollback-counter.new>"),
        ("renameat", "rollback-counter"), ("fsync", root),
      ],
      before: "rollback-counter",
      in: calls
    )
  }

  @Test
  func nothingOfAChangeIsReportedBeforeItIsDurable() throws {
    let scratch = try Scratch()
    _ = try run(Writer.path(), [scratch.path, "fresh"])
    let calls = try calls(scratch, "change")
    let slot = "slots/" + Hexadecimal.text(accountID) + ">"
    try demand(
      [("pwrite64", "/vault.db-wal>"), ("fdatasync", "/vault.db-wal>")],
      before: "changed",
      in: calls
    )
    try demand(
      [("pwrite64", "/rollback-counter>"), ("fdatasync", "/rollback-counter>")],
      before: "rollback-counter",
      in: calls
    )
    try demand([("pwrite64", slot), ("fdatasync", slot)], before: "zeroed", in: calls)
    try demand(
      [
        ("pwrite64", "/vault.db>"), ("fdatasync", "/vault.db>"), ("ftruncate", "/vault.db-wal>"),
        ("fsync", "/vault.db-wal>"),
      ],
      before: "checkpoint",
      in: calls
    )
  }
}
