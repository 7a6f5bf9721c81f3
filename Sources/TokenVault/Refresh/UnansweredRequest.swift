internal import Configuration

/// Why a provider was not reached, or what is not known of it, where a caller may want to tell.
package enum Unavailability: String, Sendable, Equatable {
  /// The machine is there, and no program listens at the port.
  case notAnswering = "not_answering"
  /// The certificate is of an authority that is not trusted.
  case authority = "certificate_authority"
  /// The certificate has expired.
  case expired = "certificate_expired"
  /// The certificate is not valid yet.
  case notYetValid = "certificate_not_yet_valid"
  /// The certificate is another host's.
  case name = "certificate_name"
  /// TLS failed for another reason.
  case certificate
  /// The key is none of those that are pinned.
  case pin
  /// A program that is not the provider's listens at the loopback address.
  case listener
  /// The provider may have taken what was sent: no answer came that says so, or that it has not.
  case uncertain
  /// The refresh token was refused once without a reason; a second time counts.
  case refusedOnce = "refused_once"

  /// The reason of a connection that was refused before the request, by the exchange helper's word
  /// for it.
  fileprivate init?(word: Substring) {
    switch word {
    case "refused": self = .notAnswering
    case "authority": self = .authority
    case "expired": self = .expired
    case "not_yet_valid": self = .notYetValid
    case "name": self = .name
    case "tls": self = .certificate
    case "pin": self = .pin
    case "listener": self = .listener
    default: return nil
    }
  }

  /// Whether the other side was reached and is not trusted: to ask again helps as little in a moment.
  var isDistrust: Bool {
    switch self {
    case .authority, .expired, .notYetValid, .name, .certificate, .pin, .listener: true
    case .notAnswering, .uncertain, .refusedOnce: false
    }
  }

  /// Whether the exchange helper's word means that.
  static func isDistrust(_ word: String) -> Bool {
    word.split(separator: " ").first.flatMap { Self(word: $0) }?.isDistrust ?? false
  }
}

extension VaultFailure {
  /// No byte of a request left this machine; `reason` is the exchange helper's word for why.
  ///
  /// - Parameters:
  ///   - reason: such as `resolve`, or `listener 1000` with the user who listens there.
  ///   - url: where the request was to go.
  ///   - terms: how it was to go there.
  ///   - retryAfter: when it may be tried again, in seconds.
  /// - Returns: what a caller is told.
  static func notSent(
    _ reason: String,
    to url: String,
    terms: ExchangeTerms,
    retryAfter: Int64? = nil
  ) -> VaultFailure {
    let words = reason.split(separator: " ")
    let target = try? RequestTarget(url)
    let name = target?.hostAndPort ?? "the provider"
    // A host of this machine is reached without the proxy.
    let proxy = target?.isLoopback == true ? nil : terms.proxy
    if let why = words.first.flatMap({ Unavailability(word: $0) }) {
      let user = why == .listener ? words.dropFirst().first.map { String($0) } : nil
      let text = text(why, at: name, proxy, user: user)
      return .unavailable(why, text, retryAfter: retryAfter)
    }
    switch reason {
    // No address, no connection, or none in time: it says nothing of the provider.
    case "resolve", "connect", "timeout":
      return .offline(
        "no network: \(name) cannot be reached from here (\(reason))",
        retryAfter: retryAfter
      )
    case "local":
      // A word of the exchange helper in the service alone.
      return .refused(
        "nothing was sent: \(name), or its proxy, is this machine or its own link, where the vault"
          + " goes only for a provider in /etc/thumblatch/providers.d (an administrator can put it"
          + " there, just as it is)"
      )
    default:
      return .providerUnavailable("nothing was sent to \(name) (\(reason))", retryAfter: retryAfter)
    }
  }

  private static func text(
    _ why: Unavailability,
    at name: String,
    _ proxy: String?,
    user: String?
  ) -> String {
    switch why {
    case .notAnswering:
      proxy.map { "\(name), or its proxy \($0), is not answering (connection refused)" }
        ?? "\(name) is not answering (connection refused)"
    case .authority: "the certificate of \(name) is from an authority that is not trusted here"
    case .expired: "the certificate of \(name) has expired"
    case .notYetValid: "the certificate of \(name) is not valid yet by this machine's clock"
    case .name: "\(name) sent the certificate of another host"
    case .pin: "the key of \(name) is not one of the pinned keys"
    case .listener:
      user.map { "nothing was sent: a program of user \($0) listens at \(proxy ?? name)" }
        ?? "nothing was sent: the user whose program listens at \(proxy ?? name) is not known"
    default: "no TLS connection to \(name) could be made"
    }
  }

  /// The same failure of a request that was to be made again because the answer to an earlier one was
  /// lost: that one may have been taken.
  var afterLostAnswer: VaultFailure {
    switch self {
    case .offline(let why, let wait, _): .offline(why, retryAfter: wait, isUncertain: true)
    case .unavailable(.notAnswering, let why, let wait, let status),
      .providerUnavailable(let why, let wait, let status):
      .unavailable(.uncertain, why, retryAfter: wait, status: status)
    default: self
    }
  }

  /// The request may have been received, and there is no whole answer.
  static func unanswered(_ reason: String, by url: String) -> VaultFailure {
    let name = (try? RequestTarget(url).hostAndPort) ?? "the provider"
    return .providerUnavailable("no complete answer came from \(name) (\(reason))", retryAfter: nil)
  }

  /// Whether it is this machine that has no connection.
  var isOffline: Bool {
    if case .offline = self { true } else { false }
  }
}
