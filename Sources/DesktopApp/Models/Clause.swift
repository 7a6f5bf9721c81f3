internal import GTK

/// A part of a sentence in the language of the person.
struct Clause: Equatable {
  /// What it begins with.
  enum Start {
    /// A word of the language, which has a capital at the start of a sentence.
    case word
    /// A name, such as that of an account, a provider, a host or a file, which stays as it is.
    case name
    /// It is a whole sentence.
    case sentence
    /// The text has no form that is known here.
    case unknown
  }

  let text: String
  let start: Start

  init(_ text: String, _ start: Start = .word) { (self.text, self.start) = (text, start) }

  /// An English text in the words of the first form that fits, with its values; `nil` if none does.
  ///
  /// A value of no known form is a name if it is one word, and else a text.
  init?(
    english text: String,
    _ forms: [TextForm],
    _ translate: (String) -> Clause = { Clause($0, .unknown) }
  ) {
    for form in forms {
      var first: Start?
      let found = form.translated(text) { value in
        let value = translate(value)
        if first == nil {
          let isName = value.start == .unknown && !value.text.contains(" ")
          first = isName ? .name : value.start
        }
        return value.text
      }
      guard let found else { continue }
      self.init(found, form.beginsWithValue ? first ?? .word : .word)
      return
    }
    return nil
  }

  /// The text as the start of a sentence.
  var capitalized: String {
    switch start {
    case .word, .unknown:
      beginsWithFile ? text : text.prefix(1).uppercased() + text.dropFirst()
    case .name, .sentence: text
    }
  }

  /// Whether the first word is the name of a file or a device, such as `vault.db`.
  private var beginsWithFile: Bool {
    text.prefix { $0 != " " }.dropLast().contains { "._/".contains($0) }
  }
}
