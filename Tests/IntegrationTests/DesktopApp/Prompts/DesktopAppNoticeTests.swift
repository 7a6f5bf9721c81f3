import Glibc
import JSON
import System
import TestSupport
import Testing

/// The notices that the desktop app shows as an agent: real engine, development backend.
@Suite(.serialized)
struct DesktopAppNoticeTests {
  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  /// Opens the app with a notification server, and waits until the app is an agent of the engine.
  private func open(_ variables: String = "") throws {
    try person.startEngine(asking: bus)
    try app.run("take_notices()")
    try app.run("open(\(variables))")
    let isKnown = eventually {
      let notes = (try? Directory(path: person.state + "/agents").names()) ?? []
      return notes.contains { $0.hasPrefix("\(person.user.user).") }
    }
    #expect(isKnown)
  }

  @Test
  func aSecretThatExpiresSoonIsRemindedOfAndMarked() throws {
    defer { bus.remove() }
    for (name, time) in [("forge", "5 days"), ("later", "60 days")] {
      let end = try shell("date -u -d '\(time)' +%FT%TZ | tr -d '\\n'")
      let store = ["store", name, "--host", "git.example.org", "--expires", end, "--secret-stdin"]
      try person.run(store, input: "at_1\n").succeeded()
    }
    try open()
    let facts = "Ready · not protected · git.example.org"
    try app.sees("forge, \(facts) · Expires within 5 days", "list item")
    try app.sees("later, \(facts) · Valid until", "list item")
    try app.run("click('later, ', 'list item')")
    try app.sees("Each use needs your finger")
    try app.misses("The secret expires soon.")
    try app.run("click('forge, ', 'list item')")
    try app.sees(
      "The secret expires soon. Make another one at its host, then store it, in a terminal:"
        + " thumblatch store forge",
      "alert"
    )
    try app.sees(" · Expires within 5 days")
    app.keepPicture("secret-expires")
    try person.run("token", "forge").succeeded()
    let notice = try app.run("notice('forge')")
    guard case .array(let texts) = notice, case .string(let body)? = texts.last else {
      throw SystemError("windows", code: EPROTO)
    }
    #expect(texts.count == 2 && texts.first == .string("Secret Expires Soon"))
    #expect(body.hasPrefix("The secret of account 'forge' is valid until "))
    #expect(body.hasSuffix("in a terminal: thumblatch store forge"))
  }

  /// Ends a session at the provider, and uses its account after the app was opened.
  private func loseSession(_ variables: String = "") throws {
    try person.register("work")
    let token = try person.run("token", "work").succeeded()
    try python(
      """
      import sys, urllib.request
      headers = {"Authorization": "Bearer " + sys.argv[2].strip()}
      urllib.request.urlopen(urllib.request.Request(sys.argv[1], b"", headers), timeout=60)
      """,
      person.backend.url + "/auth/logout",
      token
    )
    try person.expireTokens()
    try open(variables)
    #expect(try person.run("token", "work").end == .exited(4))
  }

  @Test
  func aNoticeOfARequiredSignInLeadsToItsForm() throws {
    defer { bus.remove() }
    try shell(
      """
      umask 022
      \(BuiltPrograms.sourceDirectory)/Scripts/translations --compile \(person.base)/share/locale
      """
    )
    try loseSession("LANGUAGE='de'")
    let notice = try app.run("notice('work')")
    #expect(
      notice
        == .array([
          .string("Anmeldung erforderlich"),
          .string(
            "Programme erhalten keine Token des Kontos „work“, bis Sie sich wieder anmelden."
          ),
          .string("Anmelden"),
        ])
    )
    try app.run("choose('sign-in')")
    try app.sees("Bei „work“ anmelden")
  }

  /// Its action has an effect only while the app runs.
  @Test
  func aNoticeWithAnActionEndsWithTheApp() throws {
    defer { bus.remove() }
    try loseSession()
    try app.run("notice('work')")
    let closed = "serve('GetMethodCalls', '(s)', 'CloseNotification')[0] != []"
    #expect(try app.run(closed) == .boolean(false))
    #expect(try app.run("quit()") == .integer(0))
    #expect(try app.run(closed) == .boolean(true))
  }
}
