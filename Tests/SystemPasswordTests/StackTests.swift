import SystemPassword
import Testing

/// The conversation and the rules, with PAM stacks of this test.
@Suite
struct StackTests {
  /// The user of uid 65534 exists everywhere.
  ///
  /// Its password is missing, not locked.
  private let user: UInt32 = 65534

  @Test
  func theRightPasswordMatchesAndAnotherDoesNot() throws {
    let stack = try Stack(
      "auth required \(matrix)\naccount required \(matrix)",
      passwords: "nobody:secret:thumblatch\n"
    )
    defer { stack.remove() }
    let typist = Typist("secret")
    #expect(try check(user, stack.stack, typist) == .matched)
    #expect(typist.questions.map(\.isHidden) == [true])
    #expect(try check(user, stack.stack, Typist("Secret")) == .noMatch(delay: 0))
    #expect(try check(user, stack.stack, Typist("")) == .noMatch(delay: 0))
  }

  @Test
  func aModuleThatPassesNoPlaceForAnswersDoesNoHarm() throws {
    // `verbose` calls the conversation with a NULL reply pointer.
    let stack = try Stack(
      "auth required \(matrix) verbose\naccount required \(matrix) verbose",
      passwords: "nobody:secret:thumblatch\n"
    )
    defer { stack.remove() }
    #expect(try check(user, stack.stack, Typist("secret")) == .matched)
    let miss = PasswordCheck.Verdict.noMatch(delay: 0, notes: "Authentication failed")
    #expect(try check(user, stack.stack, Typist("wrong")) == miss)
  }

  @Test
  func anotherServicesAccountIsNotLetIn() throws {
    let stack = try Stack(
      "auth required \(matrix)\naccount required \(matrix)",
      passwords: "nobody:secret:sshd\n"
    )
    defer { stack.remove() }
    let error = #expect(throws: PasswordError.self) {
      try check(user, stack.stack, Typist("secret"))
    }
    guard case .denied = error else { return #expect(Bool(false), "\(error as Any)") }
  }

  @Test
  func aSuccessWithoutAHiddenQuestionIsNoPassword() throws {
    let stack = try Stack("auth required pam_permit.so\naccount required pam_permit.so")
    defer { stack.remove() }
    #expect(throws: PasswordError.noPasswordAsked) {
      try check(user, stack.stack, Typist("anything"))
    }
    let echo = try Stack(
      "auth required \(matrix) echo\naccount required pam_permit.so",
      passwords: "nobody:secret:thumblatch\n"
    )
    defer { echo.remove() }
    #expect(throws: PasswordError.noPasswordAsked) {
      try check(user, echo.stack, Typist("secret"))
    }
  }

  @Test
  func aMissingFileIsNoReasonToTakeAnotherService() throws {
    let stack = try Stack("auth required pam_permit.so")
    stack.remove()
    #expect(throws: PasswordError.noStack(stack.directory + "/thumblatch")) {
      try check(user, stack.stack, Typist("secret"))
    }
  }

  @Test
  func whoGivesUpIsToldApart() throws {
    let stack = try Stack(
      "auth required \(matrix)\naccount required \(matrix)",
      passwords: "nobody:secret:thumblatch\n"
    )
    defer { stack.remove() }
    #expect(throws: PasswordError.cancelled) { try check(user, stack.stack, Typist(nil)) }
  }

  @Test
  func aPasswordThatModulesWouldCutIsWrong() throws {
    let stack = try Stack(
      "auth required \(matrix)\naccount required \(matrix)",
      passwords: "nobody:secret:thumblatch\n"
    )
    defer { stack.remove() }
    for password in ["secret\0", "\0", "secret\0secret", String(repeating: "x", count: 512)] {
      #expect(try check(user, stack.stack, Typist(password)) == .noMatch(delay: 0))
    }
  }

  @Test
  func aStackThatDoesNotWorkIsNotAWrongPassword() throws {
    let stack = try Stack("auth required pam_no_such_module.so\naccount required pam_permit.so")
    defer { stack.remove() }
    let error = #expect(throws: PasswordError.self) {
      try check(user, stack.stack, Typist("secret"))
    }
    guard case .unavailable = error else { return #expect(Bool(false), "\(error as Any)") }
  }

  /// As pam_faillock does after too many wrong passwords.
  @Test
  func aStackThatRefusesBeforeItAsksIsNotAWrongPassword() throws {
    for text in ["", "Come back later."] {
      let stack = try Stack(
        """
        auth optional \(text.isEmpty ? "pam_permit.so" : "pam_echo.so \(text)")
        auth requisite pam_deny.so
        auth required \(matrix)
        account required \(matrix)
        """,
        passwords: "nobody:secret:thumblatch\n"
      )
      defer { stack.remove() }
      let typist = Typist("secret")
      #expect(throws: PasswordError.refusedUnasked(text)) { try check(user, stack.stack, typist) }
      #expect(typist.questions.isEmpty)
    }
  }

  /// As pam_time(8) and pam_nologin(8) do.
  @Test
  func whatARefusingModuleSaysAfterTheLastQuestionIsTold() throws {
    let stack = try Stack(
      """
      auth required \(matrix)
      account optional pam_echo.so Come back later.
      account required pam_deny.so
      """,
      passwords: "nobody:secret:thumblatch\n"
    )
    defer { stack.remove() }
    let error = #expect(throws: PasswordError.self) {
      try check(user, stack.stack, Typist("secret"))
    }
    guard case .denied(let fault) = error else { return #expect(Bool(false), "\(error as Any)") }
    #expect(fault.notes == "Come back later.")
    #expect(error?.description.hasSuffix(": Come back later.)") == true)
  }

  /// As pam_faillock(8) does if it is asked only after the password.
  @Test
  func whatAModuleSaysBesideAWrongPasswordIsTold() throws {
    let stack = try Stack(
      """
      auth sufficient \(matrix)
      auth optional pam_echo.so Come back later.
      auth requisite pam_deny.so
      account required \(matrix)
      """,
      passwords: "nobody:secret:thumblatch\n"
    )
    defer { stack.remove() }
    #expect(
      try check(user, stack.stack, Typist("wrong")) == .noMatch(delay: 0, notes: "Come back later.")
    )
    #expect(try check(user, stack.stack, Typist("secret")) == .matched)
  }

  /// As the stack of pam_faillock(8) ends, whose `authfail` only counts.
  @Test
  func aStackWhoseLastWordIsToBeIgnoredHasRefusedThePassword() throws {
    let stack = try Stack(
      """
      auth required pam_permit.so
      auth sufficient \(matrix)
      auth [default=die] pam_debug.so auth=ignore
      account required \(matrix)
      """,
      passwords: "nobody:secret:thumblatch\n"
    )
    defer { stack.remove() }
    let miss = PasswordCheck.Verdict.noMatch(delay: 0, notes: "auth=ignore")
    #expect(try check(user, stack.stack, Typist("wrong")) == miss)
    #expect(try check(user, stack.stack, Typist("secret")) == .matched)
  }

  @Test
  func aNumberWithoutAUserIsRefused() throws {
    #expect(throws: PasswordError.unknownUser(4_000_000_000)) {
      try check(4_000_000_000, Stack.installed, Typist("secret"))
    }
  }
}
