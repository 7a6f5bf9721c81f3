/// JSON that costs a careless reader much: one value of about this many bytes.
struct Filler: Sendable {
  let name: String
  /// Whether it is a string, which may also be used as a name.
  let isText: Bool
  private let make: @Sendable (Int) -> [UInt8]

  func value(_ bytes: Int) -> [UInt8] { make(bytes) }

  /// A string that repeats a piece.
  private static func text(_ name: String, _ piece: String, after start: String = "") -> Filler {
    Filler(name: name, isText: true) { bytes in
      let piece = Array(piece.utf8)
      var value = Array(("\"" + start).utf8)
      while value.count + piece.count < bytes { value += piece }
      return value + [UInt8(ascii: "\"")]
    }
  }

  /// A list or an object that repeats an element, optionally with a number in each.
  private static func many(
    _ name: String,
    _ brackets: String,
    _ element: @escaping @Sendable (Int) -> String
  ) -> Filler {
    let brackets = Array(brackets.utf8)
    return Filler(name: name, isText: false) { bytes in
      var value = [brackets[0]]
      var number = 0
      while value.count < bytes {
        let next = Array(element(number).utf8)
        guard value.count + next.count + 2 <= bytes else { break }
        if number > 0 { value.append(UInt8(ascii: ",")) }
        value += next
        number += 1
      }
      return value + [brackets[1]]
    }
  }

  /// Alternating marks of two classes.
  ///
  /// Normalization must sort them, which takes quadratic time in a run.
  private static let marks = "\u{301}\u{323}"
  private static let safeRun = "a" + String(repeating: marks, count: 15)

  private static let texts: [Filler] = [
    text("marks", marks),
    text("escaped marks", #"\u0301\u0323"#),
    text("marks behind a letter", marks, after: "a"),
    text("marks behind a long name", marks, after: String(repeating: "a", count: 100)),
    text("runs of 30 marks", safeRun),
    text("single marks", "a\u{301}\u{323}"),
    text("marks that decompose", "\u{344}\u{F73}\u{F81}"),
    text("letters that decompose", "\u{212B}\u{1F82}"),
    text("hebrew that decomposes", "\u{FB1D}"),
    text("music", "\u{1D15E}"),
    text("ideographs that decompose", "\u{2F800}"),
    text("jamo", "\u{1100}\u{1161}\u{11A8}"),
    text("vowel signs", "\u{9BE}"),
    text("virama", "\u{915}\u{94D}"),
    text("flags", "\u{1F1E6}"),
    text("joined pictures", "\u{1F468}\u{200D}"),
    text("surrogate pairs", #"\ud83d\ude00"#),
    text("escaped letters", #"\u0061"#),
    text("escaped quotes", #"\""#),
    text("control characters", #"\u0001"#),
    text("letters", "a"),
    text("spaces", " "),
    text("words", "a "),
    text("digits", "9"),
    text("dots", "a."),
    text("slashes", "/"),
    text("colons", "a:"),
    text("semicolons", "a;"),
    text("ampersands", "a=a&"),
    text("percent signs", "%61"),
    text("a host", "a.", after: "https://"),
    text("a path", "a/", after: "https://id.example.com/"),
    text("an address", "1:", after: "https://[::"),
    text("lines", #"a\n"#),
    text("line ends", #"\r\n"#),
    text("certificates", #"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"#),
    text("hyphens", "-"),
    text("base64", "AAAA"),
  ]

  private static let others: [Filler] = [
    Filler(name: "one long number", isText: false) { bytes in
      [UInt8](repeating: UInt8(ascii: "9"), count: bytes)
    },
    many("long numbers", "[]") { _ in "1." + String(repeating: "5", count: 509) },
    many("long integers", "[]") { _ in String(repeating: "7", count: 512) },
    // A number between two values of Double.
    many("numbers that are hard to round", "[]") { _ in
      "9007199254740993.00000000000000000000000000001"
    },
    many("small numbers", "[]") { _ in "2.2250738585072011e-308" },
    many("digits", "[]") { _ in "0" },
    many("nulls", "[]") { _ in "null" },
    many("empty strings", "[]") { _ in "\"\"" },
    many("short strings", "[]") { _ in "\"a\"" },
    many("strings of 20 letters", "[]") { "\"\($0 + 10_000)aaaaaaaaaaaaaaa\"" },
    many("strings of marks", "[]") { _ in "\"" + String(repeating: marks, count: 250) + "\"" },
    many("strings of 30 marks", "[]") { _ in "\"\(safeRun)\"" },
    many("empty lists", "[]") { _ in "[]" },
    many("empty objects", "[]") { _ in "{}" },
    many("small objects", "[]") { _ in #"{"a":0}"# },
    many("keys", "[]") { #"{"kty":"RSA","kid":"\#($0)","n":"AQAB","e":"AQAB"}"# },
    many("members", "{}") { "\"\(String($0, radix: 36))\":0" },
    many("members with texts", "{}") { "\"\(String($0, radix: 36))\":\"a\"" },
    many("members with long names", "{}") {
      "\"\(String($0, radix: 36))" + String(repeating: marks, count: 30) + "\":0"
    },
    many("members with names of marks", "{}") {
      "\"" + String(repeating: marks, count: 4 + $0 % 28) + "\($0)\":0"
    },
    many("lists of a text", "{}") { "\"\(String($0, radix: 36))\":[\"a\"]" },
    many("lists of problems", "{}") {
      "\"\(String($0, radix: 36))\":[{\"field\":\"a\",\"message\":\"b\"}]"
    },
    many("problems", "[]") { "{\"field\":\"\(String($0, radix: 36))\",\"message\":\"b\"}" },
    many("problems with long texts", "[]") { _ in
      "{\"field\":\"\",\"message\":\"" + String(repeating: "a", count: 900) + "\"}"
    },
    Filler(name: "a list of an object with many members", isText: false) { bytes in
      [UInt8(ascii: "[")]
        + many("", "{}") { "\"\(String($0, radix: 36))\":0" }.value(bytes - 2)
        + [UInt8(ascii: "]")]
    },
    many("objects of members with names of 60 letters", "{}") { number in
      let inner = (0..<60).map { "\"\($0 + 10)" + String(repeating: "t", count: 58) + "\":{}" }
      return "\"\(number)\":{\(inner.joined(separator: ","))}"
    },
    many("lists of objects of members", "{}") { number in
      let inner = (0..<50).map { "{\"s\($0)\":[],\"t\($0)\":[]}" }
      return "\"\(number)\":[\(inner.joined(separator: ","))]"
    },
    Filler(name: "a name of marks", isText: false) { bytes in
      Array("{".utf8) + texts[0].value(bytes - 6) + Array(":0}".utf8)
    },
    Filler(name: "a name of letters", isText: false) { bytes in
      let letters = texts.first { $0.name == "letters" }
      return Array("{".utf8) + (letters?.value(bytes - 6) ?? []) + Array(":0}".utf8)
    },
    Filler(name: "nested lists", isText: false) { bytes in
      let one = String(repeating: "[", count: 28) + String(repeating: "]", count: 28)
      return many("", "[]") { _ in one }.value(bytes)
    },
    Filler(name: "nested objects", isText: false) { bytes in
      let one = String(repeating: #"{"a":"#, count: 28) + "0" + String(repeating: "}", count: 28)
      return many("", "[]") { _ in one }.value(bytes)
    },
    Filler(name: "brackets without an end", isText: false) { bytes in
      [UInt8](repeating: UInt8(ascii: "["), count: bytes)
    },
    Filler(name: "space", isText: false) { bytes in
      [UInt8](repeating: UInt8(ascii: " "), count: bytes) + Array("0".utf8)
    },
  ]

  static let all = texts + others
  /// The fillers that have cost a reader most.
  static let few = all.filter {
    [
      "marks", "runs of 30 marks", "letters that decompose", "single marks", "letters", "words",
      "members", "strings of 30 marks", "strings of marks", "members with names of marks",
      "problems with long texts", "a list of an object with many members",
    ].contains($0.name)
  }
}

/// A filler's value, and a quarter of it.
struct Value {
  let quarter: [UInt8]
  let whole: [UInt8]

  init(_ filler: Filler, bytes: Int) {
    quarter = filler.value(bytes / 4)
    whole = filler.value(bytes)
  }
}
