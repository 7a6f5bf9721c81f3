import Glibc
import SecretMemory
import Synchronization
import System
import SystemPassword
import TestSupport
import Testing

/// Messages of PAM's modules without a question.
struct ModuleWordsTests {
  private let user: UInt32 = 65534

  private final class Outcome: Sendable {
    let verdict = Mutex<Result<PasswordCheck.Verdict, PasswordError>?>(nil)
  }

  /// As pam_u2f(8) and pam_fprintd(8) do, which wait for a touch.
  @Test
  func whatAModuleSaysWhileItWorksIsThereAtOnce() throws {
    let stack = try Stack(
      """
      auth required \(matrix)
      auth required pam_exec.so quiet stdout @/say
      account required \(matrix)
      """,
      passwords: "nobody:secret:thumblatch\n"
    )
    defer { stack.remove() }
    let (say, gate) = (stack.directory + "/say", stack.directory + "/gate")
    try #require(unsafe mkfifo(gate, 0o600) == 0)
    let place = try Directory(path: stack.directory)
    try place.create("say").write(
      "#!/bin/sh\necho Touch the device.\necho\ntimeout 60 head -n 1 \(gate) >/dev/null\n"
    )
    try #require(unsafe chmod(say, 0o700) == 0)
    let (words, outcome) = (ModuleWords(), Outcome())
    let check = PasswordCheck(user: user, stack: stack.stack)
    try startThread {
      let result = Result { () throws(PasswordError) in
        try check.run(words: words) { _ in try? SecretBytes(copying: Array("secret".utf8)) }
      }
      outcome.verdict.withLock { $0 = result }
    }
    var said: [String] = []
    let isSaid = eventually {
      said += words.take()
      return !said.isEmpty
    }
    #expect(isSaid && said == ["Touch the device."])
    #expect(outcome.verdict.withLock { $0 == nil })
    try run("/bin/sh", ["-c", "echo >\(gate)"])
    #expect(eventually { outcome.verdict.withLock { $0 != nil } })
    #expect(outcome.verdict.withLock { $0 } == .success(.matched))
    #expect(words.take().isEmpty)
  }

  /// As pam_unix(8) does if the password expires soon.
  @Test
  func whatAModuleSaysBesideTheRightPasswordIsKept() throws {
    let stack = try Stack(
      """
      auth required \(matrix)
      account optional pam_echo.so Your password expires soon.
      account required \(matrix)
      """,
      passwords: "nobody:secret:thumblatch\n"
    )
    defer { stack.remove() }
    let words = ModuleWords()
    let verdict = try PasswordCheck(user: user, stack: stack.stack).run(words: words) { _ in
      try? SecretBytes(copying: Array("secret".utf8))
    }
    #expect(verdict == .matched && words.take() == ["Your password expires soon."])
  }

  /// Its words would fill the screen.
  @Test
  func aModuleThatSaysTooMuchIsCut() throws {
    let lines = (0..<20).map { "auth optional pam_echo.so Line \($0)." }
    let stack = try Stack(
      (["auth required \(matrix)"] + lines + ["account required \(matrix)"])
        .joined(separator: "\n"),
      passwords: "nobody:secret:thumblatch\n"
    )
    defer { stack.remove() }
    let words = ModuleWords()
    _ = try PasswordCheck(user: user, stack: stack.stack).run(words: words) { _ in
      try? SecretBytes(copying: Array("secret".utf8))
    }
    #expect(words.take() == (0..<8).map { "Line \($0)." })
  }
}
