internal import GTK

/// The program that asks, which the engine names in English, in the language of the person.
///
/// The engine lets no program put a quotation mark or a comma into its own name.
enum RequesterWords {
  static func text(_ requester: String) -> String {
    TextForm("%s, not of your session").translated(requester, program) ?? program(requester)
  }

  private static func program(_ text: String) -> String {
    let programs = [
      // Sent in parts.
      TextForm("\"%s\" run by \"%s\", PID %s"), TextForm("\"%s\", PID %s"),
      TextForm("an unknown program, PID %s"),
    ]
    for form in programs {
      if let found = form.translated(text) { return found }
    }
    let rules = [
      // Sent in parts.
      TextForm("restricted socket \"%s\""), TextForm("user's rule \"%s\""), TextForm("rule \"%s\""),
    ]
    return DetailWords.parts(of: text, ", ") { DetailWords.first($0, rules) }
  }
}
