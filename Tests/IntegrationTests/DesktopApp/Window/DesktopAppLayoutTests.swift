import JSON
import TestSupport
import Testing

/// The layout of the desktop app with its longest texts: German, as large text, and long names.
@Suite(.serialized)
struct DesktopAppLayoutTests {
  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus, probed: true)
  }

  /// Expects that no text of a page is cut, and that no controls overlap.
  private func expectLayout(_ page: String) throws {
    for width in [360, 1280, 800] {
      try app.run("resize(\(width), 860)")
      let faults = try app.run("layout()")
      #expect(faults == .array([]), "\(page) \(width): \(faults)")
      app.keepPicture("layout-\(page)-\(width)")
    }
  }

  /// A name without a place for the end of a line.
  @Test
  func theLongestNameIsWhole() throws {
    defer { bus.remove() }
    let name = String(repeating: "w", count: 64)
    try person.register(name)
    try app.run("open()")
    try app.run("resize(800, 860)")
    try app.run("click('\(name)', 'list item')")
    try app.sees("\(name)@example.org")
    try expectLayout("name")
    try app.run("press('Presence protection', 'check box')")
    try app.sees("System password")
    try expectLayout("name-prompt")
    try app.press("Deny")
    try app.misses("System password")
    try app.press("Remove…")
    try app.sees("Remove “")
    try expectLayout("name-question")
    try app.run("press('Cancel Cancel')")
    try app.misses("Remove “")
    #expect(try app.run("quit()") == .integer(0))
  }

  @Test
  func longTextsAreWholeOnEachPage() throws {
    defer { bus.remove() }
    let name = "someone-with-a-long-name-at-example-org"
    try shell(
      """
      umask 022
      \(BuiltPrograms.sourceDirectory)/Scripts/translations --compile \(person.base)/share/locale
      """
    )
    try person.register(name)
    try person.enrollFinger()
    // The audit log gets records with details.
    try person.run("logout", name).succeeded()
    try person.run("account", "rename", name, name + "-2").succeeded()
    try app.run("enlarge(1.5)")
    try app.run("open(LANGUAGE='de')")
    try app.run("resize(800, 860)")
    try app.run("click('\(name)', 'list item')")
    try app.sees("\(name)@example.org")
    try expectLayout("account")
    try app.press("Entfernen …")
    try app.sees("entfernen?")
    try expectLayout("question")
    try app.run("press('Abbrechen Abbrechen')")
    for (place, text) in [
      ("Finger", "Rechter Zeigefinger"), ("Schlüssel, Sicherung", "Kein Sicherheitsschlüssel"),
      ("Aktivität", "Das Protokoll ist"), ("Programme", "Keine Regeln"),
      ("Diagnose", "Erneut prüfen"), ("Einstellungen", "10 Minuten (Vorgabe)"),
    ] {
      try app.run("click('\(place)', 'list item')")
      try app.sees(text)
      try expectLayout(place)
    }
    try app.run("key('ctrl+n')")
    try app.sees("Anbieter hinzufügen")
    try expectLayout("choices")
    #expect(try app.run("quit()") == .integer(0))
  }
}
