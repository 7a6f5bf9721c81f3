internal import System

/// A short-lived token that gives access to an API.
///
/// It prints as `AccessToken(redacted)`. Only `value` and `authorization` return the token: put it
/// into a request and nowhere else.
public struct AccessToken: Sendable {
  /// One reference, so that passing a token on costs one reference count.
  private final class Facts: Sendable {
    let value: String
    let type: String
    let scopes: [String]?
    let expiresAt: Int64?
    let end: Int64
    let isShorterThanRequested: Bool

    init(
      _ value: String,
      _ type: String,
      _ scopes: [String]?,
      _ expiresAt: Int64?,
      _ end: Int64,
      _ isShorterThanRequested: Bool
    ) {
      self.value = value
      self.type = type
      self.scopes = scopes
      self.expiresAt = expiresAt
      self.end = end
      self.isShorterThanRequested = isShorterThanRequested
    }
  }

  private let facts: Facts

  /// The token itself.
  ///
  /// Never log it.
  public var value: String { facts.value }
  /// The token type, such as `Bearer` (RFC 6749, section 7.1).
  public var type: String { facts.type }
  /// The granted scopes; `nil` if the provider did not say.
  public var scopes: [String]? { facts.scopes }
  /// When it ends, in seconds since 1970; `nil` if the provider did not say.
  public var expiresAt: Int64? { facts.expiresAt }
  /// Whether even a new token does not live as long as requested.
  public var isShorterThanRequested: Bool { facts.isShorterThanRequested }

  /// The value of the `Authorization` header that carries the token (RFC 6750, section 2.1), for
  /// the app's own HTTP library.
  public var authorization: String {
    // "bearer" in any case is Bearer (RFC 6749, section 5.1).
    "\(facts.type.lowercased() == "bearer" ? "Bearer" : facts.type) \(facts.value)"
  }

  /// Makes a token with the values that a vault returns.
  ///
  /// - Parameters:
  ///   - value: the token.
  ///   - type: the token type, such as `Bearer`.
  ///   - expiresAt: seconds since 1970; `nil` if it is not known.
  ///   - scopes: the granted scopes; `nil` if they are not known.
  ///   - isShorterThanRequested: whether the request was for a longer life than the provider gives.
  ///   - clock: the clock that turns the end of the token's life into one that no change of the
  ///     time of day moves.
  public init(
    _ value: String,
    type: String = "Bearer",
    expiresAt: Int64? = nil,
    scopes: [String]? = nil,
    isShorterThanRequested: Bool = false,
    clock: any AuthClock = SystemAuthClock()
  ) {
    let end =
      clock.elapsed
      + (expiresAt.map { saturating($0, minus: clock.secondsSince1970) } ?? Self.assumedLifetime)
    facts = Facts(value, type, scopes, expiresAt, end, isShorterThanRequested)
  }

  /// Whether the token is known to be valid for `lifetime` nanoseconds from `now` on.
  @inline(__always)
  func lasts(_ lifetime: Int64, from now: Int64) -> Bool {
    facts.end &- now > lifetime
  }

  /// The newer of two tokens, which is the one that ends later; `nil` if that cannot be told.
  func newer(_ other: AccessToken) -> AccessToken? {
    if self == other { return self }
    guard let end = expiresAt, let otherEnd = other.expiresAt, end != otherEnd else { return nil }
    return end > otherEnd ? self : other
  }

  /// How long a token is used if the provider did not give its end, in nanoseconds.
  ///
  /// The vault uses the same time.
  private static let assumedLifetime: Int64 = 300_000_000_000

  /// How long it lasts from `now` on; `nil` if its end is not known.
  func remaining(from now: Int64) -> Duration? {
    facts.expiresAt.map { _ in .nanoseconds(max(0, facts.end - now)) }
  }
}

extension AccessToken: Redacted {
  /// The type's name, never the token.
  public var description: String { "AccessToken(redacted)" }
}

extension AccessToken: Equatable {
  /// Whether both are the same token.
  public static func == (left: AccessToken, right: AccessToken) -> Bool {
    left.facts === right.facts || left.value == right.value
  }
}

/// Nanoseconds between two moments in seconds since 1970, clamped so that sums cannot overflow.
private func saturating(_ end: Int64, minus now: Int64) -> Int64 {
  let (difference, overflow) = end.subtractingReportingOverflow(now)
  // Clamp to 100 years so that the sum cannot overflow.
  let limit: Int64 = 100 * 365 * 86_400
  let seconds = overflow ? limit : min(max(difference, -limit), limit)
  return seconds * 1_000_000_000
}
