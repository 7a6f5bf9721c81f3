import JSON
import System
import TestSupport
import Testing

/// A sign-in in a real browser, from `login` to the last page that the person sees.
@Suite(.serialized)
struct ChromiumTests {
  /// Chromium's reports about the last page.
  private struct Report {
    let object: JSONObject
    let directory: String

    func text(_ name: String) throws -> String { try object.string(name) }

    /// Width and height of a picture (PNG, section 11.2.2).
    func size(_ name: String) throws -> [UInt32] {
      let bytes = try Directory(path: directory).openForReading(name).readAll(limit: 1 << 22)
      try #require(bytes.prefix(4) == [0x89, 0x50, 0x4E, 0x47])
      return [16, 20].map { start in
        bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
      }
    }
  }

  /// A value for `BROWSER` that runs Chromium.
  private func browser(_ member: Member, _ options: [String] = []) throws -> String {
    let directory = member.home + "/report"
    let browser = member.base + "/chromium"
    try shell(
      """
      install -d -m 700 -o \(member.user.name) \(directory)
      cat >\(browser) <<'END'
      #!/bin/sh
      exec /usr/bin/python3 \(member.base)/chromium.py \(options.joined(separator: " ")) \
        \(directory) "$1" >\(directory)/log 2>&1
      END
      chmod 755 \(browser)
      cd \(BuiltPrograms.sourceDirectory)/Tests/IntegrationTests/Drivers
      install -m 755 chromium.py devtools.py \(member.base)
      """
    )
    return "BROWSER=" + browser
  }

  /// Signs in with Chromium as the browser.
  private func login(
    _ member: Member,
    _ options: [String] = []
  ) throws -> (outcome: Someone.Outcome, report: Report) {
    let outcome = try member.run(
      "login",
      "work",
      "--provider",
      "idp",
      "--browser",
      variables: [try browser(member, options)]
    )
    return (outcome, try report(member, outcome.text))
  }

  /// The report of Chromium.
  ///
  /// `text` is shown if there is no report.
  private func report(_ member: Member, _ text: String) throws -> Report {
    let directory = member.home + "/report"
    let deadline = BootInstant.now.advanced(bySeconds: 180)
    while true {
      if let file = try? Directory(path: directory).openForReading("report.json") {
        let seen = String(decoding: try file.readAll(limit: 1 << 20), as: UTF8.self)
        return Report(object: try object(seen), directory: directory)
      }
      let log = try shell("cat \(directory)/log")
      try #require(BootInstant.now < deadline && log.isEmpty, "\(log) \(text)")
    }
  }

  /// Only the page itself was fetched, no script ran, and the page is readable at any width, in
  /// light and dark.
  private func isWorthSeeing(_ report: Report) throws {
    #expect(try report.object.integer("scripts") == 0)
    #expect(try report.object.array("loaded").isEmpty)
    let complaints = try report.object.array("complaints")
    #expect(complaints.isEmpty, "\(complaints)")
    #expect(try report.object.boolean("styled"))
    let overflow = try report.object.object("overflow")
    let colours = try report.object.object("colours")
    for (width, height) in [(UInt32(390), UInt32(844)), (1280, 800)] {
      for scheme in ["light", "dark"] {
        #expect(try overflow.integer("\(width)-\(scheme)") == 0)
        #expect(try report.size("\(width)-\(scheme).png") == [width, height])
      }
      #expect(try colours.string("\(width)-light") == "rgb(243, 244, 247)")
      #expect(try colours.string("\(width)-dark") == "rgb(17, 20, 28)")
    }
    let headers = try report.object.object("headers")
    for (name, value) in [
      ("cache-control", "no-store"), ("referrer-policy", "no-referrer"),
      ("x-content-type-options", "nosniff"),
    ] { #expect(try headers.string(name) == value) }
    #expect(try headers.string("content-security-policy").hasPrefix("default-src 'none';"))
    #expect(try report.text("address").hasPrefix("http://127.0.0.1:"))
  }

  @Test
  func aRealBrowserSignsInAndShowsAsWhom() throws {
    let member = try Member()
    let (outcome, report) = try login(member)
    #expect(outcome.end == .exited(0), "\(outcome.text)")
    #expect(try report.text("title") == "You are signed in · Thumblatch")
    let text = try report.text("text")
    for part in [IdentityProvider.user, "work", "idp", "You can close this tab."] {
      #expect(text.contains(part), "\(text)")
    }
    try isWorthSeeing(report)
    #expect(try member.standing() == "ready")
  }

  @Test
  func aRealBrowserSignsAnAppInAndSendsThePersonBackToIt() throws {
    let member = try Member()
    let app = try AppProcess(
      member,
      [
        "-", Someone.systemPassword, "kind=oidc", "issuer=" + member.provider.issuer,
        "client_id=" + IdentityProvider.client, "scope=openid profile email",
      ],
      variables: [try browser(member)]
    )
    let outcome = try app.run("browser")
    #expect(outcome == IdentityProvider.user)
    let report = try report(member, outcome)
    #expect(try report.text("title") == "You are signed in · Thumblatch")
    let text = try report.text("text")
    for part in [IdentityProvider.user, "me", "The app has everything it needs."] {
      #expect(text.contains(part), "\(text)")
    }
    try isWorthSeeing(report)
    #expect(try member.standing("me") == "ready")
  }

  @Test
  func aRealBrowserShowsThatThePersonSaidNo() throws {
    let member = try Member(.toolkit, ["--consent"])
    let (outcome, report) = try login(member, ["--deny"])
    #expect(outcome.end == .exited(8), "\(outcome.text)")
    #expect(try report.text("title") == "You are not signed in · Thumblatch")
    #expect(try report.text("text").contains("access_denied"))
    try isWorthSeeing(report)
    #expect([.exited(4), .exited(9)].contains(try member.run("token", "work").end))
  }
}
