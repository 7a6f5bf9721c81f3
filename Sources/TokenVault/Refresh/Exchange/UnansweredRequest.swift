internal import Configuration

/// Why a provider was not reached, as far as a caller can tell the reasons apart.
package enum Unavailability: String, Sendable, Equatable {
  /// The machine responds, but no program listens at the port, or the program does not answer.
  case notAnswering = "not_answering"
  /// The authority of the certificate is not trusted.
  case authority = "certificate_authority"
  case expired = "certificate_expired"
  case notYetValid = "certificate_not_yet_valid"
  /// The certificate belongs to another host.
  case name = "certificate_name"
  /// TLS failed for another reason.
  case certificate
  /// The key is not among the pinned ones.
  case pin
  /// Another program than the provider's listens at the loopback address.
  case listener
  /// The provider may have taken the request: no answer says whether it did.
  case uncertain
  /// The refresh token was refused once without a reason; a second refusal counts.
  case refusedOnce = "refused_once"

  /// The reason why no request was sent, by the exchange helper's word for it.
  fileprivate init?(word: Substring) {
    switch word {
    case "refused", "silent": self = .notAnswering
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

  /// Whether the other side was reached and is not trusted, so that a retry does not help.
  var isDistrust: Bool {
    switch self {
    case .authority, .expired, .notYetValid, .name, .certificate, .pin, .listener: true
    case .notAnswering, .uncertain, .refusedOnce: false
    }
  }

  /// Whether the exchange helper's word means distrust.
  static func isDistrust(_ word: String) -> Bool {
    word.split(separator: " ").first.flatMap { Self(word: $0) }?.isDistrust ?? false
  }
}

extension VaultFailure {
  /// No byte of a request left this machine.
  ///
  /// - Parameters:
  ///   - reason: the exchange helper's word, such as `resolve`, or `listener 1000` with the user of
  ///     the listening program.
  ///   - url: the destination of the request.
  ///   - terms: the terms of the connection.
  ///   - retryAfter: when it may be tried again, in seconds.
  /// - Returns: the failure for the caller.
  static func notSent(
    _ reason: String,
    to url: String,
    terms: ExchangeTerms,
    retryAfter: Int64? = nil
  ) -> VaultFailure {
    let words = reason.split(separator: " ")
    let target = try? RequestTarget(url)
    let name = target?.hostAndPort ?? "the provider"
    // This machine is reached without the proxy.
    let proxy = target?.isLoopback == true ? nil : terms.proxy
    if let why = words.first.flatMap({ Unavailability(word: $0) }) {
      let user = why == .listener ? words.dropFirst().first.map { String($0) } : nil
      let text = text(why, at: name, proxy, user: user, isSilent: reason == "silent")
      return .unavailable(why, text, retryAfter: retryAfter)
    }
    switch reason {
    // No address, no connection, or none in time, which says nothing of the provider.
    case "resolve", "connect", "timeout":
      let proxyToo = proxy.map { ", or no way through the proxy \($0)" } ?? ""
      return .offline(
        "no network\(proxyToo): \(name) cannot be reached from here\(note(reason))",
        retryAfter: retryAfter
      )
    case "local":
      // Only the exchange helper of the service says this.
      return .refused(
        "nothing was sent: \(name), or its proxy, is this machine or its own link, where the vault"
          + " goes only for a provider in /etc/thumblatch/providers.d (an administrator can put it"
          + " there, just as it is)"
      )
    // The exchange helper refuses a pin with plain http, which has no key to compare.
    case _ where target?.scheme == "http" && !terms.pins.isEmpty:
      return .misconfigured(
        "nothing was sent to \(name): plain http has no key to compare, so leave out pins in the"
          + " provider's file"
      )
    default:
      let text = "nothing was sent to \(name)\(note(reason))"
      return .providerUnavailable(text, retryAfter: retryAfter)
    }
  }

  private static func text(
    _ why: Unavailability,
    at name: String,
    _ proxy: String?,
    user: String?,
    isSilent: Bool
  ) -> String {
    switch why {
    case .notAnswering:
      "\(name)\(proxy.map { ", or its proxy \($0)," } ?? "") is not answering"
        + (isSilent ? " (it accepted the connection but sent nothing)" : " (connection refused)")
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

  /// The same failure of a retry after a lost answer: the provider may have taken the earlier
  /// request.
  var afterLostAnswer: VaultFailure {
    switch self {
    case .offline(let why, let wait, _): .offline(why, retryAfter: wait, isUncertain: true)
    case .unavailable(.notAnswering, let why, let wait, let status),
      .providerUnavailable(let why, let wait, let status):
      .unavailable(.uncertain, why, retryAfter: wait, status: status)
    default: self
    }
  }

  /// The provider may have received the request, and no whole answer came.
  static func unanswered(_ reason: String, by url: String) -> VaultFailure {
    let name = (try? RequestTarget(url).hostAndPort) ?? "the provider"
    return .providerUnavailable("no complete answer came from \(name)\(note(reason))")
  }

  /// The reason in parentheses, after a space; empty for an unknown word of the helper.
  ///
  /// A reason of several words is a text of the engine, such as why the helper did not start.
  private static func note(_ reason: String) -> String {
    switch reason {
    case "resolve": " (its address was not found)"
    case "connect": " (no connection)"
    case "timeout": " (the request timed out)"
    case "reset": " (the connection broke off)"
    case "truncated": " (the answer is not complete)"
    case "too_large": " (the answer is too long)"
    case _ where reason.contains(" "): " (\(reason))"
    default: ""
    }
  }

  /// The failure for an answer with more bytes than the exchange helper reads.
  static func tooLarge(from url: String) -> VaultFailure {
    .providerUnavailable("the answer of \(url) is too large")
  }

  /// Whether this machine has no connection.
  var isOffline: Bool {
    if case .offline = self { true } else { false }
  }
}
