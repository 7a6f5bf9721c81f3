internal import TerminalIO

/// One line of a list that a person chooses from.
struct Choice {
  let name: String
  let meaning: String
}

extension Session {
  /// Shows a numbered list, and asks for one of it by its number or its name.
  ///
  /// - Throws: exit 7 if the person cannot be asked, exit 130 at the end of the input.
  /// - Returns: the index of the choice.
  func choose(_ question: String, among choices: [Choice]) throws(CommandError) -> Int {
    let terminal = try terminal(for: "a choice")
    var table = Table(headings: ["", "", ""])
    for (index, choice) in choices.enumerated() {
      table.add("\(index + 1)", choice.name, choice.meaning)
    }
    output.say(question)
    let lines = table.text(columns: terminal.columns - 2).split(separator: "\n")
    output.announce(lines: lines.map { "  \($0)" })
    for _ in 0..<3 {
      output.ask("Number or name: ")
      guard let line = try line(at: terminal) else { break }
      let answer = trimmed(line)
      if let number = Int(answer), choices.indices.contains(number - 1) { return number - 1 }
      if let index = choices.firstIndex(where: { $0.name.utf8.elementsEqual(answer.utf8) }) {
        return index
      }
      output.say("Type a number from 1 to \(choices.count), or a name of the list.")
    }
    throw CommandError(.interrupted, "nothing was chosen")
  }
}
