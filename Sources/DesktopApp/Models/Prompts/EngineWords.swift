internal import GTK

/// Why a check did not pass or needs the password, which the engine and its helpers say in English,
/// in the language of the person.
///
/// A text that is not here stays as it is, as what a library says.
enum EngineWords {
  static func clause(_ text: String) -> String {
    for (form, translate) in nested {
      if let found = form.translated(text, translate) { return found }
    }
    return DetailWords.first(text, whole)
  }

  private static let nested: [(TextForm, @Sendable (String) -> String)] = [
    (TextForm("%s; the system password is needed once"), fingers),
    // Sent in parts.
    (TextForm("no finger counts from here: %s"), place),
    // Sent in parts.
    (TextForm("no finger or security key counts from here: %s"), place),
    (TextForm("a finger is enrolled at the machine itself: %s"), place),
    (TextForm("a security key is enrolled at the machine itself: %s"), place),
    (TextForm("the desktop's fingers cannot be seen now: %s"), clause),
    (TextForm("the counter of the security key '%s' did not rise, so it may be a copy: %s"), copy),
    (TextForm("the enrolled print of %s does not open"), names),
    (TextForm("the fingerprint reader knows this finger already: it is enrolled as %s"), names),
    (
      TextForm(
        "the fingerprint reader knows this finger already, and it was not enrolled here: %s"
      ), unknownFinger
    ),
  ]

  /// Why no device counts at the place of the person.
  @Sendable
  private static func place(_ text: String) -> String {
    DetailWords.first(
      text,
      [
        TextForm("remote session"), TextForm("not active"), TextForm("no seat"),
        TextForm("no session"), TextForm("closing"), TextForm("its screen is locked"),
        TextForm("another user's session"), TextForm("not a person's session"),
        TextForm("the caller has ended"), TextForm("logind does not answer"),
      ]
    )
  }

  /// What to do about a security key that may be a copy; the commands stay.
  @Sendable
  private static func copy(_ text: String) -> String {
    TextForm("if it is yours, remove it and enroll it again (%s)").translated(text) ?? text
  }

  /// How to remove a finger that another program enrolled; the command stays.
  @Sendable
  private static func unknownFinger(_ text: String) -> String {
    // Sent in parts.
    TextForm("remove it in the desktop's settings, or with fprintd-delete").translated(text) ?? text
  }

  /// Why the fingers need the password.
  @Sendable
  static func fingers(_ text: String) -> String {
    if let found = TextForm("too many fingers failed").translated(text) { return found }
    if let found = TextForm("enrolled fingers changed: %s").translated(text, changes) {
      return found
    }
    let forms = [
      TextForm("enrolled fingers not confirmed yet: %s"),
      TextForm("the record of the confirmed fingers was altered; enrolled: %s"),
    ]
    return DetailWords.first(text, forms, names)
  }

  private static func changes(_ text: String) -> String {
    // Sent in parts.
    let forms = [TextForm("added %s"), TextForm("removed %s"), TextForm("replaced %s")]
    return DetailWords.parts(of: text, "; ") { part in
      let seen = [
        // Sent in parts.
        TextForm("the desktop's fingers are seen by their names now"),
        // Sent in parts.
        TextForm("the desktop's fingers are seen by their prints now"),
      ]
      return DetailWords.first(DetailWords.first(part, seen), forms, names)
    }
  }

  /// The names of fingers.
  @Sendable
  private static func names(_ text: String) -> String {
    DetailWords.parts(of: text, ", ") { name in
      TextForm("%s (desktop)").translated(name, finger) ?? finger(name)
    }
  }

  private static func finger(_ name: String) -> String {
    FingerWords.names.contains(name) ? FingerWords.words(name) : name
  }

  private static let whole = reader + key + check

  private static let reader = [
    TextForm("there is no reader"),
    TextForm("reader busy: another program has it"),
    TextForm("reader busy: another program has it (%s)"),
    TextForm("no fingerprint reader was found"),
    TextForm("no fingerprint reader is plugged in"),
    TextForm("no finger is enrolled on this reader"),
    TextForm("the reader no longer has your finger: enroll it again"),
    TextForm("this user may not open the fingerprint reader"),
    TextForm("this user may not open the fingerprint reader (%s)"),
    TextForm("the fingerprint reader was unplugged"),
    TextForm("the fingerprint reader is too hot, wait a little"),
    TextForm("the fingerprint reader cannot do this"),
    TextForm("the fingerprint reader was not touched in time"),
    TextForm("the fingerprint reader failed (%s)"),
    TextForm("the desktop's fingers cannot be seen now"),
    TextForm("more fingers are enrolled than can be confirmed"),
    TextForm("the enrolled prints cannot be read"),
    TextForm("the fingerprint reader has no room for another finger"),
    TextForm("the stored print cannot be used: %s"),
    TextForm("fprintd does not answer"),
    TextForm("the desktop's fingers have changed"),
  ]
  private static let key = [
    TextForm("libfido2 is missing or too old: install libfido2-1"),
    TextForm("no security key is plugged in"),
    TextForm("the security key that is plugged in is not enrolled here"),
    TextForm("the security key wants its PIN"),
    TextForm("the security key was not touched, or the touch was declined"),
    TextForm("the security key was not touched in time"),
    TextForm("wrong PIN of the security key; tries left: %s"),
    TextForm("wrong PIN of the security key"),
    TextForm("three PINs of the security key were wrong: unplug it and plug it in again"),
    TextForm("too many PINs were wrong: the security key must be reset, and enrolled again"),
    TextForm("the security key has no PIN, and needs one here: set one"),
    TextForm("the security key did not recognize its person"),
    TextForm("the security key does not check its person any more: use its PIN"),
    TextForm("the security key was unplugged, or does not answer"),
    TextForm("this user may not open the security key"),
    TextForm("the enrolled security keys cannot be read"),
    TextForm("several security keys are plugged in: leave the one to enroll"),
    TextForm("this security key is enrolled already"),
    TextForm("the security key made no usable credential"),
    TextForm("the security key has no hmac-secret"),
    TextForm("the security key verifies its person always"),
    TextForm("the security key answered with error %s"),
  ]
  private static let check = [
    TextForm("the system refuses this user"),
    TextForm("the system refuses this user (%s)"),
    TextForm("the system refuses this user without a question"),
    TextForm("the system refuses this user without a question: %s"),
    TextForm("the system cannot check a password (%s)"),
    TextForm("there is no user with the number %s"),
    TextForm("the PAM service file %s is missing"),
    TextForm("the PAM stack is missing, or others could change it"),
    TextForm("the PAM stack asked for no password"),
    TextForm("a PAM module changed the user"),
    TextForm("this account has expired"),
    TextForm("the password must be changed first, with passwd"),
    TextForm("the password expired, and the account is inactive"),
    TextForm("the password of this account is locked"),
    TextForm("too many failed tries"),
    TextForm("the presence program ended without an answer"),
    TextForm("the presence program gave an answer that makes no sense"),
    TextForm("privileges could not be given up"),
    TextForm("the last check has not ended yet"),
    TextForm("the policy cannot be read"),
    TextForm("no prompt can be shown at the desktop"),
    TextForm("the agent at the desktop has ended"),
    TextForm("no such prompt on this connection"),
    TextForm("the request comes from elsewhere now: ask again"),
    TextForm("the check was not passed"),
    TextForm("the check was passed already"),
    TextForm("another presence prompt is open"),
    TextForm("too many prompts are open on this connection"),
    TextForm("the prompt is shown at the desktop"),
    TextForm("this needs the system password"),
    TextForm("a presence check is needed"),
    TextForm("a presence check is needed now: ask again"),
    TextForm("the presence check was made for something else"),
    TextForm("no passed presence check for this"),
  ]
}
