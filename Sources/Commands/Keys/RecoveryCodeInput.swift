internal import SecretMemory
internal import TerminalIO

/// A recovery code that a person types, or a script hands over.
enum RecoveryCodeInput {
  static let ask = Verb.Option("--code", "ask for the recovery code at the terminal")
  static let standardInput = Verb.Option(
    "--code-stdin",
    "read the recovery code from a line of standard input"
  )

  /// The code, if one of the options is given.
  static func given(_ session: Session) throws(CommandError) -> SharedSecret? {
    if session.arguments.has(standardInput.name) {
      return try StandardInput.password(
        interrupt: session.interrupt,
        from: session.standardInput,
        option: standardInput.name,
        called: "recovery code"
      )
    }
    guard session.arguments.has(ask.name) else { return nil }
    return try asked("Recovery code: ", session)
  }

  /// Whether a typed code is the one that was shown, apart from case, spaces and dashes.
  static func isSame(_ typed: SharedSecret, _ shown: SharedSecret) -> Bool {
    typed.bytes.withBytes { typed in
      shown.bytes.withBytes { shown in
        var next = 0
        for index in typed.indices where typed[index].isOfCode {
          while next < shown.count, !shown[next].isOfCode { next += 1 }
          guard next < shown.count, typed[index].upper == shown[next] else { return false }
          next += 1
        }
        return next == shown.count
      }
    }
  }

  /// A code that is typed without echo.
  static func asked(_ question: String, _ session: Session) throws(CommandError) -> SharedSecret {
    let terminal = try session.terminal(
      for: "the recovery code",
      instead: "\(standardInput.name) reads it from a line of standard input"
    )
    return try session.hidden(question, terminal)
  }
}

extension UInt8 {
  /// Whether it is neither a space nor a dash.
  fileprivate var isOfCode: Bool { self != UInt8(ascii: " ") && self != UInt8(ascii: "-") }

  fileprivate var upper: UInt8 {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) ? self - 32 : self
  }
}
