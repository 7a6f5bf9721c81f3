import System
import TestSupport
import Testing

/// `Scripts/race`, which takes all that the machine has: its short form, and that it would find a
/// login that is lost.
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
    for victim in ["client", "engine", "exchange", "disk"] {
      let rows = text.split(separator: "\n").filter { $0.hasPrefix(victim + " ") }
      #expect(!rows.isEmpty, "nobody of \(victim): \(text)")
    }
  }

  /// A tool that keeps its login in a file, and is killed between the provider's answer and the write.
  private func killNaiveTool(_ more: String...) throws -> (text: String, end: ProcessEnd) {
    try output(
      of: Self.kit,
      [
        "--kills", "3", "--seconds", "20", "--processes", "3", "--vaults", "2", "--at", "openat",
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
    // It had opened files before: were that the storing, the kill would have come too late.
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
