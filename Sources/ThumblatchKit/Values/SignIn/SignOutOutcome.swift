/// The result of a sign-out.
///
/// All data here is erased.
public struct SignOutOutcome: Sendable, Hashable {
  /// The state of the refresh token at the provider.
  public enum Grant: String, Sendable, Hashable, CaseIterable {
    /// The provider confirmed that it is void.
    case ended
    /// It stays valid there.
    ///
    /// Tell the person.
    case valid
    /// The state is not known: the provider did not answer, or an earlier answer was lost.
    case unknown
    /// There was no refresh token, or the provider had ended it earlier.
    case none
  }

  /// The state of the refresh token at the provider.
  public var grant: Grant
  /// Why the provider did not confirm.
  public var reason: String?

  /// Whether the provider confirmed that the tokens are void.
  public var isRevoked: Bool { grant == .ended }
  /// Whether a sign-in of the person may still be valid at the provider.
  public var mayBeAlive: Bool { grant == .valid || grant == .unknown }

  /// Makes an outcome.
  public init(_ grant: Grant, reason: String? = nil) {
    self.grant = grant
    self.reason = reason
  }
}
