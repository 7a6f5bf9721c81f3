import Configuration
import OAuth
import SecretMemory
import TestSupport
import Testing

/// Thousands of damaged inputs, the same each time: none is accepted, and none causes a crash.
@Suite
struct HostileInputTests {
  /// Makes one to four changes: bytes are flipped, removed, inserted, doubled, or moved.
  private func damaged(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    let marks = Array("\"{}[]:,.&=?%+#\\\0\u{1B}\n ~A1-_é".utf8)
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
      let index = Int.random(in: bytes.indices, using: &generator)
      let end = min(bytes.count, index + Int.random(in: 1...16, using: &generator))
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: bytes[index] = marks.randomElement(using: &generator) ?? 0
      case 2: bytes.removeSubrange(index..<end)
      case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
      case 4: bytes.insert(contentsOf: bytes[index..<end], at: index)
      case 5: bytes.removeSubrange(index...)
      default:
        let piece = bytes[index..<end]
        bytes.insert(contentsOf: piece, at: Int.random(in: 0...index, using: &generator))
      }
    }
    return bytes
  }

  @Test
  func aDamagedIDTokenIsNeverBelieved() throws {
    let samples = try IDTokenSamples.shared.get()
    var generator = SeededGenerator(seed: 1)
    for algorithm in ["RS256", "ES256", "EdDSA"] {
      let token = Array(try samples.token(algorithm: algorithm).utf8)
      var count = 0
      while count < 1500 {
        let other = damaged(token, &generator)
        guard other != token else { continue }
        count += 1
        let answer = samples.check(String(decoding: other, as: UTF8.self))
        #expect(answer.hasPrefix("the ID token is") && isFitToBeShown(answer))
      }
    }
  }

  /// A damaged set may still hold keys, but none that has signed a stranger's token.
  @Test
  func aDamagedKeySetNeverTrustsAStranger() throws {
    let samples = try IDTokenSamples.shared.get()
    let stranger = try samples.signer.token(
      header: #"{"alg":"ES256","kid":"e"}"#,
      payload: samples.payload(),
      key: .otherP256,
      algorithm: "ES256"
    )
    let set = samples.keys.encoded
    #expect(samples.check(try samples.token()) == "u1")
    var generator = SeededGenerator(seed: 2)
    var read = 0
    for _ in 0..<3000 {
      guard let keys = try? KeySet(damaged(set, &generator)) else { continue }
      read += 1
      #expect(samples.check(stranger, keys: keys) != "u1")
      #expect(try KeySet(keys.encoded).count == keys.count)
    }
    // The loop gets past the JSON.
    #expect(read > 500)
  }

  @Test
  func aDamagedDocumentNamesNoOtherIssuerAndNoPlainEndpoint() throws {
    let provider = try Provider(
      name: ProviderName("dev"),
      settings: ["kind": "oidc", "issuer": "https://id.example.com", "client_id": "c"]
    )
    let document = Array(
      #"""
      {"issuer":"https://id.example.com","token_endpoint":"https://id.example.com/t",
      "jwks_uri":"https://id.example.com/k","authorization_endpoint":"https://id.example.com/a",
      "grant_types_supported":["refresh_token"],"code_challenge_methods_supported":["S256"],
      "authorization_response_iss_parameter_supported":true}
      """#.utf8
    )
    var generator = SeededGenerator(seed: 3)
    var read = 0
    for _ in 0..<5000 {
      let body = SharedSecret(try SecretBytes(copying: damaged(document, &generator)))
      guard let metadata = try? ServerMetadata(body.bytes, for: provider),
        let completed = try? metadata.completed(provider)
      else { continue }
      read += 1
      #expect(completed.issuer == provider.issuer)
      for endpoint in OAuthEndpoint.allCases {
        let url = completed.endpoint(endpoint)
        #expect(url?.hasPrefix("https://") != false)
        #expect(url?.contains("@") != true && url.map(isFitToBeShown) != false)
      }
    }
    #expect(read > 200)
  }

  @Test
  func aDamagedRedirectNeverGetsPastTheState() throws {
    let provider = try openID(["response_iss": "required"])
    let state = "kJ7-_aB3kJ7-_aB3"
    let iss = "https%3A%2F%2Fid.example.com"
    let redirect = Array("code=c-1&state=\(state)&iss=\(iss)".utf8)
    var generator = SeededGenerator(seed: 4)
    var codes = 0
    for _ in 0..<5000 {
      let other = damaged(redirect, &generator)
      let bytes = SharedSecret(try SecretBytes(copying: other))
      do throws(RedirectError) {
        let answer = try RedirectAnswer.parse(bytes.bytes, state: state, provider: provider)
        // Every accepted redirect has the whole state and issuer.
        let text = String(decoding: other, as: UTF8.self)
        #expect(text.contains("="))
        if case .code(let code) = answer {
          codes += 1
          #expect(code.bytes.count > 0)
        }
        let wrong = try? RedirectAnswer.parse(bytes.bytes, state: state + "x", provider: provider)
        #expect(wrong == nil)
      } catch {
        #expect(isFitToBeShown(error.description))
      }
    }
    // Damage to only the code leaves a code.
    #expect(codes > 50)
  }

  @Test
  func noiseIsNeverAnswered() throws {
    let samples = try IDTokenSamples.shared.get()
    let provider = try openID()
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<3000 {
      let count = Int.random(in: 0...300, using: &generator)
      let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let body = SharedSecret(try SecretBytes(copying: noise))
      #expect((try? RedirectAnswer.parse(body.bytes, state: "s", provider: provider)) == nil)
      #expect((try? ServerMetadata(body.bytes, for: provider)) == nil)
      #expect((try? KeySet(body.bytes)) == nil)
      #expect(samples.check(String(decoding: noise, as: UTF8.self)).hasPrefix("the ID token"))
      let client = ProviderClient(provider: provider)
      for status in [200, 400, 401] {
        if case .authorization = client.judgeDeviceAuthorization(
          status: status,
          retryAfter: nil,
          body: body.bytes
        ) {
          Issue.record("noise was taken for a device code")
        }
        if case .tokens = client.judge(
          status: status,
          retryAfter: nil,
          body: body.bytes,
          for: .device
        ) {
          Issue.record("noise was taken for tokens")
        }
      }
    }
  }
}
