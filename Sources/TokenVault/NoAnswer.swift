internal import Configuration

extension VaultFailure {
  /// No byte of a request left this machine; `reason` is the courier's word for why.
  static func notSent(
    _ reason: String,
    to url: String,
    retryAfter: Int64? = nil
  ) -> VaultFailure {
    let name = host(of: url)
    switch reason {
    // No address, no connection, or none in time: it says nothing of the provider.
    case "resolve", "connect", "timeout":
      return .offline(
        "no network: \(name) cannot be reached from here (\(reason))",
        retryAfter: retryAfter
      )
    case "tls":
      return .providerUnavailable(
        "the certificate of \(name) does not hold (tls)",
        retryAfter: retryAfter
      )
    case "pin":
      return .providerUnavailable(
        "the key of \(name) is none of those that are pinned (pin)",
        retryAfter: retryAfter
      )
    case "local":
      // A word of the courier in the service alone.
      return .refused(
        "nothing was sent: \(name), or its proxy, is this machine or its own link, where the vault"
          + " goes only for a provider in /etc/thumblatch/providers.d (an administrator can put it"
          + " there, just as it is)"
      )
    default:
      return .providerUnavailable("nothing was sent to \(name) (\(reason))", retryAfter: retryAfter)
    }
  }

  /// The request may have been received, and there is no whole answer.
  static func unanswered(_ reason: String, by url: String) -> VaultFailure {
    .providerUnavailable("no whole answer came from \(host(of: url)) (\(reason))", retryAfter: nil)
  }

  /// What a person knows the other side by.
  private static func host(of url: String) -> String {
    (try? RequestTarget(url).hostAndPort) ?? "the provider"
  }

  /// Whether it is this machine that has no connection.
  var isOffline: Bool {
    if case .offline = self { true } else { false }
  }
}
