import HelperInterface
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Testing
import Varlink

/// The built program with PAM.
@Suite(.serialized)
struct PasswordProgramTests {
  private let password = "correct horse 7 battery"

  private func ask(
    _ client: PresenceClient,
    _ user: String?,
    of name: String? = nil,
    timeout: Int = 60_000
  ) throws {
    try client.send(
      HelperCheckCall(presenceMethod: .password, user: user, timeout: timeout)
    )
    let question = try client.next(HelperCheckCall.self)
    let asked = try #require(user ?? name)
    #expect(question == .ask(text: "System password for \(asked): ", hidden: true))
  }

  @Test
  func theRightPasswordMatchesAndOthersDoNot() throws {
    let user = try ScratchUser(password: password)
    defer { user.remove() }
    let presence = try VirtualPresence()
    defer { presence.remove() }
    let client = try PresenceClient(presence.program)
    try ask(client, user.name)
    // unix_chkpwd is setgid, which NoNewPrivs would disable.
    #expect(try client.status("NoNewPrivs") == "0")
    #expect(try client.respond(password) == .matched(finger: nil))
    for wrong in ["", "wrong", password + " "] {
      try ask(client, user.name)
      #expect(try client.respond(wrong) == .notMatched)
    }
    try user.modify(["--expiredate", "1"])
    try ask(client, user.name)
    #expect(
      try client.respond(password) == .failed(.denied, detail: "this account has expired")
    )
    #expect(try client.end() == .exited(0))
  }

  @Test
  func anOrdinaryUserCanShowOnlyTheirOwnPassword() throws {
    let user = try ScratchUser(password: password)
    defer { user.remove() }
    let other = try ScratchUser(password: password)
    defer { other.remove() }
    let presence = try VirtualPresence(openToOthers: true)
    defer { presence.remove() }
    let launcher = [
      "/usr/bin/setpriv", "--reuid=\(user.user)", "--regid=\(user.user)", "--clear-groups",
    ]
    let client = try PresenceClient(presence.program, launcher: launcher)
    try ask(client, nil, of: user.name)
    #expect(try client.respond(password) == .matched(finger: nil))
    try ask(client, user.name)
    #expect(try client.respond("wrong") == .notMatched)
    try client.send(
      HelperCheckCall(presenceMethod: .password, user: other.name, timeout: 60_000)
    )
    guard case .failed(.denied, _, _, _) = try client.event() else { return #expect(Bool(false)) }
    #expect(try client.end() == .exited(0))
  }

  @Test
  func aCloseWhileSomeoneTypesEndsTheProgram() throws {
    let user = try ScratchUser(password: password)
    defer { user.remove() }
    let presence = try VirtualPresence()
    defer { presence.remove() }
    let client = try PresenceClient(presence.program)
    try ask(client, user.name)
    #expect(try client.end() == .exited(0))
  }

  @Test
  func anAnswerThatComesTooLateDoesNotCount() throws {
    let user = try ScratchUser(password: password)
    defer { user.remove() }
    let presence = try VirtualPresence()
    defer { presence.remove() }
    let client = try PresenceClient(presence.program)
    try ask(client, user.name, timeout: 5000)
    // The timeout is not reported separately, because no call waits for a reply.
    #expect(try !client.hasReply(withinMilliseconds: 5100))
    guard case .failed(.timedOut, _, _, _) = try client.respond(password) else {
      return #expect(Bool(false))
    }
    // The conversation continues.
    try ask(client, user.name)
    #expect(try client.respond(password) == .matched(finger: nil))
    #expect(try client.end() == .exited(0))
  }

  @Test
  func anotherCallWhileSomeoneTypesGivesTheCheckUp() throws {
    let user = try ScratchUser(password: password)
    defer { user.remove() }
    let presence = try VirtualPresence()
    defer { presence.remove() }
    let client = try PresenceClient(presence.program)
    try ask(client, user.name)
    try ask(client, user.name)
    #expect(try client.respond(password) == .matched(finger: nil))
    #expect(throws: ReplyError.service(.invalidParameter("text"))) {
      try client.respond(password)
    }
    #expect(try client.end() == .exited(0))
  }

  @Test
  func aModuleThatHangsOrCrashesEndsTheProgramAndPassesNoCheck() throws {
    for (behaviour, isTimeout) in [("hang", true), ("crash", false)] {
      let presence = try VirtualPresence(stack: "auth required @/hostile.so \(behaviour)")
      defer { presence.remove() }
      _ = try ScratchModule.make(in: presence.services)
      let client = try PresenceClient(presence.program)
      // A module that crashes gets all the time that it needs.
      let timeout = isTimeout ? 100 : 60_000
      try client.send(HelperCheckCall(presenceMethod: .password, user: "root", timeout: timeout))
      if isTimeout {
        guard case .failed(.timedOut, _, _, _) = try client.event() else {
          return #expect(Bool(false))
        }
        #expect(try client.child.wait() == .exited(0))
      } else {
        #expect(throws: PresenceClient.Closed.self) { try client.event() }
        #expect(try client.child.wait() != .exited(0))
      }
    }
  }

  @Test
  func aStackThatOthersCouldChangeIsNotUsed() throws {
    let presence = try VirtualPresence(
      stack: "auth required pam_permit.so\naccount required pam_permit.so"
    )
    defer { presence.remove() }
    let client = try PresenceClient(presence.program)
    try client.send(HelperCheckCall(presenceMethod: .password, user: "root", timeout: 60_000))
    #expect(
      try client.event() == .failed(.denied, detail: "the PAM stack asked for no password")
    )
    #expect(try client.end() == .exited(0))

    presence.makeWritableByOthers()
    let careful = try PresenceClient(presence.program)
    try careful.send(HelperCheckCall(presenceMethod: .password, user: "root", timeout: 60_000))
    guard case .failed(.notAvailable, _, _, _) = try careful.event() else {
      return #expect(Bool(false))
    }
    #expect(try careful.end() == .exited(0))
  }

  @Test
  func itAnswersWhatItIsAndNothingThatIsNotItsOwn() throws {
    let presence = try VirtualPresence()
    defer { presence.remove() }
    let client = try PresenceClient(presence.program)
    #expect(try client.call(GetInfoCall()).interfaces.contains("io.thumblatch.Helper"))
    let call = ExchangeCall(
      httpMethod: "GET",
      url: "http://localhost/",
      headers: [],
      pins: [],
      timeout: 1,
      maximumBody: 1
    )
    #expect(throws: ReplyError.service(.methodNotImplemented("io.thumblatch.Helper.Exchange"))) {
      try client.call(call)
    }
    #expect(try client.end() == .exited(0))
  }
}
