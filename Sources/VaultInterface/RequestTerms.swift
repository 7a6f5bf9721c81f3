public import JSON

/// Asks where an account's access token may be sent, and on which terms.
public struct RequestTermsCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = RequestTermsReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.RequestTerms"

  /// The account; nil: the default.
  public var account: String?

  /// Of these parts.
  public init(account: String? = nil) {
    self.account = account
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account]) }
  }
}

/// Where an access token may be sent: as it was at login, whatever files say today.
public struct RequestTermsReply: VarlinkRecord, Equatable {
  /// The account's name.
  public var account: String
  /// The issuer, whose origin is always allowed.
  public var issuer: String
  /// The other hosts that the provider's file named, each as `host` or `host:port`.
  public var hosts: [String]
  /// The certificate authority's PEM; nil: the system's.
  public var ca: String?
  /// Each as `sha256//...`; none: not pinned.
  public var pins: [String]
  /// Where the proxy is.
  public var proxy: String?
  /// Users, besides root, whose programs may get a token over loopback in plain text.
  public var listeners: [Int]?
  /// How long a connection may take, in seconds; nil: 10.
  public var connectTimeout: Int?
  /// The same in milliseconds, for the helper: between 1 s and 600 s, which an engine cannot exceed.
  public var connectMilliseconds: Int? { connectTimeout.map { min(max($0, 1), 600) * 1000 } }

  /// Of these parts.
  public init(
    account: String,
    issuer: String,
    hosts: [String],
    ca: String? = nil,
    pins: [String],
    proxy: String? = nil,
    listeners: [Int]? = nil,
    connectTimeout: Int? = nil
  ) {
    self.account = account
    self.issuer = issuer
    self.hosts = hosts
    self.ca = ca
    self.pins = pins
    self.proxy = proxy
    self.listeners = listeners
    self.connectTimeout = connectTimeout
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    issuer = try object.required("issuer")
    hosts = try object.required("hosts")
    ca = try object.optional("ca")
    pins = try object.required("pins")
    proxy = try object.optional("proxy")
    listeners = try object.optional("listeners")
    connectTimeout = try object.optional("connect_timeout")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "issuer": issuer,
        "hosts": hosts,
        "ca": ca,
        "pins": pins,
        "proxy": proxy,
        "listeners": listeners,
        "connect_timeout": connectTimeout,
      ])
    }
  }
}
