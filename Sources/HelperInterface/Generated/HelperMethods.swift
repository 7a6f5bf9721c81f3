// Written by Scripts/interface from io.thumblatch.Helper.varlink: change that file instead.
// swift-format-ignore-file
package import JSON
package import SecretMemory
package import Varlink
internal import PlainText
package import PresenceTerms

/// Makes one HTTP request. If `key` is set, the descriptor of a slot comes with the first byte of the
/// message (SCM_RIGHTS). The answer is then sealed into the slot and made durable before `done`. With
/// `more`, `begun` comes before the first byte of the request is sent: a helper that ends before it
/// has sent nothing. Times are in milliseconds.
package struct ExchangeCall: VarlinkMethod {
  package typealias Reply = ExchangeReply
  package static let method = "io.thumblatch.Helper.Exchange"

  /// Such as `POST`.
  package var httpMethod: String
  package var url: String
  /// Each as `Name: value`.
  package var headers: [String]
  /// The value of an additional header `Authorization`.
  package var credentials: SharedSecret?
  /// The body of the request.
  package var body: SharedSecret?
  /// The certificate authority, in PEM.
  package var ca: String?
  /// Each as `sha256//...`. If empty, any key is accepted.
  package var pins: [String]
  /// The URL of the proxy.
  package var proxy: String?
  package var timeout: Int
  /// The maximum length of the answer, in bytes.
  package var maximumBody: Int
  /// The key for the slot, for one use: 32 bytes.
  package var key: SharedSecret?
  /// The associated data of the sealed answer.
  package var context: [UInt8]?
  /// Whether the request may go to this machine or its local link, or through a proxy there.
  /// Otherwise the helper does not connect to such an address, by whichever name: not_sent, local.
  package var local: Bool
  /// The users, besides root, whose programs may get the request over loopback in plain text, or be
  /// its proxy there. If absent, the helper's own user. For other users: not_sent, listener, with the
  /// user if it is known.
  package var listeners: [Int]?
  /// How long the connection may take. If absent, 10000.
  package var connectTimeout: Int?
  /// Whether the helper sends nothing of the request before Proceed. It may connect earlier.
  package var waits: Bool
  /// Whether `body` of the reply is the target of the redirect, or empty if there is none. Only
  /// without a slot.
  package var wantsLocation: Bool

  package init(
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
    waits: Bool = false,
    wantsLocation: Bool = false
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
    self.wantsLocation = wantsLocation
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    httpMethod = try object.required("method")
    url = try object.required("url")
    headers = try object.required("headers")
    credentials = try object.optional("credentials")
    body = (try object.optional("body") as WireSecret?)?.secret
    ca = try object.optional("ca")
    pins = try object.required("pins")
    proxy = try object.optional("proxy")
    timeout = try object.required("timeout")
    maximumBody = try object.required("maximum_body")
    key = (try object.optional("key") as WireSecret?)?.secret
    context = (try object.optional("context") as WireBytes?)?.bytes
    local = try object.optional("local") ?? false
    listeners = try object.optional("listeners")
    connectTimeout = try object.optional("connect_timeout")
    waits = try object.optional("waits") ?? false
    wantsLocation = try object.optional("wants_location") ?? false
  }

  package var encoded: JSONObject {
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
        "wants_location": wantsLocation ? true : nil,
      ])
    }
  }
}

/// What `Exchange` answers.
package enum ExchangeReply: VarlinkRecord {
  /// The request's first byte is about to be sent. Another reply follows.
  case begun
  /// The answer is in the slot, and durable.
  case done
  /// The slot could not be written.
  ///
  /// `sealed`: The bytes for the slot.
  case sealed([UInt8])
  /// Without a slot: there is a complete answer.
  ///
  /// `retryAfter`: In seconds.
  case answered(status: Int, retryAfter: Int? = nil, body: SharedSecret)
  /// Without a slot: nothing of the request was sent.
  ///
  /// `user`: With the reason listener: the other user, if it is known.
  case notSent(ExchangeFailure, user: Int? = nil)
  /// The request may have been received, but no complete answer came. A slot is unchanged.
  case lost(ExchangeFailure)

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("outcome") as ExchangeOutcome {
    case .begun: self = .begun
    case .done: self = .done
    case .sealed: self = .sealed((try object.required("sealed") as WireBytes).bytes)
    case .answered: self = .answered(status: try object.required("status"), retryAfter: try object.optional("retry_after"), body: (try object.required("body") as WireSecret).secret)
    case .notSent: self = .notSent(try object.required("reason"), user: try object.optional("user"))
    case .lost: self = .lost(try object.required("reason"))
    }
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .begun: try .wire(["outcome": ExchangeOutcome.begun])
      case .done: try .wire(["outcome": ExchangeOutcome.done])
      case .sealed(let sealed): try .wire(["outcome": ExchangeOutcome.sealed, "sealed": WireBytes(bytes: sealed)])
      case .answered(let status, let retryAfter, let body): try .wire(["outcome": ExchangeOutcome.answered, "status": status, "retry_after": retryAfter, "body": WireSecret(secret: body)])
      case .notSent(let reason, let user): try .wire(["outcome": ExchangeOutcome.notSent, "reason": reason, "user": user])
      case .lost(let reason): try .wire(["outcome": ExchangeOutcome.lost, "reason": reason])
      }
    }
  }
}

/// Makes one HTTP request of a client with its own token, never with a slot. The body of the answer
/// is written to descriptor 3 of the helper. If `sends_body` is true, the body of the request is read
/// from descriptor 4. No redirect is followed. Times are in milliseconds.
package struct HelperRequestCall: VarlinkMethod, Equatable {
  package typealias Reply = HelperRequestReply
  package static let method = "io.thumblatch.Helper.Request"

  /// Such as `GET`.
  package var httpMethod: String
  package var url: String
  /// Each as `Name: value`.
  package var headers: [String]
  package var sendsBody: Bool
  /// The certificate authority, in PEM.
  package var ca: String?
  /// Each as `sha256//...`. If empty, any key is accepted.
  package var pins: [String]
  /// The URL of the proxy.
  package var proxy: String?
  package var timeout: Int
  /// The maximum length of the answer, in bytes.
  package var maximumBody: Int
  /// As for Exchange.
  package var listeners: [Int]?
  /// How long the connection may take. If absent, 10000.
  package var connectTimeout: Int?

  package init(
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

  package init(decoding object: JSONObject) throws(MessageError) {
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

  package var encoded: JSONObject {
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

/// What `Request` answers.
package enum HelperRequestReply: VarlinkRecord, Equatable {
  /// There is a complete answer.
  ///
  /// `length`: How many bytes were written to descriptor 3.
  ///
  /// `location`: The target of a redirect.
  ///
  /// `headers`: The header fields of the answer, each as `Name: value`: at most 100 fields and 16 KiB.
  case answered(status: Int, length: Int, contentType: String? = nil, location: String? = nil, headers: [String] = [])
  /// Nothing of the request was sent.
  ///
  /// `user`: With the reason listener: the other user, if it is known.
  case notSent(ExchangeFailure, user: Int? = nil)
  /// The request may have been received, but no complete answer came.
  case lost(ExchangeFailure)

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("outcome") as RequestOutcome {
    case .answered: self = .answered(status: try object.required("status"), length: try object.required("length"), contentType: try object.optional("content_type"), location: try object.optional("location"), headers: try object.optional("headers") ?? [])
    case .notSent: self = .notSent(try object.required("reason"), user: try object.optional("user"))
    case .lost: self = .lost(try object.required("reason"))
    }
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .answered(let status, let length, let contentType, let location, let headers): try .wire(["outcome": RequestOutcome.answered, "status": status, "length": length, "content_type": contentType, "location": location, "headers": headers.isEmpty ? nil : headers])
      case .notSent(let reason, let user): try .wire(["outcome": RequestOutcome.notSent, "reason": reason, "user": user])
      case .lost(let reason): try .wire(["outcome": RequestOutcome.lost, "reason": reason])
      }
    }
  }
}

/// Lets the waiting exchange send its request. It is called with `oneway`. If the connection closes
/// before it, the helper ends and has sent nothing.
package struct HelperProceedCall: VarlinkMethod, Equatable {
  package typealias Reply = EmptyReply
  package static let method = "io.thumblatch.Helper.Proceed"

  package init() {}

  package init(decoding object: JSONObject) throws(MessageError) {}

  package var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// Loads one print, before Check, Enroll or DeletePrints.
package struct LoadPrintCall: VarlinkMethod {
  package typealias Reply = EmptyReply
  package static let method = "io.thumblatch.Helper.LoadPrint"

  package var finger: String
  /// The print, as libfprint wrote it.
  package var print: SharedSecret
  /// Whether the print was deleted here, but may still be on the reader that stores it. It passes no
  /// check.
  package var former: Bool

  package init(
    finger: String,
    print: SharedSecret,
    former: Bool = false
  ) {
    self.finger = finger
    self.print = print
    self.former = former
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    finger = try object.required("finger")
    print = (try object.required("print") as WireSecret).secret
    former = try object.optional("former") ?? false
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "finger": finger,
        "print": WireSecret(secret: print),
        "former": former ? true : nil,
      ])
    }
  }
}

/// Runs a presence check.
/// fingerprint, with `more`: ready, waiting, retry, then matched, not_matched or failed. The fingers of
/// ListEnrolled count if they are still exactly those of `desktop_digests` (source prints) or
/// `desktop_fingers` (source names). Otherwise the check fails with not_enrolled.
/// password: `ask` (answer with Respond), then matched, not_matched or failed. If a PAM module gives a
/// message, a wrong password is `failed` with `no_match` and that text.
/// key, with `more`: `ask` for its PIN if it needs one (answer with Respond), ready, then matched or
/// failed. A key that holds one of `key_credentials` signs `challenge`. With `key_user`, the only key
/// that is plugged in makes a credential instead, unless it holds one of `key_credentials`.
package struct HelperCheckCall: VarlinkMethod {
  package typealias Reply = HelperCheckEvent
  package static let method = "io.thumblatch.Helper.Check"

  package var presenceMethod: PresenceMethod
  /// The user name, for the password.
  package var user: String?
  /// In milliseconds.
  package var timeout: Int
  /// The SHA-256 of each of the desktop's prints that count.
  package var desktopDigests: [[UInt8]]?
  /// The fingers that fprintd must list: exactly these.
  package var desktopFingers: [String]?
  /// The finger whose print comes first, for a reader that compares with one print at a time.
  package var firstFinger: String?
  /// The names of credentials of security keys.
  package var keyCredentials: [[UInt8]]?
  /// The challenge that the key signs: 32 bytes.
  package var challenge: [UInt8]?
  /// Whether the key must verify its person, by its PIN or its own sensor.
  package var verify: Bool
  /// Whether another device is armed too. The person then touches a key that needs its PIN before
  /// `ask`.
  package var raced: Bool
  /// The user of a new credential: 1 to 64 bytes.
  package var keyUser: [UInt8]?
  /// The name that the key shows for it.
  package var keyName: String?
  /// The PIN for a new credential, in UTF-8.
  package var keyPin: SharedSecret?

  package init(
    presenceMethod: PresenceMethod,
    user: String? = nil,
    timeout: Int,
    desktopDigests: [[UInt8]]? = nil,
    desktopFingers: [String]? = nil,
    firstFinger: String? = nil,
    keyCredentials: [[UInt8]]? = nil,
    challenge: [UInt8]? = nil,
    verify: Bool = false,
    raced: Bool = false,
    keyUser: [UInt8]? = nil,
    keyName: String? = nil,
    keyPin: SharedSecret? = nil
  ) {
    self.presenceMethod = presenceMethod
    self.user = user
    self.timeout = timeout
    self.desktopDigests = desktopDigests
    self.desktopFingers = desktopFingers
    self.firstFinger = firstFinger
    self.keyCredentials = keyCredentials
    self.challenge = challenge
    self.verify = verify
    self.raced = raced
    self.keyUser = keyUser
    self.keyName = keyName
    self.keyPin = keyPin
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    presenceMethod = try object.required("method")
    user = try object.optional("user")
    timeout = try object.required("timeout")
    desktopDigests = (try object.optional("desktop_digests") as [WireBytes]?)?.map(\.bytes)
    desktopFingers = try object.optional("desktop_fingers")
    firstFinger = try object.optional("first_finger")
    keyCredentials = (try object.optional("key_credentials") as [WireBytes]?)?.map(\.bytes)
    challenge = (try object.optional("challenge") as WireBytes?)?.bytes
    verify = try object.optional("verify") ?? false
    raced = try object.optional("raced") ?? false
    keyUser = (try object.optional("key_user") as WireBytes?)?.bytes
    keyName = try object.optional("key_name")
    keyPin = try object.optional("key_pin")
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "method": presenceMethod,
        "user": user,
        "timeout": timeout,
        "desktop_digests": desktopDigests?.map(WireBytes.init(bytes:)),
        "desktop_fingers": desktopFingers,
        "first_finger": firstFinger,
        "key_credentials": keyCredentials?.map(WireBytes.init(bytes:)),
        "challenge": challenge.map(WireBytes.init(bytes:)),
        "verify": verify ? true : nil,
        "raced": raced ? true : nil,
        "key_user": keyUser.map(WireBytes.init(bytes:)),
        "key_name": keyName,
        "key_pin": keyPin,
      ])
    }
  }
}

/// What `Check`, `Respond` answer.
package enum HelperCheckEvent: VarlinkRecord, Equatable {
  /// The reader is armed.
  ///
  /// `name`: The reader.
  ///
  /// `finger`: For matched: the finger that passed, if any. For ready: the only finger that can match, if the
  /// others cannot.
  case ready(name: String? = nil, driver: String? = nil, scan: ScanType? = nil, finger: String? = nil)
  /// The reader waits for a touch. Before `ready`: it is busy, and is tried again.
  case waiting
  /// The reader could not see the finger well.
  case retry(ScanHint)
  /// A question to show. Answer it with Respond.
  ///
  /// `text`: The question, or the message of the module.
  ///
  /// `hidden`: Whether the answer is hidden.
  case ask(text: String, hidden: Bool = true)
  /// With `more`: a message of a PAM module while it works, or with the right password.
  ///
  /// `text`: The question, or the message of the module.
  case says(text: String)
  /// The check passed.
  ///
  /// `finger`: For matched: the finger that passed, if any. For ready: the only finger that can match, if the
  /// others cannot.
  ///
  /// `credential`: The credential that has signed, or the new credential.
  ///
  /// `authenticatorData`: The data that the key has signed together with the challenge (Web Authentication, section 6.1).
  ///
  /// `signature`: Its signature: ECDSA over P-256, in DER.
  ///
  /// `publicKey`: The public key of a new credential: its coordinates on P-256, 64 bytes.
  case matched(finger: String? = nil, credential: [UInt8]? = nil, authenticatorData: [UInt8]? = nil, signature: [UInt8]? = nil, publicKey: [UInt8]? = nil)
  /// Another finger, or a wrong password.
  case notMatched
  /// There was no decision.
  ///
  /// `lost`: With the reason not_enrolled: whether the reader stores its prints itself and no longer has
  /// these.
  ///
  /// `hiddenReader`: With the reason busy: whether the reader is hidden from this process. A new process may find it.
  case failed(PresenceOutcome, detail: String? = nil, lost: Bool = false, hiddenReader: Bool = false)

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("event") as HelperCheckStep {
    case .ready: self = .ready(name: try object.optional("name"), driver: try object.optional("driver"), scan: try object.optional("scan"), finger: try object.optional("finger"))
    case .waiting: self = .waiting
    case .retry: self = .retry(ScanHint(named: try object.optional("hint") ?? "") ?? .general)
    case .ask: self = .ask(text: try object.required("text"), hidden: try object.optional("hidden") ?? true)
    case .says: self = .says(text: try object.required("text"))
    case .matched: self = .matched(finger: try object.optional("finger"), credential: (try object.optional("credential") as WireBytes?)?.bytes, authenticatorData: (try object.optional("authenticator_data") as WireBytes?)?.bytes, signature: (try object.optional("signature") as WireBytes?)?.bytes, publicKey: (try object.optional("public_key") as WireBytes?)?.bytes)
    case .notMatched: self = .notMatched
    case .failed: self = .failed(try object.required("reason"), detail: try object.optional("detail"), lost: try object.optional("lost") ?? false, hiddenReader: try object.optional("hidden_reader") ?? false)
    }
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .ready(let name, let driver, let scan, let finger): try .wire(["event": HelperCheckStep.ready, "name": name, "driver": driver, "scan": scan, "finger": finger])
      case .waiting: try .wire(["event": HelperCheckStep.waiting])
      case .retry(let hint): try .wire(["event": HelperCheckStep.retry, "hint": hint])
      case .ask(let text, let hidden): try .wire(["event": HelperCheckStep.ask, "text": text, "hidden": hidden])
      case .says(let text): try .wire(["event": HelperCheckStep.says, "text": text])
      case .matched(let finger, let credential, let authenticatorData, let signature, let publicKey): try .wire(["event": HelperCheckStep.matched, "finger": finger, "credential": credential.map(WireBytes.init(bytes:)), "authenticator_data": authenticatorData.map(WireBytes.init(bytes:)), "signature": signature.map(WireBytes.init(bytes:)), "public_key": publicKey.map(WireBytes.init(bytes:))])
      case .notMatched: try .wire(["event": HelperCheckStep.notMatched])
      case .failed(let reason, let detail, let lost, let hiddenReader): try .wire(["event": HelperCheckStep.failed, "reason": reason, "detail": detail, "lost": lost ? true : nil, "hidden_reader": hiddenReader ? true : nil])
      }
    }
  }
}

/// Answers a question of a check by password or key. The events are those of Check.
package struct HelperRespondCall: VarlinkMethod {
  package typealias Reply = HelperCheckEvent
  package static let method = "io.thumblatch.Helper.Respond"

  /// The answer, in UTF-8.
  package var text: SharedSecret

  package init(
    text: SharedSecret
  ) {
    self.text = text
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    text = try object.required("text")
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "text": text,
      ])
    }
  }
}

/// Enrolls a finger. With `more`: ready, stage, retry, then done with the print, or failed.
package struct HelperEnrollCall: VarlinkMethod, Equatable {
  package typealias Reply = HelperEnrollReply
  package static let method = "io.thumblatch.Helper.Enroll"

  package var finger: String
  /// In milliseconds, for each touch.
  package var timeout: Int
  /// Whether a reader that stores prints itself keeps the new one only if Keep follows.
  package var keep: Bool

  package init(
    finger: String,
    timeout: Int,
    keep: Bool = false
  ) {
    self.finger = finger
    self.timeout = timeout
    self.keep = keep
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    finger = try object.required("finger")
    timeout = try object.required("timeout")
    keep = try object.optional("keep") ?? false
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "finger": finger,
        "timeout": timeout,
        "keep": keep ? true : nil,
      ])
    }
  }
}

/// What `Enroll` answers.
package struct HelperEnrollReply: VarlinkRecord {
  package var event: HelperEnrollEvent
  /// How many touches are done.
  package var stage: Int
  /// How many touches the enrollment needs.
  package var stages: Int

  package init(
    event: HelperEnrollEvent,
    stage: Int,
    stages: Int
  ) {
    self.event = event
    self.stage = stage
    self.stages = stages
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    event = try HelperEnrollEvent(decoding: object)
    stage = try object.required("stage")
    stages = try object.required("stages")
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "stage": stage,
        "stages": stages,
      ], after: event.encoded)
    }
  }
}

/// What changes from one reply to `Enroll` to the next.
package enum HelperEnrollEvent: VarlinkRecord {
  /// The reader is armed.
  ///
  /// `name`: The reader.
  case ready(name: String? = nil, driver: String? = nil, scan: ScanType? = nil)
  /// The reader waits for a touch.
  case waiting
  /// Another touch is done.
  case stage
  /// The last touch does not count.
  case retry(ScanHint)
  /// A former print is no longer on the reader.
  ///
  /// `place`: The index of the former print among the loaded ones.
  case removed(place: Int)
  /// The finger is enrolled.
  ///
  /// `print`: The print, as libfprint wrote it.
  ///
  /// `device`: Its identity within the driver.
  case done(print: SharedSecret, driver: String, device: String)
  /// The enrollment failed.
  ///
  /// `hiddenReader`: With the reason busy: whether the reader is hidden from this process. A new process may find it.
  case failed(PresenceOutcome, detail: String? = nil, hiddenReader: Bool = false)

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("event") as HelperEnrollStep {
    case .ready: self = .ready(name: try object.optional("name"), driver: try object.optional("driver"), scan: try object.optional("scan"))
    case .waiting: self = .waiting
    case .stage: self = .stage
    case .retry: self = .retry(ScanHint(named: try object.optional("hint") ?? "") ?? .general)
    case .removed: self = .removed(place: try object.required("place"))
    case .done: self = .done(print: (try object.required("print") as WireSecret).secret, driver: try object.required("driver"), device: try object.required("device"))
    case .failed: self = .failed(try object.required("reason"), detail: try object.optional("detail"), hiddenReader: try object.optional("hidden_reader") ?? false)
    }
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .ready(let name, let driver, let scan): try .wire(["event": HelperEnrollStep.ready, "name": name, "driver": driver, "scan": scan])
      case .waiting: try .wire(["event": HelperEnrollStep.waiting])
      case .stage: try .wire(["event": HelperEnrollStep.stage])
      case .retry(let hint): try .wire(["event": HelperEnrollStep.retry, "hint": hint])
      case .removed(let place): try .wire(["event": HelperEnrollStep.removed, "place": place])
      case .done(let print, let driver, let device): try .wire(["event": HelperEnrollStep.done, "print": WireSecret(secret: print), "driver": driver, "device": device])
      case .failed(let reason, let detail, let hiddenReader): try .wire(["event": HelperEnrollStep.failed, "reason": reason, "detail": detail, "hidden_reader": hiddenReader ? true : nil])
      }
    }
  }
}

/// Says that the print of the last enrollment is stored.
package struct HelperKeepCall: VarlinkMethod, Equatable {
  package typealias Reply = EmptyReply
  package static let method = "io.thumblatch.Helper.Keep"

  package init() {}

  package init(decoding object: JSONObject) throws(MessageError) {}

  package var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// Deletes exactly the loaded prints on the reader that stores them.
package struct HelperDeletePrintsCall: VarlinkMethod, Equatable {
  package typealias Reply = HelperDeletions
  package static let method = "io.thumblatch.Helper.DeletePrints"

  /// In milliseconds.
  package var timeout: Int

  package init(
    timeout: Int
  ) {
    self.timeout = timeout
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    timeout = try object.required("timeout")
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "timeout": timeout,
      ])
    }
  }
}

/// What `DeletePrints` answers.
package struct HelperDeletions: VarlinkRecord, Equatable {
  /// The result for each print, in the order in which they were loaded.
  package var prints: [PrintDeletion]
  /// Why a print may still be on its reader.
  package var detail: String?

  package init(
    prints: [PrintDeletion],
    detail: String? = nil
  ) {
    self.prints = prints
    self.detail = detail
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    prints = try object.required("prints")
    detail = try object.optional("detail")
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "prints": prints,
        "detail": detail,
      ])
    }
  }
}

/// What the system knows about the reader. It is not opened, and fprintd is not started.
package struct HelperGetReaderCall: VarlinkMethod, Equatable {
  package typealias Reply = HelperReader
  package static let method = "io.thumblatch.Helper.GetReader"

  package init() {}

  package init(decoding object: JSONObject) throws(MessageError) {}

  package var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `GetReader` answers.
package struct HelperReader: VarlinkRecord, Equatable {
  /// Whether it can be used.
  package var available: Bool
  package var name: String?
  /// `fprintd` if this user may not open the reader, so that fprintd compares the fingers.
  package var driver: String?
  /// Its identity within the driver.
  package var device: String?
  /// How many touches an enrollment takes.
  package var stages: Int?
  /// Why it cannot be used.
  package var reason: String?
  /// Whether a program uses it now.
  package var inUse: Bool
  /// Whether the system can know: a reader that is not on USB is found only when it is used.
  package var looked: Bool

  package init(
    available: Bool,
    name: String? = nil,
    driver: String? = nil,
    device: String? = nil,
    stages: Int? = nil,
    reason: String? = nil,
    inUse: Bool = false,
    looked: Bool = true
  ) {
    self.available = available
    self.name = name
    self.driver = driver
    self.device = device
    self.stages = stages
    self.reason = reason
    self.inUse = inUse
    self.looked = looked
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    available = try object.required("available")
    name = try object.optional("name")
    driver = try object.optional("driver")
    device = try object.optional("device")
    stages = try object.optional("stages")
    reason = try object.optional("reason")
    inUse = try object.optional("in_use") ?? false
    looked = try object.optional("looked") ?? true
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "available": available,
        "name": name,
        "driver": driver,
        "device": device,
        "stages": stages,
        "reason": reason,
        "in_use": inUse ? true : nil,
        "looked": looked ? nil : false,
      ])
    }
  }
}

/// Lists the fingers that the user of the helper's process has enrolled with fprintd.
package struct HelperListEnrolledCall: VarlinkMethod, Equatable {
  package typealias Reply = HelperEnrolled
  package static let method = "io.thumblatch.Helper.ListEnrolled"

  /// Whether fprintd is started if it does not run.
  package var start: Bool

  package init(
    start: Bool = true
  ) {
    self.start = start
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    start = try object.optional("start") ?? true
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "start": start ? nil : false,
      ])
    }
  }
}

/// What `ListEnrolled` answers.
package struct HelperEnrolled: VarlinkRecord, Equatable {
  package var source: EnrolledSource
  /// Their names.
  package var fingers: [String]
  /// The SHA-256 of the print of each, in the same order. Empty with the source names.
  package var digests: [[UInt8]]
  /// Whether they are unknown because fprintd does not run and was not to be started.
  package var asleep: Bool

  package init(
    source: EnrolledSource,
    fingers: [String],
    digests: [[UInt8]],
    asleep: Bool = false
  ) {
    self.source = source
    self.fingers = fingers
    self.digests = digests
    self.asleep = asleep
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    source = try object.required("source")
    fingers = try object.required("fingers")
    digests = (try object.required("digests") as [WireBytes]).map(\.bytes)
    asleep = try object.optional("asleep") ?? false
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "source": source,
        "fingers": fingers,
        "digests": digests.map(WireBytes.init(bytes:)),
        "asleep": asleep ? true : nil,
      ])
    }
  }
}

/// Asks the TPM about itself. The helper for the TPM answers one request, and ends. After OpenSecret
/// it also answers ReadCounter.
package struct GetTPMCall: VarlinkMethod, Equatable {
  package typealias Reply = TPMFactsReply
  package static let method = "io.thumblatch.Helper.GetTPM"

  package init() {}

  package init(decoding object: JSONObject) throws(MessageError) {}

  package var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `GetTPM` answers.
package enum TPMFactsReply: VarlinkRecord, Equatable {
  /// The TPM carried it out.
  ///
  /// `maker`: The manufacturer's letters, such as `INTC`.
  ///
  /// `version`: The version of the firmware.
  case done(maker: String, version: String)
  /// The TPM did not carry it out.
  case failed(SecretFailure, detail: String? = nil)

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("outcome") as SecretOutcome {
    case .done: self = .done(maker: try object.required("maker"), version: try object.required("version"))
    case .failed: self = .failed(try object.required("reason"), detail: try object.optional("detail"))
    }
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .done(let maker, let version): try .wire(["outcome": SecretOutcome.done, "maker": maker, "version": version])
      case .failed(let reason, let detail): try .wire(["outcome": SecretOutcome.failed, "reason": reason, "detail": detail])
      }
    }
  }
}

/// Seals a secret with the TPM.
package struct SealSecretCall: VarlinkMethod {
  package typealias Reply = SealedSecretReply
  package static let method = "io.thumblatch.Helper.SealSecret"

  /// 32 bytes.
  package var secret: SharedSecret
  /// The authorization value that opens it again, with the TPM: 32 bytes.
  package var authorization: SharedSecret

  package init(
    secret: SharedSecret,
    authorization: SharedSecret
  ) {
    self.secret = secret
    self.authorization = authorization
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    secret = (try object.required("secret") as WireSecret).secret
    authorization = (try object.required("authorization") as WireSecret).secret
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "secret": WireSecret(secret: secret),
        "authorization": WireSecret(secret: authorization),
      ])
    }
  }
}

/// What `SealSecret` answers.
package enum SealedSecretReply: VarlinkRecord, Equatable {
  /// The TPM carried it out.
  ///
  /// `parentName`: The name of the storage key.
  ///
  /// `privatePart`: TPM2B_PRIVATE, marshalled.
  ///
  /// `publicPart`: TPM2B_PUBLIC, marshalled.
  case done(parentName: [UInt8], privatePart: [UInt8], publicPart: [UInt8])
  /// The TPM did not carry it out.
  case failed(SecretFailure, detail: String? = nil)

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("outcome") as SecretOutcome {
    case .done: self = .done(parentName: (try object.required("parent_name") as WireBytes).bytes, privatePart: (try object.required("private_part") as WireBytes).bytes, publicPart: (try object.required("public_part") as WireBytes).bytes)
    case .failed: self = .failed(try object.required("reason"), detail: try object.optional("detail"))
    }
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .done(let parentName, let privatePart, let publicPart): try .wire(["outcome": SecretOutcome.done, "parent_name": WireBytes(bytes: parentName), "private_part": WireBytes(bytes: privatePart), "public_part": WireBytes(bytes: publicPart)])
      case .failed(let reason, let detail): try .wire(["outcome": SecretOutcome.failed, "reason": reason, "detail": detail])
      }
    }
  }
}

/// Opens a sealed secret.
package struct OpenSecretCall: VarlinkMethod {
  package typealias Reply = OpenedSecretReply
  package static let method = "io.thumblatch.Helper.OpenSecret"

  /// As in the reply of SealSecret.
  package var parentName: [UInt8]
  package var privatePart: [UInt8]
  package var publicPart: [UInt8]
  package var authorization: SharedSecret

  package init(
    parentName: [UInt8],
    privatePart: [UInt8],
    publicPart: [UInt8],
    authorization: SharedSecret
  ) {
    self.parentName = parentName
    self.privatePart = privatePart
    self.publicPart = publicPart
    self.authorization = authorization
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    parentName = (try object.required("parent_name") as WireBytes).bytes
    privatePart = (try object.required("private_part") as WireBytes).bytes
    publicPart = (try object.required("public_part") as WireBytes).bytes
    authorization = (try object.required("authorization") as WireSecret).secret
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "parent_name": WireBytes(bytes: parentName),
        "private_part": WireBytes(bytes: privatePart),
        "public_part": WireBytes(bytes: publicPart),
        "authorization": WireSecret(secret: authorization),
      ])
    }
  }
}

/// What `OpenSecret` answers.
package enum OpenedSecretReply: VarlinkRecord {
  /// The TPM carried it out.
  case done(secret: SharedSecret)
  /// The TPM did not carry it out.
  case failed(SecretFailure, detail: String? = nil)

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("outcome") as SecretOutcome {
    case .done: self = .done(secret: (try object.required("secret") as WireSecret).secret)
    case .failed: self = .failed(try object.required("reason"), detail: try object.optional("detail"))
    }
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .done(let secret): try .wire(["outcome": SecretOutcome.done, "secret": WireSecret(secret: secret)])
      case .failed(let reason, let detail): try .wire(["outcome": SecretOutcome.failed, "reason": reason, "detail": detail])
      }
    }
  }
}

/// Defines a counter at this index, and increments it for the first time.
package struct DefineCounterCall: VarlinkMethod {
  package typealias Reply = CounterReply
  package static let method = "io.thumblatch.Helper.DefineCounter"

  package var index: Int
  /// The authorization value that reads and increments it: 32 bytes.
  package var authorization: SharedSecret
  /// The name that the storage key must have. If absent, any.
  package var parentName: [UInt8]?

  package init(
    index: Int,
    authorization: SharedSecret,
    parentName: [UInt8]? = nil
  ) {
    self.index = index
    self.authorization = authorization
    self.parentName = parentName
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    index = try object.required("index")
    authorization = (try object.required("authorization") as WireSecret).secret
    parentName = (try object.optional("parent_name") as WireBytes?)?.bytes
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "index": index,
        "authorization": WireSecret(secret: authorization),
        "parent_name": parentName.map(WireBytes.init(bytes:)),
      ])
    }
  }
}

/// What `DefineCounter`, `ReadCounter`, `IncrementCounter`, `ConfirmCounter` answer.
package enum CounterReply: VarlinkRecord, Equatable {
  /// The TPM carried it out.
  case done(index: Int, value: Int)
  /// The TPM did not carry it out.
  case failed(SecretFailure, detail: String? = nil)

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("outcome") as SecretOutcome {
    case .done: self = .done(index: try object.required("index"), value: try object.required("value"))
    case .failed: self = .failed(try object.required("reason"), detail: try object.optional("detail"))
    }
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .done(let index, let value): try .wire(["outcome": SecretOutcome.done, "index": index, "value": value])
      case .failed(let reason, let detail): try .wire(["outcome": SecretOutcome.failed, "reason": reason, "detail": detail])
      }
    }
  }
}

/// Reads a counter.
package struct ReadCounterCall: VarlinkMethod {
  package typealias Reply = CounterReply
  package static let method = "io.thumblatch.Helper.ReadCounter"

  package var index: Int
  package var authorization: SharedSecret
  /// As for DefineCounter.
  package var parentName: [UInt8]?

  package init(
    index: Int,
    authorization: SharedSecret,
    parentName: [UInt8]? = nil
  ) {
    self.index = index
    self.authorization = authorization
    self.parentName = parentName
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    index = try object.required("index")
    authorization = (try object.required("authorization") as WireSecret).secret
    parentName = (try object.optional("parent_name") as WireBytes?)?.bytes
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "index": index,
        "authorization": WireSecret(secret: authorization),
        "parent_name": parentName.map(WireBytes.init(bytes:)),
      ])
    }
  }
}

/// Increments a counter, and reads it.
package struct IncrementCounterCall: VarlinkMethod {
  package typealias Reply = CounterReply
  package static let method = "io.thumblatch.Helper.IncrementCounter"

  package var index: Int
  package var authorization: SharedSecret
  /// As for DefineCounter.
  package var parentName: [UInt8]?

  package init(
    index: Int,
    authorization: SharedSecret,
    parentName: [UInt8]? = nil
  ) {
    self.index = index
    self.authorization = authorization
    self.parentName = parentName
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    index = try object.required("index")
    authorization = (try object.required("authorization") as WireSecret).secret
    parentName = (try object.optional("parent_name") as WireBytes?)?.bytes
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "index": index,
        "authorization": WireSecret(secret: authorization),
        "parent_name": parentName.map(WireBytes.init(bytes:)),
      ])
    }
  }
}

/// Replaces the authorization value of a counter, and reads it.
package struct ConfirmCounterCall: VarlinkMethod {
  package typealias Reply = CounterReply
  package static let method = "io.thumblatch.Helper.ConfirmCounter"

  package var index: Int
  package var authorization: SharedSecret
  /// The authorization value that reads and increments it from now on: 32 bytes.
  package var nextAuthorization: SharedSecret
  /// As for DefineCounter.
  package var parentName: [UInt8]?

  package init(
    index: Int,
    authorization: SharedSecret,
    nextAuthorization: SharedSecret,
    parentName: [UInt8]? = nil
  ) {
    self.index = index
    self.authorization = authorization
    self.nextAuthorization = nextAuthorization
    self.parentName = parentName
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    index = try object.required("index")
    authorization = (try object.required("authorization") as WireSecret).secret
    nextAuthorization = (try object.required("next_authorization") as WireSecret).secret
    parentName = (try object.optional("parent_name") as WireBytes?)?.bytes
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "index": index,
        "authorization": WireSecret(secret: authorization),
        "next_authorization": WireSecret(secret: nextAuthorization),
        "parent_name": parentName.map(WireBytes.init(bytes:)),
      ])
    }
  }
}

/// Removes the counter that has this authorization value. It does nothing if there is none.
package struct RemoveCounterCall: VarlinkMethod {
  package typealias Reply = RemovedCounterReply
  package static let method = "io.thumblatch.Helper.RemoveCounter"

  package var index: Int
  package var authorization: SharedSecret
  /// As for DefineCounter.
  package var parentName: [UInt8]?

  package init(
    index: Int,
    authorization: SharedSecret,
    parentName: [UInt8]? = nil
  ) {
    self.index = index
    self.authorization = authorization
    self.parentName = parentName
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    index = try object.required("index")
    authorization = (try object.required("authorization") as WireSecret).secret
    parentName = (try object.optional("parent_name") as WireBytes?)?.bytes
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "index": index,
        "authorization": WireSecret(secret: authorization),
        "parent_name": parentName.map(WireBytes.init(bytes:)),
      ])
    }
  }
}

/// What `RemoveCounter` answers.
package enum RemovedCounterReply: VarlinkRecord, Equatable {
  /// The TPM carried it out.
  case done
  /// The TPM did not carry it out.
  case failed(SecretFailure, detail: String? = nil)

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("outcome") as SecretOutcome {
    case .done: self = .done
    case .failed: self = .failed(try object.required("reason"), detail: try object.optional("detail"))
    }
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .done: try .wire(["outcome": SecretOutcome.done])
      case .failed(let reason, let detail): try .wire(["outcome": SecretOutcome.failed, "reason": reason, "detail": detail])
      }
    }
  }
}

/// Asks the only security key that is plugged in about itself, without a touch. The helper for
/// secrets answers one request, and ends.
package struct GetKeyCall: VarlinkMethod, Equatable {
  package typealias Reply = KeyFactsReply
  package static let method = "io.thumblatch.Helper.GetKey"

  package init() {}

  package init(decoding object: JSONObject) throws(MessageError) {}

  package var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `GetKey` answers.
package enum KeyFactsReply: VarlinkRecord, Equatable {
  /// The TPM carried it out.
  ///
  /// `needsPin`: Whether it needs its PIN for a new slot.
  ///
  /// `retries`: How many wrong PINs it still accepts, if it says so.
  case done(needsPin: Bool, retries: Int? = nil)
  /// The TPM did not carry it out.
  case failed(KeySecretFailure, detail: String? = nil)

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("outcome") as SecretOutcome {
    case .done: self = .done(needsPin: try object.required("needs_pin"), retries: try object.optional("retries"))
    case .failed: self = .failed(try object.required("reason"), detail: try object.optional("detail"))
    }
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .done(let needsPin, let retries): try .wire(["outcome": SecretOutcome.done, "needs_pin": needsPin, "retries": retries])
      case .failed(let reason, let detail): try .wire(["outcome": SecretOutcome.failed, "reason": reason, "detail": detail])
      }
    }
  }
}

/// Makes a credential and a secret with the only security key that is plugged in, by two touches.
/// With `more`: touch, touch, then done or failed.
package struct MakeKeySecretCall: VarlinkMethod {
  package typealias Reply = MadeKeySecretReply
  package static let method = "io.thumblatch.Helper.MakeKeySecret"

  /// The names of credentials that the key must not hold yet.
  package var keyCredentials: [[UInt8]]
  /// The PIN, in UTF-8. Absent if the key needs none.
  package var keyPin: SharedSecret?

  package init(
    keyCredentials: [[UInt8]],
    keyPin: SharedSecret? = nil
  ) {
    self.keyCredentials = keyCredentials
    self.keyPin = keyPin
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    keyCredentials = (try object.required("key_credentials") as [WireBytes]).map(\.bytes)
    keyPin = try object.optional("key_pin")
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "key_credentials": keyCredentials.map(WireBytes.init(bytes:)),
        "key_pin": keyPin,
      ])
    }
  }
}

/// What `MakeKeySecret` answers.
package enum MadeKeySecretReply: VarlinkRecord {
  /// The key waits for a touch.
  case touch
  /// The secret is made.
  ///
  /// `parameters`: The parameters of the slot, as the slot holds them.
  ///
  /// `secret`: 32 bytes.
  case done(parameters: [UInt8], secret: SharedSecret)
  /// The key made no secret.
  ///
  /// `retries`: How many wrong PINs the key still accepts, if it says so.
  case failed(KeySecretFailure, retries: Int? = nil, detail: String? = nil)

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("event") as KeySecretStep {
    case .touch: self = .touch
    case .done: self = .done(parameters: (try object.required("parameters") as WireBytes).bytes, secret: (try object.required("secret") as WireSecret).secret)
    case .failed: self = .failed(try object.required("reason"), retries: try object.optional("retries"), detail: try object.optional("detail"))
    }
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .touch: try .wire(["event": KeySecretStep.touch])
      case .done(let parameters, let secret): try .wire(["event": KeySecretStep.done, "parameters": WireBytes(bytes: parameters), "secret": WireSecret(secret: secret)])
      case .failed(let reason, let retries, let detail): try .wire(["event": KeySecretStep.failed, "reason": reason, "retries": retries, "detail": detail])
      }
    }
  }
}

/// Makes the secret of one of these slots again with its security key, by one touch. With `more`:
/// touch, then done or failed.
package struct OpenKeySecretCall: VarlinkMethod {
  package typealias Reply = OpenedKeySecretReply
  package static let method = "io.thumblatch.Helper.OpenKeySecret"

  /// The parameters of each slot.
  package var slots: [[UInt8]]
  /// The PIN, in UTF-8. Absent if the key did not need it.
  package var keyPin: SharedSecret?

  package init(
    slots: [[UInt8]],
    keyPin: SharedSecret? = nil
  ) {
    self.slots = slots
    self.keyPin = keyPin
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    slots = (try object.required("slots") as [WireBytes]).map(\.bytes)
    keyPin = try object.optional("key_pin")
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "slots": slots.map(WireBytes.init(bytes:)),
        "key_pin": keyPin,
      ])
    }
  }
}

/// What `OpenKeySecret` answers.
package enum OpenedKeySecretReply: VarlinkRecord {
  /// The key waits for a touch.
  case touch
  /// The secret is made.
  ///
  /// `place`: The index of the slot among those, from 0.
  ///
  /// `secret`: 32 bytes.
  case done(place: Int, secret: SharedSecret)
  /// The key made no secret.
  ///
  /// `retries`: How many wrong PINs the key still accepts, if it says so.
  case failed(KeySecretFailure, retries: Int? = nil, detail: String? = nil)

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("event") as KeySecretStep {
    case .touch: self = .touch
    case .done: self = .done(place: try object.required("place"), secret: (try object.required("secret") as WireSecret).secret)
    case .failed: self = .failed(try object.required("reason"), retries: try object.optional("retries"), detail: try object.optional("detail"))
    }
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .touch: try .wire(["event": KeySecretStep.touch])
      case .done(let place, let secret): try .wire(["event": KeySecretStep.done, "place": place, "secret": WireSecret(secret: secret)])
      case .failed(let reason, let retries, let detail): try .wire(["event": KeySecretStep.failed, "reason": reason, "retries": retries, "detail": detail])
      }
    }
  }
}
