/// The effect of a sign-out on the grant at the provider; the local tokens are erased in any case.
package struct Revocation: Sendable, Equatable {
  /// The state of the refresh token that was stored here.
  package enum Grant: String, Sendable, CaseIterable {
    /// The provider confirmed that it is void.
    case ended
    /// It stays valid at the provider.
    case valid
    /// Not known: the provider did not answer, or an earlier answer of it was lost.
    case unknown
    /// There was no refresh token, or the provider had already ended it.
    case none
  }

  package let grant: Grant
  /// Why the provider did not confirm; `nil` if it did.
  package let reason: String?
  /// Whether this machine had no connection.
  package let isOffline: Bool

  package var revoked: Bool { grant == .ended }

  init(_ grant: Grant, _ reason: String? = nil, isOffline: Bool = false) {
    self.grant = grant
    self.reason = reason
    self.isOffline = isOffline
  }

  /// The result if there was only a sign-in whose answer could not be judged yet.
  static let ofUnfinishedLogin = Revocation(
    .unknown,
    "the login had not been finished; the provider was not notified"
  )

  /// The result of a request that was not sent, or that has no answer.
  init(_ grant: Grant, failure: VaultFailure) {
    switch failure {
    case .offline(let message, _, _): self.init(grant, message, isOffline: true)
    case .providerUnavailable(let message, _, _), .unavailable(_, let message, _, _):
      self.init(grant, message)
    default: self.init(grant, "the provider was not asked")
    }
  }

  /// The failure to erase a login that the provider has ended, or may have ended.
  func notErased(_ failure: VaultFailure) -> VaultFailure {
    guard case .vaultUnsafe(let why, _) = failure, grant == .ended || grant == .unknown
    else { return failure }
    let has = revoked ? "has" : "may have"
    return .vaultUnsafe(
      "the provider \(has) ended the login, and the sign-out here is not complete: \(why)",
      hint: "remove the cause, then try again"
    )
  }

  /// The failure to remove old data after the login was erased here.
  func erased(_ failure: VaultFailure) -> VaultFailure {
    guard grant == .valid || grant == .unknown, case .vaultUnsafe(let why, let hint) = failure
    else { return failure }
    return .vaultUnsafe("\(why); the provider has not confirmed the end of the login", hint: hint)
  }

  /// The result if the last refresh had this unclear answer; with `nil` its answer was lost.
  ///
  /// There may be a newer token, about which the confirmation for the sent token says nothing.
  func after(_ answer: UnclearAnswer?) -> Revocation {
    guard grant == .ended else { return self }
    guard let answer else {
      return Revocation(
        .unknown,
        "the provider confirmed, but the answer to the last refresh was lost, and a newer token"
          + " may stay valid"
      )
    }
    return Revocation(
      .unknown,
      "the provider confirmed, but a newer token may stay valid, because the last refresh had no"
        + " clear answer: \(answer.text)"
    )
  }
}
