@testable import Commands

/// The completions for fish.
struct FishCompletions {
  let tree: VerbTree

  var text: String {
    """
    # Completions of thumblatch(1) for fish. \(CheckedInFile.origin)

    function __thumblatch_names
        thumblatch $argv[1] list --json --no-input 2>/dev/null |
            string match --all --regex --groups-only '"name": *"([a-z0-9][a-z0-9._-]*)"'
    end

    # The words so far, without options and their values.
    function __thumblatch_words
        set --local option ''
        for word in (commandline --tokenize --cut-at-cursor --current-process)[2..]
            if string match --quiet -- '-*' $word
                set option $word
            else if contains -- $option \(tree.valuedOptions.joined(separator: " "))
                set option ''
            else
                echo $word
            end
        end
    end

    # Whether the position is in a command, after the dashes of a verb that runs one.
    function __thumblatch_in_command
        set --local words (commandline --tokenize --cut-at-cursor --current-process)[2..]
        contains -- "$words[1]" \(tree.commandVerbs.joined(separator: " "))
        and contains -- -- $words
    end

    # The completions at this position of a command.
    function __thumblatch_command
        set --local words (commandline --tokenize --cut-at-cursor --current-process)
        set --erase words[1..(contains --index -- -- $words)]
        complete --do-complete (string join ' ' -- (string escape -- $words) (commandline --current-token))
    end

    # Whether the position is an operand from the first to the last number, of the verb that follows.
    function __thumblatch_at --argument-names first last
        set --local words (__thumblatch_words)
        set --local length 1
        contains -- "$words[1..2]" \(quotedNames(tree.verbs.filter { $0.words.count > 1 }))
        and set length 2
        test "$words[1..$length]" = "$argv[3..]"
        and test (math (count $words) - (count $argv) + 3) -ge $first
        and test (math (count $words) - (count $argv) + 3) -le $last
    end

    complete --command thumblatch --no-files
    complete --command thumblatch --condition __thumblatch_in_command \\
        --arguments '(__thumblatch_command)'
    \(lines.joined(separator: "\n"))

    """
  }

  private var lines: [String] {
    let common = Verb.common.map { line(condition: nil, of: $0) }
    let version = Verb.Option("--version", "print the version")
    return common + [line(condition: "__thumblatch_at 1 1", of: version)]
      + tree.firstWords.map { line(condition: "__thumblatch_at 1 1", word: $0) }
      + tree.firstWords.flatMap { first in
        tree.secondWords(after: first.text).map {
          line(condition: "__thumblatch_at 1 1 \(first.text)", word: $0)
        }
      } + tree.verbs.flatMap(lines(of:))
  }

  private func lines(of verb: Verb) -> [String] {
    verb.options.map { line(condition: "__thumblatch_at 1 999 \(verb.name)", of: $0) }
      + verb.operands.enumerated().flatMap { index, operand in
        let last = operand.count == .any ? 999 : index + 1
        let condition = "__thumblatch_at \(index + 1) \(last) \(verb.name)"
        return lines(condition: condition, offering: operand.offers)
      }
  }

  private func lines(condition: String, offering candidates: Verb.Candidates) -> [String] {
    switch candidates {
    case .none: []
    case .accounts, .providers, .words:
      [complete("--condition \(quoted(condition)) --arguments \(quoted(words(candidates)))")]
    case .files: [complete("--condition \(quoted(condition)) --force-files")]
    case .following(let cases):
      cases.map { previous, list in
        let isPrevious = "contains -- (__thumblatch_words)[-1] \(previous.joined(separator: " "))"
        let both = quoted("\(condition); and \(isPrevious)")
        return complete("--condition \(both) --arguments \(quoted(list.joined(separator: " ")))")
      }
    }
  }

  private func line(condition: String, word: VerbTree.Word) -> String {
    complete(
      "--condition \(quoted(condition)) --arguments \(word.text)"
        + " --description \(quoted(word.meaning))"
    )
  }

  private func line(condition: String?, of option: Verb.Option) -> String {
    let kind = option.name.hasPrefix("--") ? "--long-option" : "--short-option"
    let name = option.name.drop { $0 == "-" }
    var parts = condition.map { ["--condition \(quoted($0))"] } ?? []
    parts.append("\(kind) \(name)")
    if option.value != nil {
      switch option.offers {
      case .none, .following: parts.append("--exclusive")
      case .files: parts.append("--require-parameter --force-files")
      case .accounts, .providers, .words:
        parts.append("--exclusive --arguments \(quoted(words(option.offers)))")
      }
    }
    parts.append("--description \(quoted(option.help))")
    return complete(parts.joined(separator: " "))
  }

  private func words(_ candidates: Verb.Candidates) -> String {
    switch candidates {
    case .accounts: "(__thumblatch_names account)"
    case .providers: "(__thumblatch_names provider)"
    case .words(let list): list.joined(separator: " ")
    case .none, .files, .following: ""
    }
  }

  private func complete(_ rest: String) -> String { "complete --command thumblatch \(rest)" }

  private func quotedNames(_ verbs: [Verb]) -> String {
    verbs.map { quoted($0.name) }.joined(separator: " ")
  }

  private func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
