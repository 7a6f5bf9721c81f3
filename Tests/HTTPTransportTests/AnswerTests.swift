import HTTPTransport
import JSON
import SecretMemory
import TestSupport
import Testing

/// Complete and incomplete answers over plain HTTP on this machine.
struct AnswerTests {
  let backend: DevBackend

  init() throws {
    backend = try DevBackend()
  }

  @Test
  func anAnswerComesWithItsStatusAndBody() throws {
    let answer = try registration(at: backend.url).send()
    #expect(answer.status == 201)
    #expect(answer.retryAfter == nil)
    let object = try members(answer.body)
    #expect(try object.string("refresh_token").hasPrefix("rt_"))
    #expect(try backend.requests().map(\.committed) == [true])
  }

  @Test
  func aRefusalIsAnAnswer() throws {
    let answer = try post(backend.url + "/auth/refresh", #"{"refresh_token":"rt_x"}"#).send()
    #expect(answer.status == 401)
    #expect(try members(answer.body).string("error") == "invalid_grant")
  }

  @Test
  func exactlyTheGivenHeadersAreSent() throws {
    var request = try registration(at: backend.url)
    request.headers += ["X-Empty:", "Accept: application/json"]
    #expect(ending(request) == .answered(201))
    let host = String(backend.url.dropFirst("http://".count))
    let sent = try #require(try backend.requests().first)
    #expect(
      sent.headers == [
        ["Host", host], ["User-Agent", "Thumblatch"], ["Content-Type", "application/json"],
        ["X-Empty", ""], ["Accept", "application/json"], ["Content-Length", "52"],
      ]
    )
    #expect(sent.shape == #"{"email":"a@example.org","password":"..."}"#)
  }

  @Test
  func credentialsAreSentBesidesTheHeaders() throws {
    let bytes = Array("Basic dGhlOndvcmQ=".utf8)
    for hasHeaders in [true, false] {
      var request =
        hasHeaders
        ? try registration(at: backend.url)
        : HTTPRequest(method: "GET", url: backend.url + "/auth/me")
      request.credentials = SharedSecret(try SecretBytes(copying: bytes))
      _ = try request.send()
    }
    let sent = try backend.requests()
    let plain = ["Host", "User-Agent", "Authorization"]
    #expect(sent.map { $0.headers.map { $0[0] } }.last == plain)
    #expect(sent.first?.headers.map { $0[0] } == plain + ["Content-Type", "Content-Length"])
  }

  @Test
  func aRequestWithoutHeadersSendsOnlyWhatHTTPNeeds() throws {
    #expect(
      ending(HTTPRequest(method: "GET", url: backend.url + "/auth/me")) == .answered(401)
    )
    #expect(
      ending(HTTPRequest(method: "POST", url: backend.url + "/auth/logout")) == .answered(401)
    )
    let names = try backend.requests().map { $0.headers.map { $0[0] } }
    #expect(names == [["Host", "User-Agent"], ["Host", "User-Agent", "Content-Length"]])
  }

  @Test
  func aBodyOfOneMegabyteIsRefusedWithAndWithoutALength() throws {
    for chunked in [false, true] {
      try backend.fail(DevBackendFault("*", .huge, chunked: chunked))
      #expect(interrupted(try registration(at: backend.url)) == .tooLarge)
    }
  }

  @Test
  func aBodyAtTheLimitIsTakenAndOneByteMoreIsNot() throws {
    let size = HTTPRequest.defaultMaximumBody
    for chunked in [false, true] {
      let around = #"{"access_token": ""}"#.utf8.count
      try backend.fail(
        DevBackendFault("*", .huge, chunked: chunked, size: size - around),
        DevBackendFault("*", .huge, chunked: chunked, size: size - around + 1)
      )
      #expect(try registration(at: backend.url).send().body.count == size)
      #expect(interrupted(try registration(at: backend.url)) == .tooLarge)
    }
  }

  @Test
  func headersWithoutEndAreRefused() throws {
    let long = String(repeating: "x", count: 30_000)
    let headers = [("A", long), ("B", long), ("C", long)]
    try backend.fail(DevBackendFault("*", .status(200), headers: headers))
    #expect(interrupted(try registration(at: backend.url)) == .tooLarge)
  }

  @Test
  func anAnswerCutInHalfIsInterrupted() throws {
    try backend.fail(DevBackendFault("*", .half), DevBackendFault("*", .half, chunked: true))
    #expect(interrupted(try registration(at: backend.url)) == .truncated)
    #expect(interrupted(try registration(at: backend.url, email: "b@example.org")) != nil)
    #expect(try backend.requests().map(\.committed) == [true, true])
  }

  @Test
  func aConnectionThatEndsWithoutAnAnswerIsInterrupted() throws {
    try backend.fail(DevBackendFault("*", .resetBefore), DevBackendFault("*", .resetAfter))
    #expect(interrupted(try registration(at: backend.url)) == .reset)
    #expect(interrupted(try registration(at: backend.url)) == .reset)
    #expect(try backend.requests().map(\.committed) == [true])
  }

  @Test
  func aServerThatNeverAnswersIsInterruptedByTheTimeLimit() throws {
    try backend.fail(DevBackendFault("*", .hang))
    var request = try registration(at: backend.url)
    request.timeout = 5000
    #expect(interrupted(request) == .timeout)
  }

  @Test
  func garbageAndNothingAreAnswersLeftToTheirReader() throws {
    try backend.fail(DevBackendFault("*", .empty), DevBackendFault("*", .garbage))
    let empty = try registration(at: backend.url).send()
    #expect(empty.status == 200 && empty.body.count == 0)
    let garbage = try registration(at: backend.url).send()
    #expect(bytes(garbage.body).starts(with: [0, 0xFF]))
  }

  @Test
  func retryAfterIsReadAsSecondsOrDateWithinADay() throws {
    let cases: [(String, ClosedRange<Int>?)] = [
      ("7", 7...7), ("86401", 86_400...86_400), ("99999999999999999999", nil),
      ("0", nil), ("-5", nil), ("soon", nil), ("Wed, 21 Oct 2015 07:28:00 GMT", nil),
      ("Fri, 31 Dec 2100 23:59:59 GMT", 86_400...86_400),
    ]
    for (text, expected) in cases {
      try backend.fail(DevBackendFault("*", .retryAfter(text)))
      let answer = try registration(at: backend.url).send()
      #expect(answer.status == 429)
      if let expected {
        #expect(answer.retryAfter.map { expected.contains($0) } == true, "\(text)")
      } else {
        #expect(answer.retryAfter == nil, "\(text)")
      }
    }
  }

  @Test
  func aRedirectIsAnAnswerAndTheOtherServerSeesNothing() throws {
    let other = try DevBackend()
    for status in [301, 302, 303, 307, 308] {
      let location = [("Location", other.url + "/auth/register")]
      try backend.fail(DevBackendFault("*", .status(status), headers: location))
      #expect(ending(try registration(at: backend.url)) == .answered(status))
    }
    #expect(try other.connections() == 0)
    #expect(try backend.requests().count == 5)
  }

  @Test
  func anIPv6LoopbackHostIsReached() throws {
    let six = try DevBackend(["--host", "::1"])
    #expect(six.url.hasPrefix("http://[::1]:"))
    #expect(ending(try registration(at: six.url)) == .answered(201))
  }

  @Test
  func aClosedPortAndAnUnknownNameSendNothing() throws {
    #expect(notSent(try registration(at: "http://127.0.0.1:1")) == .refused)
    let unknown = HTTPRequest(method: "GET", url: "https://name.invalid/")
    #expect(notSent(unknown) == .resolve)
  }
}
