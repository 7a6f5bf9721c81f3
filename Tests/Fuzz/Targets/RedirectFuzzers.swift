internal import Configuration
internal import LoopbackLogin
internal import OAuth
internal import SecretMemory
internal import System

extension Fuzzer {
  /// The bytes of a connection to the port of a sign-in, in pieces, and the answer to them.
  static let redirectRequests = Fuzzer(
    "redirect-requests",
    maximum: 80 * 1024,
    dictionary: "http"
  ) { input in
    let bytes = input.bytes()
    let request = RedirectRequest(path: "/callback", authority: "127.0.0.1:8400")
    var dice = Dice(bytes)
    let whole = try look(at: [bytes[...]], for: request)
    let middle = bytes.isEmpty ? 0 : Int.random(in: bytes.indices, using: &dice)
    let parts = try look(at: [bytes[..<middle], bytes[middle...]], for: request)
    demand(whole == parts, "a redirect depends on how its bytes came")
    guard let whole else { return }
    let query = SharedSecret(try SecretBytes(copying: whole))
    _ = try RedirectAnswer.parse(query.bytes, state: "state-1", provider: Redirects.provider)
  }

  /// A redirect that a browser brought back, or a person pasted.
  static let redirectAnswers = Fuzzer(
    "redirect-answers",
    maximum: RedirectAnswer.maximumCount + 1,
    dictionary: "http"
  ) { input in
    let provider = Redirects.provider
    _ = try RedirectAnswer.parse(input.secret().bytes, state: "state-1", provider: provider)
  }

  /// The query of the redirect, if the bytes are a request with one.
  private static func look(
    at pieces: [ArraySlice<UInt8>],
    for request: RedirectRequest
  ) throws -> [UInt8]? {
    let (near, far) = try UnixSocket.pair()
    let browser = Descriptor(owning: far)
    let connection = RedirectConnection(Descriptor(owning: near))
    for piece in pieces {
      try browser.write(Array(piece))
      switch connection.look(for: request) {
      case .redirect(let query):
        return query.bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } }
      case .waiting: break
      case .over, .refused: return nil
      }
    }
    return nil
  }
}

private enum Redirects {
  static let provider = made {
    try Provider(
      name: ProviderName("dev"),
      settings: [
        "kind": "oidc", "issuer": "https://id.example.com", "client_id": "client-1",
        "response_iss": "required",
      ]
    )
  }
}
