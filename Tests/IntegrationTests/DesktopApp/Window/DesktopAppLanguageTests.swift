import JSON
import System
import TestSupport
import Testing

/// The desktop app in the language of the person: German.
@Suite(.serialized)
struct DesktopAppLanguageTests {
  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows
  /// The English texts that have another one in German.
  private let english: Set<String>
  /// What lies between the values of such texts, with two words or more, in lower case.
  private let pieces: Set<String>

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus, probed: true)
    // As installed: in the directory next to the program's own.
    try shell(
      """
      umask 022
      \(BuiltPrograms.sourceDirectory)/Scripts/translations --compile \(person.base)/share/locale
      """
    )
    let catalog = BuiltPrograms.sourceDirectory + "/Sources/Translations/de.po"
    let lines = try shell("cat \(catalog)").split(separator: "\n")
    english = Set(
      zip(lines, lines.dropFirst()).compactMap { first, second in
        guard first.hasPrefix("msgid \""), second.hasPrefix("msgstr \"") else { return nil }
        let (text, german) = (first.dropFirst(7).dropLast(), second.dropFirst(8).dropLast())
        return text == german ? nil : String(text)
      }
    )
    pieces = Set(
      english.flatMap { $0.lowercased().split(separator: "%s").map(String.init) }
        .filter { $0.count > 11 && $0.dropFirst().dropLast().contains(" ") && !$0.contains("\\") }
    )
    #expect(pieces.count > 150)
  }

  /// Expects that no control shows a text of the app in English, and none with such words.
  private func expectGerman(_ page: String) throws {
    let shown = try app.run("texts()")
    guard case .array(let texts) = shown, !texts.isEmpty else {
      Issue.record("\(page): \(shown)")
      return
    }
    let found = texts.compactMap { if case .string(let text) = $0 { text } else { nil } }
    let other = found.filter { text in
      english.contains(text) || pieces.contains { text.lowercased().contains($0) }
    }
    #expect(other.isEmpty, "\(page): \(other)")
    app.keepPicture("german-\(page)")
  }

  /// The same, and that no text is cut at these widths, or extends beyond that of a telephone.
  private func expectFit(_ page: String, whole widths: [Int] = [360, 1280, 800]) throws {
    try app.run("resize(360, 860)")
    let cut = try app.run("overflowing()")
    #expect(cut == .array([]), "\(page)")
    try expectGerman(page)
    for width in widths {
      try app.run("resize(\(width), 860)")
      let faults = try app.run("layout()")
      #expect(faults == .array([]), "\(page) \(width): \(faults)")
    }
  }

  @Test
  func everyPageIsInTheLanguageOfThePerson() throws {
    defer { bus.remove() }
    try app.run("open(LANGUAGE='de')")
    try app.sees("Noch keine Konten")
    try expectGerman("empty")
    try person.register("work")
    try app.sees("work, Bereit · nicht geschützt · dev", "list item")
    try app.run("click('work', 'list item')")
    try app.sees("work@example.org")
    try app.sees("Gültig bis ")
    try expectFit("account")
    try app.run("press('Anwesenheitsschutz', 'check box')")
    try app.sees("Hier angefragt.")
    try app.sees(
      "Geben Sie das Systempasswort ein, um den Anwesenheitsschutz für das Konto „work“ einzuschalten"
    )
    try app.sees(" und es zu entsperren, bis es 10 min lang nicht verwendet wird.")
    try app.sees("Systempasswort für ")
    try expectGerman("prompt")
    try app.press("Ablehnen")
    try app.misses("Hier angefragt.")
    try app.run("press('Abmelden …')")
    try app.sees("Von „work“ abmelden?")
    try expectGerman("sign-out")
    try app.run("press('Abbrechen Abbrechen')")
    try app.misses("Von „work“ abmelden?")

    try app.run("click('Finger', 'list item')")
    try app.sees("Kein Finger erfasst")
    try app.sees("Rechter Zeigefinger")
    try expectFit("fingers")
    try app.run("click('Diagnose', 'list item')")
    try app.sees("Erneut prüfen")
    try app.misses("Wird gesucht …")
    try app.sees("Wird geprüft durch ")
    // A text of the C library, in what the engine tells.
    try app.sees("unix:path=/run/dbus/system_bus_socket: Datei oder Verzeichnis nicht gefunden.")
    try expectGerman("health")
    try app.run("key('ctrl+l')")
    try app.sees("Der Tresor ist gesperrt")
    try expectGerman("locked")
    #expect(try app.run("quit()") == .integer(0))
  }

  @Test
  func formsAndPluralsAreInTheLanguageOfThePerson() throws {
    defer { bus.remove() }
    try app.run("open(LANGUAGE='de')")
    try app.run("key('ctrl+comma')")
    try app.sees("10 Minuten (Vorgabe)")
    try expectFit("settings")
    try app.run("click('Nach der letzten Verwendung', 'combo box')")
    try app.sees("1 Minute")
    try app.sees("5 Minuten")
    try app.misses("1 Minuten")
    try app.run("key('Escape')")
    try app.misses("5 Minuten")

    try app.run("key('ctrl+n')")
    try app.sees("Anbieter hinzufügen")
    try expectFit("choices")
    try app.run("click('Ein Server mit E-Mail und Passwort', 'list item')")
    try app.press("Stattdessen registrieren")
    try app.sees("Passwort noch einmal")
    try app.run("key('Return')")
    try app.sees("Hier fehlt etwas.", "alert")
    try expectFit("form")
    #expect(try app.run("quit()") == .integer(0))
  }

  @Test
  func whatToDoAtTheReaderIsInTheLanguageOfThePerson() throws {
    defer { bus.remove() }
    try app.run("open(LANGUAGE='de')")
    try app.run("click('Finger', 'list item')")
    try app.press("Finger erfassen")
    try app.sees(
      "Geben Sie das Systempasswort ein, um diesen Finger zu erfassen: rechter Zeigefinger."
    )
    try app.sees("Systempasswort für ")
    try app.run("prompt_takes_keys('Anwesenheitsprüfung')")
    try app.run("type_secret('\(Someone.systemPassword)', 'Systempasswort für ')")
    try app.run("key('Return')")
    try app.sees("mit diesem Finger, und heben Sie ihn jedes Mal: rechter Zeigefinger.")
    try person.reader("RETRY 0")
    try app.sees("Nicht gut gelesen: Berühren Sie den Leser noch einmal.")
    try person.touch()
    try app.sees("Gut: Heben Sie den Finger und berühren Sie den Leser dann noch einmal.")
    try app.sees("1 von 5 Berührungen")
    try expectGerman("enrollment")
    try app.press("Abbrechen")
    try app.sees("Kein Finger erfasst")
  }

  /// Its words are long, and large text makes them longer.
  @Test
  func largeTextFitsTheWidthOfATelephone() throws {
    defer { bus.remove() }
    try app.run("enlarge(1.5)")
    try app.run("open(LANGUAGE='de')")
    try app.sees("Sicherung wiederherstellen …")
    // In a narrow window, three buttons of the window leave too little room for "Konten" beside
    // them.
    try expectFit("large-empty", whole: [1280, 800])
    try app.run("click('Schlüssel, Sicherung', 'list item')")
    try app.sees("Kein Sicherheitsschlüssel erfasst")
    try app.run("resize(360, 860)")
    #expect(try app.run("overflowing()") == .array([]))
    app.keepPicture("german-large-keys")
    // No button next to the heading takes the space that the word needs.
    let width = try app.run("widest('Sicherheitsschlüssel')")
    guard case .integer(320...) = width else {
      Issue.record("\(width)")
      return
    }
    // In a narrow window, the list is behind the page.
    try app.run("resize(800, 860)")
    try app.run("click('Finger', 'list item')")
    try app.press("Finger erfassen")
    try app.sees("Systempasswort für ")
    try app.run("shows_whole('Geben Sie das Systempasswort ein, um diesen Finger zu erfassen')")
    app.keepPicture("german-large-prompt")
  }

  @Test
  func promptsOfOtherProgramsAreInTheLanguageOfThePerson() throws {
    defer { bus.remove() }
    try person.register()
    try person.enrollFinger()
    let enable = try person.terminal("presence", "enable", "me")
    // The command line is English.
    try enable.expect("Touch the fingerprint reader to turn on")
    try person.touch()
    try enable.end()
    try person.expireTokens()
    try person.startEngine(asking: bus)
    try app.run("open(LANGUAGE='de')")

    let call = try person.start(["token", "me"])
    try app.sees("Berühren Sie den Fingerabdruckleser, um das Konto „me“ zu verwenden.")
    try app.sees("Angefragt von „thumblatch-cli“")
    try expectGerman("other")
    try person.touch("a-stranger")
    try app.sees("Der Finger passte nicht. Berühren Sie den Leser noch einmal.")
    try app.run("awaits_focus('Ablehnen', 'Anwesenheitsprüfung')")
    try app.press("Stattdessen Passwort eingeben")
    try app.sees("Geben Sie das Systempasswort ein, um das Konto „me“ zu verwenden.")
    try app.run("awaits_focus('Systempasswort für ', 'Anwesenheitsprüfung')")
    try app.run("type_secret('wrong', 'Systempasswort für ')")
    try app.press("Weiter")
    try app.sees("Falsches Passwort.")
    try expectGerman("wrong")
    try app.press("Ablehnen")
    // The message of the command stays English. Until the next question for the password, it is
    // about the wrong one; after that, about the cancellation.
    let text = try call.text()
    let refusals = ["failed: no match", "was cancelled"]
    #expect(
      refusals.contains { text.contains("thumblatch: error: the presence check \($0)") },
      "\(text)"
    )
  }

  @Test
  func aLanguageWithoutACatalogIsEnglish() throws {
    defer { bus.remove() }
    try app.run("open(LANGUAGE='eo')")
    try app.sees("No Accounts Yet")
    #expect(try app.run("quit()") == .integer(0))
  }
}
