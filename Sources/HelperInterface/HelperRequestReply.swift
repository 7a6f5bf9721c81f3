package import JSON
package import Varlink

/// The result of a client's request.
package enum HelperRequestReply: VarlinkRecord, Equatable {
  /// A whole answer.
  ///
  /// Its body of `length` bytes is in descriptor 3, and each header has the form `Name: value`.
  case answered(
    status: Int,
    length: Int,
    contentType: String?,
    location: String?,
    headers: [String] = []
  )
  /// No part of the request was sent.
  case notSent(ExchangeFailure)
  /// No part of the request was sent, because a program that is not the provider's listens at its
  /// loopback address.
  ///
  /// The value is its user if that is known.
  case untrustedListener(user: Int?)
  /// The request may have been received, but no whole answer arrived.
  case lost(ExchangeFailure)

  private typealias Members = HelperRequestMembers

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required(Members.outcome) {
    case .answered:
      self = .answered(
        status: try object.required(Members.status),
        length: try object.required(Members.length),
        contentType: try object.optional(Members.contentType),
        location: try object.optional(Members.location),
        headers: try object.optional(Members.headers) ?? []
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
      case .answered(let status, let length, let contentType, let location, let headers):
        try .wire([
          Members.outcome(.answered), Members.status(status), Members.length(length),
          Members.contentType(contentType), Members.location(location),
          Members.headers(headers.isEmpty ? nil : headers),
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
