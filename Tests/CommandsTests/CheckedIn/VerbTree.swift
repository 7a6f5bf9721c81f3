@testable import Commands

/// The verbs as a shell sees them: a first word, perhaps a second one, then options and operands.
struct VerbTree {
  /// A first or second word, with its meaning in a few words.
  struct Word {
    let text: String
    let meaning: String
  }

  /// The completions at one position.
  struct Offer {
    enum Position {
      /// The operands from `first` on; without `last` they repeat.
      case operand(first: Int, last: Int?)
      case value(of: String)
    }
    let verb: Verb
    let position: Position
    let candidates: Verb.Candidates
  }

  let verbs: [Verb]

  /// The first words, in the order of the verbs.
  var firstWords: [Word] {
    var seen: [Word] = []
    for verb in verbs where !seen.contains(where: { $0.text == verb.words[0] }) {
      seen.append(Word(text: verb.words[0], meaning: meaning(ofFirst: verb.words[0])))
    }
    return seen
  }

  /// The second words after a first one.
  func secondWords(after first: String) -> [Word] {
    longerVerbs(after: first).map { Word(text: $0.words[1], meaning: $0.summary) }
  }

  /// The options that take a value, over all verbs.
  var valuedOptions: [String] {
    var names: [String] = []
    for option in verbs.flatMap(\.options) where option.value != nil {
      if !names.contains(option.name) { names.append(option.name) }
    }
    return names
  }

  /// The verbs whose words after `--` are a command.
  var commandVerbs: [String] { verbs.filter(\.takesCommand).map(\.name) }

  /// The completions after each verb, without the empty ones.
  var offers: [Offer] {
    verbs.flatMap { verb in
      verb.options.filter { $0.value != nil }.map {
        Offer(verb: verb, position: .value(of: $0.name), candidates: $0.offers)
      }
        + verb.operands.enumerated().map { index, operand in
          let last = operand.count == .any || operand.isCommand ? nil : index + 1
          return Offer(
            verb: verb,
            position: .operand(first: index + 1, last: last),
            candidates: operand.offers
          )
        }
    }
    .filter { if case .none = $0.candidates { false } else { true } }
  }

  private func longerVerbs(after first: String) -> [Verb] {
    verbs.filter { $0.words[0] == first && $0.words.count > 1 }
  }

  private func meaning(ofFirst word: String) -> String {
    if let verb = verbs.first(where: { $0.words == [word] }) { return verb.summary }
    return longerVerbs(after: word).map { $0.words[1] }.joined(separator: ", ")
  }
}
