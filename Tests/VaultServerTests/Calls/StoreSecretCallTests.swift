import JSON
import SecretMemory
import TestSupport
import Testing
import TokenVault
import Varlink
import VaultInterface

@testable import VaultServer

/// The call that stores a static secret, as the server handles it.
struct StoreSecretCallTests {
  private func read(_ claims: String) throws -> ParsedCall {
    let text =
      #"{"method":"io.thumblatch.Vault.StoreSecret","parameters":{"account":"me","#
      + #""provider":{"name":"git","settings":{"kind":"static","issuer":"https://a.org"}},"#
      + #""secret":"hunter2","claims":\#(claims)}}"#
    return try ParsedCall(text: text)
  }

  private func claims(_ text: String) throws -> JSONObject {
    let call = try read(text)
    guard case .success(.storeSecret(let content)) = call.request else {
      throw MessageError.badValue("method")
    }
    return try #require(content.claims)
  }

  @Test
  func neitherARestrictedSocketNorACallerUnderARuleStoresASecret() throws {
    let call = try read("{}")
    #expect(!call.isForRestricted && !call.isForRuled && !call.isForDiagnosis)
    #expect(try call.request.get().usesStore)
  }

  @Test
  func neitherARestrictedSocketNorACallerUnderARuleImportsALogin() throws {
    let text =
      #"{"method":"io.thumblatch.Vault.ImportLogin","parameters":{"account":"me","#
      + #""provider":{"name":"git","settings":{"kind":"oauth2","issuer":"https://a.org"}},"#
      + #""refresh_token":"rt"}}"#
    let call = try ParsedCall(text: text)
    #expect(!call.isForRestricted && !call.isForRuled && !call.isForDiagnosis)
    #expect(try call.request.get().usesStore && !call.waitsForPerson)
  }

  /// These names are read as secrets in any call, and an attribute may have one of them.
  @Test
  func aClaimIsATextWhateverItsName() throws {
    let text = #"{"attributes":{"password":"a","text":[{"secret":"b"}]},"n":1}"#
    let written = try JSONWriter.write(.object(try claims(text)))
    #expect(String(decoding: written, as: UTF8.self) == text)
  }
}
