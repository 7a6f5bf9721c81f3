import Testing

/// Why something did not work, and what to do about it: each text that the app has for that.
///
/// Integration tests bring some of them in the app. What comes from other rooms is x7 here.
struct TroubleTextTests {
  private let texts: AppTexts

  init() throws { texts = try AppTexts() }

  private static let english: [String: String] = [
    "presence cancelled": "The presence check was cancelled (x7). Nothing was changed; try again.",
    "presence not_available":
      "The presence check cannot be made (x7). Health may show what is missing; then try again.",
    "presence not_enrolled":
      "No finger is enrolled (x7). Enroll a finger, under Fingers, or use the system password.",
    "presence locked_out":
      "Too many scans failed: fingers and keys are refused until you enter the system password"
      + " (x7). Try again, and type the system password.",
    "presence busy":
      "Another prompt is open, or the reader is in use (x7). Try again when that is over.",
    "presence denied":
      "The presence check was denied (x7). Nothing was changed; try again, or ask the"
      + " administrator of this machine.",
    "unavailable - 0": "X7. Nothing is lost; try again later.",
    "unavailable not_answering 1": "X7. Nothing is lost; try again in 1 second.",
    "unavailable refused_once 7": "X7. Nothing is lost; try again in 7 seconds.",
    "unavailable pin 0": "X7. Nothing was sent; thumblatch provider test says more.",
    "unavailable certificate_expired 0":
      "X7. Nothing was sent; check the clock of this machine, under Health.",
    "unavailable listener 0": "X7. Nothing was sent; the provider's program runs as another user.",
    "unavailable uncertain 7": "X7. The provider may have received the request; try again later.",
    "busy": "X7. Try again when that is over.",
    "busy 1": "X7. Try again in 1 second.",
    "busy 7": "X7. Try again in 7 seconds.",
    "account": "The account is no longer there. The list shows what is there now.",
    "finger": "The finger is no longer there. The list shows what is there now.",
    "key": "The security key is no longer there. The list shows what is there now.",
    "user": "u7 has no vault here. Ask the administrator of this machine.",
    "login": "A sign-in is required. Sign in to the account again.",
    "login why": "A sign-in is required: x7. Sign in to the account again.",
    "refused by provider": "The provider refused: x7. Try again, or ask the provider why.",
    "machine key": "X7. Open it with “Open with Security Key”.",
    "unsafe": "X7. Nothing was changed.",
    "unsafe hint": "X7. Y7.",
    "internal": "Unexpected failure: x7. This is a bug; please report it.",
    "pin": "X7. Type the PIN of the security key.",
    "desktop": "X7. Try again at this desktop.",
    "argument": "X7. Correct that, then try again.",
    "settings": "X7. Correct the file of the provider, or ask the provider.",
    "refused": "X7. Nothing was changed.",
    "command": "X7: thumblatch x7",
    "file": "This file cannot be used. Choose a file of this computer with a path in UTF-8.",
    "memory":
      "A secret of 7 bytes is too long. End other programs, then type it again.",
    "restore unclear":
      "It is not known whether the accounts were restored. Look at the list of accounts, then"
      + " restore the backup again.",
    "restore provider":
      "The backup has a provider that cannot be used: x7: is missing. Choose another file.",
    "restore passphrase": "X7. Type another one.",
    "restore cancelled": "",
    "restore version":
      "The backup has version 7, and this program reads version 1: update Thumblatch. Choose another"
      + " file.",
    "restore damaged": "The backup is damaged; nothing was changed. Correct that, then try again.",
    "backup file": "b7 exists already. Choose another file.",
    "backup passphrase": "X7. Type another one.",
    "finger left":
      "The reader may still store the print (x7). The next enrollment on that reader deletes it"
      + " there, unless the print is damaged.",
    "counter": "The TPM has no counter: an old copy of the whole directory is not detected. X7.",
    "too late": "The sign-in took too long; nothing was changed. Try again.",
    "replaced why":
      "You are signed in, but the provider did not confirm that the replaced login has ended"
      + " (x7). End the session in your account settings there.",
    "no place": "There is no place for settings. Set HOME, or XDG_CONFIG_HOME.",
    "no place 2": "There is no place for settings. Set HOME, or XDG_CONFIG_HOME.",
    "stray user": "An answer of another user's program was refused.",
    "settings bytes": "It is not UTF-8.",
    "settings line": "Line 2 is not understood.",
    "settings value": "Line 2: hide-when-locked must be yes or no.",
    "settings twice": "Line 3 sets hide-when-locked again.",
    "audit altered":
      "The audit log is not whole: record 7 was altered. Another program has changed it. Do not"
      + " trust that record and later ones.",
    "audit dropped":
      "The audit log is not whole: record 7 was removed. Another program has changed it. Do not"
      + " trust that record and later ones.",
    "audit reordered":
      "The audit log is not whole: record 7 was reordered: another record stands in its place."
      + " Another program has changed it. Do not trust that record and later ones.",
    "audit truncated":
      "The audit log is not whole: record 7 and all later ones are missing. Another program has"
      + " changed it. Do not trust that record and later ones.",
    "audit duplicated":
      "The audit log is not whole: record 7 is a duplicate. Another program has changed it. Do"
      + " not trust that record and later ones.",
    "audit added":
      "The audit log is not whole: record 7 was added by another program. Another program has"
      + " changed it. Do not trust that record and later ones.",
    "audit head":
      "The audit log is not whole: its end does not match its head from record 7 on. Another"
      + " program has changed it. Do not trust that record and later ones.",
    "audit checkpoint":
      "The audit log is not whole: the checkpoint before record 7 is not the one that was"
      + " written. Another program has changed it. Do not trust that record and later ones.",
    "audit other":
      "The audit log is not whole: record 7 has an error that this version cannot name. Another"
      + " program has changed it. Do not trust that record and later ones.",
    "audit whole 0": "The audit log is whole: no record yet.",
    "audit whole 1": "The audit log is whole: 1 record.",
    "audit whole 7": "The audit log is whole: 7 records.",
    // A name stays as it is.
    "finding 0": "m7 is insecure: plain http on this machine.",
    "finding 1": "/s7 is a symbolic link.",
    "finding 2": "t7: has mode 0644, which lets others in.",
    "finding 3": "v7.db is not a regular file.",
    "finding 4": "No more files can be created: nothing can be refreshed.",
    "remedy 0": "systemctl restart t7; the next call starts the new engine.",
    "remedy 1":
      "Restore it from a copy; or: thumblatch account remove m7 --local, then sign in again",
    "error 0": "d7.provider is larger than 7 bytes.",
    "error 1": "d7.provider:7: d7: unknown key.",
    "error 2": "The store failed (SQLite result 11); nothing was changed.",
    "error 4": "A text that is not known here; nothing was changed.",
    "error 3": "v7.db is missing; nothing was changed.",
    "restored": "The provider file of d7 was not written: x7.",
  ]
  /// What the system or another room says in English.
  private static let foreign: Set<String> = [
    "command", "error 4", "restore cancelled", "settings value", "unsafe hint",
  ]
  private static let englishWords: Set<Substring> = [
    "and", "are", "can", "for", "if", "is", "it", "no", "not", "of", "or", "the", "then", "to",
    "with", "your",
  ]

  @Test
  func eachTroubleHasItsAdvice() throws {
    let found = try texts.about("troubles", in: "eo")
    for (name, text) in Self.english { #expect(found[name]?.text == text, "\(name)") }
    // The end is the system's.
    #expect(found["settings read"]?.text.hasPrefix("It cannot be read: ") == true)
    #expect(found["settings write"]?.text.hasPrefix("It cannot be written: ") == true)
  }

  @Test
  func onlyAWordOfTheLanguageGetsACapital() throws {
    let german = try texts.about("troubles", in: "de")
    func expect(_ name: String, _ start: String) throws {
      let text = try #require(german[name]?.text)
      #expect(text.hasPrefix(start), "\(text)")
    }
    try expect("user", "u7 hat ")
    try expect("finding 0", "m7 ist unsicher: ")
    try expect("finding 2", "t7: hat ")
    try expect("finding 4", "Keine weiteren Dateien ")
    try expect("remedy 0", "systemctl restart t7; ")
    try expect("remedy 1", "Stellen ")
    try expect("error 0", "d7.provider ist ")
    try expect("error 1", "d7.provider:7: d7: ")
    try expect("error 2", "Fehler beim Zugriff ")
    try expect("error 3", "v7.db ")
  }

  @Test
  func aGermanTroubleHasNoEnglishText() throws {
    let english = try texts.about("troubles", in: "eo")
    let german = try texts.about("troubles", in: "de")
    #expect(english.count > 80)
    #expect(Set(english.keys) == Set(german.keys))
    for (name, text) in german where !Self.foreign.contains(name) {
      #expect(text.text != english[name]?.text, "\(name)")
      let kept = text.words.intersection(Self.englishWords)
      #expect(kept.isEmpty, "\(name): \(text.text)")
    }
  }
}
