import Testing

/// The notices of the app, and what its pages say of a secret that expires.
struct NoticeTextTests {
  private let texts: AppTexts

  init() throws { texts = try AppTexts() }

  @Test
  func aNoticeIsInTheLanguageOfThePerson() throws {
    let english = try texts.about("notices", in: "eo")
    let german = try texts.about("notices", in: "de")
    #expect(
      german["notice login_required -"]?.text
        == "Anmeldung erforderlich | Programme erhalten keine Token des Kontos „m7“, bis Sie sich"
        + " wieder anmelden. | Anmelden"
    )
    #expect(
      german["notice allowed unlock-window"]?.text
        == "Konto verwendet | Erlaubt durch die laufende Entsperrung: das Konto „m7“ zu verwenden."
        + " Angefragt von „b7“, PID 7. | -"
    )
    #expect(
      english["notice allowed x7"]?.text
        == "Refresh Token Released | Allowed by another check: release the refresh token of account"
        + " 'm7'. Requested by \"b7\", PID 7. | -"
    )
    let reminder = try #require(english["notice secret_expires -"]?.text)
    #expect(reminder.hasPrefix("Secret Expires Soon | The secret of account 'm7' is valid until "))
    #expect(reminder.hasSuffix("in a terminal: thumblatch store m7 | -"))
  }

  /// A program such as git stores a new secret each hour, and the person does not replace it.
  @Test
  func onlyASecretThatThePersonReplacesSoonIsMarked() throws {
    let english = try texts.about("notices", in: "eo")
    for (name, left) in [("of a day", "1 day"), ("soon", "5 days")] {
      let text = try #require(english["secret \(name)"]?.text)
      #expect(text.contains(" | Expires within \(left) | The secret expires soon."), "\(text)")
      #expect(english["secret \(name) icon"]?.text == "dialog-warning-symbolic")
    }
    for name in ["later", "of an hour"] {
      let text = try #require(english["secret \(name)"]?.text)
      #expect(text.contains(" | Valid until ") && text.hasSuffix(" | -"), "\(text)")
      #expect(english["secret \(name) icon"]?.text == "emblem-ok-symbolic")
    }
  }
}
