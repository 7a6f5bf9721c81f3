import SystemPassword
import TestSupport
import Testing

/// Modules that break the rules of pam_conv(3), and then report success.
@Suite
struct HostileModuleTests {
  private func outcome(_ behaviour: String, _ typist: Typist) throws -> PasswordCheck.Verdict {
    let stack = try Stack("auth required @/hostile.so \(behaviour)\naccount required @/hostile.so")
    defer { stack.remove() }
    _ = try ScratchModule.make(in: stack.directory)
    return try check(0, stack.stack, typist)
  }

  @Test(
    arguments: [
      "null-place", "null-messages", "null-message", "zero", "minus", "33", "binary", "radio",
      "style",
    ]
  )
  func anUnanswerableQuestionIsRefusedAndNoCheckPasses(behaviour: String) throws {
    let typist = Typist("secret")
    #expect(throws: PasswordError.noPasswordAsked) { try outcome(behaviour, typist) }
    #expect(typist.questions.isEmpty)
  }

  @Test
  func anAnswerGivenBeforeABrokenQuestionIsTakenBack() throws {
    let typist = Typist("secret")
    // One hidden answer was given, and the module reports success. To PAM that is a password, but
    // the module never got it.
    #expect(throws: PasswordError.noPasswordAsked) { try outcome("late-binary", typist) }
    #expect(typist.questions.count == 1)
  }

  @Test
  func manyQuestionsAtOnceAreAnsweredOneByOne() throws {
    let typist = Typist("secret")
    #expect(try outcome("32", typist) == .matched)
    #expect(typist.questions.count == 32)
  }

  @Test
  func anotherUserThanWasAskedIsNotLetIn() throws {
    #expect(throws: PasswordError.userChanged) { try outcome("user", Typist("secret")) }
  }

  @Test
  func aModuleThatSaysYesToAnUnusableAnswerIsNotBelieved() throws {
    #expect(throws: PasswordError.noPasswordAsked) { try outcome("", Typist("sec\0ret")) }
    #expect(throws: PasswordError.cancelled) { try outcome("", Typist(nil)) }
  }

  @Test
  func textIsHarmlessOnATerminal() throws {
    let typist = Typist("secret")
    #expect(try outcome("ansi", typist) == .matched)
    let text = try #require(typist.questions.first).text
    #expect(text.hasPrefix(" [2JPassword   : "))
    #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202e })

    let patient = Typist("secret")
    #expect(try outcome("endless", patient) == .matched)
    #expect(try #require(patient.questions.first).text.utf8.count <= PasswordQuestion.maximumText)
    #expect(try outcome("null-text", Typist("secret")) == .matched)
  }
}
