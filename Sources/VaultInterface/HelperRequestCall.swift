public import JSON

/// One HTTP request of a client, whose bodies are descriptors of the helper.
public struct HelperRequestCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = HelperRequestReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Helper.Request"

  /// Such as `GET`.
  public var httpMethod: String
  /// Where.
  public var url: String
  /// Each as `Name: value`.
  public var headers: [String]
  /// Whether descriptor 4 holds a body to send.
  public var sendsBody: Bool
  /// The certificate authority's PEM.
  public var ca: String?
  /// Each as `sha256//...`; none: not pinned.
  public var pins: [String]
  /// Where the proxy is.
  public var proxy: String?
  /// In milliseconds.
  public var timeout: Int
  /// The most bytes of the answer.
  public var maximumBody: Int
  /// The users, besides root, whose programs may get it over loopback in plain text; `nil`: the
  /// helper's own.
  public var listeners: [Int]?
  /// How long the connection may take, in milliseconds; nil: 10,000.
  public var connectTimeout: Int?

  /// Of these parts.
  public init(
    httpMethod: String,
    url: String,
    headers: [String],
    sendsBody: Bool,
    ca: String? = nil,
    pins: [String],
    proxy: String? = nil,
    timeout: Int,
    maximumBody: Int,
    listeners: [Int]? = nil,
    connectTimeout: Int? = nil
  ) {
    self.httpMethod = httpMethod
    self.url = url
    self.headers = headers
    self.sendsBody = sendsBody
    self.ca = ca
    self.pins = pins
    self.proxy = proxy
    self.timeout = timeout
    self.maximumBody = maximumBody
    self.listeners = listeners
    self.connectTimeout = connectTimeout
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    httpMethod = try object.required("method")
    url = try object.required("url")
    headers = try object.required("headers")
    sendsBody = try object.required("sends_body")
    ca = try object.optional("ca")
    pins = try object.required("pins")
    proxy = try object.optional("proxy")
    timeout = try object.required("timeout")
    maximumBody = try object.required("maximum_body")
    listeners = try object.optional("listeners")
    connectTimeout = try object.optional("connect_timeout")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "method": httpMethod,
        "url": url,
        "headers": headers,
        "sends_body": sendsBody,
        "ca": ca,
        "pins": pins,
        "proxy": proxy,
        "timeout": timeout,
        "maximum_body": maximumBody,
        "listeners": listeners,
        "connect_timeout": connectTimeout,
      ])
    }
  }
}

/// How a client's request ended.
public enum HelperRequestReply: VarlinkRecord, Equatable {
  /// A whole answer, whose body of `length` bytes lies behind descriptor 3; its headers each as
  /// `Name: value`.
  case answered(
    status: Int,
    length: Int,
    contentType: String?,
    location: String?,
    headers: [String] = []
  )
  /// Nothing of the request was sent.
  case notSent(ExchangeFailure)
  /// Nothing of the request was sent: a program that is not the provider's listens at its loopback
  /// address; of this user, if it is known.
  case untrustedListener(user: Int?)
  /// The request may have been received, and no whole answer came.
  case lost(ExchangeFailure)

  private enum Name: String, CaseIterable, WireValue {
    case answered
    case notSent = "not_sent"
    case lost
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("outcome") as Name {
    case .answered:
      self = .answered(
        status: try object.required("status"),
        length: try object.required("length"),
        contentType: try object.optional("content_type"),
        location: try object.optional("location"),
        headers: try object.optional("headers") ?? []
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
      case .answered(let status, let length, let contentType, let location, let headers):
        try .wire([
          "outcome": Name.answered, "status": status, "length": length,
          "content_type": contentType, "location": location,
          "headers": headers.isEmpty ? nil : headers,
        ])
      case .notSent(let reason): try .wire(["outcome": Name.notSent, "reason": reason])
      case .untrustedListener(let user):
        try .wire(["outcome": Name.notSent, "reason": ExchangeFailure.listener, "user": user])
      case .lost(let reason): try .wire(["outcome": Name.lost, "reason": reason])
      }
    }
  }
}
