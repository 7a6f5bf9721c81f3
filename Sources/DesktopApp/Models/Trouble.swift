internal import GTK
internal import PlainText
internal import PresenceTerms
internal import SecretMemory
internal import VaultClient
internal import VaultInterface

/// Why something did not work, and what the person can do about it.
struct Trouble: Equatable {
  private let message: Clause
  private let advice: Clause?

  init(_ message: Clause, advice: Clause?) { (self.message, self.advice) = (message, advice) }

  init(_ message: Clause, advice: String? = nil) {
    self.init(message, advice: advice.map { Clause($0) })
  }

  /// The message begins with a word of the language.
  init(_ message: String, advice: String? = nil) { self.init(Clause(message), advice: advice) }

  /// An error of another room, and what to do about it.
  init(english error: String, advice: String? = nil) {
    self.init(ErrorWords.translated(error), advice: advice.map(ErrorWords.translated))
  }

  /// Why a typed secret was not taken.
  init(_ error: SecretMemoryError) {
    self.init(
      ErrorWords.translated("\(error)"),
      advice: tr("end other programs, then type it again")
    )
  }

  /// Why a file was not taken that the person has chosen in a dialog.
  static var unusableFile: Trouble {
    Trouble(
      tr("this file cannot be used"),
      advice: tr("choose a file of this computer with a path in UTF-8")
    )
  }

  /// `nil` if the person gave up the check, and knows that.
  init?(_ error: VaultClientError) {
    switch error {
    case .refused(.presenceFailed(.cancelled, message: _, methods: _)): return nil
    case .refused(let error): self.init(error)
    default: self.init(english: "\(error)", advice: error.remedy)
    }
  }

  /// Both as sentences that are safe to show.
  var text: String {
    guard let advice else { return Self.sentence(message, isLast: true) }
    return Self.sentence(message) + " " + Self.sentence(advice, isLast: true)
  }

  /// A clause as a sentence; a command in it stays as it is typed.
  private static func sentence(_ clause: Clause, isLast: Bool = false) -> String {
    let line = PlainText.line(CommandWords.adapted(clause.text), limit: 600)
    let isCommand = starts.contains { line.hasPrefix($0) }
    // A period behind a command would be typed too.
    let end = line.hasSuffix(".") || (isLast && holdsCommand(line)) ? "" : "."
    return (isCommand ? line : Clause(line, clause.start).capitalized) + end
  }

  /// Whether a clause is a command, or ends with one.
  static func holdsCommand(_ clause: String) -> Bool {
    commands.contains { clause.hasPrefix($0) || clause.contains(": " + $0) }
  }

  /// The beginnings of commands in the vault's advice.
  private static let commands = ["thumblatch ", "chmod "]
  /// The same, and those of commands before other words.
  private static let starts = commands + ["systemctl ", "kill "]
}
