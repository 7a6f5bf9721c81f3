import Testing

/// The texts of pages that come in English from other rooms.
struct PageTextTests {
  private let texts: AppTexts

  init() throws { texts = try AppTexts() }

  /// Names of things, which both languages have.
  private static let sameNames: Set<String> = ["name proxy"]
  /// Words that make a sentence English; a German text may quote a name of a provider's page.
  private static let english: Set<Substring> = [
    "and", "are", "can", "for", "if", "is", "it", "no", "not", "of", "or", "the", "then", "to",
    "with", "your",
  ]

  @Test
  func aGermanPageHasNoEnglishText() throws {
    let english = try texts.about("pages", in: "eo")
    let german = try texts.about("pages", in: "de")
    #expect(english.count > 50)
    #expect(Set(english.keys) == Set(german.keys))
    for (name, text) in german where !name.hasPrefix("hostile") && !Self.sameNames.contains(name) {
      #expect(text.text != english[name]?.text, "\(name)")
      let kept = text.words.intersection(Self.english)
      #expect(kept.isEmpty, "\(name): \(text.text)")
    }
  }

  @Test
  func aGermanFindingKeepsItsValuesAndCommands() throws {
    let german = try texts.about("pages", in: "de")
    func expect(_ name: String, _ text: String) {
      #expect(german[name]?.text == text)
    }
    expect("message 0", "Eigener Tresor, Version 7, Prozess 8")
    expect("message 3", "b7 fehlt: es ist nicht in /c7 oder /d7")
    expect(
      "message 5",
      "der Tresor braucht das TPM dieses Rechners, einen Sicherheitsschlüssel oder den"
        + " Wiederherstellungscode"
    )
    expect(
      "message 14",
      "der Platz von m7 ist nicht verwendbar: slots/b7: hat den Modus 0644, der anderen Zugriff"
        + " gibt"
    )
    expect(
      "message 19",
      "die Regeln sind nicht lesbar: /c7/c7.conf:7: c7: erwartet wird eine ganze Zahl von 1 bis"
        + " 7, nicht „d7“"
    )
    expect("remedy 1", "finden Sie heraus, wer es verwenden konnte; danach: chmod 600 /b7")
    expect(
      "key 1",
      "Er ist beschädigt. | er ist beschädigt | s7: er ist beschädigt"
    )
    // A time is in the time zone and the format of the person.
    let details = try #require(german["detail 1"]?.text.split(separator: " | "))
    #expect(details[1] == "Angefragt von „b7“, gestartet von „c7“, PID 7")
    #expect(details[2].hasPrefix("Einzelheiten: Generation 7, für https://c7.d7, läuft ab: 15."))
    #expect(!details[2].contains("T08"))
    expect("hostile 0", "der Zustand des Kontos private ist ungewiss: %s")
    expect("hostile 1", "das Konto service ist nicht verwendbar")
    // The name of an account is not one of the vault's words.
    for (name, end) in [
      ("detail 8", "alle Konten, bei jeder Nutzung verlängert"),
      ("detail 9", "sliding, m7, bei jeder Nutzung verlängert"),
      ("detail 12", "keine Übereinstimmung"), ("detail 22", "widerrufen"),
      ("detail 19", "7 × nicht gedeckt von Ihrer Regel „c7“"),
    ] {
      let text = try #require(german[name]?.text)
      #expect(text.hasSuffix(": " + end), "\(text)")
    }
    // An ambiguous text stays as it is.
    expect("hostile 2", "the account a is uncertain: b is uncertain: c")
  }

  @Test
  func noTemplateNamesAnOptionOfTheCommandLine() throws {
    for (name, text) in try texts.about("pages", in: "eo") where name.hasPrefix("template") {
      #expect(!text.text.contains("--"), "\(text.text)")
    }
  }
}
