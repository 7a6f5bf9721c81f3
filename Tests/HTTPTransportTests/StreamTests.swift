import HTTPTransport
import System
import TestSupport
import Testing

/// Bodies that are too long for locked memory.
@Suite
struct StreamTests {
  private func head(
    _ request: HTTPRequest,
    _ body: [UInt8]? = nil,
    to file: borrowing MemoryFile
  ) -> Result<HTTPHead, HTTPError> {
    let number = file.descriptor.number
    guard let body else {
      return Result { () throws(HTTPError) in
        unsafe try request.send(body: nil, to: number)
      }
    }
    return unsafe body.withUnsafeBytes { bytes in
      Result { () throws(HTTPError) in unsafe try request.send(body: bytes, to: number) }
    }
  }

  @Test(arguments: [false, true])
  func aBodyGoesToTheDescriptorUpToItsLimit(_ chunked: Bool) throws {
    let backend = try DevBackend()
    let size = 3_000_000
    var request = HTTPRequest(method: "GET", url: backend.url + "/x")
    request.maximumBody = size + 4096
    try backend.fail(
      DevBackendFault("*", .huge, chunked: chunked, size: size),
      DevBackendFault("*", .huge, chunked: chunked, size: size + 8192)
    )
    let file = try MemoryFile()
    let answer = try head(request, to: file).get()
    #expect(answer.status == 200)
    #expect(answer.length >= size)
    #expect(try file.size() == answer.length)
    try file.empty()
    guard case .failure(.interrupted(.tooLarge, _)) = head(request, to: file) else {
      Issue.record("more than the limit was taken")
      return
    }
    #expect(try file.size() <= size + 4096)
  }

  @Test
  func aBodyIsSentWholeAndAnswersSayWhatTheyAre() throws {
    let backend = try DevBackend()
    var request = HTTPRequest(method: "POST", url: backend.url + "/auth/register")
    request.headers = ["Content-Type: application/json"]
    let file = try MemoryFile()
    let body = #"{"email":"a@example.org","password":"correct horse","name":"ü"}"#
    let answer = try head(request, Array(body.utf8), to: file).get()
    #expect(answer.status == 201)
    #expect(answer.contentType?.hasPrefix("application/json") == true)
    #expect(answer.location == nil)
    try backend.fail(
      DevBackendFault("*", .status(302), headers: [("Location", "https://elsewhere.example/")])
    )
    let away = try head(HTTPRequest(method: "GET", url: backend.url + "/x"), to: file).get()
    #expect(away.status == 302 && away.location == "https://elsewhere.example/")
    #expect(try backend.requests().count == 2)
  }

  @Test
  func theHeadersOfAnAnswerAreToldWithinTheirBounds() throws {
    let backend = try DevBackend()
    let request = HTTPRequest(method: "GET", url: backend.url + "/x")
    let file = try MemoryFile()
    try backend.fail(
      DevBackendFault(
        "*",
        .status(200),
        headers: [
          ("ETag", "\"17\""), ("X-Empty", ""), ("Retry-After", "7"), ("X-Bytes", "ü\u{1F}"),
        ]
      )
    )
    let answer = try head(request, to: file).get()
    #expect(answer.headers.contains("ETag: \"17\""))
    #expect(answer.headers.contains { $0.lowercased() == "retry-after: 7" })
    #expect(answer.headers.contains { $0.hasPrefix("X-Empty:") })
    #expect(!answer.headers.contains { $0.hasPrefix("X-Bytes") })
    let many = (0..<90).map { ("X-\($0)", String(repeating: "v", count: 500)) }
    try backend.fail(DevBackendFault("*", .status(200), headers: many))
    let bounded = try head(request, to: file).get().headers
    #expect((20...40).contains(bounded.count))
    #expect(bounded.reduce(0) { $0 + $1.utf8.count } <= HTTPHead.maximumHeaderBytes)
  }

  @Test
  func whatMayNotBeSentIsRefusedHereToo() throws {
    let file = try MemoryFile()
    for (request, refusal) in [
      (HTTPRequest(method: "GET", url: "http://example.org/"), HTTPError.Refusal.plainText),
      (HTTPRequest(method: "TRACE", url: "https://example.org/"), .method),
      (HTTPRequest(method: "GET", url: "https://a@example.org/"), .url),
    ] { #expect(head(request, to: file) == .failure(.refused(refusal))) }
    let request = HTTPRequest(method: "HEAD", url: "https://example.org/")
    #expect(head(request, [1], to: file) == .failure(.refused(.method)))
    var long = HTTPRequest(method: "GET", url: "https://example.org/")
    long.maximumBody = HTTPRequest.maximumStream + 1
    #expect(head(long, to: file) == .failure(.refused(.limit)))
  }
}
