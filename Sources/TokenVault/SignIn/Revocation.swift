/// What became of the login at the provider when an account was signed out; here everything is erased
/// in any case.
public struct Revocation: Sendable, Equatable {
  /// What is known of the refresh token that was here.
  public enum Grant: String, Sendable, CaseIterable {
    /// The provider confirmed that it is void.
    case ended
    /// It stays valid at the provider.
    case valid
    /// Nobody can tell: the provider did not answer, or an earlier answer of it was lost.
    case unknown
    /// There was none, or the provider had ended it before.
    case none
  }

  /// What is known of the refresh token.
  public let grant: Grant
  /// Why the provider did not confirm; `nil` if it did.
  public let reason: String?
  /// Whether there was no connection from here.
  public let isOffline: Bool

  /// Whether the provider confirmed.
  public var revoked: Bool { grant == .ended }

  init(_ grant: Grant, _ reason: String? = nil, isOffline: Bool = false) {
    self.grant = grant
    self.reason = reason
    self.isOffline = isOffline
  }

  /// What there was to sign out of was a login whose answer could not be judged yet.
  static let ofUnfinishedLogin = Revocation(
    .unknown,
    "the login had not been finished; the provider was not told"
  )

  /// The question was not sent, or it has no answer.
  init(_ grant: Grant, failure: VaultFailure) {
    switch failure {
    case .offline(let message, _, _): self.init(grant, message, isOffline: true)
    case .providerUnavailable(let message, _, _), .unavailable(_, let message, _, _):
      self.init(grant, message)
    default: self.init(grant, "the provider was not asked")
    }
  }

  /// The same answer, where the last refresh has no answer: there may be a newer token, which the one
  /// that was sent says nothing of.
  var afterLostAnswer: Revocation {
    guard grant == .ended else { return self }
    return Revocation(
      .unknown,
      "the provider confirmed, but the answer to the last refresh was lost, and a newer token"
        + " may stay valid"
    )
  }
}
