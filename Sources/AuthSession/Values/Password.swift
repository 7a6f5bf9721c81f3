internal import SecretMemory

/// A password on its way to the vault, in memory that is locked and wiped.
///
/// It can be neither printed nor compared.
public struct Password: Sendable {
  let secret: SharedSecret

  /// Takes the text; where that came from, copies of it may stay in memory.
  ///
  /// - Throws: `unexpected` where no memory can be had, `invalidArgument` for more than 8 KiB.
  public init(_ text: consuming String) throws(AuthError) {
    guard text.utf8.count <= Self.longest else {
      throw AuthError(.invalidArgument, "a password may have \(Self.longest) bytes")
    }
    do {
      secret = SharedSecret(try SecretBytes(copying: Array(text.utf8)))
    } catch {
      throw AuthError(.unexpected, "no locked memory for the password", cause: error)
    }
  }

  private static let longest = 8192

  /// One that lies in locked memory already.
  init(_ secret: SharedSecret) {
    self.secret = secret
  }

  /// Whether it has no character.
  public var isEmpty: Bool { secret.bytes.count == 0 }

  /// The text, for the stub of a test.
  package var text: String {
    unsafe secret.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension Password {
  /// Reads a password at the controlling terminal, unseen, straight into locked memory.
  ///
  /// What getpass(3) returns lies in ordinary memory, and may be swapped or dumped; this does not.
  /// Backspace and Ctrl-U correct the line. One terminal asks one question at a time: a presence prompt
  /// that is shown there ends first.
  ///
  /// ```swift
  /// let typed = try await Password.read("Password of Ada: ")
  /// try await session.login(email: email, password: typed)
  /// ```
  ///
  /// - Parameter question: what stands before the cursor.
  /// - Returns: what was typed before Enter, at most 1024 bytes; it may be empty.
  /// - Throws: `cancelled` after Ctrl-C, Ctrl-D, a hang-up or the end of the task; `noTerminal` without
  ///   a terminal, or in the background of one; `invalidArgument` for a longer line.
  public static func read(
    _ question: String = "Password: "
  ) async throws(AuthError) -> Password {
    try await BlockingWork.terminal.run { interrupt throws(AuthError) in
      guard let terminal = HiddenTerminal() else {
        throw AuthError(
          .noTerminal,
          "there is no terminal to type a password at",
          recoverySuggestion: "run the program in the foreground of a terminal"
        )
      }
      return try TypedLine.lend { line throws(AuthError) in
        terminal.ask(question)
        defer { terminal.endLine() }
        while true {
          let ready = terminal.wait(with: interrupt)
          if ready[1] { throw .taskCancelled }
          switch line.readKey(of: terminal) {
          case .character: continue
          case .cancel: throw AuthError(.cancelled, "no password was typed")
          case .end: return try line.takePassword()
          }
        }
      }
    }
  }
}

extension Password: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Never the password.
  public var description: String { "Password(redacted)" }
  /// Never the password.
  public var debugDescription: String { description }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
