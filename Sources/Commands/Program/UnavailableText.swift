internal import HelperInterface
internal import VaultInterface

/// The texts for a provider, or a host of a request, that was not reached or is not trusted.
enum UnavailableText {
  /// The hint for an error.
  ///
  /// - Parameters:
  ///   - reason: the reason; `nil` if the message says all.
  ///   - retryAfter: the seconds until the next try; `nil` if they are not known.
  ///   - status: the provider's HTTP status, if it answered.
  ///   - isOffline: whether there was no connection: the host name may be wrong.
  /// - Returns: the hint.
  static func hint(
    _ reason: UnavailableReason?,
    retryAfter: Int?,
    status: Int? = nil,
    isOffline: Bool = false
  ) -> String {
    let when = retryAfter.map { "in \(Durations.text(Int64($0)))" } ?? "later"
    switch reason {
    case nil where isOffline:
      return "nothing is lost; check the network and the host name, and try again \(when)"
    case nil, .notAnswering: return "nothing is lost; try again \(when)"
    case let reason? where reason.isRefusal(status: status):
      return "the login is kept; try again \(when)"
    case .uncertain: return "the provider may have received the request; try again \(when)"
    case .refusedOnce:
      return "try again \(when), or sign in now. A second refusal requires a login"
    case .authority:
      return "nothing was sent. If the authority is your own: provider add --ca FILE, or "
        + edit("ca = FILE") + ". Otherwise, do not trust this network"
    case .expired:
      return "nothing was sent. The server needs a new certificate; check this machine's clock too"
    case .notYetValid: return "nothing was sent. Set this machine's clock: thumblatch doctor"
    case .name:
      return
        "nothing was sent. Check the host in the provider's file; --ca and --pin do not replace"
        + " this check"
    case .pin:
      return "nothing was sent. If the server has a new key: provider add --pin, or "
        + edit("pins = sha256//...") + ". Otherwise, do not trust this network"
    case .listener:
      return "a token must not reach another user. In a sandbox that hides users, start the engine"
        + " outside it. If that program is the provider, allow its user (id -u NAME): "
        + edit("loopback_users = NUMBER")
    case .certificate:
      return "nothing was sent. The server must speak TLS 1.2 or later. This machine needs the"
        + " certificates of authorities: the package ca-certificates, or a valid ca of the provider"
    }
  }

  private static func edit(_ line: String) -> String {
    "\(line) in the provider's file, then thumblatch provider apply P for accounts that are signed"
      + " in"
  }

  /// The reason of a connection that was refused before a request; `nil` for any other failure.
  static func reason(_ failure: ExchangeFailure) -> UnavailableReason? {
    switch failure {
    case .refused, .silent: .notAnswering
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

  /// The problem with a host that is not trusted, or that did not answer.
  static func text(_ reason: UnavailableReason, at host: String, isSilent: Bool) -> String {
    switch reason {
    case .notAnswering:
      "\(host) is not answering "
        + (isSilent ? "(it accepted the connection but sent nothing)" : "(connection refused)")
    case .authority: "the certificate of \(host) is from an authority that is not trusted here"
    case .expired: "the certificate of \(host) has expired"
    case .notYetValid: "the certificate of \(host) is not valid yet by this machine's clock"
    case .name: "\(host) sent the certificate of another host"
    case .pin: "the key of \(host) is not one of the pinned keys"
    case .listener: "the user whose program listens at \(host) is not known"
    case .certificate, .uncertain, .refusedOnce: "no TLS connection to \(host) could be made"
    }
  }
}
