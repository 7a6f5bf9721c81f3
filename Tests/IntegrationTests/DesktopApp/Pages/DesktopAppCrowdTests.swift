import Glibc
import JSON
import System
import TestSupport
import Testing

/// Many accounts in the desktop app: real engine, development backend.
@Suite(.serialized)
struct DesktopAppCrowdTests {
  /// The longest time in milliseconds in which the app may answer nothing, in a debug build on a
  /// machine that does other work too.
  private static let longestStall: Int64 = 500

  /// How much longer the first look at a thousand accounts may take there than some at ten, which
  /// take longer on a slow machine too.
  private static let longestReading: Duration = .seconds(15)

  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  /// Adds signed-out accounts like `seed`, up to a number.
  private func add(from first: Int, to last: Int) throws {
    let facts = """
      owner, provider, provider_settings, sealed_client_secret, exportable, binding, subject, email, \
      display_name, user_facts, login_scope, missing_scope, protection, generation, \
      sealed_refresh_token, state, cause, created_at, used_at, refreshed_at
      """
    try person.changeStore(
      """
      INSERT INTO accounts (id, name, \(facts))
      WITH RECURSIVE counted (n) AS
        (SELECT \(first) UNION ALL SELECT n + 1 FROM counted WHERE n < \(last))
      SELECT randomblob(16), printf('account-%04d', n), \(facts)
      FROM accounts, counted WHERE name = 'seed'
      """
    )
  }

  /// How long the app takes until it shows the first account, with the engine.
  private func openingTime() throws -> Duration {
    try ContinuousClock().measure {
      try app.run("open()")
      try app.sees("account-0001, Signed out", "list item")
    }
  }

  private func focuses(_ account: String) throws {
    try app.run("until(lambda: '\(account),' in app.focus()[0], 'not there')")
  }

  @Test
  func thousandAccountsOpenAndMoveByKeyboard() throws {
    defer { bus.remove() }
    try person.register("seed")
    try person.run("logout", "seed").succeeded()
    try add(from: 1, to: 9)
    let few = try openingTime()
    #expect(try app.run("quit()") == .integer(0))
    try add(from: 10, to: 999)
    let many = try openingTime()
    #expect(many < few * 5 + Self.longestReading, "\(many), with ten accounts \(few)")

    try app.run("watch()")
    try app.run("tab_to('account-0001')")
    // GTK gets the rows frame by frame, and the focus goes on to the last one.
    try app.run("key('End')")
    try focuses("seed")
    try app.run("key('Up')")
    // GTK hides the frame of the focus after some seconds.
    app.keepPicture("crowd-end")
    try focuses("account-0999")
    try app.sees("account-0999, Signed out", "list item")
    try app.run("key('Return')")
    try app.sees("seed@example.org")
    // Enter moves the focus to the page.
    try app.run("tab_to('account-0999')")
    try app.run("key('Home')")
    try focuses("account-0001")
    try app.run("key('Down', 'Down')")
    try focuses("account-0003")
    try app.run("tab_to('Fingers')")
    try app.run("key('shift+Tab')")
    try focuses("account-0003")
    guard case .integer(let stall) = try app.run("longest_stall()") else {
      throw SystemError("windows", code: EPROTO)
    }
    #expect(stall < Self.longestStall, "\(stall) ms")
    // GTK has widgets only for rows near the visible part.
    let isRow = "node.get_role_name() == 'list item'"
    let rows = try app.run("steadily(lambda: sum(\(isRow) for node in app.nodes()))")
    guard case .integer(let count) = rows else { throw SystemError("windows", code: EPROTO) }
    #expect(10...300 ~= count, "\(count) rows")
    try app.expectNames()
  }
}
