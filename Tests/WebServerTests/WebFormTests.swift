import Testing
import WebServer

/// The input of a browser, or of a program that poses as a browser.
struct WebFormTests {
  @Test
  func aFormHasItsFieldsOnceAndDecoded() {
    let fields = WebForm.fields("name=Ada+L%C3%B8&email=a%40b&email=second&empty=&bare&x=%zz%+1")
    #expect(
      fields == ["name": "Ada Lø", "email": "a@b", "empty": "", "bare": "", "x": "%zz% 1"]
    )
  }

  /// Hashing 64 KiB of combining marks took 234 ms of CPU time, once for each request.
  @Test
  func aLongNameIsNeverHashed() {
    let marks = String(repeating: "%CC%81", count: 10_900)
    #expect(WebForm.fields("\(marks)=1&name=Ada&e\(marks)=2") == ["name": "Ada"])
    // Names of the maximum length, and of one byte more.
    let name = String(repeating: "é", count: 64)
    #expect(WebForm.fields("\(name)=1&\(name)x=2") == [name: "1"])
  }

  /// An accent behind the sign forms one character with it, but the sign still ends the name.
  @Test
  func aSignEndsItsPartWhateverFollows() {
    #expect(WebForm.fields("a=1&\u{301}b=2") == ["a": "1", "\u{301}b": "2"])
  }

  @Test
  func aCookieIsComparedAsBytes() {
    let marks = String(repeating: "\u{301}\u{316}", count: 8000)
    let request = WebRequest(
      method: "GET",
      path: "/",
      headers: ["cookie": "s\(marks)=0; e\u{301}=1; s=2; s=3"]
    )
    #expect(request.cookie("s") == "2")
    // The same text for a reader, but different bytes.
    #expect(request.cookie("\u{e9}") == nil)
  }
}
