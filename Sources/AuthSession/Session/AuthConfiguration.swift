/// How a session behaves.
public struct AuthConfiguration: Sendable, Hashable {
  /// How someone may show that they are here.
  public var presencePolicy: PresencePolicy
  /// Why the app asks where a call needs a presence check by itself, such as a refresh; in the app's
  /// own words, shown to the person.
  public var presenceReason: String?
  /// How long before its end the vault refreshes the access token; nil: not ahead.
  ///
  /// It does so only where no presence check is needed at that moment.
  public var refreshAhead: Duration?
  /// Whether a locked session refuses tokens until `unlock()`; else it asks for a presence check
  /// when the vault does.
  public var refusesWhileLocked: Bool
  /// After how many failed presence checks in a row the session signs out; nil: never.
  ///
  /// The reader itself is locked after five, whatever stands here.
  public var failedChecksBeforeSignOut: Int?

  /// How the session tries again by itself if the network or the provider fails for a moment; `nil`: it
  /// does not, and each such failure is an error at once.
  public var retry: RetryPolicy?

  /// Of these parts.
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
