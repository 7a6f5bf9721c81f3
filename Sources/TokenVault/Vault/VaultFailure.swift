package import OAuth
internal import Presence
package import PresenceTerms

/// A presence check that has to be passed before a request can be repeated.
package struct PresenceNeed: Sendable, Equatable {
  /// Names the prompt on this connection; empty if the caller cannot ask, and none was opened.
  package let prompt: String
  /// Who asks, as shown to the person.
  package let requester: String
  /// The account's name; nil for the vault as a whole.
  package let account: String?
  /// What for.
  package let purpose: PresencePurpose
  /// Which finger, or which accounts for how long; `nil` if the purpose says it all.
  package let detail: String?
  /// What may prove it, the preferred method first.
  package let methods: [PresenceMethod]
  /// How long the prompt waits for its next step, in seconds.
  package let timeout: Int64
  /// Why the password is needed where a finger would do else; `nil` if there is nothing to explain.
  package let reason: String?
  /// How the reader that was used last wants to be touched; nil if none was.
  package let scan: ScanType?
}

/// Why the vault did not do what it was asked for.
///
/// No case ever holds a secret.
package enum VaultFailure: Error, Sendable, Equatable {
  /// Someone must show that they are here first.
  case presenceNeeded(PresenceNeed)
  /// They did not; `methods` may still be tried with the same prompt.
  case presenceFailed(PresenceFailure, methods: [PresenceMethod])
  /// Another prompt or the reader is in use.
  case busy(String)
  /// Prompts were opened too often; the next one may be after so many seconds.
  case tooManyPrompts(retryAfter: Int64)
  /// No print of this finger is enrolled here.
  case noSuchFinger(String)
  /// There is no account of that name; empty where there is none at all.
  case noSuchAccount(String)
  /// No vault was made for this user.
  case noSuchUser(String)
  /// The request itself is wrong.
  case invalidArgument(String)
  /// The grant is gone; only a new login helps.
  case loginRequired(account: String, message: String)
  /// The provider cannot be reached, or fails. Nothing is lost here. `status` is that of its answer;
  /// `nil` if none came.
  case providerUnavailable(String, retryAfter: Int64?, status: Int? = nil)
  /// The same, for a reason that a caller can tell apart.
  case unavailable(Unavailability, String, retryAfter: Int64?, status: Int? = nil)
  /// No connection to the provider could be made, which says nothing of it. Nothing is lost here, unless
  /// `isUncertain` says that the provider may have taken an earlier request whose answer was lost.
  case offline(String, retryAfter: Int64?, isUncertain: Bool = false)
  /// The provider said no to a login, a registration or a question.
  case providerRefused(status: Int, String, RefusalDetails = .none)
  /// The provider answers what its configuration does not expect.
  case misconfigured(String)
  /// The store is damaged, newer, full or unsafe; nothing was changed.
  case vaultUnsafe(String, hint: String?)
  /// A rule of the vault forbids it.
  case refused(String)
  /// It may cost the login some of its scopes: only with a `NarrowingConsent`.
  case mayNarrow(String)
  /// The refresh token of this account is not to leave the vault.
  case notExportable(account: String)
  /// A bug.
  case unexpected(String)
}
