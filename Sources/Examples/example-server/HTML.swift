/// A piece of a page.
///
/// Interpolated text can neither begin nor end a tag, an attribute or a character reference. It is
/// escaped only here, so that no view can forget it.
struct HTML: ExpressibleByStringInterpolation, Hashable {
  /// The text for the browser.
  private(set) var text: String

  init(stringLiteral text: String) {
    self.text = text
  }

  init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
  }

  /// Joins pieces and texts.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity)
    }

    mutating func appendLiteral(_ literal: String) {
      text += literal
    }

    mutating func appendInterpolation(_ piece: HTML?) {
      text += piece?.text ?? ""
    }

    mutating func appendInterpolation(_ value: String) {
      for scalar in value.unicodeScalars {
        switch scalar {
        case "&": text += "&amp;"
        case "<": text += "&lt;"
        case ">": text += "&gt;"
        case "\"": text += "&quot;"
        case "'": text += "&#39;"
        // Neither HTML nor a screen can use these characters.
        case "\u{0}"..."\u{8}", "\u{E}"..."\u{1F}", "\u{7F}"..."\u{9F}": text += "\u{FFFD}"
        default: text.unicodeScalars.append(scalar)
        }
      }
    }

    mutating func appendInterpolation(_ number: Int) {
      text += String(number)
    }
  }

  static func + (left: HTML, right: HTML) -> HTML {
    "\(left)\(right)"
  }

  /// Text from outside, which may run from right to left.
  ///
  /// Its direction ends with it, and characters that only change the direction are removed.
  static func isolated(_ text: String) -> HTML {
    "<bdi>\(text.withoutTurns)</bdi>"
  }
}

extension String {
  /// At most `count` characters, for a heading.
  func shortened(to count: Int = 48) -> String {
    self.count > count ? prefix(count - 1) + "…" : self
  }

  /// The text without embeddings, overrides and isolates (Unicode Standard Annex 9, section 2).
  ///
  /// They could make a name look like another one.
  var withoutTurns: String {
    let kept = unicodeScalars.filter { scalar in
      !("\u{202A}"..."\u{202E}" ~= scalar) && !("\u{2066}"..."\u{2069}" ~= scalar)
    }
    return String(String.UnicodeScalarView(kept))
  }
}
