import Testing
import ThumblatchKit

/// Header fields of requests and answers.
struct DatabaseHeaderTests {
  @Test(arguments: ["Accept", "accept", "ACCEPT", "aCCept"])
  func aNameIsLookedUpWithoutRegardToCase(_ name: String) {
    var headers: AuthHeaders = ["X-First": "1", "Accept": "text/plain", "Accept": "text/html"]
    #expect(headers[name] == "text/plain")
    #expect(headers.values(of: name) == ["text/plain", "text/html"])
    headers[name] = "*/*"
    #expect(headers.map(\.value) == ["1", "*/*"])
    headers[name] = nil
    #expect(headers.map(\.name) == ["X-First"])
  }

  @Test
  func onlyTheCaseOfASCIIIsIgnored() {
    // U+212A is the sign for Kelvin, which Unicode lowercases to k.
    let headers: AuthHeaders = ["K": "letter"]
    #expect(headers["\u{212A}"] == nil)
    #expect(headers["k"] == "letter")
    // "@" and "`" differ by the bit that makes a letter lower case.
    #expect((["@": "at"] as AuthHeaders)["`"] == nil)
  }

  @Test
  func fieldsKeepTheirOrderAndTheSpellingOfTheirNames() {
    var headers = AuthHeaders([AuthHeaders.Field(name: "eTag", value: "\"1\"")])
    headers.append(name: "Link", value: "<a>")
    headers.append(name: "link", value: "<b>")
    #expect(headers.map(\.name) == ["eTag", "Link", "link"])
    #expect(headers.count == 3)
    let same: AuthHeaders = ["ETag": "\"1\"", "LINK": "<a>", "Link": "<b>"]
    #expect(headers == same && headers.hashValue == same.hashValue)
    #expect(headers != ["ETag": "\"1\"", "Link": "<b>", "Link": "<a>"])
  }

  @Test
  func aJSONBodyHasItsTypeUnlessTheCallerNamesAnother() throws {
    let plain = try AuthRequest.json("https://api.test/", headers: ["X-A": "1"], body: ["a": 1])
    #expect(plain.headers.values(of: "content-type") == ["application/json"])
    #expect(plain.headers["x-a"] == "1")
    let patch = try AuthRequest.json(
      "https://api.test/",
      headers: ["content-type": "application/merge-patch+json"],
      body: ["a": 1]
    )
    #expect(patch.headers.values(of: "Content-Type") == ["application/merge-patch+json"])
  }
}
