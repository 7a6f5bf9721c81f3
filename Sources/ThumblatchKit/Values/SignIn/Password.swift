internal import SecretMemory
internal import TerminalIO

/// A password on its way to the vault, in memory that is locked and wiped.
///
/// It cannot be printed or compared.
public struct Password: Sendable {
  let secret: SharedSecret

  /// Copies the text into locked memory.
  ///
  /// Other copies of it may stay in ordinary memory.
  ///
  /// - Throws: `unexpected` if no locked memory is available, `invalidArgument` for more
  ///   than 8 KiB.
  public init(_ text: consuming String) throws(AuthError) {
    guard text.utf8.count <= Self.longest else {
      throw AuthError(.invalidArgument, "a password may have at most \(Self.longest) bytes")
    }
    do {
      secret = SharedSecret(try SecretBytes(copying: Array(text.utf8)))
    } catch {
      throw AuthError(.unexpected, "no locked memory for the password", cause: error)
    }
  }

  private static let longest = 8192

  /// Takes a password that is already in locked memory.
  init(_ secret: SharedSecret) {
    self.secret = secret
  }

  /// Whether the password is empty.
  public var isEmpty: Bool { secret.bytes.count == 0 }

  /// The text, for the stub of a test.
  package var text: String {
    unsafe secret.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension Password {
  /// Reads a password at the controlling terminal, without echo, straight into locked memory.
  ///
  /// getpass(3) returns a buffer in ordinary memory, which may be swapped or dumped. This memory
  /// may not. Backspace and Ctrl-U correct the line. One terminal asks one question at a time: a
  /// presence prompt that is shown there ends first.
  ///
  /// ```swift
  /// let typed = try await Password.read("Password of Ada: ")
  /// try await session.login(email: email, password: typed)
  /// ```
  ///
  /// - Parameter question: the text before the cursor.
  /// - Returns: the line that was typed before Enter, at most 1024 bytes. It may be empty.
  /// - Throws: `cancelled` after Ctrl-C, Ctrl-D, a hang-up or the end of the task; `noTerminal` if
  ///   there is no terminal, or if the program runs in its background; `invalidArgument` for a
  ///   longer line, or one that is not UTF-8.
  public static func read(_ question: String = "Password: ") async throws(AuthError) -> Password {
    try await BlockingWork.terminal.run { interrupt throws(AuthError) in
      guard let terminal = Terminal.controlling(takesInterruptKey: true) else {
        throw AuthError(
          .noTerminal,
          "there is no terminal to type a password at",
          recoverySuggestion: "run the program in the foreground of a terminal"
        )
      }
      guard OpenDialogues.begin(interrupt) else { throw .taskCancelled }
      defer { OpenDialogues.end(interrupt) }
      do throws(TerminalError) {
        defer { terminal.endLine() }
        let secret = try terminal.readSecret(interrupt: interrupt) { terminal.ask(question) }
        if let secret { return Password(secret) }
      } catch {
        throw AuthError(error)
      }
      throw AuthError(.cancelled, "no password was typed")
    }
  }
}

extension AuthError {
  fileprivate init(_ error: TerminalError) {
    switch error {
    case .interrupted: self = .taskCancelled
    case .tooLong(let maximum):
      self.init(.invalidArgument, "a password may have at most \(maximum) bytes here")
    case .holdsNUL:
      self.init(.invalidArgument, "a password cannot hold a NUL character")
    case .notText: self.init(.invalidArgument, "the password is not UTF-8")
    case .noMemory(let error):
      self.init(.unexpected, "no locked memory for the password", cause: error)
    case .system(let error): self = .system(error)
    }
  }
}

extension Password: Redacted {
  /// The type's name, never the password.
  public var description: String { "Password(redacted)" }
}
