import SystemPassword
import TestSupport
import Testing

/// pam_unix and real users, with the installed stack.
@Suite(.serialized)
struct RealUserTests {
  private let password = "correct horse 7 battery"

  @Test
  func theRightPasswordMatchesAndEveryOtherDoesNot() throws {
    let user = try ScratchUser(password: password)
    defer { user.remove() }
    let typist = Typist(password)
    #expect(try check(user.user, Stack.installed, typist) == .matched)
    #expect(
      typist.questions == [
        PasswordQuestion(text: "System password for \(user.name): ", isHidden: true)
      ]
    )
    for wrong in ["", "x", password + " ", String(password.dropLast()), password + "\0"] {
      guard case .noMatch = try check(user.user, Stack.installed, Typist(wrong)) else {
        #expect(Bool(false), "\(wrong.count) letters")
        continue
      }
    }
  }

  @Test
  func aWrongPasswordDelaysNoCallerAndTellsTheDelay() throws {
    let user = try ScratchUser(password: password)
    defer { user.remove() }
    let clock = ContinuousClock()
    var quickest = Duration.seconds(60)
    for _ in 0..<10 where quickest >= .seconds(1) {
      let begun = clock.now
      let verdict = try check(user.user, Stack.installed, Typist("wrong"))
      quickest = min(quickest, clock.now - begun)
      guard case .noMatch(let delay, _) = verdict else { return #expect(Bool(false), "\(verdict)") }
      // pam_unix asks for two seconds, which PAM varies by half.
      #expect((500_000...4_000_000).contains(delay))
    }
    // With a delay every attempt would take at least a second.
    #expect(quickest < .seconds(1))
  }

  @Test
  func anExpiredAccountIsToldApartFromAWrongPassword() throws {
    let user = try ScratchUser(password: password)
    defer { user.remove() }
    try user.modify(["--expiredate", "1"])
    #expect(throws: PasswordError.accountExpired) {
      try check(user.user, Stack.installed, Typist(password))
    }
    // Only a caller with the right password learns it.
    guard case .noMatch = try check(user.user, Stack.installed, Typist("wrong")) else {
      return #expect(Bool(false))
    }
  }

  @Test
  func aPasswordThatMustBeChangedDoesNotDo() throws {
    let user = try ScratchUser(password: password)
    defer { user.remove() }
    try user.age(["--lastday", "0"])
    #expect(throws: PasswordError.mustChangePassword) {
      try check(user.user, Stack.installed, Typist(password))
    }
  }

  @Test
  func anInactivePasswordDoesNotDo() throws {
    let user = try ScratchUser(password: password)
    defer { user.remove() }
    try user.age(["--lastday", "2020-01-01", "--maxdays", "30", "--inactive", "10"])
    #expect(throws: PasswordError.passwordInactive) {
      try check(user.user, Stack.installed, Typist(password))
    }
  }

  @Test
  func aLockedPasswordIsToldApart() throws {
    let user = try ScratchUser(password: password)
    defer { user.remove() }
    try user.modify(["--lock"])
    #expect(throws: PasswordError.passwordLocked) {
      try check(user.user, Stack.installed, Typist(password))
    }
  }

  @Test
  func aUserWithoutAPasswordIsNotLetInByAnEmptyOne() throws {
    let user = try ScratchUser(password: password)
    defer { user.remove() }
    try user.removePassword()
    for text in ["", "anything"] {
      guard case .noMatch = try check(user.user, Stack.installed, Typist(text)) else {
        #expect(Bool(false), "\(text)")
        continue
      }
    }
  }

  @Test
  func aDeletedUserIsUnknown() throws {
    let user = try ScratchUser(password: password)
    user.remove()
    #expect(throws: PasswordError.unknownUser(user.user)) {
      try check(user.user, Stack.installed, Typist(password))
    }
  }
}
