internal import PresenceTerms
internal import System
internal import VaultClient
internal import VaultInterface

/// The exit status of the process, by which scripts distinguish how a verb ended.
///
/// The command-line program takes every status from here. The front repeats 1 and 6.
package enum ExitCode: Int32, Sendable, CaseIterable {
  case done = 0
  /// An unexpected failure: a bug.
  case bug = 1
  /// Wrong usage or configuration.
  case usage = 2
  /// The presence check failed, was cancelled, or timed out.
  case presence = 3
  /// The account must be signed in again.
  case loginRequired = 4
  /// Provider, service or TPM unreachable, busy or failing; nothing is lost.
  case unavailable = 5
  /// The vault is damaged, newer, older than its rollback counter or the machine key, its
  /// permissions are unsafe, or no slot opens the machine key.
  case unsafeVault = 6
  /// A prompt is needed but not possible.
  case promptNeeded = 7
  /// The server answered an error.
  case serverError = 8
  /// No such account, provider or finger.
  case notFound = 9
  /// Another prompt is open, or the reader is in use.
  case busy = 10
  /// Refused by policy.
  case refused = 11
  /// A login has ended here, but its refresh token stays valid at the provider, or that is unknown.
  case notRevoked = 12
  /// Ctrl-C, a signal that ends programs, or a question that was answered with no.
  case interrupted = 130

  /// The name of the code in `--json`, which never changes.
  package var name: String {
    switch self {
    case .done: "done"
    case .bug: "internal"
    case .usage: "usage"
    case .presence: "presence-failed"
    case .loginRequired: "login-required"
    case .unavailable: "unavailable"
    case .unsafeVault: "vault-unsafe"
    case .promptNeeded: "prompt-needed"
    case .serverError: "server-error"
    case .notFound: "not-found"
    case .busy: "busy"
    case .refused: "refused"
    case .notRevoked: "not-revoked"
    case .interrupted: "interrupted"
    }
  }
}

extension ExitCode {
  /// A few words for the list of all codes in the help.
  var summary: String {
    switch self {
    case .done: "done"
    case .bug: "bug"
    case .usage: "usage"
    case .presence: "presence check failed"
    case .loginRequired: "login required"
    case .unavailable: "unreachable"
    case .unsafeVault: "vault unsafe"
    case .promptNeeded: "prompt needed"
    case .serverError: "server error"
    case .notFound: "not found"
    case .busy: "busy"
    case .refused: "refused by policy"
    case .notRevoked: "not revoked"
    case .interrupted: "interrupted"
    }
  }

  /// The exit status for an error of the vault's interface.
  init(_ error: VaultError) {
    self =
      switch error {
      case .presenceNeeded, .noDesktop, .machineKeyNeeded, .keyPINNeeded: .promptNeeded
      case .presenceFailed(let outcome, _, _): ExitCode(outcome)
      case .busy: .busy
      case .noSuchAccount, .noSuchFinger, .noSuchKey, .noSuchUser: .notFound
      case .invalidArgument, .misconfigured: .usage
      case .loginRequired: .loginRequired
      case .providerUnavailable: .unavailable
      case .providerRefused: .serverError
      case .vaultUnsafe: .unsafeVault
      case .refused(_, let narrows): narrows ? .promptNeeded : .refused
      case .internal: .bug
      }
  }

  /// The exit status for a presence check that did not pass.
  init(_ outcome: PresenceOutcome) {
    self =
      switch outcome {
      case .busy: .busy
      case .cancelled, .passwordChosen, .notAvailable, .notEnrolled, .lockedOut, .noMatch,
        .timedOut, .denied:
        .presence
      }
  }

  /// The exit status for an error of the connection to the vault.
  init(_ error: VaultClientError) {
    self =
      switch error {
      case .refused(let error): ExitCode(error)
      case .interrupted: .interrupted
      case .asksWithoutEnd: .presence
      case .privateForbidden: .refused
      case .noStateDirectory, .notAbsolute, .notText, .engineMissing, .exchangeHelperMissing,
        .callTooLong:
        .usage
      case .unsafeDirectory, .unsafeVault, .engineUnsafe, .wrongServer: .unsafeVault
      case .engineFailed, .unreachable, .disconnected, .timedOut: .unavailable
      case .system(let error) where error.limit != nil: .usage
      case .malformed, .notUnderstood, .unknownError, .system: .bug
      }
  }
}

extension ExitCode {
  /// The order of severity: a run over several accounts ends with the worst one.
  private static let bySeverity: [ExitCode] = [
    .done, .notRevoked, .loginRequired, .notFound, .busy, .serverError, .promptNeeded, .presence,
    .refused, .unavailable, .usage, .unsafeVault, .interrupted, .bug,
  ]

  /// Whether this end is worse than another.
  func isWorse(than other: ExitCode) -> Bool {
    let order = Self.bySeverity
    return (order.firstIndex(of: self) ?? order.count) > (order.firstIndex(of: other) ?? 0)
  }

  /// The exit status for an error of the vault's interface, by the error's name.
  init(errorNamed name: String) {
    self =
      switch name {
      case "PresenceNeeded": .promptNeeded
      case "PresenceFailed": .presence
      case "Busy": .busy
      case "NoSuchAccount": .notFound
      case "LoginRequired": .loginRequired
      case "ProviderUnavailable": .unavailable
      case "VaultUnsafe": .unsafeVault
      case "Refused": .refused
      default: .bug
      }
  }
}
