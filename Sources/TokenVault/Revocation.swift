/// What the provider said to a sign-out; here everything is erased in any case.
public struct Revocation: Sendable, Equatable {
  /// Whether it confirmed.
  public let revoked: Bool
  /// Why not; nil where it did.
  public let reason: String?
  /// Whether there was no connection from here.
  public let isOffline: Bool

  init(revoked: Bool, reason: String? = nil, isOffline: Bool = false) {
    self.revoked = revoked
    self.reason = reason
    self.isOffline = isOffline
  }

  init(not reason: String) {
    self.init(revoked: false, reason: reason)
  }

  /// What there was to sign out of was a login whose answer could not be judged yet.
  static let ofUnfinishedLogin = Revocation(
    not: "the login had not been finished; the provider was not told"
  )

  init(not failure: VaultFailure) {
    switch failure {
    case .offline(let message, _): self.init(revoked: false, reason: message, isOffline: true)
    case .providerUnavailable(let message, _), .unavailable(_, let message, _):
      self.init(not: message)
    default: self.init(not: "the provider was not asked")
    }
  }

  static let notAsked = Revocation(not: "only erased here, as asked for")
}
