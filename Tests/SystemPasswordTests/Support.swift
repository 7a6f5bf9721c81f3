import SecretMemory
import System
import SystemPassword
import TestSupport
import Testing

/// Answers each question with the same text, and keeps the questions.
final class Typist {
  private let text: [UInt8]?
  private(set) var questions: [PasswordQuestion] = []

  init(_ text: String?) {
    self.text = text.map { [UInt8]($0.utf8) }
  }

  func answer(_ question: PasswordQuestion) -> SecretBytes? {
    questions.append(question)
    guard let text else { return nil }
    return try? SecretBytes(copying: text)
  }
}

/// A directory with a file `thumblatch`: a private PAM stack.
struct Stack {
  let directory: String
  var stack: PasswordStack { .directory(directory) }

  init(_ lines: String, passwords: String? = nil) throws {
    directory = try makeTemporaryDirectory()
    let place = try Directory(path: directory)
    if let passwords { try place.create("passdb").write(passwords) }
    try place.create("thumblatch").write(
      lines.split(separator: "@", omittingEmptySubsequences: false).joined(separator: directory)
        + "\n"
    )
  }

  func remove() { removeTemporaryDirectory(directory) }

  /// The installed stack.
  static var installed: PasswordStack {
    .directory(BuiltPrograms.sourceDirectory + "/Sources/Installed/etc/pam.d")
  }
}

/// The module that checks passwords against a file, from the package libpam-wrapper.
let matrix = "/usr/lib/x86_64-linux-gnu/pam_wrapper/pam_matrix.so passdb=@/passdb"

func check(
  _ user: UInt32,
  _ stack: PasswordStack,
  _ typist: Typist
) throws(PasswordError)
  -> PasswordCheck.Verdict
{
  try PasswordCheck(user: user, stack: stack).run { typist.answer($0) }
}
