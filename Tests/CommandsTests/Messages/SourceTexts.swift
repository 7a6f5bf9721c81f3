import Glibc
import System
import TestSupport

/// The texts in the source files of a room: the parts of string literals that are prose.
struct SourceTexts {
  /// A part of a literal, between two interpolations.
  struct Part {
    let file: String
    let text: String
  }

  private(set) var parts: [Part] = []

  /// Reads all Swift files under a folder of the package.
  ///
  /// With a call, such as `refused(`, it takes only the literals among its arguments.
  init(of folder: String, in call: String? = nil) throws {
    let names = try Directory(path: "\(BuiltPrograms.sourceDirectory)/\(folder)").names().sorted()
    for name in names {
      let path = "\(folder)/\(name)"
      guard name.hasSuffix(".swift") else {
        // The interfaces' descriptions are no texts for people.
        if !name.contains("."), name != "Generated" {
          parts += try SourceTexts(of: path, in: call).parts
        }
        continue
      }
      var scanner = LiteralScanner(String(decoding: try InterfaceFile.read(path), as: UTF8.self))
      parts += scanner.parts(in: call).filter(Self.isProse).map { Part(file: path, text: $0) }
    }
  }

  /// Whether a text has two words next to each other, and is no style sheet.
  static func isProse(_ text: String) -> Bool {
    text.contains(/[a-z']{2,} [a-z']{2,}/) && !text.contains("; }")
  }

  /// Whether a long text has a part: `contains` compares characters, which takes seconds.
  static func finds(_ part: String, in text: String) -> Bool {
    unsafe strstr(text, part) != nil
  }

  /// One space for any white space.
  static func flowing(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}

/// Finds the string literals of a Swift file, without its comments.
private struct LiteralScanner {
  private var rest: Substring
  private var found: [String] = []

  init(_ text: String) {
    rest = text[...]
  }

  mutating func parts(in call: String?) -> [String] {
    let (slash, hash, quote) = (UInt8(ascii: "/"), UInt8(ascii: "#"), UInt8(ascii: "\""))
    let first = call?.utf8.first ?? quote
    while !rest.isEmpty {
      if let call, take(call) {
        passBracket()
        continue
      }
      let before = found.count
      if take("//") {
        skip { $0 != UInt8(ascii: "\n") }
      } else if take("#\"") {
        rawLiteral()
      } else if take("\"\"\"") {
        literal(endingWith: "\"\"\"")
      } else if take("\"") {
        literal(endingWith: "\"")
      } else {
        rest.removeFirst()
        // All but these begin nothing.
        skip { $0 != slash && $0 != hash && $0 != quote && $0 != first }
      }
      if call != nil { found.removeSubrange(before...) }
    }
    return found.map(SourceTexts.flowing)
  }

  private mutating func skip(while isSkipped: (UInt8) -> Bool) {
    rest = rest[rest.utf8.drop(while: isSkipped).startIndex...]
  }

  /// Collects a literal without escapes.
  private mutating func rawLiteral() {
    var part = ""
    while !rest.isEmpty, !take("\"#") {
      if let character = rest.popFirst() { part.append(character) }
    }
    found.append(part)
  }

  private mutating func take(_ prefix: String) -> Bool {
    // To compare characters is slow, and most begin nothing.
    guard rest.utf8.first == prefix.utf8.first, rest.hasPrefix(prefix) else { return false }
    rest.removeFirst(prefix.count)
    return true
  }

  /// Collects a literal up to its end; an interpolation ends one part and begins the next.
  private mutating func literal(endingWith end: String) {
    var part = ""
    while !rest.isEmpty, !take(end) {
      if take("\\(") {
        found.append(part)
        part = ""
        passBracket()
      } else if take("\\\n") {
        rest = rest.drop { $0 == " " }
      } else if take("\\u{") {
        let digits = rest.prefix { $0 != "}" }
        rest = rest.dropFirst(digits.count + 1)
        part.unicodeScalars.append(Unicode.Scalar(UInt32(digits, radix: 16) ?? 32) ?? " ")
      } else if take("\\n") {
        part += "\n"
      } else {
        _ = take("\\")
        if let character = rest.popFirst() { part.append(character) }
      }
    }
    found.append(part)
  }

  /// Skips to the closing bracket, and collects the literals up to it.
  private mutating func passBracket() {
    var depth = 1
    while depth > 0, let character = rest.popFirst() {
      switch character {
      case "(": depth += 1
      case ")": depth -= 1
      case "\"": literal(endingWith: "\"")
      default: break
      }
    }
  }
}
