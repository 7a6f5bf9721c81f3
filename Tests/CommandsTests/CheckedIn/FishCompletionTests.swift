import TestSupport
import Testing

/// The completions for fish, in a real fish.
///
/// A stub function lists two accounts and one provider.
struct FishCompletionTests {
  @Test(
    arguments: CompletionShell.lines + [
      ("thumblatch import --from oidc", "oidc-agent"),
      ("thumblatch request me -o /etc/os-rel", "/etc/os-release"),
      ("thumblatch exec me --fd 3 -- cat /etc/os-rel", "/etc/os-release"),
    ]
  )
  func fishOffersWhatFits(_ line: String, _ offers: String) throws {
    #expect(try completions(of: line) == offers)
  }

  /// The completions of fish at the end of a line, without descriptions, sorted.
  private func completions(of line: String) throws -> String {
    let file =
      BuiltPrograms.sourceDirectory
      + "/Sources/Installed/usr/share/fish/vendor_completions.d/thumblatch.fish"
    let script = #"""
      function thumblatch
        switch $argv[1]
          case account; echo '{"accounts":[{"name":"me"},{"name":"work"}]}'
          case provider; echo '{"providers":[{"name":"dev"}]}'
        end
      end
      source $argv[1]
      complete --do-complete $argv[2] | string replace --regex '\t.*' '' | sort
      """#
    // fish writes its history and its variables below the home directory.
    let home = try ScratchDirectory()
    defer { withExtendedLifetime(home) {} }
    return try CompletionShell.output(
      of: "/usr/bin/fish",
      ["--no-config", "-c", script, file, line],
      variables: ["HOME=\(home.path)"]
    )
  }
}
