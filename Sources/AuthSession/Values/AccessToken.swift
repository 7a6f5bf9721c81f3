internal import System

/// A token that opens an API for a short time.
///
/// It prints as `AccessToken(redacted)`: only `value` and `authorization` hand it out, to be put
/// into a request and nowhere else.
public struct AccessToken: Sendable {
  /// One reference, so that handing a token around costs one reference count.
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

  /// The token itself: never log it.
  public var value: String { facts.value }
  /// Such as `Bearer` (RFC 6749, section 7.1).
  public var type: String { facts.type }
  /// What it was granted for; `nil` if the provider did not say.
  public var scopes: [String]? { facts.scopes }
  /// When it ends, in seconds since 1970; `nil` if the provider did not say.
  public var expiresAt: Int64? { facts.expiresAt }
  /// Whether even a new one does not live as long as was asked for.
  public var isShorterThanRequested: Bool { facts.isShorterThanRequested }

  /// The value of the `Authorization` header that carries it (RFC 6750, section 2.1), for an HTTP
  /// library of the app's own.
  public var authorization: String {
    // "bearer" in any case is Bearer (RFC 6749, section 5.1).
    "\(facts.type.lowercased() == "bearer" ? "Bearer" : facts.type) \(facts.value)"
  }

  /// A token as a vault gives it.
  ///
  /// - Parameters:
  ///   - value: the token.
  ///   - type: such as `Bearer`.
  ///   - expiresAt: seconds since 1970; `nil` if it is not known.
  ///   - scopes: what it was granted for; `nil` if it is not known.
  ///   - isShorterThanRequested: whether a longer life was asked for than the provider gives.
  ///   - clock: what the end of its life is turned by into one that no change of the time of day
  ///     moves.
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

  /// Whether it is still valid for `lifetime` nanoseconds from `now` on, as far as is known.
  @inline(__always)
  func lasts(_ lifetime: Int64, from now: Int64) -> Bool {
    facts.end &- now > lifetime
  }

  /// How long one is used whose end the provider did not tell, in nanoseconds; as the vault does.
  private static let assumedLifetime: Int64 = 300_000_000_000

  /// How long it lasts from `now` on; `nil` if its end is not known.
  func remaining(from now: Int64) -> Duration? {
    facts.expiresAt.map { _ in .nanoseconds(max(0, facts.end - now)) }
  }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Never the token.
  public var description: String { "AccessToken(redacted)" }
  /// Never the token.
  public var debugDescription: String { description }
  /// Without members: `dump` shows none.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AccessToken: Equatable {
  /// Whether both are the same token.
  public static func == (left: AccessToken, right: AccessToken) -> Bool {
    left.facts === right.facts || left.value == right.value
  }
}

/// Nanoseconds from one moment to another, both in seconds since 1970, within a range that adds.
private func saturating(_ end: Int64, minus now: Int64) -> Int64 {
  let (difference, overflow) = end.subtractingReportingOverflow(now)
  // A hundred years are for ever.
  let limit: Int64 = 100 * 365 * 86_400
  let seconds = overflow ? limit : min(max(difference, -limit), limit)
  return seconds * 1_000_000_000
}
