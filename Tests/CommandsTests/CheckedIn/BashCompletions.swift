@testable import Commands

/// The completions for bash.
struct BashCompletions {
  let tree: VerbTree

  var text: String { helpers + completion }

  /// The functions that list what may stand at a position.
  private var helpers: String {
    """
    # Completions of thumblatch(1) for bash. \(CheckedInFile.origin)

    # The names of accounts or providers, as far as they are known without a question to anyone.
    _thumblatch_names() {
      thumblatch "$1" list --json --no-input 2>/dev/null |
        grep -oE '"name": *"[a-z0-9][a-z0-9._-]*"' | sed -E 's/.*"([^"]*)"$/\\1/'
    }

    # The words that may follow a first word, or an empty one.
    _thumblatch_verbs() {
      case $1 in
    \(secondWords)
      esac
    }

    _thumblatch_options() {
      case $1 in
    \(options)
      esac
      printf '%s\\n' \(Verb.common.map(\.name).joined(separator: " "))
    }

    _thumblatch_takes_value() {
      case $1 in
        \(tree.valuedOptions.joined(separator: " | "))) true ;;
        *) false ;;
      esac
    }

    # Completes a command: a program, and its own arguments as far as bash knows them.
    _thumblatch_command() {
      local word=${COMP_WORDS[COMP_CWORD]}
      if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
      elif ((COMP_CWORD == $1)); then
        mapfile -t COMPREPLY < <(compgen -c -- "$word" | sort -u)
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
      fi
    }

    # The kind of a position: "VERB OPTION" for a value, "VERB NUMBER PREVIOUS" for an operand.
    _thumblatch_offer() {
      case $1 in
    \(offers)
      esac
    }


    """
  }

  /// The function that bash calls.
  private var completion: String {
    """
    _thumblatch() {
      local word=${COMP_WORDS[COMP_CWORD]} verb='' previous='' option='' place=1 index said
      for ((index = 1; index < COMP_CWORD; index++)); do
        said=${COMP_WORDS[index]}
        if [[ $said == -- && $verb == @(\(tree.commandVerbs.joined(separator: "|"))) ]]; then
          _thumblatch_command $((index + 1))
          return
        elif [[ $said == -* ]]; then
          option=''
          if _thumblatch_takes_value "$said"; then option=$said; fi
        elif [[ -n $option ]]; then
          option=''
        elif ((place == 1)) && [[ $verb != *' '* ]] &&
          _thumblatch_verbs "$verb" | grep -qxF -e "$said"; then
          verb+=${verb:+ }$said
        else
          previous=$said
          # A pattern sees one digit.
          if ((place < 9)); then ((place += 1)); fi
        fi
      done
      COMPREPLY=()
      if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_thumblatch_options "$verb")" -- "$word")
      elif [[ -n $option ]]; then
        mapfile -t COMPREPLY < <(_thumblatch_offer "$verb $option" "$word")
      else
        mapfile -t COMPREPLY < <(
          if ((place == 1)); then compgen -W "$(_thumblatch_verbs "$verb")" -- "$word"; fi
          _thumblatch_offer "$verb $place $previous" "$word"
        )
      fi
    }

    complete -F _thumblatch thumblatch

    """
  }

  private var secondWords: String {
    let first = arm("''", "printf '%s\\n' " + words(tree.firstWords.map(\.text)))
    let others = tree.firstWords.filter { !tree.secondWords(after: $0.text).isEmpty }
    return
      ([first]
      + others.map { word in
        arm(word.text, "printf '%s\\n' " + words(tree.secondWords(after: word.text).map(\.text)))
      }).joined(separator: "\n")
  }

  private var options: String {
    let ofVerbs = tree.verbs.filter { !$0.options.isEmpty }.map { verb in
      arm("'\(verb.name)'", "printf '%s\\n' " + words(verb.options.map(\.name)))
    }
    return ([arm("''", "printf '%s\\n' --version")] + ofVerbs).joined(separator: "\n")
  }

  /// One arm for all positions with the same candidates.
  private var offers: String {
    var commands: [String] = []
    var patterns: [String: [String]] = [:]
    for offer in tree.offers {
      for (pattern, command) in arms(of: offer) {
        if patterns[command] == nil { commands.append(command) }
        patterns[command, default: []].append(pattern)
      }
    }
    return commands.map { arm((patterns[$0] ?? []).joined(separator: " | "), $0) }
      .joined(separator: "\n")
  }

  private func arms(of offer: VerbTree.Offer) -> [(pattern: String, command: String)] {
    let place =
      switch offer.position {
      case .value(let option): "'\(offer.verb.name) \(option)'"
      case .operand(let first, let last?) where first == last: "'\(offer.verb.name) \(first) '*"
      case .operand(let first, _): "'\(offer.verb.name) '[\(first)-9]*"
      }
    switch offer.candidates {
    case .none: return []
    case .accounts: return [(place, #"compgen -W "$(_thumblatch_names account)" -- "$2""#)]
    case .providers: return [(place, #"compgen -W "$(_thumblatch_names provider)" -- "$2""#)]
    case .files: return [(place, #"compgen -f -- "$2""#)]
    case .words(let list): return [(place, command(offering: list))]
    case .following(let cases):
      return cases.flatMap { previous, list in
        previous.map { (String(place.dropLast(2)) + "\($0)'", command(offering: list)) }
      }
    }
  }

  private func command(offering list: [String]) -> String {
    "compgen -W '\(words(list))' -- \"$2\""
  }

  private func arm(_ pattern: String, _ command: String) -> String {
    let line = "    \(pattern)) \(command) ;;"
    guard line.count > 100 else { return line }
    let patterns = PatternLines.broken(pattern)
    return "    \(patterns))\n      \(command)\n      ;;"
  }

  private func words(_ list: [String]) -> String { list.joined(separator: " ") }
}

/// A long list of patterns, on several lines.
private enum PatternLines {
  static func broken(_ pattern: String) -> String {
    var lines = [""]
    for part in pattern.split(separator: " | ", omittingEmptySubsequences: false) {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(part)
      } else if last.count + part.count > 85 {
        lines[lines.count - 1] += " | \\"
        lines.append(String(part))
      } else {
        lines[lines.count - 1] += " | \(part)"
      }
    }
    return lines.joined(separator: "\n      ")
  }
}
