public import JSON
public import SecretMemory

/// One HTTP request; with a slot's descriptor at the first byte where `key` is set.
public struct ExchangeCall: VarlinkMethod {
  /// What it brings.
  public typealias Reply = ExchangeReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Helper.Exchange"

  /// Such as `POST`.
  public var httpMethod: String
  /// Where.
  public var url: String
  /// Each as `Name: value`.
  public var headers: [String]
  /// The value of a header `Authorization` besides.
  public var credentials: SharedSecret?
  /// What is sent.
  public var body: SharedSecret?
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
  /// The one-use key for the slot, 32 bytes.
  public var key: SharedSecret?
  /// What the sealed answer is bound to.
  public var context: [UInt8]?
  /// Whether it may go to this machine or to its link.
  public var local: Bool
  /// The users, besides root, whose programs may get it over loopback in plain text; `nil`: the
  /// helper's own.
  public var listeners: [Int]?
  /// How long the connection may take, in milliseconds; nil: 10,000.
  public var connectTimeout: Int?
  /// Whether nothing of it is sent before `Proceed`; the connection may be made before.
  public var waits: Bool

  /// Of these parts.
  public init(
    httpMethod: String,
    url: String,
    headers: [String],
    credentials: SharedSecret? = nil,
    body: SharedSecret? = nil,
    ca: String? = nil,
    pins: [String],
    proxy: String? = nil,
    timeout: Int,
    maximumBody: Int,
    key: SharedSecret? = nil,
    context: [UInt8]? = nil,
    local: Bool = false,
    listeners: [Int]? = nil,
    connectTimeout: Int? = nil,
    waits: Bool = false
  ) {
    self.httpMethod = httpMethod
    self.url = url
    self.headers = headers
    self.credentials = credentials
    self.body = body
    self.ca = ca
    self.pins = pins
    self.proxy = proxy
    self.timeout = timeout
    self.maximumBody = maximumBody
    self.key = key
    self.context = context
    self.local = local
    self.listeners = listeners
    self.connectTimeout = connectTimeout
    self.waits = waits
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    httpMethod = try object.required("method")
    url = try object.required("url")
    headers = try object.required("headers")
    credentials = try object.optional("credentials")
    let body: WireSecret? = try object.optional("body")
    self.body = body?.secret
    ca = try object.optional("ca")
    pins = try object.required("pins")
    proxy = try object.optional("proxy")
    timeout = try object.required("timeout")
    maximumBody = try object.required("maximum_body")
    let key: WireSecret? = try object.optional("key")
    self.key = key?.secret
    let context: WireBytes? = try object.optional("context")
    self.context = context?.bytes
    local = try object.optional("local") ?? false
    listeners = try object.optional("listeners")
    connectTimeout = try object.optional("connect_timeout")
    waits = try object.optional("waits") ?? false
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "method": httpMethod,
        "url": url,
        "headers": headers,
        "credentials": credentials,
        "body": body.map(WireSecret.init(secret:)),
        "ca": ca,
        "pins": pins,
        "proxy": proxy,
        "timeout": timeout,
        "maximum_body": maximumBody,
        "key": key.map(WireSecret.init(secret:)),
        "context": context.map(WireBytes.init(bytes:)),
        "local": local ? true : nil,
        "listeners": listeners,
        "connect_timeout": connectTimeout,
        "waits": waits ? true : nil,
      ])
    }
  }
}

/// The exchange that waits may send its request.
public struct HelperProceedCall: VarlinkMethod, Equatable {
  /// What it brings: no reply is sent to it.
  public typealias Reply = EmptyReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Helper.Proceed"

  /// Without parameters.
  public init() {}

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {}

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// One print, before a check, an enrolment or a deletion.
public struct LoadPrintCall: VarlinkMethod {
  /// What it brings.
  public typealias Reply = EmptyReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Helper.LoadPrint"

  /// The finger.
  public var finger: String
  /// The print, as the reader's library wrote it.
  public var print: SharedSecret
  /// Whether it was deleted, and may still be on its reader: it passes no check.
  public var former: Bool

  /// Of these parts.
  public init(finger: String, print: SharedSecret, former: Bool = false) {
    self.finger = finger
    self.print = print
    self.former = former
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    finger = try object.required("finger")
    let print: WireSecret = try object.required("print")
    self.print = print.secret
    former = try object.optional("former") ?? false
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "finger": finger,
        "print": WireSecret(secret: print),
        "former": former ? true : nil,
      ])
    }
  }
}

/// One presence check.
public struct HelperCheckCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = HelperCheckEvent
  /// The full name of the method.
  public static let method = "io.thumblatch.Helper.Check"

  /// How.
  public var presenceMethod: PresenceMethod
  /// The login name, for the password.
  public var user: String?
  /// In milliseconds.
  public var timeout: Int
  /// SHA-256 of each of the desktop's prints that takes part.
  public var desktopDigests: [[UInt8]]?
  /// The fingers that fprintd is expected to tell of: these and no others.
  public var desktopFingers: [String]?
  /// The finger whose print comes first, where the reader takes one at a time.
  public var firstFinger: String?

  /// Of these parts.
  public init(
    presenceMethod: PresenceMethod,
    user: String? = nil,
    timeout: Int,
    desktopDigests: [[UInt8]]? = nil,
    desktopFingers: [String]? = nil,
    firstFinger: String? = nil
  ) {
    self.presenceMethod = presenceMethod
    self.user = user
    self.timeout = timeout
    self.desktopDigests = desktopDigests
    self.desktopFingers = desktopFingers
    self.firstFinger = firstFinger
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    presenceMethod = try object.required("method")
    user = try object.optional("user")
    timeout = try object.required("timeout")
    let digests: [WireBytes]? = try object.optional("desktop_digests")
    desktopDigests = digests?.map(\.bytes)
    desktopFingers = try object.optional("desktop_fingers")
    firstFinger = try object.optional("first_finger")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "method": presenceMethod,
        "user": user,
        "timeout": timeout,
        "desktop_digests": desktopDigests?.map(WireBytes.init(bytes:)),
        "desktop_fingers": desktopFingers,
        "first_finger": firstFinger,
      ])
    }
  }
}

/// Answers a question of a password check.
public struct HelperRespondCall: VarlinkMethod {
  /// What it brings.
  public typealias Reply = HelperCheckEvent
  /// The full name of the method.
  public static let method = "io.thumblatch.Helper.Respond"

  /// The answer, in UTF-8.
  public var text: SharedSecret

  /// Of these parts.
  public init(text: SharedSecret) {
    self.text = text
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    text = try object.required("text")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["text": text]) }
  }
}

/// Enrols a finger, with `more`.
public struct HelperEnrollCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = HelperEnrollReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Helper.Enroll"

  /// The finger.
  public var finger: String
  /// In milliseconds, for each touch.
  public var timeout: Int
  /// Whether the print stays on the reader only if `HelperKeepCall` follows.
  public var keep: Bool

  /// Of these parts.
  public init(finger: String, timeout: Int, keep: Bool = false) {
    self.finger = finger
    self.timeout = timeout
    self.keep = keep
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    finger = try object.required("finger")
    timeout = try object.required("timeout")
    keep = try object.optional("keep") ?? false
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["finger": finger, "timeout": timeout, "keep": keep ? true : nil])
    }
  }
}
