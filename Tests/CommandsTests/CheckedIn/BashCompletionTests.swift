import TestSupport
import Testing

/// The completions for bash, in a real bash, for a vault with two accounts and one provider.
struct BashCompletionTests {
  @Test(arguments: [
    ("thumblatch l", "lock login logout"), ("thumblatch fingers ", "delete enroll list"),
    ("thumblatch --json account rename ", "me work"), ("thumblatch account rename me ", ""),
    ("thumblatch provider apply ", "dev"), ("thumblatch provider apply dev ", "me work"),
    ("thumblatch unlock me w", "work"), ("thumblatch unlock --for ", ""),
    ("thumblatch unlock --for 5m w", "work"), ("thumblatch register ", ""),
    ("thumblatch login --provider ", "dev"), ("thumblatch audit ", "me verify work"),
    ("thumblatch policy window ", "default"), ("thumblatch policy remote d", "default deny"),
    ("thumblatch provider add x --template git", "github gitlab"),
    ("thumblatch request me -o /etc/os-rel", "/etc/os-release"),
    ("thumblatch exec m", "me"), ("thumblatch exec me -- printen", "printenv"),
    ("thumblatch exec me --fd 3 -- cat /etc/os-rel", "/etc/os-release"),
    ("thumblatch exec -- ls --js", ""),
    ("thumblatch lock --", "--help --json --no-input --private"),
    ("thumblatch release -", "--help --json --keep --no-input --private"),
  ])
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
