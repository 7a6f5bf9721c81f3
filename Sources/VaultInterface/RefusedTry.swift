extension UnavailableReason {
  /// Whether a provider refused the last try of an exchange that stays in doubt.
  ///
  /// Then the login is kept. The answer to an earlier try may have been lost.
  ///
  /// - Parameter status: the HTTP status of the answer; `nil` if none came.
  /// - Returns: whether that is so.
  public func isRefusal(status: Int?) -> Bool {
    self == .uncertain && status.map((400...499).contains) == true
  }
}
