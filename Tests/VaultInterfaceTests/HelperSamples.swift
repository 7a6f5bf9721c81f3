import HelperInterface
import PresenceTerms
import Varlink
import VaultInterface

/// Every message of the helpers' interface.
func helperSamples() throws -> [Sample] {
  try exchangeSamples() + requestSamples() + checkSamples() + keyCheckSamples()
    + enrollmentSamples() + readerSamples() + secretSamples()
}

private func exchangeSamples() throws -> [Sample] {
  try [
    call(
      ExchangeCall(
        httpMethod: "POST",
        url: "https://example.org/auth/refresh",
        headers: ["Content-Type: application/json"],
        credentials: secret("Basic aHVudGVyMg=="),
        body: secret("{\"refresh_token\":\"hunter2\"}"),
        ca: "-----BEGIN CERTIFICATE-----\n",
        pins: ["sha256//AAAA"],
        proxy: "http://localhost:3128",
        timeout: 30_000,
        maximumBody: 61_440,
        key: secret(String(repeating: "k", count: 32)),
        context: [0, 1, 2, 255],
        local: true,
        listeners: [0, 998],
        connectTimeout: 10_000,
        waits: true,
        wantsLocation: true
      )
    ),
    call(HelperProceedCall()),
    reply(to: HelperProceedCall.self, EmptyReply()),
    reply(to: ExchangeCall.self, .begun, isVariant: true),
    reply(to: ExchangeCall.self, .done, isVariant: true),
    reply(to: ExchangeCall.self, .sealed([1, 2, 3, 4]), isVariant: true),
    reply(
      to: ExchangeCall.self,
      .answered(status: 200, retryAfter: 5, body: secret("{}\u{0}\u{1}")),
      isVariant: true
    ),
    reply(to: ExchangeCall.self, .notSent(.tooLarge), isVariant: true),
    reply(to: ExchangeCall.self, .notSent(.listener, user: 1001), isVariant: true),
    reply(to: ExchangeCall.self, .lost(.timeout), isVariant: true),
  ]
}

private func requestSamples() throws -> [Sample] {
  try [
    call(
      HelperRequestCall(
        httpMethod: "PUT",
        url: "https://api.example.org/a?b",
        headers: ["Accept: */*"],
        sendsBody: true,
        ca: "-----BEGIN CERTIFICATE-----\n",
        pins: ["sha256//AAAA"],
        proxy: "http://localhost:3128",
        timeout: 600_000,
        maximumBody: 1 << 26,
        listeners: [0, 998],
        connectTimeout: 3000
      )
    ),
    reply(
      to: HelperRequestCall.self,
      .answered(
        status: 302,
        length: 12,
        contentType: "text/plain",
        location: "https://b.example",
        headers: ["ETag: \"1\"", "Link: <a>"]
      ),
      isVariant: true
    ),
    reply(to: HelperRequestCall.self, .notSent(.pin), isVariant: true),
    reply(to: HelperRequestCall.self, .notSent(.listener, user: 1001), isVariant: true),
    reply(to: HelperRequestCall.self, .lost(.timeout), isVariant: true),
  ]
}

private func checkSamples() throws -> [Sample] {
  try [
    call(LoadPrintCall(finger: "right-index", print: secret("FP3\u{0}hunter2"), former: true)),
    reply(to: LoadPrintCall.self, EmptyReply()),
    call(
      HelperCheckCall(
        presenceMethod: .fingerprint,
        user: "ann",
        timeout: 30_000,
        desktopDigests: [[1, 2, 3], [255]],
        desktopFingers: ["left-thumb", "right-index"],
        firstFinger: "left-thumb"
      )
    ),
    reply(
      to: HelperCheckCall.self,
      .ready(name: "R", driver: "d", scan: .swipe, finger: "left-thumb"),
      isVariant: true
    ),
    reply(to: HelperCheckCall.self, .waiting, isVariant: true),
    reply(to: HelperCheckCall.self, .retry(.tooShort), isVariant: true),
    reply(to: HelperCheckCall.self, .ask(text: "Password: ", hidden: true), isVariant: true),
    reply(to: HelperCheckCall.self, .says(text: "The account is locked."), isVariant: true),
    reply(to: HelperCheckCall.self, .matched(finger: "right-index"), isVariant: true),
    reply(to: HelperCheckCall.self, .notMatched, isVariant: true),
    reply(to: HelperCheckCall.self, .failed(.notEnrolled, detail: "d"), isVariant: true),
    reply(
      to: HelperCheckCall.self,
      .failed(.notEnrolled, detail: "d", lost: true),
      isVariant: true
    ),
    reply(
      to: HelperCheckCall.self,
      .failed(.busy, detail: "d", hiddenReader: true),
      isVariant: true
    ),
    call(HelperRespondCall(text: secret("hunter2"))),
    reply(to: HelperRespondCall.self, .retry(.general), isVariant: true),
    reply(to: HelperRespondCall.self, .ask(text: "Code: ", hidden: false), isVariant: true),
    reply(
      to: HelperRespondCall.self,
      .matched(
        finger: "left-thumb",
        credential: [1],
        authenticatorData: [2],
        signature: [3],
        publicKey: [4]
      ),
      isVariant: true
    ),
    reply(to: HelperRespondCall.self, .failed(.denied, detail: "expired"), isVariant: true),
  ]
}

private func enrollmentSamples() throws -> [Sample] {
  try [
    call(HelperEnrollCall(finger: "right-index", timeout: 30_000, keep: true)),
    reply(
      to: HelperEnrollCall.self,
      enrolled(.ready(name: "R", driver: "d", scan: .press)),
      isVariant: true
    ),
    reply(to: HelperEnrollCall.self, enrolled(.removed(place: 2)), isVariant: true),
    reply(
      to: HelperEnrollCall.self,
      enrolled(.failed(.busy, detail: "d", hiddenReader: true)),
      isVariant: true
    ),
    reply(to: HelperEnrollCall.self, enrolled(.waiting), isVariant: true),
    reply(to: HelperEnrollCall.self, enrolled(.stage), isVariant: true),
    reply(to: HelperEnrollCall.self, enrolled(.retry(.tooShort)), isVariant: true),
    reply(
      to: HelperEnrollCall.self,
      enrolled(.done(print: secret("FP3 hunter2"), driver: "virtual_image", device: "0")),
      isVariant: true
    ),
    reply(to: HelperEnrollCall.self, enrolled(.failed(.busy, detail: "d")), isVariant: true),
    call(HelperKeepCall()),
    reply(to: HelperKeepCall.self, EmptyReply()),
  ]
}

private func readerSamples() throws -> [Sample] {
  try [
    call(HelperDeletePrintsCall(timeout: 8000)),
    reply(
      to: HelperDeletePrintsCall.self,
      HelperDeletions(prints: [.deleted, .notStored, .left], detail: "d")
    ),
    call(HelperGetReaderCall()),
    reply(
      to: HelperGetReaderCall.self,
      HelperReader(
        available: true,
        name: "Virtual",
        driver: "virtual_image",
        device: "0",
        stages: 5,
        reason: "r",
        inUse: true,
        looked: false
      )
    ),
    call(HelperListEnrolledCall(start: false)),
    reply(
      to: HelperListEnrolledCall.self,
      HelperEnrolled(
        source: .prints,
        fingers: ["left-thumb", "right-index"],
        digests: [[1, 2, 3], [0]],
        asleep: true
      )
    ),
  ]
}

private func enrolled(_ event: HelperEnrollEvent) -> HelperEnrollReply {
  HelperEnrollReply(event: event, stage: 3, stages: 5)
}

private func keyCheckSamples() throws -> [Sample] {
  try [
    call(
      HelperCheckCall(
        presenceMethod: .key,
        timeout: 30_000,
        keyCredentials: [[1, 2, 3], [255]],
        challenge: [UInt8](0..<32),
        verify: true,
        raced: true,
        keyUser: [7],
        keyName: "blue",
        keyPin: secret("hunter2")
      )
    ),
    reply(
      to: HelperCheckCall.self,
      .matched(
        credential: [1, 2, 3],
        authenticatorData: [4],
        signature: [5, 6],
        publicKey: [7, 8]
      ),
      isVariant: true
    ),
  ]
}
