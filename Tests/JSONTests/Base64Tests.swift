import JSON
import Testing

/// The vectors of RFC 4648, section 10, and texts that are not in the canonical form.
struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func theVectorsOfTheStandard(_ plain: String, _ text: String) {
    let bytes = Array(plain.utf8)
    let bare = String(text.prefix { $0 != "=" })
    #expect(Base64.standard.text(bytes) == text)
    #expect(Base64.standard.bytes(text.utf8) == bytes)
    #expect(Base64.url.text(bytes) == bare)
    #expect(Base64.url.bytes(bare.utf8) == bytes)
    guard bare != text else { return }
    #expect(Base64.standard.bytes(bare.utf8) == nil)
    #expect(Base64.url.bytes(text.utf8) == nil)
  }

  @Test
  func everyByteComesBackInBothKinds() {
    for count in 0..<260 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 251 + count) }
      for kind in [Base64.standard, .url] {
        let text = kind.text(bytes)
        #expect(text.utf8.count == kind.count(ofBytes: count))
        #expect(kind.bytes(text.utf8) == bytes)
      }
    }
    #expect(Base64.standard.text([0xFB, 0xEF, 0xFF]) == "++//")
    #expect(Base64.url.text([0xFB, 0xEF, 0xFF]) == "--__")
  }

  @Test(arguments: [
    "Zg=", "Zg", "Zg===", "Z===", "====", "==", "=", "Zh==", "Zm9=", "Zm8=Zm8=", "Zg==Zg==",
    "Z=g=", "Zm9v\n", " Zm9", "Zm9-", "Zm9_", "Zm9vZ", "Z\u{e9}8=",
  ])
  func otherSpellingsAreRefused(_ text: String) {
    #expect(Base64.standard.bytes(text.utf8) == nil)
  }

  @Test(arguments: ["Z", "Zh", "Zm9vZ", "Zm9", "Zm+/", "Zg==", "Zm8=", "Zm 8", "Zm8\n"])
  func otherSpellingsOfTheKindForURLsAreRefused(_ text: String) {
    #expect(Base64.url.bytes(text.utf8) == nil)
  }
}
