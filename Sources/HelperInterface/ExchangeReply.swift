package import JSON
package import SecretMemory
package import Varlink

/// The result of an HTTP request.
package enum ExchangeReply: VarlinkRecord {
  /// The request's first byte is about to be sent.
  ///
  /// Another reply follows.
  case begun
  /// The outcome is in the slot, durable.
  case done
  /// The slot could not be written.
  ///
  /// The value is what it would hold.
  case sealed([UInt8])
  /// The answer to a request without a slot; `retryAfter` in seconds.
  case answered(status: Int, retryAfter: Int?, body: SharedSecret)
  /// No part of the request was sent.
  case notSent(ExchangeFailure)
  /// No part of the request was sent, because a program that is not the provider's listens at its
  /// loopback address.
  ///
  /// The value is its user if that is known.
  case untrustedListener(user: Int?)
  /// The request may have been received, but no whole answer arrived.
  ///
  /// The slot is unchanged.
  case lost(ExchangeFailure)

  private typealias Members = HelperExchangeMembers

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required(Members.outcome) {
    case .begun: self = .begun
    case .done: self = .done
    case .sealed:
      self = .sealed(try object.required(Members.sealed).bytes)
    case .answered:
      let body = try object.required(Members.body)
      self = .answered(
        status: try object.required(Members.status),
        retryAfter: try object.optional(Members.retryAfter),
        body: body.secret
      )
    case .notSent:
      let reason = try object.required(Members.reason)
      self =
        reason == .listener
        ? .untrustedListener(user: try object.optional(Members.user)) : .notSent(reason)
    case .lost: self = .lost(try object.required(Members.reason))
    }
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .begun: try .wire([Members.outcome(.begun)])
      case .done: try .wire([Members.outcome(.done)])
      case .sealed(let bytes):
        try .wire([Members.outcome(.sealed), Members.sealed(WireBytes(bytes: bytes))])
      case .answered(let status, let retryAfter, let body):
        try .wire([
          Members.outcome(.answered), Members.status(status), Members.retryAfter(retryAfter),
          Members.body(WireSecret(secret: body)),
        ])
      case .notSent(let reason):
        try .wire([Members.outcome(.notSent), Members.reason(reason)])
      case .untrustedListener(let user):
        try .wire([
          Members.outcome(.notSent), Members.reason(.listener), Members.user(user),
        ])
      case .lost(let reason): try .wire([Members.outcome(.lost), Members.reason(reason)])
      }
    }
  }
}
