import Configuration
import JSON
import SecretMemory
import Testing

@testable import ProtectedResources

@Suite
struct ClientRegistrationTests {
  private static let redirect = "http://127.0.0.1:23456/callback"

  private func read(
    _ body: String,
    _ status: Int = 201
  ) throws(RegistrationError) -> ClientRegistration {
    guard let body = try? SecretBytes(copying: Array(body.utf8)) else { throw .tooLong }
    return try ClientRegistration(status: status, body: body, redirect: Self.redirect)
  }

  private func refusal(_ body: String, _ status: Int = 201) -> RegistrationError? {
    do throws(RegistrationError) {
      _ = try read(body, status)
      return nil
    } catch {
      return error
    }
  }

  @Test
  func aPublicClientOfThisMachineIsAskedFor() throws {
    let bytes = ClientRegistration.request(redirect: Self.redirect, scopes: ["a", "b"])
    guard case .object(let object) = try JSONReader.read(bytes) else {
      Issue.record("no object")
      return
    }
    #expect(try object.array("redirect_uris") == [.string(Self.redirect)])
    #expect(try object.string("token_endpoint_auth_method") == "none")
    #expect(try object.string("scope") == "a b")
    let without = ClientRegistration.request(redirect: Self.redirect, scopes: [])
    #expect(!String(decoding: without, as: UTF8.self).contains("scope"))
  }

  /// Some servers register no public client, and some do not list that they do.
  @Test(
    arguments: [
      (["client_secret_basic", "none"], ["none", "client_secret_basic"]),
      (["client_secret_basic", "client_secret_post"], ["none", "client_secret_post"]),
      (["private_key_jwt"], ["none"]), (nil, ["none"]),
    ] as [([String]?, [String])]
  )
  func aPublicClientIsAskedForFirst(_ listed: [String]?, _ names: [String]) throws {
    let methods = ClientRegistration.methods(listed: listed)
    #expect(methods.map(\.registeredName) == names)
    for method in methods {
      let bytes = ClientRegistration.request(redirect: Self.redirect, scopes: [], method: method)
      guard case .object(let object) = try JSONReader.read(bytes) else {
        Issue.record("no object")
        continue
      }
      #expect(try object.string("token_endpoint_auth_method") == method.registeredName)
    }
  }

  @Test
  func theChoicesOfTheServerCount() throws {
    let plain = try read(#"{"client_id":"c"}"#, 200)
    #expect(plain.clientID == "c" && plain.clientSecret == nil && plain.authentication == .none)
    let secret = #""client_id":"c","client_secret":"s3cret""#
    #expect(try read("{\(secret)}").authentication == .basic)
    let ways: [(String, OAuthSettings.ClientAuthentication, Bool)] = [
      ("none", .none, false), ("client_secret_basic", .basic, true),
      ("client_secret_post", .post, true),
    ]
    for (method, authentication, hasSecret) in ways {
      let found = try read(#"{\#(secret),"token_endpoint_auth_method":"\#(method)"}"#)
      #expect(found.authentication == authentication && (found.clientSecret != nil) == hasSecret)
    }
    #expect(
      try read(#"{"client_id":"c","redirect_uris":["x","\#(Self.redirect)"]}"#).clientID == "c"
    )
  }

  @Test
  func anAnswerThatCannotBeUsedIsNamed() {
    #expect(refusal("{}") == .member(.missing("client_id")))
    #expect(refusal(#"{"client_id":7}"#) == .member(.wrongType("client_id")))
    #expect(refusal("x") == .notAnObject)
    #expect(refusal(String(repeating: " ", count: 70_000)) == .tooLong)
    #expect(refusal(#"{"client_id":"c","redirect_uris":["http://x/"]}"#) == .otherRedirect)
    for method in ["client_secret_post", "client_secret_basic", "private_key_jwt", ""] {
      let body = #"{"client_id":"c","token_endpoint_auth_method":"\#(method)"}"#
      #expect(refusal(body) == .otherAuthentication)
    }
    guard case .secret(let error)? = refusal(#"{"client_id":"c","client_secret":"a b"}"#) else {
      Issue.record("a secret with a space is taken")
      return
    }
    #expect(!"\(error)".contains("a b"))
  }

  @Test
  func aRefusalIsShownWithoutItsControlCharacters() {
    let body = #"{"error":"invalid_redirect_uri","error_description":"no\u001b[2J"}"#
    let error = refusal(body, 400)
    #expect("\(error.map { "\($0)" } ?? "")" == "invalid_redirect_uri: no\\u{1B}[2J")
    #expect(refusal("", 403) == .refused(status: 403, message: nil))
    #expect(refusal("{}", 302) == .refused(status: 302, message: nil))
  }
}
