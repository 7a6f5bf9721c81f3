/// How a person completes a sign-in at the provider.
public enum LoginWay: Sendable, Hashable {
  /// In a browser, which returns to this URL on this machine (RFC 8252, section 7.3).
  case browser(redirect: String)
  /// On another device, with a code (RFC 8628).
  case device
}

/// A sign-in that a person must still complete at the provider.
///
/// Releasing it gives it up.
public protocol PendingVaultLogin: Sendable {
  /// The data to show.
  var prompt: LoginPrompt { get }
  /// Completes it with the query of the redirect: all text after the question mark.
  func finish(
    query: RedirectQuery,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot
  /// Waits until the person has accepted or refused on the other device.
  func wait(_ asking: PresenceAsking) async throws(AuthError) -> AccountSnapshot
  /// Gives the sign-in up.
  func cancel() async
}

/// The data that a person needs for a sign-in at the provider.
public struct LoginPrompt: Sendable, Hashable {
  /// The URL for the browser; `nil` for a device code.
  public var url: String?
  /// The code to type at `verificationURL`.
  public var userCode: String?
  /// The URL at which to type the code.
  public var verificationURL: String?
  /// The same URL with the code in it, for a QR code.
  public var completeVerificationURL: String?
  /// How long the person can complete the sign-in.
  public var lifetime: Duration

  /// Makes a prompt.
  public init(
    url: String? = nil,
    userCode: String? = nil,
    verificationURL: String? = nil,
    completeVerificationURL: String? = nil,
    lifetime: Duration
  ) {
    self.url = url
    self.userCode = userCode
    self.verificationURL = verificationURL
    self.completeVerificationURL = completeVerificationURL
    self.lifetime = lifetime
  }
}
