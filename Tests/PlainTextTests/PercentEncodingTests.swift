import Testing

@testable import PlainText

struct PercentEncodingTests {
  @Test(arguments: [
    ("", ""), ("a+b", "a+b"), ("%2D%2d", "--"), ("%25%32%44", "%2D"), ("%C3%A9", "\u{E9}"),
  ])
  func escapesAreDecodedOnce(_ text: String, _ plain: String) {
    #expect(PercentEncoding.decoded(text.utf8) == Array(plain.utf8))
  }

  @Test(arguments: ["%", "a%2", "%zz", "%+f", "% f", "%%20"])
  func aPercentSignWithoutTwoDigitsIsNoEscape(_ text: String) {
    #expect(PercentEncoding.decoded(text.utf8) == nil)
  }
}
