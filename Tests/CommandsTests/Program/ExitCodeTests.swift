import Testing
import VaultClient

@testable import Commands

struct ExitCodeTests {
  /// The table that scripts rely on: a change here breaks them.
  @Test
  func theNumbersAreThoseOfTheManual() {
    let table: [ExitCode: Int32] = [
      .done: 0, .bug: 1, .usage: 2, .presence: 3, .loginRequired: 4, .unavailable: 5,
      .unsafeVault: 6, .promptNeeded: 7, .serverError: 8, .notFound: 9, .busy: 10, .refused: 11,
      .notRevoked: 12,
      .interrupted: 130,
    ]
    #expect(table.count == ExitCode.allCases.count)
    for (code, number) in table { #expect(code.rawValue == number) }
    #expect(Set(ExitCode.allCases.map(\.name)).count == ExitCode.allCases.count)
  }

  /// The author of a script reads the codes there first.
  @Test
  func theOverviewNamesEachCodeOnce() throws {
    let overview = Help.overview(Program.verbs, columns: 80)
    let list = try #require(overview.firstRange(of: "Exit codes: "))
    let words = overview[list.upperBound...].split { $0 == " " || $0 == "\n" }
    let numbers = words.compactMap { Int32($0) }
    #expect(numbers == ExitCode.allCases.map(\.rawValue))
    #expect(Set(ExitCode.allCases.map(\.summary)).count == ExitCode.allCases.count)
  }

  @Test
  func aVaultThatTheEngineDoesNotUseIsNoneToTryAgainWith() {
    #expect(ExitCode(VaultClientError.unsafeVault(reason: "damaged", remedy: nil)) == .unsafeVault)
    #expect(ExitCode(VaultClientError.engineFailed(reason: "no threads")) == .unavailable)
  }
}
