public import JSON
public import SecretMemory

/// How an HTTP request ended.
public enum ExchangeReply: VarlinkRecord {
  /// The request's first byte is about to be sent; another reply follows.
  case begun
  /// The outcome lies in the slot, durable.
  case done
  /// The slot could not be written: this is what it would hold.
  case sealed([UInt8])
  /// The answer to a request without a slot; `retryAfter` in seconds.
  case answered(status: Int, retryAfter: Int?, body: SharedSecret)
  /// Nothing of the request was sent.
  case notSent(ExchangeFailure)
  /// Nothing of the request was sent: a program that is not the provider's listens at its loopback
  /// address; of this user, if it is known.
  case untrustedListener(user: Int?)
  /// The request may have been received, and no whole answer came: the slot is as it was.
  case lost(ExchangeFailure)

  private enum Name: String, CaseIterable, WireValue {
    case begun
    case done
    case sealed
    case answered
    case notSent = "not_sent"
    case lost
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("outcome") as Name {
    case .begun: self = .begun
    case .done: self = .done
    case .sealed:
      let sealed: WireBytes = try object.required("sealed")
      self = .sealed(sealed.bytes)
    case .answered:
      let body: WireSecret = try object.required("body")
      self = .answered(
        status: try object.required("status"),
        retryAfter: try object.optional("retry_after"),
        body: body.secret
      )
    case .notSent:
      let reason: ExchangeFailure = try object.required("reason")
      self =
        reason == .listener
        ? .untrustedListener(user: try object.optional("user")) : .notSent(reason)
    case .lost: self = .lost(try object.required("reason"))
    }
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .begun: try .wire(["outcome": Name.begun])
      case .done: try .wire(["outcome": Name.done])
      case .sealed(let bytes):
        try .wire(["outcome": Name.sealed, "sealed": WireBytes(bytes: bytes)])
      case .answered(let status, let retryAfter, let body):
        try .wire([
          "outcome": Name.answered, "status": status, "retry_after": retryAfter,
          "body": WireSecret(secret: body),
        ])
      case .notSent(let reason): try .wire(["outcome": Name.notSent, "reason": reason])
      case .untrustedListener(let user):
        try .wire(["outcome": Name.notSent, "reason": ExchangeFailure.listener, "user": user])
      case .lost(let reason): try .wire(["outcome": Name.lost, "reason": reason])
      }
    }
  }
}
