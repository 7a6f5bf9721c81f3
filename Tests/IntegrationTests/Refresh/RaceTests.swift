import System
import TestSupport
import Testing

/// The short form of `Scripts/race`, and a check that it would find a lost login.
///
/// `Scripts/race` uses the whole machine.
@Suite(.serialized)
struct RaceTests {
  private static let kit = BuiltPrograms.sourceDirectory + "/Scripts/race"
  private static let naive =
    BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers/naive-refresher"

  /// The numbers of the last line.
  private struct Counts {
    let kills: Int
    let lost: Int
    let uncertain: Int
    let recovered: Int

    init(_ text: String) throws {
      let last = try #require(text.split(separator: "\n").last)
      let line = /kills (\d+), logins lost (\d+), uncertain (\d+), recovered (\d+)/
      let match = try #require(last.wholeMatch(of: line), "\(last)")
      kills = try #require(Int(match.1))
      lost = try #require(Int(match.2))
      uncertain = try #require(Int(match.3))
      recovered = try #require(Int(match.4))
    }
  }

  @Test
  func noKillLosesALoginThatCouldHaveBeenKept() throws {
    let vault = try TestVault()
    let (text, end) = try output(of: Self.kit, ["--short", "--programs", vault.programs])
    #expect(end == .exited(0), "\(text)")
    let counts = try Counts(text)
    #expect(counts.kills >= 10, "\(text)")
    #expect(counts.recovered + counts.lost == counts.kills, "\(text)")
    // Rows of refreshes at both providers, and of sign-ins.
    let rows = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    for way in ["password", "oidc"] {
      #expect(rows.contains { $0.first == way && $0.last == "0" }, "none at \(way): \(text)")
    }
    for victim in ["client", "engine", "exchange", "disk"] {
      #expect(rows.contains { $0.count > 2 && $0[1] == victim }, "no kill of \(victim): \(text)")
    }
    let logins = try #require(text.firstMatch(of: /(\d+) logins by code or device/), "\(text)")
    #expect(logins.1 != "0", "\(text)")
  }

  /// The commands that a person would copy from `--help`.
  @Test
  func anotherToolIsTriedAtAnOpenIDProvider() throws {
    let (text, end) = try output(
      of: Self.kit,
      [
        "--provider", "oidc", "--kills", "3", "--seconds", "200", "--processes", "3", "--vaults",
        "2",
        "--at", "openat", "--tool-stored", "write",
        "--tool", "\(Self.naive) --lock --oauth token {issuer} {state}/login.json",
        "--tool-login", "\(Self.naive) --lock --oauth login {issuer} {email} {state}/login.json",
      ]
    )
    #expect(end == .exited(0), "\(text)")
    #expect(try Counts(text).lost > 0, "\(text)")
    #expect(!text.contains("lost, unexplained: "), "\(text)")
  }

  /// Kills a tool that keeps its login in a file, between the provider's answer and the write.
  private func killNaiveTool(_ more: String...) throws -> (text: String, end: ProcessEnd) {
    try output(
      of: Self.kit,
      [
        "--kills", "3", "--seconds", "200", "--processes", "3", "--vaults", "2", "--at", "openat",
        "--tool", "\(Self.naive) --lock token {url} {state}/login.json",
        "--tool-login", "\(Self.naive) --lock login {url} {email} {state}/login.json",
      ] + more
    )
  }

  @Test
  func aLoginThatIsLostFailsTheRun() throws {
    let (text, end) = try killNaiveTool()
    #expect(end == .exited(1), "\(text)")
    #expect(try Counts(text).lost > 0, "\(text)")
    #expect(text.contains("lost, unexplained: "), "\(text)")
  }

  @Test
  func aLossAfterTheAnswerWasStoredFailsTheRun() throws {
    // The tool had opened files before. If an open counted as the storing, the kill would have come
    // too late.
    let (text, end) = try killNaiveTool("--tool-stored", "openat")
    #expect(end == .exited(1), "\(text)")
    #expect(text.contains("was killed after it had stored the answer"), "\(text)")
  }

  @Test
  func aLossIsExplainedWhereLedgerAndTraceAgree() throws {
    let (text, end) = try killNaiveTool("--tool-stored", "write")
    #expect(end == .exited(0), "\(text)")
    #expect(try Counts(text).lost > 0, "\(text)")
    #expect(!text.contains("lost, unexplained: "), "\(text)")
  }
}
