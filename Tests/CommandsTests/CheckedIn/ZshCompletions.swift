@testable import Commands

/// The completions for zsh.
struct ZshCompletions {
  let tree: VerbTree

  var text: String {
    """
    #compdef thumblatch
    # Completions of thumblatch(1) for zsh. \(CheckedInFile.origin)

    _thumblatch_names() {
      local -a names
      names=(${(f)"$(thumblatch $1 list --json --no-input 2>/dev/null |
        grep -oE '"name": *"[a-z0-9][a-z0-9._-]*"' | sed -E 's/.*"([^"]*)"$/\\1/')"})
      compadd -a names
    }
    _thumblatch_accounts() { _thumblatch_names account }
    _thumblatch_providers() { _thumblatch_names provider }

    _thumblatch() {
      local curcontext=$curcontext context state line verb
      local -A opt_args
      local -a common verbs
      common=(
    \(Verb.common.map { "    " + specification($0) }.joined(separator: "\n"))
      )
      _arguments -C $common '--version[print the version]' '1: :->verb' '*:: :->rest'
      if [[ $state == verb ]]; then
        verbs=(
    \(descriptions(tree.firstWords))
        )
        _describe verb verbs
        return
      fi
      [[ $state == rest ]] || return
      verb=$words[1]
      if [[ $verb == (\(tree.commandVerbs.joined(separator: "|"))) ]] && ((CURRENT > ${words[(ie)--]})); then
        ((CURRENT -= ${words[(ie)--]}))
        shift ${words[(ie)--]} words
        _normal
        return
      fi
      case $verb in
    \(secondWords)
      esac
      if ((CURRENT == 2 && $#verbs)); then
        _describe verb verbs
      elif ((CURRENT > 2 && $verbs[(I)$words[2]:*])); then
        verb+=" $words[2]"
        shift words
        ((CURRENT -= 1))
      fi
      case $verb in
    \(ofVerbs)
        # Beside the words that may follow, options are offered only after a hyphen.
        *) if [[ $PREFIX == -* ]] || ((CURRENT > 2 || ! $#verbs)); then _arguments $common; fi ;;
      esac
    }

    _thumblatch "$@"

    """
  }

  private var secondWords: String {
    tree.firstWords.filter { !tree.secondWords(after: $0.text).isEmpty }.map { word in
      """
          \(word.text))
            verbs=(
      \(descriptions(tree.secondWords(after: word.text)))
            )
            ;;
      """
    }.joined(separator: "\n")
  }

  private var ofVerbs: String {
    tree.verbs.filter { !$0.options.isEmpty || !$0.operands.isEmpty }.map { verb in
      let lines = verb.options.map(specification) + operands(of: verb)
      return "    '\(verb.name)')\n      _arguments $common \\\n"
        + lines.map { "        \($0)" }.joined(separator: " \\\n") + "\n      ;;"
    }.joined(separator: "\n")
  }

  private func descriptions(_ words: [VerbTree.Word]) -> String {
    words.map { "      " + quoted("\($0.text):\($0.meaning)") }.joined(separator: "\n")
  }

  private func specification(_ option: Verb.Option) -> String {
    let meaning = option.help.replacing("[", with: "\\[").replacing("]", with: "\\]")
    let value = option.value.map { name in
      // Two colons: the value may be left out.
      let colons = option.mayStandAlone ? "::" : ":"
      return colons + escaped(name) + ":" + action(option.offers)
    }
    return quoted("\(option.repeats ? "*" : "")\(option.name)[\(meaning)]\(value ?? "")")
  }

  private func operands(of verb: Verb) -> [String] {
    verb.operands.enumerated().map { index, operand in
      let place = operand.count == .any ? "*" : "\(index + 1)"
      return quoted("\(place):\(operand.name):\(action(operand.offers))")
    }
  }

  private func action(_ candidates: Verb.Candidates) -> String {
    switch candidates {
    case .none: ""
    case .accounts: "_thumblatch_accounts"
    case .providers: "_thumblatch_providers"
    case .files: "_files"
    case .words(let list): "(\(list.joined(separator: " ")))"
    case .following(let cases):
      "{case $words[CURRENT-1] in "
        + cases.map { previous, list in
          "(\(previous.joined(separator: "|"))) compadd \(list.joined(separator: " "));; "
        }.joined() + "esac}"
    }
  }

  private func escaped(_ text: String) -> String { text.replacing(":", with: "\\:") }

  private func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
