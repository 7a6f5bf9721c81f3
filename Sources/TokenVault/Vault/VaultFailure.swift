package import OAuth
internal import Presence
package import PresenceTerms

/// A presence check that must be passed before a request is repeated.
package struct PresenceNeed: Sendable, Equatable {
  /// The name of the prompt on this connection; empty if the caller cannot ask and none was opened.
  package let prompt: String
  /// The caller, as shown to the person.
  package let requester: String
  /// The account's name; `nil` for the vault as a whole.
  package let account: String?
  package let purpose: PresencePurpose
  /// Further text, such as the finger, or the accounts and the time; `nil` if there is none.
  package let detail: String?
  /// The methods that count, the preferred one first.
  package let methods: [PresenceMethod]
  /// How long the prompt waits for its next step, in seconds.
  package let timeout: Int64
  /// Why a finger does not count; `nil` if there is nothing to explain.
  package let reason: String?
  /// How the last used reader is touched; `nil` if none was used.
  package let scan: ScanType?
  /// Why the program says that it asks, not verified; `nil` if it does not say.
  package var statedReason: String?
  /// Whether only an agent may show it, because the caller is behind a restricted socket.
  package var isForAgents = false
}

/// Why the vault refused a request, or failed.
///
/// No case ever holds a secret.
package enum VaultFailure: Error, Sendable, Equatable {
  /// A presence check must be passed first.
  case presenceNeeded(PresenceNeed)
  /// The check was not passed; `methods` may still be tried with the same prompt.
  case presenceFailed(PresenceFailure, methods: [PresenceMethod])
  /// Another prompt or the reader is in use.
  case busy(String)
  /// The prompt cannot be shown at a desktop.
  case noDesktop(DesktopObjection)
  /// Prompts were opened too often; the next may be opened after this many seconds.
  case tooManyPrompts(retryAfter: Int64)
  /// No print of this finger is enrolled here.
  case noSuchFinger(String)
  case noSuchKey(String)
  /// There is no account of that name; empty if there is none at all.
  case noSuchAccount(String)
  /// There is no vault of this user.
  case noSuchUser(String)
  /// The request itself is wrong.
  case invalidArgument(String)
  /// The grant has ended; only a new login helps.
  case loginRequired(account: String, message: String)
  /// The provider cannot be reached, or fails; nothing is lost here.
  ///
  /// `status` is the status of its answer; `nil` if none came.
  case providerUnavailable(String, retryAfter: Int64? = nil, status: Int? = nil)
  /// The same, for a reason that a caller can tell apart.
  case unavailable(Unavailability, String, retryAfter: Int64?, status: Int? = nil)
  /// No connection to the provider could be made, which says nothing of the provider.
  ///
  /// Nothing is lost here. With `isUncertain` the provider may have taken an earlier request whose
  /// answer was lost.
  case offline(String, retryAfter: Int64?, isUncertain: Bool = false)
  /// The provider refused a login, a registration or a query.
  case providerRefused(status: Int, String, RefusalDetails = .none)
  /// The provider does not answer as its settings say.
  case misconfigured(String)
  /// The store is damaged, newer, full or unsafe; nothing was changed.
  case vaultUnsafe(String, hint: VaultHint?)
  /// A person has to open the machine key with a security key first; nothing was changed.
  case machineKeyNeeded(String)
  /// The security key wants its PIN, or the PIN was wrong; nothing was changed.
  ///
  /// `retries` is how many wrong ones it still accepts; `nil` if it does not say.
  case keyPINNeeded(String, retries: Int?)
  /// A rule of the vault forbids it.
  case refused(String)
  /// The rule of the caller, by its title, does not allow this.
  case outsideRule(String, String)
  /// The login may lose some of its scopes; the caller may give a `NarrowingConsent`.
  case mayNarrow(String)
  /// The refresh token of this account may not leave the vault.
  case notExportable(account: String)
  /// A bug.
  case unexpected(String)
}
