/// The syntax of a shell that sets a variable.
enum ShellText: String, CaseIterable {
  /// The shells that POSIX describes: sh, bash, dash, ksh, zsh.
  case sh
  case fish
  /// csh and tcsh.
  case csh

  /// A command that sets and exports a variable.
  func setting(_ name: VariableName, to value: String) -> String {
    switch self {
    case .sh: "export \(name.text)=\(quoted(value))"
    case .fish: "set -gx \(name.text) \(quoted(value));"
    case .csh: "setenv \(name.text) \(quoted(value));"
    }
  }

  /// A text that the shell reads as one word, for each character but NUL; csh has no line end in
  /// one.
  func quoted(_ text: String) -> String {
    var result = "'"
    for byte in text.unicodeScalars {
      switch (self, byte) {
      // The quotation ends, an escaped one follows, and it begins again.
      case (.sh, "'"), (.csh, "'"): result += #"'\''"#
      // fish(1), Quotes: \' and \\ are the escapes.
      case (.fish, "'"), (.fish, "\\"): result += "\\" + String(byte)
      // csh(1): the history is substituted in quotation marks too.
      case (.csh, "!"): result += #"\!"#
      default: result.unicodeScalars.append(byte)
      }
    }
    return result + "'"
  }

  /// Words as a line of sh(1).
  static func line(_ words: [String]) -> String {
    words.map { word in
      let isPlain = word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
          UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
      return isPlain && !word.isEmpty ? word : Self.sh.quoted(word)
    }.joined(separator: " ")
  }
}
