internal import HelperInterface
internal import VaultInterface

/// What helps where a provider, or the host of a request, was not reached or not trusted.
enum UnavailableText {
  /// What to do about it.
  ///
  /// - Parameters:
  ///   - reason: why; `nil` if there is no more to tell than the message.
  ///   - retryAfter: when it may be tried again, in seconds.
  /// - Returns: a hint.
  static func hint(_ reason: UnavailableReason?, retryAfter: Int?) -> String {
    let when = retryAfter.map { "in \(Durations.text(Int64($0)))" } ?? "later"
    switch reason {
    case nil, .notAnswering: return "nothing is lost; try again \(when)"
    case .uncertain: return "the provider may have taken it; try again \(when)"
    case .refusedOnce:
      return "try again \(when): if it is refused once more, a login is required. Or sign in now"
    case .authority:
      return "nothing was sent. If its authority is your own: provider add --ca FILE, or "
        + edit("ca = FILE") + ". If it is not, do not go on over this network"
    case .expired:
      return "nothing was sent. The server needs a new certificate; check this machine's clock too"
    case .notYetValid: return "nothing was sent. Set this machine's clock: thumblatch doctor"
    case .name:
      return
        "nothing was sent. Check the host in the provider's file; --ca and --pin do not replace"
        + " this check"
    case .pin:
      return "nothing was sent. If the server has a new key: provider add --pin, or "
        + edit("pins = sha256//...") + ". If it has not, do not go on over this network"
    case .listener:
      return "a refresh token must not reach another user. If that program is the provider, name"
        + " its user (id -u NAME): " + edit("loopback_users = NUMBER")
    case .certificate:
      return "nothing was sent. The server speaks no TLS that is accepted here (1.2 or later)"
    }
  }

  private static func edit(_ line: String) -> String {
    "\(line) in the provider's file, then thumblatch provider apply P for accounts that are signed"
      + " in"
  }

  /// The reason of a connection that was refused before a request; `nil` for any other failure.
  static func reason(_ failure: ExchangeFailure) -> UnavailableReason? {
    switch failure {
    case .refused: .notAnswering
    case .tls: .certificate
    case .authority: .authority
    case .expired: .expired
    case .notYetValid: .notYetValid
    case .name: .name
    case .pin: .pin
    case .listener: .listener
    case .resolve, .connect, .timeout, .tooLarge, .local, .other: nil
    }
  }

  /// What is wrong with a host that was reached and not trusted, or that did not answer.
  static func text(_ reason: UnavailableReason, at host: String) -> String {
    switch reason {
    case .notAnswering: "\(host) is not answering (connection refused)"
    case .authority: "the certificate of \(host) is of an authority that is not trusted here"
    case .expired: "the certificate of \(host) has expired"
    case .notYetValid: "the certificate of \(host) is not valid yet by this machine's clock"
    case .name: "the certificate that came from \(host) is another host's"
    case .pin: "the key of \(host) is none of those that are pinned"
    case .listener: "it is not known whose program listens at \(host)"
    case .certificate, .uncertain, .refusedOnce: "no TLS connection to \(host) could be made"
    }
  }
}

extension CommandError.Reason {
  /// What a program can tell apart.
  init(_ reason: UnavailableReason) {
    self =
      switch reason {
      case .notAnswering: .notAnswering
      case .authority: .certificateAuthority
      case .expired: .certificateExpired
      case .notYetValid: .certificateNotYetValid
      case .name: .certificateName
      case .certificate: .certificate
      case .pin: .pin
      case .listener: .listener
      case .uncertain: .uncertain
      case .refusedOnce: .refusedOnce
      }
  }
}
