import HTTPTransport
import HelperInterface

extension HTTPError {
  /// Whether it is certain that no byte of the request was sent.
  var isNotSent: Bool {
    switch self {
    case .refused, .notSent, .untrustedListener: true
    case .interrupted: false
    }
  }

  /// The reason in the words of the interface.
  var failure: ExchangeFailure { ExchangeFailure(rawValue: reason.rawValue) ?? .other }

  /// The other user whose program listens at the address, if it is known.
  var user: Int? {
    guard case .untrustedListener(let user?) = self else { return nil }
    return Int(user)
  }

  /// The reason for a slot, which has only one text for it.
  var word: String { reason.rawValue + (user.map { " \($0)" } ?? "") }
}

extension ExchangeReply {
  /// The reply to a request without an answer.
  init(_ error: HTTPError) {
    self = error.isNotSent ? .notSent(error.failure, user: error.user) : .lost(error.failure)
  }
}
