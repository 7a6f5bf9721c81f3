import System
import TestSupport
import Testing

/// The completions for zsh, in a real zsh at a terminal of its own.
///
/// A stub function lists two accounts and one provider.
struct ZshCompletionTests {
  @Test(
    arguments: CompletionShell.lines + [
      ("thumblatch fingers -", "--help --json --no-input --private"),
      ("thumblatch import --from oidc", "oidc-agent"),
      ("thumblatch request me -o /etc/os-rel", "os-release"),
      ("thumblatch exec me --fd 3 -- cat /etc/os-rel", "os-release"),
      ("thumblatch release -", "--help --json --keep --no-input --private"),
    ]
  )
  func zshOffersWhatFits(_ line: String, _ offers: String) throws {
    #expect(try completions(of: line) == offers)
  }

  /// The completions of zsh at the end of a line, without descriptions, sorted.
  private func completions(of line: String) throws -> String {
    let functions =
      BuiltPrograms.sourceDirectory + "/Sources/Installed/usr/share/zsh/vendor-completions"
    // The completion system works in the line editor, which needs a terminal and a startup file.
    let home = try ScratchDirectory()
    defer { withExtendedLifetime(home) {} }
    try Directory(path: home.path).create(".zshrc").write(Self.startup)
    let script = #"""
      zmodload zsh/zpty
      zpty inner timeout --foreground 60 zsh --no-globalrcs --interactive
      while zpty -r inner output; do :; done
      sort "$OFFERS"
      """#
    return try CompletionShell.output(
      of: "/usr/bin/zsh",
      ["--no-rcs", "-c", script],
      variables: [
        "HOME=\(home.path)", "ZDOTDIR=\(home.path)", "OFFERS=\(home.path)/offers",
        "FUNCTIONS=\(functions)", "LINE=\(line)", "TERM=dumb",
      ]
    )
  }

  /// The start file of an interactive zsh: it lists the completions of a line, and exits.
  private static let startup = #"""
    thumblatch() {
      case $1 in
        account) echo '{"accounts":[{"name":"me"},{"name":"work"}]}' ;;
        provider) echo '{"providers":[{"name":"dev"}]}' ;;
      esac
    }
    fpath=("$FUNCTIONS" $fpath)
    autoload -Uz compinit && compinit -u -D
    # Notes the matches that zsh would add; with -O, -A or -D it adds none.
    compadd() {
      local -a matches
      if [[ " $*" != *' -'[OAD]* ]]; then
        builtin compadd -A matches "$@"
        (($#matches)) && print -rl -- $matches >>"$OFFERS"
      fi
      builtin compadd "$@"
    }
    zle-line-init() {
      : >"$OFFERS"
      BUFFER=$LINE CURSOR=$#LINE
      zle list-choices
      exit
    }
    zle -N zle-line-init
    """#
}
