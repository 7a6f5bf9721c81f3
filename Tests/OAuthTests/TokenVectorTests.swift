import JSON
import SecretMemory
import System
import Testing

@testable import OAuth

/// Whether one of these keys has signed the token.
///
/// Its claims are not checked.
private func isSigned(_ token: String, _ keys: String) throws -> Bool {
  let keys = try KeySet(Array(keys.utf8))
  do throws(IDTokenError) {
    try SignedToken(token).verify(with: keys)
    return true
  } catch {
    return false
  }
}

/// Published test vectors for signed tokens, through the reader of this room.
@Suite
struct TokenVectorTests {
  private static let payload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

  /// RFC 7515, appendix A.2.
  @Test
  func rs256() throws {
    let keys = #"""
      {"keys":[{"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}]}
      """#
    let token =
      "eyJhbGciOiJSUzI1NiJ9." + Self.payload
      + ".cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2"
      + "Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQB"
      + "MHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI"
      + "2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
    #expect(try isSigned(token, keys))
    #expect(try !isSigned(token.replacing(".eyJpc3", with: ".fyJpc3"), keys))
  }

  /// RFC 7515, appendix A.3.
  @Test
  func es256() throws {
    let keys = #"""
      {"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
      """#
    let signature =
      "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    #expect(try isSigned("eyJhbGciOiJFUzI1NiJ9.\(Self.payload).\(signature)", keys))
    #expect(try !isSigned("eyJhbGciOiJFUzI1NiJ9.\(Self.payload)A.\(signature)", keys))
  }

  /// RFC 8037, appendix A.4.
  @Test
  func edDSA() throws {
    let keys = #"""
      {"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
      """#
    let signature =
      "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
    let token = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc." + signature
    #expect(try isSigned(token, keys))
    #expect(try !isSigned(token.replacing("RXhh", with: "RXhi"), keys))
  }

  private static func groups() throws -> [JSONObject] {
    let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    let file = try Directory(path: "/\(folder)/Vectors")
      .openForReading("wycheproof-json_web_signature_test.json")
    guard case .object(let all) = try JSONReader.read(file.readAll(limit: 1 << 20)) else {
      return []
    }
    return try all.array("testGroups").compactMap { group in
      if case .object(let group) = group { group } else { nil }
    }
  }

  /// C2SP/wycheproof: vectors with an accepted algorithm get the published result, and the others
  /// are refused.
  @Test
  func everyPublishedTokenIsJudgedAsPublished() throws {
    let ours = IDToken.algorithms
    var good = 0
    var refused = 0
    for group in try Self.groups() {
      let key = try group.optionalObject("public") ?? group.object("private")
      let isOurs = try key.optionalString("alg").map(ours.contains) ?? false
      let json = try JSONWriter.write(.object(["keys": .array([.object(key)])]))
      let keys = String(decoding: json, as: UTF8.self)
      for test in try group.array("tests") {
        guard case .object(let test) = test else { throw JSONError.wrongType("tests") }
        // Figure 20 of RFC 7520 is signed with PS384, although its key names another algorithm.
        let isPS384 = try test.string("comment") == "Figure20"
        let expected = try isOurs && !isPS384 && test.string("result") == "valid"
        let isSigned: Bool
        switch test["jws"] {
        case .string(let token): isSigned = try OAuthTests.isSigned(token, keys)
        default: continue
        }
        let name = try "case \(test.integer("tcId")) \(test.string("comment"))"
        #expect(isSigned == expected, "\(name)")
        if isSigned { good += 1 } else { refused += 1 }
      }
    }
    #expect(good == 32)
    #expect(refused == 369)
  }
}
