/// The settings of a session.
public struct AuthConfiguration: Sendable, Hashable {
  /// The ways in which a person may show presence.
  public var presencePolicy: PresencePolicy
  /// The app's reason for a presence check that a call needs by itself, such as a refresh.
  ///
  /// The person sees this text. For a token, the audit log records up to 200 characters of it.
  public var presenceReason: String?
  /// How long before its end the vault refreshes the access token; `nil` if it does not refresh
  /// ahead.
  ///
  /// The vault refreshes ahead only if that needs no presence check at that moment, and only a
  /// token that lives longer than ten minutes. The time is at least one minute. It is at most one
  /// hour, and at most half of the token's lifetime. If a refresh ahead fails, the next call
  /// refreshes.
  public var refreshAhead: Duration?
  /// Whether a locked session refuses tokens until `unlock()`.
  ///
  /// If false, it asks for a presence check when the vault does.
  public var refusesWhileLocked: Bool
  /// The number of failed presence checks in a row after which the session signs out; `nil` if it
  /// never does.
  ///
  /// The reader itself is locked after five failed checks, whatever this value is.
  public var failedChecksBeforeSignOut: Int?

  /// How the session tries again by itself if the network or the provider fails for a moment;
  /// `nil`: it does not, and each such failure is an error at once.
  public var retry: RetryPolicy?

  /// Makes a configuration.
  ///
  /// Each parameter sets the property of its name.
  public init(
    presencePolicy: PresencePolicy = .fingerprintOrPassword,
    presenceReason: String? = nil,
    refreshAhead: Duration? = .seconds(300),
    refusesWhileLocked: Bool = false,
    failedChecksBeforeSignOut: Int? = nil,
    retry: RetryPolicy? = nil
  ) {
    self.presencePolicy = presencePolicy
    self.presenceReason = presenceReason
    self.refreshAhead = refreshAhead
    self.refusesWhileLocked = refusesWhileLocked
    self.failedChecksBeforeSignOut = failedChecksBeforeSignOut
    self.retry = retry
  }
}
