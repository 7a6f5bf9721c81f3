import Testing
import VaultClient

@testable import Commands

struct ExitCodeTests {
  /// The table that scripts rely on; a change here breaks somebody.
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

  @Test
  func aVaultThatTheEngineDoesNotUseIsNoneToTryAgainWith() {
    #expect(ExitCode(VaultClientError.unsafeVault(reason: "damaged", remedy: nil)) == .unsafeVault)
    #expect(ExitCode(VaultClientError.engineFailed(reason: "no threads")) == .unavailable)
  }
}
