import TestSupport
import Testing

/// The completions for bash, in a real bash, for a vault with two accounts and one provider.
struct BashCompletionTests {
  @Test(
    arguments: CompletionShell.lines + [
      ("thumblatch unlock me w", "work"), ("thumblatch policy window ", "default"),
      ("thumblatch request me -o /etc/os-rel", "/etc/os-release"),
      ("thumblatch exec me --fd 3 -- cat /etc/os-rel", "/etc/os-release"),
      ("thumblatch release -", "--help --json --keep --no-input --private"),
    ]
  )
  func bashOffersWhatFits(_ line: String, _ offers: String) throws {
    #expect(try completions(of: line) == offers)
  }

  /// The completions of bash at the end of a line, sorted.
  private func completions(of line: String) throws -> String {
    let file =
      BuiltPrograms.sourceDirectory
      + "/Sources/Installed/usr/share/bash-completion/completions/thumblatch"
    let script = """
      thumblatch() {
        case $1 in
          account) echo '{"accounts":[{"name":"me"},{"name":"work"}]}' ;;
          provider) echo '{"providers":[{"name":"dev"}]}' ;;
        esac
      }
      source "$1"
      read -r -a COMP_WORDS <<<"$2"
      [[ $2 != *' ' ]] || COMP_WORDS+=('')
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _thumblatch
      printf '%s\\n' "${COMPREPLY[@]}" | sort
      """
    return try CompletionShell.output(of: "/bin/bash", ["-c", script, "bash", file, line])
  }
}
