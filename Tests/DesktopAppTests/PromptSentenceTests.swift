import Testing

/// The sentences of the app's prompts.
struct PromptSentenceTests {
  private let texts: AppTexts

  init() throws { texts = try AppTexts() }

  private func sentences(_ subject: String, in language: String) throws -> [String: AppTexts.Text] {
    try texts.about(subject, in: language)
  }

  /// The words that both languages have, and names of commands and standards.
  private static let sameWords: Set<Substring> = [
    "Fprintd", "PAM", "PID", "PIN", "fprintd", "fprintd-delete", "hmac-secret", "in", "logind",
    "min", "passwd", "seat",
  ]

  @Test
  func noSentenceOfAGermanPromptHasEnglishWords() throws {
    let english = try sentences("all", in: "eo")
    let german = try sentences("all", in: "de")
    #expect(english.count > 1000)
    #expect(Set(english.keys) == Set(german.keys))
    for (name, sentence) in german {
      let original = try #require(english[name])
      let kept = sentence.words.intersection(original.words).subtracting(Self.sameWords)
      #expect(kept.isEmpty, "\(name): \(sentence.text)")
      #expect(!sentence.words.isEmpty, "\(name)")
      // Quotation marks are „those“.
      #expect(!sentence.text.contains { "\"'”’".contains($0) }, "\(name): \(sentence.text)")
    }
  }

  @Test
  func withoutACatalogTheAppSaysWhatTheCommandLineSays() throws {
    for (name, sentence) in try sentences("all", in: "eo") where !sentence.atTerminal.isEmpty {
      #expect(sentence.text == sentence.atTerminal, "\(name)")
    }
  }

  @Test
  func aGermanSentenceIsWhole() throws {
    let german = try sentences("all", in: "de")
    func expect(_ name: String, _ text: String) {
      #expect(german[name]?.text == text)
    }
    expect(
      "refresh m7 1 0 press",
      "Berühren Sie den Fingerabdruckleser, um das Konto „m7“ zu verwenden (Berechtigungen s7 t7)."
    )
    expect(
      "enable m7 3 3 swipe",
      "Ziehen Sie den Finger über den Fingerabdruckleser oder berühren Sie den Sicherheitsschlüssel,"
        + " um den Anwesenheitsschutz für das Konto „m7“ einzuschalten (p7@q7 bei d7) und es zu"
        + " entsperren, bis es 10 min lang nicht verwendet wird."
    )
    expect(
      "enroll - 1 2 press",
      "Geben Sie das Systempasswort ein, um diesen Finger zu erfassen: rechter Zeigefinger."
    )
    expect(
      "try fingerprint no_match 3 press",
      "Der Finger passte nicht. Berühren Sie den Leser noch einmal oder den Sicherheitsschlüssel."
    )
    expect("requester 1 0", "Angefragt von „b7“, gestartet von „c7“, PID 4211.")
    expect(
      "requester 3 1",
      "Angefragt von „b7“, PID 4211, nicht aus Ihrer Sitzung; angegebener Grund, nicht geprüft:"
        + " „x 7“."
    )
    expect("refused", "Das System lehnt dieses Benutzerkonto ab. Versuchen Sie es noch einmal.")
    expect(
      "unlock - 6 2 press",
      "Geben Sie das Systempasswort ein, um m7 („t7, c7“), n7 („u7“) für 7 s zu entsperren."
    )
    expect("question 3", "PIN des Sicherheitsschlüssels (noch 1 Versuch): ")
    expect("question 5", "Falsche PIN. PIN des Sicherheitsschlüssels (noch 3 Versuche): ")
    expect(
      "clause 2",
      "Die erfassten Finger haben sich geändert: hinzugefügt: rechter Zeigefinger; entfernt: linker"
        + " Daumen; ersetzt: linker Ringfinger; einmal ist das Systempasswort nötig."
    )
  }

  @Test
  func noValueChangesASentence() throws {
    let german = try sentences("hostile", in: "de")
    func expect(_ name: String, _ text: String) {
      #expect(german[name]?.text == text)
    }
    expect(
      "question",
      "Berühren Sie den Fingerabdruckleser, um das Konto „%s\\u{202E}<b>“ zu verwenden"
        + " (Berechtigungen not set, scope %s\\u{1B}[2J)."
    )
    let requester = try #require(german["requester"]?.text)
    #expect(requester.hasPrefix("Angefragt von „b7\\u{202E}“, PID 7xxx"), "\(requester)")
    #expect(
      requester.hasSuffix("xxx...; angegebener Grund, nicht geprüft: „%s</b>“."),
      "\(requester)"
    )
    #expect(requester.unicodeScalars.count < 220)
    expect(
      "ambiguous",
      "Geben Sie das Systempasswort ein, um das Konto „m7“ zu entfernen (p7 at q7 at r7)."
    )
    expect(
      "ending",
      "Geben Sie das Systempasswort ein, um die Anmeldung des Kontos „m7“ zu ersetzen (p7 at q7 →"
        + " r7 → s7 at d7; der Schutz endet)."
    )
    expect(
      "label",
      "Geben Sie das Systempasswort ein, um m7 („token for CI“) zu entsperren."
    )
    expect(
      "labels",
      "Geben Sie das Systempasswort ein, um m7 („t7, n7 for 5 min“), o7 für 10 min zu entsperren."
    )
    expect("unknown", "Something new.")
    expect("module", "cancelled | Token: ")
    expect("module's PIN", "Wrong PIN. Token: ")
  }
}
