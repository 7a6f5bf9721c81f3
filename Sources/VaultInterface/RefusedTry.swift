extension UnavailableReason {
  /// Whether the provider refused the last try of an exchange that stays in doubt.
  ///
  /// The answer to an earlier try may have been lost.
  ///
  /// - Parameter status: the HTTP status of the answer; `nil` if none came.
  /// - Returns: whether the login is kept.
  public func isRefusal(status: Int?) -> Bool {
    self == .uncertain && status.map((400...499).contains) == true
  }
}
